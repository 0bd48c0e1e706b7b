//! Where the parser's events go: into a [`Queue`], which an iterator reads later, or to a [`Callback`], at once.

mod callback;
mod inner;
mod queue;

use core::ops::Range;

pub(super) use self::callback::Callback;
pub(super) use self::inner::InnerOutput;
pub(super) use self::queue::{Piece, Queue};
use crate::error::Error;
use crate::path::{NodeId, PathStore};
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

/// A value with the patterns that select it, as the parser hands it to an [`Output`].
pub(super) struct Selected<'a> {
    /// Never empty, ascending.
    pub(super) patterns: &'a [PatternId],
    /// The first pattern's match; the others' follow it.
    pub(super) first_match: u64,
    pub(super) kind: ValueKind,
    pub(super) node: NodeId,
    pub(super) paths: &'a PathStore,
}

impl<'a> Selected<'a> {
    /// The patterns, each with its match.
    #[inline]
    pub(super) fn matches(&self) -> impl Iterator<Item = (PatternId, u64)> + use<'a> {
        self.patterns.iter().copied().zip(self.first_match..)
    }
}

/// Where the parser's events go.
pub(super) trait Output {
    /// Whether events are read later, so that their paths must stay.
    fn reads_later(&self) -> bool;

    fn begin(&mut self, selected: &Selected<'_>, at: u64);
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64);
    /// The end of an atom with its text.
    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64);
    /// The end of a string or container that began at `start`; `text` is its JSON text, if it was kept.
    fn end_span(&mut self, selected: &Selected<'_>, start: u64, end: u64, text: Option<&[u8]>);
}

/// Where the events go of texts inside strings, which are told apart by their level: the document's is 0.
pub(super) trait LeveledOutput: Output {
    /// A chunk begins that may have text inside strings.
    fn begin_chunk(&mut self);
    /// New text of a string in the text of a level; events of deeper levels may have come since the last.
    fn delta_among_others(&mut self, level: usize, selected: &Selected<'_>, text: &str, at: u64);
    /// The end of an atom in the text of a level.
    fn end_inner_atom(&mut self, level: usize, selected: &Selected<'_>, text: &str, end: u64);
    /// The end of a string or container in the text of a level, with its JSON text, if it was kept, and where in the
    /// text that the level keeps.
    fn end_inner_span(&mut self, level: usize, selected: &Selected<'_>, end: u64, kept: Option<(Range<usize>, &[u8])>);
    /// The text in the string has failed.
    fn inner_error(&mut self, selected: &Selected<'_>, error: &Error);
}
