//! What the providers' and the calls' tests share: recorded streams, framing, and a log of what was told.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use jsonspigot::{ErrorKind, OwnedEvent, OwnedEventKind, PatternSet};
use jsonspigot_llm::{
    Block, CallErrorKind, CallEvent, Media, Opaque, PayloadStatus, Provider, ProviderStream, Source, StreamEvent,
    ToolCall, ToolCalls, ToolCallsBuilder, ToolResult, Unfinished,
};
use serde_json::Value;
use sse_core::{SseDecoder, SseEvent};

use crate::streams::restored::{Streams, restored_stream};

/// A recorded stream's bytes; `None`, said aloud, where the recordings are not there.
pub fn recorded(name: &str) -> Option<Vec<u8>> {
    shared(&format!("fixtures/{name}"))
}

/// The same, from beside the recorded streams.
pub fn shared(name: &str) -> Option<Vec<u8>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = env::var_os("JSONSPIGOT_SHARED").map_or_else(beside, PathBuf::from).join(name);
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("not checked, as it is not there: {}", path.display());
    }
    bytes
}

/// A stream of our own.
pub fn own(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../llm/tests/data/streams").join(name)).unwrap()
}

/// Bytes into events, however they are cut: server-sent events, or one event a line.
pub enum Framing {
    Unknown(Vec<u8>),
    Sse(Box<SseDecoder>),
    Lines(Vec<u8>),
}

impl Framing {
    pub fn new() -> Self {
        Self::Unknown(Vec::new())
    }

    pub fn feed(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(&str)) {
        match self {
            Self::Unknown(held) => {
                held.extend_from_slice(chunk);
                // Lines begin with a brace, fields of server-sent events do not.
                let first = held.iter().copied().find(|byte| !byte.is_ascii_whitespace());
                if let Some(first) = first {
                    let held = std::mem::take(held);
                    *self = match first {
                        b'{' => Self::Lines(Vec::new()),
                        _ => Self::Sse(Box::new(SseDecoder::with_limit((1 << 20).try_into().unwrap()))),
                    };
                    self.feed(&held, on_event);
                }
            }
            Self::Sse(decoder) => {
                let mut rest = chunk;
                while let Some(event) = decoder.next(&mut rest) {
                    if let SseEvent::Message(message) = event.unwrap() {
                        on_event(&message.data);
                    }
                }
            }
            Self::Lines(held) => {
                for byte in chunk {
                    match byte {
                        b'\n' => on_event(std::str::from_utf8(&std::mem::take(held)).unwrap()),
                        other => held.push(*other),
                    }
                }
            }
        }
    }

    /// The end of input: servers do omit the last blank line.
    pub fn finish(&mut self, on_event: &mut dyn FnMut(&str)) {
        self.feed(b"\n\n", on_event);
    }
}

/// The events of a whole stream.
pub fn events_of(bytes: &[u8]) -> Vec<String> {
    let mut events = Vec::new();
    let mut framing = Framing::new();
    framing.feed(bytes, &mut |event| events.push(event.to_owned()));
    framing.finish(&mut |event| events.push(event.to_owned()));
    events
}

/// The events of Amazon's binary framing, each payload wrapped in its event's name.
pub fn eventstream(mut bytes: &[u8]) -> Vec<String> {
    let mut events = Vec::new();
    while !bytes.is_empty() {
        let length = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        // Lengths and a checksum, headers, the payload, a checksum.
        let (message, rest) = bytes.split_at(length(0));
        let (mut headers, payload) = message[12..message.len() - 4].split_at(length(4));
        let mut name = "";
        while !headers.is_empty() {
            // A name after its length, the type of a string, a value after its length.
            let (header, rest) = headers[1..].split_at(usize::from(headers[0]));
            let (value, rest) = rest[3..].split_at(usize::from(u16::from_be_bytes([rest[1], rest[2]])));
            if header == b":event-type" {
                name = std::str::from_utf8(value).unwrap();
            }
            headers = rest;
        }
        events.push(format!("{{\"{name}\":{}}}", std::str::from_utf8(payload).unwrap()));
        bytes = rest;
    }
    events
}

/// All that was told, in a form to compare.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    pub calls: Vec<CallLog>,
    pub text: String,
    pub reasoning: String,
    pub refusal: String,
    pub usage: Vec<String>,
    pub ends: usize,
    pub stops: Vec<(u64, String)>,
    /// The reasons behind a gateway, each with its place among the stops.
    pub native_reasons: Vec<(usize, String)>,
    pub provider_errors: Vec<String>,
    /// Of each of the provider's errors its type and code.
    pub error_kinds: Vec<(Option<String>, Option<String>)>,
    pub unknown: Vec<String>,
    pub bad_frames: Vec<String>,
    /// What is not known of this provider, and the kinds of an application's data.
    pub unknown_parts: Vec<String>,
    pub data: Vec<String>,
    /// What was repeated otherwise.
    pub mismatches: Vec<String>,
    pub errors: Vec<(CallErrorKind, Option<u64>)>,
    pub incomplete: Option<String>,
    /// Of each usage the input, the output, what was cached and what is reasoning.
    pub tokens: Vec<[Option<u64>; 4]>,
    /// Of each of the provider's errors whether it passes, and when.
    pub retries: Vec<(Option<&'static str>, Option<u64>)>,
    /// What else was told, each in a few words.
    pub besides: Vec<String>,
    pub block_count: u64,
    /// The blocks that have begun and not ended.
    pub open_blocks: Vec<(u64, &'static str)>,
    /// The order: a letter an event, with the call's number.
    pub order: Vec<String>,
}

/// What was told of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallLog {
    pub id: String,
    pub name: String,
    pub choice: u64,
    /// The fragments, joined.
    pub fragments: String,
    /// The matches, a string's deltas joined.
    pub matches: Vec<OwnedEvent>,
    pub status: &'static str,
    pub reason: String,
    pub raw: String,
    pub value: Option<String>,
    pub error: Option<(ErrorKind, u64, String)>,
    /// Id and name as they were at the end.
    pub at_end: (String, String),
    /// Who executes it, as it was at the start and at the end.
    pub executed: (&'static str, &'static str),
}

impl Log {
    pub fn tell<'e>(&mut self, event: impl Into<StreamEvent<'e>>) {
        match event.into() {
            StreamEvent::Call(CallEvent::Start(ToolCall { number, id, name, choice, executor, .. })) => {
                assert_eq!(number, self.calls.len() as u64, "calls are numbered as they start");
                let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
                let executed = (executor.name(), "");
                self.calls.push(CallLog { id: text(id), name: text(name), choice, executed, ..CallLog::default() });
                self.order.push(format!("call {number}"));
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) => {
                assert!(!text.is_empty(), "a fragment is never empty");
                self.open(call.number).fragments.push_str(text);
            }
            StreamEvent::Call(CallEvent::Match { call, event }) => {
                let event = event.to_owned();
                let matches = &mut self.open(call.number).matches;
                if let OwnedEventKind::Delta(text) = &event.kind
                    && let Some(last) = matches.iter_mut().rfind(|last| last.match_id == event.match_id)
                    && let OwnedEventKind::Delta(before) = &mut last.kind
                {
                    before.push_str(text);
                } else {
                    matches.push(event);
                }
            }
            StreamEvent::Call(CallEvent::End { call: ToolCall { number, id, name, executor, .. }, input }) => {
                let log = self.open(number);
                log.status = input.status().name();
                if let PayloadStatus::Truncated { reason } = input.status() {
                    log.reason = reason.to_owned();
                }
                log.raw = input.raw().to_owned();
                log.value = input.value().map(|value| value.to_string());
                log.error = input
                    .error()
                    .map(|error| (error.kind(), error.offset(), error.path().unwrap_or("unknown").to_owned()));
                log.executed.1 = executor.name();
                log.at_end = (id.unwrap_or_default().to_owned(), name.unwrap_or_default().to_owned());
                assert_eq!(log.raw, log.fragments, "the raw text is all fragments");
                assert_eq!(log.value.is_some(), matches!(log.status, "complete" | "accepted" | "empty"), "{log:?}");
                self.order.push(format!("input {number}"));
            }
            StreamEvent::Text { block, text, .. } => {
                assert!(self.open_blocks.contains(&(block, "text")), "{block} is open");
                self.text.push_str(text);
            }
            StreamEvent::Reasoning { block, text, .. } => {
                assert!(self.open_blocks.contains(&(block, "reasoning")), "{block} is open");
                self.reasoning.push_str(text);
            }
            StreamEvent::ApprovalRequest { id, call, .. } => {
                self.besides.push(format!("approval {id} of {call:?}"));
            }
            StreamEvent::MessageStart { id, model, .. } => {
                self.besides.push(format!("message {} {}", id.unwrap_or("-"), model.unwrap_or("-")));
            }
            StreamEvent::BlockStart(Block { number, choice, kind, id, phase, .. }) => {
                assert_eq!(number, self.block_count, "blocks are numbered as they start");
                self.block_count += 1;
                self.open_blocks.push((number, kind.name()));
                let of = if choice > 0 { format!(" of {choice}") } else { String::new() };
                let named = [id, phase].into_iter().flatten().fold(String::new(), |named, text| named + " " + text);
                self.besides.push(format!("block {number} {}{of}{named}", kind.name()));
            }
            StreamEvent::BlockEnd(Block { number, kind, .. }) => {
                let place = self.open_blocks.iter().position(|open| *open == (number, kind.name()));
                self.open_blocks.remove(place.expect("a block that ends has begun"));
                self.besides.push(format!("end {number}"));
            }
            StreamEvent::Opaque(Opaque { kind, block, call, json, .. }) => {
                let of = block.map(|block| format!(" of block {block}"));
                let of = of.or(call.map(|call| format!(" of call {call}"))).unwrap_or_default();
                self.besides.push(format!("{}{of} {json}", kind.name()));
            }
            StreamEvent::ToolResult(ToolResult { call, call_id, is_error, json, .. }) => {
                let call = call.map_or("nobody".to_owned(), |call| format!("call {call}"));
                let error = if is_error { " failed" } else { "" };
                self.besides.push(format!("result of {call} {}{error} {json}", call_id.unwrap_or("-")));
            }
            StreamEvent::CallCancelled { call, call_id, .. } => {
                self.besides.push(format!("cancelled {call:?} {}", call_id.unwrap_or("-")));
            }
            StreamEvent::Source(Source { block, url, title, quote, span, json, .. }) => {
                serde_json::from_str::<serde_json::Value>(json).unwrap();
                let of = block.map(|block| format!(" of block {block}")).unwrap_or_default();
                let span = span.map(|(start, end)| format!(" {start}..{end}")).unwrap_or_default();
                let parts = [url, title, quote].map(|part| part.unwrap_or("-"));
                self.besides.push(format!("source{of} {}{span}", parts.join(" | ")));
            }
            StreamEvent::ContentFilter { json, .. } => self.besides.push(format!("filter {json}")),
            StreamEvent::Refusal { text, .. } => self.refusal.push_str(text),
            StreamEvent::Usage { tokens, json, .. } => {
                self.usage.push(json.to_owned());
                self.tokens.push([tokens.input, tokens.output, tokens.cached, tokens.reasoning]);
            }
            StreamEvent::Stop { choice, reason, kind, native_reason, stop_sequence, .. } => {
                let sequence = stop_sequence.map(|sequence| format!(" {sequence:?}")).unwrap_or_default();
                self.besides.push(format!("stop {}{sequence}", kind.name()));
                self.native_reasons.extend(native_reason.map(|native| (self.stops.len(), native.to_owned())));
                self.stops.push((choice, reason.to_owned()));
                self.order.push(format!("stop {choice}"));
            }
            StreamEvent::End => self.ends += 1,
            StreamEvent::Incomplete { reason, .. } => self.incomplete = Some(reason.to_owned()),
            StreamEvent::ProviderError { message, kind, code, retry, .. } => {
                self.retries.push((retry.name(), retry.after_ms()));
                self.provider_errors.push(message.to_owned());
                self.error_kinds.push((kind.map(str::to_owned), code.map(str::to_owned)));
            }
            StreamEvent::Media(Media { block, media_type, data, url, .. }) => {
                let of = block.map(|block| format!(" of block {block}")).unwrap_or_default();
                let parts = [media_type, data, url].map(|part| part.unwrap_or("-"));
                self.besides.push(format!("media{of} {}", parts.join(" ")));
            }
            StreamEvent::Mismatch { kind, block, call, text, .. } => {
                let of = block.map(|block| format!(" of block {block}"));
                let of = of.or(call.map(|call| format!(" of call {call}"))).unwrap_or_default();
                self.mismatches.push(format!("{}{of} {text}", kind.name()));
            }
            StreamEvent::Data { kind, json, .. } => {
                serde_json::from_str::<serde_json::Value>(json).unwrap();
                self.data.push(kind.to_owned());
            }
            StreamEvent::UnknownPart { kind, json, .. } => {
                assert_ne!(kind, "", "{json}");
                self.unknown_parts.push(json.to_owned());
            }
            StreamEvent::Unknown { text } => self.unknown.push(text.to_owned()),
            StreamEvent::BadFrame { text } => self.bad_frames.push(text.to_owned()),
            StreamEvent::Call(CallEvent::Error(error)) => self.errors.push((error.kind(), error.call())),
            StreamEvent::Call(CallEvent::Mismatch { call, text }) => {
                self.mismatches.push(format!("arguments of call {} {text}", call.number));
            }
            _ => panic!("an event that these tests do not know"),
        }
    }

    /// What nobody knows, and what is not known of this provider.
    pub fn not_known(&self) -> Vec<String> {
        [&*self.unknown, &*self.unknown_parts].concat()
    }

    fn open(&mut self, call: u64) -> &mut CallLog {
        let log = &mut self.calls[usize::try_from(call).unwrap()];
        assert_eq!(log.status, "", "nothing is told of a call behind its input's end");
        log
    }

    /// The calls as `name status value-or-raw`, for short comparisons.
    pub fn summary(&self) -> Vec<String> {
        let line = |call: &CallLog| {
            let CallLog { name, status, value, raw, reason, .. } = call;
            let reason = if reason.is_empty() { String::new() } else { format!("({reason})") };
            format!("{name} {status}{reason} {}", value.as_deref().unwrap_or(raw))
        };
        self.calls.iter().map(line).collect()
    }

    /// The names of the calls that the client is to execute, and of those that the provider does.
    pub fn executed(&self) -> (Vec<&str>, Vec<&str>) {
        let by = |executor: &str| {
            let calls = self.calls.iter().filter(|call| call.executed.1 == executor);
            calls.map(|call| call.at_end.1.as_str()).collect()
        };
        (by("client"), by("provider"))
    }

    pub fn ids(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.id.as_str()).collect()
    }
}

/// All of every call is matched.
pub fn everything() -> ToolCallsBuilder {
    ToolCalls::builder().patterns(&PatternSet::new(["$", "$..*"]).unwrap())
}

/// Reads events with these choices.
pub fn read_with<E: AsRef<str>>(
    provider: Option<Provider>,
    choices: ToolCallsBuilder,
    events: impl IntoIterator<Item = E>,
) -> Log {
    let calls = choices.build();
    let stream = match provider {
        Some(provider) => ProviderStream::new(provider, calls),
        None => ProviderStream::detecting(calls),
    };
    read_stream(stream, events)
}

/// Reads events of a stream whose text is itself JSON.
pub fn read_structured<E: AsRef<str>>(provider: Option<Provider>, events: impl IntoIterator<Item = E>) -> Log {
    let calls = everything().build();
    let stream = match provider {
        Some(provider) => ProviderStream::new(provider, calls),
        None => ProviderStream::detecting(calls),
    };
    read_stream(stream.structured(), events)
}

/// Reads events with this stream. That it may be saved and restored between any two is held each time.
pub fn read_stream<E: AsRef<str>>(stream: ProviderStream, events: impl IntoIterator<Item = E>) -> Log {
    let (mut log, mut streams) = (Log::default(), Streams::new(stream));
    for event in events {
        streams.push(event.as_ref(), &mut log);
    }
    streams.finish(&mut log);
    log
}

/// Reads a provider's events.
pub fn read<E: AsRef<str>>(provider: Provider, events: impl IntoIterator<Item = E>) -> Log {
    read_with(Some(provider), everything(), events)
}

/// Reads a provider's events to the end, with the verdict on the stream. Each is given to it as it stands, and the stream is
/// neither saved nor restored in between.
pub fn read_to_verdict(provider: Provider, events: &[Value]) -> (Log, Result<(), Unfinished>) {
    let (mut stream, mut log) = (ProviderStream::new(provider, everything().build()), Log::default());
    events.iter().for_each(|event| stream.push_with(&event.to_string(), |event| log.tell(event)));
    stream.finish_with(None, |event| log.tell(event));
    (log, stream.verdict())
}

/// Reads a stream's bytes, cut at these places, and saves and restores the stream where a cut is.
pub fn read_bytes(choices: ToolCallsBuilder, bytes: &[u8], cuts: &[usize]) -> Log {
    let mut log = Log::default();
    let mut stream = ProviderStream::detecting(choices.build()).with_message();
    let mut framing = Framing::new();
    let mut start = 0;
    for end in cuts.iter().copied().chain([bytes.len()]) {
        framing.feed(&bytes[start..end], &mut |event| stream.push_with(event, |event| log.tell(event)));
        // Where cuts are many, few of them have an event between.
        if cuts.len() < 8 || end % 61 == 0 {
            stream = restored_stream(&stream, &stream.save());
        }
        start = end;
    }
    framing.finish(&mut |event| stream.push_with(event, |event| log.tell(event)));
    stream.finish_with(None, |event| log.tell(event));
    log
}

/// Anthropic's events.
pub mod anthropic {
    use serde_json::{Value, json};

    pub fn message_start() -> String {
        json!({"type": "message_start", "message": {"content": [], "stop_reason": null}}).to_string()
    }

    pub fn start(index: u64, id: &str, name: &str) -> String {
        start_with(index, id, name, &json!({}))
    }

    pub fn start_with(index: u64, id: &str, name: &str, input: &Value) -> String {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        json!({"type": "content_block_start", "index": index, "content_block": block}).to_string()
    }

    pub fn delta(index: u64, text: &str) -> String {
        let delta = json!({"type": "input_json_delta", "partial_json": text});
        json!({"type": "content_block_delta", "index": index, "delta": delta}).to_string()
    }

    pub fn stop(index: u64) -> String {
        json!({"type": "content_block_stop", "index": index}).to_string()
    }

    pub fn end(reason: &str) -> String {
        json!({"type": "message_delta", "delta": {"stop_reason": reason}}).to_string()
    }
}

/// Chunks of Chat Completions with what matters in them.
pub mod chat {
    use serde_json::{Value, json};

    /// An entry of `tool_calls`, as the server would send it.
    pub fn entries(entries: &Value) -> String {
        json!({"choices": [{"index": 0, "delta": {"tool_calls": entries}}]}).to_string()
    }

    /// The usual entry; null where the server leaves something out but says so.
    pub fn call(index: u64, id: impl Into<Value>, name: impl Into<Value>, arguments: impl Into<Value>) -> String {
        let function = json!({"name": name.into(), "arguments": arguments.into()});
        entries(&json!([{"index": index, "id": id.into(), "type": "function", "function": function}]))
    }

    /// The usual continuation.
    pub fn more(index: u64, arguments: &str) -> String {
        entries(&json!([{"index": index, "function": {"arguments": arguments}}]))
    }

    pub fn end(reason: &str) -> String {
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}).to_string()
    }
}

/// Events of Responses with what matters in them.
pub mod responses {
    use serde_json::{Value, json};

    pub fn added(index: u64, id: &str, name: &str) -> String {
        let item = json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
            "arguments": "", "status": "in_progress"});
        json!({"type": "response.output_item.added", "output_index": index, "item": item}).to_string()
    }

    pub fn delta(index: u64, text: &str) -> String {
        json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": text}).to_string()
    }

    pub fn done(index: u64, text: &str) -> String {
        json!({"type": "response.function_call_arguments.done", "output_index": index, "arguments": text}).to_string()
    }

    pub fn item_done(index: u64, id: &str, name: &str, text: &str, status: &str) -> String {
        let item = json!({"type": "function_call", "call_id": id, "name": name, "arguments": text, "status": status});
        json!({"type": "response.output_item.done", "output_index": index, "item": item}).to_string()
    }

    /// A terminal event, such as `completed`.
    pub fn end(status: &str, response: &Value) -> String {
        json!({"type": format!("response.{status}"), "response": response}).to_string()
    }
}

/// An event of Gemini with one part.
pub fn gemini_call(call: &serde_json::Value) -> String {
    serde_json::json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}).to_string()
}
