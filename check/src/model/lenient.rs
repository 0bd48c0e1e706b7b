//! Lenient reading inside strings and in place of tokens: strings with control characters, invalid escapes and lone
//! surrogates, or in single quotes; comments; words. It knows no position in a document.

use super::lexemes::{Cursor, Halt, Limit, escape_letter, multibyte};

const REPLACEMENT: char = '\u{FFFD}';

/// A tolerated deviation: its strict kind and its offset.
pub type Passed = (&'static str, usize);

/// Bytes from one place up to another, and what JSON has instead of them.
pub type Edit = (usize, usize, String);

/// The result of reading a string.
pub struct StringReading {
    pub decoded: String,
    /// Where it ends, or why it does not.
    pub end: Result<usize, Halt>,
    pub passed: Vec<Passed>,
    pub edits: Vec<Edit>,
}

/// A string that is being read leniently.
struct Reading<'d> {
    cursor: Cursor<'d>,
    quote: u8,
    allowed: &'d [&'static str],
    decoded: String,
    passed: Vec<Passed>,
    edits: Vec<Edit>,
}

/// Reads the string whose opening quote is at `first`.
pub fn string(document: &[u8], first: usize, limit: Limit, allowed: &[&'static str]) -> StringReading {
    let cursor = Cursor::new(document, first + 1, limit);
    let (decoded, passed, edits) = Default::default();
    let mut reading = Reading { cursor, quote: document[first], allowed, decoded, passed, edits };
    let end = reading.read();
    let Reading { quote, decoded, passed, mut edits, .. } = reading;
    if quote == b'\'' {
        edits.push((first, first + 1, "\"".to_owned()));
        edits.extend(end.ok().map(|end| (end - 1, end, "\"".to_owned())));
    }
    StringReading { decoded, end, passed, edits }
}

/// Returns the name of the deviation for a fault in a string.
pub fn name_of(fault: &str) -> &'static str {
    match fault {
        "control-character" => "control-characters",
        "invalid-escape" => "bad-escapes",
        "lone-surrogate" => "lone-surrogates",
        _ => unreachable!("no deviation"),
    }
}

impl Reading<'_> {
    fn read(&mut self) -> Result<usize, Halt> {
        loop {
            let at = self.cursor.at();
            match self.cursor.next_byte()? {
                byte if byte == self.quote => return Ok(at + 1),
                b'\\' => {
                    self.cursor.accept()?;
                    self.escape(at)?;
                }
                byte @ 0x00..=0x7F => {
                    if byte < b' ' {
                        self.pass("control-character", false)?;
                        self.edits.push((at, at + 1, format!("\\u{byte:04x}")));
                    } else if byte == b'"' {
                        self.edits.push((at, at, "\\".to_owned()));
                    }
                    self.cursor.accept()?;
                    self.decoded.push(char::from(byte));
                }
                0x80..=0xFF => {
                    let character = multibyte(&mut self.cursor)?;
                    self.decoded.push(character);
                }
            }
        }
    }

    /// Records that the next byte is wrong. A byte that spoils an escape may be wrong by itself as well. If it
    /// separates a high surrogate from its partner, that must be allowed too.
    fn pass(&mut self, kind: &'static str, parts_a_pair: bool) -> Result<(), Halt> {
        let at = self.cursor.at();
        if !self.allowed.contains(&name_of(kind)) || parts_a_pair && !self.allowed.contains(&"lone-surrogates") {
            return Err(Halt::Bad(kind, at));
        }
        if self.passed.last().is_none_or(|(_, last)| *last != at) {
            self.passed.push((kind, at));
        }
        Ok(())
    }

    /// Replaces an escape that denotes no character.
    fn replace(&mut self, start: usize, end: usize) {
        self.decoded.push(REPLACEMENT);
        self.edits.push((start, end, "\\ufffd".to_owned()));
    }

    /// Reads an escape whose backslash is at `start`. A byte that does not belong to it is not consumed.
    fn escape(&mut self, mut start: usize) -> Result<(), Halt> {
        // A high surrogate that waits for its partner, and its place.
        let mut high = None;
        loop {
            let letter = self.cursor.next_byte()?;
            if letter != b'u' {
                let is_quote = letter == b'\'' && self.quote == b'\'';
                match escape_letter(letter).or(is_quote.then_some('\'')) {
                    Some(character) => {
                        if let Some((place, _)) = high {
                            self.pass("lone-surrogate", true)?;
                            self.replace(place, place + 6);
                        }
                        if is_quote {
                            self.edits.push((start, start + 1, String::new()));
                        }
                        self.cursor.accept()?;
                        self.decoded.push(character);
                    }
                    None => {
                        self.pass("invalid-escape", high.is_some())?;
                        if let Some((place, _)) = high {
                            self.replace(place, place + 6);
                        }
                        if letter == b'\'' {
                            self.cursor.accept()?;
                            self.decoded.push('\'');
                            self.edits.push((start, start + 1, String::new()));
                        } else {
                            self.decoded.push('\\');
                            self.edits.push((start + 1, start + 1, "\\".to_owned()));
                        }
                    }
                }
                return Ok(());
            }
            self.cursor.accept()?;
            let Some(unit) = self.unit(start, &mut high)? else { return Ok(()) };
            if let Some((_, high)) = high {
                self.decoded.extend(char::decode_utf16([high, unit]).map(|pair| pair.expect("a pair")));
                return Ok(());
            }
            if (0xDC00..=0xDFFF).contains(&unit) {
                self.replace(start, start + 6);
                return Ok(());
            }
            if !(0xD800..=0xDBFF).contains(&unit) {
                self.decoded.push(char::from_u32(unit.into()).expect("no surrogate"));
                return Ok(());
            }
            match self.cursor.next_byte()? {
                b'\\' => {
                    high = Some((start, unit));
                    start = self.cursor.at();
                    self.cursor.accept()?;
                    continue;
                }
                0x00..=0x1F => self.pass("control-character", true)?,
                _ => self.pass("lone-surrogate", true)?,
            }
            self.replace(start, start + 6);
            return Ok(());
        }
    }

    /// Reads four digits; `None` if there are fewer. If they can't be the partner of a high surrogate, reports that one
    /// and forgets it.
    fn unit(&mut self, start: usize, high: &mut Option<(usize, u16)>) -> Result<Option<u16>, Halt> {
        let mut unit = 0;
        for place in 0..4 {
            let Some(digit) = char::from(self.cursor.next_byte()?).to_digit(16) else {
                self.pass("invalid-escape", high.is_some())?;
                if let Some((place, _)) = *high {
                    self.replace(place, place + 6);
                }
                self.replace(start, self.cursor.at());
                return Ok(None);
            };
            unit = unit << 4 | digit as u16;
            let is_low = place == 1 && (0xDC..=0xDF).contains(&unit);
            let may_be_low = place > 1 || is_low || (place == 0 && unit == 0xD);
            if let Some((place, _)) = *high
                && !may_be_low
            {
                self.pass("lone-surrogate", true)?;
                self.replace(place, place + 6);
                *high = None;
            } else if high.is_none() && is_low {
                self.pass("lone-surrogate", true)?;
            }
            self.cursor.accept()?;
        }
        Ok(Some(unit))
    }
}

/// Returns the end of the comment whose first byte is at `first`; `Short` if it is not known yet, and `None` if there
/// is no comment. The end of the document also ends a line's comment.
pub fn comment(document: &[u8], first: usize) -> Option<Result<usize, Halt>> {
    let line = || document[first..].iter().position(|&byte| byte == b'\n').map_or(document.len(), |len| first + len);
    match &document[first..] {
        [b'#', ..] | [b'/', b'/', ..] => Some(Ok(line())),
        [b'/', b'*', inside @ ..] => {
            let end = inside.windows(2).position(|pair| pair == b"*/");
            Some(end.map(|len| first + len + 4).ok_or(Halt::Short))
        }
        _ => None,
    }
}

/// A word that is no JSON literal: its spelling, what JSON has instead, and the deviation's name.
pub type Word = (&'static str, &'static str, &'static str);

pub const WORDS: [Word; 5] = [
    ("True", "true", "python-literals"),
    ("False", "false", "python-literals"),
    ("None", "null", "python-literals"),
    ("NaN", "null", "non-finite"),
    ("Infinity", "null", "non-finite"),
];

/// Applies edits, which do not overlap, to a document from one of its bytes on.
pub fn rewritten(document: &[u8], first: usize, edits: &[Edit]) -> Vec<u8> {
    let mut edits: Vec<_> = edits.iter().filter(|(start, _, _)| *start >= first).cloned().collect();
    edits.sort_by_key(|(start, _, _)| *start);
    let mut out = Vec::new();
    let mut copied = first;
    for (start, end, text) in edits {
        out.extend_from_slice(&document[copied..start]);
        out.extend_from_slice(text.as_bytes());
        copied = end;
    }
    out.extend_from_slice(&document[copied..]);
    out
}
