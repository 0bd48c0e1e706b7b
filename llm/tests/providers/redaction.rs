//! With a rule that redacts, nothing of a call passes that is not known: a secret in any string of it, at any cut; and
//! nothing of the inputs in any stream of any wire.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot::Rule;
use jsonspigot_llm::{BadEventReason, CallEvent, CallRewriter, Provider, ProviderStream, StreamEvent, ToolCalls};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::laws::{Recording, own_streams, recorded_streams};

/// A text of letters that stand nowhere else, so that no part of it may come out.
const SECRET: &str = "ΩΨΞΛ{\"Δ\":\"[Θ\"}";
const NUMBER: u64 = 987_654_321;

/// Where members are put whose name and value a test chooses: in a call, and outside.
const PLACE: &str = "@@";
const OUTSIDE: &str = "@-";

/// The names of members that no wire has in a call, or has elsewhere.
const NAMES: [&str; 13] = [
    "action",
    "args",
    "code",
    "command",
    "content",
    "diff",
    "operation",
    "output",
    "queries",
    "result",
    "text",
    "toolCalls",
    "xyz",
];

fn secret_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(SECRET)),
        Just(json!(NUMBER)),
        Just(json!(json!({"pw": SECRET}).to_string())),
        Just(json!({"pw": {SECRET: true}})),
        Just(json!(true)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            (prop::sample::select(&NAMES[..]), inner).prop_map(|(name, value)| json!({name: value})),
        ]
    })
}

/// Returns the events of an answer with text and a call. A piece of text is `{}`.
fn answer(provider: Provider, arguments: &str, pieces: &[&str], is_object: bool) -> Vec<Value> {
    let whole = if is_object { serde_json::from_str(arguments).unwrap() } else { json!(arguments) };
    match provider {
        Provider::Anthropic => {
            let event = |kind: &str, member: &str, value: Value| json!({"type": kind, "index": 1, member: value});
            let call = |input: Value| json!({"type": "tool_use", "id": "t", "name": "f", "input": input, PLACE: 1});
            let piece = |text: Value| {
                event(
                    "content_block_delta",
                    "delta",
                    json!({"type": "input_json_delta", "partial_json": text, PLACE: 1}),
                )
            };
            let input = serde_json::from_str(arguments).unwrap();
            let mut events = vec![
                json!({"type": "message_start", "message": {"id": "m", "model": "x", "content": [], OUTSIDE: 1}}),
                event("content_block_delta", "delta", json!({"type": "text_delta", "text": "Hello, you"})),
                event("content_block_start", "content_block", call(json!({}))),
            ];
            events.extend(pieces.iter().map(|text| piece(json!(text))));
            events.push(piece(whole));
            events.push(json!({"type": "content_block_stop", "index": 1}));
            events.push(event("content_block_start", "content_block", call(input)));
            events
        }
        Provider::OpenaiChat => {
            let choice = |member: &str, said: Value| json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, member: said, OUTSIDE: 1}], OUTSIDE: 1});
            let entry = |arguments: Value| json!({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": arguments, PLACE: 1}, PLACE: 1});
            let custom =
                |text: &str| json!({"index": 1, "id": "b", "type": "custom", "custom": {"name": "g", "input": text}});
            let mut events = vec![choice("delta", json!({"role": "assistant", "content": "Hello, you", OUTSIDE: 1}))];
            events.extend(pieces.iter().map(|text| {
                choice("delta", json!({"content": null, "tool_calls": [entry(json!(text)), custom(text)], OUTSIDE: 1}))
            }));
            events.push(choice("delta", json!({"tool_calls": entry(json!(arguments))})));
            events.push(choice("delta", json!({"function_call": {"name": "f", "parameters": whole, PLACE: 1}})));
            events.push(choice(
                "message",
                json!({"content": "Hello, you", "tool_calls": [entry(whole), custom(arguments)]}),
            ));
            events.push(json!({"error": {"message": "no", "failed_generation": arguments, OUTSIDE: 1}}));
            events
        }
        _ => {
            let event = |kind: &str, member: &str, value: Value| json!({"type": kind, "output_index": 1, "item_id": "i", member: value, OUTSIDE: 1});
            let item = |input: Value| json!({"type": "function_call", "id": "i", "call_id": "a", "name": "f", "arguments": input, "status": "completed", PLACE: 1});
            let shell = json!({"type": "shell_call", "id": "s", "action": {"type": "exec", "commands": [arguments], "timeout_ms": 7, PLACE: 1}});
            let mut events = vec![
                event("response.output_text.delta", "delta", json!("Hello, you")),
                event("response.output_item.added", "item", item(json!(""))),
            ];
            for text in pieces {
                events.push(event("response.function_call_arguments.delta", "delta", json!(text)));
                events.push(json!({"type": "response.custom_tool_call_input.delta", "output_index": 2, "delta": text}));
            }
            events.push(event("response.function_call_arguments.done", "arguments", whole.clone()));
            events.push(event("response.custom_tool_call_input.done", "input", json!(arguments)));
            events.push(event("response.shell_call_command.done", "command", json!(arguments)));
            events.push(event("response.output_item.done", "item", item(whole.clone())));
            let output = json!([item(whole), shell]);
            let response =
                json!({"id": "r", "object": "response", "status": "completed", "output": output, OUTSIDE: 1});
            events.push(event("response.completed", "response", response));
            events
        }
    }
}

/// Returns the name of a member with each of its letters escaped, or unchanged.
fn spelt(name: &str, is_escaped: bool) -> String {
    let letters = |letter: char| format!("\\u{:04x}", u32::from(letter));
    if is_escaped { name.chars().map(letters).collect() } else { name.to_owned() }
}

/// Fails if any part of the secret is in a JSON text, however it is spelt.
fn check_hides(event: &str) -> Result<(), TestCaseError> {
    fn check(value: &Value) -> bool {
        let is_free = |text: &str| !text.contains(|letter| ('Α'..='Ω').contains(&letter)) && !text.contains("u03");
        match value {
            Value::Object(members) => members.iter().all(|(name, value)| is_free(name) && check(value)),
            Value::Array(elements) => elements.iter().all(check),
            Value::String(text) => is_free(text),
            _ => true,
        }
    }
    let value: Value = serde_json::from_str(event).map_err(|_| TestCaseError::fail(event.to_owned()))?;
    prop_assert!(check(&value) && !event.contains(&NUMBER.to_string()), "{}", event);
    Ok(())
}

fn redacting(provider: Provider) -> CallRewriter {
    CallRewriter::new(provider, [("..pw", Rule::redact())]).unwrap()
}

proptest! {
    #[test]
    fn nothing_of_a_secret_in_a_call_comes_out(
        provider in prop::sample::select(vec![Provider::Anthropic, Provider::OpenaiChat, Provider::OpenaiResponses]),
        nested: bool,
        is_object: bool,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        added in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(&NAMES[..]), any::<bool>(), secret_values()), 0..6),
    ) {
        let arguments = json!({"a": "é", "pw": SECRET, "z": 1});
        let arguments = if nested { json!({"list": [arguments]}) } else { arguments }.to_string();
        let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(arguments.len() + 1)).collect();
        places.retain(|place| arguments.is_char_boundary(*place));
        places.extend([0, arguments.len()]);
        places.sort_unstable();
        let pieces: Vec<_> = places.windows(2).map(|two| &arguments[two[0]..two[1]]).collect();
        let events = answer(provider, &arguments, &pieces, is_object);
        // All of it is said twice.
        let texts: Vec<_> = events.iter().chain(&events).map(Value::to_string).collect();
        let count = texts.iter().map(|text| text.matches("\"@").count()).sum::<usize>();
        let mut number = 0;
        let mut calls = redacting(provider);
        for text in texts {
            let mut parts = text.split("\"@");
            let mut event = parts.next().unwrap().to_owned();
            for part in parts {
                let is_outside = part.starts_with('-');
                let here = added.iter().filter(|(place, ..)| place.index(count) == number);
                let members = here.map(|(_, name, is_escaped, value)| match is_outside {
                    false => format!("\"{}\":{value}", spelt(name, *is_escaped)),
                    // A number alone passes.
                    true => format!("\"x_{name}\":[{value}]"),
                });
                event += &members.chain(["\"x\":null".to_owned()]).collect::<Vec<_>>().join(",");
                event += part.get("@\":1".len()..).unwrap();
                number += 1;
            }
            let came = match calls.push(&event) {
                Ok(came) => came.into_owned(),
                Err(bad) => {
                    prop_assert!(matches!(bad.reason(), BadEventReason::Arguments(_)), "{}: {}", bad, event);
                    bad.instead().to_owned()
                }
            };
            check_hides(&came)?;
            prop_assert_eq!(came.contains("Hello, you"), event.contains("Hello, you"));
        }
    }
}

#[track_caller]
fn check(provider: Provider, pairs: &[(&str, &str)]) {
    let mut calls = redacting(provider);
    for (event, expected) in pairs {
        assert_eq!(calls.push(event).unwrap(), *expected);
    }
}

/// Checks the parts of a call besides its arguments.
#[test]
fn other_inputs_are_redacted_and_words_pass() {
    let chat = |call: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}},"finish_reason":"stop"}}]}}"#);
    let pairs = [
        (
            r#"{"index":0,"id":"a","custom":{"name":"g","input":"ls"}}"#,
            r#"{"index":0,"id":"a","custom":{"name":"g","input":"[redacted]"}}"#,
        ),
        (r#"{"index":0,"custom":{"input":" -l"}}"#, r#"{"index":0,"custom":{"input":""}}"#),
        (
            r#"{"index":1,"password":1,"x":["a",2,{"b":"c","d":null}]}"#,
            r#"{"index":1,"password":"[redacted]","x":["[redacted]","[redacted]",{"[redacted]":"[redacted]","[redacted]":null}]}"#,
        ),
        (
            r#"{"index":2,"id":{"a":"b"},"extra_content":{"google":{"thought_signature":"s","x":"y"}}}"#,
            r#"{"index":2,"id":{"[redacted]":"[redacted]"},"extra_content":{"google":{"thought_signature":"s","x":"[redacted]"}}}"#,
        ),
        (
            r#"{"index":3,"function":{"name":"f","arguments":7}}"#,
            r#"{"index":3,"function":{"name":"f","arguments":"[redacted]"}}"#,
        ),
        (r#"["x"],"y""#, r#"["[redacted]"],"[redacted]""#),
    ];
    let pairs: Vec<_> = pairs.iter().map(|(event, expected)| (chat(event), chat(expected))).collect();
    check(Provider::OpenaiChat, &pairs.iter().map(|(event, expected)| (&**event, &**expected)).collect::<Vec<_>>());
    check(
        Provider::OpenaiChat,
        &[(
            r#"{"x":"y","n":1,"choices":[{"logprobs":{"content":[{"token":"x","bytes":[120]}]},"delta":{"content":"x","calls":[{"pw":1,"n":1.5}]}}]}"#,
            r#"{"x":"[redacted]","n":1,"choices":[{"logprobs":null,"delta":{"content":"x","calls":[{"[redacted]":"[redacted]","[redacted]":"[redacted]"}]}}]}"#,
        )],
    );
    let item =
        |kind: &str, rest: &str| format!(r#"{{"type":"response.output_item.done","item":{{"type":"{kind}",{rest}}}}}"#);
    let pairs = [
        (
            "local_shell_call",
            r#""action":{"type":"exec","command":["ls"],"timeout_ms":7}"#,
            r#""action":{"type":"exec","command":["[redacted]"],"timeout_ms":"[redacted]"}"#,
        ),
        (
            "apply_patch_call",
            r#""operation":{"type":"delete_file","path":"a"}"#,
            r#""operation":{"type":"delete_file","path":"[redacted]"}"#,
        ),
        (
            "code_interpreter_call",
            r#""code":"x","outputs":[{"logs":"y"}]"#,
            r#""code":"[redacted]","outputs":[{"logs":"y"}]"#,
        ),
        ("function_call", r#""output":"x","content":"y""#, r#""output":"[redacted]","content":"[redacted]""#),
        ("function_call_output", r#""output":"x""#, r#""output":"x""#),
        (
            "message",
            r#""content":[{"type":"output_text","text":"x"}]"#,
            r#""content":[{"type":"output_text","text":"x"}]"#,
        ),
    ];
    for (kind, event, expected) in pairs {
        check(Provider::OpenaiResponses, &[(&item(kind, event), &item(kind, expected))]);
    }
    // An event whose type is there twice can't be read.
    let twice = r#"{"type":"content_block_delta","delta":{"type":"text_delta","type":"input_json_delta","text":"x"}}"#;
    let bad = redacting(Provider::Anthropic).push(twice).unwrap_err();
    assert_eq!((bad.instead(), bad.reason()), ("", &BadEventReason::Unreadable));
}

/// Checks pieces of a call whose id changes; one with a name is another's.
#[test]
fn ids_that_change_are_the_same_call() {
    let piece = |id: &str, name: &str, text: &str| {
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": text}}]}}]}).to_string()
    };
    let all = [
        (("1", "f", r#"{"pw": "hun"#), r#"{"pw": "[redacted]""#),
        (("2", "", "ter2"), ""),
        (("null", "", r#"", "n": 1}"#), r#", "n": 1}"#),
        (("3", "g", r#"{"pw": 1}"#), r#"{"pw": "[redacted]"}"#),
    ];
    let mut calls = redacting(Provider::OpenaiChat);
    for ((id, name, text), expected) in all {
        assert_eq!(calls.push(&piece(id, name, text)).unwrap(), piece(id, name, expected));
    }
}

/// Responses of Realtime that are open at once each have an item in the first place.
#[test]
fn items_of_two_responses_are_two_calls() {
    let piece = |response: &str, text: &str| {
        json!({"type": "response.function_call_arguments.delta", "event_id": "e", "response_id": response, "item_id": format!("i{response}"), "output_index": 0, "delta": text}).to_string()
    };
    let done =
        |response: &str| json!({"type": "response.done", "event_id": "e", "response": {"id": response}}).to_string();
    let added = |response: &str| {
        let item = json!({"type": "function_call", "id": format!("i{response}"), "call_id": format!("c{response}"), "name": "f"});
        json!({"type": "response.output_item.added", "event_id": "e", "response_id": response, "output_index": 0, "item": item}).to_string()
    };
    let all = [
        (added("1"), added("1")),
        (added("2"), added("2")),
        (piece("1", r#"{"pw": "hun"#), piece("1", r#"{"pw": "[redacted]""#)),
        (piece("2", r#"{"n": [1"#), piece("2", r#"{"n": [1"#)),
        (piece("1", r#"ter2", "n": 1}"#), piece("1", r#", "n": 1}"#)),
        (done("1"), done("1")),
        (piece("2", r#"], "pw": 7}"#), piece("2", r#"], "pw": "[redacted]"}"#)),
    ];
    let all: Vec<_> = all.iter().map(|(event, expected)| (&**event, &**expected)).collect();
    check(Provider::OpenaiResponses, &all);
}

/// Checks that only arguments are edited without a rule that redacts.
#[test]
fn other_rules_leave_what_they_do_not_know() {
    let mut calls = CallRewriter::new(Provider::OpenaiChat, [("..pw", Rule::remove())]).unwrap();
    let events = [
        r#"{"x":"y","choices":[{"logprobs":{"a":1},"delta":{"tool_calls":[{"x":{"pw":1},"custom":{"input":"ls"}}]}}]}"#,
        r#"{"type":"content_block_delta","delta":{"partial_json":"x"}}"#,
        "\"x\"",
        "ping",
    ];
    for event in events {
        assert!(matches!(calls.push(event), Ok(Cow::Borrowed(came)) if came == event));
    }
}

/// Collects the strings in a value, except types.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(elements) => elements.iter().for_each(|element| strings(element, found)),
        Value::Object(members) => {
            members.iter().filter(|(name, _)| *name != "type").for_each(|(name, member)| match member {
                // Bedrock's events.
                Value::String(base64) if name == "bytes" => {
                    let bytes = BASE64_STANDARD.decode(base64).unwrap_or_default();
                    let inside = serde_json::from_slice(&bytes).unwrap_or_else(|_| member.clone());
                    strings(&inside, found);
                }
                _ => strings(member, found),
            });
        }
        _ => {}
    }
}

/// Everything that a stream says in its calls' inputs, and everything else.
fn said(provider: Provider, events: &[String]) -> (Vec<String>, String) {
    let mut stream = ProviderStream::new(provider, ToolCalls::default());
    let (mut inputs, mut others, mut texts) = (Vec::new(), String::new(), String::new());
    let mut on_event = |event: StreamEvent<'_>| {
        let event = if let StreamEvent::Agent { event, .. } = event { *event } else { event };
        let event = match event {
            // The text of a session's end.
            StreamEvent::Data { json, .. } => {
                let value: Value = serde_json::from_str(&json).unwrap();
                return texts += value["result"].as_str().unwrap_or_default();
            }
            StreamEvent::UnknownPart { .. } => return,
            StreamEvent::Text { text, .. } | StreamEvent::Reasoning { text, .. } => return texts += &text,
            StreamEvent::Call(event) => event,
            event => return others += &format!("{event:?}\n"),
        };
        match event {
            CallEvent::Start { call } => others += &format!("{call:?}\n"),
            CallEvent::End { input, .. } => match serde_json::from_str(input.raw()) {
                Ok(value) => strings(&value, &mut inputs),
                Err(_) if input.status().name() == "raw" => inputs.push(input.raw().to_owned()),
                Err(_) => {}
            },
            _ => {}
        }
    };
    events.iter().for_each(|event| stream.push_with(event, &mut on_event));
    stream.finish_with(&mut on_event);
    (inputs, others + &texts)
}

/// Checks that a rule for all values leaves nothing of any input, on every wire.
#[test]
fn no_input_of_a_wire_file_comes_out() {
    nothing_comes_out(own_streams());
}

pub(crate) fn no_input_of_a_recording_comes_out() {
    nothing_comes_out(recorded_streams());
}

fn nothing_comes_out(streams: Vec<Recording>) {
    let mut count = 0;
    for Recording { name, provider, events } in streams {
        let (inputs, others) = said(provider, &events);
        let mut calls = CallRewriter::new(provider, [("..*", Rule::redact())]).unwrap();
        let mut came = Vec::new();
        for event in &events {
            let event = calls.push(event).map_or_else(|bad| bad.instead().to_owned(), Cow::into_owned);
            for value in serde_json::Deserializer::from_str(&event).into_iter::<Value>().map_while(Result::ok) {
                strings(&value, &mut came);
            }
        }
        let came = came.concat();
        for input in inputs.into_iter().filter(|input| input.chars().count() > 7 && !others.contains(&**input)) {
            count += 1;
            assert!(!came.contains(&*input), "{name}: {input}");
        }
    }
    assert!(count > 40, "{count}");
}

/// Reads the files of `tests/data/redaction`: a provider and a redacted pattern, then events with a secret that may not
/// pass.
#[test]
fn no_secret_of_the_files_passes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/redaction");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, events) = text.split_once('\n').unwrap();
        let (provider, pattern) = head.split_once(' ').unwrap();
        let mut calls = CallRewriter::new(provider.parse().unwrap(), [(pattern, Rule::redact())]).unwrap();
        for event in events.lines() {
            let came = calls.push(event).map_or_else(|bad| bad.instead().to_owned(), Cow::into_owned);
            let mut said = vec![came.clone()];
            if let Ok(came) = serde_json::from_str(&came) {
                strings(&came, &mut said);
            }
            assert!(!said.concat().contains("hunter2"), "{}: {came}", path.display());
        }
        count += 1;
    }
    assert!(count > 20, "{count} files");
}
