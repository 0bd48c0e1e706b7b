//! Made-up streams in the wire formats of Anthropic and OpenAI: some text, then calls of tools, in pieces of a few bytes.
//! The same seed makes the same stream in every run.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::step::Chunk;

/// A stream: its provider's name and its chunks, the end of input included.
#[derive(Clone, Debug)]
pub struct Made {
    /// The provider's name, as the library spells it.
    pub provider: &'static str,
    /// The chunks.
    pub chunks: Vec<Chunk>,
}

/// The patterns that fit the made-up calls.
pub const PATTERNS: [&str; 3] = ["ask_slots[*].message", "files[*].content", "$..count"];

/// Makes a stream of about this many chunks. Its seed decides on everything else.
#[must_use]
pub fn stream(seed: u64, chunks: usize) -> Made {
    let mut rng = Rng::with_seed(seed);
    // A third of the pieces is text, the rest is two calls' arguments. A piece is 12 characters on average.
    let text = words(&mut rng, chunks * 4);
    let first = arguments(&mut rng, chunks * 4);
    let second = arguments(&mut rng, chunks * 4);
    let (text, first, second) = (pieces(&mut rng, &text), pieces(&mut rng, &first), pieces(&mut rng, &second));
    let (provider, events) = match rng.bool() {
        true => ("anthropic", anthropic(seed, &text, [&first, &second])),
        false => ("openai-chat", openai_chat(seed, &text, [&first, &second])),
    };
    let mut chunks: Vec<_> = events.into_iter().map(|event| Chunk::Event(event.to_string().into_bytes())).collect();
    if provider == "openai-chat" {
        chunks.push(Chunk::Event(b"[DONE]".to_vec()));
    }
    chunks.push(Chunk::End(Vec::new()));
    Made { provider, chunks }
}

const WORDS: [&str; 12] = [
    "colour",
    "\"quoted\"",
    "line\nbreak",
    "naïve",
    "日本語",
    "😀",
    "back\\slash",
    "ten",
    "\t",
    "the",
    "of",
    "a\u{1}b",
];

fn words(rng: &mut Rng, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(WORDS[rng.usize(..WORDS.len())]);
        text.push(' ');
    }
    text
}

/// A call's arguments of at least so many bytes, as JSON text.
fn arguments(rng: &mut Rng, bytes: usize) -> String {
    let mut slots = Vec::new();
    let mut files = Vec::new();
    let mut len = 0;
    while len < bytes {
        let size = rng.usize(1..120);
        let text = words(rng, size);
        len += text.len() + 40;
        if rng.bool() {
            slots.push(json!({ "slot": slots.len(), "message": text, "count": rng.i32(..) }));
        } else {
            files.push(json!({ "path": format!("src/{}.rs", files.len()), "content": text, "new": rng.bool() }));
        }
    }
    json!({ "ask_slots": slots, "files": files, "count": rng.f64() }).to_string()
}

/// Text cut between characters: at most 24 in a piece, and sometimes none.
fn pieces(rng: &mut Rng, text: &str) -> Vec<String> {
    let mut characters = text.chars().peekable();
    let mut pieces = Vec::new();
    while characters.peek().is_some() {
        let len = rng.usize(..=24);
        pieces.push(characters.by_ref().take(len).collect());
    }
    pieces
}

fn anthropic(seed: u64, text: &[String], calls: [&[String]; 2]) -> Vec<Value> {
    let message = json!({ "id": format!("msg_{seed}"), "type": "message", "role": "assistant", "model": "made-up",
        "content": [], "stop_reason": null, "usage": { "input_tokens": 10, "output_tokens": 1 } });
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    let mut block = |index: usize, start: Value, deltas: &mut dyn Iterator<Item = Value>| {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        events.extend(deltas.map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    };
    let mut deltas = text.iter().map(|piece| json!({ "type": "text_delta", "text": piece }));
    block(0, json!({ "type": "text", "text": "" }), &mut deltas);
    for (index, pieces) in calls.iter().enumerate() {
        let id = format!("toolu_{seed}_{index}");
        let start = json!({ "type": "tool_use", "id": id, "name": "classify_and_assess", "input": {} });
        let mut deltas = pieces.iter().map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
        block(index + 1, start, &mut deltas);
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "stop_sequence": null },
        "usage": { "output_tokens": text.len() } }));
    events.push(json!({ "type": "message_stop" }));
    events
}

/// The two calls' arguments come by turns, as some servers send them.
fn openai_chat(seed: u64, text: &[String], calls: [&[String]; 2]) -> Vec<Value> {
    let event = |delta: Value, finish: Value| {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        json!({ "id": format!("chatcmpl-{seed}"), "object": "chat.completion.chunk", "model": "made-up", "choices": choices })
    };
    let mut events = vec![event(json!({ "role": "assistant", "content": "" }), Value::Null)];
    events.extend(text.iter().map(|piece| event(json!({ "content": piece }), Value::Null)));
    for index in 0..calls.len() {
        let function = json!({ "name": "classify_and_assess", "arguments": "" });
        let call =
            json!({ "index": index, "id": format!("call_{seed}_{index}"), "type": "function", "function": function });
        events.push(event(json!({ "tool_calls": [call] }), Value::Null));
    }
    for at in 0..calls.iter().map(|pieces| pieces.len()).max().unwrap_or_default() {
        for (index, piece) in calls.iter().enumerate().filter_map(|(index, pieces)| Some((index, pieces.get(at)?))) {
            let call = json!({ "index": index, "function": { "arguments": piece } });
            events.push(event(json!({ "tool_calls": [call] }), Value::Null));
        }
    }
    events.push(event(json!({}), json!("tool_calls")));
    events
}
