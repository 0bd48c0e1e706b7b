//! The UI message stream of Vercel's AI SDK: parts with ids, and the whole input of a call at its end.
//!
//! A client makes one message of a stream, so only the first message has its id, and each message is a step. A call
//! without its whole input stays open. An empty input is written as `{}`, because the SDK passes it to the tool.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

use super::Loss;
use super::out::{Object, Out, given};
use super::stops::{Words, word_for};
use super::target::{Called, Ended, Fault, Started, Target};
use crate::calls::Executor;
use crate::event::{Media, Opaque, OpaqueKind, Source, StopKind, StreamEvent, ToolResult};
use crate::json::{Node, Tree};
use crate::words::matches;

/// The SDK refuses all other words.
const WORDS: Words = &[
    (StopKind::Finished, "stop"),
    (StopKind::StopSequence, "stop"),
    (StopKind::ToolUse, "tool-calls"),
    (StopKind::Length, "length"),
    (StopKind::ContentFilter, "content-filter"),
    (StopKind::Refusal, "content-filter"),
    (StopKind::Pause, "other"),
    (StopKind::Other, "other"),
];

/// The prefix of ids that are not written: a client would take a message with the same id for the same one, and makes
/// up an id of its own if there is none.
const MADE_UP: &str = "made-up-";

#[derive(Clone, Debug, Default)]
struct Ui {
    has_begun: bool,
    /// Data that precedes the first message.
    held: Vec<String>,
    /// The ids of open blocks, by their numbers and kinds.
    blocks: BTreeMap<(u64, &'static str), String>,
    /// The ids of the message's calls.
    ids: BTreeSet<String>,
    /// The calls whose results are awaited, by their numbers. A result may be part of a later message.
    calls: BTreeMap<u64, Call>,
    sources: u64,
}

#[derive(Clone, Debug)]
struct Call {
    id: String,
    executor: Executor,
    input: String,
    is_whole: bool,
}

pub(super) fn new() -> Box<dyn Target> {
    Box::new(Ui::default())
}

fn event(kind: &str) -> Object {
    Object::new().text("type", kind)
}

/// Returns an event of a block.
fn part(name: &str, what: &str, id: &str) -> Object {
    event(&[name, what].concat()).text("id", id)
}

impl Call {
    fn event(&self, kind: &str) -> Object {
        let event = event(kind).text("toolCallId", &self.id);
        if self.executor == Executor::Provider { event.json("providerExecuted", "true") } else { event }
    }
}

impl Ui {
    fn start_block(&mut self, number: u64, name: &'static str, id: Option<&str>, out: &mut Out<'_>) {
        let mut id = id.map_or_else(|| format!("{name}-{number}"), Into::into);
        while self.blocks.values().any(|open| *open == id) {
            id.push('-');
        }
        out.data(part(name, "-start", &id));
        self.blocks.insert((number, name), id);
    }

    fn piece(&mut self, number: u64, name: &'static str, text: &str, out: &mut Out<'_>) -> Option<()> {
        if !self.blocks.contains_key(&(number, name)) {
            self.start_block(number, name, None, out);
        }
        out.data(part(name, "-delta", self.blocks.get(&(number, name))?).text("delta", text));
        Some(())
    }

    /// Writes the values to be sent back with an open block: objects under the names of providers.
    fn signature(&self, opaque: &Opaque<'_>, out: &mut Out<'_>) -> Option<()> {
        let json = given(&opaque.json);
        let tree = Tree::new(&json);
        if !tree.root().is_object() || !tree.root().members().all(Node::is_object) {
            return None;
        }
        let ((_, name), id) = self.blocks.iter().find(|((number, _), _)| Some(*number) == opaque.block)?;
        out.data(part(name, "-delta", id).text("delta", "").json("providerMetadata", json));
        Some(())
    }

    /// Returns a call that was written whole. The SDK fails on results of other calls.
    fn whole_call(&self, number: Option<u64>) -> Option<&Call> {
        self.calls.get(&number?).filter(|call| call.is_whole)
    }

    /// Writes the first result of a call.
    fn result(&mut self, result: &ToolResult<'_>, out: &mut Out<'_>) -> Option<()> {
        let call = self.whole_call(result.call)?;
        let json = given(&result.json);
        let tree = Tree::new(&json);
        let value = match tree.root().get("type").peek() {
            "tool-output-available" => tree.root().raw("output"),
            "tool-output-error" => tree.root().raw("errorText"),
            _ => tree.root(),
        };
        out.data(match (result.is_error, value.spelt()) {
            (true, _) => call.event("tool-output-error").text("errorText", value.text_or_json()),
            (false, "") => call.event("tool-output-available").json("output", "null"),
            (false, json) => call.event("tool-output-available").json("output", json),
        });
        self.calls.remove(&result.call?);
        Some(())
    }

    fn source(&mut self, source: &Source<'_>, out: &mut Out<'_>) -> Option<()> {
        let json = given(&source.json);
        if matches("source-url|source-document", Tree::new(&json).root().get("type").peek()) {
            out.data(json);
            return Some(());
        }
        self.sources += 1;
        let cited = event("source-url").text("sourceId", &format!("source-{}", self.sources));
        out.data(cited.text("url", source.url.as_deref()?).some_text("title", source.title.as_deref()));
        // The text that it belongs to is lost.
        if source.block.is_none() { Some(()) } else { None }
    }
}

/// Writes an image or document. A piece of sound would be no file.
fn file(media: &Media<'_>, out: &mut Out<'_>) -> Option<()> {
    let kind = media.media_type.as_deref().unwrap_or("application/octet-stream");
    let url = match (&media.url, &media.data) {
        (Some(url), _) => url.to_string(),
        (None, Some(data)) if !kind.starts_with("audio") => format!("data:{kind};base64,{data}"),
        _ => return None,
    };
    out.data(event("file").text("url", &url).text("mediaType", kind));
    Some(())
}

/// Returns an event with data of the application. The SDK's own events are kept.
fn data_of(kind: &str, json: &str) -> String {
    let json = given(json);
    let is_own = matches("data-*|message-metadata", kind) && Tree::new(&json).root().get("type").peek() == kind;
    match kind {
        _ if is_own => json,
        "messageMetadata" => event("message-metadata").json("messageMetadata", json).into(),
        _ => event(&["data-", kind].concat()).json("data", json).into(),
    }
}

impl Target for Ui {
    fn prefix(&self) -> &'static str {
        MADE_UP
    }

    fn begin(&mut self, id: &str, _: &str, out: &mut Out<'_>) {
        self.calls.retain(|_, call| call.is_whole && call.executor == Executor::Provider);
        self.ids.clear();
        let is_later = mem::replace(&mut self.has_begun, true);
        let id = Some(id).filter(|id| !is_later && !id.starts_with(MADE_UP));
        out.data(event("start").some_text("messageId", id));
        out.data(event("start-step"));
        self.held.drain(..).for_each(|held| out.data(held));
    }

    fn write(&mut self, event: &StreamEvent<'_>, out: &mut Out<'_>) {
        let written = match event {
            StreamEvent::Text { text, block, .. } => self.piece(*block, "text", text, out),
            StreamEvent::Reasoning { text, block, .. } => self.piece(*block, "reasoning", text, out),
            StreamEvent::BlockStart(block) => {
                self.start_block(block.number, block.kind.name(), block.id.as_deref(), out);
                None
            }
            StreamEvent::BlockEnd(block) => {
                let id = self.blocks.remove(&(block.number, block.kind.name()));
                id.map(|id| out.data(part(block.kind.name(), "-end", &id)))
            }
            StreamEvent::Opaque(opaque) if opaque.kind == OpaqueKind::Signature => self.signature(opaque, out),
            StreamEvent::ToolResult(result) => self.result(result, out),
            StreamEvent::Source(source) => self.source(source, out),
            StreamEvent::Media(media) => file(media, out),
            StreamEvent::Data { kind, json } => {
                let data = data_of(kind, json);
                if self.has_begun {
                    out.data(data);
                } else {
                    self.held.push(data);
                }
                Some(())
            }
            StreamEvent::ApprovalRequest { id, call, .. } => self.whole_call(*call).map(|call| {
                let request = self::event("tool-approval-request").text("approvalId", id);
                out.data(request.text("toolCallId", &call.id));
            }),
            _ => None,
        };
        if written.is_none() {
            out.lose(Loss::of(event));
        }
    }

    fn start_call(&mut self, call: &Called, out: &mut Out<'_>) -> Started {
        match call.executor {
            Executor::Client if call.is_raw => return Started::Impossible,
            Executor::Provider if call.is_raw => return Started::Lost(Loss::ServerTool),
            _ => {}
        }
        // Only the id shows which call an event belongs to.
        let mut id = call.id.clone();
        while !self.ids.insert(id.clone()) {
            id.push('-');
        }
        self.calls.retain(|_, earlier| earlier.id != id);
        let called = Call { id, executor: call.executor, input: String::new(), is_whole: false };
        out.data(called.event("tool-input-start").text("toolName", &call.name));
        self.calls.insert(call.number, called);
        Started::Written
    }

    fn fragment(&mut self, call: &Called, text: &str, out: &mut Out<'_>) {
        if let Some(call) = self.calls.get_mut(&call.number) {
            call.input.push_str(text);
            out.data(event("tool-input-delta").text("toolCallId", &call.id).text("inputTextDelta", text));
        }
    }

    fn end_call(&mut self, called: &Called, out: &mut Out<'_>) {
        let Some(call) = self.calls.get_mut(&called.number) else { return };
        call.is_whole = true;
        let input = mem::take(&mut call.input);
        let whole = call.event("tool-input-available").text("toolName", &called.name);
        out.data(whole.given("input", if input.is_empty() { "{}" } else { &input }));
    }

    fn end(&mut self, ended: &Ended, out: &mut Out<'_>) {
        for ((_, name), id) in mem::take(&mut self.blocks) {
            out.data(part(name, "-end", &id));
        }
        out.data(event("finish-step"));
        let Some(stop) = ended.stops.first() else { return };
        out.lose(ended.usage.map(|_| Loss::Usage));
        out.lose(Some(Loss::Refusal).filter(|_| stop.kind == StopKind::Refusal));
        out.data(match stop.kind {
            StopKind::Cancelled => event("abort"),
            _ => event("finish").text("finishReason", &word_for(stop, WORDS)),
        });
    }

    fn fail(&mut self, fault: &Fault<'_>, out: &mut Out<'_>) {
        out.data(event("error").text("errorText", fault.message));
    }

    fn close(&mut self, out: &mut Out<'_>) {
        out.data("[DONE]");
    }

    fn boxed_clone(&self) -> Box<dyn Target> {
        Box::new(self.clone())
    }
}
