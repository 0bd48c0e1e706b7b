//! The JSON texts inside strings.
//!
//! A text inside a string has its own tokenizer, whose tokens go to the tracker of the document.
//!
//! The decoded text of the string is the input. While a string of this text is read inside, that text's tokens come
//! from within this one's, and so on: as deep as strings in strings go, which no pattern without as many `|` asks for,
//! and which doubles the length of the document's text with each level, since each escapes the one before. One
//! [`InnerText`] a level serves all texts of that level, and they share what is kept: events that are read later name
//! places in it, so nothing is dropped before the next chunk.

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
    /// Those of a parser with these choices.
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

    /// A new chunk begins: what no open match needs any more is dropped.
    pub(crate) fn release_kept(&mut self, tracker: &Tracker) {
        for (text, level) in self.0.iter_mut().zip(1..) {
            let is_open = level <= tracker.level() && !text.has_failed;
            let outermost = if is_open { tracker.outermost_start(level) } else { None };
            text.kept.release(outermost, text.tokenizer.offset());
        }
    }

    /// Another document begins.
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(|text| text.kept.clear());
    }

    /// Keeps nothing that comes later.
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
    /// A string begins that is read inside.
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

/// The open texts, as they can be looked at from outside.
impl InnerTexts {
    /// The text of a level, from 1.
    pub(crate) fn level(&self, level: usize) -> Option<&InnerText> {
        self.0.get(level.checked_sub(1)?)
    }

    pub(crate) fn level_mut(&mut self, level: usize) -> Option<&mut InnerText> {
        self.0.get_mut(level.checked_sub(1)?)
    }

    /// The limits of the texts from now on.
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
