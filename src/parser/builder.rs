//! A parser's choices.

use super::{Core, DuplicateKeys, OpenKeys, Outcome, Parser, Retain, Retained, Tracker};
use crate::document::Document;
use crate::pattern_set::PatternSet;
use crate::queue::Queue;
use crate::tokenizer::{Limits, Tokenizer};

/// The choices a [`Parser`] is built with; each has a default.
///
/// ```
/// use jsonspigot::{DuplicateKeys, Limits, Parser, PatternSet, Retain};
///
/// let patterns = PatternSet::new(["a"])?;
/// let parser = Parser::builder()
///     .limits(Limits { total: 1 << 20, ..Limits::default() })
///     .retain(Retain::Matches)
///     .duplicate_keys(DuplicateKeys::Reject)
///     .build(&patterns);
/// assert_eq!(parser.offset(), 0);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct ParserBuilder {
    limits: Limits,
    retain: Retain,
    duplicate_keys: DuplicateKeys,
    has_snapshots: bool,
}

impl ParserBuilder {
    /// What a text may ask for; default serde_json's depth, all else unlimited.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// How much of the text is kept; default all.
    pub fn retain(self, retain: Retain) -> Self {
        Self { retain, ..self }
    }

    /// What happens at a second equal key; default the last wins.
    pub fn duplicate_keys(self, duplicate_keys: DuplicateKeys) -> Self {
        Self { duplicate_keys, ..self }
    }

    /// Keeps the partial document up to date, for [`Parser::snapshot`] and what else looks at it; default not.
    pub fn snapshots(self) -> Self {
        Self { has_snapshots: true, ..self }
    }

    /// The parser, which follows these patterns.
    #[must_use]
    pub fn build(self, patterns: &PatternSet) -> Parser {
        let core = Core {
            tokenizer: Tokenizer::new(self.limits),
            tracker: Tracker::new(patterns.clone()),
            open_keys: (self.duplicate_keys == DuplicateKeys::Reject).then(OpenKeys::default),
            document: self.has_snapshots.then(Document::new),
            retained: Retained::new(self.retain),
            outcome: Outcome::Open,
        };
        Parser { core, queue: Queue::default() }
    }
}
