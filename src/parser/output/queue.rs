//! The queue that the iterator reads: events as ranges into buffers that are kept from chunk to chunk.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{LeveledOutput, Output, Selected};
use crate::error::Error;
use crate::event::{CompleteValue, Event, EventKind};
use crate::path::{NodeId, PathStore};
use crate::pattern::PatternId;
use crate::tokenizer::{PieceText, ValueKind};

/// The events of one chunk. Steady state allocates nothing: the buffers keep their size.
#[derive(Debug, Default)]
pub(in crate::parser) struct Queue {
    entries: Vec<Entry>,
    /// The text of deltas and atoms.
    text: String,
    inner: Option<Box<Inner>>,
}

/// A chunk that is only a piece of the open string: except for the text, the parser still knows everything about its
/// events when they are read, so they need no entries.
#[derive(Clone, Copy, Debug)]
pub(in crate::parser) struct Piece {
    /// The text if it is one character, which needs no copy; empty if it is in the queue.
    character: &'static str,
    pub(in crate::parser) offset: u64,
    /// How many matches it is told to.
    pub(in crate::parser) matches: usize,
}

/// What only the events of texts inside strings need. It is cleared where such a chunk begins, not with the rest, so that
/// other chunks pay nothing for it.
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
    /// A place in the queue's text.
    Delta(Place),
    /// A place in the queue's text.
    EndAtom(ValueKind, Place),
    /// Where a string or container began; it ended at the entry's offset.
    EndSpan(ValueKind, u64),
    /// A place in the text of a level.
    InnerDelta(u32, Place),
    /// A place in the text of a level.
    EndInnerAtom(ValueKind, u32, Place),
    /// A place in the text that is kept for a level.
    EndInnerSpan(ValueKind, u32, Place),
    /// The end of a string or container whose text was not kept.
    EndInnerUnkept,
    /// A place in the queue's inner errors.
    InnerError(usize),
}

impl Queue {
    #[inline]
    pub(in crate::parser) fn clear(&mut self) {
        self.entries.clear();
        self.text.clear();
    }

    /// Keeps the text of a piece.
    #[inline]
    pub(in crate::parser) fn keep_piece(&mut self, text: PieceText<'_>, offset: u64, matches: usize) -> Piece {
        let character = match text {
            PieceText::Character(character) => character,
            PieceText::Characters(text) => {
                self.text.push_str(text);
                ""
            }
        };
        Piece { character, offset, matches }
    }

    /// The text of a piece, which was the last chunk.
    #[inline]
    pub(in crate::parser) fn text_of(&self, piece: Piece) -> &str {
        if piece.character.is_empty() { &self.text } else { piece.character }
    }

    /// The event at a place, if there are that many. `retained` gives the text of a span, if it was kept, and `kept` what
    /// a level has kept at a place.
    #[inline]
    pub(in crate::parser) fn event<'a>(
        &'a self,
        place: usize,
        paths: &'a PathStore,
        retained: impl FnOnce(Range<u64>) -> Option<&'a [u8]>,
        kept: impl FnOnce(usize, Range<usize>) -> Option<&'a [u8]>,
    ) -> Option<Event<'a>> {
        let Entry { pattern, node, match_id, offset, kind: ref entry } = *self.entries.get(place)?;
        let path = paths.path(node);
        let complete = |kind, text| CompleteValue { kind, end: offset, text, path };
        let kind = match entry {
            EntryKind::Begin(kind) => EventKind::Begin(*kind),
            EntryKind::Delta(range) => EventKind::Delta(range.of(&self.text)),
            EntryKind::EndAtom(kind, range) => EventKind::End(Some(complete(*kind, range.of(&self.text).as_bytes()))),
            EntryKind::EndSpan(kind, start) => {
                EventKind::End(retained(*start..offset).map(|text| complete(*kind, text)))
            }
            inner => self.inner.as_ref()?.event(inner, complete, kept)?,
        };
        Some(Event { pattern, match_id, path, kind, offset })
    }

    /// How many events are waiting.
    #[inline]
    pub(in crate::parser) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    fn push(&mut self, selected: &Selected<'_>, offset: u64, kind: &EntryKind) {
        let node = selected.node;
        for (pattern, match_id) in selected.matches() {
            self.entries.push(Entry { pattern, node, match_id, offset, kind: *kind });
        }
    }

    /// Copies text into the queue; returns its place.
    #[inline]
    fn keep(&mut self, text: &str) -> Place {
        let start = self.text.len();
        self.text.push_str(text);
        Place { start, end: self.text.len() }
    }

    /// The same into the text of a level.
    fn keep_at(&mut self, level: usize, text: &str) -> Place {
        if level == 0 {
            return self.keep(text);
        }
        let inner = self.inner.get_or_insert_default();
        if inner.texts.len() < level {
            inner.texts.resize_with(level, String::new);
        }
        let kept = &mut inner.texts[level - 1];
        let start = kept.len();
        kept.push_str(text);
        Place { start, end: kept.len() }
    }
}

impl Output for Queue {
    #[inline]
    fn reads_later(&self) -> bool {
        true
    }

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

impl LeveledOutput for Queue {
    fn begin_chunk(&mut self) {
        // If events are waiting, this is the second part of one call.
        if let Some(inner) = self.inner.as_mut().filter(|_| self.entries.is_empty()) {
            inner.texts.iter_mut().for_each(String::clear);
            inner.errors.clear();
        }
    }

    /// The deltas of a string in one chunk are told as one here too, where the first of them is.
    fn delta_among_others(&mut self, level: usize, selected: &Selected<'_>, text: &str, at: u64) {
        let range = self.keep_at(level, text);
        let inner = self.inner.get_or_insert_default();
        if inner.newest_deltas.len() <= level {
            inner.newest_deltas.resize(level + 1, 0);
        }
        let newest = inner.newest_deltas[level];
        let told = self.entries.get_mut(newest..newest + selected.patterns.len()).unwrap_or_default();
        let is_delta = |kind: &EntryKind| matches!(kind, EntryKind::Delta(_) | EntryKind::InnerDelta(..));
        if told.first().is_some_and(|entry| entry.match_id == selected.first_match && is_delta(&entry.kind)) {
            for entry in told {
                if let EntryKind::Delta(told) | EntryKind::InnerDelta(_, told) = &mut entry.kind {
                    told.end = range.end;
                }
            }
            return;
        }
        inner.newest_deltas[level] = self.entries.len();
        let kind = if level == 0 { EntryKind::Delta(range) } else { EntryKind::InnerDelta(level as u32, range) };
        self.push(selected, at, &kind);
    }

    fn end_inner_atom(&mut self, level: usize, selected: &Selected<'_>, text: &str, end: u64) {
        let range = self.keep_at(level, text);
        self.push(selected, end, &EntryKind::EndInnerAtom(selected.kind, level as u32, range));
    }

    fn end_inner_span(&mut self, level: usize, selected: &Selected<'_>, end: u64, kept: Option<(Range<usize>, &[u8])>) {
        let kind = match kept {
            Some((Range { start, end }, _)) => {
                EntryKind::EndInnerSpan(selected.kind, level as u32, Place { start, end })
            }
            None => EntryKind::EndInnerUnkept,
        };
        // There may have been no text before: an empty container, or a parser that was restored.
        self.inner.get_or_insert_default();
        self.push(selected, end, &kind);
    }

    fn inner_error(&mut self, selected: &Selected<'_>, error: &Error) {
        let inner = self.inner.get_or_insert_default();
        let kind = EntryKind::InnerError(inner.errors.len());
        inner.errors.push(error.clone());
        self.push(selected, error.offset(), &kind);
    }
}

impl Inner {
    /// Out of the way of the other events.
    #[cold]
    fn event<'a>(
        &'a self,
        entry: &EntryKind,
        complete: impl Fn(ValueKind, &'a [u8]) -> CompleteValue<'a>,
        kept: impl FnOnce(usize, Range<usize>) -> Option<&'a [u8]>,
    ) -> Option<EventKind<'a>> {
        Some(match *entry {
            EntryKind::InnerDelta(level, place) => EventKind::Delta(self.text(level, place)),
            EntryKind::EndInnerAtom(kind, level, place) => {
                EventKind::End(Some(complete(kind, self.text(level, place).as_bytes())))
            }
            EntryKind::EndInnerSpan(kind, level, place) => {
                EventKind::End(kept(level as usize, place.start..place.end).map(|text| complete(kind, text)))
            }
            EntryKind::EndInnerUnkept => EventKind::End(None),
            EntryKind::InnerError(place) => EventKind::InnerError(self.errors.get(place)?),
            // The queue's own.
            EntryKind::Begin(_) | EntryKind::Delta(_) | EntryKind::EndAtom(..) | EntryKind::EndSpan(..) => return None,
        })
    }

    fn text(&self, level: u32, place: Place) -> &str {
        self.texts.get(level as usize - 1).map_or("", |text| place.of(text))
    }
}
