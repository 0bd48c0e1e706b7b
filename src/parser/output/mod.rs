//! The two receivers of the parser's events: a [`Queue`], which an iterator reads later, and a [`Callback`], which runs
//! at once.

mod callback;
mod queue;

use core::ops::Range;

pub(super) use self::callback::Callback;
pub(super) use self::queue::Queue;
use crate::error::Error;
use crate::path::{NodeId, Path, PathStore};
use crate::pattern::{PatternId, PatternSet};
use crate::tokenizer::ValueKind;

/// A value with the patterns that select it, as the parser hands it to an [`Output`].
pub(crate) struct Selected<'a> {
    /// Never empty, ascending.
    pub(super) patterns: &'a [PatternId],
    /// The first pattern's match id. The other patterns have the next ids.
    pub(super) first_match: u64,
    pub(super) kind: ValueKind,
    pub(super) node: NodeId,
    pub(super) paths: &'a PathStore,
    /// The level of its text: 0 for the document, and one more for the texts in strings of a text.
    pub(crate) level: usize,
    /// The number of open containers around it, plus the open strings that are read inside.
    pub(super) depth: usize,
}

impl<'a> Selected<'a> {
    /// Returns the first pattern and its match id.
    pub(crate) fn first(&self) -> Option<(PatternId, u64)> {
        self.patterns.first().map(|pattern| (*pattern, self.first_match))
    }

    pub(crate) fn kind(&self) -> ValueKind {
        self.kind
    }

    /// Returns the value's path.
    fn path(&self) -> Path<'a> {
        self.paths.path(self.node)
    }

    /// Returns the patterns, each with its match id.
    #[inline]
    pub(crate) fn matches(&self) -> impl Iterator<Item = (PatternId, u64)> + use<'a> {
        self.patterns.iter().copied().zip(self.first_match..)
    }
}

/// A report about a value to an [`Output`].
pub(crate) enum Report<'a> {
    Begin {
        at: u64,
    },
    /// New text of a string, or raw text of a value.
    Delta {
        text: &'a str,
        at: u64,
    },
    /// The end of a null, boolean or number with its text.
    EndAtom {
        text: &'a str,
        end: u64,
    },
    /// The end of a string or container.
    EndSpan {
        kept: Kept<'a>,
        end: u64,
    },
    /// The text in the string has failed.
    InnerError(&'a Error),
}

/// The JSON text of a value, if it was kept, and its place in the text that its level keeps.
pub(crate) type Kept<'a> = Option<(Range<usize>, &'a [u8])>;

/// A receiver of the parser's events.
pub(crate) trait Output {
    /// Reports to the caller. Returns true if the events are read later, so that the value's path must be kept.
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) -> bool;

    /// Joins the deltas of each match of a plain pattern in the chunk to its first one, if events are read later. Needed
    /// only if another pattern has `|` or `raw:`: otherwise no event comes between the deltas of a string.
    fn join_deltas(&mut self, _: &PatternSet) {}
}
