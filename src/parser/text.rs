//! A text: the document, or the JSON texts inside strings of one level.
//!
//! A text inside a string has its own tokenizer, whose tokens go to the tracker of the document.
//!
//! Its input is the decoded text of the string. While a string of this text is read inside, the tokens of the deeper
//! text arrive within this text's tokens, and so on. A pattern needs a `|` for each level, and each level doubles the
//! length of the document's text, because it escapes the level inside it. One [`Text`] per level serves all texts of
//! that level, one after the other. They share the kept text: events that are read later refer to places in it, so
//! nothing is dropped before the next chunk.

use alloc::boxed::Box;

use super::duplicate_keys::OpenKeys;
use super::retention::Retained;
use super::{DuplicateKeys, Retain};
use crate::tokenizer::{Limits, Tokenizer};

/// The level of the document; the texts in its strings have level 1.
pub(crate) const DOCUMENT: usize = 0;

#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) tokenizer: Tokenizer,
    /// The keys of the open objects, if duplicates are rejected.
    // Boxed, because most parsers have none.
    pub(crate) open_keys: Option<Box<OpenKeys>>,
    pub(crate) kept: Retained,
}

impl Text {
    pub(super) fn new(limits: Limits, retain: Retain, duplicate_keys: DuplicateKeys) -> Self {
        Self {
            tokenizer: Tokenizer::new(limits),
            open_keys: (duplicate_keys == DuplicateKeys::Reject).then(Box::default),
            kept: Retained::new(retain),
        }
    }

    /// Begins another text. The previous texts stay in the kept text until the next chunk.
    pub(super) fn begin(&mut self) {
        self.tokenizer.reset();
        if let Some(keys) = &mut self.open_keys {
            keys.clear();
        }
        self.kept.begin_at(0);
    }

    /// Forgets everything that was read.
    pub(crate) fn clear(&mut self) {
        self.begin();
        self.kept.clear();
    }

    /// Returns true if the text inside a string has failed. The rest of the string is not read inside.
    pub(crate) fn has_failed(&self) -> bool {
        self.tokenizer.is_closed()
    }
}
