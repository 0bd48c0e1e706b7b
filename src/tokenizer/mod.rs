//! The resumable tokenizer: bytes in at any cut, tokens out to a [`Sink`], and the exact first bad byte.
//!
//! If you work here, this is the one idea to know: *nothing looks ahead of the chunk*. Whatever can span an edge is a
//! [`State`], and each state has one function that reads as far as it can and leaves the state it stopped in:
//!
//! | states | function | file |
//! |---|---|---|
//! | between tokens | `value`, `member`, `colon`, `comma_or_end`, `trailing` | `structure.rs` |
//! | inside quotes | `string_run` | `string.rs` |
//! | inside a UTF-8 sequence that an edge cuts | `utf8` | `string.rs`, `utf8.rs` |
//! | inside an escape | `escape` | `escape.rs` |
//! | inside a number | `number` | `number.rs` |
//! | inside `true`, `false`, `null` | `literal` | `literal.rs` |
//!
//! Two loops read the usual text faster, and stop before anything else, where these functions go on: `short.rs` short
//! chunks, `skip.rs` what nobody follows in long ones.
//!
//! Grammar and limits are checked here, in one place, whether or not anybody listens: skipping validates. What values
//! mean, where they are and who wants them is not known here.

#[cfg(not(target_family = "wasm"))]
mod blocks;
mod escape;
mod limits;
mod literal;
mod nest;
mod number;
mod place;
mod scan;
#[cfg(not(target_family = "wasm"))]
mod short;
mod sink;
#[cfg(not(target_family = "wasm"))]
mod skip;
mod string;
mod structure;
#[cfg(all(test, not(target_family = "wasm")))]
mod tests;
mod translation;
mod utf8;
mod words;

use alloc::string::String;
use core::num::NonZeroUsize;

pub use self::escape::unescaped;
pub(crate) use self::escape::{EscapeStep, OpenEscape};
pub use self::limits::Limits;
use self::limits::OwnLimits;
use self::literal::OpenLiteral;
use self::nest::Nest;
use self::number::OpenNumber;
pub(crate) use self::place::{Place, Progress};
pub(crate) use self::scan::plain_len;
pub use self::scan::string_len;
#[cfg(not(target_family = "wasm"))]
pub(crate) use self::short::ShortChunk;
pub use self::sink::ValueKind;
pub(crate) use self::sink::{Interest, KeyFilter, LONGEST_SKIPPED, Sink};
use self::string::OpenString;
use self::utf8::Utf8Carry;
pub use self::utf8::floor_char_boundary;
pub(crate) use self::utf8::{Utf8Rest, ascii_text, valid_prefix};
pub(crate) use self::words::{PieceText, ascii_beginning, is_short_plain_ascii};
use crate::error::{ErrorKind, Fault};

/// The thing that the next byte is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// A value must begin: at the root, after a colon, after a comma in an array.
    #[default]
    Value,
    /// After `[`: a value or the end.
    FirstElement,
    /// After `{`: a key or the end.
    FirstKey,
    /// After a comma in an object: a key.
    NextKey,
    /// After a key.
    Colon,
    /// After a value inside a container.
    AfterValue,
    /// After the root.
    Done,
    /// Inside quotes, between characters.
    String,
    /// Inside quotes, after a backslash.
    Escape,
    /// Inside quotes, inside a UTF-8 sequence that was cut by the end of the last chunk.
    Utf8,
    Number,
    Literal,
    /// Before a byte that is not allowed in the state that it came in. What begins with such a byte all the same, as a
    /// new kind of white space would, is read from here, where it costs nothing else anything.
    Stopped,
    /// After the end of input, or after an error.
    Closed,
}

impl State {
    /// True if it is one inside quotes.
    // No state is left to a wildcard here or in `place.rs`: a new one is named by the compiler wherever it counts.
    #[inline]
    pub(crate) fn is_in_string(self) -> bool {
        match self {
            Self::String | Self::Escape | Self::Utf8 => true,
            Self::Value | Self::FirstElement | Self::FirstKey | Self::NextKey | Self::Colon => false,
            Self::AfterValue | Self::Done | Self::Number | Self::Literal | Self::Stopped | Self::Closed => false,
        }
    }
}

/// Everything the tokenizer remembers between two chunks.
#[derive(Clone, Debug)]
pub(crate) struct Tokenizer {
    state: State,
    /// The offset of the current chunk's first byte; between chunks, of the next one's.
    offset: u64,
    nest: Nest,
    skipped: Skipped,
    /// The offset of the first byte that would be one too many in the open string or number.
    limit: u64,
    string: OpenString,
    escape: OpenEscape,
    carry: Utf8Carry,
    number: OpenNumber,
    literal: OpenLiteral,
    /// The beginning of a key or number that is not in one piece in the chunk.
    scratch: String,
    /// The number of line feeds that have passed as white space or in comments, and the offset after the last one.
    lines: u64,
    line_start: u64,
    limits: OwnLimits,
    after_root: AfterRoot,
    /// How many single bytes the last chunks were that were no pieces.
    single_bytes: u8,
    /// The length of the next chunk if it is expected to be a single byte; else that of none.
    expected_len: NonZeroUsize,
    /// The state that an unexpected byte came in.
    stopped_in: State,
}

/// The treatment of bytes after the root value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterRoot {
    /// They are part of the text, so they must be white space.
    Check,
    /// They are left to the caller.
    Stop,
}

/// The thing that is being skipped: a container, a member's value, or nothing.
///
/// In one word, since every value asks for it: twice the depth around the value, and one more for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skipped(usize);

impl Skipped {
    pub(crate) const NOTHING: Self = Self(usize::MAX);

    /// The container that is open at a depth, of which the outermost has 0.
    #[inline]
    pub(crate) fn container(depth: usize) -> Self {
        Self(2 * depth)
    }

    /// Returns true if it ends where the innermost of so many containers does.
    #[inline]
    fn ends_with(self, depth: usize) -> bool {
        self.0 == 2 * depth + 1 || self.0.wrapping_add(2) == 2 * depth
    }

    /// The value of a member of the innermost of so many containers.
    #[inline]
    pub(crate) fn member(depth: usize) -> Self {
        Self(2 * depth + 1)
    }
}

impl Tokenizer {
    #[inline(never)]
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            state: State::Value,
            offset: 0,
            nest: Nest::default(),
            skipped: Skipped::NOTHING,
            limit: 0,
            string: OpenString::default(),
            escape: OpenEscape::default(),
            carry: Utf8Carry::default(),
            number: OpenNumber::default(),
            literal: OpenLiteral::default(),
            scratch: String::new(),
            lines: 0,
            line_start: 0,
            limits: OwnLimits::new(limits),
            after_root: AfterRoot::Check,
            single_bytes: 0,
            expected_len: NonZeroUsize::MAX,
            stopped_in: State::Value,
        }
    }

    /// Sets whether bytes after the root value are left unread.
    ///
    /// If they are, the offset is how far a chunk was read. A number at the root ends before the first byte after it.
    pub(crate) fn stop_after_root(&mut self, stops: bool) {
        self.after_root = if stops { AfterRoot::Stop } else { AfterRoot::Check };
    }

    /// Returns true if the root value has closed, and what follows is left unread.
    pub(crate) fn is_at_stop(&self) -> bool {
        self.state == State::Done && self.after_root == AfterRoot::Stop
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
    }

    /// Returns the number of bytes that have been read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Nothing more is read: the text has failed or is finished.
    pub(crate) fn close(&mut self) {
        self.state = State::Closed;
    }

    /// Returns true if the root value has closed.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Returns true if a string that is a value, or an atom, is open.
    pub(crate) fn is_in_leaf(&self) -> bool {
        match self.state {
            state if state.is_in_string() => self.string.is_value(),
            state => matches!(state, State::Number | State::Literal),
        }
    }

    /// Returns true if the root value is a number that may go on.
    pub(crate) fn is_in_root_number(&self) -> bool {
        self.state == State::Number && self.nest.depth() == 0
    }

    /// Returns the text so far of the number that is being read, or the whole text of the literal that is, if it is
    /// followed. Between two chunks and after an error.
    pub(crate) fn open_atom(&self) -> Option<&str> {
        match self.state {
            State::Number => self.number.is_followed().then_some(&self.scratch),
            State::Literal => self.literal.followed(),
            _ => None,
        }
    }

    /// Line and column, from 1, of a byte in the last line that has begun: lines before it are not remembered.
    pub(crate) fn line_and_column(&self, offset: u64) -> (u64, u64) {
        (self.lines + 1, offset.saturating_sub(self.line_start) + 1)
    }

    /// Reads a chunk.
    // Always inlined, as `read` is: each kind of sink has one caller of it. Where all have one kind, there are several.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn feed<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> Result<(), Fault> {
        self.feed_skipping(chunk, false, sink)
    }

    /// Returns true if [`Self::feed_dyn`] is faster than [`Self::feed`]: in a chunk of some length, or where something
    /// is being skipped that a short one may not end.
    #[inline]
    pub(crate) fn is_long(&self, chunk: &[u8]) -> bool {
        // A small WebAssembly module has one way through a text.
        !cfg!(target_family = "wasm") && chunk.len() >= 16 && (!self.is_followed() || chunk.len() >= 256)
    }

    /// The same for all sinks: compiled once, for long chunks, and texts that are not read often. What nobody follows
    /// is passed over by [`Self::skip`].
    #[inline(never)]
    pub(crate) fn feed_dyn(&mut self, chunk: &[u8], mut sink: &mut dyn Sink) -> Result<(), Fault> {
        self.feed_skipping(chunk, self.is_long(chunk) && sink.skips(), &mut sink)
    }

    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn feed_skipping<S: Sink>(&mut self, chunk: &[u8], skips: bool, sink: &mut S) -> Result<(), Fault> {
        // The limit is checked before the byte is looked at; what came before it still counts.
        let room = usize::try_from(self.limits.total() - self.offset).unwrap_or(usize::MAX);
        let (within, beyond) = chunk.split_at_checked(room).unwrap_or((chunk, &[]));
        self.read(within, skips, sink)?;
        if beyond.is_empty() { Ok(()) } else { self.exceed_total(beyond, sink) }
    }

    /// All bytes that are allowed have been read, and there are more.
    #[cold]
    fn exceed_total<S: Sink>(&mut self, beyond: &[u8], sink: &mut S) -> Result<(), Fault> {
        if self.after_root == AfterRoot::Stop && self.ends_before(beyond, sink)? {
            return Ok(());
        }
        Err(Fault::new(ErrorKind::TotalLimit, self.offset, "expected no more bytes than allowed"))
    }

    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn read<S: Sink>(&mut self, chunk: &[u8], skips: bool, sink: &mut S) -> Result<(), Fault> {
        let mut pos = 0;
        while pos < chunk.len() {
            #[cfg(not(target_family = "wasm"))]
            if skips && let Some(wanted) = self.may_skip(sink) {
                let skipped = self.skip(chunk, pos, wanted);
                if let Some(quote) = skipped.first_key {
                    sink.skip_keys(self.at(quote), skipped.comma.map(|comma| self.at(comma)));
                }
                pos = skipped.to;
                if pos == chunk.len() {
                    break;
                }
            }
            pos = match self.state {
                State::Value | State::FirstElement => self.value(chunk, pos, sink)?,
                State::FirstKey | State::NextKey => self.member(chunk, pos, sink)?,
                State::Colon => self.colon(chunk, pos),
                State::AfterValue => self.comma_or_end(chunk, pos, sink)?,
                State::Done if self.after_root == AfterRoot::Stop => break,
                State::Done | State::Closed => self.trailing(chunk, pos),
                State::String => self.string_run(chunk, pos, sink)?,
                State::Escape => self.escape(chunk, pos, sink)?,
                State::Utf8 => self.utf8(chunk, pos, sink)?,
                State::Number => self.number(chunk, pos, sink)?,
                State::Literal => self.literal(chunk, pos, sink)?,
                State::Stopped => return Err(self.unexpected(pos)),
            };
        }
        self.offset += pos as u64;
        Ok(())
    }

    /// Ends a number at the root if `beyond`, the bytes past the total limit, begins with a byte that can't belong to
    /// it. Returns whether the root value has ended.
    #[cold]
    fn ends_before<S: Sink>(&mut self, beyond: &[u8], sink: &mut S) -> Result<bool, Fault> {
        let is_whole_number = self.state == State::Number && self.nest.depth() == 0 && self.number.is_whole();
        if is_whole_number && beyond.first().is_some_and(|&next| may_follow_atom(next)) {
            self.end_number(&[], self.offset, sink)?;
        }
        Ok(self.is_done())
    }

    /// The end of input: ends a root number, or says that the text is incomplete.
    pub(crate) fn finish<S: Sink>(&mut self, sink: &mut S) -> Result<(), Fault> {
        if self.state == State::Number && self.nest.depth() == 0 && self.number.is_whole() {
            self.end_number(&[], self.offset, sink)?;
        }
        if self.state == State::Done {
            return Ok(());
        }
        let expected = match self.state {
            state if state.is_in_string() => "expected the rest of a string",
            State::Number => "expected the rest of a number, or what follows it",
            State::Literal => self.literal.expected(),
            between => structure::expected(between, self.nest.in_object()),
        };
        Err(Fault::new(ErrorKind::Incomplete, self.offset, expected))
    }

    /// The absolute offset of `chunk[pos]`.
    fn at(&self, pos: usize) -> u64 {
        self.offset + pos as u64
    }

    /// Returns true if what is here is reported to the sink.
    fn is_followed(&self) -> bool {
        self.skipped == Skipped::NOTHING
    }

    /// The state after a value that has just ended.
    fn after_value(&self) -> State {
        if self.nest.depth() == 0 { State::Done } else { State::AfterValue }
    }
}

/// Returns true for a byte that may stand between two tokens (RFC 8259 §2).
#[inline]
pub(crate) fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns true if a byte behind a number or literal is surely not meant as part of it: white space, or a structural
/// character.
pub(crate) fn may_follow_atom(byte: u8) -> bool {
    is_white_space(byte) || matches!(byte, b'"' | b'[' | b']' | b'{' | b'}' | b',' | b':')
}
