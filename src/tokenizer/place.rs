//! A tokenizer's place between two chunks, in a form that saved state can restore: the kind of place, bytes that lead
//! to it, and the counters.

use alloc::vec::Vec;

use super::limits::OwnLimits;
use super::nest::Nest;
use super::{Limits, State, Tokenizer};
use crate::error::Impossible;

/// The part of the text that is expected next, or that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A value: the root, a member's value, or an element after a comma.
    Value,
    /// The first child of a container, or its end.
    First,
    /// A key after a comma.
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
    /// Nothing: the tokenizer is closed.
    Closed,
}

/// The counters of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) offset: u64,
    pub(crate) lines: u64,
    pub(crate) line_start: u64,
    /// The number of bytes read of the open key, string or number, or of white space between tokens, if it is limited.
    /// Otherwise 0.
    pub(crate) len: u64,
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

    /// Returns the open containers.
    pub(crate) fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Returns true if only white space has been read.
    pub(crate) fn is_before_root(&self) -> bool {
        self.state == State::Value && self.nest.depth() == 0
    }

    /// Returns the decoded text of the open key, or an empty string unless a key is open and followed.
    pub(crate) fn open_key(&self) -> &str {
        if self.place() == Place::Key { &self.scratch } else { "" }
    }

    /// Appends bytes equivalent to the unreported part of the open token. (A number that is not followed is replaced by
    /// a prefix in the same state.)
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
        let start = match self.most() {
            (u64::MAX, _) => None,
            _ if self.is_between_tokens() => self.limits.blank_start(self.offset),
            (most, quote) => Some(self.limit.saturating_sub(most).saturating_sub(quote)),
        };
        let len = start.map_or(0, |start| self.offset.saturating_sub(start));
        Progress { offset: self.offset, lines: self.lines, line_start: self.line_start, len }
    }

    fn is_between_tokens(&self) -> bool {
        !matches!(self.place(), Place::Key | Place::String | Place::Atom | Place::Closed)
    }

    /// Returns the length limit of what [`Progress::len`] counts, and the length of an opening quote that is not limited.
    fn most(&self) -> (u64, u64) {
        match self.place() {
            Place::Key => (self.limits.key, 1),
            Place::String => (self.limits.string, 1),
            Place::Atom if self.state == State::Number => (self.limits.number, 0),
            Place::Atom | Place::Closed => (u64::MAX, 0),
            _ => (self.limits.blank, 0),
        }
    }

    /// Sets the offset of the next byte; the rest of the open string's limit stays. Fails inside an escape, a UTF-8
    /// sequence, a number or a literal, where no bytes can have been left out.
    pub(crate) fn set_offset(&mut self, offset: u64) -> Result<(), Impossible> {
        let is_inside = matches!(self.state, State::Escape | State::Utf8 | State::Number | State::Literal);
        Impossible::ensure(!is_inside)?;
        let moved = |limit: u64| offset.saturating_add(limit.saturating_sub(self.offset));
        if !self.refuses_string_pieces() {
            self.string.room = moved(self.string.room);
        }
        self.limit = moved(self.limit);
        self.offset = offset;
        Ok(())
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        let blank = self.limits.blank_start(self.offset).map(|start| start..self.offset);
        self.limits = OwnLimits::new(limits);
        self.limits.set_blank(blank.unwrap_or_default());
    }

    /// Restores the counters of a text. Fails if they contradict each other or exceed the limits. The rest of a
    /// limit never grows.
    pub(crate) fn resume(&mut self, progress: Progress) -> Result<(), Impossible> {
        let Progress { offset, lines, line_start, len } = progress;
        let (most, quote) = self.most();
        let is_limited = most != u64::MAX;
        // A token has at least one byte.
        let is_len_possible = if self.is_between_tokens() { is_limited || len == 0 } else { is_limited == (len > 0) };
        let start = offset.checked_sub(len).ok_or(Impossible)?;
        Impossible::ensure(
            is_len_possible
                && len <= most.saturating_add(quote)
                && offset <= self.limits.total
                && line_start <= offset
                // Every counted line feed lies before the line's start.
                && lines <= line_start
                && (lines > 0 || line_start == 0),
        )?;
        (self.offset, self.lines, self.line_start) = (offset, lines, line_start);
        if self.is_between_tokens() {
            let start = self.limits.blank_start(offset).map_or(start, |read| start.min(read));
            self.limits.set_blank(start..offset);
            return Ok(());
        }
        let limit = self.limit.min(start.saturating_add(quote).saturating_add(most));
        self.limit = limit;
        if self.state != State::Number {
            // The room may already be reduced, where plain pieces are refused.
            self.string.room = self.string.room.min(limit).min(self.limits.total);
        }
        Ok(())
    }
}
