//! The tool calls of a stream that any SDK or reader has split up: [`ToolCalls`].

use alloc::vec::Vec;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Parser, PatternSet};

use super::builder::ToolCallsBuilder;
use super::event::{CallEvent, CallEvents, CallListener, ToolCall};
use super::signals::{Signal, Signals};
use super::start::CallStart;
use super::start::Slot;
use super::state::State;
use crate::saved::History;
use crate::verbs::verbs;

/// A stream's tool calls, each with its own [`Parser`]: signals in, [`CallEvent`]s out.
///
/// [`start`](Self::start) a call, send its input with [`delta`](Self::delta) or [`whole`](Self::whole),
/// [`stop`](Self::stop) it, and [`end_message`](Self::end_message) with the provider's reason. Calls may be
/// interleaved. An empty text counts as absent, as it does on the wire. Each of these methods returns owned events; its
/// variant with `_with` passes borrowed ones to a closure.
///
/// ```
/// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
/// use jsonspigot::PatternSet;
///
/// let mut calls = ToolCalls::new(&PatternSet::new(["city"])?);
/// let (mut city, mut status) = (String::new(), None);
/// let mut on_event = |event: CallEvent<'_>| match event {
///     CallEvent::Match { call, event } if call.name.as_deref() == Some("get_weather") => {
///         if let Some(text) = event.delta() {
///             city.push_str(text); // at once, long before the call is whole
///         }
///     }
///     CallEvent::End { input, .. } => status = Some(input.status() == PayloadStatus::Complete),
///     _ => {}
/// };
/// calls.start_with(0, CallStart::new("get_weather").id("call_1"), &mut on_event);
/// calls.delta_with(0, r#"{"city": "Par"#, &mut on_event);
/// calls.delta_with(0, r#"is"}"#, &mut on_event);
/// calls.end_message_with("tool_calls", &mut on_event);
/// assert_eq!((city.as_str(), status), ("Paris", Some(true)));
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
///
/// If a callback panics and the panic is caught, all open calls end truncated.
///
/// # Cost
///
/// Linear in the text, for any size of the deltas. Memory is bounded by the [`CallLimits`](crate::CallLimits); the
/// memory of a call is freed at its end.
#[derive(Clone, Debug)]
pub struct ToolCalls {
    pub(crate) state: State,
    pub(super) history: History,
}

impl ToolCalls {
    /// Returns calls whose arguments are all matched against the same patterns. Without patterns, use
    /// [`ToolCalls::default`].
    #[must_use]
    pub fn new(patterns: &PatternSet) -> Self {
        Self::builder().patterns(patterns).build()
    }

    /// Returns a builder, which sets other options: patterns for each tool, limits, modes.
    pub fn builder() -> ToolCallsBuilder {
        ToolCallsBuilder::default()
    }

    /// Returns the patterns that apply to a tool's calls. [`Event::pattern`](jsonspigot::Event::pattern) refers to them.
    #[must_use]
    pub fn patterns(&self, name: &str) -> &PatternSet {
        self.state.options.patterns_of(name)
    }

    /// Returns the open calls in the order of their starts. [`parser`](Self::parser) returns the parser of each.
    ///
    /// ```
    /// use jsonspigot_llm::{CallStart, ToolCalls};
    /// use jsonspigot::Parser;
    ///
    /// let mut calls = ToolCalls::builder().parser(Parser::builder().snapshots()).build();
    /// calls.start(0, CallStart::new("search")).check()?;
    /// calls.delta(0, r#"{"query":"stre"#).check()?;
    /// for call in calls.open_calls() {
    ///     let parser = calls.parser(call.number).expect("something has come");
    ///     assert_eq!(parser.snapshot().unwrap().to_string(), r#"{"query":"stre"}"#);
    ///     assert_eq!(call.name.as_deref(), Some("search"));
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    #[must_use]
    pub fn open_calls(&self) -> Vec<ToolCall<'_>> {
        self.state.open.iter().map(|(_, call)| call.known.borrowed()).collect()
    }

    /// Returns the parser of an open call, for its snapshot and deviations; `None` before the first fragment.
    #[must_use]
    pub fn parser(&self, call: u64) -> Option<&Parser> {
        self.state.open.get(call)?.parser()
    }
}

verbs! {
    ToolCalls, CallEvent in CallEvents;

    /// Starts a call.
    ///
    /// Starting an open slot again with the same id, and with the same name or none, does nothing. Neither does
    /// starting it with neither id nor name, so a caller can start and feed with every chunk. Any other start, such as
    /// a name without an id, starts another call; the first one stays open until the message ends.
    start, start_with<'s>(slot: impl Into<Slot<'s>>, start: CallStart<'_>) => Signal::Start(slot.into(), start);

    /// Appends a piece of a call's input.
    delta, delta_with<'s>(slot: impl Into<Slot<'s>>, text: &str) => Signal::Delta(slot.into(), text);

    /// Takes a call's whole input. After deltas, compares it with them and appends the rest; an input that does not
    /// begin with them is reported as a [`Mismatch`](CallEvent::Mismatch).
    whole, whole_with<'s>(slot: impl Into<Slot<'s>>, text: &str) => Signal::Whole(slot.into(), text);

    /// Ends a call. If no input or only a part of a value has arrived, the verdict waits for the reason, until the next
    /// start or the end of the message.
    stop, stop_with<'s>(slot: impl Into<Slot<'s>>) => Signal::Stop(slot.into());

    /// Ends the message and all open calls, with the provider's reason if there is one. A reason that is not known to
    /// be regular counts as a cut.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    ///
    /// for (reason, status) in [
    ///     ("tool_calls", PayloadStatus::Empty),
    ///     ("length", PayloadStatus::Truncated { reason: "length" }),
    /// ] {
    ///     let mut calls = ToolCalls::default();
    ///     calls.start(0, CallStart::new("list_files")).check()?;
    ///     for event in calls.end_message(reason) {
    ///         let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///         assert_eq!(input.status(), status);
    ///     }
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    end_message, end_message_with<'r>(reason: impl Into<Option<&'r str>>) => Signal::Finish(reason.into());

    /// Ends one of several answers and its open calls, with the provider's reason if there is one.
    end_choice, end_choice_with<'r>(choice: u64, reason: impl Into<Option<&'r str>>) =>
        Signal::FinishChoice(choice, reason.into());

    /// Ends the input. Calls that are not complete are truncated. After [`end_message`](Self::end_message) this does
    /// nothing, so it is always safe to call. Equals [`cut("end-of-input")`](Self::cut).
    finish, finish_with() => Signal::Cut("end-of-input");

    /// Ends all open calls for a reason of the caller's, such as `cancelled` or `timeout`. Calls that are not complete
    /// are truncated. A reason that the provider sent before takes precedence.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    ///
    /// let mut calls = ToolCalls::default();
    /// calls.start(0, CallStart::new("search")).check()?;
    /// calls.delta(0, r#"{"query":"str"#).check()?;
    /// for event in calls.cut("cancelled") {
    ///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///     assert_eq!(input.status(), PayloadStatus::Truncated { reason: "cancelled" });
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    cut, cut_with(reason: &str) => Signal::Cut(reason);

    /// Ends one call for a reason of the caller's, such as `cancelled` or `timeout`, while the others continue. Later
    /// input for this call is an error. A call whose value is complete stays complete.
    ///
    /// ```
    /// use jsonspigot_llm::{CallStart, ToolCalls};
    ///
    /// let mut calls = ToolCalls::default();
    /// calls.start(0, CallStart::new("search")).check()?;
    /// calls.start(1, CallStart::new("read")).check()?;
    /// calls.cut_call(0, "cancelled").check()?;
    /// assert!(calls.delta(0, r#"{"query":"#).check().is_err());
    /// calls.delta(1, "{}").check()?;
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    cut_call, cut_call_with<'s>(slot: impl Into<Slot<'s>>, reason: &str) => Signal::CutCall(slot.into(), reason);

    /// Begins another message, with empty slots. Calls that are still open end as `superseded`.
    begin_message, begin_message_with() => Signal::BeginMessage;
}

impl ToolCalls {
    /// Returns the events of a signal, owned.
    fn events_of(&mut self, signal: Signal<'_>) -> CallEvents {
        let mut events = Vec::new();
        self.take(signal, &mut |event: CallEvent<'_>| events.push(event.into_owned()));
        CallEvents::new(events)
    }

    /// Applies a signal to the calls. If the listener panics and the panic is caught, no open call can be complete.
    pub(super) fn take(&mut self, signal: Signal<'_>, listener: &mut dyn CallListener) {
        self.history.add(|out| signal.save(out));
        unless_interrupted(self, |calls| signal.give(&mut calls.signals(listener)));
        if self.history.is_kept() && self.state.is_new() {
            self.history.restart(|out| self.state.save_base(out));
        }
    }

    /// Returns the calls as a receiver of signals that reports to `listener`.
    pub(crate) fn signals<'a>(&'a mut self, listener: &'a mut dyn CallListener) -> Signals<'a> {
        Signals { calls: &mut self.state, listener }
    }

    /// Makes calls without a name incomplete.
    pub(crate) fn require_names(&mut self) {
        self.state.options.needs_names = true;
    }
}

/// Creates calls without patterns.
impl Default for ToolCalls {
    fn default() -> Self {
        Self::builder().build()
    }
}

impl Interrupted for ToolCalls {
    fn interrupt(&mut self) {
        self.state.leave_out("panicked");
        self.history.interrupt();
    }
}

impl ToolCallsBuilder {
    /// Returns calls with these options.
    #[must_use]
    pub fn build(self) -> ToolCalls {
        ToolCalls { state: State::new(self.options), history: self.history }
    }
}
