//! The queue that the iterator reads: events as ranges into buffers that are kept from chunk to chunk.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Kept, Output, Selected, SomeMatches, SomeText};
use crate::error::Error;
use crate::event::{CompleteValue, Event, EventKind};
use crate::path::{NodeId, PathStore};
use crate::pattern::PatternId;
use crate::tokenizer::{BLOCK, Stops, ValueKind, ascii_part};

/// The events of one chunk. Steady state allocates nothing: the buffers keep their size.
// In a box that is made for the first event, as a parser may never have one for an iterator.
#[derive(Debug, Default)]
pub(in crate::parser) struct Queue(Option<Box<Buffers>>);

#[derive(Debug)]
struct Buffers {
    entries: Vec<Entry>,
    /// The text of deltas and atoms, or of a long piece.
    text: String,
    /// The text of a chunk that was only a short piece of a string, with zeros behind it.
    piece: [u8; BLOCK],
    inner: Option<Box<Inner>>,
}

/// The queue's part for the events of texts inside strings. It is cleared where such a chunk begins, not with the rest,
/// so that other chunks pay nothing for it.
#[derive(Debug, Default)]
struct Inner {
    /// The text of deltas and atoms, for each level from 1: a string's text stays in one piece.
    texts: Vec<String>,
    errors: Vec<Error>,
    /// The places of the newest deltas of each level, from 0.
    newest_deltas: Vec<usize>,
}

#[derive(Debug)]
struct Entry {
    pattern: PatternId,
    node: NodeId,
    match_id: u64,
    offset: u64,
    kind: EntryKind,
}

/// A place in a text. A copy is a few words, which a `Range` is not taken for.
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
    /// A place in the document's text of deltas and atoms, so that the many take few words.
    Delta(Place),
    /// A place in the text of a deeper level.
    InnerDelta(u32, Place),
    /// A place in the text of a level as it came, which the parser has.
    RawDelta(u32, Place),
    /// A place in the text of a level.
    EndAtom(ValueKind, u32, Place),
    /// A place in the text that is kept for a level.
    EndSpan(ValueKind, u32, Place),
    /// The end of a string or container whose text was not kept.
    EndUnkept,
    /// A place in the queue's inner errors.
    InnerError(usize),
}

/// Lets the deltas of a value's matches in one chunk reach up to a place, if they are these. Returns whether they are.
fn grow(reported: &mut [Entry], first_match: u64, end: usize) -> bool {
    let first = reported.first_mut().filter(|first| first.match_id == first_match);
    if first.and_then(|first| first.kind.of_delta()).is_none() {
        return false;
    }
    for place in reported.iter_mut().filter_map(|entry| entry.kind.of_delta()) {
        place.end = end;
    }
    true
}

impl EntryKind {
    /// A delta with text of a level that the queue has kept.
    fn delta(level: usize, place: Place) -> Self {
        if level == 0 { Self::Delta(place) } else { Self::InnerDelta(level as u32, place) }
    }

    /// The place of a delta.
    fn of_delta(&mut self) -> Option<&mut Place> {
        match self {
            Self::Delta(place) | Self::InnerDelta(_, place) | Self::RawDelta(_, place) => Some(place),
            _ => None,
        }
    }
}

impl Default for Buffers {
    /// Room for the events of a few bytes: there are seldom more than two.
    fn default() -> Self {
        Self { entries: Vec::with_capacity(2), text: String::new(), piece: [0; BLOCK], inner: None }
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

    /// Makes room for the events of a long chunk at once, if there is none: it would grow step by step.
    #[inline(never)]
    pub(in crate::parser) fn expect(&mut self, chunk_len: usize) {
        if self.0.is_none() {
            let (len, buffers) = (chunk_len.min(4096), self.buffers());
            buffers.entries.reserve(len / 64);
            buffers.text.reserve(len / 4);
        }
    }

    /// Another text begins: what came in the last one among others is forgotten too.
    pub(in crate::parser) fn reset(&mut self) {
        self.clear();
        if let Some(inner) = self.0.as_mut().and_then(|buffers| buffers.inner.as_mut()) {
            inner.newest_deltas.clear();
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
            piece.push_plain_to(&mut buffers.text);
        }
    }

    /// Returns the text of such a chunk, which was the last one and has so many bytes.
    #[inline]
    pub(in crate::parser) fn piece(&self, len: usize) -> &str {
        let Some(buffers) = &self.0 else { return "" };
        if len < BLOCK { ascii_part(&buffers.piece, 0..len).unwrap_or_default() } else { &buffers.text }
    }

    /// The event at a place, if there are that many. `kept` gives what a level has kept at a place, and `raw` its text
    /// as it came.
    #[inline]
    pub(in crate::parser) fn event<'a>(
        &'a self,
        place: usize,
        paths: &'a PathStore,
        kept: impl FnOnce(usize, Range<usize>) -> Option<&'a [u8]>,
        raw: impl FnOnce(usize, Range<usize>) -> &'a str,
    ) -> Option<Event<'a>> {
        let buffers = self.0.as_ref()?;
        let Entry { pattern, node, match_id, offset, kind: entry } = *buffers.entries.get(place)?;
        let path = paths.path(node);
        let complete = |kind, text| CompleteValue { kind, end: offset, text, path };
        let kind = match entry {
            EntryKind::Begin(kind) => EventKind::Begin(kind),
            EntryKind::Delta(place) => EventKind::Delta(place.of(&buffers.text)),
            EntryKind::InnerDelta(level, place) => EventKind::Delta(place.of(buffers.inner_text(level))),
            EntryKind::RawDelta(level, Place { start, end }) => EventKind::Delta(raw(level as usize, start..end)),
            EntryKind::EndAtom(kind, level, place) => {
                EventKind::End(Some(complete(kind, place.of(buffers.text_at(level)).as_bytes())))
            }
            EntryKind::EndSpan(kind, level, Place { start, end }) => {
                EventKind::End(kept(level as usize, start..end).map(|text| complete(kind, text)))
            }
            EntryKind::EndUnkept => EventKind::End(None),
            EntryKind::InnerError(place) => EventKind::InnerError(buffers.inner.as_ref()?.errors.get(place)?),
        };
        Some(Event { pattern, match_id, path, kind, offset })
    }

    /// Returns the number of events that wait.
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
    /// The text of deltas and atoms of a level.
    #[inline]
    fn text_at(&self, level: u32) -> &str {
        if level == 0 { &self.text } else { self.inner_text(level) }
    }

    /// Out of the way of the other events.
    #[cold]
    fn inner_text(&self, level: u32) -> &str {
        let inner = self.inner.as_ref();
        inner.and_then(|inner| inner.texts.get(level as usize - 1)).map_or("", String::as_str)
    }

    #[inline]
    fn push(&mut self, selected: &Selected<'_>, offset: u64, kind: &EntryKind) {
        let node = selected.node;
        for (pattern, match_id) in selected.matches() {
            self.entries.push(Entry { pattern, node, match_id, offset, kind: *kind });
        }
    }

    /// Copies text of a level into the queue; returns its place.
    #[inline]
    fn keep(&mut self, level: usize, text: &str) -> Place {
        if level > 0 {
            return self.keep_inner(level, text);
        }
        let start = self.text.len();
        self.text.push_str(text);
        Place { start, end: self.text.len() }
    }

    #[cold]
    fn keep_inner(&mut self, level: usize, text: &str) -> Place {
        let kept = self.inner.get_or_insert_default().text(level);
        let start = kept.len();
        kept.push_str(text);
        Place { start, end: kept.len() }
    }
}

impl Inner {
    fn text(&mut self, level: usize) -> &mut String {
        if self.texts.len() < level {
            self.texts.resize_with(level, String::new);
        }
        &mut self.texts[level - 1]
    }
}

impl Output for Queue {
    #[inline]
    fn reads_later(&self) -> bool {
        true
    }

    fn begin(&mut self, selected: &Selected<'_>, at: u64) {
        self.buffers().push(selected, at, &EntryKind::Begin(selected.kind));
    }

    /// The deltas of a string in one chunk are next to each other, so they are reported as one.
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        let Buffers { entries, text: told, .. } = self.buffers();
        let start = told.len();
        told.push_str(text);
        let end = told.len();
        let reported = entries.len().saturating_sub(selected.patterns.len());
        match &mut entries[reported..] {
            [Entry { match_id, kind: EntryKind::Delta(_), .. }, ..] if *match_id == selected.first_match => {
                for entry in &mut entries[reported..] {
                    if let EntryKind::Delta(reported) = &mut entry.kind {
                        reported.end = end;
                    }
                }
            }
            _ => self.buffers().push(selected, at, &EntryKind::Delta(Place { start, end })),
        }
    }

    /// The deltas of a string in one chunk are reported as one here too, where the first of them is.
    fn delta_among_others(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        let buffers = self.buffers();
        let (level, end) = (selected.level, buffers.entries.len());
        let place = buffers.keep(level, text);
        let inner = buffers.inner.get_or_insert_default();
        if inner.newest_deltas.len() <= level {
            // Unless the chunk began where no string was read inside, there is none.
            inner.newest_deltas.resize(level + 1, end.saturating_sub(selected.patterns.len()));
        }
        let newest = inner.newest_deltas[level];
        let reported = buffers.entries.get_mut(newest..newest + selected.patterns.len()).unwrap_or_default();
        if grow(reported, selected.first_match, place.end) {
            return;
        }
        inner.newest_deltas[level] = end;
        buffers.push(selected, at, &EntryKind::delta(level, place));
    }

    fn some_delta(&mut self, some: &mut SomeMatches, new: SomeText<'_>) {
        let Some(&(_, first_match)) = some.matches.first() else { return };
        let buffers = self.buffers();
        let (kind, end) = match new.place {
            Some(Range { start, end }) => (EntryKind::RawDelta(new.level as u32, Place { start, end }), end),
            None => {
                let place = buffers.keep(new.level, new.text);
                (EntryKind::delta(new.level, place), place.end)
            }
        };
        let reported = buffers.entries.get_mut(some.newest..).unwrap_or_default();
        let len = reported.len().min(some.matches.len());
        if grow(&mut reported[..len], first_match, end) {
            return;
        }
        some.newest = buffers.entries.len();
        let (node, offset) = (new.node, new.at);
        for &(pattern, match_id) in &some.matches {
            buffers.entries.push(Entry { pattern, node, match_id, offset, kind });
        }
    }

    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64) {
        let buffers = self.buffers();
        let place = buffers.keep(selected.level, text);
        buffers.push(selected, end, &EntryKind::EndAtom(selected.kind, selected.level as u32, place));
    }

    fn end_span(&mut self, selected: &Selected<'_>, end: u64, kept: Kept<'_>) {
        let kind = match kept {
            Some((Range { start, end }, _)) => {
                EntryKind::EndSpan(selected.kind, selected.level as u32, Place { start, end })
            }
            None => EntryKind::EndUnkept,
        };
        self.buffers().push(selected, end, &kind);
    }

    fn begin_chunk(&mut self) {
        // If events are waiting, this is the second part of one call.
        let buffers = self.buffers();
        let inner = buffers.inner.get_or_insert_default();
        if buffers.entries.is_empty() {
            inner.texts.iter_mut().for_each(String::clear);
            inner.errors.clear();
            inner.newest_deltas.clear();
        }
    }

    fn inner_error(&mut self, selected: &Selected<'_>, error: &Error) {
        let buffers = self.buffers();
        let inner = buffers.inner.get_or_insert_default();
        let kind = EntryKind::InnerError(inner.errors.len());
        inner.errors.push(error.clone());
        buffers.push(selected, error.offset(), &kind);
    }
}
