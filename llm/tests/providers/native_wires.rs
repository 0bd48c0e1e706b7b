//! Native wires of DashScope, Mistral Conversations and Cloudflare, and transcriptions: what is cumulative, what is
//! padding, what is repeated, and how they end.

use jsonspigot_check::recorded;
use jsonspigot_llm::{Provider, ProviderStream, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, events_of, everything, own, read, read_to_verdict};

fn read_json(provider: Provider, events: &[Value]) -> Log {
    read(provider, events.iter().map(Value::to_string))
}

/// The kind of what is wrong with a stream.
fn wrong(provider: Provider, events: &[Value]) -> Option<UnfinishedKind> {
    read_to_verdict(provider, events).1.err().map(|unfinished| unfinished.kind())
}

/// The message that goes back.
fn message(events: &[String]) -> Option<Value> {
    let mut stream = ProviderStream::detecting(everything().build()).with_message();
    events.iter().for_each(|event| stream.push_with(event, |_| {}));
    stream.finish_with(|_| {});
    Some(serde_json::from_str(&stream.message()?).unwrap())
}

/// A recording's text, its counts, its verdict, as another reading of its events has them.
pub(crate) fn recordings_of_dashscope() {
    for (name, is_cumulative) in [
        ("multimodal-cumulative", true),
        ("text-cumulative", true),
        ("text-incremental", false),
        ("tool-call-incremental", false),
        ("tool-call-qwen-agent", false),
    ] {
        let bytes = recorded::read(&format!("recordings/dashscope/{name}.sse"));
        let events: Vec<Value> = events_of(&bytes)
            .iter()
            .filter(|event| !event.is_empty())
            .map(|event| serde_json::from_str(event).unwrap())
            .collect();
        let (mut said, mut arguments) = (String::new(), String::new());
        for event in &events {
            let message = &event["output"]["choices"][0]["message"];
            let part = [&message["content"], &message["content"][0]["text"], &event["output"]["text"]];
            let part = part.iter().find_map(|part| part.as_str()).unwrap_or_default();
            if is_cumulative && !part.is_empty() {
                said.clear();
            }
            said.push_str(part);
            arguments.push_str(message["tool_calls"][0]["function"]["arguments"].as_str().unwrap_or_default());
        }
        let (log, verdict) = read_to_verdict(Provider::Dashscope, &events);
        assert_eq!((&log.text, verdict), (&said, Ok(())), "{name}");
        assert_eq!(log.calls.first().map_or("", |call| &call.raw), arguments, "{name}");
        assert_eq!(log.calls.len(), usize::from(!arguments.is_empty()), "{name}");
        let last = &events.last().unwrap()["usage"];
        let counts = ["input_tokens", "output_tokens"].map(|name| last[name].as_u64());
        assert_eq!(log.tokens.last().unwrap()[..2], counts, "{name}");
        let back = message(&events_of(&bytes)).unwrap();
        assert_eq!(back["content"].as_str().unwrap_or_default(), said, "{name}");
        let call = &back["tool_calls"][0]["function"]["arguments"];
        assert_eq!(call.as_str().unwrap_or_default(), arguments, "{name}");
    }
}

#[test]
fn dashscope() {
    let event =
        |output: Value| json!({"output": output, "usage": {"input_tokens": 1, "output_tokens": 2}, "request_id": "r"});
    let text = |text: &str, reason: &str| event(json!({"text": text, "finish_reason": reason}));
    let said =
        |message: Value, reason: &str| event(json!({"choices": [{"message": message, "finish_reason": reason}]}));
    for events in [
        [text("Li", "null"), text("Line", "null"), text("Line 4", "stop")],
        [text("Li", "null"), text("ne", "null"), text(" 4", "stop")],
        [text("Line", "null"), text(" 4", "null"), text("", "stop")],
        [
            said(json!({"content": "Li"}), "null"),
            said(json!({"content": "Line"}), "null"),
            said(json!({"content": "Line 4"}), "stop"),
        ],
        [
            said(json!({"content": [{"text": "Li"}]}), "null"),
            said(json!({"content": [{"text": "Line"}]}), "null"),
            said(json!({"content": [{"text": "Line 4"}]}), "stop"),
        ],
    ] {
        let log = read_json(Provider::Dashscope, &events);
        assert_eq!((log.text.as_str(), log.stops.len(), log.incomplete), ("Line 4", 1, None), "{events:?}");
        let back = message(&events.clone().map(|event| event.to_string()));
        assert_eq!(back, Some(json!({"role": "assistant", "content": "Line 4"})), "{events:?}");
        // The word null is no reason.
        assert_eq!(wrong(Provider::Dashscope, &events[..2]), Some(UnfinishedKind::Incomplete));
    }
    // What comes all over again is no piece, be it reasoning or arguments.
    let call = |arguments: &str| {
        json!({"content": "", "tool_calls": [
        {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]})
    };
    let log = read_json(
        Provider::Dashscope,
        &[
            said(json!({"content": "", "reasoning_content": "Hm"}), "null"),
            said(json!({"content": "", "reasoning_content": "Hm."}), "null"),
            said(call("{\"a\""), "null"),
            said(call("{\"a\": 1}"), "null"),
            said(call("{\"a\": 1}"), "tool_calls"),
        ],
    );
    assert_eq!((log.reasoning.as_str(), log.summary()), ("Hm.", vec![r#"f complete {"a":1}"#.to_owned()]));
    // Once an event has had all so far, one that does not go on from it contradicts; pieces have no such event.
    for (texts, wanted) in
        [(["Li", "Line", "Life is"], "Line"), (["Li", "Line", "Lin"], "Line"), (["1", "2", "1"], "121")]
    {
        let events: Vec<_> = texts.iter().map(|piece| text(piece, "null")).chain([text("", "stop")]).collect();
        let (log, verdict) = read_to_verdict(Provider::Dashscope, &events);
        let kind = verdict.err().map(|unfinished| unfinished.kind());
        assert_eq!((log.text.as_str(), kind), (wanted, (wanted == "Line").then_some(UnfinishedKind::Mismatch)));
    }
    // Another request's answer is another message, which may say the same, and one that was cut stays so.
    let of = |id: &str, event: Value| json!({"output": event["output"], "request_id": id});
    let [begins, ends] = [text("Li", "null"), text("Line", "stop")];
    let whole = [of("a", begins.clone()), of("a", ends.clone()), of("b", begins.clone()), of("b", ends.clone())];
    let (log, verdict) = read_to_verdict(Provider::Dashscope, &whole);
    assert_eq!((log.text.as_str(), log.block_count, verdict), ("LineLine", 2, Ok(())));
    assert_eq!(wrong(Provider::Dashscope, &[begins, of("b", ends)]), Some(UnfinishedKind::Incomplete));
    // An error in mid stream is the end.
    let failure = json!({"code": "DataInspectionFailed", "message": "Output data may contain inappropriate content.", "request_id": "r"});
    let (log, verdict) = read_to_verdict(Provider::Dashscope, &[text("Li", "null"), failure]);
    assert_eq!(log.error_kinds, [(None, Some("DataInspectionFailed".to_owned()))]);
    assert_eq!(verdict.unwrap_err().kind(), UnfinishedKind::ProviderError);
}

#[test]
fn mistral_conversations() {
    let start = json!({"type": "conversation.response.started", "conversation_id": "c"});
    let done = json!({"type": "conversation.response.done", "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}});
    let says = |content: Value| json!({"type": "message.output.delta", "id": "m", "content": content});
    let (log, verdict) = read_to_verdict(
        Provider::MistralConversations,
        &[start.clone(), says(json!("Li")), says(json!({"type": "text", "text": "ne"})), done.clone()],
    );
    assert_eq!((log.text.as_str(), verdict, log.block_count, log.ends), ("Line", Ok(()), 1, 1));
    assert_eq!(log.tokens, [[Some(1), Some(2), None, None]]);
    assert_eq!(
        wrong(Provider::MistralConversations, &[start.clone(), says(json!("Li"))]),
        Some(UnfinishedKind::Incomplete)
    );
    // Without its content, or with another kind of it, a piece was lost.
    for broken in [json!({"type": "message.output.delta", "id": "m"}), says(json!(5)), says(json!({"type": "text"}))] {
        let events = [start.clone(), broken, done.clone()];
        assert_eq!(wrong(Provider::MistralConversations, &events), Some(UnfinishedKind::BadFrame));
    }
    // A call is answered by another id than its own.
    let call = |id: &str, arguments: &str, status: &str| {
        json!({"type": "function.call.delta", "id": "e", "name": "f", "tool_call_id": id,
        "arguments": arguments, "confirmation_status": status})
    };
    let log = read_json(
        Provider::MistralConversations,
        &[start.clone(), call("a", "{", "pending"), call("a", "}", "pending"), done.clone()],
    );
    assert_eq!((log.ids(), log.executed().0), (vec!["a"], vec!["f"]));
    assert_eq!(log.besides.iter().filter(|fact| *fact == "approval a of Some(0)").count(), 1);
    let log = read_json(Provider::MistralConversations, &[start.clone(), call("a", "{}", "allowed"), done]);
    assert!(!log.besides.iter().any(|fact| fact.starts_with("approval")));
    let failure = json!({"type": "conversation.response.error", "message": "overloaded", "code": 3000});
    let (log, verdict) = read_to_verdict(Provider::MistralConversations, &[start, failure]);
    assert_eq!(
        (log.provider_errors, log.error_kinds),
        (
            vec!["overloaded".to_owned()],
            vec![(Some("conversation.response.error".to_owned()), Some("3000".to_owned()))]
        )
    );
    assert_eq!(verdict.unwrap_err().kind(), UnfinishedKind::ProviderError);
}

#[test]
fn cloudflare() {
    let total = json!({"response": "", "usage": {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}});
    let done = || json!("[DONE]");
    let log = |events: &[Value]| {
        let text = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        read(Provider::Cloudflare, events.iter().map(text))
    };
    // Digits alone may be a number; padding is no text.
    let words = |word: Value| json!({"response": word, "p": "abcdefghijklmnop"});
    let whole =
        log(&[words(json!("Line ")), words(json!(4)), words(Value::Null), words(json!("")), total.clone(), done()]);
    assert_eq!((whole.text.as_str(), whole.ends, whole.incomplete), ("Line 4", 1, None));
    assert!(whole.unknown_parts.is_empty() && whole.data.is_empty());
    assert_eq!(log(&[words(json!("Line "))]).incomplete.as_deref(), Some("end-of-input"));
    assert_eq!(log(&[words(json!(["Line"]))]).unknown_parts, [r#"["Line"]"#]);
    // The last count is that of all: others are increments.
    let chunk = |delta: Value, reason: Value| {
        json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        "p": "abcdefghijkl", "usage": {"prompt_tokens": 0, "completion_tokens": 1, "total_tokens": 1}})
    };
    let chat = [
        chunk(json!({"reasoning": "Hm."}), Value::Null),
        chunk(json!({"content": "Li"}), Value::Null),
        chunk(json!({"content": "ne"}), json!("stop")),
        total,
        done(),
    ];
    for provider in [Provider::Cloudflare, Provider::OpenaiChat] {
        let text = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        let log = read(provider, chat.iter().map(text));
        assert_eq!((log.reasoning.as_str(), log.text.as_str(), log.ends), ("Hm.", "Line", 1), "{provider}");
        assert_eq!(log.tokens.last().unwrap()[..2], [Some(7), Some(9)], "{provider}");
    }
    // Calls have no id; two of one name are two.
    let call = |arguments: Value| json!({"name": "f", "arguments": arguments});
    let calls = log(&[json!({"response": null, "tool_calls": [call(json!({"a": 1})), call(json!({"a": 1}))]}), done()]);
    assert_eq!(calls.summary(), [r#"f complete {"a":1}"#, r#"f complete {"a":1}"#]);
    // It may end more than once, and go on.
    let stop = json!({"response": "", "finish_reason": "stop"});
    let twice = log(&[words(json!("Li")), stop.clone(), words(json!("ne")), stop, done(), done()]);
    assert_eq!((twice.text.as_str(), twice.incomplete), ("Line", None));
    let body = json!({"errors": [{"code": 10000, "message": "Authentication error"}], "success": false, "result": null, "messages": []});
    let (log, verdict) = read_to_verdict(Provider::Cloudflare, &[body]);
    assert_eq!((log.provider_errors.len(), verdict.unwrap_err().kind()), (1, UnfinishedKind::ProviderError));
    let back = message(&events_of(&own("cloudflare/normal.sse"))).unwrap();
    assert_eq!(back["content"], "Let me look.");
    assert_eq!(back["tool_calls"][0]["function"]["name"], "get_weather");
}

#[test]
fn transcription() {
    let delta = |text: &str| json!({"type": "transcript.text.delta", "delta": text});
    let done = |text: &str| json!({"type": "transcript.text.done", "text": text});
    for (whole, said, kind) in [
        ("Line 4.", "Line 4.", None),
        ("Line 4. Bellevue.", "Line 4. Bellevue.", None),
        ("Tram 4.", "Line 4.", Some(UnfinishedKind::Mismatch)),
    ] {
        let events = [delta("Line"), delta(" 4."), done(whole)];
        assert_eq!(read_json(Provider::OpenaiResponses, &events).text, said);
        assert_eq!(wrong(Provider::OpenaiResponses, &events), kind);
    }
    assert_eq!(read_json(Provider::OpenaiResponses, &[done("Line 4.")]).text, "Line 4.");
    assert_eq!(wrong(Provider::OpenaiResponses, &[delta("Line")]), Some(UnfinishedKind::Incomplete));
    // A translation goes on until the session is closed. What the user has said is no answer.
    let heard = json!({"type": "session.input_transcript.delta", "event_id": "e", "delta": "Ligne"});
    let said = json!({"type": "session.output_transcript.delta", "event_id": "e", "delta": "Line"});
    let sound = json!({"type": "session.output_audio.delta", "event_id": "e", "delta": "AAAA"});
    let events = [heard, said, sound, json!({"type": "session.closed", "event_id": "e"})];
    let (log, verdict) = read_to_verdict(Provider::OpenaiResponses, &events);
    assert_eq!((log.text.as_str(), log.data.len(), verdict), ("Line", 1, Ok(())));
    assert_eq!(wrong(Provider::OpenaiResponses, &events[..3]), Some(UnfinishedKind::Incomplete));
}

/// Speech of a user in Realtime, of items that end out of order.
#[test]
fn speech_of_a_user() {
    let event = |kind: &str, item: &str, more: Value| {
        let kind = format!("conversation.item.input_audio_transcription.{kind}");
        let mut event = json!({"type": kind, "event_id": "e", "item_id": item, "content_index": 0});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let log = read_json(
        Provider::OpenaiResponses,
        &[
            event("delta", "i1", json!({"delta": "Ligne"})),
            event("delta", "i2", json!({"delta": "Quatre"})),
            event("completed", "i2", json!({"transcript": "Quatre"})),
            event("failed", "i1", json!({"error": {"type": "audio", "code": "unintelligible", "message": "no words"}})),
        ],
    );
    assert_eq!((log.text.as_str(), log.unknown_parts.len(), log.bad_frames.len()), ("", 0, 0));
    assert!(log.data.len() >= 3, "{log:?}");
}
