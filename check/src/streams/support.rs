//! Shared parts of the tests of providers and calls: framing, and a log of the events.

use jsonspigot::PatternSet;
use jsonspigot_llm::{Provider, ProviderStream, ToolCalls, ToolCallsBuilder, Unfinished};
use serde_json::Value;
use sse_core::{SseDecoder, SseEvent};

pub use super::reports::{CallLog, Log};
use super::restored::{OFTEN, Streams, restored_stream};
use crate::effort;

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

    /// Ends the input: servers may omit the last blank line.
    pub fn finish(&mut self, on_event: &mut dyn FnMut(&str)) {
        self.feed(b"\n\n", on_event);
    }
}

/// Returns the events of a whole stream.
pub fn events_of(bytes: &[u8]) -> Vec<String> {
    let mut events = Vec::new();
    let mut framing = Framing::new();
    framing.feed(bytes, &mut |event| events.push(event.to_owned()));
    framing.finish(&mut |event| events.push(event.to_owned()));
    events
}

/// Returns the events of Amazon's binary framing, each payload wrapped in its event's name.
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

/// Returns the events of a file, which is Amazon's binary framing, server-sent events or lines.
pub fn events_of_file(name: &str, bytes: &[u8]) -> Vec<String> {
    if name.ends_with("eventstream.bin") { eventstream(bytes) } else { events_of(bytes) }
}

/// Returns calls with patterns that match everything.
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

/// Reads a provider's events to the end, with the verdict on the stream. Each is pushed unchanged, and the stream is
/// neither saved nor restored in between.
pub fn read_to_verdict(provider: Provider, events: &[Value]) -> (Log, Result<(), Unfinished>) {
    let (mut stream, mut log) = (ProviderStream::new(provider, everything().build()), Log::default());
    events.iter().for_each(|event| stream.push_with(&event.to_string(), |event| log.tell(event)));
    stream.finish_with(|event| log.tell(event));
    (log, stream.verdict())
}

/// Returns lists of cuts of a text of this length. The cuts of a list are far apart, so that an event usually lies
/// between: this finds what one cut at a time would, in time proportional to the length.
///
/// Each place of a short text is cut in one of the lists. Of a longer text a sample of the places is cut, another for
/// each length, and with `JSONSPIGOT_LAWS=all` each of them.
pub fn each_cut(length: usize) -> impl Iterator<Item = Vec<usize>> {
    const APART: usize = 211;
    const SAMPLE: usize = 29;
    let (start, step) = if length < APART || effort::is_full() { (0, 1) } else { (length % SAMPLE, SAMPLE) };
    (1..length.min(APART + 1)).skip(start).step_by(step).map(move |first| (first..length).step_by(APART).collect())
}

/// Reads a stream's bytes, cut at these places, and saves and restores the stream where a cut is: at each of the first,
/// and then at few, as each costs what was read before.
pub fn read_bytes(choices: ToolCallsBuilder, bytes: &[u8], cuts: &[usize]) -> Log {
    let mut log = Log::default();
    let mut stream = ProviderStream::detecting(choices.build()).with_message().saveable(usize::MAX);
    let mut framing = Framing::new();
    let (mut start, mut spent) = (0, 0);
    for end in cuts.iter().copied().chain([bytes.len()]) {
        framing.feed(&bytes[start..end], &mut |event| stream.push_with(event, |event| log.tell(event)));
        if spent < OFTEN || end % 61 == 0 {
            let state = stream.save().unwrap();
            spent += state.len();
            stream = restored_stream(&stream, &state);
        }
        start = end;
    }
    framing.finish(&mut |event| stream.push_with(event, |event| log.tell(event)));
    stream.finish_with(|event| log.tell(event));
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

    /// Returns an entry of `tool_calls`, as the server sends it.
    pub fn entries(entries: &Value) -> String {
        json!({"choices": [{"index": 0, "delta": {"tool_calls": entries}}]}).to_string()
    }

    /// Returns the usual entry, with null for omitted members.
    pub fn call(index: u64, id: impl Into<Value>, name: impl Into<Value>, arguments: impl Into<Value>) -> String {
        let function = json!({"name": name.into(), "arguments": arguments.into()});
        entries(&json!([{"index": index, "id": id.into(), "type": "function", "function": function}]))
    }

    /// Returns the usual continuation.
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

    /// Returns a terminal event, such as `completed`.
    pub fn end(status: &str, response: &Value) -> String {
        json!({"type": format!("response.{status}"), "response": response}).to_string()
    }
}

/// Returns an event of Gemini with one part.
pub fn gemini_call(call: &serde_json::Value) -> String {
    serde_json::json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}).to_string()
}
