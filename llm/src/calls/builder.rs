//! The builder of [`ToolCalls`](crate::ToolCalls).

use jsonspigot::{ParserBuilder, PatternSet};

use super::limits::CallLimits;
use super::options::Options;
use crate::saved::History;

/// The options of [`ToolCalls`](crate::ToolCalls); each has a default.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{CallLimits, ToolCalls};
///
/// let calls = ToolCalls::builder()
///     .patterns(&PatternSet::new(["$..*"])?)
///     .patterns_for("write_file", &PatternSet::new(["content"])?)
///     .limits(CallLimits::new().open_calls(8))
///     .build();
/// assert_eq!(format!("{:?}", calls.patterns("write_file")), r#"["$.content"]"#);
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ToolCallsBuilder {
    pub(super) options: Options,
    pub(super) history: History,
}

impl ToolCallsBuilder {
    /// Sets the patterns for every tool without patterns of its own. By default no patterns are set.
    pub fn patterns(mut self, patterns: &PatternSet) -> Self {
        self.options.patterns = patterns.clone();
        self
    }

    /// Sets the patterns for one tool.
    pub fn patterns_for(mut self, name: &str, patterns: &PatternSet) -> Self {
        self.options.patterns_by_name.insert(name.into(), patterns.clone());
        self
    }

    /// Sets how each call's parser is built: its limits, snapshots and policy on duplicate keys. The parser always
    /// keeps its text.
    ///
    /// Unless `parser` sets another policy, duplicate keys are [refused](jsonspigot::DuplicateKeys::Reject): if a
    /// program acts on a field as soon as it is complete, no second value for the field may follow. Consecutive white
    /// space is [limited](jsonspigot::Limits::blank) to 64 KiB, since some models never stop sending it.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    /// use jsonspigot::{DuplicateKeys, Parser};
    ///
    /// let is_complete = |mut calls: ToolCalls| {
    ///     let mut status = None;
    ///     let mut on_event = |event: CallEvent<'_>| {
    ///         if let CallEvent::End { input, .. } = event {
    ///             status = Some(input.status() == PayloadStatus::Complete);
    ///         }
    ///     };
    ///     calls.start_with(0, CallStart::new("rm"), &mut on_event);
    ///     calls.delta_with(0, r#"{"path":"/tmp/a","path":"/"}"#, &mut on_event);
    ///     calls.finish_with(&mut on_event);
    ///     status
    /// };
    /// assert_eq!(is_complete(ToolCalls::default()), Some(false));
    /// let last_wins = Parser::builder().duplicate_keys(DuplicateKeys::LastWins);
    /// assert_eq!(is_complete(ToolCalls::builder().parser(last_wins).build()), Some(true));
    /// ```
    ///
    /// Patterns set in `parser` are ignored; use [`patterns`](Self::patterns).
    pub fn parser(mut self, parser: ParserBuilder) -> Self {
        self.options.parser = parser;
        self
    }

    /// Sets limits on what the stream may make this process keep.
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Buffers the signals since the message began, up to `limit` bytes, so that the calls can be
    /// [saved](crate::ToolCalls::save). If the limit is exceeded, signals are still read, but saving fails.
    /// [`SAVE_LIMIT`](crate::SAVE_LIMIT) is a good limit; `usize::MAX` means no limit. The limit is not part of a saved
    /// state.
    pub fn saveable(mut self, limit: usize) -> Self {
        self.history = History::new(limit);
        self
    }

    /// Treats each delta as all of the input so far, as some servers send it. By default a delta holds only new text,
    /// as the protocols specify. This is never guessed, because genuine deltas may look cumulative.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, ToolCalls};
    ///
    /// let mut calls = ToolCalls::builder().cumulative().build();
    /// let mut fragments = Vec::new();
    /// let mut on_event = |event: CallEvent<'_>| {
    ///     if let CallEvent::Fragment { text, .. } = event {
    ///         fragments.push(text.to_string());
    ///     }
    /// };
    /// calls.start_with(0, CallStart::new("list"), &mut on_event);
    /// for text in [r#"{"cmd":"#, r#"{"cmd":"l"#, r#"{"cmd":"ls"}"#] {
    ///     calls.delta_with(0, text, &mut on_event);
    /// }
    /// assert_eq!(fragments.concat(), r#"{"cmd":"ls"}"#);
    /// ```
    pub fn cumulative(mut self) -> Self {
        self.options.is_cumulative = true;
        self
    }
}
