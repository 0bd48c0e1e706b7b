//! Deviations in strings: raw control characters, invalid escapes, lone surrogates and single quotes.

use super::state::Step;
use super::translation::Translation;
use crate::error::{DeviationKind, ErrorKind, Fault};
use crate::tokenizer::{EscapeStep, OpenEscape, State};

/// The escape that replaces a character that can't be decoded.
const REPLACEMENT: &[u8] = b"\\ufffd";

impl Translation<'_> {
    /// Handles a deviation inside a string.
    pub(super) fn in_string(
        &mut self,
        kind: DeviationKind,
        fault: Fault,
        byte: u8,
        pos: usize,
    ) -> Result<usize, Fault> {
        match self.tokenizer().open_escape() {
            Some(escape) => self.bad_escape(escape, kind, fault, byte, pos),
            None => {
                let at = self.tolerate(kind, fault)?;
                self.document.tokenizer.check_string_limit(at)?;
                let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 0xF)];
                self.put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)], at)?;
                Ok(pos + 1)
            }
        }
    }

    /// Replaces the open escape, in which the byte at `pos` is invalid. The byte is read again unless the replacement
    /// includes it.
    fn bad_escape(
        &mut self,
        escape: OpenEscape,
        kind: DeviationKind,
        fault: Fault,
        byte: u8,
        pos: usize,
    ) -> Result<usize, Fault> {
        let (at, is_digit) = (fault.offset, fault.kind != ErrorKind::InvalidEscape);
        let is_quote = byte == b'\'' && self.lenient.is_single_quoted;
        if is_quote && escape.step == EscapeStep::Letter {
            return self.escaped_quote(at, pos);
        }
        if is_quote && escape.step == EscapeStep::PairU {
            let alone = Fault::new(ErrorKind::LoneSurrogate, at, "expected a low surrogate after a high one");
            self.tolerate(DeviationKind::LoneSurrogates, alone)?;
            self.replace_escape(escape, at - 7)?;
            self.put(b"\\", at - 1)?;
            return self.escaped_quote(at, pos);
        }
        // Any invalid byte after a high surrogate also leaves that surrogate without its pair.
        if escape.high != 0 && !self.lenient.allowed.allows(DeviationKind::LoneSurrogates) {
            return Err(fault);
        }
        self.tolerate(kind, fault)?;
        match escape.step {
            EscapeStep::Letter if byte == b'\'' => self.escaped_quote(at, pos),
            EscapeStep::Letter => {
                self.put(b"\\", at)?;
                Ok(pos)
            }
            EscapeStep::PairBackslash => {
                self.replace_escape(escape, at - 6)?;
                Ok(pos)
            }
            EscapeStep::PairU => {
                self.replace_escape(escape, at - 7)?;
                self.put(b"\\", at - 1)?;
                Ok(pos)
            }
            EscapeStep::Hex { digits, .. } => self.bad_digit(escape, digits, is_digit, pos),
        }
    }

    /// Replaces an escape with an invalid digit. The escape may be the second half of a surrogate pair.
    fn bad_digit(&mut self, escape: OpenEscape, digits: u8, is_digit: bool, pos: usize) -> Result<usize, Fault> {
        let escape_at = self.at(pos) - 2 - u64::from(digits);
        if escape.high != 0 {
            // If the second digit is the invalid one, the first has been read.
            let first_digit = if self.document.kept.last() == Some(b'D') { b'D' } else { b'd' };
            self.replace_escape(escape, escape_at - 6)?;
            if !is_digit {
                self.put(REPLACEMENT, escape_at)?;
                return Ok(pos);
            }
            self.put(b"\\u", escape_at)?;
            if digits > 0 {
                self.put(&[first_digit], escape_at + 2)?;
            }
            return Ok(pos);
        }
        if !is_digit {
            self.replace_escape(escape, escape_at)?;
            return Ok(pos);
        }
        // A lone low surrogate is reported at the end of its escape.
        self.document.tokenizer.check_string_limit(self.at(pos))?;
        self.document.tokenizer.take_back_escape();
        self.take_back(escape.len());
        self.lenient.at = escape_at;
        self.lenient.step = Step::LoneLow(2);
        Ok(pos + 1)
    }

    /// Replaces the open escape by U+FFFD.
    fn replace_escape(&mut self, escape: OpenEscape, at: u64) -> Result<(), Fault> {
        self.document.tokenizer.take_back_escape();
        self.take_back(escape.len());
        self.put(REPLACEMENT, at)
    }

    /// Reads the quote of `\'`.
    fn escaped_quote(&mut self, at: u64, pos: usize) -> Result<usize, Fault> {
        self.document.tokenizer.check_string_limit(at)?;
        self.document.tokenizer.take_back_escape();
        self.take_back(1);
        self.put(b"'", at - 1)?;
        Ok(pos + 1)
    }

    /// Reads the last two digits of a lone low surrogate.
    pub(super) fn lone_low(&mut self, missing: u8, pos: usize) -> Result<usize, Fault> {
        let at = self.at(pos);
        let is_digit = self.chunk[pos].is_ascii_hexdigit();
        if is_digit {
            self.document.tokenizer.check_string_limit(at)?;
        } else {
            let fault = Fault::new(ErrorKind::InvalidEscape, at, "expected four hexadecimal digits");
            self.tolerate(DeviationKind::BadEscapes, fault)?;
        }
        if is_digit && missing > 1 {
            self.lenient.step = Step::LoneLow(missing - 1);
            return Ok(pos + 1);
        }
        self.lenient.step = Step::Strict;
        self.put(REPLACEMENT, self.lenient.at)?;
        Ok(pos + usize::from(is_digit))
    }

    pub(super) fn open_single_quotes(&mut self, fault: Fault, pos: usize) -> Result<usize, Fault> {
        let at = self.tolerate(DeviationKind::SingleQuotes, fault)?;
        self.put(b"\"", at)?;
        self.lenient.is_single_quoted = true;
        Ok(pos + 1)
    }

    /// Reads a string in single quotes, where double quotes are plain characters.
    pub(super) fn single_quotes(&mut self, pos: usize) -> Result<usize, Fault> {
        // Inside an escape or a multi-byte character.
        if self.tokenizer().state() != State::String {
            return self.raw_or_deviate(pos, pos + 1);
        }
        // Raw control characters are deviations, so each piece is read to its end, and no byte is searched twice.
        let is_special = |&byte: &u8| matches!(byte, b'\'' | b'"' | b'\\' | ..b' ');
        let plain = self.chunk[pos..].iter().position(is_special).map_or(self.chunk.len(), |len| pos + len);
        if plain > pos {
            return self.raw_or_deviate(pos, plain);
        }
        let at = self.at(pos);
        match self.chunk[pos] {
            b'\'' => {
                self.put(b"\"", at)?;
                self.lenient.is_single_quoted = false;
            }
            b'"' => {
                self.document.tokenizer.check_string_limit(at)?;
                self.put(b"\\\"", at)?;
            }
            _ => return self.raw_or_deviate(pos, pos + 1),
        }
        Ok(pos + 1)
    }
}
