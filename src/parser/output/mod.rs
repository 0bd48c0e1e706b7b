//! The two receivers of the parser's events: a [`Queue`], which an iterator reads later, and a [`Callback`], which runs
//! at once.

mod callback;
mod queue;

use core::ops::Range;

use smallvec::SmallVec;

pub(super) use self::callback::Callback;
pub(super) use self::queue::Queue;
use crate::error::Error;
use crate::path::{NodeId, PathStore};
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// A value with the patterns that select it, as the parser hands it to an [`Output`].
pub(crate) struct Selected<'a> {
    /// Never empty, ascending.
    pub(super) patterns: &'a [PatternId],
    /// The first pattern's match; the others' follow it.
    pub(super) first_match: u64,
    pub(super) kind: ValueKind,
    pub(super) node: NodeId,
    pub(super) paths: &'a PathStore,
    /// The level of its text: 0 is the document's, and the texts in strings of a text have one more.
    pub(crate) level: usize,
}

impl<'a> Selected<'a> {
    /// The first pattern, and its match.
    pub(crate) fn first(&self) -> Option<(PatternId, u64)> {
        self.patterns.first().map(|pattern| (*pattern, self.first_match))
    }

    pub(crate) fn kind(&self) -> ValueKind {
        self.kind
    }

    /// The patterns, each with its match.
    #[inline]
    pub(super) fn matches(&self) -> impl Iterator<Item = (PatternId, u64)> + use<'a> {
        self.patterns.iter().copied().zip(self.first_match..)
    }
}

/// Those of a value's matches that report the same text: decoded, or as it came.
#[derive(Clone, Debug)]
pub(crate) struct SomeMatches {
    /// Ascending.
    pub(super) matches: SmallVec<[(PatternId, u64); 2]>,
    /// The place where a queue has their newest deltas, if it still has them.
    pub(super) newest: usize,
}

impl SomeMatches {
    pub(super) fn is_empty(&self) -> bool {
        self.matches.is_empty()
    }
}

impl FromIterator<(PatternId, u64)> for SomeMatches {
    fn from_iter<I: IntoIterator<Item = (PatternId, u64)>>(matches: I) -> Self {
        Self { matches: matches.into_iter().collect(), newest: usize::MAX }
    }
}

/// New text for some of a value's matches, beside others that report other text.
pub(crate) struct SomeText<'a> {
    pub(super) text: &'a str,
    pub(super) at: u64,
    pub(super) level: usize,
    /// Where it is in the text of its level that the parser has of this chunk, if it is text as it came.
    pub(super) place: Option<Range<usize>>,
    pub(super) node: NodeId,
    pub(super) paths: &'a PathStore,
}

/// A receiver of the parser's events.
pub(crate) trait Output {
    /// Returns true if events are read later, so that their paths must stay.
    fn reads_later(&self) -> bool;
    /// A chunk begins that may have text inside strings, or what is left of one.
    fn begin_chunk(&mut self) {}

    fn begin(&mut self, selected: &Selected<'_>, at: u64);
    /// New text of a string, where no string of the document is read inside.
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64);
    /// New text of a string, where some are: events of other levels may have come since the last.
    fn delta_among_others(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        self.delta(selected, text, at);
    }
    /// New text for some of a value's matches.
    fn some_delta(&mut self, _matches: &mut SomeMatches, _new: SomeText<'_>) {}
    /// The end of an atom with its text.
    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64);
    /// The end of a string or container, with its JSON text, if it was kept, and where in the text that its level
    /// keeps.
    fn end_span(&mut self, selected: &Selected<'_>, end: u64, kept: Kept<'_>);
    /// The text in the string has failed.
    fn inner_error(&mut self, selected: &Selected<'_>, error: &Error);
}

/// The retained text of a value, and its place.
pub(crate) type Kept<'a> = Option<(Range<usize>, &'a [u8])>;
