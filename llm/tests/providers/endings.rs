//! How an answer ends: one that the provider says went wrong is an error, whatever it calls it, and where no answer has
//! ended the stream is not whole, whatever else has come.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::{Provider, ProviderStream, SAVE_LIMIT, StopKind, StreamEvent, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{self, Log, everything};

/// The kinds of the stops, whether a line says that the stream broke off, and why the stream is not whole.
fn read(provider: Provider, events: &[Value]) -> (Vec<StopKind>, bool, Option<UnfinishedKind>) {
    let mut stream = ProviderStream::new(provider, everything().build()).saveable(SAVE_LIMIT);
    let (mut stops, mut is_incomplete) = (Vec::new(), false);
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::Stop { kind, .. } => stops.push(kind),
        StreamEvent::Incomplete { .. } => is_incomplete = true,
        _ => {}
    };
    events.iter().for_each(|event| stream.push_with(&event.to_string(), &mut on_event));
    // Said once, however often it is asked.
    stream.finish_with(&mut on_event);
    stream.finish_with(|event| panic!("{event:?}"));
    let restored = ProviderStream::new(provider, everything().build())
        .saveable(SAVE_LIMIT)
        .restore(&stream.save().unwrap())
        .unwrap();
    assert_eq!([stream.stop(), restored.stop()], [stops.last().copied(); 2]);
    (stops, is_incomplete, stream.verdict().err().map(|unfinished| unfinished.kind()))
}

/// All that is reported.
fn log(provider: Provider, events: &[Value]) -> Log {
    support::read(provider, events.iter().map(Value::to_string))
}

#[test]
fn an_answer_that_stops_with_an_error_is_one() {
    use Provider::{Bedrock, Cohere, Gemini, Ollama, OpenaiChat, OpenaiResponses, VercelUi};
    let chat = |reason: &str, native: &str| json!({"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": reason, "native_finish_reason": native}]});
    let response = |kind: &str, status: &str| json!({"type": format!("response.{kind}"), "response": {"id": "r", "status": status, "output": []}});
    let finish =
        |reason: &str| json!({"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": reason}]});
    let interaction =
        |status: &str| json!({"event_type": "interaction.completed", "interaction": {"id": "i", "status": status}});
    let live = |reason: &str| json!({"serverContent": {"modelTurn": {"parts": [{"text": "a"}]}, "turnComplete": true, "turnCompleteReason": reason}});
    let done =
        |status: &str| json!({"type": "response.done", "event_id": "e", "response": {"id": "r", "status": status}});
    for (provider, event, regular) in [
        (OpenaiChat, chat("error", ""), chat("stop", "")),
        (OpenaiChat, chat("stop", "error"), chat("stop", "stop")),
        (OpenaiChat, chat("tool_calls", "MALFORMED_FUNCTION_CALL"), chat("tool_calls", "")),
        (OpenaiResponses, response("failed", "failed"), response("completed", "completed")),
        (OpenaiResponses, response("failed", ""), response("completed", "")),
        (OpenaiResponses, response("completed", "failed"), response("completed", "in_progress")),
        (OpenaiResponses, done("failed"), done("completed")),
        (Gemini, finish("MALFORMED_FUNCTION_CALL"), finish("STOP")),
        (Gemini, finish("TOO_MANY_TOOL_CALLS"), finish("MAX_TOKENS")),
        (Gemini, interaction("failed"), interaction("completed")),
        (Gemini, live("MALFORMED_FUNCTION_CALL"), live("NEED_MORE_INPUT")),
        (
            Bedrock,
            json!({"messageStop": {"stopReason": "malformed_tool_use"}}),
            json!({"messageStop": {"stopReason": "end_turn"}}),
        ),
        (
            Cohere,
            json!({"type": "message-end", "delta": {"finish_reason": "ERROR"}}),
            json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}),
        ),
        (
            Cohere,
            json!({"event_type": "stream-end", "finish_reason": "ERROR"}),
            json!({"event_type": "stream-end", "finish_reason": "COMPLETE"}),
        ),
        (
            Ollama,
            json!({"message": {"content": "a"}, "done": true, "done_reason": "error"}),
            json!({"message": {"content": "a"}, "done": true, "done_reason": "stop"}),
        ),
        (
            VercelUi,
            json!({"type": "finish", "finishReason": "error"}),
            json!({"type": "finish", "finishReason": "stop"}),
        ),
    ] {
        let (stops, _, why) = read(provider, std::slice::from_ref(&event));
        assert_eq!((stops, why), (vec![StopKind::Error], Some(UnfinishedKind::ProviderError)), "{event}");
        let (stops, _, why) = read(provider, std::slice::from_ref(&regular));
        assert!(stops.len() == 1 && stops[0] != StopKind::Error && why.is_none(), "{regular}: {stops:?} {why:?}");
    }
}

#[test]
fn what_may_come_before_an_answer_is_none() {
    use Provider::{Anthropic, Bedrock, Gemini, OpenaiChat, VercelUi};
    let chat_end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let gemini_end = json!({"candidates": [{"finishReason": "STOP"}]});
    let bedrock_end = json!({"messageStop": {"stopReason": "end_turn"}});
    for (provider, event, end) in [
        (
            OpenaiChat,
            json!({"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": false}}}]}),
            &chat_end,
        ),
        (OpenaiChat, json!({"choices": [], "usage": {"prompt_tokens": 4}}), &chat_end),
        (OpenaiChat, json!({"choices": [], "citations": ["https://a.example"]}), &chat_end),
        (Gemini, json!({"usageMetadata": {"promptTokenCount": 4}}), &gemini_end),
        (Gemini, json!({"candidates": [{"safetyRatings": [{"category": "A"}]}]}), &gemini_end),
        (Bedrock, json!({"metadata": {"usage": {"inputTokens": 4}}}), &bedrock_end),
        (
            Anthropic,
            json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 4}}),
            &json!({"type": "message_stop"}),
        ),
        (
            VercelUi,
            json!({"type": "source-url", "url": "https://a.example", "sourceId": "s"}),
            &json!({"type": "finish"}),
        ),
    ] {
        let alone = read(provider, std::slice::from_ref(&event));
        assert_eq!(alone, (vec![], true, Some(UnfinishedKind::Incomplete)), "{event}");
        // Before the end, or after it, it is of an answer that has ended.
        for events in [[event.clone(), end.clone()], [end.clone(), event.clone()]] {
            let (_, is_incomplete, why) = read(provider, &events);
            assert_eq!((is_incomplete, why), (false, None), "{events:?}");
        }
    }
}

#[test]
fn a_reason_by_another_name() {
    let choice = |reason: &str, other: &str| json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": reason, "stop_reason": other}]});
    let chunk = |event: &Value| json!({"chunk": {"bytes": BASE64_STANDARD.encode(event.to_string())}});
    for (event, stop) in [
        (choice("", "stop"), Some("stop finished")),
        (choice("", "length"), Some("stop length")),
        (choice("stop", "###"), Some("stop stop-sequence \"###\"")),
        // No reason, for all that is known.
        (choice("", "###"), None),
    ] {
        for (provider, event) in [(Provider::OpenaiChat, event.clone()), (Provider::Bedrock, chunk(&event))] {
            let log = log(provider, &[event]);
            let stops: Vec<_> =
                log.besides.iter().filter(|told| told.starts_with("stop")).map(String::as_str).collect();
            assert_eq!((log.text.as_str(), stops.first().copied()), ("Hi", stop), "{provider}");
        }
    }
}

/// An agent's text may be anything, even what could be a model's event, once the stream has shown that it is an agent's. It
/// has no end of its own, so that nobody can tell it from one that was cut.
#[test]
fn an_agents_text_is_text() {
    let chunk = |text: &str| json!({"chunk": {"bytes": BASE64_STANDARD.encode(text)}});
    let model = r#"{"outputText": "Hi", "completionReason": "FINISH"}"#;
    let (trace, text) = (json!({"trace": {"trace": {"a": 1}}}), chunk("So: "));
    let mut cited = chunk(model);
    cited["chunk"]["attribution"] = json!({"citations": []});
    for (events, expected) in [
        (vec![chunk(model)], "Hi"),
        (vec![trace.clone(), chunk(model)], model),
        (vec![trace, chunk("{")], "{"),
        (vec![json!({"files": {"files": []}}), chunk(model)], model),
        (vec![cited], model),
        (vec![text, chunk(model)], &["So: ", model].concat()),
    ] {
        let log = log(Provider::Bedrock, &events);
        assert_eq!((log.text.as_str(), log.bad_frames.len()), (expected, 0), "{events:?}");
        assert_eq!(log.incomplete.is_some(), expected != "Hi", "{events:?}");
    }
}

#[test]
fn a_snapshot_after_the_result_comes_too_late() {
    let call = |arguments: &str| json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"toolCalls": [{"id": "c", "function": {"name": "f", "arguments": arguments}}]}]});
    let event = |kind: &str, delta: &str| json!({"type": kind, "toolCallId": "c", "toolCallName": "f", "delta": delta, "content": "x"});
    for (pieces, snapshot, why) in [
        ("", r#"{"a":1}"#, Some(UnfinishedKind::Mismatch)),
        ("", "{}", None),
        // The history is the application's: it says nothing of what has come.
        (r#"{"a":1}"#, r#"{"a":2}"#, None),
    ] {
        let events = [
            json!({"type": "RUN_STARTED", "runId": "r"}),
            event("TOOL_CALL_START", ""),
            event("TOOL_CALL_ARGS", pieces),
            event("TOOL_CALL_END", ""),
            event("TOOL_CALL_RESULT", ""),
            call(snapshot),
            json!({"type": "RUN_FINISHED"}),
        ];
        assert_eq!(read(Provider::AgUi, &events).2, why, "{pieces} {snapshot}");
    }
}
