//! The resumable tokenizer: bytes in at any cut, tokens out to a [`Sink`], and the exact first bad byte.
//!
//! The main idea: *nothing looks ahead of the chunk*. Everything that a chunk's end can cut is a [`State`], and one
//! function per state reads as much as it can and sets the state it stopped in:
//!
//! | states | function | file |
//! |---|---|---|
//! | between tokens | `read`, which calls all others | `reader.rs`, `blank.rs` |
//! | inside quotes | `string` | `string.rs` |
//! | inside a UTF-8 sequence that an edge cuts | `utf8` | `string.rs`, `utf8.rs` |
//! | inside an escape | `escape` | `escape.rs` |
//! | inside a number | `number` | `number.rs` |
//! | inside `true`, `false`, `null` | `literal` | `literal.rs` |
//!
//! Grammar and limits are checked only here, also in skipped values. The tokenizer knows nothing about paths, patterns
//! or the meaning of values.

mod blank;
mod escape;
mod limits;
mod literal;
mod nest;
mod number;
mod place;
mod reader;
mod sink;
mod stops;
mod string;
#[cfg(test)]
mod tests;
mod translation;
mod utf8;

use alloc::string::String;

pub(crate) use self::blank::{is_white_space, may_follow_atom};
pub(crate) use self::escape::{EscapeStep, OpenEscape};
pub use self::escape::{unescaped, whole_escape};
pub use self::limits::Limits;
use self::limits::OwnLimits;
use self::literal::OpenLiteral;
use self::nest::Nest;
use self::number::OpenNumber;
pub(crate) use self::place::{Place, Progress};
use self::sink::SkipSink;
pub use self::sink::ValueKind;
pub(crate) use self::sink::{Interest, KeyFilter, LONGEST_SKIPPED, Sink};
pub use self::stops::string_len;
pub(crate) use self::stops::{Stops, plain_len};
use self::string::OpenString;
use self::utf8::Utf8Carry;
pub use self::utf8::floor_char_boundary;
pub(crate) use self::utf8::{AsciiBlock, BLOCK, NO_TEXT, Utf8Rest, ascii_part, ascii_text, valid_prefix};
use crate::error::{ErrorKind, Fault};

/// The position in the grammar at which the next byte is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// After `{`: a key or the end.
    FirstKey,
    /// After a comma in an object: a key.
    NextKey,
    /// After a key.
    Colon,
    /// A value must begin: at the root, after a colon, after a comma in an array.
    #[default]
    Value,
    /// After `[`: a value or the end.
    FirstElement,
    /// Inside quotes, between characters.
    String,
    /// Inside quotes, after a backslash.
    Escape,
    /// Inside quotes, inside a UTF-8 sequence that was cut by the end of the last chunk.
    Utf8,
    Number,
    Literal,
    /// After the end of input, or after an error.
    Closed,
    /// After a value: the root, or one inside a container.
    AfterValue,
}

impl State {
    /// Returns true for the states inside quotes.
    // Here and in `place.rs`, no wildcard hides a state, so the compiler points at each place that a new one affects.
    #[inline]
    pub(crate) fn is_in_string(self) -> bool {
        match self {
            Self::String | Self::Escape | Self::Utf8 => true,
            Self::Value | Self::FirstElement | Self::FirstKey | Self::NextKey | Self::Colon => false,
            Self::AfterValue | Self::Number | Self::Literal | Self::Closed => false,
        }
    }
}

/// The role of the open string: a member's name or a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Key,
    Value,
}

/// The result of reading a part of a chunk: the place after the last byte that was read.
type Read = Result<usize, Fault>;

/// Everything the tokenizer remembers between two chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokenizer {
    state: State,
    /// The offset of the current chunk's first byte; between chunks, of the next one's.
    offset: u64,
    nest: Nest,
    skipped: Skipped,
    /// The offset at which a byte of the open string or number would exceed its limit.
    limit: u64,
    string: OpenString,
    escape: OpenEscape,
    carry: Utf8Carry,
    number: OpenNumber,
    literal: OpenLiteral,
    /// The beginning of a key or number that is not in one piece in the chunk.
    scratch: String,
    /// The number of line feeds read as white space or in comments, and the offset after the last one.
    lines: u64,
    line_start: u64,
    limits: OwnLimits,
    after_root: AfterRoot,
}

/// The treatment of bytes after the root value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AfterRoot {
    /// They are part of the text, so they must be white space.
    #[default]
    Check,
    /// They are left to the caller.
    Stop,
}

/// The value that is being skipped: a container, a member's value, or none.
///
/// One word, because it is checked for every value: twice the depth around the value, plus one for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skipped(usize);

impl Default for Skipped {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl Skipped {
    pub(crate) const NOTHING: Self = Self(usize::MAX);

    /// Skips the container that is open at `depth`; the outermost has depth 0.
    #[inline]
    pub(crate) fn container(depth: usize) -> Self {
        Self(2 * depth)
    }

    /// Returns true if the skipped value ends with the innermost of `depth` containers.
    #[inline]
    fn ends_with(self, depth: usize) -> bool {
        self.0 == 2 * depth + 1 || self.0.wrapping_add(2) == 2 * depth
    }

    /// Skips the value of a member of the innermost of `depth` containers.
    #[inline]
    pub(crate) fn member(depth: usize) -> Self {
        Self(2 * depth + 1)
    }
}

impl Tokenizer {
    #[inline(never)]
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits: OwnLimits::new(limits), ..Self::default() }
    }

    /// Sets whether bytes after the root value are left unread.
    ///
    /// If they are, the offset is how far a chunk was read. A number at the root ends before the first byte after it.
    pub(crate) fn stop_after_root(&mut self, stops: bool) {
        self.after_root = if stops { AfterRoot::Stop } else { AfterRoot::Check };
    }

    /// Returns true if the root value has closed and the following bytes are left unread.
    pub(crate) fn is_at_stop(&self) -> bool {
        self.is_done() && self.after_root == AfterRoot::Stop
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Forgets the text, but keeps the limits and the buffers.
    pub(crate) fn reset(&mut self) {
        self.state = State::Value;
        self.offset = 0;
        self.nest.clear();
        self.skipped = Skipped::NOTHING;
        self.scratch.clear();
        self.lines = 0;
        self.line_start = 0;
        self.limits.reset();
    }

    /// Returns the number of bytes that have been read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Closes the tokenizer, after an error or the end of input.
    pub(crate) fn close(&mut self) {
        self.state = State::Closed;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Returns true if the root value has closed.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::AfterValue && self.nest.depth() == 0
    }

    /// Returns true if a string that is a value, or an atom, is open.
    pub(crate) fn is_in_leaf(&self) -> bool {
        match self.state {
            state if state.is_in_string() => !self.string.is_key(),
            state => matches!(state, State::Number | State::Literal),
        }
    }

    /// Returns true if the root value is an open number.
    pub(crate) fn is_in_root_number(&self) -> bool {
        self.state == State::Number && self.nest.depth() == 0
    }

    /// Returns the text so far of the open number, or the whole text of the open literal, if it is followed. Valid
    /// between two chunks and after an error.
    pub(crate) fn open_atom(&self) -> Option<&str> {
        match self.state {
            State::Number => self.number.is_followed().then_some(&self.scratch),
            State::Literal => self.literal.followed(),
            _ => None,
        }
    }

    /// Returns the line and column, from 1, of a byte in the current line. Earlier lines are not remembered.
    pub(crate) fn line_and_column(&self, offset: u64) -> (u64, u64) {
        (self.lines + 1, offset.saturating_sub(self.line_start) + 1)
    }

    /// Reads a chunk, up to the total limit.
    #[inline]
    pub(crate) fn feed(&mut self, chunk: &mut Stops<'_>, sink: &mut dyn Sink) -> Result<(), Fault> {
        let is_within = chunk.chunk().len() as u64 <= self.limits.total() - self.offset;
        if is_within { self.feed_unlimited(chunk, sink) } else { self.feed_limited(chunk.chunk(), sink) }
    }

    #[cold]
    fn feed_limited(&mut self, chunk: &[u8], sink: &mut dyn Sink) -> Result<(), Fault> {
        // The limit is checked before the byte at it is judged; the bytes before it are read as usual.
        let (within, beyond) = chunk.split_at((self.limits.total() - self.offset) as usize);
        let start = self.offset;
        self.feed_unlimited(&mut Stops::of(within), sink)?;
        if self.after_root == AfterRoot::Stop && self.ends_before(beyond, sink)? {
            return Ok(());
        }
        // As after any other error, the offset is that of the chunk's first byte.
        let limit = core::mem::replace(&mut self.offset, start);
        Err(Fault::new(ErrorKind::TotalLimit, limit, "expected no more bytes than allowed"))
    }

    /// Reads a chunk without checking the total limit.
    // Not inlined: the loop is compiled once for all sinks.
    #[inline(never)]
    fn feed_unlimited(&mut self, chunk: &mut Stops<'_>, sink: &mut dyn Sink) -> Result<(), Fault> {
        self.offset += self.read::<_, false>(chunk, 0, sink)? as u64;
        Ok(())
    }

    /// Ends a number at the root if `beyond`, the bytes past the total limit, begins with a byte that can't belong to
    /// it. Returns whether the root value has ended.
    #[cold]
    fn ends_before(&mut self, beyond: &[u8], sink: &mut dyn Sink) -> Result<bool, Fault> {
        if self.is_in_root_number()
            && self.number.is_whole()
            && beyond.first().is_some_and(|&next| may_follow_atom(next))
        {
            self.end_number(&[], self.offset, sink)?;
        }
        Ok(self.is_done())
    }

    /// Ends the input: closes a root number, or fails if the text is incomplete.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), Fault> {
        if self.is_in_root_number() && self.number.is_whole() {
            self.end_number(&[], self.offset, sink)?;
        }
        if self.is_done() {
            return Ok(());
        }
        let expected = match self.state {
            state if state.is_in_string() => "expected the rest of a string",
            State::Number => "expected the rest of a number or its end",
            State::Literal => self.literal.expected(),
            between => self.expected(between),
        };
        Err(Fault::new(ErrorKind::Incomplete, self.offset, expected))
    }

    /// Returns the absolute offset of `chunk[pos]`.
    fn at(&self, pos: usize) -> u64 {
        self.offset + pos as u64
    }

    /// Returns true if nothing is being skipped, so that tokens are reported to the sink.
    fn is_followed(&self) -> bool {
        self.skipped == Skipped::NOTHING
    }
}
