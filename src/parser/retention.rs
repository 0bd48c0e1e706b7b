//! How much of the input is kept, and where.

use alloc::vec::Vec;
use core::ops::Range;

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

/// The text that is kept: one piece, beginning at `start`.
#[derive(Clone, Debug)]
pub(crate) struct Retained {
    policy: Retain,
    /// The absolute offset of the first byte that is kept.
    start: u64,
    bytes: Vec<u8>,
    /// Whether nothing more is kept, because the text has deviated from JSON.
    is_frozen: bool,
}

impl Retained {
    pub(crate) fn new(policy: Retain) -> Self {
        Self { policy, start: 0, bytes: Vec::new(), is_frozen: false }
    }

    pub(crate) fn clear(&mut self) {
        self.start = 0;
        self.bytes.clear();
        self.is_frozen = false;
    }

    /// Keeps the text before `offset`, and nothing that comes later.
    pub(crate) fn freeze(&mut self, offset: u64) {
        self.truncate(offset);
        self.is_frozen = true;
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
            _ if self.is_frozen => return,
            Retain::Nothing => return,
            Retain::Matches if !has_open_match => {
                self.start = offset;
                self.bytes.clear();
            }
            Retain::Matches | Retain::All => {}
        }
        self.bytes.extend_from_slice(chunk);
    }

    /// Drops what is at or after `offset`.
    pub(crate) fn truncate(&mut self, offset: u64) {
        self.bytes.truncate(usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX));
    }

    /// The text of an absolute range, if it is kept.
    #[inline]
    pub(crate) fn slice(&self, range: Range<u64>) -> Option<&[u8]> {
        let place = |offset: u64| usize::try_from(offset.checked_sub(self.start)?).ok();
        self.bytes.get(place(range.start)?..place(range.end)?)
    }

    /// The whole text, if all of it is kept.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        (self.policy == Retain::All).then_some(&self.bytes)
    }
}
