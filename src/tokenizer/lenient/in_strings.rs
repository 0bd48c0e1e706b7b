//! Deviations inside a string: raw control characters, invalid escapes, lone surrogates.

use super::Step;
use crate::error::{DeviationKind, ErrorKind, Fault};
use crate::tokenizer::escape::EscapeStep;
use crate::tokenizer::{Sink, State, Tokenizer};

/// What is shown for a character that can't be decoded.
const REPLACEMENT: &str = "\u{FFFD}";
const ESCAPED_REPLACEMENT: &str = "\\ufffd";

impl Tokenizer {
    /// Reports a fault in a string if it is a deviation that is allowed, and returns it otherwise.
    fn pass_in_string<S: Sink>(&self, fault: Fault, sink: &mut S) -> Result<(), Fault> {
        let kind = match fault.kind {
            ErrorKind::ControlCharacter => DeviationKind::ControlCharacters,
            ErrorKind::InvalidEscape => DeviationKind::BadEscapes,
            ErrorKind::LoneSurrogate => DeviationKind::LoneSurrogates,
            _ => return Err(fault),
        };
        // Whatever it is that parts a high surrogate from its partner: it is alone then.
        if self.escape.high != 0 && self.state == State::Escape && !self.allows(DeviationKind::LoneSurrogates) {
            return Err(fault);
        }
        self.pass(kind, fault, sink)
    }

    /// Passes over a deviation in an escape and tells what is shown for it. Returns whether the byte at `pos` belongs
    /// to the escape; if it does not, it is read again in the new state.
    #[cold]
    pub(in crate::tokenizer) fn pass_escape<S: Sink>(
        &mut self,
        fault: Fault,
        byte: u8,
        pos: usize,
        sink: &mut S,
    ) -> Result<bool, Fault> {
        let ends_pair = matches!(self.escape.step, EscapeStep::PairU);
        if byte == b'\'' && self.is_single_quoted() && (ends_pair || matches!(self.escape.step, EscapeStep::Letter)) {
            return self.escaped_quote(pos, sink);
        }
        let at = self.at(pos);
        match self.escape.step {
            EscapeStep::Letter => {
                self.pass_in_string(fault, sink)?;
                self.state = State::String;
                self.rewrite(at, at, "\\", sink);
                self.tell("\\", at - 1, sink)?;
                Ok(false)
            }
            EscapeStep::PairBackslash => {
                self.pass_in_string(fault, sink)?;
                self.state = State::String;
                self.tell_lone_surrogate(at - 6, sink)?;
                Ok(false)
            }
            EscapeStep::PairU => {
                self.pass_in_string(fault, sink)?;
                self.escape.step = EscapeStep::Letter;
                self.tell_lone_surrogate(at - 7, sink)?;
                Ok(false)
            }
            EscapeStep::Hex { digits, .. } => {
                let is_bad_digit = fault.kind == ErrorKind::InvalidEscape;
                let escape_at = at - 2 - u64::from(digits);
                let has_high = self.escape.high != 0;
                self.pass_in_string(fault, sink)?;
                if has_high {
                    self.tell_lone_surrogate(escape_at - 6, sink)?;
                }
                if is_bad_digit {
                    self.state = State::String;
                    self.rewrite(escape_at, at, ESCAPED_REPLACEMENT, sink);
                    self.tell(REPLACEMENT, escape_at, sink)?;
                } else if !has_high {
                    // A lone low surrogate: its escape is read to the end, and told then.
                    self.check_limit(pos)?;
                    self.lenient_state().at = escape_at;
                    self.enter(Step::LoneLow(2));
                    return Ok(true);
                }
                Ok(false)
            }
        }
    }

    /// The last two digits of a low surrogate that is alone.
    pub(super) fn lone_low<S: Sink>(
        &mut self,
        missing: u8,
        chunk: &[u8],
        pos: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        let is_digit = chunk[pos].is_ascii_hexdigit();
        if is_digit {
            self.check_limit(pos)?;
        } else {
            let fault = Fault::new(ErrorKind::InvalidEscape, self.at(pos), "expected four hexadecimal digits");
            self.pass_in_string(fault, sink)?;
        }
        if is_digit && missing > 1 {
            self.enter(Step::LoneLow(missing - 1));
            return Ok(pos + 1);
        }
        let at = self.lenient_state().at;
        self.state = State::String;
        let end = pos + usize::from(is_digit);
        self.rewrite(at, self.at(end), ESCAPED_REPLACEMENT, sink);
        self.tell(REPLACEMENT, at, sink)?;
        Ok(end)
    }

    pub(super) fn tell_lone_surrogate<S: Sink>(&mut self, at: u64, sink: &mut S) -> Result<(), Fault> {
        self.escape.high = 0;
        self.rewrite(at, at + 6, ESCAPED_REPLACEMENT, sink);
        self.tell(REPLACEMENT, at, sink)
    }

    /// Passes over a raw control character in a run, which is shown as itself.
    #[cold]
    pub(in crate::tokenizer) fn pass_control<S: Sink>(
        &mut self,
        fault: Fault,
        byte: u8,
        pos: usize,
        sink: &mut S,
    ) -> Result<(), Fault> {
        self.pass_in_string(fault, sink)?;
        self.check_limit(pos)?;
        let mut escaped = *b"\\u0000";
        escaped[4] += byte >> 4;
        escaped[5] = b"0123456789abcdef"[usize::from(byte & 0xF)];
        self.rewrite(self.at(pos), self.at(pos) + 1, str::from_utf8(&escaped).unwrap_or_default(), sink);
        self.tell(char::from(byte).encode_utf8(&mut [0; 4]), self.at(pos), sink)
    }
}
