//! The queue that the iterator reads: events as ranges into buffers that are kept from chunk to chunk.

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use super::{Output, Report, Selected};
use crate::error::Error;
use crate::event::{CompleteValue, Event, EventKind};
use crate::path::{NodeId, PathStore};
use crate::pattern::{Pattern, PatternId, PatternSet};
use crate::tokenizer::{AsciiBlock, BLOCK, NO_TEXT, Stops, ValueKind, ascii_part};

/// The events of one chunk. The steady state allocates nothing, because the buffers keep their size.
// The box is created for the first event, because a parser may never queue one.
#[derive(Debug, Default)]
pub(in crate::parser) struct Queue(Option<Box<Buffers>>);

#[derive(Debug)]
struct Buffers {
    entries: Vec<Entry>,
    /// The text of deltas and atoms, or of a long piece.
    text: String,
    /// The text of a chunk that was only a short piece of a string, padded with zeros.
    piece: AsciiBlock,
    /// The errors of texts inside strings, with the positions of their first events. Not cleared with the rest, so that
    /// chunks without an error pay nothing.
    errors: Vec<(usize, Error)>,
    // Boxed, because most parsers need none.
    deltas: Option<Box<Deltas>>,
}

/// The match and the entry of each delta that may be [joined](Output::join_deltas).
#[derive(Debug, Default)]
struct Deltas(Vec<(u64, usize)>);

#[derive(Debug)]
struct Entry {
    pattern: PatternId,
    node: NodeId,
    match_id: u64,
    offset: u64,
    kind: EntryKind,
}

/// A place in a text. It is copied as two words, which the compiler does not do for a `Range`.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    end: usize,
}

impl Place {
    #[inline]
    fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

#[derive(Clone, Copy, Debug)]
enum EntryKind {
    Begin(ValueKind),
    /// A place in the text of deltas and atoms.
    Delta(Place),
    EndAtom(ValueKind, Place),
    /// A place in the text that is kept for a level.
    EndSpan(ValueKind, u32, Place),
    /// The end of a string or container whose text was not kept.
    EndUnkept,
    /// A place in the queue's inner errors.
    InnerError(usize),
}

impl Default for Buffers {
    /// Makes room for the events of a few bytes, which are seldom more than two.
    fn default() -> Self {
        Self { entries: Vec::with_capacity(2), text: String::new(), piece: NO_TEXT, errors: Vec::new(), deltas: None }
    }
}

impl Queue {
    #[inline]
    pub(in crate::parser) fn clear(&mut self) {
        if let Some(buffers) = &mut self.0 {
            buffers.entries.clear();
            buffers.text.clear();
        }
    }

    /// Keeps the text of a chunk that is only a piece of the open string.
    #[inline]
    pub(in crate::parser) fn keep_piece(&mut self, piece: &Stops<'_>) {
        let buffers = self.buffers();
        if let Some(block) = piece.block() {
            buffers.piece = *block;
        } else {
            buffers.text.clear();
            buffers.text.push_str(piece.plain_text());
        }
    }

    /// Returns the text of the last chunk, a piece of `len` bytes that [`keep_piece`](Self::keep_piece) kept.
    #[inline]
    pub(in crate::parser) fn piece(&self, len: usize) -> &str {
        let Some(buffers) = &self.0 else { return "" };
        if len < BLOCK { ascii_part(&buffers.piece, 0..len).unwrap_or_default() } else { &buffers.text }
    }

    /// Returns the event at `place`, if there is one. `kept` returns the text that a level has kept at a place.
    #[inline]
    pub(in crate::parser) fn event<'a>(
        &'a self,
        place: usize,
        paths: &'a PathStore,
        kept: impl FnOnce(usize, Range<usize>) -> Option<&'a [u8]>,
    ) -> Option<Event<'a>> {
        let buffers = self.0.as_ref()?;
        let Entry { pattern, node, match_id, offset, kind: entry } = *buffers.entries.get(place)?;
        let path = paths.path(node);
        let complete =
            |kind, text: &'a [u8]| CompleteValue { kind, end: offset, text: text.into(), path: path.clone() };
        let kind = match entry {
            EntryKind::Begin(kind) => EventKind::Begin(kind),
            EntryKind::Delta(place) => EventKind::Delta(place.of(&buffers.text).into()),
            EntryKind::EndAtom(kind, place) => EventKind::End(Some(complete(kind, place.of(&buffers.text).as_bytes()))),
            EntryKind::EndSpan(kind, level, Place { start, end }) => {
                EventKind::End(kept(level as usize, start..end).map(|text| complete(kind, text)))
            }
            EntryKind::EndUnkept => EventKind::End(None),
            EntryKind::InnerError(place) => EventKind::InnerError(buffers.errors.get(place)?.1.clone()),
        };
        Some(Event { pattern, match_id, path, kind, offset })
    }

    /// Returns the number of queued events.
    #[inline]
    pub(in crate::parser) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |buffers| buffers.entries.len())
    }

    #[inline]
    fn buffers(&mut self) -> &mut Buffers {
        #[cold]
        #[inline(never)]
        fn new() -> Box<Buffers> {
            Box::default()
        }
        self.0.get_or_insert_with(new)
    }
}

impl Buffers {
    #[inline]
    fn push(&mut self, value: &Selected<'_>, offset: u64, kind: EntryKind) {
        let node = value.node;
        for (pattern, match_id) in value.matches() {
            self.entries.push(Entry { pattern, node, match_id, offset, kind });
        }
    }

    /// Copies text into the queue. Returns its place.
    #[inline]
    fn keep(&mut self, text: &str) -> Place {
        let start = self.text.len();
        self.text.push_str(text);
        Place { start, end: self.text.len() }
    }

    /// Adds new text of a value to its newest deltas if nothing else was reported since, or else queues new deltas.
    #[inline]
    fn push_delta(&mut self, value: &Selected<'_>, at: u64, text: &str) {
        let place = self.keep(text);
        let newest = self.entries.len().saturating_sub(value.patterns.len());
        match &mut self.entries[newest..] {
            [Entry { match_id, kind: EntryKind::Delta(_), .. }, ..] if *match_id == value.first_match => {
                for entry in &mut self.entries[newest..] {
                    if let EntryKind::Delta(reported) = &mut entry.kind {
                        reported.end = place.end;
                    }
                }
            }
            _ => self.push(value, at, EntryKind::Delta(place)),
        }
    }
}

impl Output for Queue {
    #[inline]
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) -> bool {
        let buffers = self.buffers();
        let (kind, offset) = match what {
            Report::Begin { at } => (EntryKind::Begin(value.kind), at),
            Report::Delta { text, at } => {
                buffers.push_delta(value, at, text);
                return true;
            }
            Report::EndAtom { text, end } => (EntryKind::EndAtom(value.kind, buffers.keep(text)), end),
            Report::EndSpan { kept: Some((Range { start, end: to }, _)), end } => {
                (EntryKind::EndSpan(value.kind, value.level as u32, Place { start, end: to }), end)
            }
            Report::EndSpan { kept: None, end } => (EntryKind::EndUnkept, end),
            Report::InnerError(error) => {
                // An error of an earlier chunk stays only if its position was smaller, so their number is limited.
                let newest = buffers.entries.len();
                buffers.errors.truncate(buffers.errors.partition_point(|(position, _)| *position < newest));
                buffers.errors.push((newest, error.clone()));
                (EntryKind::InnerError(buffers.errors.len() - 1), error.offset())
            }
        };
        buffers.push(value, offset, kind);
        true
    }

    fn join_deltas(&mut self, patterns: &PatternSet) {
        let Some(Buffers { entries, text, deltas, .. }) = self.0.as_deref_mut() else { return };
        let Deltas(deltas) = &mut **deltas.get_or_insert_default();
        let is_plain = |pattern| patterns.get(pattern).is_some_and(Pattern::is_plain);
        let is_delta =
            |(_, entry): &(usize, &Entry)| matches!(entry.kind, EntryKind::Delta(_)) && is_plain(entry.pattern);
        deltas.clear();
        deltas.extend(entries.iter().enumerate().filter(is_delta).map(|(place, entry)| (entry.match_id, place)));
        // Out of order only if several plain patterns select a string. Sorted by a heap, as the automaton's guards are: a
        // sort of its own would add 4 KB to each program.
        if !deltas.is_sorted() {
            *deltas = BinaryHeap::from(mem::take(deltas)).into_sorted_vec();
        }
        for of_match in deltas.chunk_by(|one, other| one.0 == other.0).filter(|of_match| of_match.len() > 1) {
            let start = text.len();
            for (_, place) in of_match {
                if let EntryKind::Delta(delta) = &mut entries[*place].kind {
                    text.extend_from_within(delta.start..delta.end);
                    // Empty deltas are removed below.
                    delta.end = delta.start;
                }
            }
            entries[of_match[0].1].kind = EntryKind::Delta(Place { start, end: text.len() });
        }
        entries.retain(|entry| !matches!(entry.kind, EntryKind::Delta(Place { start, end }) if start == end));
    }
}
