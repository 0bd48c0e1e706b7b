//! The retained text: how much of the input is kept, and where.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::output::Kept;
use crate::names::names;
use crate::tokenizer::is_white_space;

/// The amount of input that a parser keeps.
///
/// ```
/// use jsonspigot::{EventKind, Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["a"])?;
/// let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&patterns).build();
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Retained(Option<Box<RetainedText>>);

/// One piece of the text, beginning at `start`.
#[derive(Clone, Debug)]
struct RetainedText {
    /// True if all text is kept, not only the text of open matches.
    is_all: bool,
    /// True if further text is kept.
    is_kept: bool,
    /// The position of the first byte that is kept: its offset, unless a translator has changed text before it.
    start: u64,
    bytes: Vec<u8>,
    /// The number of these bytes that belong to the piece that is being read.
    of_piece: usize,
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
        Self(Some(Box::new(RetainedText {
            is_all,
            is_kept: true,
            start: 0,
            bytes: Vec::new(),
            of_piece: 0,
            original: None,
        })))
    }

    pub(crate) fn clear(&mut self) {
        if let Some(text) = &mut self.0 {
            text.start = 0;
            text.bytes.clear();
            text.of_piece = 0;
            text.is_kept = true;
            text.original = None;
        }
    }

    /// Returns true unless nothing is ever retained.
    #[inline]
    pub(crate) fn retains(&self) -> bool {
        self.0.is_some()
    }

    /// Returns true if only the text of open matches is kept.
    #[inline]
    pub(crate) fn keeps_matches(&self) -> bool {
        self.0.as_ref().is_some_and(|text| !text.is_all)
    }

    /// Begins a chunk: drops the text before the outermost open match, unless all text is kept. The rest was appended
    /// with the last chunk, so the work is linear.
    // Not inlined, like the next one: text of matches is rarely all that is kept.
    #[inline(never)]
    pub(crate) fn release(&mut self, outermost: Option<u64>) {
        if let Some(text) = self.0.as_mut().filter(|text| !text.is_all) {
            let end = text.end();
            let used = outermost.and_then(|start| text.place(start)).unwrap_or(text.bytes.len());
            text.bytes.drain(..used.min(text.bytes.len()));
            text.start = end.wrapping_sub(text.bytes.len() as u64);
        }
    }

    /// Sets the position at which the next text begins.
    pub(crate) fn begin_at(&mut self, position: u64) {
        if let Some(text) = &mut self.0 {
            text.start = position.wrapping_sub(text.bytes.len() as u64);
        }
    }

    /// Returns the position after the last byte that is kept.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.0.as_ref().map_or(0, |text| text.end())
    }

    /// Keeps a piece of text that has been read.
    pub(crate) fn append(&mut self, piece: &[u8]) {
        if let Some(bytes) = self.growing() {
            bytes.extend_from_slice(piece);
        }
    }

    /// Keeps the part of a piece that was read: the part before position `end`.
    #[inline(never)]
    pub(crate) fn end_piece(&mut self, end: u64, piece: &[u8]) {
        if let Some(text) = self.0.as_deref_mut().filter(|text| text.is_kept) {
            text.append_to(end, piece);
            text.of_piece = 0;
        }
    }

    /// Keeps a chunk that is only a piece of a string.
    // Not inlined: it would cost the usual chunk registers, even where no text is kept.
    #[inline(never)]
    pub(crate) fn append_piece(&mut self, chunk: &[u8], has_open_match: bool) {
        if self.keeps_matches() && !has_open_match {
            self.release(None);
        }
        self.append(chunk);
        if let Some(RetainedText { original: Some(original), .. }) = self.0.as_deref_mut() {
            original.extend_from_slice(chunk);
        }
    }

    /// Drops the text at and after a position.
    pub(crate) fn truncate(&mut self, position: u64) {
        if let Some(text) = &mut self.0 {
            text.bytes.truncate(text.place(position).unwrap_or(usize::MAX));
        }
    }

    /// Returns the text of a range of positions and its place in the buffer, if it is kept. It ends in the piece that is
    /// being read, of which only what is needed is kept so far.
    #[inline]
    pub(crate) fn find<'a>(&'a mut self, range: Range<u64>, piece: &'a [u8]) -> Kept<'a> {
        let text = self.0.as_deref_mut().filter(|text| text.is_kept)?;
        let places = text.place(range.start)?..text.place(range.end)?;
        let before = text.bytes.len() - text.of_piece;
        let found = if places.start >= before {
            piece.get(places.start - before..places.end - before)?
        } else {
            text.append_to(range.end, piece);
            text.bytes.get(places.clone())?
        };
        Some((places, found))
    }

    /// Returns the whole text, if all of it is kept.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        self.0.as_ref().filter(|text| text.is_all).map(|text| &text.bytes[..])
    }
}

impl RetainedText {
    /// Keeps the piece up to position `end`.
    fn append_to(&mut self, end: u64, piece: &[u8]) {
        let more = usize::try_from(end.saturating_sub(self.end())).unwrap_or(usize::MAX);
        let more = &piece[self.of_piece..][..more.min(piece.len() - self.of_piece)];
        self.bytes.extend_from_slice(more);
        self.of_piece += more.len();
    }

    /// Returns the position after the last byte that is kept.
    fn end(&self) -> u64 {
        self.start.wrapping_add(self.bytes.len() as u64)
    }

    /// Returns the place of a position in the buffer.
    #[inline]
    fn place(&self, offset: u64) -> Option<usize> {
        usize::try_from(offset.wrapping_sub(self.start)).ok()
    }
}

/// Text that a translator changes as it arrives.
impl Retained {
    /// Returns the buffer, if further text may be kept.
    fn growing(&mut self) -> Option<&mut Vec<u8>> {
        self.0.as_mut().filter(|text| text.is_kept).map(|text| &mut text.bytes)
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

    /// Returns the text from a position on, or `None` if it is not kept.
    pub(crate) fn text_from(&self, position: u64) -> Option<&[u8]> {
        let text = self.0.as_ref()?;
        text.bytes.get(text.place(position)?..)
    }
}
