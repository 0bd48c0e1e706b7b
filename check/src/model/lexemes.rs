//! The three lexemes of RFC 8259 that have an inside: strings (section 7), numbers (6), literals (3). Each is read from
//! its first byte to its end in one go, and stops at the first byte that no valid text can have there.

/// Why a reading stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The byte at this offset is at fault.
    Bad(&'static str, usize),
    /// The bytes ran out.
    Short,
}

/// A limit in raw bytes, and the error that says so.
#[derive(Clone, Copy)]
pub struct Limit {
    pub most: Option<u64>,
    pub kind: &'static str,
}

pub struct Cursor<'d> {
    document: &'d [u8],
    /// Where counting for the limit starts.
    first: usize,
    at: usize,
    limit: Limit,
}

impl<'d> Cursor<'d> {
    /// Starts reading at `first`, where limits begin to count.
    pub fn new(document: &'d [u8], first: usize, limit: Limit) -> Self {
        Cursor { document, first, at: first, limit }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn next_byte(&self) -> Result<u8, Halt> {
        self.document.get(self.at).copied().ok_or(Halt::Short)
    }

    fn next_is(&self, wanted: impl Fn(u8) -> bool) -> bool {
        self.document.get(self.at).is_some_and(|&byte| wanted(byte))
    }

    fn refuse<T>(&self, kind: &'static str) -> Result<T, Halt> {
        Err(Halt::Bad(kind, self.at))
    }

    /// Takes a valid byte. The limit is checked only now, after the grammar.
    pub fn accept(&mut self) -> Result<(), Halt> {
        let taken = (self.at - self.first) as u64;
        if self.limit.most.is_some_and(|most| taken >= most) {
            return self.refuse(self.limit.kind);
        }
        self.at += 1;
        Ok(())
    }
}

/// Reads the string whose opening quote is at `quote`: what could be decoded, and where it ends (after the closing
/// quote) or why it does not.
pub fn string(document: &[u8], quote: usize, limit: Limit) -> (String, Result<usize, Halt>) {
    let mut cursor = Cursor::new(document, quote + 1, limit);
    let mut decoded = String::new();
    loop {
        match character(&mut cursor) {
            Ok(Some(character)) => decoded.push(character),
            Ok(None) => return (decoded, Ok(cursor.at + 1)),
            Err(halt) => return (decoded, Err(halt)),
        }
    }
}

/// Reads one whole decoded character; `None` before the closing quote.
fn character(cursor: &mut Cursor<'_>) -> Result<Option<char>, Halt> {
    match cursor.next_byte()? {
        b'"' => Ok(None),
        0x00..=0x1F => cursor.refuse("control-character"),
        b'\\' => {
            cursor.accept()?;
            escape(cursor).map(Some)
        }
        ascii @ 0x20..=0x7F => {
            cursor.accept()?;
            Ok(Some(char::from(ascii)))
        }
        0x80..=0xFF => multibyte(cursor).map(Some),
    }
}

/// Reads an escape after its backslash.
fn escape(cursor: &mut Cursor<'_>) -> Result<char, Halt> {
    let letter = cursor.next_byte()?;
    if letter == b'u' {
        cursor.accept()?;
        return unicode_escape(cursor);
    }
    let Some(character) = escape_letter(letter) else {
        return cursor.refuse("invalid-escape");
    };
    cursor.accept()?;
    Ok(character)
}

pub fn escape_letter(letter: u8) -> Option<char> {
    Some(match letter {
        b'"' | b'\\' | b'/' => char::from(letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        _ => return None,
    })
}

/// Reads the four digits after `\u`, and the whole second escape if they are a high surrogate's.
fn unicode_escape(cursor: &mut Cursor<'_>) -> Result<char, Halt> {
    let mut unit = hex_digit(cursor, |_| true)?;
    // A low surrogate has no right to come first: known at the second digit.
    let leads = unit == 0xD;
    unit = unit << 4 | hex_digit(cursor, |digit| !(leads && digit >= 0xC))?;
    unit = unit << 4 | hex_digit(cursor, |_| true)?;
    unit = unit << 4 | hex_digit(cursor, |_| true)?;
    if !(0xD800..=0xDBFF).contains(&unit) {
        return Ok(char::from_u32(unit).expect("no surrogate"));
    }
    let high = unit;
    match cursor.next_byte()? {
        b'\\' => cursor.accept()?,
        0x00..=0x1F => return cursor.refuse("control-character"),
        _ => return cursor.refuse("lone-surrogate"),
    }
    match cursor.next_byte()? {
        b'u' => cursor.accept()?,
        other if escape_letter(other).is_some() => return cursor.refuse("lone-surrogate"),
        _ => return cursor.refuse("invalid-escape"),
    }
    let mut low = hex_digit(cursor, |digit| digit == 0xD)?;
    low = low << 4 | hex_digit(cursor, |digit| digit >= 0xC)?;
    low = low << 4 | hex_digit(cursor, |_| true)?;
    low = low << 4 | hex_digit(cursor, |_| true)?;
    Ok(char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).expect("a pair is a character"))
}

/// Reads a hex digit. A digit that is not `allowed` would leave a surrogate alone.
fn hex_digit(cursor: &mut Cursor<'_>, allowed: impl Fn(u32) -> bool) -> Result<u32, Halt> {
    let Some(digit) = char::from(cursor.next_byte()?).to_digit(16) else {
        return cursor.refuse("invalid-escape");
    };
    if !allowed(digit) {
        return cursor.refuse("lone-surrogate");
    }
    cursor.accept()?;
    Ok(digit)
}

/// Reads a character of two to four bytes, by the table of RFC 3629 section 4.
pub fn multibyte(cursor: &mut Cursor<'_>) -> Result<char, Halt> {
    let start = cursor.at;
    let (second, more) = match cursor.next_byte()? {
        0xC2..=0xDF => (0x80..=0xBF, 0),
        0xE0 => (0xA0..=0xBF, 1),
        0xE1..=0xEC | 0xEE..=0xEF => (0x80..=0xBF, 1),
        0xED => (0x80..=0x9F, 1),
        0xF0 => (0x90..=0xBF, 2),
        0xF1..=0xF3 => (0x80..=0xBF, 2),
        0xF4 => (0x80..=0x8F, 2),
        _ => return cursor.refuse("invalid-utf8"),
    };
    cursor.accept()?;
    for range in std::iter::once(second).chain(std::iter::repeat_n(0x80..=0xBF, more)) {
        if !range.contains(&cursor.next_byte()?) {
            return cursor.refuse("invalid-utf8");
        }
        cursor.accept()?;
    }
    let bytes = &cursor.document[start..cursor.at];
    let text = std::str::from_utf8(bytes).expect("the table of RFC 3629");
    Ok(text.chars().next().expect("one character"))
}

/// Reads the number that starts at `first` (a minus or a digit): the offset of the first byte that is not part of it,
/// which is `document.len()` if more of it might follow.
pub fn number(document: &[u8], first: usize, limit: Limit) -> Result<usize, Halt> {
    let mut cursor = Cursor::new(document, first, limit);
    if cursor.next_is(|byte| byte == b'-') {
        cursor.accept()?;
    }
    if cursor.next_is(|byte| byte == b'0') {
        cursor.accept()?;
        if cursor.next_is(|byte| byte.is_ascii_digit()) {
            return cursor.refuse("invalid-number");
        }
    } else {
        digits(&mut cursor)?;
    }
    if cursor.next_is(|byte| byte == b'.') {
        cursor.accept()?;
        digits(&mut cursor)?;
    }
    if cursor.next_is(|byte| matches!(byte, b'e' | b'E')) {
        cursor.accept()?;
        if cursor.next_is(|byte| matches!(byte, b'+' | b'-')) {
            cursor.accept()?;
        }
        digits(&mut cursor)?;
    }
    Ok(cursor.at)
}

/// Reads one or more digits.
fn digits(cursor: &mut Cursor<'_>) -> Result<(), Halt> {
    if !cursor.next_byte()?.is_ascii_digit() {
        return cursor.refuse("invalid-number");
    }
    while cursor.next_is(|byte| byte.is_ascii_digit()) {
        cursor.accept()?;
    }
    Ok(())
}

/// Reads the literal `word`, whose first letter is at `first`.
pub fn literal(document: &[u8], first: usize, word: &str) -> Result<usize, Halt> {
    for (letter, at) in word.bytes().zip(first..) {
        match document.get(at) {
            Some(&byte) if byte == letter => {}
            Some(_) => return Err(Halt::Bad("invalid-literal", at)),
            None => return Err(Halt::Short),
        }
    }
    Ok(first + word.len())
}
