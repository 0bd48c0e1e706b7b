//! Going on past a deviation inside a string, for code that only shows text: raw control characters, invalid escapes,
//! lone surrogates. This is off by default. The text is malformed all the same, and each deviation is reported.

use super::escape::EscapeStep;
use super::{OnDeviation, Sink, State, Tokenizer};
use crate::error::{ErrorKind, Fault};

/// What is shown for a character that can't be decoded.
const REPLACEMENT: &str = "\u{FFFD}";

impl Tokenizer {
    /// Reports a fault if it may be passed over, and returns it otherwise.
    pub(super) fn pass<S: Sink>(&self, fault: Fault, sink: &mut S) -> Result<(), Fault> {
        let is_deviation =
            matches!(fault.kind, ErrorKind::ControlCharacter | ErrorKind::InvalidEscape | ErrorKind::LoneSurrogate);
        if self.on_deviation == OnDeviation::Stop || !is_deviation {
            return Err(fault);
        }
        let (line, column) = self.line_and_column(fault.offset);
        sink.deviation(&fault, line, column);
        Ok(())
    }

    /// Passes over a deviation in an escape and tells what is shown for it. Returns whether the byte at `pos` belongs
    /// to the escape; if it does not, it is read again in the new state.
    #[cold]
    pub(super) fn pass_escape<S: Sink>(&mut self, fault: Fault, pos: usize, sink: &mut S) -> Result<bool, Fault> {
        let at = self.at(pos);
        match self.escape.step {
            EscapeStep::Letter => {
                self.pass(fault, sink)?;
                self.state = State::String;
                self.tell("\\", at - 1, sink)?;
                Ok(false)
            }
            EscapeStep::PairBackslash => {
                self.pass(fault, sink)?;
                self.state = State::String;
                self.tell_lone_surrogate(at - 6, sink)?;
                Ok(false)
            }
            EscapeStep::PairU => {
                self.pass(fault, sink)?;
                self.escape.step = EscapeStep::Letter;
                self.tell_lone_surrogate(at - 7, sink)?;
                Ok(false)
            }
            EscapeStep::Hex { digits, code } => {
                let is_bad_digit = fault.kind == ErrorKind::InvalidEscape;
                let escape_at = at - 2 - u64::from(digits);
                let has_high = self.escape.high != 0;
                self.pass(fault, sink)?;
                if has_high {
                    self.tell_lone_surrogate(escape_at - 6, sink)?;
                }
                if is_bad_digit {
                    self.state = State::String;
                    self.tell(REPLACEMENT, escape_at, sink)?;
                } else if !has_high {
                    // A lone low surrogate: its escape is read to the end, and told then.
                    self.check_limit(pos)?;
                    self.escape.step = EscapeStep::Hex { digits: digits + 1, code: code << 4 | 0xC };
                    return Ok(true);
                }
                Ok(false)
            }
        }
    }

    fn tell_lone_surrogate<S: Sink>(&mut self, at: u64, sink: &mut S) -> Result<(), Fault> {
        self.escape.high = 0;
        self.tell(REPLACEMENT, at, sink)
    }

    /// Passes over a raw control character in a run, which is shown as itself.
    #[cold]
    pub(super) fn pass_control<S: Sink>(
        &mut self,
        fault: Fault,
        byte: u8,
        pos: usize,
        sink: &mut S,
    ) -> Result<(), Fault> {
        self.pass(fault, sink)?;
        self.check_limit(pos)?;
        self.tell(char::from(byte).encode_utf8(&mut [0; 4]), self.at(pos), sink)
    }
}
