//! Raw deltas: the JSON text, as it comes, of open values that a pattern `raw:…` selects.
//!
//! A value's first byte is reported with its begin, so that its deltas stand at a place among the events that no cut
//! changes; the rest where the value ends, and where the piece of text ends that is being read: the chunk, or the next
//! decoded piece of a string that is read inside. What has been reported so far follows from where the pieces were, so
//! nothing of it has to be saved.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::str;

use super::{OpenValue, Tracker};
use crate::parser::output::{Output, Queue, SomeMatches, SomeText};
use crate::path::{NodeId, PathStore};
use crate::pattern::PatternSet;
use crate::tokenizer::{Utf8Rest, floor_char_boundary, valid_prefix};

/// The level of the document.
const DOCUMENT: usize = 0;

/// Stands for a byte of a comment that is not UTF-8. Strict JSON never has it.
const SUBSTITUTE: char = '\u{1A}';

#[derive(Clone, Debug, Default)]
pub(super) struct RawDeltas {
    /// The open values that a raw pattern selects, outermost first.
    open: Vec<OpenRaw>,
    /// The texts of each level in this chunk.
    texts: Vec<LevelText>,
    /// The document's piece as it came, if it may not be all UTF-8.
    bytes: Vec<u8>,
    /// The beginning of a character that the last chunk's end has cut.
    held: Vec<u8>,
    /// True if the chunk that is being read has come: what is left of it may come again.
    has_chunk: bool,
}

#[derive(Clone, Debug)]
struct OpenRaw {
    /// The place of its frame; that after the last one for a string or atom that has none.
    frame: usize,
    level: usize,
    start: u64,
    raw: SomeMatches,
    plain: SomeMatches,
}

/// The texts of a level in this chunk, one after the other.
#[derive(Clone, Debug, Default)]
struct LevelText {
    text: String,
    /// The place in it of the piece that is being read, and its offset in the text that it is part of.
    place: usize,
    at: u64,
    /// The offset up to which all has been reported when the piece began.
    reported: u64,
}

impl LevelText {
    /// Adds bytes that are not all UTF-8. Returns the beginning of a character with which they end.
    fn push<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        loop {
            let prefix = valid_prefix(bytes);
            self.text.push_str(prefix.valid);
            bytes = &bytes[prefix.valid.len()..];
            match prefix.rest {
                Utf8Rest::Empty | Utf8Rest::Cut(_) => return bytes,
                Utf8Rest::Bad(place) => {
                    let len = place.max(1);
                    self.text.extend(core::iter::repeat_n(SUBSTITUTE, len));
                    bytes = &bytes[len..];
                }
            }
        }
    }

    /// The offset at which the piece ends.
    #[inline]
    fn end(&self) -> u64 {
        self.at + (self.text.len() - self.place) as u64
    }

    fn place_of(&self, offset: u64) -> usize {
        self.place + offset.saturating_sub(self.at) as usize
    }

    /// The piece has been read only up to an offset, before which there may be the beginning of a character; here are
    /// its bytes, if it is the document's and may not be all UTF-8.
    fn cut_at(&mut self, offset: u64, bytes: &[u8]) {
        let end = self.place_of(offset);
        if bytes.is_empty() {
            self.text.truncate(floor_char_boundary(&self.text, end));
        } else {
            // A byte that begins a character has been replaced as one that is bad, since the next one does not continue
            // it.
            self.text.clear();
            self.push(&bytes[..bytes.len().min(end)]);
        }
    }
}

impl RawDeltas {
    /// None if no pattern is raw.
    // Not inlined, as the next one is not: what makes and resets a parser is inlined where chunks are fed.
    #[inline(never)]
    pub(super) fn of(patterns: &PatternSet) -> Option<Box<Self>> {
        patterns.as_slice().iter().any(|pattern| pattern.is_raw).then(Box::default)
    }

    /// Another document begins.
    #[inline(never)]
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.texts.clear();
        self.bytes.clear();
        self.held.clear();
        self.has_chunk = false;
    }

    /// The next piece of the text of a level begins; some bytes before it are not reported yet, as nobody knew of what.
    fn begin_piece(&mut self, level: usize, before: &[u8], piece: &[u8], at: u64) {
        if self.texts.len() <= level {
            self.texts.resize_with(level + 1, LevelText::default);
        }
        let text = &mut self.texts[level];
        text.place = text.text.len();
        (text.at, text.reported) = (at, at);
        // The decoded text of a string is never cut in a character.
        let is_apart = level > DOCUMENT || self.held.is_empty() && before.is_empty();
        if level == DOCUMENT {
            self.bytes.clear();
        }
        if is_apart && let Ok(piece) = str::from_utf8(piece) {
            text.text.push_str(piece);
            return;
        }
        // The bytes of a byte order mark are held by both.
        let before = if self.held.is_empty() { before } else { b"" };
        text.at = at.saturating_sub((self.held.len() + before.len()) as u64);
        text.reported = text.at;
        self.bytes = [before, &self.held, piece].concat();
        self.held = text.push(&self.bytes).to_vec();
    }

    /// Another chunk begins, and the events of the last one are over.
    fn clear_texts(&mut self) {
        for text in &mut self.texts {
            text.text.clear();
        }
    }
}

impl OpenRaw {
    /// Reports what is new of the value in a range of offsets, out of the text of its level.
    fn report<O: Output + ?Sized>(
        &mut self,
        new: Range<u64>,
        text: &LevelText,
        node: NodeId,
        paths: &PathStore,
        out: &mut O,
    ) {
        let (from, to) = (text.place_of(new.start), text.place_of(new.end).min(text.text.len()));
        if let Some(text) = text.text.get(from..to).filter(|text| !text.is_empty()) {
            let (at, level, place) = (new.start, self.level, Some(from..to));
            out.some_delta(&mut self.raw, SomeText { text, at, level, place, node, paths });
        }
    }

    /// The same for what is new up to an offset.
    fn report_to<O: Output + ?Sized>(
        &mut self,
        to: u64,
        text: &LevelText,
        node: NodeId,
        paths: &PathStore,
        out: &mut O,
    ) {
        self.report(text.reported.max(self.start + 1)..to, text, node, paths, out);
    }
}

impl Tracker {
    /// Returns true if a value is open that a raw pattern selects.
    pub(in crate::parser) fn has_open_raw(&self) -> bool {
        self.raw.as_ref().is_some_and(|raw| !raw.open.is_empty())
    }

    /// The beginning of a character that the last chunk's end has cut.
    pub(crate) fn raw_held(&self) -> &[u8] {
        self.raw.as_ref().map_or(&[], |raw| &raw.held)
    }

    /// Continues after such bytes, which end at an offset. Returns whether that is possible.
    pub(crate) fn restore_raw_held(&mut self, held: &[u8], end: u64) -> bool {
        let prefix = valid_prefix(held);
        let is_cut = prefix.valid.is_empty() && !matches!(prefix.rest, Utf8Rest::Bad(_)) && held.len() as u64 <= end;
        if let Some(raw) = self.raw.as_mut().filter(|_| is_cut) {
            raw.held = held.to_vec();
        }
        is_cut
    }

    /// Returns true if the open string or atom is selected.
    pub(in crate::parser) fn has_leaf(&self) -> bool {
        self.leaf.is_some()
    }

    /// Returns true if a pattern is raw.
    pub(in crate::parser) fn has_raw(&self) -> bool {
        self.raw.is_some()
    }

    /// The text of a level in this chunk at a place.
    pub(in crate::parser) fn raw_text(&self, level: usize, place: Range<usize>) -> &str {
        let text = self.raw.as_ref().and_then(|raw| raw.texts.get(level));
        text.and_then(|text| text.text.get(place)).unwrap_or_default()
    }

    /// A chunk of the document begins, or what is left of one; some bytes before it are held back by who reads it.
    pub(in crate::parser) fn begin_raw_chunk(&mut self, before: &[u8], chunk: &[u8], at: u64) {
        let Some(raw) = &mut self.raw else { return };
        if core::mem::replace(&mut raw.has_chunk, true) {
            return;
        }
        raw.clear_texts();
        raw.begin_piece(DOCUMENT, before, chunk, at);
    }

    /// A chunk lies inside a string of the document, so it is new text of all that is open.
    #[inline]
    pub(in crate::parser) fn pass_raw<O: Output + ?Sized>(&mut self, chunk: &str, at: u64, out: &mut O) {
        if self.has_open_raw() {
            self.pass_some_raw(chunk, at, out);
        }
    }

    /// The same, for a queue that has nothing else to keep; returns the number of its events.
    #[cold]
    #[inline(never)]
    pub(in crate::parser) fn queue_raw(&mut self, chunk: &str, at: u64, queue: &mut Queue) -> usize {
        queue.clear();
        self.pass_raw(chunk, at, queue);
        queue.len()
    }

    #[cold]
    fn pass_some_raw<O: Output + ?Sized>(&mut self, chunk: &str, at: u64, out: &mut O) {
        let Self { raw: Some(raw), frames, node, paths, .. } = self else { return };
        let RawDeltas { open, texts, .. } = &mut **raw;
        if out.reads_later()
            && let Some(document) = texts.first_mut()
        {
            document.text.clear();
            document.text.push_str(chunk);
        }
        let level = DOCUMENT;
        for OpenRaw { frame, raw, .. } in open {
            let node = frames.get(*frame).map_or(*node, |frame| frame.node);
            out.some_delta(raw, SomeText { text: chunk, at, level, place: Some(0..chunk.len()), node, paths });
            if out.reads_later() {
                paths.pin(node);
            }
        }
    }

    /// The chunk has been read, perhaps only up to an offset where the text has failed; its last bytes may be held back
    /// by who reads it, and come before the next one again. Returns whether a value is open that a raw pattern selects.
    #[inline]
    pub(in crate::parser) fn end_raw_chunk<O: Output + ?Sized>(
        &mut self,
        failed_at: Option<u64>,
        held: &[u8],
        out: &mut O,
    ) -> bool {
        let Some(raw) = &mut self.raw else { return false };
        raw.has_chunk = false;
        if let Some(document) = raw.texts.first_mut()
            && !held.is_empty()
            && document.text.as_bytes().ends_with(held)
        {
            document.text.truncate(document.text.len() - held.len());
            raw.bytes.truncate(raw.bytes.len().saturating_sub(held.len()));
        }
        self.end_raw_piece(DOCUMENT, failed_at, out);
        self.has_open_raw()
    }

    /// The next piece of the text in a string begins.
    #[inline]
    pub(in crate::parser) fn begin_raw_piece(&mut self, level: usize, piece: &str, at: u64) {
        if let Some(raw) = &mut self.raw {
            raw.begin_piece(level, b"", piece.as_bytes(), at);
        }
    }

    /// The piece of the text of a level has been read, perhaps only up to an offset where the text has failed.
    #[inline(never)]
    pub(in crate::parser) fn end_raw_piece<O: Output + ?Sized>(
        &mut self,
        level: usize,
        failed_at: Option<u64>,
        out: &mut O,
    ) {
        let Self { raw: Some(raw), frames, node, paths, .. } = self else { return };
        let RawDeltas { open, texts, bytes, .. } = &mut **raw;
        let Some(text) = texts.get_mut(level) else { return };
        if let Some(offset) = failed_at {
            text.cut_at(offset, if level == DOCUMENT { bytes } else { &[] });
        }
        let to = text.end();
        let from = if level == DOCUMENT { 0 } else { open.partition_point(|open| open.level < level) };
        for open in open[from..].iter_mut().take_while(|open| open.level == level) {
            let node = frames.get(open.frame).map_or(*node, |frame| frame.node);
            open.report_to(to, text, node, paths, out);
            if out.reads_later() {
                paths.pin(node);
            }
        }
        (text.place, text.at, text.reported) = (text.text.len(), to, to);
    }

    /// A selected value has begun, which has been reported.
    #[inline]
    pub(super) fn begin_raw<O: Output + ?Sized>(&mut self, value: &OpenValue, out: &mut O) {
        let level = self.level();
        let Self { raw: Some(raw), patterns, selecting, frames, node, paths, .. } = self else { return };
        let matches = |is_raw| {
            let all = value.patterns_in(selecting).iter().copied().zip(value.first_match..);
            all.filter(|(id, _)| patterns.get(*id).is_some_and(|pattern| pattern.is_raw == is_raw)).collect()
        };
        let those: SomeMatches = matches(true);
        if !those.is_empty() {
            let (frame, start) = (frames.len(), value.start);
            let mut open = OpenRaw { frame, level, start, raw: those, plain: matches(false) };
            if let Some(text) = raw.texts.get_mut(level) {
                open.report(start..start + 1, text, *node, paths, out);
            }
            raw.open.push(open);
        }
    }

    /// A selected value ends, which is reported next.
    #[inline]
    pub(super) fn end_raw<O: Output + ?Sized>(&mut self, end: u64, out: &mut O) {
        let Self { raw: Some(raw), frames, node, paths, .. } = self else { return };
        if let Some(open) = raw.open.pop_if(|open| open.frame == frames.len()).as_mut()
            && let Some(text) = raw.texts.get_mut(open.level)
        {
            open.report_to(end, text, *node, paths, out);
        }
    }

    /// Returns true if the open string's decoded text is reported.
    pub(super) fn needs_text(&self) -> bool {
        let newest = self.raw.as_ref().and_then(|raw| raw.open.last());
        newest.filter(|open| open.frame == self.frames.len()).is_none_or(|open| !open.plain.is_empty())
    }

    /// New text of the open string of a level. Returns false if no raw pattern selects that.
    #[cold]
    pub(super) fn delta_beside_raw<O: Output + ?Sized>(
        &mut self,
        level: usize,
        text: &str,
        at: u64,
        out: &mut O,
    ) -> bool {
        let frame = self.entered.get(level).map_or(self.frames.len(), |string| string.frame);
        let Some(raw) = &mut self.raw else { return false };
        let Ok(place) = raw.open.binary_search_by_key(&frame, |open| open.frame) else { return false };
        let plain = &mut raw.open[place].plain;
        if !plain.is_empty() {
            let node = self.frames.get(frame).map_or(self.node, |frame| frame.node);
            out.some_delta(plain, SomeText { text, at, level, place: None, node, paths: &self.paths });
            if out.reads_later() {
                self.paths.pin(node);
            }
        }
        true
    }

    /// What is open inside a string has been lost.
    pub(super) fn forget_raw(&mut self, frame: usize) {
        if let Some(raw) = &mut self.raw {
            raw.open.truncate(raw.open.partition_point(|open| open.frame <= frame));
        }
    }
}
