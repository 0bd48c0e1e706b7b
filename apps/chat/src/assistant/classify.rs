//! The shopping assistant's first answer as it streams: what may be shown is told, the rest is kept until it is whole.
//!
//! Owns the reading of the forced call. No I/O: the library's events go in, the client's come out.

use std::sync::LazyLock;

use jsonspigot::Payload;
use jsonspigot::providers::StreamEvent;
use jsonspigot::tool_calls::{CallEvent, ToolCalls};
use jsonspigot::{DuplicateKeys, Event as JsonEvent, EventKind, Parser, PatternSet};
use serde_json::{Value, json};

use super::classification::{Classification, TOOL};
use crate::conversation::ContextualQuestion;
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

/// What of the call is shown while it streams; [`Reading::matched`] goes by the place in this list.
static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| {
    let shown = ["ask_slots[*].message", "ask_slots[*].options", "simple_response.message", "reasoning"];
    PatternSet::new(shown).expect("the patterns are patterns")
});

/// The message's id in its block.
const MESSAGE: &str = "ask";

/// Reads one classification.
#[derive(Debug)]
pub(super) struct Reading {
    block: String,
    call: Option<u64>,
    verdict: Option<Result<Classification, String>>,
    pub(super) events: Vec<Event>,
}

impl Reading {
    pub(super) fn new(block: &str) -> Self {
        Self { block: block.to_owned(), call: None, verdict: None, events: Vec::new() }
    }

    /// The choices that the call is read with.
    pub(super) fn calls() -> ToolCalls {
        let parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject);
        ToolCalls::builder().patterns_for(TOOL, &PATTERNS).parser(parser).build()
    }

    pub(super) fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Call(CallEvent::Start(call)) if call.name == Some(TOOL) && self.call.is_none() => {
                self.call = Some(call.number);
                let whole = Envelope::whole(MessageType::Ask, json!({})).of(MESSAGE).in_block(self.block.as_str());
                self.events.push(Event::new(EventName::ClassificationStart, whole));
            }
            StreamEvent::Call(CallEvent::Match { call, event }) if self.call == Some(call.number) => {
                self.matched(&event);
            }
            StreamEvent::Call(CallEvent::End { call, input, .. }) if self.call == Some(call.number) => {
                self.verdict = Some(read(&input));
            }
            _ => {}
        }
    }

    /// The classification, once the message has come to its end.
    pub(super) fn finish(self) -> Result<Classification, String> {
        self.verdict.unwrap_or_else(|| Err("the model has not classified the message".to_owned()))
    }

    fn matched(&mut self, event: &JsonEvent<'_>) {
        let name = match (event.pattern.index(), event.kind) {
            (0, EventKind::Delta(_)) => EventName::AskMessageDelta,
            (2, EventKind::Delta(_)) => EventName::SimpleResponseDelta,
            (3, EventKind::Delta(_)) => EventName::ReasoningDelta,
            // The options are shown together, and only if they are what they should be.
            (1, EventKind::End(Some(options))) => {
                if let Ok(options) = options.deserialize::<Vec<String>>() {
                    let change = Change::set(event.path.pointer().to_string(), json!(options));
                    self.push(EventName::AskOptions, change);
                }
                return;
            }
            _ => return,
        };
        if let Some(change) = Change::of_event("", event) {
            self.push(name, change);
        }
    }

    fn push(&mut self, name: EventName, change: Change) {
        let delta = Envelope::delta(MessageType::Ask, MESSAGE, change).in_block(self.block.as_str());
        self.events.push(Event::new(name, delta));
    }
}

/// The whole input, strictly.
fn read(input: &Payload<'_>) -> Result<Classification, String> {
    let Some(value) = input.value() else {
        let detail = input.error().map_or_else(|| input.status().name().to_owned(), ToString::to_string);
        return Err(format!("the classification is {}: {detail}", input.status().name()));
    };
    let read: Classification =
        value.deserialize().map_err(|error| format!("the classification is not valid: {error}"))?;
    read.check().map_err(|detail| format!("the classification is not valid: {detail}"))?;
    Ok(read)
}

/// The decision as the client may see it: the whole message, without an internal field.
pub(super) fn complete(block: &str, said: &Classification, asked: &[ContextualQuestion]) -> Event {
    let public =
        |slot: &ContextualQuestion| json!({"message": slot.message, "type": slot.kind, "options": slot.options});
    let mut props = json!({"ask_slots": asked.iter().map(public).collect::<Vec<Value>>()});
    if let Some(response) = &said.simple_response {
        props["simple_response"] = json!({"message": response.message});
    }
    if let Some(reasoning) = &said.reasoning {
        props["reasoning"] = json!(reasoning);
    }
    let whole = Envelope::whole(MessageType::Ask, props).of(MESSAGE).in_block(block);
    Event::new(EventName::ClassificationComplete, whole)
}
