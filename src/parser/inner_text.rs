//! The JSON texts inside strings.
//!
//! A text inside a string has its own tokenizer, whose tokens go to the tracker of the document.
//!
//! Its input is the decoded text of the string. While a string of this text is read inside, the tokens of the deeper
//! text arrive within this text's tokens, and so on. A pattern needs a `|` for each level, and each level doubles the
//! length of the document's text, because it escapes the level inside it. One [`InnerText`] per level serves all texts
//! of that level. They share the kept text: events that are read later refer to places in it, so nothing is dropped
//! before the next chunk.

use alloc::boxed::Box;
use core::ops::Range;

use super::duplicate_keys::OpenKeys;
use super::followers::Followers;
use super::rare_list::RareList;
use super::retention::Retained;
use super::tracker::Tracker;
use super::{DuplicateKeys, Retain};
use crate::tokenizer::{Limits, Tokenizer};

/// The texts inside strings of the document, one for each level that a pattern leads to.
#[derive(Clone, Debug)]
pub(crate) struct InnerTexts(RareList<InnerText>);

impl InnerTexts {
    /// Creates the inner texts of a parser with these options.
    pub(super) fn new(levels: usize, limits: Limits, retain: Retain, duplicate_keys: DuplicateKeys) -> Self {
        let retain = if retain == Retain::Nothing { retain } else { Retain::Matches };
        let text = |_| InnerText {
            tokenizer: Tokenizer::new(limits),
            open_keys: (duplicate_keys == DuplicateKeys::Reject).then(Box::default),
            kept: Retained::new(retain),
            has_failed: false,
        };
        Self((0..levels).map(text).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn texts(&mut self) -> &mut [InnerText] {
        &mut self.0
    }

    /// Begins a new chunk: drops the text that no open match needs.
    pub(crate) fn release_kept(&mut self, tracker: &Tracker) {
        for (text, level) in self.0.iter_mut().zip(1..) {
            let is_open = level <= tracker.level() && !text.has_failed;
            let outermost = if is_open { tracker.outermost_start(level) } else { None };
            text.kept.release(outermost, text.tokenizer.offset());
        }
    }

    /// Prepares for another document.
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(|text| text.kept.clear());
    }

    /// Stops keeping text.
    pub(crate) fn freeze(&mut self) {
        self.0.iter_mut().for_each(|text| text.kept.freeze());
    }

    /// Returns the text that a level has kept at a place.
    pub(super) fn kept(&self, level: usize, place: Range<usize>) -> Option<&[u8]> {
        self.0.get(level.checked_sub(1)?)?.kept.at(place)
    }
}

/// The texts of one level, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct InnerText {
    pub(super) tokenizer: Tokenizer,
    pub(super) open_keys: Option<Box<OpenKeys>>,
    pub(super) kept: Retained,
    pub(super) has_failed: bool,
}

impl InnerText {
    /// Begins a string that is read inside.
    pub(super) fn begin(&mut self) {
        self.tokenizer.reset();
        if let Some(keys) = &mut self.open_keys {
            keys.clear();
        }
        self.kept.begin_text();
        self.has_failed = false;
    }
}

/// The level of the document; the texts in its strings have level 1.
pub(crate) const DOCUMENT: usize = 0;

/// Everything that reads a text, while a translator drives it.
pub(crate) struct Parts<'a> {
    pub(crate) tokenizer: &'a mut Tokenizer,
    pub(crate) followers: &'a mut Followers,
    pub(crate) retained: &'a mut Retained,
    pub(crate) inner: &'a mut InnerTexts,
}

/// Access to the open texts.
impl InnerTexts {
    /// Returns the text of a level, counted from 1.
    pub(crate) fn level(&self, level: usize) -> Option<&InnerText> {
        self.0.get(level.checked_sub(1)?)
    }

    pub(crate) fn level_mut(&mut self, level: usize) -> Option<&mut InnerText> {
        self.0.get_mut(level.checked_sub(1)?)
    }

    /// Sets the limits of the texts.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.0.iter_mut().for_each(|text| text.tokenizer.set_limits(limits));
    }
}

impl InnerText {
    pub(crate) fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    pub(crate) fn tokenizer_mut(&mut self) -> &mut Tokenizer {
        &mut self.tokenizer
    }

    pub(crate) fn open_keys(&self) -> Option<&OpenKeys> {
        self.open_keys.as_deref()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub(crate) fn kept(&self) -> &Retained {
        &self.kept
    }
}
