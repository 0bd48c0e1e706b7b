//! The translator's state between two chunks.

use crate::error::{Deviations, Fault, Leniency};
use crate::parser::Translator;
use crate::tokenizer::{State, Tokenizer};

/// The translator of a text with deviations.
#[derive(Clone, Debug)]
pub(super) struct Lenient {
    pub(super) allowed: Leniency,
    pub(super) deviations: Deviations,
    /// True if each chunk is translated, because the tokenizer has stopped before or must not read alone.
    pub(super) is_awake: bool,
    pub(super) step: Step,
    /// The offset of the held bytes or of a lone surrogate's escape.
    pub(super) at: u64,
    /// True if the string that was opened last has single quotes.
    pub(super) is_single_quoted: bool,
}

/// The syntax that the next byte belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Step {
    /// Text for the tokenizer, which reads it or stops at it.
    #[default]
    Strict,
    /// A byte order mark, with the number of bytes read: one or two.
    Mark(u8),
    /// A possible comment, after its slash.
    Slash,
    LineComment,
    BlockComment,
    /// A block comment, after an asterisk.
    BlockCommentStar,
    /// `None` or `NaN`, after the `N`.
    NoneOrNan,
    /// A word: its index in `WORDS` and the number of bytes read.
    Word(u8, u8),
    BareKey,
    /// A low surrogate without a high one before it: the number of missing digits.
    LoneLow(u8),
}

/// The byte order mark in UTF-8.
pub(super) const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Lenient {
    pub(super) fn new(allowed: Leniency, deviations: Deviations) -> Self {
        Self { allowed, deviations, is_awake: false, step: Step::Strict, at: 0, is_single_quoted: false }
    }

    /// Returns the strict error of the held bytes, if there are any.
    pub(super) fn undecided(&self, tokenizer: &Tokenizer) -> Option<Fault> {
        (!self.held().is_empty()).then(|| tokenizer.unexpected_at(self.at))
    }

    /// Forbids the fast path for pieces of a string if the open string is not read unchanged by the tokenizer.
    pub(super) fn settle(&self, tokenizer: &mut Tokenizer) {
        if tokenizer.state() == State::String && (self.step != Step::Strict || self.is_single_quoted) {
            tokenizer.refuse_string_pieces();
        }
    }
}
