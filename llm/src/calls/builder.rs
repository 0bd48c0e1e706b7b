//! The builder of [`ToolCalls`](crate::ToolCalls).

use jsonspigot::{ParserBuilder, PatternSet};

use super::limits::CallLimits;
use super::options::Options;
use crate::saved::History;

/// The choices [`ToolCalls`](crate::ToolCalls) are built with; each has a default.
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
    /// The patterns for every tool that has none of its own. By default there are none.
    pub fn patterns(mut self, patterns: &PatternSet) -> Self {
        self.options.patterns = patterns.clone();
        self
    }

    /// The patterns for one tool.
    pub fn patterns_for(mut self, name: &str, patterns: &PatternSet) -> Self {
        self.options.patterns_by_name.insert(name.into(), patterns.clone());
        self
    }

    /// Sets how each call's parser is built: its limits, snapshots and policy on duplicate keys. It always keeps its
    /// text.
    ///
    /// Unless the builder says otherwise, duplicate keys are [refused](jsonspigot::DuplicateKeys::Reject): if you act
    /// on a field as soon as it is complete, there must not be another value for it later. White space in a row is
    /// [limited](jsonspigot::Limits::blank) to 64 KiB, since some models never stop sending it.
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
    /// The builder's own patterns are ignored; use [`patterns`](Self::patterns).
    pub fn parser(mut self, parser: ParserBuilder) -> Self {
        self.options.parser = parser;
        self
    }

    /// Sets how much the stream may make this process keep.
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Buffers the signals since the message began, up to `limit` bytes, so that the calls can be
    /// [saved](crate::ToolCalls::save). Past the limit they are read as before, and saving them fails.
    /// [`SAVE_LIMIT`](crate::SAVE_LIMIT) is a good one; `usize::MAX` stands for none. It is not part of a state.
    pub fn saveable(mut self, limit: usize) -> Self {
        self.history = History::new(limit);
        self
    }

    /// Each delta holds all of the input so far, as some servers send it; by default, as the protocols say, it holds
    /// only what is new. This is never guessed: genuine deltas may look the same.
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
