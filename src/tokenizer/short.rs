//! Chunks of up to 64 bytes, as most of a model's text comes: read with few wrong guesses.
//!
//! A processor guesses where each branch goes, and a wrong guess costs as much as twenty instructions. In a short chunk
//! that was cut anywhere, the length of each run, and whether the chunk has ended, can't be guessed. So all places
//! where a string's text stops are found at once, as the bits of a word: the next one is a shift and a count, and the
//! chunk's end is a stop as any other. The few bytes of a token are put in one block for that, with zeros behind them
//! (`words.rs`). What comes next is known from the place in the code, as in `skip.rs`, so that a token's usual
//! successor needs no look at the state.
//!
//! Only what is usual is read here, and exactly as the functions by state read it, which `tests.rs` holds. Before
//! anything else this stops, in the state and at the byte where those functions go on: at white space before a colon, a
//! character that the chunk's end cuts, what is invalid or may be beyond a limit.

use ascii::{AsciiChar, AsciiStr};

use super::escape::{OpenEscape, unescape};
use super::string::Role;
use super::utf8::valid_prefix;
use super::words::{Words, ascii_beginning};
use super::{Sink, Skipped, State, Tokenizer, ValueKind, blocks, is_white_space, scan};
use crate::error::Fault;

/// The longest chunk that is read here: one word has a bit for each of its bytes.
const LONGEST: usize = u64::BITS as usize;

/// A chunk of two to 64 bytes, as far as it is UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct ShortChunk<'a> {
    /// Its text. That of fewer than sixteen bytes, if all are ASCII, has zeros behind it, sixteen in all.
    text: &'a str,
    len: usize,
    /// One bit for each byte at which a string's text stops: quotes, backslashes, control characters.
    stops: u64,
}

impl<'a> ShortChunk<'a> {
    /// The block is room for a chunk that is shorter.
    #[inline(always)]
    pub(crate) fn new(chunk: &'a [u8], block: &'a mut [u8; 16]) -> Self {
        let stops = if chunk.len() < 16 {
            *block = Words::of(chunk).padded(chunk.len());
            let stops = u64::from(scan::special_in_block(block));
            if let Ok(text) = AsciiStr::from_ascii(block) {
                return Self { text: text.as_str(), len: chunk.len(), stops };
            }
            stops
        } else {
            blocks::bits(chunk, scan::special_in_block)
        };
        let text = valid_prefix(chunk).valid;
        Self { text, len: text.len(), stops }
    }

    /// The characters, with zeros behind them, and how many they are, if they are fewer than sixteen, all of them
    /// ASCII.
    #[inline(always)]
    pub(crate) fn characters(self) -> Option<([AsciiChar; 16], usize)> {
        let block: &[u8; 16] = self.text.as_bytes().first_chunk().filter(|_| self.text.len() > self.len)?;
        Some((*AsciiStr::from_ascii(block).ok()?.as_slice().first_chunk()?, self.len))
    }

    /// The byte at a place; zero behind the last one.
    #[inline(always)]
    fn byte(self, place: usize) -> u8 {
        self.text.as_bytes().get(place).copied().unwrap_or(0)
    }

    /// The first stop at or after a place, or the length of the text.
    #[inline(always)]
    fn next_stop(self, from: usize) -> usize {
        (from + (self.stops >> (from % LONGEST)).trailing_zeros() as usize).min(self.len)
    }
}

/// The next thing to read. A bit each, so that each question is a branch that is guessed by itself, and not a jump
/// through one table for all.
mod step {
    pub(super) const KEY: u8 = 1;
    pub(super) const COLON: u8 = 2;
    pub(super) const VALUE: u8 = 4;
    pub(super) const AFTER_VALUE: u8 = 8;
    /// More of a value that is a string.
    pub(super) const STRING: u8 = 16;
    /// More of a key.
    pub(super) const REST_OF_KEY: u8 = STRING << 1;
    /// More of a number or a literal.
    pub(super) const ATOM: u8 = 64;
}

// Places in the table below are taken modulo 16.
const _: () = assert!((State::Closed as usize) < 16, "more states than the table has room for");

/// The step in each state; 0 in those that are left to the functions by state.
static STEPS: [u8; 16] = {
    let mut steps = [0; 16];
    steps[State::Value as usize] = step::VALUE;
    steps[State::FirstElement as usize] = step::VALUE;
    steps[State::FirstKey as usize] = step::KEY;
    steps[State::NextKey as usize] = step::KEY;
    steps[State::Colon as usize] = step::COLON;
    steps[State::AfterValue as usize] = step::AFTER_VALUE;
    steps[State::String as usize] = step::STRING;
    steps[State::Number as usize] = step::ATOM;
    steps[State::Literal as usize] = step::ATOM;
    steps
};

impl Tokenizer {
    /// Returns true if [`Self::feed_short`] reads anything of a chunk of this length in this state. Where nobody
    /// follows anything, what is longer than a token is passed over faster.
    #[inline(always)]
    pub(crate) fn may_be_short(&self, len: usize) -> bool {
        (2..=LONGEST).contains(&len)
            && STEPS[self.state as usize & 15] != 0
            && (len < 16 || self.skipped != Skipped::container(0))
    }

    /// Reads as much of a chunk as is usual. The rest, if there is any, is a chunk for [`Self::feed`].
    #[inline(always)]
    pub(crate) fn feed_short<'a, S: Sink>(
        &mut self,
        chunk: &'a [u8],
        short: ShortChunk<'_>,
        sink: &mut S,
    ) -> Result<&'a [u8], Fault> {
        if self.at(chunk.len()) > self.limits.total() {
            return Ok(chunk);
        }
        let read = self.read_short(chunk, short, sink)?;
        self.offset += read as u64;
        Ok(chunk.get(read..).unwrap_or_default())
    }

    /// The same; returns how far it came.
    #[inline(always)]
    fn read_short<S: Sink>(&mut self, chunk: &[u8], short: ShortChunk<'_>, sink: &mut S) -> Result<usize, Fault> {
        let ShortChunk { text, len, .. } = short;
        // Escapes and atoms are read in the chunk itself, so none of it may be beyond a limit.
        let end_of_chunk = self.at(chunk.len());
        let mut pos = 0;
        let mut step = STEPS[self.state as usize & 15];
        if step == step::STRING {
            if end_of_chunk > self.limit {
                return Ok(0);
            }
            step <<= u8::from(self.string.is_key());
        }
        if step == step::ATOM {
            pos = match self.state {
                State::Number => self.number(chunk, 0, sink)?,
                _ => self.literal(chunk, 0, sink)?,
            };
            step = step::AFTER_VALUE;
        }
        loop {
            if step & step::REST_OF_KEY != 0 {
                let end = short.next_stop(pos);
                if self.string.is_followed {
                    if let Some((characters, _)) = short.characters() {
                        // A fixed number of bytes takes no branch on it.
                        let key_len = self.scratch.len() + end;
                        self.scratch.push_str(ascii_beginning(&characters, 16));
                        self.scratch.truncate(key_len);
                    } else {
                        self.scratch.push_str(&text[..end]);
                    }
                }
                if short.byte(end) != b'"' {
                    return Ok(end);
                }
                if self.string.is_followed {
                    self.report_collected_key(self.at(end), sink)?;
                }
                self.state = State::Colon;
                pos = end + 1;
                step = step::COLON;
            }
            if step & step::KEY != 0 {
                pos += usize::from(short.byte(pos) == b' ');
                if short.byte(pos) != b'"' {
                    if !is_white_space(short.byte(pos)) {
                        return Ok(pos);
                    }
                    pos = self.more_white_space(chunk, pos);
                    continue;
                }
                pos += 1;
                let is_followed = self.is_followed();
                let end = short.next_stop(pos);
                if short.byte(end) != b'"' || (end - pos) as u64 > self.limits.key {
                    let limit = self.at(pos).saturating_add(self.limits.key);
                    self.open_string(Role::Key, is_followed, limit);
                    if end < len || end_of_chunk > limit {
                        return Ok(pos);
                    }
                    if is_followed {
                        self.scratch.push_str(&text[pos..end]);
                    }
                    return Ok(len);
                }
                if is_followed {
                    self.report_key(&text[pos..end], self.at(end), sink)?;
                }
                self.state = State::Colon;
                pos = end + 1;
                step = step::COLON;
            }
            if step & step::COLON != 0 {
                if short.byte(pos) != b':' {
                    return Ok(pos);
                }
                self.state = State::Value;
                pos += 1;
                step = step::VALUE;
            }
            if step & step::VALUE != 0 {
                pos += usize::from(short.byte(pos) == b' ');
                match short.byte(pos) {
                    b'"' => {
                        pos = self.begin_value_string(pos, sink)?;
                        if end_of_chunk > self.limit {
                            return Ok(pos);
                        }
                        step = step::STRING;
                    }
                    b'{' => {
                        pos = self.open_container(ValueKind::Object, pos, sink)?;
                        step = step::KEY;
                        continue;
                    }
                    b'[' => {
                        pos = self.open_container(ValueKind::Array, pos, sink)?;
                        continue;
                    }
                    b'-' | b'0'..=b'9' => {
                        pos = self.begin_number(chunk, pos, sink)?;
                        step = step::AFTER_VALUE;
                    }
                    byte @ (b't' | b'f' | b'n') => {
                        let kind = if byte == b'n' { ValueKind::Null } else { ValueKind::Bool };
                        pos = self.begin_literal(kind, chunk, pos, sink)?;
                        step = step::AFTER_VALUE;
                    }
                    byte if is_white_space(byte) => {
                        pos = self.more_white_space(chunk, pos);
                        continue;
                    }
                    _ => return Ok(pos),
                }
            }
            if step & step::STRING != 0 {
                loop {
                    let end = short.next_stop(pos);
                    if self.string.is_followed && end > pos {
                        sink.text(&text[pos..end], self.at(pos)..self.at(end))?;
                    }
                    pos = end;
                    if short.byte(pos) != b'\\' {
                        break;
                    }
                    if let Some(character) = unescape(short.byte(pos + 1)) {
                        if self.string.is_followed {
                            sink.text(character, self.at(pos)..self.at(pos + 2))?;
                        }
                        pos += 2;
                    } else {
                        self.escape = OpenEscape::default();
                        self.state = State::Escape;
                        pos = self.escape_away(chunk, pos + 1, sink)?;
                        if self.state != State::String {
                            return Ok(pos);
                        }
                    }
                }
                if short.byte(pos) != b'"' {
                    return Ok(pos);
                }
                pos += 1;
                if self.is_followed() {
                    sink.end_string(self.at(pos));
                }
                self.state = self.after_value();
                step = step::AFTER_VALUE;
            }
            // After the root, and inside an atom that the chunk's end cuts, the state is another one.
            while step & step::AFTER_VALUE != 0 {
                let in_object = self.nest.in_object();
                match short.byte(pos) {
                    _ if self.state != State::AfterValue => return Ok(pos),
                    b',' => {
                        pos = self.comma(pos, sink);
                        step = if in_object { step::KEY } else { step::VALUE };
                    }
                    b'}' if in_object => pos = self.close_container(pos, sink),
                    b']' if !in_object => pos = self.close_container(pos, sink),
                    byte if is_white_space(byte) => pos = self.more_white_space(chunk, pos),
                    _ => return Ok(pos),
                }
            }
        }
    }

    // Not inlined: between most tokens is one blank or none.
    #[inline(never)]
    fn more_white_space(&mut self, chunk: &[u8], pos: usize) -> usize {
        self.white_space(chunk, pos)
    }

    // Not inlined: few chunks have a long escape.
    #[inline(never)]
    fn escape_away<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        self.escape(chunk, pos, sink)
    }
}
