//! The text that is kept behind an accepted deviation: rewritten as strict JSON, as it comes and once.
//!
//! Up to the first deviation the text is kept as it is. From the chunk with that one on, a chunk is copied piece by piece:
//! up to each [edit](Rewriting::edit), up to the end of each value that somebody may want to see, and the rest at the
//! chunk's end. An edit may reach back over the last few bytes that were copied, since a deviation is told once it is
//! known, and over the white space before a bracket, to the comma that has to go.
//!
//! Everyone else knows values by their offsets in the text as it came. So each edit that makes the text longer or shorter
//! leaves a [shift](Rewriting::shifts): how much further on, from an offset on, a byte stands here.

use alloc::vec::Vec;
use core::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct Rewriting {
    /// The chunk that is being read, and its offset.
    chunk: Vec<u8>,
    chunk_at: u64,
    /// How far the text has been copied, or left out.
    copied: u64,
    /// From each of these offsets on, ascending, by how much a byte's place exceeds its distance from the first one kept.
    shifts: Vec<(u64, i64)>,
}

impl Rewriting {
    /// Begins with the chunk that has the first deviation.
    pub(super) fn new(chunk: Vec<u8>, chunk_at: u64) -> Self {
        Self { chunk, chunk_at, copied: chunk_at, shifts: Vec::new() }
    }

    /// The next chunk begins.
    pub(super) fn begin_chunk(&mut self, chunk: &[u8], chunk_at: u64) {
        self.chunk.clear();
        self.chunk.extend_from_slice(chunk);
        self.chunk_at = chunk_at;
    }

    /// What was kept has been dropped; returns the offset from which on text is kept again.
    pub(super) fn forget(&mut self) -> u64 {
        self.shifts.clear();
        self.copied = self.copied.max(self.chunk_at);
        self.copied
    }

    /// By how much the place of a byte exceeds its distance from the first one kept.
    pub(super) fn shift_at(&self, offset: u64) -> i64 {
        let before = self.shifts.partition_point(|(from, _)| *from <= offset);
        before.checked_sub(1).and_then(|last| self.shifts.get(last)).map_or(0, |(_, shift)| *shift)
    }

    /// Copies the chunk up to an offset, or to its end.
    pub(super) fn copy_to(&mut self, end: u64, bytes: &mut Vec<u8>) {
        let end = end.min(self.chunk_at + self.chunk.len() as u64);
        if end > self.copied {
            let place = |offset: u64| (offset - self.chunk_at) as usize;
            bytes.extend_from_slice(&self.chunk[place(self.copied)..place(end)]);
            self.copied = end;
        }
    }

    /// Puts `with` in the place of a range of the text as it came, of which the first byte kept is at `start`.
    pub(super) fn edit(&mut self, range: Range<u64>, with: &str, start: u64, bytes: &mut Vec<u8>) {
        // What is before the first byte kept is of no value.
        let (from, to) = (range.start.max(start), range.end.max(start));
        self.copy_to(from, bytes);
        let back = self.copied.saturating_sub(from) as usize;
        let place = bytes.len().saturating_sub(back);
        let end = place.saturating_add((to.min(self.copied).saturating_sub(from)) as usize).min(bytes.len());
        let rest = bytes.split_off(end);
        bytes.truncate(place);
        bytes.extend_from_slice(with.as_bytes());
        bytes.extend_from_slice(&rest);
        self.copied = self.copied.max(to);
        self.shift(from, to, with.len() as i64 - (to - from) as i64);
    }

    /// Leaves out the comma before the bracket at an offset.
    pub(super) fn drop_comma(&mut self, bracket: u64, bytes: &mut Vec<u8>) {
        self.copy_to(bracket, bytes);
        let is_token = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        if let Some(comma) = bytes.iter().rposition(is_token).filter(|&place| bytes[place] == b',') {
            bytes.remove(comma);
            self.shift(bracket, bracket, -1);
        }
    }

    fn shift(&mut self, from: u64, to: u64, change: i64) {
        let (last, before) = self.shifts.last().copied().unwrap_or((u64::MAX, 0));
        if last == from && change < 0 {
            // A comment that goes on where its last piece ended: no value begins or ends there.
            self.shifts.pop();
        }
        if change != 0 {
            self.shifts.push((to, before + change));
        }
    }

    /// All of a text up to `offset` has been copied; the bytes at some offsets have these places.
    pub(super) fn of_places(start: u64, offset: u64, places: &[(u64, usize)]) -> Self {
        let shift = |(at, place): &(u64, usize)| (*at, *place as i64 - (*at - start) as i64);
        Self { chunk: Vec::new(), chunk_at: offset, copied: offset, shifts: places.iter().map(shift).collect() }
    }
}
