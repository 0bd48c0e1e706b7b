//! Numbers (RFC 8259 §6): checked against the grammar, reported as a whole, never interpreted.

use super::utf8::ascii_text;
use super::{Interest, Read, Sink, State, Tokenizer, ValueKind};
use crate::error::{ErrorKind, Fault};

/// The kind of a number's last byte; the comments list what may follow.
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
    /// A digit after the point: more of them, `e`, or the end.
    Fraction,
    /// `e` or `E`: a sign or a digit.
    E,
    /// The exponent's sign: a digit.
    Sign,
    /// A digit of the exponent: more of them, or the end.
    Exponent,
}

impl Part {
    /// Returns the kind of `byte`, if it may follow.
    #[inline(always)]
    fn next(self, byte: u8) -> Option<Self> {
        Some(match (byte, self) {
            (b'0', Self::Start | Self::Minus) => Self::Zero,
            (b'0'..=b'9', Self::Start | Self::Minus | Self::Integer) => Self::Integer,
            (b'0'..=b'9', Self::Point | Self::Fraction) => Self::Fraction,
            (b'0'..=b'9', Self::E | Self::Sign | Self::Exponent) => Self::Exponent,
            (b'-', Self::Start) => Self::Minus,
            (b'.', Self::Zero | Self::Integer) => Self::Point,
            (b'e' | b'E', Self::Zero | Self::Integer | Self::Fraction) => Self::E,
            (b'+' | b'-', Self::E) => Self::Sign,
            _ => return None,
        })
    }

    /// Reads a number from `pos` on. Returns the kind of its last byte, and the place after it.
    #[inline(always)]
    fn read(mut self, text: &[u8], mut pos: usize) -> (Self, usize) {
        while let Some(&byte) = text.get(pos) {
            let Some(next) = self.next(byte) else { break };
            self = next;
            pos += 1;
            // After the first digit of a part, only zero is not followed by any others.
            if self.may_end() && self != Self::Zero {
                while text.get(pos).is_some_and(u8::is_ascii_digit) {
                    pos += 1;
                }
            }
        }
        (self, pos)
    }

    /// Returns true if the number may end before `byte`.
    #[inline(always)]
    fn may_end_before(self, byte: u8) -> bool {
        self.may_end() && self.next(byte).is_none() && !(self == Self::Zero && byte.is_ascii_digit())
    }

    #[inline]
    fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Exponent)
    }
}

/// The number that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenNumber {
    part: Part,
    is_followed: bool,
}

impl OpenNumber {
    pub(super) fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Returns true if only the minus has been read.
    pub(super) fn is_minus(&self) -> bool {
        self.part == Part::Minus
    }

    /// Returns a number prefix that is in the same state.
    pub(super) fn some_text(&self) -> &'static str {
        match self.part {
            Part::Start => "",
            Part::Minus => "-",
            Part::Zero => "0",
            Part::Integer => "1",
            Part::Point => "0.",
            Part::Fraction => "0.1",
            Part::E => "0e",
            Part::Sign => "0e+",
            Part::Exponent => "0e1",
        }
    }

    /// Returns true if the number may end here.
    pub(super) fn is_whole(&self) -> bool {
        self.part.may_end()
    }
}

impl Tokenizer {
    /// Reads a number of at most `most` bytes from its first byte on.
    #[inline(never)]
    pub(super) fn begin_number(&mut self, chunk: &[u8], pos: usize, most: u64, sink: &mut dyn Sink) -> Read {
        let at = self.at(pos);
        if most == 0 {
            return Err(too_long(at));
        }
        let is_followed = self.is_followed() && sink.begin_atom(ValueKind::Number, at)? == Interest::Follow;
        self.number = OpenNumber { part: Part::Start, is_followed };
        self.limit = at.saturating_add(most);
        self.state = State::Number;
        self.scratch.clear();
        self.number(chunk, pos, sink)
    }

    /// Continues a number; `start` is the place of its first byte in this chunk.
    #[inline(never)]
    pub(super) fn number(&mut self, chunk: &[u8], start: usize, sink: &mut dyn Sink) -> Read {
        // Only bytes within the limit are part of the number.
        let within = self.within(self.limit, chunk);
        let (part, pos) = self.number.part.read(&chunk[..within], start);
        if let Some(&byte) = chunk.get(pos) {
            if !part.may_end_before(byte) {
                return Err(self.bad_number(part, &chunk[start..pos], byte, pos));
            }
            self.end_number(&chunk[start..pos], self.at(pos), sink)?;
            return Ok(pos);
        }
        self.number.part = part;
        if self.number.is_followed {
            self.scratch.push_str(ascii_text(&chunk[start..]));
        }
        Ok(pos)
    }

    /// Returns the error for `byte` in a number. Keeps the number's text before it for [`Self::open_atom`].
    #[cold]
    #[inline(never)]
    fn bad_number(&mut self, part: Part, read: &[u8], byte: u8, pos: usize) -> Fault {
        if self.number.is_followed {
            self.scratch.push_str(ascii_text(read));
        }
        self.number.part = part;
        let at = self.at(pos);
        if part.next(byte).is_some() {
            return too_long(at);
        }
        let is_zero = part == Part::Zero && byte.is_ascii_digit();
        let expected = if is_zero { "expected no digit after a leading zero" } else { "expected a digit" };
        Fault::new(ErrorKind::InvalidNumber, at, expected)
    }

    /// Ends the number whose last bytes are `rest`; `end` is the offset after them.
    pub(super) fn end_number(&mut self, rest: &[u8], end: u64, sink: &mut dyn Sink) -> Result<(), Fault> {
        if self.number.is_followed {
            if self.scratch.is_empty() {
                sink.end_atom(ascii_text(rest), end)?;
            } else {
                self.scratch.push_str(ascii_text(rest));
                sink.end_atom(&self.scratch, end)?;
            }
        }
        self.state = State::AfterValue;
        Ok(())
    }
}

/// Returns the end of the number that begins at `start`, if it is valid and another byte follows.
#[inline(never)]
pub(super) fn number_end(text: &[u8], start: usize) -> Option<usize> {
    let (part, end) = Part::Start.read(text, start);
    text.get(end).filter(|&&byte| part.may_end_before(byte)).map(|_| end)
}

fn too_long(offset: u64) -> Fault {
    Fault::new(ErrorKind::NumberLimit, offset, "expected no longer number than allowed")
}
