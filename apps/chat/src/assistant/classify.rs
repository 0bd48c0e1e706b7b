//! Questions out of a tool call, while the model is still writing it.
//!
//! Strings for the person are sent by path as they grow, and a question's options together, once their array is complete.
//! All other fields stay here until the whole call is valid.

use std::collections::HashSet;
use std::sync::LazyLock;

use jsonspigot::{DuplicateKeys, Event as JsonEvent, EventKind, Parser, PatternSet};
use jsonspigot_llm::{CallEvent, StreamEvent, ToolCalls};
use serde_json::json;

use super::ask::Reader;
use super::classification::{Classification, Rejected, TOOL};
use super::raw::{Goes, RawText};
use crate::wire::{Change, Event, EventName, MessageRef, MessageType};

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

/// Reads the call. If it is not valid, the same machine reads the next one, and sends no path a second time.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) message: MessageRef,
    call: Option<u64>,
    /// The classification, once the call has ended.
    pub(super) verdict: Option<Result<Classification, Rejected>>,
    raw: RawText,
    has_begun: bool,
    /// The paths that were sent from this call, and from calls before it.
    sent: HashSet<String>,
    earlier: HashSet<String>,
    events: Vec<Event>,
}

impl Reading {
    pub(super) fn new(block: &str) -> Self {
        let message = MessageRef::new(EventName::ClassificationStart, MessageType::Ask, "ask", block);
        let (sent, earlier, raw) = (HashSet::new(), HashSet::new(), RawText::default());
        Self { message, call: None, verdict: None, raw, has_begun: false, sent, earlier, events: Vec::new() }
    }

    /// Sends what an event of a value shows: more of a string, its end, or complete options.
    fn send(&mut self, event: &JsonEvent<'_>) {
        let (_, goes, name) = PATTERNS[event.pattern.index()];
        self.raw.note(goes, event);
        let path = || event.path.pointer().to_string();
        let change = match (goes, &event.kind) {
            (Goes::Shown, EventKind::Delta(more)) => Change::append(path(), &**more),
            // Null and an empty string were not sent, so they have no end.
            (Goes::Shown, EventKind::End(_)) if self.sent.contains(&path()) => Change::end(path()),
            (Goes::Kept, EventKind::End(Some(options))) => match options.deserialize::<Vec<String>>() {
                Ok(options) => Change::set(path(), options),
                Err(_) => return,
            },
            _ => return,
        };
        if !self.earlier.contains(&change.path) {
            self.sent.insert(change.path.clone());
            self.events.push(self.message.named(name).change(change));
        }
    }
}

impl Reader for Reading {
    /// Rejects repeated keys: they are errors, not corrections.
    fn calls(&self) -> ToolCalls {
        let parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject);
        ToolCalls::builder().patterns_for(TOOL, &SET).parser(parser).build()
    }

    fn take(&mut self, event: StreamEvent<'_>) {
        let StreamEvent::Call(event) = event else { return };
        match event {
            CallEvent::Start { call } if call.name.as_deref() == Some(TOOL) && self.call.is_none() => {
                self.call = Some(call.number);
                if !std::mem::replace(&mut self.has_begun, true) {
                    self.events.push(self.message.whole(json!({})));
                }
            }
            CallEvent::Fragment { call, text } if self.call == Some(call.number) => self.raw.push(&text),
            CallEvent::Match { call, event } if self.call == Some(call.number) => self.send(&event),
            CallEvent::End { call, input, .. } if self.call == Some(call.number) => {
                self.verdict = Some(Classification::of_call(call.id.as_deref(), &input));
            }
            _ => {}
        }
    }

    fn drain(&mut self) -> Vec<Event> {
        self.raw.drain(&self.message.named(EventName::ClassificationRaw), &mut self.events);
        std::mem::take(&mut self.events)
    }

    fn restart(&mut self) {
        (self.call, self.verdict) = (None, None);
        self.raw.restart();
        self.earlier.extend(self.sent.drain());
    }
}
