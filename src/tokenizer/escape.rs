//! Escapes in strings and keys (RFC 8259 §7): a letter, `u` with four hexadecimal digits, or a surrogate pair of two
//! such escapes.
//!
//! Bytes are read one by one, because a chunk may end after any of them. A valid escape that is not cut needs no state:
//! [`whole_escape`] reads it.
//!
//! The difficulty is where a lone surrogate fails. A low surrogate may follow `\uD83D`, so a high one fails at the
//! first byte that can't begin a low one: in place of the backslash, the `u`, or one of the first two digits. A low
//! surrogate without a high one before it fails at its second digit.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Read, Sink, State, Tokenizer};
use crate::error::{ErrorKind, Fault};

/// The open escape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenEscape {
    pub(crate) step: EscapeStep,
    /// The high surrogate that waits for its partner, or 0.
    pub(crate) high: u16,
}

/// The part of an escape that is expected next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EscapeStep {
    /// The letter after the backslash.
    #[default]
    Letter,
    /// One of four hexadecimal digits; `digits` of them have been read, with the value `code`.
    Hex { digits: u8, code: u16 },
    /// The backslash of the low surrogate that must follow a high one.
    PairBackslash,
    /// The `u` after that backslash.
    PairU,
}

impl OpenEscape {
    /// Appends the part that has been read.
    pub(super) fn push(self, out: &mut Vec<u8>) {
        let mut push_hex = |code: u16, digits: u8| {
            out.extend_from_slice(b"\\u");
            let all = [12, 8, 4, 0].map(|shift| b"0123456789abcdef"[usize::from(code >> shift & 0xF)]);
            out.extend_from_slice(&all[usize::from(4 - digits)..]);
        };
        if self.high != 0 {
            push_hex(self.high, 4);
        }
        match self.step {
            EscapeStep::Letter | EscapeStep::PairU => out.push(b'\\'),
            EscapeStep::PairBackslash => {}
            EscapeStep::Hex { digits, code } => push_hex(code, digits),
        }
    }

    /// Returns the number of bytes that have been read.
    pub(crate) fn len(self) -> u64 {
        let mut read = Vec::new();
        self.push(&mut read);
        read.len() as u64
    }
}

impl Tokenizer {
    /// Reads the bytes after a backslash until the character is complete.
    #[inline(always)]
    pub(super) fn escape(&mut self, chunk: &[u8], mut pos: usize, sink: &mut dyn Sink) -> Read {
        while self.state == State::Escape {
            let Some(&byte) = chunk.get(pos) else { break };
            self.escape_step(byte, pos, sink)?;
            pos += 1;
        }
        Ok(pos)
    }

    #[inline(always)]
    fn escape_step(&mut self, byte: u8, pos: usize, sink: &mut dyn Sink) -> Result<(), Fault> {
        match self.escape.step {
            EscapeStep::Letter => self.letter(byte, pos, sink),
            EscapeStep::Hex { digits, code } => self.hex(byte, digits, code, pos, sink),
            EscapeStep::PairBackslash => self.pair_backslash(byte, pos),
            EscapeStep::PairU => self.pair_u(byte, pos),
        }
    }

    fn letter(&mut self, letter: u8, pos: usize, sink: &mut dyn Sink) -> Result<(), Fault> {
        if letter == b'u' {
            self.check_limit(pos)?;
            self.escape.step = EscapeStep::Hex { digits: 0, code: 0 };
            return Ok(());
        }
        let Some(text) = unescape(letter) else {
            let expected = "expected one of `\"\\/bfnrtu` after the backslash";
            return Err(Fault::new(ErrorKind::InvalidEscape, self.at(pos), expected));
        };
        self.check_limit(pos)?;
        self.state = State::String;
        self.report(text, self.at(pos) - 1..self.at(pos) + 1, sink)
    }

    #[inline(always)]
    fn hex(&mut self, byte: u8, seen: u8, code: u16, pos: usize, sink: &mut dyn Sink) -> Result<(), Fault> {
        let Some(digit) = (byte as char).to_digit(16) else {
            return Err(Fault::new(ErrorKind::InvalidEscape, self.at(pos), "expected four hexadecimal digits"));
        };
        let code = code << 4 | digit as u16;
        // The first two digits identify a surrogate: `D8` to `DB` is a high one, `DC` to `DF` a low one.
        let is_low = seen == 1 && (0xDC..=0xDF).contains(&code);
        let fits_pair = match seen {
            0 => code == 0xD,
            1 => is_low,
            _ => true,
        };
        if self.escape.high == 0 && is_low {
            return Err(lone_surrogate(self.at(pos), "expected a high surrogate before a low one"));
        }
        if self.escape.high != 0 && !fits_pair {
            return Err(lone_surrogate(self.at(pos), "expected a low surrogate after a high one"));
        }
        self.check_limit(pos)?;
        if seen < 3 {
            self.escape.step = EscapeStep::Hex { digits: seen + 1, code };
            return Ok(());
        }
        if self.escape.high == 0 && (0xD800..=0xDBFF).contains(&code) {
            self.escape.high = code;
            self.escape.step = EscapeStep::PairBackslash;
            return Ok(());
        }
        let (units, raw_len): (&[u16], u64) = match self.escape.high {
            0 => (&[code], 6),
            high => (&[high, code], 12),
        };
        let decoded = char::decode_utf16(units.iter().copied()).next().and_then(Result::ok);
        let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.escape.high = 0;
        self.state = State::String;
        self.report(character.encode_utf8(&mut [0; 4]), self.at(pos) + 1 - raw_len..self.at(pos) + 1, sink)
    }

    fn pair_backslash(&mut self, byte: u8, pos: usize) -> Result<(), Fault> {
        match byte {
            b'\\' => {
                self.check_limit(pos)?;
                self.escape.step = EscapeStep::PairU;
                Ok(())
            }
            0..b' ' => Err(self.judge_special(byte, pos)),
            _ => Err(lone_surrogate(self.at(pos), "expected a low surrogate after a high one")),
        }
    }

    fn pair_u(&mut self, byte: u8, pos: usize) -> Result<(), Fault> {
        if byte == b'u' {
            self.check_limit(pos)?;
            self.escape.step = EscapeStep::Hex { digits: 0, code: 0 };
            return Ok(());
        }
        Err(match unescape(byte) {
            Some(_) => lone_surrogate(self.at(pos), "expected a low surrogate after a high one"),
            None => Fault::new(ErrorKind::InvalidEscape, self.at(pos), "expected `u` after the backslash"),
        })
    }
}

/// Returns the character of a one-letter escape (RFC 8259 §7).
#[inline]
pub(crate) fn unescape(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'"' => "\"",
        b'\\' => "\\",
        b'/' => "/",
        b'b' => "\u{8}",
        b'f' => "\u{c}",
        b'n' => "\n",
        b'r' => "\r",
        b't' => "\t",
        _ => return None,
    })
}

/// Returns the character and the length of the escape that `text` begins with, if it is complete and valid.
#[must_use]
#[inline(always)]
pub fn whole_escape<'a>(text: &[u8], buffer: &'a mut [u8; 4]) -> Option<(&'a str, usize)> {
    if let Some(character) = unescape(*text.get(1)?) {
        return Some((character, 2));
    }
    let (character, len) = unescape_unicode(text)?;
    Some((character.encode_utf8(buffer), len))
}

/// Returns the character and the length of the `\uXXXX`, or the pair of them, that `text` begins with, if it is
/// complete and valid.
#[inline(never)]
fn unescape_unicode(text: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| -> Option<u16> {
        let (escape, _) = text.get(at..)?.split_first_chunk::<6>()?;
        let digits = escape.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |code, &digit| Some(code << 4 | (digit as char).to_digit(16)? as u16))
    };
    let first = unit(0)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, 6));
    }
    let pair = char::decode_utf16([first, unit(6)?]).next()?;
    Some((pair.ok()?, 12))
}

/// Decodes the text inside a string's quotes. Returns `None` if it has a lone surrogate or an invalid escape.
#[must_use]
pub fn unescaped(inside: &str) -> Option<String> {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(place) = rest.find('\\') {
        text.push_str(&rest[..place]);
        let mut buffer = [0; 4];
        let (character, len) = whole_escape(&rest.as_bytes()[place..], &mut buffer)?;
        text.push_str(character);
        rest = &rest[place + len..];
    }
    text.push_str(rest);
    Some(text)
}

#[cold]
fn lone_surrogate(offset: u64, expected: &'static str) -> Fault {
    Fault::new(ErrorKind::LoneSurrogate, offset, expected)
}
