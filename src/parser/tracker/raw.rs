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
use crate::parser::output::{Output, SomeMatches, SomeText};
use crate::path::NodeId;
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
    /// The beginning of a character that the last chunk's end has cut.
    held: Vec<u8>,
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

    fn place_of(&self, offset: u64) -> usize {
        self.place + offset.saturating_sub(self.at) as usize
    }

    /// The piece has been read only up to an offset: the byte there is bad, and what comes before it may be the beginning
    /// of a character.
    fn cut_at(&mut self, offset: u64) {
        self.text.truncate(floor_char_boundary(&self.text, self.place_of(offset)));
        self.text.truncate(self.text.trim_end_matches(SUBSTITUTE).len().max(self.place));
    }
}

impl RawDeltas {
    /// None if no pattern is raw.
    // Not inlined, as the next one is not: what makes and resets a parser is inlined where chunks are fed.
    #[inline(never)]
    pub(super) fn of(patterns: &PatternSet) -> Option<Box<Self>> {
        patterns.iter().any(|(_, pattern)| pattern.is_raw).then(Box::default)
    }

    /// Another document begins.
    #[inline(never)]
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.texts.clear();
        self.held.clear();
    }

    /// The next piece of the text of a level begins; some bytes before it are not reported yet, as nobody knew of what.
    fn begin_piece(&mut self, level: usize, before: &[u8], piece: &[u8], at: u64) {
        if self.texts.len() <= level {
            self.texts.resize_with(level + 1, LevelText::default);
        }
        let text = &mut self.texts[level];
        text.place = text.text.len();
        (text.at, text.reported) = (at, at);
        match str::from_utf8(piece) {
            // The decoded text of a string is never cut in a character.
            Ok(piece) if level > DOCUMENT || self.held.len() + before.len() == 0 => text.text.push_str(piece),
            _ => {
                // The bytes of a byte order mark are held by both.
                let before = if self.held.is_empty() { before } else { b"" };
                text.reported = at.saturating_sub(self.held.len() as u64);
                text.at = text.reported.saturating_sub(before.len() as u64);
                let joined = [before, &self.held, piece].concat();
                self.held = text.push(&joined).to_vec();
            }
        }
    }

    /// Reports what is new of an open value in a range of offsets. Returns whether there is anything.
    fn report(&mut self, place: usize, new: Range<u64>, tracker: &Tracker, node: NodeId, out: &mut dyn Output) -> bool {
        let OpenRaw { level, ref mut raw, .. } = self.open[place];
        let Some(text) = self.texts.get(level) else { return false };
        let (from, to) = (text.place_of(new.start), text.place_of(new.end).min(text.text.len()));
        if from >= to {
            return false;
        }
        let place = Some(from..to);
        let text = &text.text[from..to];
        out.some_delta(raw, SomeText { text, at: new.start, level, place, node, paths: &tracker.paths });
        true
    }

    /// Reports what is new of an open value up to an offset.
    fn report_to(&mut self, place: usize, to: u64, tracker: &Tracker, node: NodeId, out: &mut dyn Output) -> bool {
        let OpenRaw { level, start, .. } = self.open[place];
        let reported = self.texts.get(level).map_or(to, |text| text.reported);
        self.report(place, reported.max(start + 1)..to, tracker, node, out)
    }
}

impl Tracker {
    /// Returns true if a pattern is raw.
    pub(in crate::parser) fn has_raw(&self) -> bool {
        self.raw.is_some()
    }

    /// Returns true if a value is open that a raw pattern selects.
    pub(in crate::parser) fn has_open_raw(&self) -> bool {
        self.raw.as_ref().is_some_and(|raw| !raw.open.is_empty())
    }

    /// The text of a level in this chunk at a place.
    pub(in crate::parser) fn raw_text(&self, level: usize, place: Range<usize>) -> &str {
        let text = self.raw.as_ref().and_then(|raw| raw.texts.get(level));
        text.and_then(|text| text.text.get(place)).unwrap_or_default()
    }

    /// A chunk of the document begins; some bytes before it are held back by who reads it.
    pub(in crate::parser) fn begin_raw_chunk(&mut self, before: &[u8], chunk: &[u8], at: u64, out: &mut dyn Output) {
        let Some(raw) = &mut self.raw else { return };
        if out.begin_chunk() {
            raw.texts.iter_mut().for_each(|text| text.text.clear());
        }
        raw.begin_piece(DOCUMENT, before, chunk, at);
    }

    /// A chunk lies inside a string of the document, so it is new text of all that is open.
    pub(in crate::parser) fn pass_raw(&mut self, chunk: &str, at: u64, is_first: bool, out: &mut dyn Output) {
        let Self { raw: Some(raw), frames, node, paths, .. } = self else { return };
        let RawDeltas { open, texts, .. } = &mut **raw;
        if is_first {
            texts.iter_mut().for_each(|text| text.text.clear());
        }
        let Some(text) = texts.first_mut() else { return };
        let place = text.text.len()..text.text.len() + chunk.len();
        text.text.push_str(chunk);
        (text.place, text.at) = (place.end, at + chunk.len() as u64);
        text.reported = text.at;
        let is_read_later = out.reads_later();
        for OpenRaw { frame, raw, .. } in open {
            let (level, node) = (DOCUMENT, frames.get(*frame).map_or(*node, |frame| frame.node));
            let place = Some(place.clone());
            out.some_delta(raw, SomeText { text: chunk, at, level, place, node, paths });
            if is_read_later {
                paths.pin(node);
            }
        }
    }

    /// The next piece of the text in a string begins.
    pub(in crate::parser) fn begin_raw_piece(&mut self, level: usize, piece: &str, at: u64) {
        if let Some(raw) = &mut self.raw {
            raw.begin_piece(level, b"", piece.as_bytes(), at);
        }
    }

    /// The piece of the text of a level has been read, perhaps only up to an offset where the text has failed.
    pub(in crate::parser) fn end_raw_piece(&mut self, level: usize, failed_at: Option<u64>, out: &mut dyn Output) {
        let Some(mut raw) = self.raw.take() else { return };
        if let Some(text) = raw.texts.get_mut(level) {
            if let Some(offset) = failed_at {
                text.cut_at(offset);
            }
            let to = text.at + (text.text.len() - text.place) as u64;
            let from = raw.open.partition_point(|open| open.level < level);
            for place in from..raw.open.partition_point(|open| open.level <= level) {
                let node = self.frames.get(raw.open[place].frame).map_or(self.node, |frame| frame.node);
                if raw.report_to(place, to, self, node, out) && out.reads_later() {
                    self.paths.pin(node);
                }
            }
            let text = &mut raw.texts[level];
            (text.place, text.at, text.reported) = (text.text.len(), to, to);
        }
        self.raw = Some(raw);
    }

    /// A selected value has begun, which has been reported.
    #[inline]
    pub(super) fn begin_raw<O: Output + ?Sized>(&mut self, value: &OpenValue, out: &mut O) {
        if self.raw.is_some() {
            self.begin_some_raw(value, out.as_dyn());
        }
    }

    #[cold]
    fn begin_some_raw(&mut self, value: &OpenValue, out: &mut dyn Output) {
        let Some(mut raw) = self.raw.take() else { return };
        let matches = |is_raw| {
            let all = self.selecting[value.selecting_from..].iter().copied().zip(value.first_match..);
            all.filter(|(id, _)| self.patterns.get(*id).is_some_and(|pattern| pattern.is_raw == is_raw)).collect()
        };
        let those: SomeMatches = matches(true);
        if !those.is_empty() {
            let (frame, level, start) = (self.frames.len(), self.level(), value.start);
            raw.open.push(OpenRaw { frame, level, start, raw: those, plain: matches(false) });
            raw.report(raw.open.len() - 1, start..start + 1, self, self.node, out);
        }
        self.raw = Some(raw);
    }

    /// A selected value ends, which is reported next.
    #[inline]
    pub(super) fn end_raw<O: Output + ?Sized>(&mut self, end: u64, out: &mut O) {
        if self.raw.is_some() {
            self.end_some_raw(end, out.as_dyn());
        }
    }

    #[cold]
    fn end_some_raw(&mut self, end: u64, out: &mut dyn Output) {
        let Some(mut raw) = self.raw.take() else { return };
        if raw.open.last().is_some_and(|open| open.frame == self.frames.len()) {
            raw.report_to(raw.open.len() - 1, end, self, self.node, out);
            raw.open.pop();
        }
        self.raw = Some(raw);
    }

    /// Returns true if the open string's decoded text is reported.
    pub(super) fn needs_text(&self) -> bool {
        let newest = self.raw.as_ref().and_then(|raw| raw.open.last());
        newest.filter(|open| open.frame == self.frames.len()).is_none_or(|open| !open.plain.is_empty())
    }

    /// New text of the open string of a level. Returns false if no raw pattern selects that.
    #[cold]
    pub(super) fn delta_beside_raw(&mut self, level: usize, text: &str, at: u64, out: &mut dyn Output) -> bool {
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
