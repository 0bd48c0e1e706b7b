//! The retained text: how much of the input is kept, and where.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use crate::names::names;
use crate::tokenizer::is_white_space;

/// The amount of input that a parser keeps.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["a"])?;
/// let mut parser = Parser::builder().retain(Retain::Nothing).build(&patterns);
/// let last = parser.feed(br#"{"a": "text"}"#).last().unwrap()?;
/// assert!(matches!(last.kind, EventKind::End(None)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retain {
    /// All of it, for [`text`](crate::Parser::text), [`deserialize`](crate::Parser::deserialize) and the value of every
    /// end.
    #[default]
    All,
    /// The text of open matches, for the values of their end events. Dropped at the next feed once no match is open.
    Matches,
    /// Nothing: memory does not grow with the text. Strings and containers end without their value; atoms keep theirs.
    Nothing,
}

names!(Retain {
    All => "all",
    Matches => "matches",
    Nothing => "nothing",
});

/// The text that is kept, if any. Boxed, because programs with many parsers usually keep none.
#[derive(Clone, Debug)]
pub(crate) struct Retained(Option<Box<RetainedText>>);

/// One piece of the text, beginning at `start`.
#[derive(Clone, Debug)]
struct RetainedText {
    /// True if all text is kept, not only the text of open matches.
    is_all: bool,
    /// True if further text is kept.
    is_kept: bool,
    /// The absolute offset of the first byte that is kept.
    start: u64,
    bytes: Vec<u8>,
    /// The whole text as it arrived, once a translator reads it, if all is kept. A saved state needs it.
    original: Option<Vec<u8>>,
}

impl Retained {
    pub(crate) fn new(policy: Retain) -> Self {
        let is_all = match policy {
            Retain::All => true,
            Retain::Matches => false,
            Retain::Nothing => return Self(None),
        };
        Self(Some(Box::new(RetainedText { is_all, is_kept: true, start: 0, bytes: Vec::new(), original: None })))
    }

    pub(crate) fn clear(&mut self) {
        if let Some(text) = &mut self.0 {
            text.start = 0;
            text.bytes.clear();
            text.is_kept = true;
            text.original = None;
        }
    }

    /// Returns true unless nothing is ever retained.
    pub(crate) fn retains(&self) -> bool {
        self.0.is_some()
    }

    /// Returns true if anything is kept.
    #[inline]
    pub(crate) fn keeps_text(&self) -> bool {
        self.0.as_ref().is_some_and(|text| text.is_kept)
    }

    /// Keeps the chunk that begins at `offset`, before it is parsed.
    #[inline]
    pub(crate) fn append(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        let Some(text) = &mut self.0 else { return };
        if !text.is_all && !has_open_match {
            text.start = offset;
            text.bytes.clear();
        }
        text.bytes.extend_from_slice(chunk);
    }

    /// Keeps a chunk unless it is the rest of a chunk that has already been kept. For text that is kept as it arrived.
    #[inline]
    pub(crate) fn append_unless_kept(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        if self.0.as_ref().is_some_and(|text| text.end() <= offset) {
            self.append(chunk, offset, has_open_match);
        }
    }

    /// Keeps a chunk that is only a piece of a string.
    // Not inlined: it would cost the usual chunk registers, even where no text is kept.
    #[inline(never)]
    pub(crate) fn append_piece(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        if self.keeps_text() {
            self.append(chunk, offset, has_open_match);
        }
        if let Some(RetainedText { original: Some(original), .. }) = self.0.as_deref_mut() {
            original.extend_from_slice(chunk);
        }
    }

    /// Drops the text at and after `offset`.
    pub(crate) fn truncate(&mut self, offset: u64) {
        if let Some(text) = &mut self.0 {
            text.bytes.truncate(usize::try_from(offset.saturating_sub(text.start)).unwrap_or(usize::MAX));
        }
    }

    /// Returns the text of a range of absolute offsets and its place in the buffer, if it is kept.
    #[inline]
    pub(crate) fn find(&self, range: Range<u64>) -> Option<(Range<usize>, &[u8])> {
        let text = self.0.as_ref()?;
        let places = text.place(range.start)?..text.place(range.end)?;
        text.bytes.get(places.clone()).map(|text| (places, text))
    }

    /// Returns the whole text, if all of it is kept.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        self.0.as_ref().filter(|text| text.is_all).map(|text| &text.bytes[..])
    }
}

impl RetainedText {
    /// Returns the offset after the last byte that is kept.
    fn end(&self) -> u64 {
        self.start.wrapping_add(self.bytes.len() as u64)
    }

    /// Returns the place of an absolute offset in the buffer.
    #[inline]
    fn place(&self, offset: u64) -> Option<usize> {
        usize::try_from(offset.wrapping_sub(self.start)).ok()
    }
}

/// Text that is kept piece by piece: the output of a translator, or the texts inside strings.
impl Retained {
    /// Begins another text, of which nothing is kept yet.
    pub(crate) fn begin_text(&mut self) {
        self.end_at(0);
    }

    /// Begins a chunk at `place` in the text. Drops the text before the outermost open match, unless all text is kept.
    /// If anything is dropped, the rest all arrived in the last chunk, so the work is linear.
    pub(crate) fn release(&mut self, outermost: Option<u64>, place: u64) {
        if let Some(text) = self.0.as_mut().filter(|text| !text.is_all) {
            let unused = outermost.map_or(usize::MAX, |start| start.wrapping_sub(text.start) as usize);
            text.bytes.drain(..unused.min(text.bytes.len()));
        }
        self.end_at(place);
    }

    /// Sets the offset at which the kept text ends.
    pub(crate) fn end_at(&mut self, place: u64) {
        if let Some(text) = &mut self.0 {
            text.start = place.wrapping_sub(text.bytes.len() as u64);
        }
    }

    /// Returns the buffer, if further text may be kept.
    fn growing(&mut self) -> Option<&mut Vec<u8>> {
        self.0.as_mut().filter(|text| text.is_kept).map(|text| &mut text.bytes)
    }

    pub(crate) fn keep(&mut self, piece: &[u8]) {
        if let Some(bytes) = self.growing() {
            bytes.extend_from_slice(piece);
        }
    }

    pub(crate) fn take_back(&mut self, len: usize) {
        if let Some(bytes) = self.growing() {
            bytes.truncate(bytes.len().saturating_sub(len));
        }
    }

    /// Removes the last comma that was kept, if only white space follows it.
    pub(crate) fn take_back_comma(&mut self) {
        let is_token = |byte: &u8| !is_white_space(*byte);
        if let Some(bytes) = self.growing()
            && let Some(comma) = bytes.iter().rposition(is_token).filter(|&place| bytes[place] == b',')
        {
            bytes.remove(comma);
        }
    }

    /// Stops keeping text.
    pub(crate) fn freeze(&mut self) {
        if let Some(text) = &mut self.0 {
            text.is_kept = false;
        }
    }

    pub(crate) fn last(&self) -> Option<u8> {
        self.bytes().last().copied()
    }

    /// Returns the retained text at a place.
    pub(crate) fn at(&self, places: Range<usize>) -> Option<&[u8]> {
        self.bytes().get(places)
    }
}

/// Access to the retained text, so that it can be saved.
impl Retained {
    pub(crate) fn policy(&self) -> Retain {
        match &self.0 {
            None => Retain::Nothing,
            Some(text) if text.is_all => Retain::All,
            Some(_) => Retain::Matches,
        }
    }

    /// Keeps the chunk at offset `start` as it arrived, if all text is kept. Before the first such chunk, the kept text
    /// is the text as it arrived.
    pub(crate) fn keep_original(&mut self, chunk: &[u8], start: u64) {
        if let Some(text) = self.0.as_mut().filter(|text| text.is_all) {
            let before = text.place(start).and_then(|start| text.bytes.get(..start));
            text.original.get_or_insert_with(|| before.unwrap_or_default().to_vec()).extend_from_slice(chunk);
        }
    }

    /// Drops the original text at and after `offset`.
    pub(crate) fn truncate_original(&mut self, offset: u64) {
        if let Some(original) = self.0.as_mut().and_then(|text| text.original.as_mut()) {
            original.truncate(usize::try_from(offset).unwrap_or(usize::MAX));
        }
    }

    /// Returns the whole text as it arrived, if all text is kept.
    pub(crate) fn original(&self) -> Option<&[u8]> {
        let text = self.0.as_ref().filter(|text| text.is_all)?;
        Some(text.original.as_ref().unwrap_or(&text.bytes))
    }

    /// Returns all text that is kept.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |text| &text.bytes)
    }

    /// Returns the text from `offset` on, or `None` if that offset is not kept.
    pub(crate) fn text_from(&self, offset: u64) -> Option<&[u8]> {
        let text = self.0.as_ref()?;
        text.bytes.get(text.place(offset)?..)
    }
}
