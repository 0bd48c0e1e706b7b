//! Anthropic Messages: named events, and blocks with indices.
//!
//! Calls that the provider executes are `server_tool_use` blocks. The text of a refusal is the explanation in
//! `stop_details`, and an answer that a filter stopped is a refusal.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::Loss;
use super::out::{Object, Out, given, list};
use super::stops::{Words, word_for};
use super::target::{Called, Ended, Fault, Started, Stopped, Target};
use crate::calls::Executor;
use crate::event::{BlockKind, Opaque, OpaqueKind, Source, StopKind, StreamEvent, ToolResult};
use crate::json::Tree;
use crate::words::matches;

const WORDS: Words = &[
    (StopKind::Finished, "end_turn"),
    (StopKind::ToolUse, "tool_use"),
    (StopKind::StopSequence, "stop_sequence"),
    (StopKind::Length, "max_tokens|model_context_window_exceeded"),
    (StopKind::Refusal, "refusal"),
    (StopKind::ContentFilter, "refusal"),
    (StopKind::Pause, "pause_turn"),
];

/// The types of citations that only Anthropic sends.
const CITATIONS: &str = "char_location|page_location|content_block_location|web_search_result_location|\
    search_result_location";

/// A message.
#[derive(Clone, Debug, Default)]
struct Messages {
    /// The index of the next block.
    next: u64,
    /// The indices of open blocks: of the source's blocks by their numbers, and of calls.
    blocks: BTreeMap<u64, u64>,
    calls: BTreeMap<u64, u64>,
    /// The kinds of the source's open blocks.
    kinds: BTreeMap<u64, BlockKind>,
    /// The ids of the calls that the provider executes and whose results are awaited. A result may be part of a later
    /// message.
    executed: BTreeSet<String>,
    /// The last result that was written, which may contain the sources that follow, in order.
    result: String,
    /// The end of the last of these sources in the result.
    result_at: usize,
    refusal: String,
    details: Option<String>,
    container: Option<String>,
}

pub(super) fn new() -> Box<dyn Target> {
    Box::new(Messages::default())
}

fn write(kind: &'static str, members: impl FnOnce(Object) -> Object, out: &mut Out<'_>) {
    out.event(kind, members(Object::new().text("type", kind)));
}

fn write_delta(index: u64, delta: Object, out: &mut Out<'_>) {
    write("content_block_delta", |event| event.number("index", index).json("delta", delta), out);
}

fn stop(index: u64, out: &mut Out<'_>) {
    write("content_block_stop", |event| event.number("index", index), out);
}

impl Messages {
    /// Starts a block and returns its index.
    fn start(&mut self, block: impl Into<String>, out: &mut Out<'_>) -> u64 {
        let index = self.next;
        self.next += 1;
        write("content_block_start", |event| event.number("index", index).json("content_block", block), out);
        index
    }

    /// Returns the index of a block of the source, and starts it if it is not open.
    fn block(&mut self, number: u64, kind: BlockKind, out: &mut Out<'_>) -> u64 {
        if let Some(index) = self.blocks.get(&number) {
            return *index;
        }
        let block = match kind {
            BlockKind::Text => Object::new().text("type", "text").text("text", ""),
            BlockKind::Reasoning => Object::new().text("type", "thinking").text("thinking", "").text("signature", ""),
        };
        let index = self.start(block, out);
        self.blocks.insert(number, index);
        index
    }

    fn result(&mut self, result: &ToolResult<'_>, out: &mut Out<'_>) {
        // A second result of a call would contradict the first.
        let id = result.call_id.as_deref().unwrap_or_default();
        if !self.executed.remove(id) {
            return out.lose(Loss::ToolResult);
        }
        let json = given(&result.json);
        let tree = Tree::new(&json);
        let root = tree.root();
        let block = if root.get("tool_use_id").peek() == id && root.get("type").peek().ends_with("_tool_result") {
            // A block of this wire.
            json.clone()
        } else {
            let text = || list([Object::new().text("type", "text").text("text", &result.json).into()]);
            let content = if json.starts_with("[{\"type\":\"text\"") { json.clone() } else { text() };
            let block = Object::new().text("type", "mcp_tool_result").text("tool_use_id", id);
            block.json("is_error", if result.is_error { "true" } else { "false" }).json("content", content).into()
        };
        let index = self.start(block, out);
        stop(index, out);
        (self.result, self.result_at) = (json, 0);
    }

    /// Returns true if the result contains a source. Reads no part of the result twice.
    fn is_in_result(&mut self, source: &str) -> bool {
        let rest = self.result.get(self.result_at..).unwrap_or_default();
        let found = rest.find(source);
        self.result_at += found.map_or(rest.len(), |at| at + source.len());
        found.is_some()
    }

    fn source(&mut self, source: &Source<'_>, out: &mut Out<'_>) -> Option<()> {
        let number = source.block.filter(|number| self.kinds.get(number) == Some(&BlockKind::Text))?;
        let kind = Tree::new(&source.json);
        let citation = if matches(CITATIONS, kind.root().get("type").peek()) {
            given(&source.json)
        } else {
            let citation = Object::new().text("type", "web_search_result_location").text("url", source.url.as_deref()?);
            let citation = citation.text("title", source.title.as_deref().unwrap_or_default());
            citation.text("cited_text", source.quote.as_deref().unwrap_or_default()).text("encrypted_index", "").into()
        };
        let index = self.block(number, BlockKind::Text, out);
        write_delta(index, Object::new().text("type", "citations_delta").json("citation", citation), out);
        Some(())
    }

    fn opaque(&mut self, opaque: &Opaque<'_>, out: &mut Out<'_>) -> Option<()> {
        let kind = opaque.block.and_then(|block| self.kinds.get(&block));
        match opaque.kind {
            OpaqueKind::Signature if kind == Some(&BlockKind::Reasoning) => {
                let index = self.block(opaque.block?, BlockKind::Reasoning, out);
                let delta = Object::new().text("type", "signature_delta").given("signature", &opaque.json);
                write_delta(index, delta, out);
            }
            OpaqueKind::Encrypted if opaque.json.starts_with('"') => {
                let block = Object::new().text("type", "redacted_thinking").given("data", &opaque.json);
                let index = self.start(block, out);
                stop(index, out);
            }
            OpaqueKind::Container if opaque.json.starts_with('{') => self.container = Some(given(&opaque.json)),
            _ => return None,
        }
        Some(())
    }
}

impl Target for Messages {
    fn prefix(&self) -> &'static str {
        "msg_"
    }

    fn begin(&mut self, id: &str, model: &str, out: &mut Out<'_>) {
        *self = Self { executed: mem::take(&mut self.executed), ..Self::default() };
        let usage = Object::new().number("input_tokens", 0).number("output_tokens", 0);
        let message = Object::new().text("id", id).text("type", "message").text("role", "assistant");
        let message = message.text("model", model).json("content", "[]").json("stop_reason", "null");
        let message = message.json("stop_sequence", "null").json("usage", usage);
        write("message_start", |event| event.json("message", message), out);
    }

    fn write(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>) {
        let written = match event {
            StreamEvent::BlockStart(block) => {
                self.kinds.insert(block.number, block.kind);
                None
            }
            StreamEvent::BlockEnd(block) => {
                self.kinds.remove(&block.number);
                self.blocks.remove(&block.number).map(|index| stop(index, out))
            }
            StreamEvent::Text { text, block, .. } => {
                let index = self.block(*block, BlockKind::Text, out);
                write_delta(index, Object::new().text("type", "text_delta").text("text", text), out);
                Some(())
            }
            StreamEvent::Reasoning { text, block, .. } => {
                let index = self.block(*block, BlockKind::Reasoning, out);
                write_delta(index, Object::new().text("type", "thinking_delta").text("thinking", text), out);
                Some(())
            }
            StreamEvent::Refusal { text, .. } => {
                self.refusal.push_str(text);
                Some(())
            }
            StreamEvent::ContentFilter { json, .. } if Tree::new(json).root().get("type").peek() == "refusal" => {
                self.details = Some(given(json));
                Some(())
            }
            StreamEvent::ToolResult(result) => {
                self.result(result, out);
                Some(())
            }
            StreamEvent::Opaque(opaque) => self.opaque(opaque, out),
            StreamEvent::Source(source) if source.block.is_none() && self.is_in_result(&given(&source.json)) => {
                Some(())
            }
            StreamEvent::Source(source) => self.source(source, out),
            _ => None,
        };
        if written.is_none() {
            out.lose(Loss::of(event));
        }
    }

    fn start_call(&mut self, call: &Called, out: &mut Out<'_>) -> Started {
        let is_client = call.executor == Executor::Client;
        match (call.is_raw, is_client) {
            (true, true) => return Started::Impossible,
            (true, false) => return Started::Lost(Loss::ServerTool),
            (false, _) => {}
        }
        let block = Object::new().text("type", if is_client { "tool_use" } else { "server_tool_use" });
        let index = self.start(block.text("id", &call.id).text("name", &call.name).json("input", "{}"), out);
        self.calls.insert(call.number, index);
        if !is_client {
            self.executed.insert(call.id.clone());
        }
        Started::Written
    }

    fn fragment(&mut self, call: &Called, text: &str, out: &mut Out<'_>) {
        if let Some(index) = self.calls.get(&call.number) {
            write_delta(*index, Object::new().text("type", "input_json_delta").text("partial_json", text), out);
        }
    }

    fn end_call(&mut self, call: &Called, out: &mut Out<'_>) {
        if let Some(index) = self.calls.remove(&call.number) {
            stop(index, out);
        }
    }

    fn end(&mut self, ended: &Ended, out: &mut Out<'_>) {
        let mut open: Vec<u64> = self.blocks.values().chain(self.calls.values()).copied().collect();
        open.sort_unstable();
        open.into_iter().for_each(|index| stop(index, out));
        let usage = ended.usage.unwrap_or_default();
        if usage.reasoning.is_some_and(|count| count > 0) {
            out.lose(Loss::Usage);
        }
        let cached = usage.cached.unwrap_or(0);
        let counts = Object::new().some_number("input_tokens", usage.input.map(|all| all.saturating_sub(cached)));
        let counts = counts.some_number("cache_read_input_tokens", usage.cached);
        let counts = counts.number("output_tokens", usage.output.unwrap_or(0));
        let delta = ended.stops.first().map_or(Object::new(), |stop| self.delta_of(stop, out));
        write("message_delta", |event| event.json("delta", delta).json("usage", counts), out);
        write("message_stop", |event| event, out);
    }

    fn fail(&mut self, fault: &Fault<'_>, out: &mut Out<'_>) {
        let error = Object::new().text("type", fault.kind.unwrap_or("api_error")).text("message", fault.message);
        write("error", |event| event.json("error", error), out);
    }

    fn boxed_clone(&self) -> Box<dyn Target> {
        Box::new(self.clone())
    }
}

impl Messages {
    /// Returns the delta of the message's end.
    fn delta_of(&mut self, stop: &Stopped, out: &mut Out<'_>) -> Object {
        if stop.kind == StopKind::ContentFilter {
            out.lose(Loss::ContentFilter);
        }
        let delta = Object::new().text("stop_reason", &word_for(stop, WORDS));
        let delta = match &stop.stop_sequence {
            Some(sequence) => delta.text("stop_sequence", sequence),
            None => delta.json("stop_sequence", "null"),
        };
        let delta = match self.details.take() {
            Some(details) => delta.json("stop_details", details),
            None if self.refusal.is_empty() => delta,
            None => {
                delta.json("stop_details", Object::new().text("type", "refusal").text("explanation", &self.refusal))
            }
        };
        match self.container.take() {
            Some(container) => delta.json("container", container),
            None => delta,
        }
    }
}
