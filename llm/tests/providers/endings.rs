//! How a call and an answer end: by the reason, by an error that is a reason, or not at all.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::Provider::{
    self, Anthropic, Bedrock, Cohere, Gemini, Ollama, OpenaiChat, OpenaiResponses, VercelUi,
};
use jsonspigot_llm::{ProviderStream, SAVE_LIMIT, StopKind, StreamEvent, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{self, anthropic, chat, everything};

/// Returns the calls, and the order of what was reported.
fn calls_and_order(provider: Provider, events: &[String]) -> (Vec<String>, Vec<String>) {
    let log = support::read(provider, events);
    (log.summary(), log.order)
}

/// Checks that the stop of a block, a reason, the end of a message and the end of input all end a call.
#[test]
fn what_ends_a_call() {
    let stop = json!({"type": "message_stop"}).to_string();
    for (text, status) in [("{}", "complete"), ("", "empty")] {
        for (end, order) in [
            (anthropic::stop(0), &["call 0", "input 0"][..]),
            (anthropic::end("tool_use"), &["call 0", "input 0", "stop 0"]),
            (stop.clone(), &["call 0", "input 0"]),
            ("[DONE]".to_owned(), &["call 0", "input 0"]),
        ] {
            let (calls, told) =
                calls_and_order(Anthropic, &[anthropic::start(0, "a", "tool"), anthropic::delta(0, text), end.clone()]);
            assert_eq!(calls, [format!("tool {status} {{}}")], "{end}");
            assert_eq!(told, order, "{end}");
        }
    }
    let whole = [anthropic::start(0, "a", "tool"), anthropic::delta(0, "{}")];
    assert_eq!(calls_and_order(Anthropic, &whole).0, ["tool complete {}"]);
}

/// Checks that an irregular or unknown reason cuts a call. A call without arguments is empty if the reason is a regular
/// one.
#[test]
fn reasons_that_cut_a_call() {
    for reason in ["max_tokens", "length", "incomplete", "model_context_window_exceeded", "never_heard_of"] {
        let events = [anthropic::start(0, "a", "tool"), anthropic::delta(0, "{\"a\":"), anthropic::end(reason)];
        assert_eq!(calls_and_order(Anthropic, &events).0, [format!("tool truncated({reason}) {{\"a\":")]);
    }
    for (reason, is_cut) in [
        ("tool_calls", false),
        ("stop", false),
        ("function_call", false),
        ("length", true),
        ("content_filter", true),
        ("never_heard_of", true),
    ] {
        let (calls, _) = calls_and_order(OpenaiChat, &[chat::call(0, "a", "tool", ""), chat::end(reason)]);
        let expected = if is_cut { format!("tool truncated({reason}) ") } else { "tool empty {}".to_owned() };
        assert_eq!(calls, [expected]);
    }
}

/// Returns the kinds of the stops, whether the stream was reported incomplete, and why it is not whole.
fn ends(provider: Provider, events: &[Value]) -> (Vec<StopKind>, bool, Option<UnfinishedKind>) {
    let mut stream = ProviderStream::new(provider, everything().build()).saveable(SAVE_LIMIT);
    let (mut stops, mut is_incomplete) = (Vec::new(), false);
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Stop { kind, .. } => stops.push(kind),
        StreamEvent::Incomplete { .. } => is_incomplete = true,
        _ => {}
    };
    events.iter().for_each(|event| stream.push_with(&event.to_string(), &mut on_event));
    stream.finish_with(&mut on_event);
    // A second end reports nothing.
    stream.finish_with(|event| panic!("{event:?}"));
    let restored = ProviderStream::new(provider, everything().build()).saveable(SAVE_LIMIT);
    let restored = restored.restore(&stream.save().unwrap()).unwrap();
    assert_eq!([stream.stop(), restored.stop()], [stops.last().copied(); 2]);
    (stops, is_incomplete, stream.verdict().err().map(|unfinished| unfinished.kind()))
}

/// Checks rows of an event with a reason that is an error, and a regular reason in its place.
#[test]
fn an_answer_that_stops_with_an_error_is_one() {
    let chat = r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"$"}]}"#;
    let native =
        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop","native_finish_reason":"$"}]}"#;
    let calls =
        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"tool_calls","native_finish_reason":"$"}]}"#;
    let live =
        r#"{"serverContent":{"modelTurn":{"parts":[{"text":"a"}]},"turnComplete":true,"turnCompleteReason":"$"}}"#;
    let finish = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"$"}]}"#;
    let completed = r#"{"type":"response.completed","response":{"id":"r","status":"$","output":[]}}"#;
    let kind = r#"{"type":"response.$","response":{"id":"r","status":"","output":[]}}"#;
    for (provider, event, error, regular) in [
        (OpenaiChat, chat, "error", "stop"),
        (OpenaiChat, chat, "insufficient_system_resource", "sensitive"),
        (OpenaiChat, chat, "network_error", "context_length_exceeded"),
        (OpenaiChat, native, "error", "stop"),
        (OpenaiChat, calls, "MALFORMED_FUNCTION_CALL", ""),
        (OpenaiResponses, kind, "failed", "completed"),
        (OpenaiResponses, &kind.replace(r#""status":"""#, r#""status":"$""#), "failed", "completed"),
        (OpenaiResponses, completed, "failed", "in_progress"),
        (
            OpenaiResponses,
            r#"{"type":"response.done","event_id":"e","response":{"id":"r","status":"$"}}"#,
            "failed",
            "completed",
        ),
        (Gemini, finish, "MALFORMED_FUNCTION_CALL", "STOP"),
        (Gemini, finish, "TOO_MANY_TOOL_CALLS", "MAX_TOKENS"),
        (
            Gemini,
            r#"{"event_type":"interaction.completed","interaction":{"id":"i","status":"$"}}"#,
            "failed",
            "completed",
        ),
        (Gemini, live, "MALFORMED_FUNCTION_CALL", "NEED_MORE_INPUT"),
        (Bedrock, r#"{"messageStop":{"stopReason":"$"}}"#, "malformed_tool_use", "end_turn"),
        (Cohere, r#"{"type":"message-end","delta":{"finish_reason":"$"}}"#, "ERROR", "COMPLETE"),
        (Cohere, r#"{"event_type":"stream-end","finish_reason":"$"}"#, "ERROR", "COMPLETE"),
        (Ollama, r#"{"message":{"content":"a"},"done":true,"done_reason":"$"}"#, "error", "stop"),
        (VercelUi, r#"{"type":"finish","finishReason":"$"}"#, "error", "stop"),
    ] {
        let ended = |reason: &str| ends(provider, &[serde_json::from_str(&event.replace('$', reason)).unwrap()]);
        let (stops, _, why) = ended(error);
        assert_eq!((stops, why), (vec![StopKind::Error], Some(UnfinishedKind::ProviderError)), "{event}");
        let (stops, _, why) = ended(regular);
        assert!(stops.len() == 1 && stops[0] != StopKind::Error && why.is_none(), "{event}: {stops:?} {why:?}");
    }
}

/// Counts, filters and sources alone are no answer. Beside the end of an answer they belong to it.
#[test]
fn events_that_may_come_before_an_answer_are_none() {
    let chat = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let gemini = r#"{"candidates":[{"finishReason":"STOP"}]}"#;
    let filters = concat!(
        r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0,"#,
        r#""content_filter_results":{"hate":{"filtered":false}}}]}"#
    );
    for (provider, event, end) in [
        (OpenaiChat, filters, chat),
        (OpenaiChat, r#"{"choices":[],"usage":{"prompt_tokens":4}}"#, chat),
        (OpenaiChat, r#"{"choices":[],"citations":["https://a.example"]}"#, chat),
        (Gemini, r#"{"usageMetadata":{"promptTokenCount":4}}"#, gemini),
        (Gemini, r#"{"candidates":[{"safetyRatings":[{"category":"A"}]}]}"#, gemini),
        (Bedrock, r#"{"metadata":{"usage":{"inputTokens":4}}}"#, r#"{"messageStop":{"stopReason":"end_turn"}}"#),
        (Anthropic, r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":4}}"#, r#"{"type":"message_stop"}"#),
        (VercelUi, r#"{"type":"source-url","url":"https://a.example","sourceId":"s"}"#, r#"{"type":"finish"}"#),
    ] {
        let [event, end]: [Value; 2] = [event, end].map(|text| serde_json::from_str(text).unwrap());
        let alone = ends(provider, std::slice::from_ref(&event));
        assert_eq!(alone, (vec![], true, Some(UnfinishedKind::Incomplete)), "{event}");
        for events in [[event.clone(), end.clone()], [end, event]] {
            let (_, is_incomplete, why) = ends(provider, &events);
            assert_eq!((is_incomplete, why), (false, None), "{events:?}");
        }
    }
}

/// Checks that an agent's text may be anything, even a model's event, after another event has shown that an agent sends
/// it. The stream has no end of its own, so it always counts as cut.
#[test]
fn an_agents_text_is_text() {
    let chunk = |text: &str| json!({"chunk": {"bytes": BASE64_STANDARD.encode(text)}});
    let model = r#"{"outputText": "Hi", "completionReason": "FINISH"}"#;
    let trace = json!({"trace": {"trace": {"a": 1}}});
    let mut cited = chunk(model);
    cited["chunk"]["attribution"] = json!({"citations": []});
    for (events, expected) in [
        (vec![chunk(model)], "Hi"),
        (vec![trace.clone(), chunk(model)], model),
        (vec![trace, chunk("{")], "{"),
        (vec![json!({"files": {"files": []}}), chunk(model)], model),
        (vec![cited], model),
        (vec![chunk("So: "), chunk(model)], &["So: ", model].concat()),
    ] {
        let log = support::read(Bedrock, events.iter().map(Value::to_string));
        assert_eq!((log.text.as_str(), log.bad_frames.len()), (expected, 0), "{events:?}");
        assert_eq!(log.incomplete.is_some(), expected != "Hi", "{events:?}");
    }
}
