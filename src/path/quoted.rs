//! The reader of quoted names in patterns and concrete paths: `'a b'`, `"a\u00e9"` (RFC 9535 §2.3.1.1).
//!
//! Patterns report the position and reason of an error; paths only need to know that there is one.

use core::str::Chars;

/// An iterator over the decoded characters of a quoted name. It does not allocate.
///
/// It ends after the closing quote or the first error.
#[derive(Clone, Debug)]
pub(crate) struct QuotedName<'a> {
    text: &'a str,
    /// The rest of the text.
    rest: Chars<'a>,
    quote: char,
    is_at_end: bool,
}

/// The error of an invalid quoted name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuotedNameError {
    /// The byte position in the text.
    pub(crate) at: usize,
    pub(crate) reason: &'static str,
}

impl<'a> QuotedName<'a> {
    /// Creates a reader of the name whose opening quote, single or double, is at `quote` in `text`.
    pub(crate) fn new(text: &'a str, quote: usize) -> Self {
        let mut rest = text.get(quote..).unwrap_or_default().chars();
        let quote = rest.next().unwrap_or_default();
        Self { text, rest, quote, is_at_end: false }
    }

    /// Returns the position in the text: after the closing quote, once the iterator has ended without an error.
    pub(crate) fn at(&self) -> usize {
        self.text.len() - self.rest.as_str().len()
    }

    /// Returns the text after the name, once the iterator has ended without an error.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest.as_str()
    }

    /// Reads the next character of the decoded name; `None` at the closing quote.
    fn read(&mut self) -> Result<Option<char>, QuotedNameError> {
        let at = self.at();
        match self.rest.next() {
            None => Err(self.error("the quote is never closed")),
            Some(end) if end == self.quote => Ok(None),
            Some('\\') => self.escape().map(Some),
            Some('\0'..' ') => Err(QuotedNameError { at, reason: "control characters must be escaped" }),
            Some(other) => Ok(Some(other)),
        }
    }

    /// Reads the rest of an escape, after its backslash.
    fn escape(&mut self) -> Result<char, QuotedNameError> {
        let at = self.at();
        Ok(match self.rest.next() {
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

    /// Reads `XXXX` or a surrogate pair, `XXXX\uXXXX`, after the `u` at `start`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, QuotedNameError> {
        let half = QuotedNameError { at: start, reason: "half of a surrogate pair" };
        let unit = self.hex_unit()?;
        let mut code = unit;
        if (0xD800..0xDC00).contains(&unit) && self.rest.as_str().starts_with("\\u") {
            self.rest.nth(1);
            let low = self.hex_unit()?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err(half);
            }
            code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
        char::from_u32(code).ok_or(half)
    }

    fn hex_unit(&mut self) -> Result<u32, QuotedNameError> {
        let error = self.error("expected four hexadecimal digits");
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit << 4 | self.rest.next().and_then(|digit| digit.to_digit(16)).ok_or(error)?;
        }
        Ok(unit)
    }

    fn error(&self, reason: &'static str) -> QuotedNameError {
        QuotedNameError { at: self.at(), reason }
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
