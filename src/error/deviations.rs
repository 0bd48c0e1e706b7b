//! The deviations that a parser has tolerated: the first one as an error, a bounded list, and a count.
//!
//! Every byte of a text may be a deviation, so recording one needs no path, and memory does not grow with their number.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Deviation, Error};

#[derive(Clone, Debug, Default)]
pub(crate) struct Deviations {
    /// True if a text with deviations still succeeds.
    are_accepted: bool,
    /// The first deviation as the error of the text, unless deviations are accepted.
    first: Option<Error>,
    /// Boxed because most texts have none.
    noted: Option<Box<Noted>>,
}

#[derive(Clone, Debug, Default)]
struct Noted {
    listed: Vec<Deviation>,
    count: u64,
    /// The offset of the last deviation.
    newest: u64,
}

impl Deviations {
    pub(crate) fn accepted() -> Self {
        Self { are_accepted: true, ..Self::default() }
    }

    /// Returns true if a text with deviations still succeeds.
    pub(crate) fn are_accepted(&self) -> bool {
        self.are_accepted
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the first deviation as an error with its path, unless deviations are accepted.
    pub(crate) fn first(&self) -> Option<&Error> {
        self.first.as_ref()
    }

    /// Returns the first [`Deviation::LIST_LIMIT`] deviations.
    pub(crate) fn listed(&self) -> &[Deviation] {
        self.noted.as_ref().map_or(&[], |noted| &noted.listed)
    }

    pub(crate) fn count(&self) -> u64 {
        self.noted.as_ref().map_or(0, |noted| noted.count)
    }

    /// Sets the error of the text, before its first deviation is recorded.
    pub(crate) fn begin(&mut self, first: Error) {
        self.first = Some(first);
    }

    /// Records a deviation.
    pub(crate) fn note(&mut self, deviation: Deviation) {
        let Noted { listed, count, newest } = &mut **self.noted.get_or_insert_default();
        // The byte that ended a bad escape is read again and may itself be a deviation; count it once.
        if *count > 0 && *newest == deviation.offset() {
            return;
        }
        *newest = deviation.offset();
        *count += 1;
        if listed.len() < Deviation::LIST_LIMIT {
            listed.push(deviation);
        }
    }

    /// Removes all deviations but keeps the list's buffer.
    pub(crate) fn clear(&mut self) {
        self.first = None;
        if let Some(noted) = &mut self.noted {
            noted.listed.clear();
            noted.count = 0;
        }
    }
}
