//! What a parser that goes on past deviations keeps of them: the first one as an error, a bounded list, and a count.
//!
//! A text may deviate at every byte, so noting a deviation needs no path, and no memory that grows with their number.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::error::{Deviation, DeviationKind, Error};
use crate::saved::{Impossible, Reader, Writer};

#[derive(Clone, Debug, Default)]
pub(super) struct Deviations {
    /// Whether they are no error.
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
    /// Where the newest is.
    newest: u64,
}

impl Deviations {
    pub(super) fn accepted() -> Self {
        Self { are_accepted: true, ..Self::default() }
    }

    /// Whether they are no error.
    pub(super) fn are_accepted(&self) -> bool {
        self.are_accepted
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The first, with its path, unless they are accepted.
    pub(super) fn first(&self) -> Option<&Error> {
        self.first.as_ref()
    }

    /// The first [`Deviation::LIST_LIMIT`] of them.
    pub(super) fn listed(&self) -> &[Deviation] {
        self.noted.as_ref().map_or(&[], |noted| &noted.listed)
    }

    pub(super) fn count(&self) -> u64 {
        self.noted.as_ref().map_or(0, |noted| noted.count)
    }

    /// The first one is about to be noted: it is the text's error.
    pub(super) fn begin(&mut self, first: Error) {
        self.first = Some(first);
    }

    /// Notes a deviation.
    pub(super) fn note(&mut self, deviation: Deviation) {
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
    pub(super) fn clear(&mut self) {
        self.first = None;
        if let Some(noted) = &mut self.noted {
            noted.listed.clear();
            noted.count = 0;
        }
    }
}

/// Saved state.
impl Deviations {
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.number(self.count());
        if let Some(noted) = self.noted.as_ref().filter(|noted| noted.count > 0) {
            noted.listed.iter().for_each(|deviation| deviation.save(out));
            out.number(noted.newest);
        }
        out.option(self.first.as_ref(), |out, first| first.save(out));
    }

    /// Reads those of a text that has come to `offset` and may deviate in these ways.
    pub(super) fn restore(
        &mut self,
        reader: &mut Reader<'_>,
        offset: u64,
        allowed: impl Fn(DeviationKind) -> bool,
    ) -> Result<(), Impossible> {
        // The end of input may be one too.
        let count = reader.at_most(offset.saturating_add(1))?;
        if count > 0 {
            let noted = self.noted.get_or_insert_default();
            noted.count = count;
            let mut newest = 0;
            for _ in 0..count.min(Deviation::LIST_LIMIT as u64) {
                let deviation = Deviation::restore(reader)?;
                Impossible::unless(deviation.offset() >= newest && allowed(deviation.kind()))?;
                newest = deviation.offset();
                noted.listed.push(deviation);
            }
            noted.newest = reader.at_most(offset)?;
            Impossible::unless(noted.newest >= newest)?;
        }
        self.first = reader.option(Error::restore)?;
        let first = self.listed().first().map(Deviation::offset);
        let has_first = count > 0 && !self.are_accepted;
        Impossible::unless(match &self.first {
            Some(error) => has_first && first == Some(error.offset()),
            None => !has_first,
        })
    }
}
