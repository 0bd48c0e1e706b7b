//! How much of the input is kept, and where.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::rewriting::Rewriting;
use crate::names::names;

/// How much of the input a parser keeps.
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
    /// The text of open matches, for the values of their ends; dropped at the next feed once none is open.
    Matches,
    /// Nothing: memory does not grow with the text. Strings and containers end without their value; atoms keep theirs.
    Nothing,
}

names!(Retain {
    All => "all",
    Matches => "matches",
    Nothing => "nothing",
});

/// The text that is kept: one piece, beginning at `start`.
#[derive(Clone, Debug)]
pub(crate) struct Retained {
    policy: Retain,
    /// The absolute offset of the first byte that is kept.
    start: u64,
    bytes: Vec<u8>,
    /// Whether the text has deviated from JSON. Then it is rewritten, or nothing more is kept.
    has_deviated: bool,
    rewriting: Option<Box<Rewriting>>,
}

impl Retained {
    pub(crate) fn new(policy: Retain) -> Self {
        Self { policy, start: 0, bytes: Vec::new(), has_deviated: false, rewriting: None }
    }

    pub(crate) fn clear(&mut self) {
        self.start = 0;
        self.bytes.clear();
        self.has_deviated = false;
        self.rewriting = None;
    }

    /// Keeps the text before `offset`, and nothing that comes later.
    pub(crate) fn freeze(&mut self, offset: u64) {
        self.truncate(offset);
        self.has_deviated = true;
    }

    /// Whether anything is ever kept.
    #[inline]
    pub(crate) fn keeps_text(&self) -> bool {
        self.policy != Retain::Nothing
    }

    /// Keeps the chunk that begins at `offset`, before it is parsed.
    #[inline]
    pub(crate) fn append(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        match self.policy {
            _ if self.has_deviated => return self.begin_chunk(chunk, offset, has_open_match),
            Retain::Nothing => return,
            Retain::Matches if !has_open_match => {
                self.start = offset;
                self.bytes.clear();
            }
            Retain::Matches | Retain::All => {}
        }
        self.bytes.extend_from_slice(chunk);
    }

    /// The same for a chunk that is only a piece of a string: nothing in it has to be rewritten.
    // Not inlined: it would cost the usual chunk registers, even where no text is kept.
    #[inline(never)]
    pub(crate) fn append_piece(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        if self.has_deviated {
            return self.append_piece_behind(chunk, offset, has_open_match);
        }
        self.append(chunk, offset, has_open_match);
    }

    #[cold]
    fn append_piece_behind(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        self.begin_chunk(chunk, offset, has_open_match);
        self.copy_to(u64::MAX);
    }

    /// A chunk after a deviation is kept as far as it has been rewritten.
    #[cold]
    fn begin_chunk(&mut self, chunk: &[u8], offset: u64, has_open_match: bool) {
        let Some(rewriting) = &mut self.rewriting else { return };
        rewriting.begin_chunk(chunk, offset);
        if self.policy == Retain::Matches && !has_open_match {
            self.start = rewriting.forget();
            self.bytes.clear();
        }
    }

    /// Puts `with` in the place of a range of the text, in the chunk that begins at `chunk_at` or just before.
    pub(crate) fn rewrite(&mut self, range: Range<u64>, with: &str, chunk_at: u64) {
        if let Some(rewriting) = Self::rewriting(&mut self.rewriting, &mut self.bytes, self.start, chunk_at) {
            self.has_deviated = true;
            rewriting.edit(range, with, self.start, &mut self.bytes);
        }
    }

    /// Leaves out the comma before the bracket at an offset in the chunk that begins at `chunk_at`.
    pub(crate) fn drop_comma(&mut self, bracket: u64, chunk_at: u64) {
        if let Some(rewriting) = Self::rewriting(&mut self.rewriting, &mut self.bytes, self.start, chunk_at) {
            self.has_deviated = true;
            rewriting.drop_comma(bracket, &mut self.bytes);
        }
    }

    /// What rewrites the text, from its first deviation on.
    fn rewriting<'r>(
        rewriting: &'r mut Option<Box<Rewriting>>,
        bytes: &mut Vec<u8>,
        start: u64,
        chunk_at: u64,
    ) -> Option<&'r mut Rewriting> {
        if rewriting.is_none() {
            let before = usize::try_from(chunk_at.checked_sub(start)?).ok().filter(|before| *before <= bytes.len())?;
            *rewriting = Some(Box::new(Rewriting::new(bytes.split_off(before), chunk_at)));
        }
        rewriting.as_deref_mut()
    }

    /// The text up to an offset is going to be looked at.
    #[cold]
    pub(crate) fn copy_to(&mut self, end: u64) {
        if let Some(rewriting) = &mut self.rewriting {
            rewriting.copy_to(end, &mut self.bytes);
        }
    }

    /// Whether the text has deviated from JSON.
    #[inline]
    pub(crate) fn has_deviated(&self) -> bool {
        self.has_deviated
    }

    /// Where the byte at an offset is among those kept.
    fn place(&self, offset: u64) -> Option<usize> {
        let place = offset.checked_sub(self.start)?;
        let place = match &self.rewriting {
            None => place,
            Some(rewriting) => place.checked_add_signed(rewriting.shift_at(offset))?,
        };
        usize::try_from(place).ok()
    }

    /// Drops what is at or after `offset`.
    pub(crate) fn truncate(&mut self, offset: u64) {
        self.bytes.truncate(self.place(offset.max(self.start)).unwrap_or(usize::MAX));
    }

    /// The text of an absolute range, if it is kept.
    #[inline]
    pub(crate) fn slice(&self, range: Range<u64>) -> Option<&[u8]> {
        if self.rewriting.is_some() {
            return self.rewritten(range);
        }
        let place = |offset: u64| usize::try_from(offset.checked_sub(self.start)?).ok();
        self.bytes.get(place(range.start)?..place(range.end)?)
    }

    #[cold]
    fn rewritten(&self, range: Range<u64>) -> Option<&[u8]> {
        self.bytes.get(self.place(range.start)?..self.place(range.end)?)
    }

    /// The whole text, if all of it is kept.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        (self.policy == Retain::All).then_some(&self.bytes)
    }
}

/// What is kept, for somebody who keeps it elsewhere.
impl Retained {
    pub(crate) fn policy(&self) -> Retain {
        self.policy
    }

    /// All that is kept.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text from an offset on, as far as it is kept.
    pub(crate) fn text_from(&self, offset: u64) -> Option<&[u8]> {
        self.bytes.get(self.place(offset)?..)
    }

    /// How far an offset lies after another one in the text that is kept.
    pub(crate) fn distance(&self, from: u64, to: u64) -> Option<u64> {
        Some(self.place(to)?.checked_sub(self.place(from)?)? as u64)
    }

    /// Whether it is kept as strict JSON, behind an accepted deviation.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.rewriting.is_some()
    }

    /// Text that has been kept rewritten from `start` up to `offset`, with the places of some offsets, ascending.
    pub(crate) fn set_rewritten(&mut self, start: u64, bytes: Vec<u8>, offset: u64, places: &[(u64, usize)]) {
        (self.start, self.bytes, self.has_deviated) = (start, bytes, true);
        self.rewriting = Some(Box::new(Rewriting::of_places(start, offset, places)));
    }

    /// What was kept of a text before it deviated.
    pub(crate) fn set_frozen(&mut self, bytes: &[u8]) {
        self.has_deviated = true;
        self.bytes.extend_from_slice(bytes);
    }
}
