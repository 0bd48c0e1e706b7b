//! The provider-neutral door: a stream's calls, whatever SDK or reader took the stream apart.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::builder::CallsBuilder;
use super::call::{Call, Nature, OnEvent};
use super::door::Door;
use super::event::ToolEvent;
use super::slots::Slot;
use crate::parser::Parser;
use crate::pattern::PatternSet;

/// A stream's tool calls, each with its own [`Parser`]: five signals in, [`ToolEvent`]s out.
///
/// [`start`](Self::start) a call, feed it by [`delta`](Self::delta) or [`whole`](Self::whole), [`stop`](Self::stop)
/// it, and [`finish`](Self::finish) the message with the provider's reason. Calls may be interleaved. An empty id, name
/// or text is an absent one, as the wire has it.
///
/// ```
/// use jsonspigot::adapters::{Calls, InputStatus, ToolEvent};
/// use jsonspigot::{EventKind, PatternSet};
///
/// let mut calls = Calls::new(&PatternSet::new(["city"])?);
/// let (mut city, mut status) = (String::new(), None);
/// let mut on_event = |event: ToolEvent<'_>| match event {
///     ToolEvent::Match { call: 0, event } => {
///         if let EventKind::Delta(text) = event.kind {
///             city.push_str(text); // at once, long before the call is whole
///         }
///     }
///     ToolEvent::Input { input, .. } => status = Some(input.status() == InputStatus::Complete),
///     _ => {}
/// };
/// calls.start(0, "call_1", "get_weather", "", &mut on_event);
/// calls.delta(0, r#"{"city": "Par"#, &mut on_event);
/// calls.delta(0, r#"is"}"#, &mut on_event);
/// calls.finish(Some("tool_calls"), &mut on_event);
/// assert_eq!((city.as_str(), status), ("Paris", Some(true)));
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
///
/// # Cost
///
/// Linear in the text, whatever the size of the deltas. Memory is bounded by the
/// [`CallLimits`](super::CallLimits); what belongs to a call is dropped at its end.
#[derive(Clone, Debug)]
pub struct Calls {
    pub(super) choices: CallsBuilder,
    pub(super) slots: super::slots::Slots,
    pub(super) open: BTreeMap<u64, Box<Call>>,
    /// The calls whose end was told, and whose verdict waits for the reason.
    pub(super) waiting: Vec<u64>,
    pub(super) next: u64,
}

impl Calls {
    /// Calls whose arguments are all matched with the same patterns.
    #[must_use]
    pub fn new(patterns: &PatternSet) -> Self {
        Self::builder().patterns(patterns).build()
    }

    /// Calls with choices: patterns for each tool, limits, modes.
    pub fn builder() -> CallsBuilder {
        CallsBuilder::default()
    }

    pub(super) fn from_builder(choices: CallsBuilder) -> Self {
        let slots = super::slots::Slots::default();
        Self { choices, slots, open: BTreeMap::new(), waiting: Vec::new(), next: 0 }
    }

    /// The patterns that apply to a tool's calls: [`Event::pattern`](crate::Event::pattern) is a place in this set.
    #[must_use]
    pub fn patterns(&self, name: &str) -> &PatternSet {
        self.choices.patterns_of(name)
    }

    /// The parser of an open call, by its number, from its first fragment on: its snapshot, its flaws.
    #[must_use]
    pub fn parser(&self, call: u64) -> Option<&Parser> {
        self.open.get(&call)?.parser()
    }

    /// A call starts. `input` is what came along with the start: it is used only if no delta comes.
    ///
    /// Starting an open slot once more with the same id, or with neither id nor name, is nothing: whoever takes chunks
    /// apart may start and feed with each. Another id starts another call; the first one stays open until the end.
    pub fn start<'s>(
        &mut self,
        slot: impl Into<Slot<'s>>,
        id: &str,
        name: &str,
        input: &str,
        mut on_event: impl FnMut(ToolEvent<'_>),
    ) {
        self.door(&mut on_event).start(slot.into(), id, name, input, Nature::Json);
    }

    /// A call starts whose input is not JSON by nature: a patch, a query, code.
    ///
    /// ```
    /// use jsonspigot::adapters::{Calls, InputStatus, ToolEvent};
    ///
    /// let mut calls = Calls::new(&jsonspigot::PatternSet::empty());
    /// let mut query = String::new();
    /// calls.start_raw(0, "call_1", "write_sql", "", |_| {});
    /// calls.delta(0, "SELECT 1", |_| {});
    /// calls.stop(0, |event| {
    ///     if let ToolEvent::Input { input, .. } = event {
    ///         assert_eq!(input.status(), InputStatus::Raw);
    ///         query.push_str(input.raw());
    ///     }
    /// });
    /// assert_eq!(query, "SELECT 1");
    /// ```
    pub fn start_raw<'s>(
        &mut self,
        slot: impl Into<Slot<'s>>,
        id: &str,
        name: &str,
        input: &str,
        mut on_event: impl FnMut(ToolEvent<'_>),
    ) {
        self.door(&mut on_event).start(slot.into(), id, name, input, Nature::Text);
    }

    /// A piece of a call's input.
    pub fn delta<'s>(&mut self, slot: impl Into<Slot<'s>>, text: &str, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).delta(slot.into(), text);
    }

    /// A call's whole input, once more: it is used if no delta came, else compared with them.
    pub fn whole<'s>(&mut self, slot: impl Into<Slot<'s>>, text: &str, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).whole(slot.into(), text);
    }

    /// A call has ended. If nothing or only a part of a value has come, the verdict waits for the reason: until the
    /// next start or the end of the message.
    pub fn stop<'s>(&mut self, slot: impl Into<Slot<'s>>, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).stop(slot.into());
    }

    /// The message has ended, with the provider's reason if it gave one: all open calls end.
    pub fn finish(&mut self, reason: Option<&str>, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).finish(reason);
    }

    /// One of several answers has ended: its open calls end.
    pub fn finish_choice(&mut self, choice: u64, reason: Option<&str>, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).finish_choice(choice, reason);
    }

    /// The input has ended, though the message has not: what is not whole is truncated.
    pub fn end_of_input(&mut self, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).end_of_input();
    }

    /// Another message begins: its slots begin anew, and calls that are still open end, superseded.
    pub fn begin_message(&mut self, mut on_event: impl FnMut(ToolEvent<'_>)) {
        self.door(&mut on_event).begin_message();
    }

    pub(super) fn door<'a>(&'a mut self, on_event: &'a mut OnEvent<'a>) -> Door<'a> {
        Door { calls: self, on_event }
    }
}
