//! What is kept of the texts inside strings, for the values of the matches in them.
//!
//! All texts of one level share a buffer. Events that are read later name places in it, so nothing is dropped before the
//! next chunk. There, what comes before the outermost open match is: all of it, if no match is open. What stays has all
//! arrived in the last chunk if anything is dropped, so the work is linear.

use alloc::vec::Vec;
use core::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct KeptText {
    /// Whether anything is ever kept.
    is_kept: bool,
    bytes: Vec<u8>,
    /// The offset, in the open text, of its first byte that is kept, and the place of that byte.
    start: u64,
    place: usize,
    /// How many values of the open text are open that patterns select, and where the outermost begins.
    open_matches: u64,
    outermost: u64,
}

impl KeptText {
    pub(super) fn new(is_kept: bool) -> Self {
        Self { is_kept, bytes: Vec::new(), start: 0, place: 0, open_matches: 0, outermost: 0 }
    }

    /// A new text begins.
    pub(super) fn begin(&mut self) {
        self.start = 0;
        self.place = self.bytes.len();
        self.open_matches = 0;
    }

    /// The next piece of the text, before it is read.
    pub(super) fn append(&mut self, text: &str) {
        if self.is_kept {
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }

    /// A new chunk begins; the open text has come to `offset`. What no open match needs is dropped.
    pub(super) fn release(&mut self, offset: u64) {
        let from = if self.open_matches > 0 { self.outermost } else { offset };
        let unused = usize::try_from(from.saturating_sub(self.start)).unwrap_or(usize::MAX).saturating_add(self.place);
        self.bytes.drain(..unused.min(self.bytes.len()));
        self.start = from;
        self.place = 0;
    }

    /// No text is open at this level, or it has failed.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.begin();
    }

    /// The text has failed: none of its matches will end.
    pub(super) fn fail(&mut self) {
        self.open_matches = 0;
    }

    pub(super) fn begin_match(&mut self, at: u64) {
        if self.open_matches == 0 {
            self.outermost = at;
        }
        self.open_matches += 1;
    }

    pub(super) fn end_match(&mut self) {
        self.open_matches = self.open_matches.saturating_sub(1);
    }

    /// A range of the open text, and its place among all that is kept.
    pub(super) fn find(&self, range: Range<u64>) -> Option<(Range<usize>, &[u8])> {
        let place = |offset: u64| self.place.checked_add(usize::try_from(offset.checked_sub(self.start)?).ok()?);
        let places = place(range.start)?..place(range.end)?;
        self.at(places.clone()).filter(|_| self.is_kept).map(|text| (places, text))
    }

    /// What is kept at a place.
    pub(super) fn at(&self, place: Range<usize>) -> Option<&[u8]> {
        self.bytes.get(place)
    }
}

impl KeptText {
    /// Whether an open match needs what is kept.
    pub(super) fn is_needed(&self) -> bool {
        self.is_kept && self.open_matches > 0
    }

    /// The text of the open matches, of which the outermost begins at an offset.
    pub(super) fn of_open_matches(&self, offset: u64) -> Option<(u64, &[u8])> {
        let (_, text) = self.find(self.outermost..offset).filter(|_| self.is_needed())?;
        Some((self.outermost, text))
    }
}
