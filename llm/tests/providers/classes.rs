//! Properties that hold on every wire format, checked on each: when a stream is whole, the status of a call with
//! several values or without arguments, and which messages go back.

use jsonspigot::PatternSet;
use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, ToolCalls, UnfinishedKind};
use serde_json::{Value, json};

use super::support::read as read_to_log;
use super::wires;

/// Returns the status of each call, with its values if it has several, and the stream at its end.
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

/// Returns true if an event ends the message.
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

/// Reads two messages in one stream. The second begins after the end of the first, or before it.
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
            // The turn of an agent continues after a message.
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

/// Ends a call without arguments by its own end, by the end of the message, and by the limit of tokens.
#[test]
fn ends_of_a_call_without_arguments() {
    let (empty, cut) = ("tool empty {}", "tool truncated(max_tokens) ");
    for (provider, start, ends) in [
        (
            Provider::Bedrock,
            json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"name": "tool"}}}}),
            vec![
                (json!({"contentBlockStop": {"contentBlockIndex": 0}}), empty),
                (json!({"messageStop": {}}), empty),
                (json!({"messageStop": {"stopReason": "max_tokens"}}), cut),
            ],
        ),
        (
            Provider::Cohere,
            json!({"type": "tool-call-start", "index": 0,
                "delta": {"message": {"tool_calls": {"function": {"name": "tool"}}}}}),
            vec![
                (json!({"type": "tool-call-end", "index": 0}), empty),
                (json!({"type": "message-end"}), empty),
                (json!({"type": "message-end", "delta": {"finish_reason": "max_tokens"}}), cut),
            ],
        ),
        (
            Provider::Gemini,
            json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "name": "tool"}}),
            vec![
                (json!({"event_type": "step.stop", "index": 0}), empty),
                (json!({"event_type": "interaction.completed", "interaction": {}}), empty),
                (json!({"event_type": "interaction.completed", "interaction": {"status": "max_tokens"}}), cut),
            ],
        ),
        (
            Provider::AgUi,
            json!({"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "tool"}),
            vec![
                (json!({"type": "TOOL_CALL_END", "toolCallId": "a"}), empty),
                (json!({"type": "RUN_FINISHED"}), empty),
            ],
        ),
        (
            Provider::VercelUi,
            json!({"type": "tool-input-start", "toolCallId": "a", "toolName": "tool"}),
            vec![(json!({"type": "finish"}), empty), (json!({"type": "finish", "finishReason": "max_tokens"}), cut)],
        ),
    ] {
        let start = start.to_string();
        assert_eq!(read_to_log(provider, [&start]).summary(), ["tool truncated(end-of-input) "], "{provider}");
        for (end, wanted) in ends {
            assert_eq!(read_to_log(provider, [&start, &end.to_string()]).summary(), [wanted], "{provider} {end}");
        }
    }
}
