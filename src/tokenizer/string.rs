//! Strings and keys (RFC 8259 §7): runs of plain characters, and UTF-8 sequences across edges. Escapes that may be cut
//! are read in `escape.rs`.
//!
//! [`Tokenizer::string_run`] takes everything up to the next special byte at once. What may be cut anywhere is read
//! byte by byte.
//!
//! # How a run is read
//!
//! `string_run` is the loop of it: a run of plain bytes, then the byte that ended it, then the next run. What is not
//! obvious:
//!
//! - *The search stops at the limit.* `within` is how much of the chunk lies within the string's limit, and a run is
//!   searched in `chunk[..within]` only. So a run that ends at `within` has no special byte after it, but simply the
//!   next byte of the text, which is one too many, unless it is the closing quote, which does not count.
//!   `chunk.get(end)` sees that byte, and `judge_special` prefers to say that it is invalid, if it is: a byte that
//!   can't be there at all is reported as that. For the same reason the letter of an escape is looked up in
//!   `chunk[..within]`, and `check_limit` comes after it.
//! - *A character may be cut by the chunk's end or by the limit.* Both look the same to `valid_prefix`: a viable
//!   beginning at the end of the bytes. It is carried into the state `Utf8`, which tells the two apart with its next
//!   byte.
//! - *What nobody follows is not reported, but UTF-8 is checked all the same.* Only a run that is ASCII and not
//!   followed is passed over without a look.
//! - *Each piece is reported before the next byte is judged.* When an error comes, everything before it has been
//!   reported.

use core::num::NonZeroUsize;
use core::ops::Range;
use core::{mem, str};

use super::escape::{OpenEscape, unescape, unescape_unicode};
use super::scan;
use super::utf8::{self, Utf8Carry, Utf8Prefix, Utf8Rest, Utf8Step, ascii_character, ascii_text};
use super::words::{PieceText, ShortText, Words};
use super::{Interest, Sink, State, Tokenizer};
use crate::error::{ErrorKind, Fault};

/// The role of the open string: a member's name or a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Key,
    Value,
}

/// The meaning of a chunk that lies inside the open string to the layers above.
pub(crate) enum StringPiece {
    /// Nothing: nobody follows the string, or it is a key, which is reported as a whole.
    Unreported,
    /// New text of a value, and its offset: one character, which nobody has to copy.
    Character(&'static str, u64),
    /// Up to sixteen characters, and others behind them.
    Characters([u8; 16], u64),
}

impl StringPiece {
    /// The text and its offset, of a chunk of so many bytes.
    #[inline(always)]
    pub(crate) fn text(&self, len: usize) -> Option<(PieceText<'_>, u64)> {
        Some(match self {
            Self::Unreported => return None,
            Self::Character(character, at) => (PieceText::Character(character), *at),
            Self::Characters(bytes, at) => (PieceText::Characters(ShortText::new(bytes, len)?), *at),
        })
    }
}

/// The string that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenString {
    role: Role,
    /// True if anybody wants the decoded text.
    pub(super) is_followed: bool,
    /// The largest length of plain text: the smaller of the string's limit and the limit on the total.
    pub(super) room: u64,
    /// True if it is followed only by [`Tokenizer::take_string_piece`].
    is_lent: bool,
}

impl OpenString {
    /// Returns true if it is a value, and not a key.
    pub(super) fn is_value(&self) -> bool {
        self.role == Role::Value
    }
}

/// After so many single bytes in a row that are no pieces, the next chunk is taken for one, too.
const SINGLE_BYTES: u8 = 4;

impl Tokenizer {
    #[inline]
    pub(super) fn begin_key<S: Sink>(&mut self, chunk: &[u8], quote: usize, sink: &mut S) -> Result<usize, Fault> {
        let start = quote + 1;
        let limit = self.at(start).saturating_add(self.limits.key);
        let within = self.within(limit, chunk);
        let run = scan::run(&chunk[..within], start);
        let is_followed = self.is_followed();
        // The usual key, plain and not cut, needs no state.
        if run.is_ascii && chunk.get(run.end) == Some(&b'"') {
            if is_followed {
                self.report_key(ascii_text(&chunk[start..run.end]), self.at(run.end), sink)?;
            }
            // Neither does its colon.
            if chunk.get(run.end + 1) == Some(&b':') {
                self.state = State::Value;
                return Ok(run.end + 2);
            }
            self.state = State::Colon;
            return Ok(run.end + 1);
        }
        self.open_string(Role::Key, is_followed, limit);
        Ok(start)
    }

    #[inline(always)]
    pub(super) fn begin_value_string<S: Sink>(&mut self, quote: usize, sink: &mut S) -> Result<usize, Fault> {
        let is_followed = self.is_followed() && sink.begin_string(self.at(quote))? == Interest::Follow;
        let start = quote + 1;
        let limit = self.at(start).saturating_add(self.limits.string);
        self.open_string(Role::Value, is_followed, limit);
        Ok(start)
    }

    /// Reads a chunk that is short and plain, inside the open string and not inside a character of it: the usual case
    /// while a model writes, which has a fast path through the parser. Returns `None`, and reads nothing, if the chunk
    /// is anything else.
    ///
    /// `keep` is called with the chunk's offset before anything is read, so that the text can be kept first.
    #[inline(always)]
    pub(crate) fn take_string_piece(&mut self, chunk: &[u8], keep: impl FnOnce(u64)) -> Option<StringPiece> {
        let at = self.offset;
        let end = at + chunk.len() as u64;
        if self.state != State::String || end > self.string.room {
            return None;
        }
        // A byte at a time is how some models' characters come. One among longer chunks is not worth a guess, so it is
        // not asked for if it is not expected.
        if chunk.len() == self.expected_len.get() {
            let byte = *chunk.first()?;
            if !scan::is_plain_ascii(byte) {
                return None;
            }
            keep(at);
            self.offset = end;
            if !self.string.is_followed {
                return Some(StringPiece::Unreported);
            }
            let character = ascii_character(byte);
            if self.string.role == Role::Key {
                self.scratch.push_str(character);
                return Some(StringPiece::Unreported);
            }
            return Some(StringPiece::Character(character, at));
        }
        let words = Words::of(chunk);
        if !words.are_plain() {
            return None;
        }
        keep(at);
        self.offset = end;
        if !self.string.is_followed {
            return Some(StringPiece::Unreported);
        }
        let bytes = words.ordered(chunk.len());
        if self.string.role == Role::Key {
            if let Some(text) = ShortText::new(&bytes, chunk.len()) {
                text.push_to(&mut self.scratch);
            }
            return Some(StringPiece::Unreported);
        }
        Some(StringPiece::Characters(bytes, at))
    }

    /// A chunk comes that is no piece.
    #[inline(always)]
    pub(crate) fn note_len(&mut self, len: usize) {
        if len != 1 {
            (self.single_bytes, self.expected_len) = (0, NonZeroUsize::MAX);
        } else if self.single_bytes < SINGLE_BYTES {
            self.single_bytes += 1;
            if self.single_bytes == SINGLE_BYTES {
                self.expected_len = NonZeroUsize::MIN;
            }
        }
    }

    /// Makes [`Self::take_string_piece`] return `None` until the open string has ended.
    pub(crate) fn refuse_string_pieces(&mut self) {
        // Nothing ends at offset 1 inside a string.
        self.string.room = self.string.room.min(1);
    }

    /// Makes [`Self::take_string_piece`] return the text of the open string even if nobody follows that. Returns false
    /// if that can't be, as the string is a key.
    #[inline]
    pub(crate) fn lend_string(&mut self) -> bool {
        if self.state != State::String {
            return true;
        }
        let is_value = self.string.role == Role::Value;
        if is_value && !self.string.is_followed {
            (self.string.is_followed, self.string.is_lent) = (true, true);
        }
        is_value
    }

    /// Takes that back, as it has to be before anything else is read.
    #[inline]
    pub(crate) fn return_string(&mut self) {
        if self.string.is_lent {
            (self.string.is_followed, self.string.is_lent) = (false, false);
        }
    }

    /// Returns true if they are refused.
    #[inline]
    pub(crate) fn refuses_string_pieces(&self) -> bool {
        self.string.room == 1
    }

    /// Takes back that pieces of the open string are refused.
    pub(crate) fn allow_string_pieces(&mut self) {
        self.string.room = self.limit.min(self.limits.total);
    }

    /// Returns the length of a chunk's part before an offset.
    #[inline]
    pub(super) fn within(&self, limit: u64, chunk: &[u8]) -> usize {
        usize::try_from(limit - self.offset).unwrap_or(usize::MAX).min(chunk.len())
    }

    #[inline]
    pub(super) fn open_string(&mut self, role: Role, is_followed: bool, limit: u64) {
        if role == Role::Key {
            self.scratch.clear();
        }
        let room = limit.min(self.limits.total);
        self.string = OpenString { role, is_followed, room, is_lent: false };
        self.limit = limit;
        self.state = State::String;
    }

    /// Reads on between two characters, up to the closing quote, an escape that may be cut, or the chunk's end.
    #[inline]
    pub(super) fn string_run<S: Sink>(&mut self, chunk: &[u8], start: usize, sink: &mut S) -> Result<usize, Fault> {
        // Only bytes within the limit are part of a run; the one after them is judged by itself.
        let within = self.within(self.limit, chunk);
        let mut start = start;
        let mut run = scan::run(&chunk[..within], start);
        loop {
            let end = run.end;
            if end > start && (self.string.is_followed || !run.is_ascii) {
                let bytes = &chunk[start..end];
                let prefix = if run.is_ascii { Utf8Prefix::ascii(bytes) } else { utf8::valid_prefix(bytes) };
                if !prefix.valid.is_empty() {
                    self.report(prefix.valid, self.at(start)..self.at(start + prefix.valid.len()), sink)?;
                }
                match prefix.rest {
                    Utf8Rest::Empty => {}
                    Utf8Rest::Cut(sequence) => {
                        self.carry = Utf8Carry::begin(sequence);
                        self.state = State::Utf8;
                        return Ok(end);
                    }
                    Utf8Rest::Bad(after) => return Err(self.bad_utf8(start + prefix.valid.len() + after)),
                }
            }
            match chunk.get(end) {
                None => return Ok(end),
                Some(b'"') => {
                    self.close_string(end, sink)?;
                    return Ok(end + 1);
                }
                Some(b'\\') => {
                    // The usual escape, valid and not cut, needs no state.
                    let escape = &chunk[end..within.max(end)];
                    if let Some(character) = escape.get(1).and_then(|&letter| unescape(letter)) {
                        self.report(character, self.at(end)..self.at(end + 2), sink)?;
                        start = end + 2;
                        run = scan::run(&chunk[..within], start);
                        continue;
                    }
                    if let Some((character, len)) = unescape_unicode(escape) {
                        self.report(character.encode_utf8(&mut [0; 4]), self.at(end)..self.at(end + len), sink)?;
                        start = end + len;
                        run = scan::run(&chunk[..within], start);
                        continue;
                    }
                    self.check_limit(end)?;
                }
                Some(&byte) => return Err(self.judge_special(byte, end)),
            }
            self.escape = OpenEscape::default();
            self.state = State::Escape;
            return Ok(end + 1);
        }
    }

    /// Returns the fault in the byte that ended a run and is neither quote nor backslash.
    #[cold]
    #[inline(never)]
    pub(super) fn judge_special(&self, byte: u8, pos: usize) -> Fault {
        if byte < b' ' {
            let expected = "expected an escape instead of a raw control character";
            return Fault::new(ErrorKind::ControlCharacter, self.at(pos), expected);
        }
        if !byte.is_ascii() && !(0xC2..=0xF4).contains(&byte) {
            return self.bad_utf8(pos);
        }
        self.too_long(pos)
    }

    pub(super) fn bad_utf8(&self, pos: usize) -> Fault {
        Fault::new(ErrorKind::InvalidUtf8, self.at(pos), "expected UTF-8")
    }

    /// A byte that is legal in the string must also be within its limit.
    #[inline]
    pub(super) fn check_limit(&self, pos: usize) -> Result<(), Fault> {
        if self.at(pos) < self.limit { Ok(()) } else { Err(self.too_long(pos)) }
    }

    #[cold]
    pub(super) fn too_long(&self, pos: usize) -> Fault {
        match self.string.role {
            Role::Key => Fault::new(ErrorKind::KeyLimit, self.at(pos), "expected no longer key than allowed"),
            Role::Value => Fault::new(ErrorKind::StringLimit, self.at(pos), "expected no longer string than allowed"),
        }
    }

    pub(super) fn close_string<S: Sink>(&mut self, quote: usize, sink: &mut S) -> Result<(), Fault> {
        match self.string.role {
            Role::Key => {
                if self.string.is_followed {
                    self.report_collected_key(self.at(quote), sink)?;
                }
                self.state = State::Colon;
            }
            Role::Value => self.end_value_string(quote, sink),
        }
        Ok(())
    }

    /// Reports the key that has been collected.
    pub(super) fn report_collected_key<S: Sink>(&mut self, quote: u64, sink: &mut S) -> Result<(), Fault> {
        let key = mem::take(&mut self.scratch);
        let reported = self.report_key(&key, quote, sink);
        self.scratch = key;
        reported
    }

    #[inline]
    fn end_value_string<S: Sink>(&mut self, quote: usize, sink: &mut S) {
        if self.is_followed() {
            sink.end_string(self.at(quote) + 1);
        }
        self.state = self.after_value();
    }

    /// Passes decoded text on: to the sink, or to the key that is being collected.
    #[inline(always)]
    pub(super) fn report<S: Sink>(&mut self, text: &str, raw: Range<u64>, sink: &mut S) -> Result<(), Fault> {
        if self.string.is_followed {
            match self.string.role {
                Role::Key => self.scratch.push_str(text),
                Role::Value => sink.text(text, raw)?,
            }
        }
        Ok(())
    }

    /// Reads the rest of a UTF-8 sequence that was cut by the end of the last chunk, or of the limit.
    pub(super) fn utf8<S: Sink>(&mut self, chunk: &[u8], mut pos: usize, sink: &mut S) -> Result<usize, Fault> {
        while let Some(&byte) = chunk.get(pos) {
            let step = self.carry.push(byte);
            if matches!(step, Utf8Step::Bad) {
                return Err(self.bad_utf8(pos));
            }
            self.check_limit(pos)?;
            pos += 1;
            if matches!(step, Utf8Step::Whole) {
                let carry = self.carry;
                self.state = State::String;
                self.report(carry.as_str(), self.at(pos) - carry.len() as u64..self.at(pos), sink)?;
                break;
            }
        }
        Ok(pos)
    }
}

impl OpenString {
    pub(super) fn is_key(&self) -> bool {
        self.role == Role::Key
    }
}
