//! What a stream's calls are read with: the builder's choices, which every open call borrows.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::limits::CallLimits;
use crate::parser::{Parser, ParserBuilder};
use crate::pattern::PatternSet;

/// The builder's choices.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(super) patterns: PatternSet,
    pub(super) patterns_by_name: BTreeMap<String, PatternSet>,
    pub(super) parser: ParserBuilder,
    pub(super) limits: CallLimits,
    /// Whether a delta holds everything so far, and not only what is new.
    pub(super) is_cumulative: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            patterns: PatternSet::empty(),
            patterns_by_name: BTreeMap::new(),
            parser: Parser::builder(),
            limits: CallLimits::default(),
            is_cumulative: false,
        }
    }
}

impl Options {
    /// The patterns that apply to a tool's calls.
    pub(super) fn patterns_of(&self, name: &str) -> &PatternSet {
        self.patterns_by_name.get(name).unwrap_or(&self.patterns)
    }
}
