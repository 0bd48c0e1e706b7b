//! Questions out of a tool call, while the model is still writing it.
//!
//! Strings for the person are sent by path as they grow, and a question's options together, once their array is complete.
//! All other fields stay here until the whole call is valid.

use std::sync::LazyLock;

use jsonspigot::{DuplicateKeys, Event as JsonEvent, EventKind, Parser, PatternSet};
use jsonspigot_llm::{CallEvent, Payload, StreamEvent, ToolCalls};
use serde_json::{Value, json};

use super::classification::{Classification, Rejected, TOOL};
use super::raw::Goes;
use super::shown::Shown;
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

/// The paths that the person sees, with the events that send them. The last pattern selects every value: for the raw text.
const PATTERNS: [(&str, Goes, EventName); 6] = [
    ("ask_slots[*].message", Goes::Shown, EventName::AskMessageDelta),
    ("simple_response.message", Goes::Shown, EventName::SimpleResponseDelta),
    ("reasoning", Goes::Shown, EventName::ReasoningDelta),
    ("ask_slots[*].options", Goes::Kept, EventName::AskOptions),
    ("simple_response.suggestions", Goes::Kept, EventName::AskOptions),
    ("$..*", Goes::Hidden, EventName::ClassificationRaw),
];

static SET: LazyLock<PatternSet> =
    LazyLock::new(|| PatternSet::new(PATTERNS.map(|(path, ..)| path)).expect("the patterns are valid"));

/// The message's id in its block.
pub(super) const MESSAGE: &str = "ask";

/// Reads one call.
#[derive(Debug)]
pub(super) struct Reading {
    block: String,
    call: Option<u64>,
    verdict: Option<Result<Classification, Rejected>>,
    shown: Shown,
    pub(super) events: Vec<Event>,
}

impl Reading {
    /// Reads a call of which this much was shown before.
    pub(super) fn new(block: &str, shown: Shown) -> Self {
        Self { block: block.to_owned(), call: None, verdict: None, shown, events: Vec::new() }
    }

    /// Returns the options that calls are read with: a key that is there twice is an error, not a correction.
    pub(super) fn calls() -> ToolCalls {
        let parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject);
        ToolCalls::builder().patterns_for(TOOL, &SET).parser(parser).build()
    }

    /// Takes an event of the provider's stream.
    pub(super) fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Call(CallEvent::Start { call })
                if call.name.as_deref() == Some(TOOL) && self.call.is_none() =>
            {
                self.call = Some(call.number);
                if !std::mem::replace(&mut self.shown.has_begun, true) {
                    let whole = Envelope::whole(MessageType::Ask, json!({})).of(MESSAGE).in_block(self.block.as_str());
                    self.events.push(Event::new(EventName::ClassificationStart, whole));
                }
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) if self.call == Some(call.number) => {
                self.shown.raw.push(&text);
            }
            StreamEvent::Call(CallEvent::Match { call, event }) if self.call == Some(call.number) => self.send(&event),
            StreamEvent::Call(CallEvent::End { call, input, .. }) if self.call == Some(call.number) => {
                self.verdict = Some(read(call.id.as_deref().unwrap_or("call_1"), &input));
            }
            _ => {}
        }
    }

    /// Sends what an event of a value shows: more of a string, its end, or options that are complete.
    fn send(&mut self, event: &JsonEvent<'_>) {
        let ((_, goes, name), path) = (PATTERNS[event.pattern.index()], || event.path.pointer().to_string());
        self.shown.raw.note(goes, event);
        let change = match (goes, &event.kind) {
            (Goes::Shown, EventKind::Delta(more)) => self.shown.grow(path(), more),
            (Goes::Shown, EventKind::End(_)) => Some(Change::end(path())),
            (Goes::Kept, EventKind::End(Some(options))) => self.shown.options(path(), options.deserialize().ok()),
            _ => None,
        };
        self.push(name, change);
    }

    /// Sends the call's text so far.
    pub(super) fn send_raw(&mut self) {
        let text = self.shown.raw.take("/raw");
        self.push(EventName::ClassificationRaw, text);
    }

    /// Returns the classification, once the answer has ended, and what was shown of it.
    pub(super) fn finish(self) -> (Result<Classification, Rejected>, Shown) {
        (self.verdict.unwrap_or_else(|| Err(Rejected::never_called())), self.shown)
    }

    fn push(&mut self, name: EventName, changes: impl IntoIterator<Item = Change>) {
        let delta = |change| Envelope::delta(MessageType::Ask, MESSAGE, change).in_block(self.block.as_str());
        self.events.extend(changes.into_iter().map(|change| Event::new(name, delta(change))));
    }
}

/// Reads the complete input, strictly.
fn read(id: &str, input: &Payload<'_>) -> Result<Classification, Rejected> {
    let raw = || json!({"INVALID_JSON": input.raw()});
    let reason = || input.error().map_or_else(|| input.status().name().to_owned(), ToString::to_string);
    let value =
        input.value().ok_or_else(reason).and_then(|value| value.deserialize().map_err(|error| error.to_string()));
    let value: Value = value.map_err(|reason| {
        Rejected::new(id, raw(), vec![format!("the input is {}: {reason}", input.status().name())])
    })?;
    Classification::read(&value)
        .map_err(|errors| Rejected::new(id, if value.is_object() { value } else { raw() }, errors))
}
