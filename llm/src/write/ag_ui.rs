//! AG-UI: a run for each message, with messages of text or reasoning and calls, all by id.
//!
//! The wire does not name the executor of a call, so calls of the provider are left out. A run cannot finish while a
//! call is open, so an answer that stops within a call ends with an error. Any other reason to stop is the member
//! `finishReason` of the metadata, unless it is an outcome of a run.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::Loss;
use super::out::{Object, Out, given, list};
use super::stops::{Words, word_for};
use super::target::{Called, Ended, Fault, Started, Target};
use crate::calls::Executor;
use crate::event::{Opaque, OpaqueKind, StopKind, StreamEvent, TokenUsage, ToolResult};
use crate::json::Tree;
use crate::words::matches;

const WORDS: Words = &[
    (StopKind::Finished, "stop"),
    (StopKind::ToolUse, "tool_calls"),
    (StopKind::StopSequence, "stop_sequence"),
    (StopKind::Length, "length"),
    (StopKind::Refusal, "refusal"),
    (StopKind::ContentFilter, "content_filter"),
    (StopKind::Pause, "pause_turn"),
    (StopKind::Cancelled, "cancelled"),
];

/// The types of events with data of the application.
const DATA: &str = "STATE_SNAPSHOT|STATE_DELTA|ACTIVITY_SNAPSHOT|ACTIVITY_DELTA|STEP_STARTED|STEP_FINISHED|\
    MESSAGES_SNAPSHOT|CUSTOM|RAW";

/// The number of a block that no block of the source has.
const OWN_BLOCK: u64 = u64::MAX;

#[derive(Clone, Debug, Default)]
struct Run {
    id: String,
    model: String,
    /// True if the answer stopped within a call, so nothing more is written.
    is_over: bool,
    /// Data that precedes the first run.
    held: Vec<String>,
    /// The ids of open blocks, by their numbers and types.
    blocks: BTreeMap<(u64, &'static str), String>,
    /// The ids of the run's messages, and of its calls.
    messages: BTreeSet<String>,
    call_ids: BTreeSet<String>,
    /// The ids of the run's calls by their numbers, and whether they are open.
    calls: BTreeMap<u64, (String, bool)>,
    /// The message that calls belong to.
    parent: String,
    interrupts: Vec<String>,
}

pub(super) fn new() -> Box<dyn Target> {
    Box::new(Run::default())
}

/// Returns the type of events of blocks of this kind.
fn name_of(kind: &str) -> &'static str {
    if kind == "text" { "TEXT_MESSAGE_" } else { "REASONING_MESSAGE_" }
}

/// Returns an id that is not used yet: this one, or else a longer one.
fn unused(mut id: String, used: &mut BTreeSet<String>) -> String {
    while !used.insert(id.clone()) {
        id.push('-');
    }
    id
}

impl Run {
    /// Writes an event with these members.
    fn put(&self, kind: &str, members: impl FnOnce(Object) -> Object, out: &mut Out<'_>) {
        if !self.is_over {
            let time = Some(out.created.saturating_mul(1000)).filter(|time| *time > 0);
            out.data(members(Object::new().text("type", kind).some_number("timestamp", time)));
        }
    }

    fn start_block(&mut self, number: u64, name: &'static str, id: Option<&str>, out: &mut Out<'_>) -> String {
        let id = id.map_or_else(|| format!("{}-{}", self.id, self.messages.len()), ToOwned::to_owned);
        let id = unused(id, &mut self.messages);
        let (kind, role) = ([name, "START"].concat(), if name == "TEXT_MESSAGE_" { "assistant" } else { "reasoning" });
        self.put(&kind, |event| event.text("messageId", &id).text("role", role), out);
        if name == "TEXT_MESSAGE_" {
            self.parent.clone_from(&id);
        }
        self.blocks.insert((number, name), id.clone());
        id
    }

    fn piece(&mut self, number: u64, name: &'static str, text: &str, out: &mut Out<'_>) -> Option<()> {
        if !self.blocks.contains_key(&(number, name)) {
            self.start_block(number, name, None, out);
        }
        let id = self.blocks.get(&(number, name))?;
        self.put(&[name, "CONTENT"].concat(), |event| event.text("messageId", id).text("delta", text), out);
        Some(())
    }

    fn end_block(&mut self, number: u64, name: &'static str, out: &mut Out<'_>) -> Option<()> {
        let id = self.blocks.remove(&(number, name))?;
        self.put(&[name, "END"].concat(), |event| event.text("messageId", &id), out);
        Some(())
    }

    /// Writes an encrypted value of a call, of an open block, or else of a message of its own.
    fn opaque(&mut self, opaque: &Opaque<'_>, out: &mut Out<'_>) -> Option<()> {
        let value = &*opaque.json;
        if opaque.kind != OpaqueKind::Encrypted || !value.starts_with('"') {
            return None;
        }
        let open = self.blocks.iter().find(|((block, _), _)| Some(*block) == opaque.block).map(|(_, id)| id.clone());
        let (kind, id) = match (opaque.call, &open) {
            (Some(call), _) => ("tool-call", self.calls.get(&call)?.0.clone()),
            (None, Some(id)) => ("message", id.clone()),
            (None, None) => ("message", self.start_block(OWN_BLOCK, "REASONING_MESSAGE_", None, out)),
        };
        let members = |event: Object| event.text("subtype", kind).text("entityId", &id).given("encryptedValue", value);
        self.put("REASONING_ENCRYPTED_VALUE", members, out);
        if open.is_none() && opaque.call.is_none() {
            self.end_block(OWN_BLOCK, "REASONING_MESSAGE_", out);
        }
        Some(())
    }

    /// Writes the result of a call that was written whole. Whether the tool has failed is lost.
    fn result(&mut self, result: &ToolResult<'_>, out: &mut Out<'_>) -> Option<()> {
        let (call, _) = self.calls.get(&result.call?).filter(|(_, is_open)| !is_open)?.clone();
        let json = given(&result.json);
        let tree = Tree::new(&json);
        let is_own = tree.root().get("type").peek() == "TOOL_CALL_RESULT";
        let content = if is_own { tree.root().get("content") } else { tree.root() };
        let id = unused([&call, "-result"].concat(), &mut self.messages);
        let members = |event: Object| {
            let event = event.text("messageId", &id).text("toolCallId", &call).text("role", "tool");
            event.text("content", content.text_or_json())
        };
        self.put("TOOL_CALL_RESULT", members, out);
        if result.is_error { None } else { Some(()) }
    }

    fn data(&mut self, kind: &str, json: &str, out: &mut Out<'_>) -> Option<()> {
        let json = given(json);
        let data = if matches(DATA, kind) && Tree::new(&json).root().get("type").peek() == kind {
            json
        } else {
            Object::new().text("type", "CUSTOM").text("name", kind).json("value", json).into()
        };
        // The first event has to start a run.
        if self.id.is_empty() {
            self.held.push(data);
        } else if !self.is_over {
            out.data(data);
        }
        Some(())
    }
}

impl Target for Run {
    fn prefix(&self) -> &'static str {
        "run_"
    }

    fn begin(&mut self, id: &str, model: &str, out: &mut Out<'_>) {
        let (held, is_over) = (mem::take(&mut self.held), self.is_over);
        *self = Self { id: id.to_owned(), model: model.to_owned(), parent: id.to_owned(), is_over, ..Self::default() };
        self.messages.insert(id.to_owned());
        self.put("RUN_STARTED", |event| event.text("threadId", THREAD).text("runId", id), out);
        held.into_iter().for_each(|data| out.data(data));
    }

    fn write(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>) {
        let written = match event {
            StreamEvent::Text { text, block, .. } => self.piece(*block, name_of("text"), text, out),
            StreamEvent::Reasoning { text, block, .. } => self.piece(*block, name_of("reasoning"), text, out),
            StreamEvent::BlockStart(block) => {
                self.start_block(block.number, name_of(block.kind.name()), block.id.as_deref(), out);
                None
            }
            StreamEvent::BlockEnd(block) => self.end_block(block.number, name_of(block.kind.name()), out),
            StreamEvent::Opaque(opaque) => self.opaque(opaque, out),
            StreamEvent::ToolResult(result) => self.result(result, out),
            StreamEvent::Data { kind, json } => self.data(kind, json, out),
            StreamEvent::ApprovalRequest { id, call, json } => {
                let known = call.and_then(|call| self.calls.get(&call));
                let tree = Tree::new(json);
                let reason = tree.root().get("reason").text().unwrap_or("approval");
                let interrupt = Object::new().text("id", id).text("reason", reason);
                let interrupt = interrupt.some_text("toolCallId", known.map(|(id, _)| &**id));
                (call.is_none() || known.is_some()).then(|| self.interrupts.push(interrupt.into()))
            }
            _ => None,
        };
        if written.is_none() {
            out.lose(Loss::of(event));
        }
    }

    fn start_call(&mut self, call: &Called, out: &mut Out<'_>) -> Started {
        if call.executor == Executor::Provider {
            return Started::Lost(Loss::ServerTool);
        }
        if call.is_raw {
            return Started::Impossible;
        }
        let id = unused(call.id.clone(), &mut self.call_ids);
        let members = |event: Object| {
            event.text("toolCallId", &id).text("toolCallName", &call.name).text("parentMessageId", &self.parent)
        };
        self.put("TOOL_CALL_START", members, out);
        self.calls.insert(call.number, (id, true));
        Started::Written
    }

    fn fragment(&mut self, call: &Called, text: &str, out: &mut Out<'_>) {
        if let Some((id, _)) = self.calls.get(&call.number) {
            self.put("TOOL_CALL_ARGS", |event| event.text("toolCallId", id).text("delta", text), out);
        }
    }

    fn end_call(&mut self, call: &Called, out: &mut Out<'_>) {
        if let Some((id, is_open)) = self.calls.get_mut(&call.number) {
            *is_open = false;
            let id = id.clone();
            self.put("TOOL_CALL_END", |event| event.text("toolCallId", &id), out);
        }
    }

    fn end(&mut self, ended: &Ended, out: &mut Out<'_>) {
        let Some(stop) = ended.stops.first() else { return };
        let reason = word_for(stop, WORDS);
        if self.calls.values().any(|(_, is_open)| *is_open) {
            let message = "the answer stopped within a call";
            self.put("RUN_ERROR", |event| event.text("message", message).text("code", &reason), out);
            self.is_over = true;
            return;
        }
        for ((_, name), id) in mem::take(&mut self.blocks) {
            self.put(&[name, "END"].concat(), |event| event.text("messageId", &id), out);
        }
        let mut interrupts = mem::take(&mut self.interrupts);
        match stop.kind {
            StopKind::Pause if interrupts.is_empty() => {
                interrupts.push(Object::new().text("id", &self.id).text("reason", &reason).into());
            }
            StopKind::Pause => {}
            _ => out.lose(interrupts.first().map(|_| Loss::ServerTool)),
        }
        let finished = |event: Object| {
            let event = event.text("threadId", THREAD).text("runId", &self.id);
            let event = ended.usage.iter().fold(event, |event, usage| event.json("usage", list([self.usage(usage)])));
            let outcome =
                Object::new().text("type", if stop.kind == StopKind::Pause { "interrupt" } else { "cancelled" });
            let metadata = Object::new().text("finishReason", &reason);
            match stop.kind {
                StopKind::Pause => event.json("outcome", outcome.json("interrupts", list(interrupts))),
                StopKind::Cancelled => event.json("outcome", outcome).json("metadata", metadata),
                _ => event.json("metadata", metadata.some_text("stopSequence", stop.stop_sequence.as_deref())),
            }
        };
        self.put("RUN_FINISHED", finished, out);
    }

    fn fail(&mut self, fault: &Fault<'_>, out: &mut Out<'_>) {
        let code = fault.code.or(fault.kind);
        self.put("RUN_ERROR", |event| event.text("message", fault.message).some_text("code", code), out);
    }

    fn boxed_clone(&self) -> Box<dyn Target> {
        Box::new(self.clone())
    }
}

/// The conversation, which no source names.
const THREAD: &str = "thread_0";

impl Run {
    fn usage(&self, usage: &TokenUsage) -> String {
        let counts = Object::new().some_text("model", Some(&*self.model).filter(|model| !model.is_empty()));
        let counts = counts.some_number("inputTokens", usage.input).some_number("outputTokens", usage.output);
        let counts = counts.some_number("cachedInputTokens", usage.cached);
        counts.some_number("reasoningTokens", usage.reasoning).into()
    }
}
