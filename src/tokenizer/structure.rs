//! Between tokens: white space, brackets, commas, colons, and the first byte of every value (RFC 8259 §2).

use super::{Interest, Sink, Skipped, State, Tokenizer, ValueKind, is_white_space};
use crate::error::{ErrorKind, Fault};

impl Tokenizer {
    /// The first byte of a value, or the bracket that closes an empty array.
    #[inline]
    pub(super) fn value<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let pos = self.white_space(chunk, pos);
        let Some(&byte) = chunk.get(pos) else { return Ok(pos) };
        match ValueKind::of_first_byte(byte) {
            Some(ValueKind::String) => self.begin_value_string(pos, sink),
            Some(kind @ (ValueKind::Object | ValueKind::Array)) => self.open_container(kind, pos, sink),
            Some(ValueKind::Number) => self.begin_number(chunk, pos, sink),
            Some(kind @ (ValueKind::Bool | ValueKind::Null)) => self.begin_literal(kind, chunk, pos, sink),
            None if byte == b']' && self.state == State::FirstElement => Ok(self.close_container(pos, sink)),
            None => Ok(self.stop(pos)),
        }
    }

    /// The quote that begins a key, or the bracket that closes an empty object.
    #[inline]
    pub(super) fn member<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let pos = self.white_space(chunk, pos);
        match chunk.get(pos) {
            None => Ok(pos),
            Some(b'"') => self.begin_key(chunk, pos, sink),
            Some(b'}') if self.state == State::FirstKey => Ok(self.close_container(pos, sink)),
            Some(_) => Ok(self.stop(pos)),
        }
    }

    /// The colon after a key.
    #[inline]
    pub(super) fn colon(&mut self, chunk: &[u8], pos: usize) -> usize {
        let pos = self.white_space(chunk, pos);
        match chunk.get(pos) {
            None => pos,
            Some(b':') => {
                self.state = State::Value;
                pos + 1
            }
            Some(_) => self.stop(pos),
        }
    }

    /// The comma or closing bracket after a value.
    #[inline]
    pub(super) fn comma_or_end<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let pos = self.white_space(chunk, pos);
        let in_object = self.nest.in_object();
        match chunk.get(pos) {
            None => Ok(pos),
            Some(b',') => Ok(self.comma(pos, sink)),
            Some(b'}') if in_object => Ok(self.close_container(pos, sink)),
            Some(b']') if !in_object => Ok(self.close_container(pos, sink)),
            Some(_) => Ok(self.stop(pos)),
        }
    }

    #[inline(always)]
    pub(super) fn comma<S: Sink>(&mut self, pos: usize, sink: &mut S) -> usize {
        self.state = if self.nest.in_object() { State::NextKey } else { State::Value };
        self.end_skipped(Skipped::member(self.nest.depth()));
        if self.is_followed() {
            sink.comma(self.at(pos));
        }
        pos + 1
    }

    /// White space after the root.
    #[inline]
    pub(super) fn trailing(&mut self, chunk: &[u8], pos: usize) -> usize {
        let pos = self.white_space(chunk, pos);
        if pos == chunk.len() { pos } else { self.stop(pos) }
    }

    /// The byte at `pos` is not allowed in this state. A state of its own says so, since an error from here would cost
    /// every byte of white space an instruction.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, pos: usize) -> usize {
        self.stopped_in = self.state;
        self.state = State::Stopped;
        pos
    }

    /// The byte at `pos` was not allowed in the state that it came in, which is the state again.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&mut self, pos: usize) -> Fault {
        self.state = self.stopped_in;
        self.unexpected_at(self.at(pos))
    }

    /// The byte at an offset is not allowed in this state.
    #[cold]
    pub(crate) fn unexpected_at(&self, at: u64) -> Fault {
        let kind = if self.state == State::Done { ErrorKind::TrailingBytes } else { ErrorKind::UnexpectedByte };
        Fault::new(kind, at, expected(self.state, self.nest.in_object()))
    }

    /// Reads white space. Lines are counted here, because a line feed is allowed nowhere else.
    #[inline]
    pub(super) fn white_space(&mut self, chunk: &[u8], mut pos: usize) -> usize {
        while let Some(&byte) = chunk.get(pos) {
            if byte > b' ' {
                break;
            }
            if byte == b'\n' {
                self.lines += 1;
                self.line_start = self.at(pos) + 1;
            } else if !is_white_space(byte) {
                break;
            }
            pos += 1;
        }
        pos
    }

    #[inline(always)]
    pub(super) fn open_container<S: Sink>(
        &mut self,
        kind: ValueKind,
        pos: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        let depth = self.nest.depth();
        if depth >= self.limits.depth {
            return Err(Fault::new(ErrorKind::DepthLimit, self.at(pos), "expected no deeper nesting than allowed"));
        }
        if self.is_followed() && sink.begin_container(kind, self.at(pos))? == Interest::Skip {
            self.skipped = Skipped::container(depth);
        }
        if kind == ValueKind::Object {
            self.nest.push_object();
            self.state = State::FirstKey;
        } else {
            self.nest.push_array();
            self.state = State::FirstElement;
        }
        Ok(pos + 1)
    }

    #[inline]
    pub(super) fn close_container<S: Sink>(&mut self, pos: usize, sink: &mut S) -> usize {
        let kind = if self.nest.in_object() { ValueKind::Object } else { ValueKind::Array };
        self.end_skipped(Skipped::member(self.nest.depth()));
        self.nest.pop();
        self.end_skipped(Skipped::container(self.nest.depth()));
        if self.is_followed() {
            sink.end_container(kind, self.at(pos) + 1);
        }
        self.state = self.after_value();
        pos + 1
    }
}

impl Tokenizer {
    /// Reports a whole key; what is in its value may be skipped.
    #[inline]
    pub(super) fn report_key<S: Sink>(&mut self, key: &str, quote: u64, sink: &mut S) -> Result<(), Fault> {
        if sink.key(key, quote)? == Interest::Skip {
            self.skipped = Skipped::member(self.nest.depth());
        }
        Ok(())
    }

    /// Ends the skipped part, if it is this.
    #[inline]
    fn end_skipped(&mut self, skipped: Skipped) {
        if self.skipped == skipped {
            self.skipped = Skipped::NOTHING;
        }
    }
}

/// Returns the expected text in a state between tokens, for messages.
pub(super) fn expected(state: State, in_object: bool) -> &'static str {
    match state {
        State::FirstElement => "expected a value or `]`",
        State::FirstKey => "expected a key or `}`",
        State::NextKey => "expected a key",
        State::Colon => "expected `:`",
        State::AfterValue if in_object => "expected `,` or `}`",
        State::AfterValue => "expected `,` or `]`",
        State::Done => "expected nothing but white space after the value",
        State::Value => "expected a value",
        // Not between tokens.
        State::String | State::Escape | State::Utf8 | State::Number | State::Literal => "expected the rest of a value",
        State::Stopped | State::Closed => "expected nothing more",
    }
}
