//! A string as a parser reads it that goes on past control characters, invalid escapes and lone surrogates.

use super::lexemes::{Cursor, Halt, Limit, escape_letter, multibyte};

const REPLACEMENT: char = '\u{FFFD}';

/// What was passed: its kind and its offset.
pub type Passed = (&'static str, usize);

/// A string that is being read leniently.
struct Reading<'d> {
    cursor: Cursor<'d>,
    decoded: String,
    passed: Vec<Passed>,
}

/// Reads the string whose opening quote is at `quote`: what could be decoded, where it ends or why it does not, and what
/// was passed on the way.
pub fn string(document: &[u8], quote: usize, limit: Limit) -> (String, Result<usize, Halt>, Vec<Passed>) {
    let cursor = Cursor::new(document, quote + 1, limit);
    let mut reading = Reading { cursor, decoded: String::new(), passed: Vec::new() };
    let end = reading.read();
    (reading.decoded, end, reading.passed)
}

impl Reading<'_> {
    fn read(&mut self) -> Result<usize, Halt> {
        loop {
            match self.cursor.next_byte()? {
                b'"' => return Ok(self.cursor.at() + 1),
                b'\\' => {
                    self.cursor.accept()?;
                    self.escape()?;
                }
                byte @ 0x00..=0x7F => {
                    if byte < b' ' {
                        self.pass("control-character");
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

    /// Notes what is wrong with the next byte; one that spoils an escape may be wrong by itself as well.
    fn pass(&mut self, kind: &'static str) {
        let at = self.cursor.at();
        if self.passed.last().is_none_or(|(_, last)| *last != at) {
            self.passed.push((kind, at));
        }
    }

    /// What stands after a backslash. A byte that does not belong to it is left alone.
    fn escape(&mut self) -> Result<(), Halt> {
        // A high surrogate that waits for its partner.
        let mut high = None;
        loop {
            let letter = self.cursor.next_byte()?;
            if letter != b'u' {
                match escape_letter(letter) {
                    Some(character) => {
                        if high.is_some() {
                            self.pass("lone-surrogate");
                            self.decoded.push(REPLACEMENT);
                        }
                        self.cursor.accept()?;
                        self.decoded.push(character);
                    }
                    None => {
                        self.pass("invalid-escape");
                        self.decoded.extend(high.map(|_| REPLACEMENT));
                        self.decoded.push('\\');
                    }
                }
                return Ok(());
            }
            self.cursor.accept()?;
            let Some(unit) = self.unit(&mut high)? else { return Ok(()) };
            if let Some(high) = high {
                self.decoded.extend(char::decode_utf16([high, unit]).map(|pair| pair.expect("a pair")));
                return Ok(());
            }
            if !(0xD800..=0xDBFF).contains(&unit) {
                self.decoded.push(char::from_u32(unit.into()).unwrap_or(REPLACEMENT));
                return Ok(());
            }
            match self.cursor.next_byte()? {
                b'\\' => {
                    self.cursor.accept()?;
                    high = Some(unit);
                    continue;
                }
                0x00..=0x1F => self.pass("control-character"),
                _ => self.pass("lone-surrogate"),
            }
            self.decoded.push(REPLACEMENT);
            return Ok(());
        }
    }

    /// Four digits; none if there are less. A high surrogate that they rule out as a partner is told and forgotten.
    fn unit(&mut self, high: &mut Option<u16>) -> Result<Option<u16>, Halt> {
        let mut unit = 0;
        for place in 0..4 {
            let Some(digit) = char::from(self.cursor.next_byte()?).to_digit(16) else {
                self.pass("invalid-escape");
                self.decoded.extend(high.map(|_| REPLACEMENT));
                self.decoded.push(REPLACEMENT);
                return Ok(None);
            };
            unit = unit << 4 | digit as u16;
            let is_low = place == 1 && (0xDC..=0xDF).contains(&unit);
            let may_be_low = place > 1 || is_low || (place == 0 && unit == 0xD);
            if high.is_some() && !may_be_low {
                self.pass("lone-surrogate");
                self.decoded.push(REPLACEMENT);
                *high = None;
            } else if high.is_none() && is_low {
                self.pass("lone-surrogate");
            }
            self.cursor.accept()?;
        }
        Ok(Some(unit))
    }
}
