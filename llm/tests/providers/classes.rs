//! The promises of a stream that hold on every wire format, each tried on each of them: when a stream is whole, what a call
//! with several values comes to, and which messages go back.

use std::collections::BTreeSet;

use jsonspigot::PatternSet;
use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, ToolCalls, UnfinishedKind};
use serde_json::{Value, json};

use super::wires;

/// The statuses of the calls, with their values or several of them; and the stream at its end.
fn read(provider: Provider, events: &[Value]) -> (Vec<String>, ProviderStream) {
    let mut stream = ProviderStream::new(provider, ToolCalls::new(&PatternSet::default())).with_message();
    let mut calls = Vec::new();
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Call(CallEvent::End { input, .. }) => {
            let values = if input.values().is_empty() { String::new() } else { format!(" {:?}", input.values()) };
            calls.push(format!("{}{values} {}", input.status().name(), input.is_repeated()));
        }
        StreamEvent::BadFrame { .. } | StreamEvent::UnknownPart { .. } | StreamEvent::Unknown { .. } => {
            panic!("{event:?}")
        }
        _ => {}
    };
    events.iter().for_each(|event| stream.push_with(&event.to_string(), &mut on_event));
    stream.finish_with(&mut on_event);
    (calls, stream)
}

/// Whether an event ends the message, by the provider's own word.
fn is_end(event: &Value) -> bool {
    let is_stop = |at: &str| event.pointer(at).is_some_and(|reason| !reason.is_null());
    let kind = event["type"].as_str().unwrap_or_default();
    let of_agents = ["result", "turn.completed", "conversation.response.done"];
    ["message_delta", "response.completed", "message-end", "RUN_FINISHED", "finish"].contains(&kind)
        || of_agents.contains(&kind)
        || event["event_type"] == "interaction.completed"
        || event.pointer("/output/choices/0/finish_reason").is_some_and(|reason| reason != "null")
        || ["/choices/0/finish_reason", "/candidates/0/finishReason", "/messageStop", "/done_reason", "/finish_reason"]
            .into_iter()
            .any(is_stop)
}

#[test]
fn a_stream_is_whole_from_its_end_on() {
    let mut streams = 0;
    for provider in Provider::ALL {
        let text = wires::text(*provider, &["one", " two"]);
        for events in text.into_iter().chain(wires::call(*provider, r#"{"a": 1}"#)) {
            streams += 1;
            let end = events.iter().position(is_end).unwrap();
            for cut in 0..=events.len() {
                let verdict = read(*provider, &events[..cut]).1.verdict().map_err(|unfinished| unfinished.kind());
                match verdict {
                    Ok(()) => assert!(cut > end, "{provider} cut at {cut}"),
                    Err(UnfinishedKind::NoEvent) => assert!(cut < 2, "{provider} cut at {cut}"),
                    Err(kind) => {
                        let is_known = matches!(kind, UnfinishedKind::Incomplete | UnfinishedKind::Call);
                        assert!(cut <= end && is_known, "{provider} cut at {cut}: {kind:?}");
                    }
                }
            }
        }
    }
    assert_eq!(streams, 25);
}

/// Another message begins before this one has ended; and after that, in one stream.
#[test]
fn one_message_after_the_other() {
    // A beginning says so, or another id after the end does.
    let has_no_beginning = [Provider::Gemini, Provider::OpenaiChat, Provider::Ollama, Provider::Cloudflare];
    // The second message has ids of its own, if the wire has any.
    let other_ids = |event: &Value| {
        let mut text = event.to_string();
        for (id, other) in [("\"m\"", "\"m2\""), ("\"r\"", "\"r2\""), ("\"t\"", "\"t2\""), ("\"i\"", "\"i2\"")] {
            text = text.replace(id, other);
        }
        serde_json::from_str(&text).unwrap()
    };
    let mut wires = [0, 0];
    for provider in Provider::ALL {
        let text = wires::text(*provider, &["one", " two"]);
        for mut events in text.into_iter().chain(wires::call(*provider, r#"{"a": 1}"#)) {
            match provider {
                Provider::Bedrock => events.insert(0, json!({"messageStart": {"role": "assistant"}})),
                Provider::VercelUi => events[0] = json!({"type": "start", "messageId": "m"}),
                Provider::OpenaiChat => events.iter_mut().for_each(|event| event["id"] = json!("m")),
                Provider::Gemini if events[0].get("candidates").is_some() => {
                    events.iter_mut().for_each(|event| event["responseId"] = json!("m"));
                }
                _ => {}
            }
            let second: Vec<Value> = events.iter().map(other_ids).collect();
            let end = events.iter().position(is_end).unwrap();
            let (calls, stream) = read(*provider, &[&events[..], &second].concat());
            assert_eq!(stream.verdict(), Ok(()), "{provider}");
            assert!(calls.is_empty() || calls == ["complete false"; 2], "{provider}: {calls:?}");
            wires[0] += 1;
            if has_no_beginning.contains(provider) && events[0].get("event_type").is_none() {
                continue;
            }
            // The turn of an agent's goes on after a message.
            let end = if *provider == Provider::ClaudeCode { end - 2 } else { end };
            for cut in 2..=end {
                let (_, stream) = read(*provider, &[&events[..cut], &second].concat());
                let kind = stream.verdict().expect_err(&format!("{provider} cut at {cut}")).kind();
                let is_known = matches!(kind, UnfinishedKind::Incomplete | UnfinishedKind::Call);
                assert!(is_known, "{provider} cut at {cut}: {kind:?}");
            }
            wires[1] += 1;
        }
    }
    assert_eq!(wires, [25, 20]);
}

#[test]
fn several_values_in_one_call() {
    for (text, expected) in [
        (r#"{"a": 1}{"b": 2}"#, r#"trailing ["{\"a\": 1}", "{\"b\": 2}"] false"#),
        (r#"{"a": 1} {"a":1}"#, r#"trailing ["{\"a\": 1}", "{\"a\":1}"] true"#),
        (r#"{"a": 1}{"b":"#, "trailing false"),
    ] {
        let mut wires = 0;
        for provider in Provider::ALL {
            let Some(events) = wires::call(*provider, text) else { continue };
            wires += 1;
            let (calls, stream) = read(*provider, &events);
            assert_eq!(calls, [expected], "{provider}");
            assert_eq!(stream.verdict().unwrap_err().kind(), UnfinishedKind::Call, "{provider}");
            assert_eq!(stream.message(), None, "{provider}");
        }
        assert_eq!(wires, 11);
    }
}

#[test]
fn a_call_that_is_not_whole_does_not_go_back() {
    // These have no message that goes back.
    let has_none = [Provider::AgUi, Provider::VercelUi, Provider::ClaudeCode, Provider::MistralConversations];
    for (text, is_whole) in
        [(r#"{"a": 1}"#, true), ("", true), (r#"{"a": "#, false), ("{'a': 1}", false), ("[1]", false)]
    {
        for provider in Provider::ALL.iter().filter(|provider| !has_none.contains(provider)) {
            let Some(events) = wires::call(*provider, text) else { continue };
            let (calls, stream) = read(*provider, &events);
            let message = stream.message();
            assert_eq!(message.is_some(), is_whole, "{provider}, {text:?}: {calls:?}, {message:?}");
            assert_eq!(stream.message_without_calls(), None, "{provider}: there is nothing else");
            let Some(message) = message else { continue };
            assert!(serde_json::from_str::<Value>(&message).is_ok() && message.contains("\"f\""), "{message}");
        }
    }
}

fn said_so(content: &Value) -> Vec<Value> {
    vec![json!({"type": "message.output.delta", "id": "m", "content": content})]
}

/// A step of Codex.
fn step_of_codex(event: &str, item: &Value) -> Value {
    json!({"type": format!("item.{event}"), "item": item})
}

fn command(command: &str) -> Value {
    step_of_codex(
        "updated",
        &json!({"id": "i", "type": "command_execution", "command": command, "status": "in_progress"}),
    )
}

/// A text of Claude Code's, and once more.
fn streamed_and_whole(text: &str, whole: &str) -> Vec<Value> {
    let event = |event: Value| json!({"type": "stream_event", "event": event, "session_id": "s"});
    let delta = json!({"type": "text_delta", "text": text});
    vec![
        event(json!({"type": "message_start", "message": {"id": "m", "content": []}})),
        event(json!({"type": "content_block_delta", "index": 0, "delta": delta})),
        json!({"type": "assistant", "session_id": "s",
            "message": {"id": "m", "content": [{"type": "text", "text": whole}]}}),
    ]
}

/// What a wire format says that is neither text nor a call, and where it repeats itself: a format, what is reported, and the
/// events. The last one is what it is about.
fn besides() -> Vec<(&'static str, &'static str, Provider, Vec<Value>)> {
    use Provider::{
        AgUi, Anthropic, Bedrock, ClaudeCode, Codex, Cohere, Dashscope, Gemini, Mcp, MistralConversations, Ollama,
        OpenaiChat, OpenaiResponses, VercelUi,
    };
    let part = |part: Value| vec![json!({"candidates": [{"content": {"parts": [part]}}]})];
    let live = |part: Value| vec![json!({"serverContent": {"modelTurn": {"parts": [part]}}})];
    let chat = |delta: Value| vec![json!({"choices": [{"index": 0, "delta": delta}]})];
    let step = |delta: Value| vec![json!({"event_type": "step.delta", "index": 0, "delta": delta})];
    let converse = |delta: Value| vec![json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}})];
    let image = || json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
    let new = || json!({"hologram": {"a": 1}});
    let item = |kind: &str, item: Value| json!({"type": format!("response.output_item.{kind}"), "output_index": 0, "item": item});
    let said = |text: &str| json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]});
    let responses = |kind: &str, name: &str, text: &str| json!({"type": format!("response.{kind}"), "output_index": 0, "content_index": 0, "item_id": "m", name: text});
    vec![
        ("openai_chat", "media", OpenaiChat, chat(json!({"audio": {"data": "AAAA"}}))),
        (
            "openai_responses",
            "media",
            OpenaiResponses,
            vec![json!({"type": "response.image_generation_call.partial_image", "partial_image_b64": "AAAA"})],
        ),
        ("gemini", "media", Gemini, part(image())),
        ("gemini_live", "media", Gemini, live(image())),
        ("interactions", "media", Gemini, step(json!({"type": "image", "mime_type": "image/png", "data": "AAAA"}))),
        ("bedrock", "media", Bedrock, converse(json!({"image": {"source": {"bytes": "AAAA"}}}))),
        ("ollama", "media", Ollama, vec![json!({"message": {"content": "", "images": ["AAAA"]}, "done": false})]),
        ("vercel_ui", "media", VercelUi, vec![json!({"type": "file", "mediaType": "image/png", "url": "https://a"})]),
        (
            "realtime",
            "media",
            OpenaiResponses,
            vec![json!({"type": "response.output_audio.delta", "event_id": "e", "delta": "AAAA"})],
        ),
        (
            "dashscope",
            "media",
            Dashscope,
            vec![json!({"output": {"audio": {"data": "AAAA"}, "finish_reason": "null"}, "request_id": "r"})],
        ),
        ("mistral_conversations", "media", MistralConversations, said_so(&json!({"type": "image_url", "image_url": "https://a"}))),
        ("claude_code", "data", ClaudeCode, vec![json!({"type": "system", "subtype": "init", "session_id": "s"})]),
        ("codex", "data", Codex, vec![step_of_codex("completed", &json!({"id": "i", "type": "todo_list", "items": []}))]),
        (
            "mistral_conversations",
            "data",
            MistralConversations,
            vec![json!({"type": "agent.handoff.started", "previous_agent_name": "a"})],
        ),
        ("claude_code", "unknown-part", ClaudeCode, vec![json!({"type": "hologram", "session_id": "s", "a": "b"})]),
        ("codex", "unknown-part", Codex, vec![step_of_codex("completed", &json!({"id": "i", "type": "hologram"}))]),
        ("mistral_conversations", "unknown-part", MistralConversations, said_so(&json!({"type": "hologram", "a": "b"}))),
        ("claude_code", "mismatch", ClaudeCode, streamed_and_whole("one", "two")),
        ("codex", "mismatch", Codex, vec![command("one"), command("two")]),
        ("ag_ui", "data", AgUi, vec![json!({"type": "STATE_DELTA", "delta": []})]),
        ("ag_ui", "data", AgUi, vec![json!({"type": "RUN_FINISHED", "result": {"a": 1}})]),
        ("vercel_ui", "data", VercelUi, vec![json!({"type": "start", "messageMetadata": {"a": 1}})]),
        ("vercel_ui", "data", VercelUi, vec![json!({"type": "finish", "messageMetadata": {"a": 1}})]),
        ("vercel_ui", "data", VercelUi, vec![json!({"type": "abort", "reason": "too long"})]),
        ("bedrock", "data", Bedrock, vec![json!({"messageStop": {"additionalModelResponseFields": {"a": 1}}})]),
        ("gemini_live", "data", Gemini, vec![json!({"goAway": {"timeLeft": "10s"}})]),
        ("gemini_live", "data", Gemini, vec![json!({"sessionResumptionUpdate": {"newHandle": "h"}})]),
        ("gemini_live", "data", Gemini, vec![json!({"serverContent": {"turnCompleteReason": "OTHER"}})]),
        (
            "realtime",
            "data",
            OpenaiResponses,
            vec![json!({"type": "conversation.item.input_audio_transcription.completed", "transcript": "hi"})],
        ),
        (
            "mcp",
            "data",
            Mcp,
            vec![json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}})],
        ),
        ("mcp", "data", Mcp, vec![json!({"jsonrpc": "2.0", "id": 1, "result": {"resources": []}})]),
        ("vercel_ui", "data", VercelUi, vec![json!({"type": "data-weather", "data": {"a": 1}})]),
        ("bedrock", "media", Bedrock, converse(json!({"image": {"source": {"s3Location": {"uri": "s3://a"}}}}))),
        ("bedrock", "data", Bedrock, vec![json!({"trace": {"a": 1}})]),
        (
            "gemini",
            "data",
            Gemini,
            vec![json!({"candidates": [{"finishMessage": "too long", "finishReason": "OTHER"}]})],
        ),
        ("cohere_v1", "data", Cohere, vec![json!({"event_type": "search-queries-generation", "search_queries": []})]),
        (
            "anthropic",
            "unknown-part",
            Anthropic,
            vec![json!({"type": "content_block_start", "index": 0, "content_block": {"type": "hologram"}})],
        ),
        ("openai_chat", "unknown-part", OpenaiChat, chat(json!({"content": [{"type": "hologram"}]}))),
        (
            "openai_responses",
            "unknown-part",
            OpenaiResponses,
            vec![item("done", json!({"type": "hologram", "id": "x"}))],
        ),
        ("gemini", "unknown-part", Gemini, part(new())),
        ("gemini_live", "unknown-part", Gemini, live(new())),
        ("interactions", "unknown-part", Gemini, step(json!({"type": "hologram", "x": 1}))),
        ("bedrock", "unknown-part", Bedrock, converse(new())),
        (
            "cohere",
            "unknown-part",
            Cohere,
            vec![json!({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "hologram"}}}})],
        ),
        ("ag_ui", "unknown-part", AgUi, vec![json!({"type": "HOLOGRAM"})]),
        ("vercel_ui", "unknown-part", VercelUi, vec![json!({"type": "hologram"})]),
        ("openai_chat", "unknown-part", OpenaiChat, chat(json!({"content": "a", "hologram": {"a": 1}}))),
        (
            "openai_responses",
            "unknown-part",
            OpenaiResponses,
            vec![item("done", json!({"type": "message", "content": [{"type": "hologram", "a": 1}]}))],
        ),
        ("openai_responses", "unknown-part", OpenaiResponses, vec![json!({"type": "response.mcp_call.hologram"})]),
        (
            "realtime",
            "unknown-part",
            OpenaiResponses,
            vec![json!({"type": "conversation.item.hologram", "event_id": "e"})],
        ),
        (
            "realtime",
            "unknown-part",
            OpenaiResponses,
            vec![json!({"type": "response.content_part.done", "event_id": "e", "part": {"type": "hologram", "a": 1}})],
        ),
        ("gemini", "unknown-part", Gemini, part(json!({"text": "a", "hologram": {"a": 1}}))),
        ("interactions", "unknown-part", Gemini, vec![json!({"event_type": "interaction.hologram"})]),
        // What is not text, in a place that is not known.
        ("openai_chat", "unknown-part", OpenaiChat, chat(json!({"images": [{"hologram": "AAAA"}]}))),
        ("openai_chat", "unknown-part", OpenaiChat, chat(json!({"content": [{"type": "image_url", "image_url": {"a": 1}}]}))),
        ("interactions", "unknown-part", Gemini, step(json!({"type": "image", "hologram": "AAAA"}))),
        ("bedrock", "unknown-part", Bedrock, converse(json!({"image": {"source": {"a": 1}}}))),
        ("ollama", "unknown-part", Ollama, vec![json!({"message": {"content": "", "images": [{"a": 1}]}, "done": false})]),
        ("vercel_ui", "unknown-part", VercelUi, vec![json!({"type": "file", "mediaType": "image/png", "data": "AAAA"})]),
        (
            "anthropic",
            "unknown-part",
            Anthropic,
            vec![json!({"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "a": 1}})],
        ),
        ("gemini_live", "unknown-part", Gemini, vec![json!({"serverContent": {"hologram": {"a": 1}}})]),
        (
            "interactions",
            "unknown-part",
            Gemini,
            vec![json!({"event_type": "step.start", "index": 0, "step": {"type": "model_output", "content": [{"type": "hologram"}]}})],
        ),
        (
            "bedrock",
            "unknown-part",
            Bedrock,
            vec![json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"hologram": {"a": 1}}}})],
        ),
        (
            "cohere",
            "unknown-part",
            Cohere,
            vec![json!({"type": "content-start", "index": 0, "delta": {"message": {"hologram": {"a": 1}}}})],
        ),
        ("cohere_v1", "unknown-part", Cohere, vec![json!({"event_type": "hologram"})]),
        ("ollama", "unknown-part", Ollama, vec![json!({"message": {"content": "", "hologram": {"a": 1}}, "done": false})]),
        ("vercel_ui", "unknown-part", VercelUi, vec![json!({"type": "text-hologram"})]),
        (
            "openai_responses",
            "mismatch",
            OpenaiResponses,
            vec![responses("output_text.delta", "delta", "one"), item("done", said("two"))],
        ),
        (
            "cohere_v1",
            "mismatch",
            Cohere,
            vec![
                json!({"event_type": "text-generation", "text": "one"}),
                json!({"event_type": "stream-end", "response": {"text": "two"}, "finish_reason": "COMPLETE"}),
            ],
        ),
        (
            "openai_chat",
            "mismatch",
            OpenaiChat,
            vec![
                json!({"choices": [{"index": 0, "delta": {"content": "one"}}]}),
                json!({"choices": [{"index": 0, "message": {"content": "two"}, "finish_reason": "stop"}]}),
            ],
        ),
        (
            "realtime",
            "mismatch",
            OpenaiResponses,
            ["output_text.delta", "output_text.done"]
                .map(|kind| {
                    json!({"type": format!("response.{kind}"), "event_id": "e", "item_id": "m", "delta": "one", "text": "two"})
                })
                .to_vec(),
        ),
        (
            "interactions",
            "mismatch",
            Gemini,
            vec![
                step(json!({"type": "text", "text": "one"})).remove(0),
                json!({"event_type": "interaction.completed", "interaction": {"outputs": [{"type": "text", "text": "two"}]}}),
            ],
        ),
        (
            "gemini",
            "mismatch",
            Gemini,
            [json!({"name": "f", "id": "c", "willContinue": true, "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}), json!({"id": "c", "args": {"a": 2}})]
                .map(|call| json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}))
                .to_vec(),
        ),
        (
            "vercel_ui",
            "mismatch",
            VercelUi,
            vec![
                json!({"type": "tool-input-start", "toolCallId": "c", "toolName": "f"}),
                json!({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{\"a\":1}"}),
                json!({"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {"a": 2}}),
            ],
        ),
        ("anthropic", "mismatch", Anthropic, started(Anthropic)),
        ("bedrock", "mismatch", Bedrock, started(Bedrock)),
        ("cohere", "mismatch", Cohere, started(Cohere)),
        (
            "ag_ui",
            "mismatch",
            AgUi,
            wires::call(AgUi, "{}").unwrap().into_iter().take(5).chain(
                [("TOOL_CALL_START", ""), ("TOOL_CALL_ARGS", r#"{"a":2}"#), ("TOOL_CALL_END", "")]
                    .map(|(kind, delta)| json!({"type": kind, "toolCallId": "t", "toolCallName": "f", "delta": delta})),
            ).collect(),
        ),
    ]
}

/// A call that is whole when it starts, and is another one by its pieces, up to its end.
fn started(provider: Provider) -> Vec<Value> {
    let mut events = wires::call(provider, r#"{"a":2}"#).unwrap();
    for event in &mut events {
        match provider {
            Provider::Anthropic => event.pointer_mut("/content_block/input").map(|input| *input = json!({"a": 1})),
            Provider::Bedrock => {
                event.pointer_mut("/contentBlockStart/start/toolUse").map(|call| call["input"] = json!({"a": 1}))
            }
            _ => event.pointer_mut("/delta/message/tool_calls/id").is_some().then(|| {
                event["delta"]["message"]["tool_calls"]["function"]["arguments"] = json!(r#"{"a":1}"#);
            }),
        };
    }
    let is_stop = |event: &Value| {
        ["content_block_stop", "tool-call-end"].map(Value::from).contains(&event["type"])
            || event.get("contentBlockStop").is_some()
    };
    let end = events.iter().position(is_stop).unwrap();
    events.truncate(end + 1);
    events
}

#[test]
fn what_a_wire_says_besides() {
    let page = include_str!("../../src/formats/formats.md");
    for (format, wanted, provider, events) in besides() {
        let mut stream = ProviderStream::new(provider, ToolCalls::new(&PatternSet::default()));
        let mut reported = Vec::new();
        for event in &events {
            reported = stream.push(&event.to_string()).map(|event| serde_json::to_value(event).unwrap()).collect();
        }
        let names: Vec<_> = reported.iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect();
        assert!(names.iter().any(|name| name == wanted), "{format}: {wanted} in {names:?}");
        let row = page.lines().find(|line| line.starts_with(&format!("| {wanted} |"))).unwrap();
        assert!(row.contains(&format!("`{format}`")), "{format}: {row}");
    }
    let tried: BTreeSet<_> = besides().into_iter().map(|(format, wanted, ..)| (format, wanted)).collect();
    let in_page: usize = ["media", "data", "unknown-part", "mismatch"]
        .iter()
        .map(|event| {
            page.lines().find(|line| line.starts_with(&format!("| {event} |"))).unwrap().matches('`').count() / 2
        })
        .sum();
    assert_eq!(in_page, tried.len());
}
