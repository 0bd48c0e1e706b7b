//! The choices that a stream of calls is read with.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::calls::Calls;
use super::limits::CallLimits;
use crate::parser::{Parser, ParserBuilder, Retain};
use crate::pattern::PatternSet;

/// What a delta holds.
///
/// ```
/// use jsonspigot::adapters::{ArgumentsMode, Calls, ToolEvent};
///
/// let mut calls = Calls::builder().arguments(ArgumentsMode::Cumulative).build();
/// let mut fragments = Vec::new();
/// calls.start(0, "call_1", "list", "", |_| {});
/// for text in [r#"{"cmd":"#, r#"{"cmd":"l"#, r#"{"cmd":"ls"}"#] {
///     calls.delta(0, text, |event| {
///         if let ToolEvent::Fragment { text, .. } = event {
///             fragments.push(text.to_string());
///         }
///     });
/// }
/// assert_eq!(fragments.concat(), r#"{"cmd":"ls"}"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ArgumentsMode {
    /// What is new, as the protocols say.
    #[default]
    Delta,
    /// All so far, again and again, as some servers do. Never guessed: honest deltas may look the same.
    Cumulative,
}

/// The choices [`Calls`] are built with; each has a default.
///
/// ```
/// use jsonspigot::adapters::{CallLimits, Calls};
/// use jsonspigot::{DuplicateKeys, Parser, PatternSet};
///
/// let calls = Calls::builder()
///     .patterns(&PatternSet::new(["$..*"])?)
///     .patterns_for("write_file", &PatternSet::new(["content"])?)
///     .parser(Parser::builder().duplicate_keys(DuplicateKeys::Reject))
///     .limits(CallLimits { open_calls: 8, ..CallLimits::default() })
///     .build();
/// assert_eq!(format!("{:?}", calls.patterns("write_file")), r#"["$.content"]"#);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CallsBuilder {
    pub(super) patterns: PatternSet,
    pub(super) patterns_by_name: BTreeMap<String, PatternSet>,
    pub(super) parser: ParserBuilder,
    pub(super) limits: CallLimits,
    pub(super) arguments: ArgumentsMode,
    pub(super) is_structured: bool,
}

impl Default for CallsBuilder {
    fn default() -> Self {
        Self {
            patterns: PatternSet::empty(),
            patterns_by_name: BTreeMap::new(),
            parser: Parser::builder(),
            limits: CallLimits::default(),
            arguments: ArgumentsMode::default(),
            is_structured: false,
        }
    }
}

impl CallsBuilder {
    /// The patterns for every tool that has none of its own; default none.
    pub fn patterns(self, patterns: &PatternSet) -> Self {
        Self { patterns: patterns.clone(), ..self }
    }

    /// The patterns for one tool.
    pub fn patterns_for(mut self, name: &str, patterns: &PatternSet) -> Self {
        self.patterns_by_name.insert(name.into(), patterns.clone());
        self
    }

    /// How each call's parser is built: its limits, its way with duplicate keys. It always keeps its text.
    pub fn parser(self, parser: ParserBuilder) -> Self {
        Self { parser: parser.retain(Retain::Text), ..self }
    }

    /// How much the stream may ask for.
    pub fn limits(self, limits: CallLimits) -> Self {
        Self { limits, ..self }
    }

    /// What a delta holds; default what is new.
    pub fn arguments(self, arguments: ArgumentsMode) -> Self {
        Self { arguments, ..self }
    }

    /// The assistant's text is itself JSON: each answer is told as a call without id and name, not as text.
    pub fn structured(self) -> Self {
        Self { is_structured: true, ..self }
    }

    /// The neutral door with these choices.
    #[must_use]
    pub fn build(self) -> Calls {
        Calls::from_builder(self)
    }

    /// The patterns that apply to a tool's calls.
    pub(super) fn patterns_of(&self, name: &str) -> &PatternSet {
        self.patterns_by_name.get(name).unwrap_or(&self.patterns)
    }
}
