//! Bodies of the three wires through a rewriter of their calls: the client reads the same stream with the edited
//! values.

use std::borrow::Cow;

use jsonspigot::{PatternSet, Rule};
use jsonspigot_check::recorded;
use jsonspigot_framing::{EventEditor, Frame, Frames};
use jsonspigot_llm::{
    BadEventReason, CallEvent, CallRewriter, Provider, ProviderStream, SAVE_LIMIT, StreamEvent, ToolCalls,
};
use serde_json::{Value, json};

const FOLDERS: [(&str, Provider); 8] = [
    ("fixtures/anthropic", Provider::Anthropic),
    ("recordings/anthropic", Provider::Anthropic),
    ("fixtures/openai-chat", Provider::OpenaiChat),
    ("fixtures/compat", Provider::OpenaiChat),
    ("recordings/openai-chat", Provider::OpenaiChat),
    ("fixtures/openai-responses", Provider::OpenaiResponses),
    ("recordings/openai-responses", Provider::OpenaiResponses),
    ("recordings/openai-realtime", Provider::OpenaiResponses),
];

/// The contents that a client reads.
#[derive(Debug, PartialEq)]
struct Reading {
    /// Each call with its name, its status, and its value if that is whole.
    calls: Vec<(u64, Option<String>, &'static str, Option<Value>)>,
    /// All else, without what repeats arguments.
    others: Vec<Value>,
}

fn read(provider: Provider, body: &[u8]) -> Reading {
    let mut reading = Reading { calls: Vec::new(), others: Vec::new() };
    let mut stream = ProviderStream::new(provider, ToolCalls::new(&PatternSet::default()));
    let mut frames = Frames::new();
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Call(CallEvent::End { call, input }) => {
            let value = input.value().and_then(|value| value.deserialize().ok());
            reading.calls.push((call.number, call.name.map(Cow::into_owned), input.status().name(), value));
        }
        StreamEvent::Call(CallEvent::Fragment { .. }) => {}
        event => {
            let mut event = serde_json::to_value(event).unwrap();
            forget(&mut event);
            // An event that is not JSON may be left out.
            if event["event"] != "bad-frame" {
                reading.others.push(event);
            }
        }
    };
    frames.feed_with(body, |frame| frame.push_to(&mut stream, &mut on_event));
    frames.finish_with(|frame| frame.push_to(&mut stream, &mut on_event));
    stream.finish_with(&mut on_event);
    // Where nothing is left of an object, it is as good as none.
    reading
        .calls
        .iter_mut()
        .filter(|call| call.2 == "empty")
        .for_each(|call| (call.2, call.3) = ("complete", Some(json!({}))));
    reading.others.push(json!(stream.verdict().is_ok()));
    reading
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for input in ["arguments", "action", "code", "queries", "revised_prompt"] {
                members.remove(input);
            }
            members.values_mut().for_each(forget);
        }
        Value::Array(elements) => elements.iter_mut().for_each(forget),
        _ => {}
    }
}

/// A rule for a pattern, and what it makes of a value.
type Edit = (&'static str, fn() -> Rule, fn(&mut Value));

const NAMES: [&str; 5] = ["query", "location", "player", "city", "ticker"];

const EDITS: [Edit; 4] = [
    ("*", Rule::redact, |value| {
        let children: Vec<&mut Value> = match value {
            Value::Object(members) => members.values_mut().collect(),
            Value::Array(elements) => elements.iter_mut().collect(),
            _ => Vec::new(),
        };
        children.into_iter().for_each(|child| *child = json!("[redacted]"));
    }),
    ("*", Rule::remove, |value| match value {
        Value::Object(members) => members.clear(),
        Value::Array(elements) => elements.clear(),
        _ => {}
    }),
    ("..['query','location','player','city','ticker']", || Rule::replace("[1, \"\\\"\"]").unwrap(), named),
    ("nothing[7]", || Rule::replace("0").unwrap(), |_| {}),
];

fn named(value: &mut Value) {
    match value {
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| {
            if NAMES.contains(&name.as_str()) {
                *value = json!([1, "\""]);
            } else {
                named(value);
            }
        }),
        Value::Array(elements) => elements.iter_mut().for_each(named),
        _ => {}
    }
}

fn rewriter(provider: Provider, pattern: &'static str, rule: fn() -> Rule) -> CallRewriter {
    CallRewriter::new(provider, [(pattern, rule())]).unwrap().saveable(SAVE_LIMIT)
}

fn edited(frame: &Frame<'_>, calls: &mut CallRewriter) -> Option<String> {
    frame.rewrite(calls).unwrap_or_else(|event| {
        assert_eq!(event.reason(), &BadEventReason::NotJson);
        Some(event.instead().to_owned())
    })
}

/// Returns the output of a body in chunks of this size, with the state saved in between.
fn rewritten(new: impl Fn() -> CallRewriter, body: &[u8], size: usize) -> Vec<u8> {
    let (mut editor, mut calls, mut out) = (EventEditor::new(), new(), Vec::new());
    let mut add = |bytes: &[u8]| out.extend_from_slice(bytes);
    for (place, chunk) in body.chunks(size).enumerate() {
        if place % 64 == 1 {
            let saved = editor.save_with(calls.save().unwrap()).unwrap();
            (editor, calls) = EventEditor::new().restore_with(&saved, |state| new().restore(state)).unwrap();
        }
        editor.feed(chunk, |frame| edited(&frame, &mut calls), &mut add);
    }
    editor.finish(|frame| edited(&frame, &mut calls), &mut add);
    out
}

/// Redacts an input that no rule applies to: all but the words that say what it is.
fn hide(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let hidden = members.iter_mut().filter(|(name, _)| !["type", "callId"].contains(&name.as_str()));
            hidden.for_each(|(_, value)| hide(value));
        }
        Value::Array(elements) => elements.iter_mut().for_each(hide),
        Value::String(text) if text.is_empty() => {}
        Value::String(_) | Value::Number(_) => *value = json!("[redacted]"),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Everything else; what no reader knows without its value, if that is redacted.
fn known(reading: &Reading, redacts: bool) -> Vec<Value> {
    let is_unknown = |event: &Value| redacts && ["unknown-part", "data"].iter().any(|kind| event["event"] == *kind);
    let others = reading.others.iter().cloned();
    others.map(|event| if is_unknown(&event) { json!([event["event"], event["kind"]]) } else { event }).collect()
}

/// The names of tools whose input is not JSON arguments.
const OTHER_INPUTS: [&str; 8] = [
    "apply_patch",
    "shell",
    "local_shell",
    "computer",
    "web_search",
    "file_search",
    "image_generation",
    "code_interpreter",
];

pub(crate) fn clients_of_recorded_streams_read_the_edited_values_and_all_else_the_same() {
    let (mut streams, mut edited) = (0, 0);
    for (folder, provider) in FOLDERS {
        for name in recorded::streams().into_iter().filter(|name| name.starts_with(folder)) {
            let body = recorded::read(&name);
            let plain = read(provider, &body);
            streams += 1;
            for (pattern, rule, edit) in EDITS {
                let new = || rewriter(provider, pattern, rule);
                let out = rewritten(new, &body, body.len().max(1));
                for size in [1, 7] {
                    assert!(rewritten(new, &body, size) == out, "{name}, {pattern}, in chunks of {size}");
                }
                if pattern.starts_with("nothing") {
                    assert!(out == body, "{name}: nothing is edited");
                }
                let seen = read(provider, &out);
                let redacts = format!("{:?}", rule()) == "Redact";
                assert_eq!(known(&seen, redacts), known(&plain, redacts), "{name}, {pattern}");
                assert_eq!(seen.calls.len(), plain.calls.len(), "{name}, {pattern}");
                for (seen, plain) in seen.calls.iter().zip(&plain.calls) {
                    let is_other = plain.1.as_deref().is_some_and(|name| OTHER_INPUTS.contains(&name))
                        && provider == Provider::OpenaiResponses;
                    let mut value = plain.3.clone();
                    match is_other {
                        false => value.iter_mut().for_each(edit),
                        true if redacts => value.iter_mut().for_each(hide),
                        true => {}
                    }
                    edited += usize::from(value != plain.3);
                    assert_eq!((seen.0, &seen.1, seen.2), (plain.0, &plain.1, plain.2), "{name}, {pattern}");
                    assert_eq!(seen.3, value, "{name}, {pattern}");
                }
            }
        }
    }
    assert!(edited > 60, "{edited} values of {streams} streams");
}

/// Rewrites a whole response, which is not streamed.
#[test]
fn a_response_that_is_one_text_is_rewritten() {
    let chat =
        r#"{"choices": [{"message": {"tool_calls": [{"function": {"arguments": "{\"password\": \"hunter2\"}"}}]}}]}"#;
    let messages = r#"{"type": "message", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"password": "hunter2"}}]}"#;
    let responses =
        r#"{"object": "response", "output": [{"type": "function_call", "arguments": "{\"password\":\"hunter2\"}"}]}"#;
    for (provider, body) in
        [(Provider::OpenaiChat, chat), (Provider::Anthropic, messages), (Provider::OpenaiResponses, responses)]
    {
        let out = rewritten(|| rewriter(provider, "password", Rule::redact), body.as_bytes(), 3);
        assert_eq!(String::from_utf8(out).unwrap(), body.replace("hunter2", "[redacted]"));
    }
}
