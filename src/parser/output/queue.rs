//! The queue that the iterator reads: events as ranges into buffers that are kept from chunk to chunk.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Output, Selected};
use crate::event::{CompleteValue, Event, EventKind};
use crate::path::{NodeId, PathStore};
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// The events of one chunk. Steady state allocates nothing: the buffers keep their size.
#[derive(Clone, Debug, Default)]
pub(in crate::parser) struct Queue {
    entries: Vec<Entry>,
    /// The text of deltas and atoms.
    text: String,
    /// Where the chunk began, if it was only a [piece](Self::keep_piece) of the open string.
    piece: Option<u64>,
}

#[derive(Clone, Debug)]
struct Entry {
    pattern: PatternId,
    node: NodeId,
    match_id: u64,
    offset: u64,
    kind: EntryKind,
}

#[derive(Clone, Debug)]
enum EntryKind {
    Begin(ValueKind),
    /// A place in the queue's text.
    Delta(Range<usize>),
    /// A place in the queue's text.
    EndAtom(ValueKind, Range<usize>),
    /// Where a string or container began; it ended at the entry's offset.
    EndSpan(ValueKind, u64),
}

impl Queue {
    #[inline]
    pub(in crate::parser) fn clear(&mut self) {
        self.entries.clear();
        self.text.clear();
        self.piece = None;
    }

    /// Takes a chunk that is only a piece of the open string: except for the text, the parser still knows everything
    /// about its events when they are read, so they need no entries.
    #[inline]
    pub(in crate::parser) fn keep_piece(&mut self, text: &str, at: u64) {
        self.text.push_str(text);
        self.piece = Some(at);
    }

    /// The piece and its offset, if that is what the chunk was.
    #[inline]
    pub(in crate::parser) fn piece(&self) -> Option<(&str, u64)> {
        Some((&self.text, self.piece?))
    }

    /// The event at a place, if there are that many. `retained` gives the text of a span, if it was kept.
    #[inline]
    pub(in crate::parser) fn event<'a>(
        &'a self,
        place: usize,
        paths: &'a PathStore,
        retained: impl FnOnce(Range<u64>) -> Option<&'a [u8]>,
    ) -> Option<Event<'a>> {
        let Entry { pattern, node, match_id, offset, kind: ref entry } = *self.entries.get(place)?;
        let path = paths.path(node);
        let complete = |kind, text| CompleteValue { kind, end: offset, text, path };
        let kind = match entry {
            EntryKind::Begin(kind) => EventKind::Begin(*kind),
            EntryKind::Delta(range) => EventKind::Delta(&self.text[range.clone()]),
            EntryKind::EndAtom(kind, range) => {
                EventKind::End(Some(complete(*kind, self.text[range.clone()].as_bytes())))
            }
            EntryKind::EndSpan(kind, start) => {
                EventKind::End(retained(*start..offset).map(|text| complete(*kind, text)))
            }
        };
        Some(Event { pattern, match_id, path, kind, offset })
    }

    /// How many events are waiting.
    pub(in crate::parser) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    fn push(&mut self, selected: &Selected<'_>, offset: u64, kind: &EntryKind) {
        let node = selected.node;
        for (pattern, match_id) in selected.matches() {
            self.entries.push(Entry { pattern, node, match_id, offset, kind: kind.clone() });
        }
    }

    /// Copies text into the queue; returns its place.
    #[inline]
    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }
}

impl Output for Queue {
    const READS_LATER: bool = true;

    #[inline]
    fn begin(&mut self, selected: &Selected<'_>, at: u64) {
        self.push(selected, at, &EntryKind::Begin(selected.kind));
    }

    /// The deltas of a string in one chunk are next to each other, so they are told as one.
    #[inline]
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        let range = self.keep(text);
        let told = self.entries.len().saturating_sub(selected.patterns.len());
        match &mut self.entries[told..] {
            [Entry { match_id, kind: EntryKind::Delta(_), .. }, ..] if *match_id == selected.first_match => {
                for entry in &mut self.entries[told..] {
                    if let EntryKind::Delta(told) = &mut entry.kind {
                        told.end = range.end;
                    }
                }
            }
            _ => self.push(selected, at, &EntryKind::Delta(range)),
        }
    }

    #[inline]
    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64) {
        let range = self.keep(text);
        self.push(selected, end, &EntryKind::EndAtom(selected.kind, range));
    }

    #[inline]
    fn end_span(&mut self, selected: &Selected<'_>, start: u64, end: u64, _text: Option<&[u8]>) {
        self.push(selected, end, &EntryKind::EndSpan(selected.kind, start));
    }
}
