//! One answer of the model in the tool loop: text, notes and tool calls, gathered while they stream.

use std::collections::HashSet;
use std::sync::LazyLock;

use jsonspigot::PatternSet;
use jsonspigot_llm::{CallEvent, Payload, PayloadStatus, StopKind, StreamEvent, ToolCalls};
use serde_json::{Map, Value, json};

use super::ask::Reader;
use super::growing_text::GrowingText;
use super::hidden_context::HiddenContext;
use super::raw::{Goes, RawText};
use crate::provider::{Block, Message, Role};
use crate::wire::{Change, Event, EventName, MessageRef, MessageType};

static EVERYTHING: LazyLock<PatternSet> =
    LazyLock::new(|| PatternSet::new(["$", "$..*"]).expect("the patterns are valid"));

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Round<'t> {
    block: String,
    /// The ids of earlier calls.
    earlier: &'t HashSet<String>,
    hidden: HiddenContext,
    parts: Vec<Part>,
    thoughts: Option<GrowingText>,
    stop: Option<(String, StopKind)>,
    events: Vec<Event>,
}

#[derive(Debug)]
enum Part {
    Text { text: String, shown: GrowingText },
    Call(Call),
}

/// A tool call.
#[derive(Debug)]
pub(super) struct Call {
    number: u64,
    pub(super) id: String,
    pub(super) name: String,
    /// Its message, in the answer's block.
    pub(super) message: MessageRef,
    /// The complete input, or why it must not be run.
    pub(super) input: Result<Value, String>,
    /// The input as it is stored and sent back to the model. A flawed input is marked.
    stored: Value,
    raw: Box<RawText>,
    /// True for a repeated id, or a call of an answer that was replaced: it is neither run nor sent back.
    is_void: bool,
}

/// A complete answer.
#[derive(Debug)]
pub(super) struct Said {
    /// `None` if the model has said nothing.
    pub(super) message: Option<Message>,
    /// The calls to run, in order, each id once.
    pub(super) calls: Vec<Call>,
    pub(super) context: Map<String, Value>,
    pub(super) stop_reason: String,
}

impl<'t> Round<'t> {
    pub(super) fn new(block: &str, earlier: &'t HashSet<String>) -> Self {
        let (hidden, block) = (HiddenContext::new(block), block.to_owned());
        Self { block, earlier, hidden, parts: Vec::new(), thoughts: None, stop: None, events: Vec::new() }
    }

    /// Ends the answer. The events are those that have not been drained.
    pub(super) fn finish(mut self) -> (Said, Vec<Event>) {
        self.end_text();
        let (mut content, mut calls) = (Vec::new(), Vec::new());
        for part in self.parts {
            match part {
                Part::Text { text, .. } if text.trim().is_empty() => {}
                Part::Text { text, .. } => content.push(Block::Text { text }),
                Part::Call(call) if call.is_void => {}
                Part::Call(call) => {
                    let (id, name, input) = (call.id.clone(), call.name.clone(), call.stored.clone());
                    content.push(Block::ToolUse { id, name, input });
                    calls.push(call);
                }
            }
        }
        let message = (!content.is_empty()).then_some(Message { role: Role::Assistant, content });
        let (reason, kind) = self.stop.unwrap_or_else(|| ("end_turn".to_owned(), StopKind::Finished));
        // One word for each early end, whatever the provider calls it.
        let stop_reason = match kind {
            StopKind::Length => "max_tokens".to_owned(),
            StopKind::ContentFilter => "content_filter".to_owned(),
            StopKind::Refusal => "refusal".to_owned(),
            _ if message.is_none() => "empty".to_owned(),
            _ => reason,
        };
        (Said { message, calls, context: self.hidden.known(), stop_reason }, self.events)
    }

    fn begin_call(&mut self, number: u64, id: Option<&str>, name: Option<&str>) {
        self.end_text();
        let count = self.parts.len();
        let id = id.map_or_else(|| format!("call_{}_{count}", self.block.replace('.', "_")), str::to_owned);
        let is_known = |part: &Part| matches!(part, Part::Call(call) if call.id == id);
        let is_void = self.earlier.contains(&id) || self.parts.iter().any(is_known);
        let name = name.unwrap_or_default().to_owned();
        let id_in_block = format!("tool{count}");
        let message = MessageRef::new(EventName::ToolStart, MessageType::ToolCall, id_in_block, &self.block);
        if !is_void {
            self.events.push(message.whole(json!({"id": id, "name": name, "input": {}, "status": "input"})));
        }
        let (input, raw) = (Err("the tool's input never came".to_owned()), Box::new(RawText::under("/input")));
        let stored = json!({"INVALID_JSON": ""});
        self.parts.push(Part::Call(Call { number, id, name, message, input, stored, raw, is_void }));
    }

    /// Changes a call that is shown, and sends the change that this gives.
    fn with_call(&mut self, number: u64, name: EventName, update: impl FnOnce(&mut Call) -> Option<Change>) {
        let call = self.parts.iter_mut().find_map(|part| match part {
            Part::Call(call) if call.number == number && !call.is_void => Some(call),
            _ => None,
        });
        let event = call.and_then(|call| update(call).map(|change| call.message.named(name).change(change)));
        self.events.extend(event);
    }

    fn end_text(&mut self) {
        let held = self.hidden.feed(None, &mut self.events);
        self.show(&held);
        if let Some(thoughts) = self.thoughts.as_ref().filter(|_| self.parts.is_empty()) {
            thoughts.end(&mut self.events);
        }
        if let Some(Part::Text { shown, .. }) = self.parts.last() {
            shown.end(&mut self.events);
        }
    }

    fn show(&mut self, visible: &str) {
        if visible.is_empty() {
            return;
        }
        if !matches!(self.parts.last(), Some(Part::Text { .. })) {
            let shown = GrowingText::text(format!("text{}", self.parts.len()), &self.block);
            self.parts.push(Part::Text { text: String::new(), shown });
        }
        if let Some(Part::Text { text, shown }) = self.parts.last_mut() {
            text.push_str(visible);
            shown.push(visible, &mut self.events);
        }
    }
}

impl Reader for Round<'_> {
    fn calls(&self) -> ToolCalls {
        ToolCalls::new(&EVERYTHING)
    }

    fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Text { text, .. } | StreamEvent::Refusal { text, .. } => {
                let visible = self.hidden.feed(Some(&text), &mut self.events);
                self.show(&visible);
            }
            StreamEvent::Reasoning { text, .. } => {
                let thinking = || MessageRef::new(EventName::Thinking, MessageType::Thinking, "thinking", &self.block);
                let thoughts = self.thoughts.get_or_insert_with(|| GrowingText::new(thinking()));
                thoughts.push(&text, &mut self.events);
            }
            StreamEvent::Call(CallEvent::Start { call }) => {
                self.begin_call(call.number, call.id.as_deref(), call.name.as_deref());
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) => {
                self.with_call(call.number, EventName::ToolInput, |call| {
                    call.raw.push(&text);
                    None
                });
            }
            StreamEvent::Call(CallEvent::Match { call, event }) => {
                self.with_call(call.number, EventName::ToolInput, |call| {
                    call.raw.note(Goes::Shown, &event);
                    Change::of_event("/input", &event)
                });
            }
            StreamEvent::Call(CallEvent::End { call, input, .. }) => {
                self.with_call(call.number, EventName::ToolResult, |call| {
                    call.input = read(&input);
                    call.stored = call.input.clone().unwrap_or_else(|_| json!({"INVALID_JSON": input.raw()}));
                    call.is_void = matches!(input.status(), PayloadStatus::Truncated { reason: "superseded" });
                    let end = json!({"status": "failed", "error": "the answer was begun anew"});
                    call.is_void.then(|| Change::merge("", end))
                });
            }
            StreamEvent::Stop { reason, kind, .. } => self.stop = Some((reason.into_owned(), kind)),
            _ => {}
        }
    }

    fn drain(&mut self) -> Vec<Event> {
        for part in &mut self.parts {
            let Part::Call(call) = part else { continue };
            call.raw.drain(&call.message.named(EventName::ToolInput), &mut self.events);
        }
        std::mem::take(&mut self.events)
    }

    fn restart(&mut self) {
        *self = Self::new(&self.block.clone(), self.earlier);
    }
}

/// Reads a complete input strictly: an object in which no key comes twice.
fn read(input: &Payload<'_>) -> Result<Value, String> {
    let Some(value) = input.value() else {
        let detail = input.error().map(|error| format!(": {error}")).unwrap_or_default();
        return Err(format!("the tool's input is {}{detail}", input.status().name()));
    };
    match value.deserialize::<Value>() {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(format!("the tool's input is not an object but {}", value.kind().name())),
        Err(error) => Err(format!("the tool's input can't be read: {error}")),
    }
}
