//! What a parser that goes on past deviations keeps of them: the first as the error that it is, a bounded list, a count.
//!
//! A text may deviate at every byte, so one that is noted costs neither a path nor room that grows with their number.

use alloc::vec::Vec;

use crate::error::{Deviation, Error};

#[derive(Clone, Debug, Default)]
pub(super) struct Deviations {
    /// The verdict on the text.
    first: Option<Error>,
    listed: Vec<Deviation>,
    count: u64,
    /// Where the newest is.
    newest: u64,
}

impl Deviations {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first, with its path.
    pub(super) fn first(&self) -> Option<&Error> {
        self.first.as_ref()
    }

    /// The first [`Deviation::LIST_LIMIT`] of them.
    pub(super) fn listed(&self) -> &[Deviation] {
        &self.listed
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The first is about to be noted: it is the error that the text has.
    pub(super) fn begin(&mut self, first: Error) {
        self.first = Some(first);
    }

    /// Notes a deviation.
    pub(super) fn note(&mut self, deviation: Deviation) {
        // The byte that spoilt an escape is read again, and may be wrong by itself too.
        if self.count > 0 && self.newest == deviation.offset() {
            return;
        }
        self.newest = deviation.offset();
        self.count += 1;
        if self.listed.len() < Deviation::LIST_LIMIT {
            self.listed.push(deviation);
        }
    }

    /// Forgets them, and keeps the list's room.
    pub(super) fn clear(&mut self) {
        self.first = None;
        self.listed.clear();
        self.count = 0;
    }
}
