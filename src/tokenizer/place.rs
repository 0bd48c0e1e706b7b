//! A tokenizer's place between two chunks, as what another one would have to read to get there; and the counters, which
//! do not come from what is read last.

use alloc::vec::Vec;

use super::limits::OwnLimits;
use super::nest::Nest;
use super::{Limits, State, Tokenizer};
use crate::error::Impossible;

/// The thing that comes next, or that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A value: the root, a member's, or an element behind a comma.
    Value,
    /// A child of a container that has none yet, or its end.
    First,
    /// A key behind a comma.
    NextKey,
    Colon,
    AfterValue,
    /// Nothing: the root has ended.
    Done,
    /// More of a key.
    Key,
    /// More of a string that is a value.
    String,
    /// More of a number or literal.
    Atom,
    /// Nothing is read any more.
    Closed,
}

/// The progress of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) offset: u64,
    pub(crate) lines: u64,
    pub(crate) line_start: u64,
    /// The offset at which the open key, string or number begins, if that is limited.
    pub(crate) token_start: Option<u64>,
}

impl Tokenizer {
    pub(crate) fn place(&self) -> Place {
        match self.state {
            State::String | State::Escape | State::Utf8 if self.string.is_key() => Place::Key,
            State::String | State::Escape | State::Utf8 => Place::String,
            State::Number | State::Literal => Place::Atom,
            State::Value => Place::Value,
            State::FirstElement | State::FirstKey => Place::First,
            State::NextKey => Place::NextKey,
            State::Colon => Place::Colon,
            State::AfterValue if self.is_done() => Place::Done,
            State::AfterValue => Place::AfterValue,
            State::Closed => Place::Closed,
        }
    }

    /// The open containers.
    pub(crate) fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Returns true if nothing but white space has come.
    pub(crate) fn is_before_root(&self) -> bool {
        self.state == State::Value && self.nest.depth() == 0
    }

    /// Returns the decoded text of the open key, if somebody follows it.
    pub(crate) fn open_key(&self) -> &str {
        if self.place() == Place::Key { &self.scratch } else { "" }
    }

    /// Appends the last bytes: what of the open token has not been reported, as some text of the same length has it. (A
    /// number that nobody follows may be another one, which goes on in the same ways.)
    pub(crate) fn push_tail(&self, out: &mut Vec<u8>) {
        match self.state {
            State::Escape => self.escape.push(out),
            State::Utf8 => out.extend_from_slice(self.carry.as_bytes()),
            State::Number if self.number.is_followed() => out.extend_from_slice(self.scratch.as_bytes()),
            State::Number => out.extend_from_slice(self.number.some_text().as_bytes()),
            State::Literal => out.extend_from_slice(self.literal.so_far().as_bytes()),
            State::Value | State::FirstElement | State::FirstKey | State::NextKey | State::Colon => {}
            State::AfterValue | State::String | State::Closed => {}
        }
    }

    pub(crate) fn progress(&self) -> Progress {
        let (most, quote) = self.most(&self.limits);
        let token_start = (most != u64::MAX).then(|| self.limit.saturating_sub(most).saturating_sub(quote));
        Progress { offset: self.offset, lines: self.lines, line_start: self.line_start, token_start }
    }

    /// How long the open key, string or number may be, and how much of it comes before what is counted.
    fn most(&self, limits: &Limits) -> (u64, u64) {
        match self.place() {
            Place::Key => (limits.key, 1),
            Place::String => (limits.string, 1),
            Place::Atom if self.state == State::Number => (limits.number, 0),
            _ => (u64::MAX, 0),
        }
    }

    /// Sets the offset of the next byte. Fails inside anything but a string's plain text: elsewhere nothing can have
    /// been left out.
    pub(crate) fn set_offset(&mut self, offset: u64) -> Result<(), Impossible> {
        let is_inside = matches!(self.state, State::Escape | State::Utf8 | State::Number | State::Literal);
        Impossible::unless(!is_inside)?;
        self.offset = offset;
        Ok(())
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = OwnLimits::new(limits);
    }

    /// Resumes a text that has come so far. Fails if the limits do not allow that.
    pub(crate) fn resume(&mut self, progress: Progress) -> Result<(), Impossible> {
        let Progress { offset, lines, line_start, token_start } = progress;
        let (most, quote) = self.most(&self.limits);
        let limit = token_start.map_or(u64::MAX, |start| start.saturating_add(quote).saturating_add(most));
        Impossible::unless(
            token_start.is_some() == (most != u64::MAX)
                && offset <= self.limits.total
                && offset <= limit
                && token_start.is_none_or(|start| start < offset)
                && line_start <= offset
                // Each line feed that was counted lies before the line's start.
                && lines <= line_start
                && (lines > 0 || line_start == 0),
        )?;
        (self.offset, self.lines, self.line_start, self.limit) = (offset, lines, line_start, limit);
        if self.state != State::Number {
            // Where plain text is refused, there is no room for it.
            self.string.room = self.string.room.min(limit).min(self.limits.total);
        }
        Ok(())
    }
}
