//! The changes that a [translator](crate::parser) of nearly-JSON makes to the tokenizer that reads what it writes: it
//! says where in the text as it came the next byte stands, puts bytes that stand for others, and takes back the few
//! that it had to let pass before it knew better. No strict text needs any of this.

use super::escape::OpenEscape;
use super::literal::OpenLiteral;
use super::number::OpenNumber;
use super::{Sink, State, Tokenizer};
use crate::error::Fault;

impl Tokenizer {
    pub(crate) fn state(&self) -> State {
        self.state
    }

    pub(crate) fn is_in_string(&self) -> bool {
        self.state.is_in_string()
    }

    /// The escape that is being read.
    pub(crate) fn open_escape(&self) -> Option<OpenEscape> {
        (self.state == State::Escape).then_some(self.escape)
    }

    /// Only the minus of a number has come.
    pub(crate) fn is_in_minus(&self) -> bool {
        self.state == State::Number && self.number.is_minus()
    }

    /// The next byte that is read stands at this offset.
    pub(crate) fn seek(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// Reads bytes that stand for what is at an offset; no limit counts them.
    pub(crate) fn put(&mut self, bytes: &[u8], at: u64, sink: &mut dyn Sink) -> Result<(), Fault> {
        let limit = self.is_in_string().then(|| core::mem::replace(&mut self.limit, u64::MAX));
        self.offset = at;
        let read = self.read_dyn(bytes, sink);
        if let Some(limit) = limit {
            self.limit = limit;
        }
        read
    }

    /// Fails if a byte at offset `at` exceeds the limit of the open string.
    pub(crate) fn check_string_limit(&mut self, at: u64) -> Result<(), Fault> {
        self.offset = at;
        self.check_limit(0)
    }

    /// The open escape has not come.
    pub(crate) fn take_back_escape(&mut self) {
        self.escape = OpenEscape::default();
        self.state = State::String;
    }

    /// The comma that was read last has not come.
    pub(crate) fn take_back_comma(&mut self) {
        self.state = State::AfterValue;
    }

    /// The minus that was read last was the first letter of `null`.
    pub(crate) fn take_minus_for_null(&mut self) {
        self.literal = OpenLiteral::null_begun(self.number.is_followed());
        self.number = OpenNumber::default();
        self.scratch.clear();
        self.state = State::Literal;
    }

    /// A line feed that is not read ends a line; the next one begins at this offset.
    pub(crate) fn begin_line(&mut self, at: u64) {
        self.lines += 1;
        self.line_start = at;
    }
}
