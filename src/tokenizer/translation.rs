//! Operations for the [translator](crate::parser) of lenient parsers: it sets the offset of the next byte in the
//! original text, puts strict JSON in place of original bytes, and takes back bytes that were read before a deviation
//! was known. Strict parsers do not use them.

use super::escape::OpenEscape;
use super::literal::OpenLiteral;
use super::number::OpenNumber;
use super::{Sink, State, Stops, Tokenizer};
use crate::error::Fault;

impl Tokenizer {
    pub(crate) fn state(&self) -> State {
        self.state
    }

    pub(crate) fn is_in_string(&self) -> bool {
        self.state.is_in_string()
    }

    /// Returns the open escape, if there is one.
    pub(crate) fn open_escape(&self) -> Option<OpenEscape> {
        (self.state == State::Escape).then_some(self.escape)
    }

    /// Returns true if the minus of a number is the last byte that was read.
    pub(crate) fn is_in_minus(&self) -> bool {
        self.state == State::Number && self.number.is_minus()
    }

    /// Sets the offset of the next byte.
    pub(crate) fn seek(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// Reads a piece of the text, or its end. A piece that replaces other text does not count towards limits.
    pub(crate) fn read_piece(
        &mut self,
        piece: Option<&[u8]>,
        is_replacement: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), Fault> {
        let Some(bytes) = piece else { return self.finish(sink) };
        if !is_replacement {
            return self.feed(&mut Stops::of(bytes), sink);
        }
        let limit = self.is_in_string().then(|| core::mem::replace(&mut self.limit, u64::MAX));
        let read = self.feed_unlimited(&mut Stops::of(bytes), sink);
        self.limit = limit.unwrap_or(self.limit);
        read
    }

    /// Fails if a byte at offset `at` exceeds the limit of the open string.
    pub(crate) fn check_string_limit(&mut self, at: u64) -> Result<(), Fault> {
        self.offset = at;
        self.check_limit(0)
    }

    /// Discards the open escape.
    pub(crate) fn take_back_escape(&mut self) {
        self.escape = OpenEscape::default();
        self.state = State::String;
    }

    /// Discards the comma that was read last.
    pub(crate) fn take_back_comma(&mut self) {
        self.state = State::AfterValue;
    }

    /// Replaces the minus that was read last with the first letter of `null`.
    pub(crate) fn take_minus_for_null(&mut self) {
        self.literal = OpenLiteral::null_begun(self.number.is_followed());
        self.number = OpenNumber::default();
        self.scratch.clear();
        self.state = State::Literal;
    }

    /// Counts a line feed that the tokenizer did not read; the next line begins at `at`.
    pub(crate) fn begin_line(&mut self, at: u64) {
        self.lines += 1;
        self.line_start = at;
    }
}
