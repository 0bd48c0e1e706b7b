//! Strings and keys (RFC 8259 §7): runs of plain characters, and UTF-8 sequences across chunks. Cut escapes are read in
//! `escape.rs`.
//!
//! [`Reader::string`] is the loop: it takes a run of plain bytes at once, then the byte that ended it, then the next
//! run. Cut escapes and characters are read byte by byte. The less obvious points:
//!
//! - *A run stops at the limit.* `within` is the part of the chunk within the string's limit. The byte after it exceeds
//!   the limit, unless it is the closing quote, which does not count. If that byte is invalid in any string,
//!   `judge_special` reports this instead of the limit. For the same reason, whole escapes are looked for in
//!   `chunk[..within]`, and `check_limit` is called only after that.
//! - *A character may be cut by the chunk's end or by the limit.* Both look the same to `valid_prefix`: an incomplete
//!   sequence at the end of the bytes. The state `Utf8` carries it, and distinguishes the two at the next byte.
//! - *Skipped strings are checked as UTF-8 too.* Only an ASCII run of a skipped string needs no check.
//! - *Each piece is reported before the next byte is checked*, so everything before an error has been reported.

use core::mem;
use core::ops::Range;

use super::escape::{OpenEscape, whole_escape};
use super::reader::{Ended, Reader, Step};
use super::utf8::{self, Utf8Carry, Utf8Prefix, Utf8Rest, Utf8Step};
use super::{Read, Role, Sink, State, Stops, Tokenizer};
use crate::error::{ErrorKind, Fault};

/// The open string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenString {
    role: Role,
    /// True if the decoded text is reported or collected.
    pub(super) is_followed: bool,
    /// The offset up to which plain pieces are accepted: the smaller of the string's limit and the total limit.
    pub(super) room: u64,
}

impl OpenString {
    pub(super) fn is_key(&self) -> bool {
        self.role == Role::Key
    }
}

impl<S: Sink + ?Sized, const SKIPS: bool> Reader<'_, '_, S, SKIPS> {
    /// Continues the open string, up to its closing quote or the chunk's end.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Step {
        if self.state != State::String {
            self.away(Tokenizer::cut_character)?;
        }
        let chunk = self.stops.chunk();
        // Only bytes within the limit are part of a run; the next byte is checked separately.
        let within = self.tokenizer.within(self.tokenizer.limit, chunk);
        loop {
            let (end, is_ascii) = self.stops.run_within(self.pos, within);
            self.plain_run(end, is_ascii)?;
            match chunk.get(self.pos) {
                None => return Err(Ended::Here),
                Some(b'"') => return self.close_string(),
                Some(b'\\') => {
                    // A valid escape that is not cut, the usual case, needs no state.
                    let (start, mut buffer) = (self.pos, [0; 4]);
                    if let Some((character, len)) = whole_escape(&chunk[start..within.max(start)], &mut buffer) {
                        self.pos += len;
                        self.tokenizer.report(character, self.tokenizer.at(start)..self.at(), self.sink)?;
                    } else {
                        self.tokenizer.check_limit(start)?;
                        self.tokenizer.escape = OpenEscape::default();
                        (self.state, self.pos) = (State::Escape, start + 1);
                        self.away(Tokenizer::cut_character)?;
                    }
                }
                Some(&byte) => return Err(self.tokenizer.judge_special(byte, self.pos).into()),
            }
        }
    }

    /// Reports plain text up to `end`, and moves there.
    #[inline(always)]
    fn plain_run(&mut self, end: usize, is_ascii: bool) -> Step {
        let start = mem::replace(&mut self.pos, end);
        if end == start || is_ascii && !self.tokenizer.string.is_followed {
            return Ok(());
        }
        let prefix = if is_ascii {
            Utf8Prefix { valid: self.stops.text(start..end), rest: Utf8Rest::Empty }
        } else {
            utf8::valid_prefix(&self.stops.chunk()[start..end])
        };
        let valid_end = start + prefix.valid.len();
        if valid_end > start {
            let raw = self.tokenizer.at(start)..self.tokenizer.at(valid_end);
            self.tokenizer.report(prefix.valid, raw, self.sink)?;
        }
        match prefix.rest {
            Utf8Rest::Empty => Ok(()),
            Utf8Rest::Cut(sequence) => {
                self.tokenizer.carry = Utf8Carry::begin(sequence);
                self.state = State::Utf8;
                self.away(Tokenizer::cut_character)
            }
            Utf8Rest::Bad(after) => Err(self.tokenizer.bad_utf8(valid_end + after).into()),
        }
    }

    #[inline(always)]
    fn close_string(&mut self) -> Step {
        let quote = self.pos;
        if self.tokenizer.string.is_key() {
            if self.tokenizer.string.is_followed {
                self.tokenizer.report_collected_key(self.at(), self.sink)?;
            }
            self.state = State::Colon;
        } else {
            if self.tokenizer.is_followed() {
                self.sink.end_string(self.at() + 1);
            }
            self.state = State::AfterValue;
        }
        self.resume_at(Ok(quote + 1))
    }
}

impl Tokenizer {
    /// Returns true if a chunk is a short plain piece of the open string and no escape or character is open. This is
    /// the usual case while a model writes, and has a fast path through the parser.
    #[inline(always)]
    pub(crate) fn is_string_piece(&self, chunk: &Stops<'_>) -> bool {
        let end = self.offset + chunk.chunk().len() as u64;
        self.state == State::String && end <= self.string.room && chunk.is_plain()
    }

    /// Reads a chunk for which [`Self::is_string_piece`] is true. Returns true if it is new text of a followed value.
    /// (Keys are collected, since they are reported as a whole.)
    #[inline(always)]
    pub(crate) fn take_string_piece(&mut self, chunk: &Stops<'_>) -> bool {
        self.offset += chunk.chunk().len() as u64;
        if !self.string.is_followed {
            return false;
        }
        if self.string.role == Role::Key {
            chunk.push_plain_to(&mut self.scratch);
            return false;
        }
        true
    }

    /// Makes [`Self::is_string_piece`] return false until the open string has ended.
    pub(crate) fn refuse_string_pieces(&mut self) {
        // Nothing ends at offset 1 inside a string.
        self.string.room = self.string.room.min(1);
    }

    /// Returns true if [`Self::refuse_string_pieces`] is in effect.
    #[inline]
    pub(crate) fn refuses_string_pieces(&self) -> bool {
        self.string.room == 1
    }

    /// Undoes [`Self::refuse_string_pieces`].
    pub(crate) fn allow_string_pieces(&mut self) {
        self.string.room = self.limit.min(self.limits.total);
    }

    /// Returns the length of the part of `chunk` before the offset `limit`.
    #[inline]
    pub(super) fn within(&self, limit: u64, chunk: &[u8]) -> usize {
        usize::try_from(limit - self.offset).unwrap_or(usize::MAX).min(chunk.len())
    }

    #[inline]
    pub(super) fn open_string(&mut self, role: Role, is_followed: bool, limit: u64) {
        if role == Role::Key {
            self.scratch.clear();
            // Few keys are longer, so few need to reallocate.
            self.scratch.reserve(64);
        }
        let room = limit.min(self.limits.total);
        self.string = OpenString { role, is_followed, room };
        self.limit = limit;
        self.state = State::String;
    }

    /// Continues an escape or a character that is cut.
    #[inline(never)]
    fn cut_character(&mut self, chunk: &[u8], pos: usize, sink: &mut dyn Sink) -> Read {
        if self.state == State::Escape { self.escape(chunk, pos, sink) } else { self.utf8(chunk, pos, sink) }
    }

    /// Returns the error for the byte that ended a run and is neither a quote nor a backslash.
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

    /// Fails if the byte at `pos` exceeds the string's limit.
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

    /// Reports the collected key.
    pub(super) fn report_collected_key<S: Sink + ?Sized>(&mut self, quote: u64, sink: &mut S) -> Result<(), Fault> {
        let key = mem::take(&mut self.scratch);
        let reported = self.report_key(&key, quote, sink);
        self.scratch = key;
        reported
    }

    /// Reports decoded text of a value to the sink, or appends it to the collected key.
    #[inline(always)]
    pub(super) fn report<S: Sink + ?Sized>(&mut self, text: &str, raw: Range<u64>, sink: &mut S) -> Result<(), Fault> {
        if self.string.is_followed {
            match self.string.role {
                Role::Key => self.scratch.push_str(text),
                Role::Value => sink.text(text, raw)?,
            }
        }
        Ok(())
    }

    /// Reads the rest of a UTF-8 sequence that was cut by the end of the last chunk or by the limit.
    pub(super) fn utf8(&mut self, chunk: &[u8], mut pos: usize, sink: &mut dyn Sink) -> Read {
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
