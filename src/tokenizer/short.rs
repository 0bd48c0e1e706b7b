//! Chunks of a few bytes, as most of a model's text comes: read in a word or two, with few wrong guesses.
//!
//! A processor guesses where each branch goes, and a wrong guess costs as much as twenty instructions. In a chunk of a few
//! bytes that was cut anywhere, the length of each run, and whether the chunk has ended, can't be guessed. So the bytes are
//! loaded into words with zeros behind them, and all places where a string's text stops are found at once: the next one is
//! a shift and a count, and the chunk's end is a stop as any other. What comes next is known from the place in the code,
//! as in `skip.rs`, so that a token's usual successor needs no look at the state.
//!
//! Only what is usual is read here, and exactly as the functions by state read it, which `tests.rs` holds. Before anything
//! else this stops, in the state and at the byte where those functions go on: at what is not ASCII, more than one blank,
//! what is invalid or may be beyond a limit.

use ascii::{AsciiChar, AsciiStr};
use wide::{CmpEq, CmpLt, i8x16};

use super::escape::{OpenEscape, unescape};
use super::string::Role;
use super::words::Words;
use super::{Sink, State, Tokenizer, ValueKind};
use crate::error::Fault;

/// Two to fifteen ASCII characters, and at least one zero behind them.
pub(crate) struct ShortChunk {
    bytes: [u8; 16],
    len: usize,
}

impl ShortChunk {
    #[inline(always)]
    pub(crate) fn new(chunk: &[u8]) -> Option<Self> {
        let len = chunk.len();
        if !(2..16).contains(&len) {
            return None;
        }
        Some(Self { bytes: Words::of(chunk).padded(len)?, len })
    }

    /// The characters, with zeros behind them, and how many they are.
    #[inline(always)]
    pub(crate) fn characters(&self) -> Option<([AsciiChar; 16], usize)> {
        let characters = AsciiStr::from_ascii(&self.bytes).ok()?.as_slice();
        Some((*characters.first_chunk()?, self.len))
    }

    /// The byte at a place; zero behind the last one.
    #[inline(always)]
    fn byte(&self, place: usize) -> u8 {
        self.bytes[place & 15]
    }

    /// One bit for each place at which a string's text stops: quotes, backslashes, control characters, and all behind
    /// the last byte.
    #[inline(always)]
    fn stops(&self) -> u32 {
        let bytes = i8x16::new(self.bytes.map(|byte| byte as i8));
        let is = |byte: u8| bytes.cmp_eq(i8x16::splat(byte as i8));
        let stops = is(b'"') | is(b'\\') | bytes.cmp_lt(i8x16::splat(b' ' as i8));
        stops.move_mask() as u32
    }
}

/// The next thing to read. A bit each, so that each question is a branch that is guessed by itself, and not a jump through
/// one table for all.
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
    /// Returns true if [`Self::feed_short`] reads anything in this state.
    #[inline(always)]
    pub(crate) fn may_be_short(&self) -> bool {
        STEPS[self.state as usize & 15] != 0
    }

    /// Reads as much of a chunk as is usual. The rest, if there is any, is a chunk for [`Self::feed`].
    #[inline(always)]
    pub(crate) fn feed_short<'a, S: Sink>(
        &mut self,
        chunk: &'a [u8],
        short: &ShortChunk,
        sink: &mut S,
    ) -> Result<&'a [u8], Fault> {
        if self.at(short.len) > self.limits.total() {
            return Ok(chunk);
        }
        let read = self.read_short(chunk, short, sink)?;
        self.offset += read as u64;
        Ok(chunk.get(read..).unwrap_or_default())
    }

    /// The same; returns how far it came.
    #[inline(always)]
    fn read_short<S: Sink>(&mut self, chunk: &[u8], short: &ShortChunk, sink: &mut S) -> Result<usize, Fault> {
        let len = short.len;
        let Ok(text) = AsciiStr::from_ascii(&short.bytes) else { return Ok(0) };
        let stops = short.stops();
        let next_stop = |from: usize| from + (stops >> (from & 15)).trailing_zeros() as usize;
        let mut pos = 0;
        let mut step = STEPS[self.state as usize & 15];
        if step == step::STRING {
            if self.at(len) > self.limit {
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
                let end = next_stop(pos);
                if self.string.is_followed {
                    // A fixed number of bytes takes no branch on it.
                    let key_len = self.scratch.len() + end;
                    self.scratch.push_str(text.as_str());
                    self.scratch.truncate(key_len);
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
                    return Ok(pos);
                }
                pos += 1;
                let is_followed = self.is_followed();
                let end = next_stop(pos);
                if short.byte(end) != b'"' || (end - pos) as u64 > self.limits.key {
                    let limit = self.at(pos).saturating_add(self.limits.key);
                    self.open_string(Role::Key, is_followed, limit);
                    if end < len || self.at(len) > limit {
                        return Ok(pos);
                    }
                    if is_followed {
                        self.scratch.push_str(text[pos..end].as_str());
                    }
                    return Ok(len);
                }
                if is_followed {
                    self.report_key(text[pos..end].as_str(), self.at(end), sink)?;
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
                        if self.at(len) > self.limit {
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
                    _ => return Ok(pos),
                }
            }
            if step & step::STRING != 0 {
                loop {
                    let end = next_stop(pos);
                    if self.string.is_followed && end > pos {
                        sink.text(text[pos..end].as_str(), self.at(pos)..self.at(end))?;
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
                    _ => return Ok(pos),
                }
            }
        }
    }

    // Not inlined: few chunks have a long escape.
    #[inline(never)]
    fn escape_away<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        self.escape(chunk, pos, sink)
    }
}
