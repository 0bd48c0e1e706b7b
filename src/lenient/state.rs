//! The translator's memory of a text between two chunks.

use alloc::vec::Vec;

use crate::error::{Deviations, Fault, Leniency};
use crate::parser::Translator;
use crate::tokenizer::{State, Tokenizer};

/// The memory of a text that may deviate.
#[derive(Clone, Debug)]
pub(super) struct Lenient {
    pub(super) allowed: Leniency,
    pub(super) deviations: Deviations,
    /// True if the strict reader has ever stopped, or does not read by itself.
    pub(super) is_awake: bool,
    pub(super) step: Step,
    /// The offset of what is undecided, or of a lone surrogate's escape.
    pub(super) at: u64,
    /// True if the string that was opened last has single quotes.
    pub(super) is_single_quoted: bool,
    /// By how much the offset of the next byte exceeds its place in the strict text.
    pub(super) shift: u64,
    /// The offsets in the strict text at which the open matches of the document begin, outermost first.
    pub(super) marks: Vec<u64>,
}

/// The thing that the next byte is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Step {
    /// Text that the strict reader reads, or stops at.
    #[default]
    Strict,
    /// A byte order mark, of which one or two bytes have been read.
    Mark(u8),
    /// A possible comment, after its slash.
    Slash,
    LineComment,
    BlockComment,
    /// A block comment, after an asterisk.
    BlockCommentStar,
    /// `None` or `NaN`, after the `N`.
    NoneOrNan,
    /// One of the words, by its place, of which so many bytes have been read.
    Word(u8, u8),
    BareKey,
    /// A low surrogate without a high one before it: this many digits are missing.
    LoneLow(u8),
}

/// The byte order mark in UTF-8.
pub(super) const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Lenient {
    pub(super) fn new(allowed: Leniency, deviations: Deviations) -> Self {
        let (step, marks) = (Step::Strict, Vec::new());
        Self { allowed, deviations, is_awake: false, step, at: 0, is_single_quoted: false, shift: 0, marks }
    }

    /// The error that a strict reader would have given, if that is not decided.
    pub(super) fn undecided(&self, tokenizer: &Tokenizer) -> Option<Fault> {
        (!self.held().is_empty()).then(|| tokenizer.unexpected_at(self.at))
    }

    /// Notes that the text so far was not read by the strict reader as it is: so a string's piece may not be taken by
    /// itself.
    pub(super) fn settle(&self, tokenizer: &mut Tokenizer) {
        if tokenizer.state() == State::String && (self.step != Step::Strict || self.is_single_quoted) {
            tokenizer.refuse_string_pieces();
        }
    }
}
