//! Quoted names, as patterns and concrete paths have them: `'a b'`, `"a\u00e9"` (RFC 9535 §2.3.1.1).
//!
//! This is the only reader of them. Patterns need the place and the reason of a fault; paths only need to know that
//! there is one.

/// Reads a quoted name character by character, from its opening to its closing quote, without an allocation.
///
/// The iterator ends after the closing quote, or after the first error.
#[derive(Clone, Debug)]
pub(crate) struct QuotedName<'a> {
    text: &'a str,
    /// The next byte to read, always at a character's first.
    at: usize,
    quote: char,
    is_at_end: bool,
}

/// Why a quoted name can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuotedNameError {
    /// Where in the text.
    pub(crate) at: usize,
    pub(crate) reason: &'static str,
}

impl<'a> QuotedName<'a> {
    /// The name whose opening quote, whichever of the two it is, stands at `quote` in `text`.
    pub(crate) fn new(text: &'a str, quote: usize) -> Self {
        let mut name = Self { text, at: quote, quote: '\'', is_at_end: false };
        name.quote = name.next_character().unwrap_or(name.quote);
        name
    }

    /// Where the reader is: after the closing quote, once it has ended without an error.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next character of the decoded name; `None` at its closing quote.
    fn read(&mut self) -> Result<Option<char>, QuotedNameError> {
        let at = self.at;
        match self.next_character() {
            None => Err(self.error("the quote is never closed")),
            Some(end) if end == self.quote => Ok(None),
            Some('\\') => self.escape().map(Some),
            Some('\0'..' ') => Err(QuotedNameError { at, reason: "control characters must be escaped" }),
            Some(other) => Ok(Some(other)),
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<char, QuotedNameError> {
        let at = self.at;
        Ok(match self.next_character() {
            None => return Err(self.error("the quote is never closed")),
            Some('b') => '\u{8}',
            Some('t') => '\t',
            Some('n') => '\n',
            Some('f') => '\u{c}',
            Some('r') => '\r',
            Some(same @ ('/' | '\\')) => same,
            Some(quote) if quote == self.quote => quote,
            Some('u') => return self.unicode_escape(at),
            Some(_) => return Err(QuotedNameError { at, reason: "no such escape" }),
        })
    }

    /// `XXXX`, or the rest of a surrogate pair: `XXXX\uXXXX`. Its first `u` is at `start`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, QuotedNameError> {
        let high = self.hex_unit()?;
        let mut units = [high, 0];
        if (0xD800..0xDC00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            units[1] = self.hex_unit()?;
        }
        let character = char::decode_utf16(units).next().and_then(Result::ok);
        character.ok_or(QuotedNameError { at: start, reason: "half of a surrogate pair" })
    }

    fn hex_unit(&mut self) -> Result<u16, QuotedNameError> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else { return Err(self.error("expected four hexadecimal digits")) };
        let unit = digits.iter().fold(0, |unit, &digit| unit << 4 | (digit as char).to_digit(16).unwrap_or(0) as u16);
        self.at += 4;
        Ok(unit)
    }

    fn next_character(&mut self) -> Option<char> {
        let character = self.text[self.at..].chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn error(&self, reason: &'static str) -> QuotedNameError {
        QuotedNameError { at: self.at, reason }
    }
}

impl Iterator for QuotedName<'_> {
    type Item = Result<char, QuotedNameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        let read = self.read();
        self.is_at_end = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}
