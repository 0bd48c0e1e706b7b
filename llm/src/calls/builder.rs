//! The options of a stream's calls, which every open call borrows, and their builder.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt::Write;

use jsonspigot::internal::saved::Digest;
use jsonspigot::{DuplicateKeys, ParserBuilder, PatternSet, Retain};

#[cfg(doc)]
use super::event::CallEvent;
use super::limits::CallLimits;
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
    /// let last_wins = Parser::builder().duplicate_keys(DuplicateKeys::LastWins);
    /// for (mut calls, expected) in [
    ///     (ToolCalls::default(), PayloadStatus::Malformed),
    ///     (ToolCalls::builder().parser(last_wins).build(), PayloadStatus::Complete),
    /// ] {
    ///     calls.start(0, CallStart::new("rm")).check()?;
    ///     calls.delta(0, r#"{"path":"/tmp/a","path":"/"}"#).check()?;
    ///     for event in calls.finish() {
    ///         let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///         assert_eq!(input.status(), expected);
    ///     }
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
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
    /// calls.start(0, CallStart::new("list")).check()?;
    /// for text in [r#"{"cmd":"#, r#"{"cmd":"l"#, r#"{"cmd":"ls"}"#] {
    ///     calls.delta(0, text).check()?;
    /// }
    /// for event in calls.stop(0) {
    ///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///     assert_eq!(input.raw(), r#"{"cmd":"ls"}"#);
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    pub fn cumulative(mut self) -> Self {
        self.options.is_cumulative = true;
        self
    }

    /// Reports when values close, so that work on a call can start before the wire ends it:
    /// [`Closed`](CallEvent::Closed) for a call's own value and, unless `fields` is empty,
    /// [`FieldsClosed`](CallEvent::FieldsClosed) once each of these patterns has selected a value that has closed. What
    /// is started early is to be committed or discarded at the call's [end](CallEvent::End), which still has the verdict:
    /// more text may follow the value, and the provider may contradict it.
    ///
    /// A closed value does not change unless the [parser](Self::parser) accepts duplicate keys. A number closes with the
    /// byte after it. Nothing is reported of a call that may lack a part or its name, nor of input that is not JSON.
    /// Other events stay as they are, except that [match numbers](jsonspigot::Event::match_id) have gaps.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{CallEvent, CallStart, ToolCalls};
    ///
    /// let mut calls = ToolCalls::builder().report_closed(&PatternSet::new(["path"])?).build();
    /// calls.start(0, CallStart::new("write_file")).check()?;
    /// let mut closed = Vec::new();
    /// for text in [r#"{"path":"a.txt"#, r#"","content":"H"#, r#"i"}"#] {
    ///     for event in calls.delta(0, text) {
    ///         match event {
    ///             CallEvent::FieldsClosed { .. } => closed.push(("the path", text)),
    ///             CallEvent::Closed { .. } => closed.push(("all", text)),
    ///             _ => {}
    ///         }
    ///     }
    /// }
    /// assert_eq!(closed, [("the path", r#"","content":"H"#), ("all", r#"i"}"#)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn report_closed(mut self, fields: &PatternSet) -> Self {
        self.options.closing = Some(fields.clone());
        self
    }
}

/// The options of [`ToolCallsBuilder`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(super) patterns: PatternSet,
    pub(super) patterns_by_name: BTreeMap<String, PatternSet>,
    pub(super) parser: ParserBuilder,
    pub(super) limits: CallLimits,
    /// True if each delta holds all of the input so far, and not only new text.
    pub(super) is_cumulative: bool,
    /// The fields whose closing is reported, if that of the calls is.
    pub(super) closing: Option<PatternSet>,
    /// True if a call without a name is not complete.
    pub(super) needs_names: bool,
}

impl Options {
    /// Returns the patterns that apply to a tool's calls.
    pub(super) fn patterns_of(&self, name: &str) -> &PatternSet {
        self.patterns_by_name.get(name).unwrap_or(&self.patterns)
    }
}

/// The maximum of consecutive white space in a call, in bytes. Models that send more never stop sending it.
const MOST_BLANK: u64 = 64 << 10;

/// Returns a user's builder with the defaults for the parser of a call's text.
pub(super) fn for_text(builder: ParserBuilder) -> ParserBuilder {
    builder
        .blank_limit_by_default(MOST_BLANK)
        .retain(Retain::All)
        .duplicate_keys_by_default(DuplicateKeys::Reject)
        .whole()
}

/// Saved state.
impl Options {
    /// Returns a digest of the patterns of all tools.
    pub(super) fn patterns_digest(&self) -> Digest {
        let all = Digest::new().with_digest(self.patterns.digest());
        self.patterns_by_name.iter().fold(all, |mut digest, (name, patterns)| {
            // Writing to a digest cannot fail.
            let _ = digest.write_str(name);
            digest.with(name.len() as u64).with_digest(patterns.digest())
        })
    }

    /// Returns a digest of all other options.
    pub(super) fn choices(&self) -> Digest {
        let parser = for_text(self.parser.clone()).patterns(&self.patterns).build().choices();
        let choices = self.limits.add_to(Digest::new().with_digest(parser)).with(self.is_cumulative.into());
        self.closing.iter().fold(choices, |choices, fields| choices.with_digest(fields.digest()))
    }
}
