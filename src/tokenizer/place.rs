//! Where a tokenizer is between two chunks, as what another one would have to read to get there; and the counters, which
//! do not come from what is read last.

use alloc::vec::Vec;

use super::escape::EscapeStep;
use super::nest::Nest;
use super::{Limits, State, Tokenizer};

/// What comes next, or what is open.
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

impl Place {
    fn between(state: State) -> Self {
        match state {
            State::FirstElement | State::FirstKey => Self::First,
            State::NextKey => Self::NextKey,
            State::Colon => Self::Colon,
            State::AfterValue => Self::AfterValue,
            State::Done => Self::Done,
            State::Closed => Self::Closed,
            _ => Self::Value,
        }
    }
}

/// How far a text has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) offset: u64,
    pub(crate) lines: u64,
    pub(crate) line_start: u64,
    /// Where the open key, string or number begins, if that is limited.
    pub(crate) token_start: Option<u64>,
}

impl Tokenizer {
    pub(crate) fn place(&self) -> Place {
        match self.state {
            State::String | State::Escape | State::Utf8 if self.string.is_key() => Place::Key,
            State::String | State::Escape | State::Utf8 => Place::String,
            State::Number | State::Literal => Place::Atom,
            between => Place::between(between),
        }
    }

    /// The open containers.
    pub(crate) fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Whether nothing but white space has come.
    pub(crate) fn is_before_root(&self) -> bool {
        self.state == State::Value && self.nest.depth() == 0
    }

    /// What has been decoded of the open key, if somebody follows it.
    pub(crate) fn open_key(&self) -> &str {
        if self.place() == Place::Key { &self.scratch } else { "" }
    }

    /// Appends the last bytes: what of the open token has not been reported, as some text has it.
    pub(crate) fn push_tail(&self, out: &mut Vec<u8>) {
        match self.state {
            State::Escape => self.escape.push(out),
            State::Utf8 => out.extend_from_slice(self.carry.as_bytes()),
            State::Number if self.number.is_followed() => out.extend_from_slice(self.scratch.as_bytes()),
            State::Number => out.extend_from_slice(self.number.some_text().as_bytes()),
            State::Literal => out.extend_from_slice(self.literal.so_far().as_bytes()),
            _ => {}
        }
    }

    pub(crate) fn progress(&self) -> Progress {
        let (limit, most, quote) = match self.place() {
            Place::Key => (self.string.limit, self.limits.key, 1),
            Place::String => (self.string.limit, self.limits.string, 1),
            Place::Atom if self.state == State::Number => (self.number.limit, self.limits.number, 0),
            _ => (0, u64::MAX, 0),
        };
        let token_start = (most != u64::MAX).then(|| limit.saturating_sub(most).saturating_sub(quote));
        Progress { offset: self.offset, lines: self.lines, line_start: self.line_start, token_start }
    }

    /// Goes on at another offset: between tokens, or between two characters of a string, where anything may have been left
    /// out. Returns whether that is where it is.
    pub(crate) fn jump(&mut self, offset: u64) -> bool {
        self.offset = offset;
        !matches!(self.state, State::Escape | State::Utf8 | State::Number | State::Literal)
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Goes on as a text that has come so far, under these limits. Returns whether they allow that.
    pub(crate) fn go_on(&mut self, limits: Limits, progress: Progress) -> bool {
        let Progress { offset, lines, line_start, token_start } = progress;
        (self.limits, self.offset, self.lines, self.line_start) = (limits, offset, lines, line_start);
        let (most, quote) = match self.place() {
            Place::Key => (limits.key, 1),
            Place::String => (limits.string, 1),
            Place::Atom if self.state == State::Number => (limits.number, 0),
            _ => (u64::MAX, 0),
        };
        if token_start.is_some() != (most != u64::MAX) {
            return false;
        }
        let limit = token_start.map_or(u64::MAX, |start| start.saturating_add(quote).saturating_add(most));
        if self.state == State::Number {
            self.number.limit = limit;
        } else {
            self.string.limit = limit;
            // Where plain text is refused, there is no room for it.
            self.string.room = self.string.room.min(limit).min(limits.total);
        }
        offset <= limits.total
            && (token_start.is_none() || offset <= limit)
            && token_start.is_none_or(|start| start < offset)
            && line_start <= offset
            // Each line feed that was counted lies before the line's start.
            && lines <= line_start
            && (lines > 0 || line_start == 0)
    }
}

impl super::escape::OpenEscape {
    /// What has been read of it.
    fn push(self, out: &mut Vec<u8>) {
        let mut push_hex = |code: u16, digits: u8| {
            out.extend_from_slice(b"\\u");
            let all = [12, 8, 4, 0].map(|shift| b"0123456789abcdef"[usize::from(code >> shift & 0xF)]);
            out.extend_from_slice(&all[usize::from(4 - digits)..]);
        };
        if self.high != 0 {
            push_hex(self.high, 4);
        }
        match self.step {
            EscapeStep::Letter | EscapeStep::PairU => out.push(b'\\'),
            EscapeStep::PairBackslash => {}
            EscapeStep::Hex { digits, code } => push_hex(code, digits),
        }
    }
}
