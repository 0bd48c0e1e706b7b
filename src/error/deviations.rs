//! The deviations that a parser has passed: the first one as an error, a bounded list, and a count.
//!
//! A text may deviate at every byte, so noting a deviation needs no path, and no memory that grows with their number.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Deviation, Error};

#[derive(Clone, Debug, Default)]
pub(crate) struct Deviations {
    /// True if they are no error.
    are_accepted: bool,
    /// The verdict on the text, unless they are accepted.
    first: Option<Error>,
    /// In a box, as most texts have none.
    noted: Option<Box<Noted>>,
}

#[derive(Clone, Debug, Default)]
struct Noted {
    listed: Vec<Deviation>,
    count: u64,
    /// The place of the newest.
    newest: u64,
}

impl Deviations {
    pub(crate) fn accepted() -> Self {
        Self { are_accepted: true, ..Self::default() }
    }

    /// Returns true if they are no error.
    pub(crate) fn are_accepted(&self) -> bool {
        self.are_accepted
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The first, with its path, unless they are accepted.
    pub(crate) fn first(&self) -> Option<&Error> {
        self.first.as_ref()
    }

    /// The first [`Deviation::LIST_LIMIT`] of them.
    pub(crate) fn listed(&self) -> &[Deviation] {
        self.noted.as_ref().map_or(&[], |noted| &noted.listed)
    }

    pub(crate) fn count(&self) -> u64 {
        self.noted.as_ref().map_or(0, |noted| noted.count)
    }

    /// The first one is about to be noted: it is the text's error.
    pub(crate) fn begin(&mut self, first: Error) {
        self.first = Some(first);
    }

    /// Notes a deviation.
    pub(crate) fn note(&mut self, deviation: Deviation) {
        let Noted { listed, count, newest } = &mut **self.noted.get_or_insert_default();
        // The byte that broke an escape is read again, and may also be wrong by itself.
        if *count > 0 && *newest == deviation.offset() {
            return;
        }
        *newest = deviation.offset();
        *count += 1;
        if listed.len() < Deviation::LIST_LIMIT {
            listed.push(deviation);
        }
    }

    /// Forgets them, but keeps the list's buffer.
    pub(crate) fn clear(&mut self) {
        self.first = None;
        if let Some(noted) = &mut self.noted {
            noted.listed.clear();
            noted.count = 0;
        }
    }
}

/// As a list that somebody else keeps.
impl Deviations {
    /// The place of the newest, listed or not.
    pub(crate) fn newest(&self) -> u64 {
        self.noted.as_ref().map_or(0, |noted| noted.newest)
    }

    /// The list once more, with the first as an error, unless they are accepted.
    pub(crate) fn relist(&mut self, listed: &[Deviation], count: u64, newest: u64, first: Option<Error>) {
        self.first = first;
        self.noted = (count > 0).then(|| Box::new(Noted { listed: listed.to_vec(), count, newest }));
    }
}
