//! Numbers (RFC 8259 §6): checked byte by byte, told whole, never interpreted.

use super::utf8::ascii_text;
use super::{Interest, Sink, State, Tokenizer, ValueKind};
use crate::error::{ErrorKind, Fault};

/// What the last byte of a number was; the comment says what may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// Nothing yet: a minus or a digit.
    #[default]
    Start,
    /// `-`: a digit.
    Minus,
    /// A leading `0`: `.`, `e`, or the end.
    Zero,
    /// A digit before the point: more of them, `.`, `e`, or the end.
    Integer,
    /// `.`: a digit.
    Point,
    /// A digit behind the point: more of them, `e`, or the end.
    Fraction,
    /// `e` or `E`: a sign or a digit.
    E,
    /// The exponent's sign: a digit.
    Sign,
    /// A digit of the exponent: more of them, or the end.
    Exponent,
}

/// The number that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenNumber {
    part: Part,
    /// The offset of the first byte that would be one too many.
    limit: u64,
    is_followed: bool,
}

impl OpenNumber {
    /// Whether the number may end here.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.part, Part::Zero | Part::Integer | Part::Fraction | Part::Exponent)
    }
}

impl Tokenizer {
    #[inline]
    pub(super) fn begin_number<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let at = self.at(pos);
        if self.limits.number == 0 {
            return Err(too_long(at));
        }
        let is_followed = self.is_followed() && sink.begin_atom(ValueKind::Number, at)? == Interest::Follow;
        self.number = OpenNumber { part: Part::Start, limit: at.saturating_add(self.limits.number), is_followed };
        self.state = State::Number;
        self.scratch.clear();
        self.number(chunk, pos, sink)
    }

    /// Reads on in a number; `start` is the place of its first byte in this chunk.
    #[inline]
    pub(super) fn number<S: Sink>(&mut self, chunk: &[u8], start: usize, sink: &mut S) -> Result<usize, Fault> {
        let mut pos = start;
        while let Some(&byte) = chunk.get(pos) {
            let next = match (self.number.part, byte) {
                (Part::Start, b'-') => Part::Minus,
                (Part::Start | Part::Minus, b'0') => Part::Zero,
                (Part::Start | Part::Minus | Part::Integer, b'0'..=b'9') => Part::Integer,
                (Part::Zero | Part::Integer, b'.') => Part::Point,
                (Part::Point | Part::Fraction, b'0'..=b'9') => Part::Fraction,
                (Part::Zero | Part::Integer | Part::Fraction, b'e' | b'E') => Part::E,
                (Part::E, b'+' | b'-') => Part::Sign,
                (Part::E | Part::Sign | Part::Exponent, b'0'..=b'9') => Part::Exponent,
                (Part::Zero, b'0'..=b'9') => {
                    let expected = "expected no digit behind a leading zero";
                    return Err(Fault::new(ErrorKind::InvalidNumber, self.at(pos), expected));
                }
                _ if self.number.is_whole() => {
                    self.end_number(&chunk[start..pos], self.at(pos), sink)?;
                    return Ok(pos);
                }
                _ => return Err(Fault::new(ErrorKind::InvalidNumber, self.at(pos), "expected a digit")),
            };
            if self.at(pos) >= self.number.limit {
                return Err(too_long(self.at(pos)));
            }
            self.number.part = next;
            pos += 1;
        }
        if self.number.is_followed {
            self.scratch.push_str(ascii_text(&chunk[start..]));
        }
        Ok(pos)
    }

    /// Ends the number whose last bytes are `rest`; `end` is the offset behind them.
    pub(super) fn end_number<S: Sink>(&mut self, rest: &[u8], end: u64, sink: &mut S) -> Result<(), Fault> {
        if self.number.is_followed {
            if self.scratch.is_empty() {
                sink.end_atom(ascii_text(rest), end)?;
            } else {
                self.scratch.push_str(ascii_text(rest));
                sink.end_atom(&self.scratch, end)?;
            }
        }
        self.state = self.after_value();
        Ok(())
    }
}

fn too_long(offset: u64) -> Fault {
    Fault::new(ErrorKind::NumberLimit, offset, "expected no longer number than allowed")
}
