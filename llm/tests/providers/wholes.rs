//! What a wire repeats as a whole: it says nothing, it says the rest, or it contradicts; a call's input also once the call
//! has ended. Each on every wire that repeats.

use jsonspigot::PatternSet;
use jsonspigot_llm::{Provider, ProviderStream, SAVE_LIMIT, ToolCalls, UnfinishedKind};
use serde_json::{Value, json};

use super::wires;

/// What is reported of a stream, restored after each event, and its verdict.
pub(super) fn read(provider: Provider, events: &[Value]) -> (Vec<Value>, Result<(), UnfinishedKind>) {
    let calls = || ToolCalls::new(&PatternSet::default());
    let new = || ProviderStream::new(provider, calls()).with_message().saveable(SAVE_LIMIT);
    let (mut stream, mut reported) = (new(), Vec::new());
    for event in events {
        let text = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        reported.extend(stream.push(&text).map(|event| serde_json::to_value(event).unwrap()));
        stream = new().restore(&stream.save().unwrap()).unwrap();
    }
    reported.extend(stream.finish().map(|event| serde_json::to_value(event).unwrap()));
    (reported, stream.verdict().map_err(|unfinished| unfinished.kind()))
}

/// The pieces of what is said, joined.
pub(super) fn said(reported: &[Value], kind: &str) -> String {
    reported.iter().filter(|event| event["event"] == kind).map(|event| event["text"].as_str().unwrap()).collect()
}

pub(super) fn of<'v>(reported: &'v [Value], kind: &str) -> Vec<&'v Value> {
    reported.iter().filter(|event| event["event"] == kind).collect()
}

/// The wires that repeat what is said, with the pieces first and then this whole: text, reasoning or a refusal.
fn said_twice(kind: &str, pieces: [&str; 2], whole: &str) -> Vec<(Provider, Vec<Value>)> {
    let mut streams = Vec::new();
    let chat = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let name = match kind {
        "text" => "content",
        "reasoning" => "reasoning_content",
        _ => "refusal",
    };
    // A last chunk with all of the message, in place of a delta or beside an empty one.
    for last in [json!({"message": {name: whole}}), json!({"delta": {"content": ""}, "message": {name: whole}})] {
        let mut choice = last;
        choice["finish_reason"] = json!("stop");
        let events = vec![chat(json!({name: pieces[0]})), chat(json!({name: pieces[1]})), json!({"choices": [choice]})];
        streams.push((Provider::OpenaiChat, events));
    }
    let responses = |event: &str, member: &str, text: &str| json!({"type": format!("response.{event}"), "output_index": 0, "content_index": 0, "item_id": "i", member: text});
    let (event, member, item) = match kind {
        "text" => {
            ("output_text", "text", json!({"type": "message", "content": [{"type": "output_text", "text": whole}]}))
        }
        "reasoning" => (
            "reasoning_summary_text",
            "text",
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": whole}]}),
        ),
        _ => ("refusal", "refusal", json!({"type": "message", "content": [{"type": "refusal", "refusal": whole}]})),
    };
    let deltas = || pieces.map(|piece| responses(&format!("{event}.delta"), "delta", piece));
    let end = |output: Value| json!({"type": "response.completed", "response": {"output": output}});
    for wholes in [
        vec![responses(&format!("{event}.done"), member, whole), end(json!([]))],
        vec![json!({"type": "response.output_item.done", "output_index": 0, "item": item}), end(json!([]))],
        vec![end(json!([item]))],
    ] {
        streams.push((Provider::OpenaiResponses, deltas().into_iter().chain(wholes).collect()));
    }
    let live = |event: &str, member: &str, text: &str| {
        let mut event = responses(event, member, text);
        (event["event_id"], event["response_id"]) = (json!("e"), json!("r"));
        event
    };
    if kind != "refusal" {
        let delta = |text: &str| {
            let delta = match kind {
                "text" => json!({"type": "text", "text": text}),
                _ => json!({"type": "thought_summary", "content": {"type": "text", "text": text}}),
            };
            json!({"event_type": "step.delta", "index": 0, "delta": delta})
        };
        let (step, member) = if kind == "text" { ("model_output", "content") } else { ("thought", "summary") };
        let steps = json!([{"type": step, member: [{"type": "text", "text": whole}]}]);
        let end = json!({"event_type": "interaction.completed", "interaction": {"id": "i", "status": "completed", "steps": steps}});
        streams.push((Provider::Gemini, vec![delta(pieces[0]), delta(pieces[1]), end]));
    }
    if kind == "text" {
        for (delta, done, member) in [
            ("output_text.delta", "output_text.done", "text"),
            ("output_audio_transcript.delta", "output_audio_transcript.done", "transcript"),
        ] {
            streams.push((
                Provider::OpenaiResponses,
                vec![
                    live(delta, "delta", pieces[0]),
                    live(delta, "delta", pieces[1]),
                    live(done, member, whole),
                    json!({"type": "response.done", "event_id": "e", "response": {"id": "r", "status": "completed"}}),
                ],
            ));
        }
        let older = |text: &str| json!({"event_type": "text-generation", "text": text});
        streams.push((
            Provider::Cohere,
            vec![
                older(pieces[0]),
                older(pieces[1]),
                json!({"event_type": "stream-end", "finish_reason": "COMPLETE", "response": {"text": whole}}),
            ],
        ));
    }
    streams
}

#[test]
fn what_is_said_twice() {
    for (kind, wires) in [("text", 9), ("reasoning", 6), ("refusal", 5)] {
        let streams = said_twice(kind, ["The answer", " is 4"], "The answer is 4");
        assert_eq!(streams.len(), wires);
        for (provider, events) in streams {
            let (reported, verdict) = read(provider, &events);
            assert_eq!((said(&reported, kind).as_str(), verdict), ("The answer is 4", Ok(())), "{reported:?}");
        }
        for (provider, events) in said_twice(kind, ["The answer", " is 4"], "The answer is 42.") {
            let (reported, verdict) = read(provider, &events);
            assert_eq!((said(&reported, kind).as_str(), verdict), ("The answer is 42.", Ok(())), "{reported:?}");
        }
        for (provider, events) in said_twice(kind, ["The answer", " is 4"], "No.") {
            let (reported, verdict) = read(provider, &events);
            assert_eq!(said(&reported, kind), "The answer is 4", "{reported:?}");
            let mismatches = of(&reported, "mismatch");
            assert_eq!(mismatches.len(), 1, "{reported:?}");
            assert_eq!((&mismatches[0]["kind"], &mismatches[0]["text"]), (&json!(kind), &json!("No.")));
            assert_eq!(verdict, Err(UnfinishedKind::Mismatch));
        }
    }
}

/// Responses and Realtime with a part that has begun with a text when it is added, goes on, and is repeated as a whole.
fn said_as_added(is_live: bool, added: &[Value], event: &str, whole: &Value) -> Vec<Value> {
    let live = |mut event: Value| {
        if is_live {
            (event["event_id"], event["response_id"]) = (json!("e"), json!("r"));
        }
        event
    };
    let at = |kind: String| json!({"type": kind, "output_index": 0, "content_index": 0, "item_id": "i"});
    let mut delta = at(format!("response.{event}.delta"));
    delta["delta"] = json!("world");
    let mut events = added.to_vec();
    for member in ["text", "refusal"].into_iter().filter(|member| !whole[member].is_null()) {
        let mut done = at(format!("response.{event}.done"));
        done[member] = whole[member].clone();
        events.extend([delta.clone(), done]);
    }
    let list = if event.contains("summary") { "summary" } else { "content" };
    let kind = if event.contains("reasoning") { "reasoning" } else { "message" };
    let item = json!({"type": kind, "id": "i", list: [whole]});
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(match is_live {
        true => json!({"type": "response.done", "response": {"id": "r", "status": "completed", "output": [item]}}),
        false => json!({"type": "response.completed", "response": {"output": [item]}}),
    });
    events.into_iter().map(live).collect()
}

#[test]
fn what_is_added_with_a_text_goes_on() {
    for (kind, event, part, member, is_lives) in [
        ("text", "output_text", "output_text", "text", &[false, true][..]),
        ("refusal", "refusal", "refusal", "refusal", &[false]),
        ("reasoning", "reasoning_text", "reasoning_text", "text", &[false]),
        ("reasoning", "reasoning_summary_text", "summary_text", "text", &[false]),
    ] {
        let is_summary = event.contains("summary");
        let family = if is_summary { "reasoning_summary_part" } else { "content_part" };
        let begun = |text: &str| json!({"type": part, member: text});
        let part_added = |text: &str| json!({"type": format!("response.{family}.added"), "output_index": 0, "content_index": 0, "item_id": "i", "part": begun(text)});
        let item_added = |text: &str| {
            let item = if kind == "reasoning" { "reasoning" } else { "message" };
            let list = if is_summary { "summary" } else { "content" };
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": item, "id": "i", list: [begun(text)]}})
        };
        for is_live in is_lives {
            for added in [
                vec![part_added("hello ")],
                vec![item_added("hello ")],
                vec![item_added("hello "), part_added("hello ")],
                vec![item_added("hel"), part_added("hello ")],
                vec![item_added(""), part_added("hello ")],
            ] {
                let events = said_as_added(*is_live, &added, event, &begun("hello world"));
                let (reported, verdict) = read(Provider::OpenaiResponses, &events);
                assert_eq!((said(&reported, kind).as_str(), verdict), ("hello world", Ok(())), "{reported:?}");
                let blocks = of(&reported, "block-start").len();
                assert_eq!(blocks, usize::from(kind != "refusal"), "{reported:?}");
                let events = said_as_added(*is_live, &added, event, &begun("hello there"));
                let (reported, verdict) = read(Provider::OpenaiResponses, &events);
                assert_eq!((of(&reported, "mismatch").len(), verdict), (1, Err(UnfinishedKind::Mismatch)));
            }
            // What another part of the item has said is news here.
            let mut second = part_added("hello ");
            second["content_index"] = json!(1);
            let events = said_as_added(*is_live, &[part_added("hello "), second], event, &json!({}));
            let (reported, _) = read(Provider::OpenaiResponses, &events);
            assert_eq!(said(&reported, kind), "hello hello ", "{reported:?}");
        }
    }
    for is_live in [false, true] {
        let part = json!({"type": "hologram", "a": 1});
        let added = json!({"type": "response.content_part.added", "output_index": 0, "content_index": 0, "item_id": "i", "part": part});
        let (reported, _) = read(Provider::OpenaiResponses, &said_as_added(is_live, &[added], "output_text", &part));
        let unknown = of(&reported, "unknown-part");
        assert_eq!(unknown.len(), 1, "{reported:?}");
        assert_eq!((&unknown[0]["kind"], &unknown[0]["value"]), (&json!("hologram"), &part));
    }
}

/// The wires that repeat a call after its end, with this name and input.
fn call_twice(name: &str, again: &str) -> Vec<(Provider, Vec<Value>)> {
    let whole = r#"{"city":"Bern"}"#;
    let object = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let item = |name: &str, text: &str| json!({"type": "function_call", "id": "i", "call_id": "c", "name": name, "arguments": text});
    let done = |item: Value| json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let available = |name: &str, input: Value| json!({"type": "tool-input-available", "toolCallId": "c", "toolName": name, "input": input});
    let generation = |kind: &str, name: &str, input: Value| {
        let calls = json!([{"name": name, "parameters": input}]);
        json!({"event_type": kind, "tool_calls": calls, "response": {"tool_calls": calls}, "finish_reason": "COMPLETE"})
    };
    let entry = |name: &str, text: &str| json!({"index": 0, "id": "c", "type": "function", "function": {"name": name, "arguments": text}});
    let line = |event: Value| json!({"type": "stream_event", "event": event, "session_id": "s"});
    let step = |event: &str, name: &str, text: &str| {
        json!({"type": format!("item.{event}"), "item":
        {"id": "c", "type": "mcp_tool_call", "server": "s", "tool": name, "arguments": object(text), "status": event}})
    };
    let live = |mut event: Value| {
        (event["event_id"], event["response_id"]) = (json!("e"), json!("r"));
        event
    };
    vec![
        (
            Provider::OpenaiResponses,
            vec![
                done(item("f", whole)),
                json!({"type": "response.completed", "response": {"output": [{"type": "reasoning", "id": "x"}, item(name, again)]}}),
            ],
        ),
        (
            Provider::OpenaiResponses,
            vec![
                done(item("f", whole)),
                done(item(name, again)),
                json!({"type": "response.completed", "response": {}}),
            ],
        ),
        (
            Provider::OpenaiResponses,
            vec![
                live(done(item("f", whole))),
                json!({"type": "response.done", "event_id": "e", "response": {"id": "r", "status": "completed", "output": [item(name, again)]}}),
            ],
        ),
        (
            Provider::VercelUi,
            vec![
                json!({"type": "start"}),
                available("f", object(whole)),
                available(name, object(again)),
                json!({"type": "finish", "finishReason": "tool-calls"}),
            ],
        ),
        (
            Provider::Cohere,
            vec![
                generation("tool-calls-generation", "f", object(whole)),
                generation("stream-end", name, object(again)),
            ],
        ),
        (
            Provider::Gemini,
            vec![
                json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "id": "c", "name": "f"}}),
                json!({"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": whole}}),
                json!({"event_type": "step.stop", "index": 0}),
                json!({"event_type": "interaction.completed", "interaction": {"id": "i", "status": "requires_action", "steps": [
                    {"type": "function_call", "id": "c", "name": name, "arguments": object(again)}]}}),
            ],
        ),
        (
            Provider::OpenaiChat,
            vec![
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [entry("f", whole)]}}]}),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
                json!({"choices": [{"index": 0, "message": {"tool_calls": [entry(name, again)]}, "finish_reason": "tool_calls"}]}),
            ],
        ),
        (
            Provider::ClaudeCode,
            vec![
                line(json!({"type": "message_start", "message": {"id": "m", "content": []}})),
                line(json!({"type": "content_block_start", "index": 0,
                    "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}}})),
                line(json!({"type": "content_block_delta", "index": 0,
                    "delta": {"type": "input_json_delta", "partial_json": whole}})),
                line(json!({"type": "content_block_stop", "index": 0})),
                json!({"type": "assistant", "session_id": "s", "message": {"id": "m", "content": [
                    {"type": "tool_use", "id": "c", "name": name, "input": object(again)}]}}),
                line(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
                line(json!({"type": "message_stop"})),
                json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"}),
            ],
        ),
        (
            Provider::Codex,
            vec![
                json!({"type": "thread.started", "thread_id": "t"}),
                json!({"type": "turn.started"}),
                step("started", "f", whole),
                step("completed", name, again),
                json!({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}),
            ],
        ),
    ]
}

#[test]
fn calls_that_are_repeated_after_their_end() {
    for again in [r#"{"city":"Bern"}"#, r#"{ "city" : "B\u0065rn" }"#] {
        for (provider, events) in call_twice("f", again) {
            let (reported, verdict) = read(provider, &events);
            assert_eq!((of(&reported, "input").len(), verdict), (1, Ok(())), "{provider}: {reported:?}");
            assert_eq!(of(&reported, "call-error").len(), 0, "{provider}");
        }
    }
    // Another name is another call's, or is reported.
    for (provider, events) in call_twice("g", r#"{"city":"Bern"}"#) {
        let (reported, verdict) = read(provider, &events);
        match of(&reported, "input").len() {
            2 => assert_eq!(of(&reported, "call")[1]["name"], "g", "{provider}"),
            _ => {
                assert_eq!(of(&reported, "mismatch")[0]["text"], "g", "{provider}: {reported:?}");
                assert_eq!(verdict, Err(UnfinishedKind::Mismatch), "{provider}");
            }
        }
    }
    for (provider, events) in call_twice("f", r#"{"city":"Basel"}"#) {
        let (reported, verdict) = read(provider, &events);
        assert_eq!(of(&reported, "input")[0]["value"], json!({"city": "Bern"}), "{provider}");
        let mismatches = of(&reported, "mismatch");
        assert_eq!(mismatches.len(), 1, "{provider}: {reported:?}");
        assert_eq!((&mismatches[0]["kind"], &mismatches[0]["call"]), (&json!("arguments"), &json!(0)));
        assert!(mismatches[0]["text"].as_str().unwrap().contains("Basel"));
        assert_eq!(verdict, Err(UnfinishedKind::Mismatch), "{provider}");
    }
}

/// Nothing of a repeated input is another open call's.
#[test]
fn a_repeated_input_is_no_fragment_of_another_call() {
    let event = |kind: &str, id: &str, input: Value| json!({"type": kind, "toolCallId": id, "toolName": "f", "input": input, "inputTextDelta": "{\"a\":"});
    let events = [
        json!({"type": "start"}),
        event("tool-input-start", "two", json!(null)),
        event("tool-input-delta", "two", json!(null)),
        event("tool-input-available", "one", json!({"b": 1})),
        event("tool-input-available", "one", json!({"b": 1})),
        event("tool-input-available", "two", json!({"a": 1})),
        json!({"type": "finish", "finishReason": "tool-calls"}),
    ];
    let (reported, verdict) = read(Provider::VercelUi, &events);
    let values: Vec<_> = of(&reported, "input").into_iter().map(|input| &input["value"]).collect();
    assert_eq!((values, verdict), (vec![&json!({"b": 1}), &json!({"a": 1})], Ok(())));
}

/// A message that comes whole at the end goes back as it says.
#[test]
fn a_chat_message_that_comes_once_more_goes_back_once() {
    let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::default())).with_message();
    for event in [
        json!({"choices": [{"index": 0, "delta": {"content": "Hel", "reasoning_content": "So"}}]}),
        json!({"choices": [{"index": 0, "message": {"content": "Hello", "reasoning_content": "So"}, "finish_reason": "stop"}]}),
    ] {
        stream.push_with(&event.to_string(), |_| {});
    }
    stream.finish_with(|_| {});
    let message: Value = serde_json::from_str(&stream.message().unwrap()).unwrap();
    assert_eq!(message, json!({"role": "assistant", "content": "Hello", "reasoning_content": "So"}));
}

/// `[DONE]` ends an answer: the next one in the same stream may have calls with the same ids and places.
#[test]
fn two_answers_in_one_stream() {
    let call = |text: &str| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": text}}]}, "finish_reason": "tool_calls"}]});
    let events = [call(r#"{"a":1}"#), json!("[DONE]"), call(r#"{"a":2}"#), json!("[DONE]")];
    let (reported, verdict) = read(Provider::OpenaiChat, &events);
    let values: Vec<_> = of(&reported, "input").into_iter().map(|input| &input["value"]).collect();
    assert_eq!((values, verdict), (vec![&json!({"a": 1}), &json!({"a": 2})], Ok(())));
}

/// Another name is another call's, also where the first piece of arguments is not a whole value.
#[test]
fn another_name_in_the_same_place() {
    let entry = |name: &str, text: &str| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"name": name, "arguments": text}}]}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let (reported, verdict) = read(Provider::OpenaiChat, &[entry("f", "{\"a\":"), entry("g", "{\"b\":1}"), end]);
    // More of the first one may follow its end.
    let inputs = of(&reported, "input");
    assert_eq!((&inputs[1]["raw"], &inputs[0]["value"]), (&json!("{\"a\":"), &json!({"b": 1})), "{reported:?}");
    assert_eq!(verdict, Err(UnfinishedKind::Call));
}

/// xAI runs tools under names that the client has not declared, and says so in their ids, or only by its model.
#[test]
fn tools_of_xai() {
    let created = |model: &str| json!({"type": "response.created", "response": {"id": "r", "model": model}});
    let item = |id: &str, name: &str| json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "custom_tool_call", "id": id, "call_id": "c", "name": name, "input": "x"}});
    let end = || json!({"type": "response.completed", "response": {}});
    for (model, id, name, executed) in [
        ("grok-4", "i", "x_keyword_search", "provider"),
        ("grok-4", "i", "my_tool", "client"),
        ("gpt-5", "i", "x_keyword_search", "client"),
        ("gpt-5", "ctc_1_xs_call_2", "x", "provider"),
    ] {
        let (reported, _) = read(Provider::OpenaiResponses, &[created(model), item(id, name), end()]);
        assert_eq!(of(&reported, "call")[0]["executed"], executed, "{model} {id} {name}");
    }
}

/// A chunk without an id continues the last chunk's message, and never one that came in between.
#[test]
fn chunks_of_messages_without_an_id() {
    for kind in ["TEXT", "REASONING"] {
        let event = |end: &str, id: &str, delta: &str| {
            let mut event = json!({"type": format!("{kind}_MESSAGE_{end}"), "delta": delta});
            if !id.is_empty() {
                event["messageId"] = json!(id);
            }
            event
        };
        let events = [
            event("CHUNK", "m1", "a"),
            event("CHUNK", "", "b"),
            event("START", "m2", ""),
            event("CONTENT", "m2", "c"),
            event("CHUNK", "", "d"),
            event("CHUNK", "", "e"),
            event("END", "m2", ""),
            json!({"type": "RUN_FINISHED"}),
        ];
        let (reported, verdict) = read(Provider::AgUi, &events);
        let blocks: Vec<_> = of(&reported, if kind == "TEXT" { "text" } else { "reasoning" })
            .into_iter()
            .map(|piece| (piece["block"].as_u64().unwrap(), piece["text"].as_str().unwrap()))
            .collect();
        assert_eq!(blocks, [(0, "a"), (0, "b"), (1, "c"), (2, "d"), (2, "e")], "{kind}");
        assert_eq!(verdict, Ok(()));
    }
}

/// A call that starts once more: if its input is then another one, nobody can say which is right.
#[test]
fn a_call_that_is_said_once_more() {
    let block = |input: Value| {
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": input}})
    };
    let piece = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stop = json!({"type": "content_block_stop", "index": 0});
    let run = |kind: &str, delta: &str| json!({"type": kind, "toolCallId": "c", "toolCallName": "f", "delta": delta});
    let message = |inside: [&[Value]; 2]| {
        let start = json!({"type": "message_start", "message": {"content": []}});
        let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
        (Provider::Anthropic, [&[start], &inside.concat()[..], &[end]].concat())
    };
    let anew = |inside: [&[Value]; 2]| {
        let (start, end) = (json!({"type": "RUN_STARTED", "runId": "r"}), json!({"type": "RUN_FINISHED"}));
        (Provider::AgUi, [&[start], &inside.concat()[..], &[end]].concat())
    };
    let wires = [Provider::Bedrock, Provider::Cohere];
    for again in [1, 2] {
        let text = format!(r#"{{"a": {again}}}"#);
        let chunk = |name: &str, text: &str| json!({"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": name, "delta": text});
        let whole_message = |provider: Provider, text: &str| {
            let mut events = wires::call(provider, text).unwrap();
            events.retain(|event| event["type"] != "message-start");
            events
        };
        let (head, tail) = text.split_at(4);
        let value = || json!({"a": again});
        let whole = [block(json!({"a": 1})), stop.clone()];
        let pieces = [block(json!({})), piece(r#"{"a":1}"#), stop.clone()];
        let (start, end) = (run("TOOL_CALL_START", ""), run("TOOL_CALL_END", ""));
        let args = |text: &str| run("TOOL_CALL_ARGS", text);
        let result = json!({"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": "x"});
        let called = [start.clone(), args(r#"{"a":1}"#), end.clone(), result];
        for (provider, events) in [
            message([&whole, &[block(value()), stop.clone()]]),
            message([&whole, &[block(value())]]),
            message([&whole[..1], &[block(value()), stop.clone()]]),
            message([&pieces, &[block(json!({})), piece(head), piece(tail), stop.clone()]]),
            message([&pieces, &[block(json!({})), piece(head), piece(tail)]]),
            message([&whole, &[block(json!({})), piece(head), piece(tail), stop.clone()]]),
            anew([&called, &[start.clone(), args(head), args(tail), end.clone()]]),
            anew([&called, &[start.clone(), args(head), args(tail)]]),
            anew([&called, &[chunk("f", head), chunk("f", tail)]]),
            anew([&called, &[chunk("f", head), chunk("", tail)]]),
        ]
        .into_iter()
        // After the block's end, and after the message's.
        .chain(wires.map(|provider| {
            let (once, again) = (whole_message(provider, r#"{"a": 1}"#), whole_message(provider, &text));
            (provider, [&once[..once.len() - 1], &again[..]].concat())
        }))
        .chain(wires.map(|provider| {
            (provider, [whole_message(provider, r#"{"a": 1}"#), whole_message(provider, &text)].concat())
        }))
        .chain([(
            Provider::AgUi,
            vec![
                chunk("f", r#"{"a":1}"#),
                json!({"type": "RUN_FINISHED"}),
                chunk("f", &text),
                json!({"type": "RUN_FINISHED"}),
            ],
        )]) {
            let (reported, verdict) = read(provider, &events);
            let mismatches: Vec<_> = of(&reported, "mismatch").iter().map(|event| event["text"].clone()).collect();
            assert_eq!((of(&reported, "call").len(), of(&reported, "input").len()), (1, 1), "{provider}");
            if again == 1 {
                assert_eq!((mismatches, verdict), (vec![], Ok(())), "{provider}: {reported:?}");
            } else {
                assert_eq!(verdict, Err(UnfinishedKind::Mismatch), "{provider}: {reported:?}");
                let told = mismatches[0].as_str().unwrap().replace(' ', "");
                assert_eq!((mismatches.len(), told.as_str()), (1, r#"{"a":2}"#), "{provider}");
            }
        }
    }
}

/// Two members of one delta, or two kinds of events of one item, say the same: equal, more, or something else.
#[test]
fn what_is_said_in_two_ways() {
    let chat = |delta: Value| {
        vec![
            json!({"choices": [{"index": 0, "delta": delta}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        ]
    };
    let (text, thinking) =
        (|text: &str| json!([{"text": text}]), |text: &str| json!([{"type": "thinking", "thinking": text}]));
    for (delta, expected, mismatch) in [
        (json!({"reasoning_content": "First", "reasoning": "First"}), "First", None),
        (json!({"reasoning_content": "Fir", "reasoning": "First"}), "First", None),
        (json!({"reasoning_content": "First", "reasoning": "Fir"}), "First", None),
        (json!({"reasoning_content": "First", "reasoning": "Second"}), "First", Some("Second")),
        (json!({"reasoning": "First", "reasoning_details": text("First")}), "First", None),
        (json!({"reasoning": "First", "reasoning_details": text("Second")}), "First", Some("Second")),
        (json!({"reasoning_content": "First", "thinking_blocks": thinking("Second")}), "First", Some("Second")),
        (json!({"thinking_blocks": thinking("First")}), "First", None),
    ] {
        let (reported, verdict) = read(Provider::OpenaiChat, &chat(delta.clone()));
        let mismatches: Vec<_> =
            of(&reported, "mismatch").iter().map(|event| event["text"].as_str().unwrap()).collect();
        assert_eq!(
            (said(&reported, "reasoning").as_str(), mismatches.first()),
            (expected, mismatch.as_ref()),
            "{delta}"
        );
        assert_eq!(verdict.is_ok(), mismatch.is_none(), "{delta}");
    }
    let piece = |kind: &str, text: &str| json!({"type": format!("response.{kind}.delta"), "output_index": 0, "item_id": "i", "delta": text});
    let item = |event: &str, arguments: &str| {
        json!({"type": format!("response.output_item.{event}"), "output_index": 0,
            "item": {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": arguments}})
    };
    for (otherwise, is_same) in [([r#"{"a":"#, "1}"], true), ([r#"{"a": "#, "1}"], true), ([r#"{"a":"#, "2}"], false)] {
        for arguments in ["", r#"{"a":1}"#] {
            let events = [
                json!({"type": "response.created", "response": {"id": "r"}}),
                item("added", ""),
                piece("function_call_arguments", r#"{"a":"#),
                piece("custom_tool_call_input", otherwise[0]),
                piece("function_call_arguments", "1}"),
                piece("custom_tool_call_input", otherwise[1]),
                item("done", arguments),
                json!({"type": "response.completed", "response": {"id": "r"}}),
            ];
            let (reported, verdict) = read(Provider::OpenaiResponses, &events);
            assert_eq!(
                (of(&reported, "mismatch").len(), verdict.is_ok()),
                (usize::from(!is_same), is_same),
                "{otherwise:?}"
            );
        }
    }
}

/// A call's start and its deltas, or its start and its end, on each wire that can have both.
#[test]
fn a_start_that_says_more_than_the_start() {
    use Provider::{Anthropic, Bedrock, Cohere, Gemini, OpenaiResponses, VercelUi};
    let whole = r#"{"a": 1}"#;
    type Give = fn(&mut Value, Value);
    let starts: [(Provider, &str, Give); 4] = [
        (Anthropic, "content_block_start", |event, input| event["content_block"]["input"] = input),
        (Bedrock, "contentBlockStart", |event, input| event["contentBlockStart"]["start"]["toolUse"]["input"] = input),
        (Cohere, "tool-call-start", |event, input| {
            event["delta"]["message"]["tool_calls"]["function"]["arguments"] = json!(input.to_string());
        }),
        (OpenaiResponses, "response.output_item.added", |event, input| {
            event["item"]["arguments"] = json!(input.to_string());
        }),
    ];
    let partial = |args: Value| {
        let call = json!({"name": "f", "args": args, "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]});
        vec![json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}, "finishReason": "STOP"}]})]
    };
    for (input, is_same) in
        [(json!({"a": 1}), true), (json!({}), true), (json!({"a": 2}), false), (json!({"a": 1, "b": 1}), false)]
    {
        let mut streams = vec![(Gemini, partial(input.clone()))];
        for (provider, kind, start) in &starts {
            let mut events = wires::call(*provider, whole).unwrap();
            let event = events.iter_mut().find(|event| event["type"] == *kind || event.get(kind).is_some()).unwrap();
            start(event, input.clone());
            streams.push((*provider, events));
        }
        for (provider, events) in streams {
            let (reported, verdict) = read(provider, &events);
            let mismatches = of(&reported, "mismatch").len();
            assert_eq!(
                (mismatches, verdict.is_ok()),
                (usize::from(!is_same), is_same),
                "{provider} {input}: {reported:?}"
            );
            assert_eq!(of(&reported, "input")[0].get("value").is_some(), is_same, "{provider}");
        }
    }
    // Another name than at the start.
    for (provider, pointer) in [(OpenaiResponses, "/item/name"), (VercelUi, "/toolName")] {
        let mut events = wires::call(provider, whole).unwrap();
        if provider == VercelUi {
            events.insert(
                4,
                json!({"type": "tool-input-available", "toolCallId": "t", "toolName": "f", "input": {"a": 1}}),
            );
        }
        assert_eq!(read(provider, &events).1, Ok(()), "{provider}");
        let last = events.iter_mut().rev().find_map(|event| event.pointer_mut(pointer)).unwrap();
        *last = json!("another");
        let (reported, verdict) = read(provider, &events);
        assert_eq!(of(&reported, "mismatch")[0]["text"], "another", "{provider}");
        assert_eq!(verdict, Err(UnfinishedKind::Mismatch), "{provider}");
    }
    // Whole numbers are exact.
    for (number, is_same) in [("9007199254740993", true), ("9007199254740992", false), ("9.007199254740993e15", true)] {
        let text = format!(r#"{{"a":{number}}}"#);
        let mut events = wires::call(OpenaiResponses, r#"{"a": 9007199254740993}"#).unwrap();
        events[4]["arguments"] = json!(text);
        assert_eq!(of(&read(OpenaiResponses, &events).0, "mismatch").len(), usize::from(!is_same), "{number}");
    }
}
