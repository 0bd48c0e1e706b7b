//! The message that goes back: as the provider's API takes it, with every value that the wire carried.

use jsonspigot_check::recorded;
use jsonspigot_llm::{CallEvent, CallLimits, Provider, ProviderStream, StreamEvent, ToolCalls};
use serde_json::{Value, json};

use super::support::{anthropic, chat, events_of, events_of_file, everything, own};

/// What a stream has told of its last message.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Said {
    text: String,
    reasoning: String,
    /// What only the provider can read, in the order of the message.
    opaque: Vec<Value>,
    /// Names and arguments.
    pub(crate) calls: Vec<(String, Value)>,
}

/// Reads a stream, and gives the last message and what was told of it.
fn read<E: AsRef<str>>(events: impl IntoIterator<Item = E>) -> (Option<Value>, Said, Option<Provider>) {
    let mut stream = ProviderStream::detecting(everything().build()).with_message();
    let (mut said, mut words) = (Said::default(), Vec::new());
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::MessageStart { .. } => {
            said = Said::default();
            words.clear();
        }
        StreamEvent::Text { choice, text, .. } => words.push((choice, true, text.into_owned())),
        StreamEvent::Reasoning { choice, text, .. } => words.push((choice, false, text.into_owned())),
        StreamEvent::Opaque(opaque) if !["container", "compaction"].contains(&opaque.kind.name()) => {
            said.opaque.push(serde_json::from_str(&opaque.json).unwrap());
        }
        StreamEvent::Call(CallEvent::End { call, input }) if call.choice == 0 => {
            let value = input.value().map(|value| serde_json::from_str(&value.to_string()).unwrap());
            let value = value.unwrap_or_else(|| Value::from(input.raw()));
            said.calls.push((call.name.unwrap_or_default().into_owned(), value));
        }
        _ => {}
    };
    for event in events {
        stream.push_with(event.as_ref(), &mut on_event);
    }
    stream.finish_with(&mut on_event);
    for (choice, is_text, words) in words {
        // The parts of a response are told as answers.
        if choice == 0 || stream.provider().is_some_and(|provider| provider.name() == "openai-responses") {
            if is_text { &mut said.text } else { &mut said.reasoning }.push_str(&words);
        }
    }
    let message = stream.message().map(|message| serde_json::from_str(&message).expect("the message is JSON"));
    (message, said, stream.provider())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// An input as a value: some wires give it as a string.
fn arguments(value: &Value) -> Value {
    if value.is_null() {
        return json!({});
    }
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

/// Reads a message as the provider's API defines it: the second reader, which shares nothing with the library.
pub(crate) fn read_back(provider: Provider, message: &Value) -> Said {
    let mut said = Said::default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found: Vec<Value> = Vec::new();
    let mut opaque = |value: &Value| {
        if !value.is_null() && value != "" {
            found.push(value.clone());
        }
    };
    match provider.name() {
        "anthropic" => {
            assert_eq!(message["role"], "assistant");
            for block in list(&message["content"]) {
                match text(&block["type"]) {
                    "text" => said.text.push_str(text(&block["text"])),
                    "thinking" => {
                        said.reasoning.push_str(text(&block["thinking"]));
                        opaque(&block["signature"]);
                    }
                    "redacted_thinking" => opaque(&block["data"]),
                    kind if kind.ends_with("tool_use") => {
                        said.calls.push((text(&block["name"]).to_owned(), block["input"].clone()));
                    }
                    _ => {}
                }
            }
        }
        "bedrock" => {
            assert_eq!(message["role"], "assistant");
            for block in list(&message["content"]) {
                said.text.push_str(text(&block["text"]));
                let reasoning = &block["reasoningContent"];
                said.reasoning.push_str(text(&reasoning["reasoningText"]["text"]));
                opaque(&reasoning["reasoningText"]["signature"]);
                opaque(&reasoning["redactedContent"]);
                if let Some(call) = block.get("toolUse") {
                    said.calls.push((text(&call["name"]).to_owned(), call["input"].clone()));
                }
            }
        }
        // An entry of the history: what is said is the plan, if there are calls.
        "cohere" if message["role"] == "CHATBOT" => {
            let calls = list(&message["tool_calls"]);
            let words = if calls.is_empty() { &mut said.text } else { &mut said.reasoning };
            words.push_str(text(&message["message"]));
            let of = |call: &Value| (text(&call["name"]).to_owned(), call["parameters"].clone());
            said.calls.extend(calls.iter().map(of));
        }
        "openai-chat" | "cohere" | "ollama" | "dashscope" | "cloudflare" => {
            assert_eq!(message["role"], "assistant");
            said.text.push_str(text(&message["content"]));
            let details = list(&message["reasoning_details"]);
            let detailed = details.iter().flat_map(|detail| [text(&detail["text"]), text(&detail["summary"])]);
            let detailed: String = detailed.collect();
            for name in ["reasoning", "reasoning_content", "tool_plan", "thinking"] {
                said.reasoning.push_str(text(&message[name]));
            }
            if detailed.len() > said.reasoning.len() {
                said.reasoning = detailed;
            }
            for part in list(&message["content"]) {
                said.text.push_str(text(&part["text"]));
                said.reasoning.push_str(text(&part["thinking"]));
                for thought in list(&part["thinking"]) {
                    said.reasoning.push_str(text(&thought["text"]));
                }
            }
            for detail in details {
                opaque(&detail["signature"]);
                opaque(if detail.get("data").is_some() { &detail } else { &Value::Null });
            }
            for call in list(&message["tool_calls"]) {
                let function = &call["function"];
                said.calls.push((text(&function["name"]).to_owned(), arguments(&function["arguments"])));
                opaque(&call["extra_content"]["google"]["thought_signature"]);
            }
        }
        "openai-responses" => {
            for item in list(message) {
                for part in list(&item["content"]) {
                    said.text.push_str(text(&part["text"]));
                }
                for part in list(&item["summary"]) {
                    said.reasoning.push_str(text(&part["text"]));
                }
                if item["type"] == "reasoning" {
                    opaque(&item["encrypted_content"]);
                }
                if item["type"] == "function_call" {
                    said.calls.push((text(&item["name"]).to_owned(), arguments(&item["arguments"])));
                }
            }
        }
        _ if message.is_array() => {
            for step in list(message) {
                opaque(&step["signature"]);
                for part in list(&step["content"]) {
                    said.text.push_str(text(&part["text"]));
                }
                for part in list(&step["summary"]) {
                    said.reasoning.push_str(text(&part["text"]));
                }
                if let Some(tool) = text(&step["type"]).strip_suffix("_call") {
                    let name = step.get("name").map_or(tool, text);
                    said.calls.push((name.to_owned(), arguments(&step["arguments"])));
                }
            }
        }
        _ => {
            assert_eq!(message["role"], "model");
            for part in list(&message["parts"]) {
                let kind = if part["thought"] == true { &mut said.reasoning } else { &mut said.text };
                kind.push_str(text(&part["text"]));
                opaque(&part["thoughtSignature"]);
                let member = |name: &str| part.get(name).filter(|value| value.is_object());
                if let Some(call) = member("functionCall") {
                    said.calls.push((text(&call["name"]).to_owned(), arguments(&call["args"])));
                }
                if let Some(code) = member("executableCode") {
                    said.calls.push(("code_execution".to_owned(), code.clone()));
                }
                if let Some(call) = member("toolCall") {
                    said.calls.push((text(&call["toolType"]).to_owned(), arguments(&call["args"])));
                }
            }
        }
    }
    said.opaque = found;
    said
}

/// Nobody sends a message back in these formats.
const WITHOUT_MESSAGE: [&str; 6] = ["ag-ui", "vercel-ui", "mcp", "claude-code", "codex", "mistral-conversations"];

/// The streams whose message has to be there: all that end, and have one to send back.
fn check(name: &str, events: &[String]) -> bool {
    let (message, mut said, provider) = read(events);
    let Some(provider) = provider.filter(|provider| !WITHOUT_MESSAGE.contains(&provider.name())) else {
        assert_eq!(message, None, "{name}");
        return false;
    };
    let Some(message) = message else { return false };
    // Claude's own shape, where Bedrock passes on its events.
    let is_claude_s = provider.name() == "bedrock" && message["content"][0].get("type").is_some();
    let mut back = read_back(if is_claude_s { Provider::Anthropic } else { provider }, &message);
    if name.contains("openai-phase") {
        // Most of its deltas were left out of the recording.
        said.text.clone_from(&back.text);
    }
    match provider.name() {
        // What the provider executes has shapes of its own there.
        "openai-responses" => {
            said.calls.retain(|(name, _)| back.calls.iter().any(|(back, _)| back == name));
        }
        "openai-chat" => said.calls.retain(|(name, _)| name != "web_search"),
        _ => {}
    }
    said.opaque.sort_by_key(Value::to_string);
    back.opaque.sort_by_key(Value::to_string);
    assert_eq!(back, said, "{name}: {message}");
    true
}

pub(crate) fn the_message_of_each_recording_holds_what_was_told() {
    let (mut count, mut opaque) = (0, 0);
    for name in recorded::streams() {
        let events = events_of_file(&name, &recorded::read(&name));
        let (message, said, _) = read(&events);
        let is_there = check(&name, &events);
        assert!(is_there || said.opaque.is_empty(), "{name}: {message:?}");
        count += usize::from(is_there);
        opaque += said.opaque.len();
    }
    assert!(count > 55 && opaque >= 20, "{count} messages, {opaque} signatures and the like");
}

#[test]
fn the_message_of_each_stream_of_our_own_holds_what_was_told() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/streams");
    let mut missing = Vec::new();
    for folder in std::fs::read_dir(&root).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let name = file.unwrap().path().strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            let events = events_of(&own(&name));
            let provider = events.iter().find_map(|event| Provider::detect(event)).unwrap();
            if !check(&name, &events) && !WITHOUT_MESSAGE.contains(&provider.name()) {
                missing.push(name);
            }
        }
    }
    missing.sort_unstable();
    // Completions have no message, connections keep it themselves, and in the others a call is cut or malformed.
    let wanted = [
        "beside/gemini-live.jsonl",
        "beside/ollama.jsonl",
        "beside/realtime.jsonl",
        "beside/transcription.sse",
        "chat/completion.jsonl",
        "chat/native-reason.sse",
        "cloudflare/cut.sse",
        "cohere-v1/cut.jsonl",
        "dashscope/cut.sse",
        "eager/cut.sse",
        "eager/parallel.sse",
        "gemini-live/cut.jsonl",
        "gemini-live/no-arguments.jsonl",
        "gemini-live/normal.jsonl",
        "gemini-live/parallel.jsonl",
        "gemini/cut.sse",
        "interactions/cut.sse",
        "mcp/cut.sse",
        "realtime/cut.jsonl",
        "realtime/no-arguments.jsonl",
        "realtime/normal.jsonl",
        "realtime/parallel.jsonl",
        "responses/cut.sse",
        "transcription/cut.sse",
        "transcription/normal.sse",
    ];
    assert_eq!(missing, wanted);
}

fn message(stream: ProviderStream, events: &[&str]) -> Option<String> {
    let mut stream = stream.with_message();
    events.iter().for_each(|event| stream.push_with(event, |_| {}));
    stream.message()
}

fn stream(provider: Provider) -> ProviderStream {
    ProviderStream::new(provider, everything().build())
}

/// Escapes, numbers and members that are not known stay as they were spelt.
#[test]
fn everything_stays_as_it_was_spelt() {
    let events = [
        r#"{"type":"message_start","message":{"content":[]}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","x": 1.50}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"\u00e9\/"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq\u003d"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 1"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":".50}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    assert_eq!(
        message(stream(Provider::Anthropic), &events).unwrap(),
        concat!(
            r#"{"role":"assistant","content":[{"type":"thinking","x":1.50,"thinking":"\u00e9\/","signature":"Eq\u003d"},"#,
            r#"{"type":"tool_use","id":"t","name":"f","input":{"n": 1.50}}]}"#
        )
    );
    // Once the next message begins, and where something of it is missing, there is none.
    for (kept, is_there) in [(7, false), (8, false), (9, true), (10, true)] {
        assert_eq!(message(stream(Provider::Anthropic), &events[..kept]).is_some(), is_there, "{kept}");
    }
    for (place, event) in [
        (10, events[0]),
        (3, r#"{"type":"content_block_delta","index":0,"delta":{"type":"new_delta","new":"x"}}"#),
        (3, r#"{"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"lost"}}"#),
        (3, r#"{"type":"content_block_delta","#),
        (5, r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"}"}}"#),
    ] {
        let mut events = events.to_vec();
        events.insert(place, event);
        assert_eq!(message(stream(Provider::Anthropic), &events), None, "{event}");
    }
    // Only who asks for it has it.
    let mut unasked = stream(Provider::Anthropic);
    events.iter().for_each(|event| unasked.push_with(event, |_| {}));
    assert_eq!(unasked.message(), None);
}

/// What is whole from the start is all there; parts that say nothing are not.
#[test]
fn parts_that_come_whole() {
    let anthropic = r#"{"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[
        {"type":"text","text":"Let me see."},{"type":"tool_use","id":"t","name":"f","input":{"n": 1.50}}],
        "stop_reason":"tool_use"}}"#;
    let gemini = concat!(
        r#"{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{},{"text":""},{"text":"b"},"#,
        r#"{"text":"","thoughtSignature":"AbCd"},{"functionCall":{"name":"f","args":{"n": 1.50}}}]},"#,
        r#""finishReason":"STOP"}]}"#
    );
    for (provider, event, whole) in [
        (
            Provider::Anthropic,
            anthropic,
            concat!(
                r#"{"role":"assistant","content":[{"type":"text","text":"Let me see."},"#,
                r#"{"type":"tool_use","id":"t","name":"f","input":{"n": 1.50}}]}"#
            ),
        ),
        (
            Provider::Gemini,
            gemini,
            concat!(
                r#"{"role":"model","parts":[{"text":"a","thought":true},{"text":"b"},"#,
                r#"{"text":"","thoughtSignature":"AbCd"},{"functionCall":{"name":"f","args":{"n": 1.50}}}]}"#
            ),
        ),
    ] {
        assert_eq!(message(stream(provider), &[event]).as_deref(), Some(whole), "{provider}");
    }
}

/// Of several answers the first goes back, with its own calls; text that is JSON goes back as text.
#[test]
fn the_first_answer_goes_back() {
    let choice =
        |index: u64, delta: Value, reason: Value| json!({"index": index, "delta": delta, "finish_reason": reason});
    let call = |id: &str| {
        json!({"tool_calls": [{"index": 0, "id": id, "type": "function",
        "function": {"name": "f", "arguments": "{}"}}]})
    };
    let text = |text: &str| json!({ "content": text });
    let both = |first: Value, second: Value| {
        let begun = json!({"choices": [choice(0, first, json!(null)), choice(1, second, json!(null))]});
        let over = json!({"choices": [choice(0, json!({}), json!("stop")), choice(1, json!({}), json!("stop"))]});
        let events = [begun, over].map(|event| event.to_string());
        message(stream(Provider::OpenaiChat).structured(), &events.each_ref().map(String::as_str)).unwrap()
    };
    let said = r#"{"role":"assistant","content":"{\"a\":1}"}"#;
    let called = concat!(
        r#"{"role":"assistant","tool_calls":[{"id":"x","type":"function","#,
        r#""function":{"name":"f","arguments":"{}"}}]}"#
    );
    assert_eq!(both(text("{\"a\":1}"), call("y")), said);
    assert_eq!(both(text("{\"a\":1}"), text("2")), said);
    assert_eq!(both(call("x"), call("y")), called);
}

#[test]
fn calls_that_come_as_values_by_path_are_whole_in_the_message() {
    let part = |part: Value| json!({"candidates": [{"content": {"parts": [part]}}]}).to_string();
    let arg = |text: &str, more: bool| json!({"jsonPath": "$.a", "stringValue": text, "willContinue": more});
    let events = [
        part(json!({"functionCall": {"name": "f", "willContinue": true}, "thoughtSignature": "AbCd"})),
        part(json!({"functionCall": {"partialArgs": [arg("x", true)], "willContinue": true}})),
        part(json!({"functionCall": {"partialArgs": [arg("y", false)], "willContinue": true}})),
        part(json!({"functionCall": {}})),
        json!({"candidates": [{"finishReason": "STOP"}]}).to_string(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    assert_eq!(
        message(stream(Provider::Gemini), &events).unwrap(),
        r#"{"role":"model","parts":[{"thoughtSignature":"AbCd","functionCall":{"name":"f","args":{"a":"xy"}}}]}"#
    );
    // The call is still coming.
    assert_eq!(message(stream(Provider::Gemini), &[events[0], events[1], events[4]]), None);
}

/// A call that a limit refuses was not reported.
#[test]
fn a_refused_call_is_in_no_message() {
    let start = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "tool_use", "id": "too_long", "name": "say", "input": {}}});
    let delta = |json: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": json}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}});
    let of = |input: &str| {
        let calls = ToolCalls::builder().limits(CallLimits::new().name_bytes(4)).build();
        let events = [&start, &delta(input), &end].map(Value::to_string);
        message(ProviderStream::new(Provider::Anthropic, calls), &events.each_ref().map(String::as_str))
    };
    assert_eq!(of(r#"{"a":"x"#), None);
    // Nor is one that was not: nobody would answer it, as nobody has heard of it.
    assert_eq!(of(r#"{"a":"x"}"#), None);
}

#[test]
fn what_is_kept_is_limited() {
    let text = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    let piece = text(&"x".repeat(100));
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let of = |pieces: usize| {
        let calls = ToolCalls::builder().limits(CallLimits::new().event_bytes(1000)).build();
        let events: Vec<&str> = std::iter::repeat_n(&*piece, pieces).chain([end]).collect();
        message(ProviderStream::new(Provider::OpenaiChat, calls), &events)
    };
    assert!(of(10).is_some());
    assert_eq!(of(11), None);
    // Parts and what comes with calls take what they are long, and a little more: nothing is kept for free.
    let of = |provider: Provider, events: &[String]| {
        let calls = ToolCalls::builder().limits(CallLimits::new().event_bytes(1000)).build();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        message(ProviderStream::new(provider, calls), &events).is_some()
    };
    let block = |index: u64| {
        json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": "x"}})
            .to_string()
    };
    let blocks = |count: u64| (0..count).map(block).chain([anthropic::end("end_turn")]).collect::<Vec<_>>();
    assert_eq!([1, 11, 12].map(|count| of(Provider::Anthropic, &blocks(count))), [true, true, false]);
    let call = |len: usize| {
        let google = json!({"thought_signature": "x".repeat(len)});
        let function = json!({"name": "f", "arguments": "{}"});
        let call = json!({"index": 0, "id": "c", "function": function, "extra_content": {"google": google}});
        [chat::entries(&json!([call])), end.to_owned()]
    };
    assert_eq!([1, 300, 900].map(|len| of(Provider::OpenaiChat, &call(len))), [true, true, false]);
    // The next message is another one.
    let calls = ToolCalls::builder().limits(CallLimits::new().event_bytes(1000)).build();
    let mut stream = ProviderStream::new(Provider::OpenaiChat, calls).with_message();
    for event in std::iter::repeat_n(&*piece, 11).chain([end, "[DONE]", &*text("y"), end]) {
        stream.push_with(event, |_| {});
    }
    assert_eq!(stream.message().unwrap(), r#"{"role":"assistant","content":"y"}"#);
}

#[test]
fn steps_go_back_with_what_came_in_pieces() {
    let step = |index: u64, step: Value| json!({"event_type": "step.start", "index": index, "step": step});
    let delta = |index: u64, delta: Value| json!({"event_type": "step.delta", "index": index, "delta": delta});
    let page = json!({"type": "url_citation", "url": "https://zvv.example/4", "start_index": 0, "end_index": 2});
    let events = [
        step(0, json!({"type": "thought"})),
        delta(0, json!({"type": "thought_summary", "content": {"text": "Think."}})),
        delta(0, json!({"type": "thought_signature", "signature": "CiIB"})),
        step(1, json!({"type": "google_search_result", "call_id": "g"})),
        delta(1, json!({"type": "google_search_result", "result": [{"url": "x"}], "is_error": false})),
        step(2, json!({"type": "model_output"})),
        delta(2, json!({"type": "text", "text": "To "})),
        // Citations are told as sources, and a signature needs no type.
        delta(2, json!({"type": "text_annotation", "annotations": [page]})),
        delta(2, json!({"type": "text_annotation_delta", "annotations": [page]})),
        delta(2, json!({"signature": "CiIC"})),
        delta(2, json!({"type": "text", "text": "Zug."})),
        json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}}),
    ]
    .map(|event| event.to_string());
    let message = message(stream(Provider::Gemini), &events.each_ref().map(String::as_str)).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&message).unwrap(),
        json!([
            {"type": "thought", "summary": [{"text": "Think."}], "signature": "CiIB"},
            {"type": "google_search_result", "call_id": "g", "result": [{"url": "x"}], "is_error": false},
            {"type": "model_output", "content": [{"type": "text", "text": "To "}, {"type": "text", "text": "Zug."}],
                "signature": "CiIC"},
        ])
    );
}

/// What a part began with stays in front of what is added to it: a text with its spaces, a list however it is spelt.
#[test]
fn members_go_on_where_they_began() {
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta}).to_string();
    for (begun, whole) in [("[ ]", r#"[{"n":2}]"#), (r#"[ {"n":1} ]"#, r#"[{"n":1},{"n":2}]"#)] {
        let block = format!(r#"{{"type":"text","text":" a ","citations":{begun}}}"#);
        let events = [
            format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#),
            delta(json!({"type": "text_delta", "text": " b"})),
            delta(json!({"type": "citations_delta", "citation": {"n": 2}})),
            anthropic::end("end_turn"),
        ];
        assert_eq!(
            message(stream(Provider::Anthropic), &events.each_ref().map(String::as_str)).unwrap(),
            format!(r#"{{"role":"assistant","content":[{{"type":"text","text":" a  b","citations":{whole}}}]}}"#)
        );
    }
}

/// Google's signature goes back in the call that it came with: whatever index that has, whoever executes the others, and
/// where the call ends in the same chunk.
#[test]
fn a_signature_stays_with_its_call() {
    let function = json!({"name": "f", "arguments": "{}"});
    let extra = json!({"google": {"thought_signature": "A"}});
    let signed = |index: u64| json!({"index": index, "id": "b", "type": "function", "function": function, "extra_content": extra});
    let other = |kind: &str| json!({"index": 0, "id": "a", "type": kind, "function": function});
    for entries in [
        json!([signed(0)]),
        json!([signed(1)]),
        json!([signed(0), other("function")]),
        json!([other("function"), signed(0)]),
        json!([other("function"), signed(1)]),
        json!([other("web_search_call"), signed(1)]),
    ] {
        let with_end =
            json!({"choices": [{"index": 0, "delta": {"tool_calls": entries}, "finish_reason": "tool_calls"}]});
        for events in [vec![chat::entries(&entries), chat::end("tool_calls")], vec![with_end.to_string()]] {
            let events: Vec<_> = events.iter().map(String::as_str).collect();
            let message: Value =
                serde_json::from_str(&message(stream(Provider::OpenaiChat), &events).unwrap()).unwrap();
            for call in message["tool_calls"].as_array().unwrap() {
                let wanted = if call["id"] == "b" { &extra } else { &Value::Null };
                assert_eq!(&call["extra_content"], wanted, "{entries}");
            }
        }
    }
}

/// A chat's calls: each with its own extra, the provider's left out, and none at all where one of them was cut.
#[test]
fn calls_of_chat_go_back_if_all_are_whole() {
    let call = |index: u64, kind: &str, arguments: &str, signature: Option<&str>| {
        let function = json!({"name": "f", "arguments": arguments});
        let mut entry = json!({"index": index, "id": format!("c{index}"), "type": kind, "function": function});
        if let Some(signature) = signature {
            entry["extra_content"] = json!({"google": {"thought_signature": signature}});
        }
        entry
    };
    let of = |entries: [Value; 2], reason: &str| {
        let events = [chat::entries(&json!(entries)), chat::end(reason)];
        let message = message(stream(Provider::OpenaiChat), &events.each_ref().map(String::as_str))?;
        Some(serde_json::from_str::<Value>(&message).unwrap()["tool_calls"].clone())
    };
    let (client_s, provider_s) = ("function", "web_search_call");
    for signatures in [[Some("A"), Some("B")], [None, Some("B")], [Some("A"), None]] {
        let calls = [call(0, client_s, "{}", signatures[0]), call(1, client_s, "{\"a\":1}", signatures[1])];
        let mut wanted = json!(calls);
        wanted.as_array_mut().unwrap().iter_mut().for_each(|call| drop(call.as_object_mut().unwrap().remove("index")));
        assert_eq!(of(calls, "tool_calls"), Some(wanted), "{signatures:?}");
    }
    let ids = |calls: Option<Value>| {
        calls.map(|calls| calls.as_array().unwrap().iter().map(|call| call["id"].clone()).collect())
    };
    let first = || call(0, client_s, "{}", None);
    for (second, reason, wanted) in [
        (call(1, client_s, "{", None), "length", None),
        (call(1, provider_s, "{}", None), "tool_calls", Some(json!(["c0"]))),
        (call(1, provider_s, "}", None), "tool_calls", None),
        (call(1, client_s, "[1]", None), "tool_calls", None),
        (call(1, client_s, "{} {}", None), "tool_calls", None),
        (call(1, provider_s, "{", None), "length", None),
    ] {
        assert_eq!(ids(of([first(), second.clone()], reason)), wanted, "{second}");
    }
}

/// Items go back by their places, in whatever order they are done; those that no event told, as the response has them.
#[test]
fn items_go_back_in_the_order_of_the_output() {
    let item = |id: u64| json!({"type": "message", "id": format!("m{id}")});
    let done = |place: u64| json!({"type": "response.output_item.done", "output_index": place, "item": item(place)});
    let end = |status: &str| {
        let response = json!({"output": [item(7), item(8)]});
        json!({"type": format!("response.{status}"), "response": response})
    };
    let of = |events: &[Value]| {
        let events: Vec<String> = events.iter().map(Value::to_string).collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        message(stream(Provider::OpenaiResponses), &events)
            .map(|message| serde_json::from_str::<Value>(&message).unwrap())
    };
    for (events, items) in [
        (&[done(1), done(0), end("completed")][..], Some(json!([item(0), item(1)]))),
        (&[done(0), done(0), done(2), end("incomplete")], Some(json!([item(0), item(2)]))),
        (&[end("completed")], Some(json!([item(7), item(8)]))),
        (&[end("incomplete")], Some(json!([item(7), item(8)]))),
        (&[end("failed")], None),
    ] {
        assert_eq!(of(events), items, "{events:?}");
    }
    // There may be any number of them, but of so many, one that belongs in between is not put there.
    let many: Vec<Value> = (1..=4097).map(done).collect();
    assert_eq!(of(&many).unwrap().as_array().unwrap().len(), 4097);
    assert_eq!(of(&[&many[..], &[done(0)]].concat()), None);
}

/// What servers refuse for ever is not in a message: empty text, reasoning without a signature that would have to have one,
/// and calls that are not whole, without which the rest goes back.
#[test]
fn what_servers_refuse_does_not_go_back() {
    let block = |index: u64, block: Value| {
        json!({"type": "content_block_start", "index": index, "content_block": block}).to_string()
    };
    let of = |events: &[String]| {
        let mut stream = stream(Provider::Anthropic).with_message();
        events.iter().for_each(|event| stream.push_with(event, |_| {}));
        [stream.message(), stream.message_without_calls()]
            .map(|message| message.map(|message| serde_json::from_str::<Value>(&message).unwrap()["content"].clone()))
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let signed = |signature: &str| json!({"type": "thinking", "thinking": "t", "signature": signature});
    let call = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    let end = || anthropic::end("tool_use");
    let whole = json!([text("x")]);
    let [message, _] = of(&[block(0, text("")), block(1, signed("")), block(2, text("x")), end()]);
    assert_eq!(message, Some(whole.clone()));
    let [message, _] = of(&[block(0, text("")), end()]);
    assert_eq!(message, None);
    let [message, _] = of(&[block(0, signed("s")), block(1, text("x")), end()]);
    assert_eq!(message, Some(json!([signed("s"), text("x")])));
    // A start that is repeated empties nothing.
    let start = || anthropic::start(1, "a", "f");
    let [message, without] =
        of(&[block(0, text("x")), start(), anthropic::delta(1, r#"{"a":1}"#), start(), anthropic::stop(1), end()]);
    let mut with_input = call;
    with_input["input"] = json!({"a": 1});
    assert_eq!(message, Some(json!([text("x"), with_input])));
    assert_eq!(without, Some(whole.clone()));
    for input in ["{\"a\":", "[1]", "{} {}", "}"] {
        let [message, without] =
            of(&[block(0, text("x")), start(), anthropic::delta(1, input), anthropic::stop(1), end()]);
        assert_eq!((message, without), (None, Some(whole.clone())), "{input}");
    }
}

/// Whatever a provider's format is: no empty block, no empty signature, nothing that says nothing.
#[test]
fn empty_parts_are_left_out_on_all_wires() {
    let of = |provider: Provider, events: &[Value]| {
        let events: Vec<String> = events.iter().map(Value::to_string).collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        message(stream(provider), &events).map(|message| serde_json::from_str::<Value>(&message).unwrap())
    };
    let done =
        |index: u64, item: Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let words = |text: &str| json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]});
    let end = json!({"type": "response.completed", "response": {}});
    let image = json!({"type": "image_generation_call", "id": "i", "result": "iVBO"});
    assert_eq!(
        of(Provider::OpenaiResponses, &[done(0, image.clone()), done(1, words("")), end.clone()]),
        Some(json!([image]))
    );
    assert_eq!(of(Provider::OpenaiResponses, &[done(0, words("")), end]), None);

    let step = |index: u64, step: Value| json!({"event_type": "step.start", "index": index, "step": step});
    let search =
        |signature: Value| json!({"type": "google_search_call", "id": "g", "arguments": {}, "signature": signature});
    let end = json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}});
    let sent = of(Provider::Gemini, &[step(0, search(json!(""))), step(1, json!({"type": "model_output"})), end]);
    let unsigned = json!({"type": "google_search_call", "id": "g", "arguments": {}});
    assert_eq!(sent, Some(json!([unsigned, {"type": "model_output"}])));

    let parts = |parts: Value| json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let sent = of(Provider::Gemini, &[parts(json!([{"functionCall": null}, {"executableCode": ""}, {"text": "x"}]))]);
    assert_eq!(sent, Some(json!({"role": "model", "parts": [{"text": "x"}]})));
    // An empty text keeps the signature that counts for it.
    let signed = json!([{"text": "", "thoughtSignature": "s"}]);
    assert_eq!(of(Provider::Gemini, &[parts(signed.clone())]), Some(json!({"role": "model", "parts": signed})));
    // What came of a call stays beside it, be it empty.
    let block =
        |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let call = json!({"type": "mcp_tool_use", "id": "a", "name": "f", "input": {}});
    let result = json!({"type": "mcp_tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": ""}]});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    let empty = json!({"type": "mcp_tool_result", "tool_use_id": "a", "content": []});
    let sent = of(Provider::Anthropic, &[block(0, call.clone()), block(1, result), end]);
    assert_eq!(sent.unwrap()["content"], json!([call, empty]));
}

/// A call without arguments goes back with an object, and each of two calls with its own input, also where they share an id
/// in a format that needs none.
#[test]
fn the_input_that_goes_back_is_the_one_that_was_reported() {
    let of = |provider: Provider, events: &[Value]| {
        let events: Vec<String> = events.iter().map(Value::to_string).collect();
        let mut stream = stream(provider).with_message();
        events.iter().for_each(|event| stream.push_with(event, |_| {}));
        // The end of a call without arguments may only be known now.
        stream.finish_with(|_| {});
        serde_json::from_str::<Value>(&stream.message().unwrap()).unwrap()
    };
    for arguments in [json!(""), json!(null)] {
        let item = json!({"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": arguments});
        let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
        let end = json!({"type": "response.completed", "response": {}});
        assert_eq!(of(Provider::OpenaiResponses, &[done, end])[0]["arguments"], "{}", "{arguments}");
    }
    let ollama = |calls: Value| json!({"message": {"tool_calls": calls}, "done": true, "done_reason": "stop"});
    let call = |arguments: Value| json!({"id": "a", "function": {"name": "f", "arguments": arguments}});
    for (first, wanted) in [(json!({"x": 1}), json!({"x": 1})), (json!(null), json!({})), (json!(""), json!({}))] {
        let sent = of(Provider::Ollama, &[ollama(json!([call(first), call(json!({"x": 2}))]))]);
        let inputs: Vec<_> = [0, 1].map(|at| sent["tool_calls"][at]["function"]["arguments"].clone()).to_vec();
        assert!(inputs[0] == wanted || wanted == json!({}) && inputs[0] == "{}", "{inputs:?}");
        assert_eq!(inputs[1], json!({"x": 2}));
    }
    let gemini =
        json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}, "finishReason": "STOP"}]});
    assert_eq!(of(Provider::Gemini, &[gemini])["parts"][0]["functionCall"], json!({"name": "f", "args": {}}));
    let start = |index: u64, name: &str| json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": name, "name": name, "input": {}}});
    let delta = |index: u64, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
    let events = [start(0, "f"), delta(0, "{\"x\":1}"), stop(0), start(1, "g"), delta(1, "{\"x\":2}"), stop(1), end];
    let sent = of(Provider::Anthropic, &events);
    assert_eq!([&sent["content"][0]["input"], &sent["content"][1]["input"]], [&json!({"x": 1}), &json!({"x": 2})]);
    // A block that has said nothing is none.
    let events = [
        json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": ""}}}),
        json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "x"}}}),
        json!({"messageStop": {"stopReason": "end_turn"}}),
    ];
    assert_eq!(of(Provider::Bedrock, &events)["content"], json!([{"text": "x"}]));
}

/// A message's calls are those that were reported, by name, id and input, wherever they come from on the wire.
#[test]
fn calls_that_were_not_reported_so_do_not_go_back() {
    let of = |provider: Provider, events: &[Value]| {
        let events: Vec<String> = events.iter().map(Value::to_string).collect();
        message(stream(provider), &events.iter().map(String::as_str).collect::<Vec<_>>())
    };
    // The last event of Cohere's older version has calls of its own.
    let calls = |city: &str| json!([{"name": "f", "parameters": {"city": city}}]);
    let generation = |city: &str| json!({"event_type": "tool-calls-generation", "tool_calls": calls(city)});
    let end = |city: &str| json!({"event_type": "stream-end", "finish_reason": "COMPLETE", "response": {"text": "x", "tool_calls": calls(city)}});
    let start = json!({"event_type": "stream-start", "generation_id": "g"});
    assert!(of(Provider::Cohere, &[start.clone(), generation("Bern"), end("Bern")]).is_some());
    // If they are others, nobody knows which ones were meant.
    assert_eq!(of(Provider::Cohere, &[start, generation("Bern"), end("Basel")]), None);
    // An item that is done says another name than the one that was reported.
    let item =
        |name: &str| json!({"type": "function_call", "call_id": "c", "id": "f", "name": name, "arguments": "{}"});
    let added = |name: &str| json!({"type": "response.output_item.added", "output_index": 0, "item": item(name)});
    let done = |name: &str| json!({"type": "response.output_item.done", "output_index": 0, "item": item(name)});
    let end = json!({"type": "response.completed", "response": {}});
    assert!(of(Provider::OpenaiResponses, &[added("f"), done("f"), end.clone()]).is_some());
    assert_eq!(of(Provider::OpenaiResponses, &[added("f"), done("g"), end.clone()]), None);
    // A call that is known to be whole, whose item was cut off.
    let sealed = json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{}"});
    assert_eq!(of(Provider::OpenaiResponses, &[added("f"), sealed, end.clone()]), None);
    // What is late is no message of its own.
    let whole =
        json!({"type": "response.completed", "response": {"output": [item("f"), {"type": "message", "id": "m"}]}});
    let sent = of(Provider::OpenaiResponses, std::slice::from_ref(&whole));
    assert!(sent.is_some());
    assert_eq!(of(Provider::OpenaiResponses, &[whole, done("f")]), sent);
    // Ollama's calls, one of which says nothing.
    let ollama = |calls: Value| json!({"message": {"tool_calls": calls}, "done": true, "done_reason": "stop"});
    let call = json!({"function": {"name": "f", "arguments": {}}});
    let sent = of(Provider::Ollama, &[ollama(json!([call]))]);
    assert!(sent.is_some());
    assert_eq!(of(Provider::Ollama, &[ollama(json!([call, {"function": null}]))]), sent);
    assert_eq!(of(Provider::Ollama, &[ollama(json!([call, {"id": "x"}]))]), None);
}

/// Indices may be strings, here as for what is reported; a part without one follows the last.
#[test]
fn parts_stand_where_their_index_says() {
    let block = |index: Value, text: &str| {
        json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": text}})
            .to_string()
    };
    let delta = |index: Value, text: &str| {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}})
            .to_string()
    };
    let end = anthropic::end("end_turn");
    for indices in [[json!("0"), json!("1")], [json!(0), json!("1")], [json!(null), json!(null)]] {
        let [first, second] = indices.clone();
        let events =
            [block(first.clone(), "a"), delta(first, "b"), block(second.clone(), "c"), delta(second, "d"), end.clone()];
        let message = message(stream(Provider::Anthropic), &events.each_ref().map(String::as_str)).unwrap();
        let content = &serde_json::from_str::<Value>(&message).unwrap()["content"];
        assert_eq!(*content, json!([{"type": "text", "text": "ab"}, {"type": "text", "text": "cd"}]), "{indices:?}");
    }
    // Only the first answer goes back.
    let chunk =
        |index: &str, text: &str| json!({"choices": [{"index": index, "delta": {"content": text}}]}).to_string();
    let end = json!({"choices": [{"index": "0", "finish_reason": "stop"}, {"index": "1", "finish_reason": "stop"}]});
    let events = [chunk("0", "a"), chunk("1", "b"), end.to_string()];
    let message = message(stream(Provider::OpenaiChat), &events.each_ref().map(String::as_str));
    assert_eq!(message.as_deref(), Some(r#"{"role":"assistant","content":"a"}"#));
}
