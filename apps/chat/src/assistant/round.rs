//! One answer of the model in the tool loop as it streams: text and tool calls, gathered block by block.
//!
//! Owns what an answer is made of and what of it is told. No I/O: the library's events go in, the client's come out.

use std::collections::HashSet;
use std::sync::LazyLock;

use jsonspigot::{EventKind, PatternSet, ValueKind};
use jsonspigot_llm::{CallEvent, Payload, PayloadStatus, StopKind, StreamEvent, ToolCalls};
use serde_json::{Map, Value, json};

use super::growing_text::GrowingText;
use super::hidden_context::HiddenContext;
use super::raw::{Goes, RawText};
use crate::provider::{Block, Message, Role};
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

static EVERYTHING: LazyLock<PatternSet> =
    LazyLock::new(|| PatternSet::new(["$", "$..*"]).expect("the patterns are patterns"));

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Round<'t> {
    block: String,
    /// The ids of the calls before this answer.
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

/// A call, from its start on.
#[derive(Debug)]
pub(super) struct Call {
    number: u64,
    pub(super) id: String,
    pub(super) name: String,
    /// The message's id in its block.
    pub(super) message: String,
    /// The input, once it is whole, or what is wrong with it, with its text.
    pub(super) input: Result<Value, Flawed>,
    raw: Box<RawText>,
    /// Whether it repeats an id, or belongs to an answer that was begun anew: it is neither run nor sent back.
    is_void: bool,
}

/// An input that must not be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flawed {
    pub(super) reason: String,
    raw: String,
}

/// What an answer came to.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) message: Option<Message>,
    /// The calls to be run, in order, each id once.
    pub(super) calls: Vec<Call>,
    pub(super) context: Map<String, Value>,
    stop_reason: String,
    /// Whether it stopped of its own accord.
    is_finished: bool,
}

/// The reason to stop of an answer that is none: the model has said nothing at all.
const EMPTY: &str = "empty";

impl Said {
    /// Why it stopped, and whether that was before the first word.
    pub(super) fn reason(&self) -> String {
        let is_empty = self.message.is_none() && self.is_finished;
        if is_empty { EMPTY.to_owned() } else { self.stop_reason.clone() }
    }
}

impl<'t> Round<'t> {
    pub(super) fn new(block: &str, earlier: &'t HashSet<String>) -> Self {
        Self {
            block: block.to_owned(),
            earlier,
            hidden: HiddenContext::new(block),
            parts: Vec::new(),
            thoughts: None,
            stop: None,
            events: Vec::new(),
        }
    }

    /// The choices that calls are read with: every value of an input is told as it comes.
    pub(super) fn calls() -> ToolCalls {
        ToolCalls::new(&EVERYTHING)
    }

    pub(super) fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Text { text, .. } | StreamEvent::Refusal { text, .. } => {
                let visible = self.hidden.feed(Some(&text), &mut self.events);
                self.show(&visible);
            }
            StreamEvent::Reasoning { text, .. } => {
                let new = || GrowingText::new(EventName::Thinking, MessageType::Thinking, "thinking", &self.block);
                self.thoughts.get_or_insert_with(new).push(&text, &mut self.events);
            }
            StreamEvent::Call(CallEvent::Start { call }) => {
                self.begin_call(call.number, call.id.as_deref(), call.name.as_deref());
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) => {
                if let Some(call) = self.call(call.number) {
                    call.raw.push(&text);
                }
            }
            StreamEvent::Call(CallEvent::Match { call, event }) => {
                let Some(call) = self.call(call.number) else { return };
                if !matches!(event.kind, EventKind::Begin(ValueKind::Array | ValueKind::Object)) {
                    call.raw.note(Goes::Shown, &event);
                }
                if let Some(change) = Change::of_event("/input", &event) {
                    let message = call.message.clone();
                    self.push(EventName::ToolInput, &message, change);
                }
            }
            StreamEvent::Call(CallEvent::End { call, input, .. }) => {
                let Some(call) = self.call(call.number) else { return };
                call.input = read(&input);
                if matches!(input.status(), PayloadStatus::Truncated { reason: "superseded" }) {
                    call.is_void = true;
                    let message = call.message.clone();
                    let end = json!({"status": "failed", "error": "the answer was begun anew"});
                    self.push(EventName::ToolResult, &message, Change::merge("", end));
                }
            }
            StreamEvent::Stop { reason, kind, .. } => self.stop = Some((reason.into_owned(), kind)),
            _ => {}
        }
    }

    /// Returns the events so far, with the texts of the calls.
    pub(super) fn drain(&mut self) -> Vec<Event> {
        for part in &mut self.parts {
            let Part::Call(call) = part else { continue };
            for change in call.raw.take("/raw") {
                let delta = Envelope::delta(MessageType::ToolCall, call.message.as_str(), change);
                self.events.push(Event::new(EventName::ToolInput, delta.in_block(self.block.as_str())));
            }
        }
        std::mem::take(&mut self.events)
    }

    /// The answer, once it has come to its end.
    pub(super) fn finish(mut self) -> (Said, Vec<Event>) {
        self.end_text();
        let (mut content, mut calls) = (Vec::new(), Vec::new());
        for part in self.parts {
            match part {
                Part::Text { text, .. } if text.trim().is_empty() => {}
                Part::Text { text, .. } => content.push(Block::Text { text }),
                Part::Call(call) if call.is_void => {}
                Part::Call(call) => {
                    content.push(call.as_block());
                    calls.push(call);
                }
            }
        }
        let message = (!content.is_empty()).then_some(Message { role: Role::Assistant, content });
        let (stop_reason, kind) = self.stop.unwrap_or_else(|| ("end_turn".to_owned(), StopKind::Finished));
        // One word for each way to end early, whatever the provider calls it.
        let (stop_reason, is_finished) = match kind {
            StopKind::Length => ("max_tokens".to_owned(), false),
            StopKind::ContentFilter => ("content_filter".to_owned(), false),
            StopKind::Refusal => ("refusal".to_owned(), false),
            _ => (stop_reason, true),
        };
        (Said { message, calls, context: self.hidden.notes.known, stop_reason, is_finished }, self.events)
    }

    fn begin_call(&mut self, number: u64, id: Option<&str>, name: Option<&str>) {
        self.end_text();
        let count = self.parts.len();
        let id = id.map_or_else(|| format!("call_{}_{count}", self.block.replace('.', "_")), str::to_owned);
        let is_known = |part: &Part| matches!(part, Part::Call(call) if call.id == id);
        let is_void = self.earlier.contains(&id) || self.parts.iter().any(is_known);
        let (name, message) = (name.unwrap_or_default().to_owned(), format!("tool{count}"));
        if !is_void {
            let props = json!({"id": id, "name": name, "input": {}, "status": "input"});
            let whole = Envelope::whole(MessageType::ToolCall, props).of(message.as_str());
            self.events.push(Event::new(EventName::ToolStart, whole.in_block(self.block.as_str())));
        }
        let input = Err(Flawed { reason: "the input never came".to_owned(), raw: String::new() });
        self.parts.push(Part::Call(Call {
            number,
            id,
            name,
            message,
            input,
            raw: Box::new(RawText::under("/input")),
            is_void,
        }));
    }

    /// An open call that is shown.
    fn call(&mut self, number: u64) -> Option<&mut Call> {
        self.parts.iter_mut().find_map(|part| match part {
            Part::Call(call) if call.number == number && !call.is_void => Some(call),
            _ => None,
        })
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
            let message = format!("text{}", self.parts.len());
            let shown = GrowingText::new(EventName::Text, MessageType::Text, message, &self.block);
            self.parts.push(Part::Text { text: String::new(), shown });
        }
        if let Some(Part::Text { text, shown }) = self.parts.last_mut() {
            text.push_str(visible);
            shown.push(visible, &mut self.events);
        }
    }

    fn push(&mut self, name: EventName, message: &str, change: Change) {
        let delta = Envelope::delta(MessageType::ToolCall, message, change).in_block(self.block.as_str());
        self.events.push(Event::new(name, delta));
    }
}

impl Call {
    /// The call as it is stored and sent back. What was flawed is sent back as it came, and marked as such.
    fn as_block(&self) -> Block {
        let input = match &self.input {
            Ok(input) => input.clone(),
            Err(flawed) => json!({"INVALID_JSON": flawed.raw}),
        };
        Block::ToolUse { id: self.id.clone(), name: self.name.clone(), input }
    }
}

/// The whole input, strictly: an object, in which no key comes twice.
fn read(input: &Payload<'_>) -> Result<Value, Flawed> {
    let flawed = |reason: String| Flawed { reason, raw: input.raw().to_owned() };
    let Some(value) = input.value() else {
        let detail = input.error().map(|error| format!(": {error}")).unwrap_or_default();
        return Err(flawed(format!("the tool's input is {}{detail}", input.status().name())));
    };
    match value.deserialize::<Value>() {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err(flawed(format!("the tool's input is no object but {}", value.kind().name()))),
        Err(error) => Err(flawed(format!("the tool's input can't be read: {error}"))),
    }
}
