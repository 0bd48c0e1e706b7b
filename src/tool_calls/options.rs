//! What a stream's calls are read with: the builder's choices, which every open call borrows.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::limits::CallLimits;
use crate::parser::{DuplicateKeys, Parser, ParserBuilder};
use crate::pattern::PatternSet;

/// What a delta holds.
///
/// ```
/// use jsonspigot::tool_calls::{ArgumentsMode, CallEvent, CallStart, ToolCalls};
///
/// let mut calls = ToolCalls::builder().arguments(ArgumentsMode::Cumulative).build();
/// let mut fragments = Vec::new();
/// let mut on_event = |event: CallEvent<'_>| {
///     if let CallEvent::Fragment { text, .. } = event {
///         fragments.push(text.to_string());
///     }
/// };
/// calls.start(0, CallStart::new("list"), &mut on_event);
/// for text in [r#"{"cmd":"#, r#"{"cmd":"l"#, r#"{"cmd":"ls"}"#] {
///     calls.delta(0, text, &mut on_event);
/// }
/// assert_eq!(fragments.concat(), r#"{"cmd":"ls"}"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArgumentsMode {
    /// Only what is new, as the protocols say.
    #[default]
    Delta,
    /// Everything so far, each time, as some servers send it. This is never guessed: genuine deltas may look the same.
    Cumulative,
}

/// The builder's choices.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(super) patterns: PatternSet,
    pub(super) patterns_by_name: BTreeMap<String, PatternSet>,
    pub(super) parser: ParserBuilder,
    pub(super) limits: CallLimits,
    pub(super) arguments: ArgumentsMode,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            patterns: PatternSet::empty(),
            patterns_by_name: BTreeMap::new(),
            parser: Parser::builder().duplicate_keys(DuplicateKeys::Reject),
            limits: CallLimits::default(),
            arguments: ArgumentsMode::default(),
        }
    }
}

impl Options {
    /// The patterns that apply to a tool's calls.
    pub(super) fn patterns_of(&self, name: &str) -> &PatternSet {
        self.patterns_by_name.get(name).unwrap_or(&self.patterns)
    }
}
