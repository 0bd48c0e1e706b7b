//! Which revisions a document knows: those that it gave, and those of the document it was cloned from, up to the clone.
//!
//! A document only grows, so a revision says how far it had grown. That means nothing for another document, nor for this
//! one before it was cleared. So each document has a number that no other one has. A clone grows on its own, so it gets a
//! number of its own, and remembers the number of its origin and where they parted. Before anything is shown all documents
//! are the same, and no number is needed.

use alloc::vec::Vec;
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::AtomicU64 as Counter;
#[cfg(not(target_has_atomic = "64"))]
use core::sync::atomic::AtomicUsize as Counter;
use core::sync::atomic::Ordering;

use crate::saved::{Impossible, Reader, Writer};

/// The number of the next document of this process. With 32 bits it wraps around after four billion documents.
static NEXT: Counter = Counter::new(1);

#[cfg(target_has_atomic = "64")]
fn next_number() -> u64 {
    // It only has to be unique; nothing else is ordered by it.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(not(target_has_atomic = "64"))]
fn next_number() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed) as u64
}

/// How much of a document is shown: its nodes and its text, of which neither ever shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Extent {
    pub(super) nodes: u32,
    pub(super) text: u32,
}

/// A document's number, and where it comes from.
#[derive(Debug)]
pub(super) struct History {
    number: u64,
    /// The documents that this one was cloned from, oldest first, each with how far it had grown then. A clone of a clone
    /// adds one only if something was added in between, so there are never more of them than nodes and bytes.
    origins: Vec<(u64, Extent)>,
}

impl History {
    pub(super) fn new() -> Self {
        Self { number: next_number(), origins: Vec::new() }
    }

    /// Nothing is left of the document.
    pub(super) fn clear(&mut self) {
        self.number = next_number();
        self.origins.clear();
    }

    /// The history of a clone that is made now.
    pub(super) fn fork(&self, now: Extent) -> Self {
        let mut fork = Self::new();
        if now != Extent::default() {
            fork.origins.clone_from(&self.origins);
            if self.number_at(now) == self.number {
                fork.origins.push((self.number, now));
            }
        }
        fork
    }

    /// The number of a revision that is given now: as long as a clone has nothing of its own, its origin's.
    pub(super) fn number_at(&self, now: Extent) -> u64 {
        match self.origins.last() {
            _ if now == Extent::default() => 0,
            Some((origin, until)) if *until == now => *origin,
            _ => self.number,
        }
    }

    /// Whether the document has been as it was at this revision. Costs the clones since then.
    pub(super) fn knows(&self, number: u64, extent: Extent) -> bool {
        let origins = self.origins.iter().rev().take_while(|(_, until)| extent <= *until);
        extent == Extent::default()
            || number == self.number
            || origins.map(|(origin, _)| *origin).any(|origin| origin == number)
    }
}

/// Saved state.
impl History {
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.number(self.number);
        out.number(self.origins.len() as u64);
        let (mut number, mut extent) = (self.number, Extent::default());
        for (origin, until) in &self.origins {
            // Small, mostly: the documents of one process have numbers in a row.
            out.signed(origin.wrapping_sub(number) as i64);
            out.number((until.nodes - extent.nodes).into());
            out.number(until.text.wrapping_sub(extent.text).into());
            (number, extent) = (*origin, *until);
        }
    }

    /// Reads the history of a document that has grown so far. What was restored goes its own way, as a clone does.
    pub(super) fn restore(reader: &mut Reader<'_>, now: Extent) -> Result<Self, Impossible> {
        let mut saved = Self { number: reader.number()?, origins: Vec::new() };
        let (mut number, mut extent) = (saved.number, Extent::default());
        for _ in 0..reader.count()? {
            number = number.wrapping_add(reader.signed()? as u64);
            let nodes = reader.at_most((now.nodes - extent.nodes).into())? as u32;
            let text = reader.at_most(u32::MAX.into())? as u32;
            extent = Extent { nodes: extent.nodes + nodes, text: extent.text.wrapping_add(text) };
            Impossible::unless(extent <= now && saved.origins.last().is_none_or(|(_, last)| *last <= extent))?;
            saved.origins.push((number, extent));
        }
        Ok(saved.fork(now))
    }
}
