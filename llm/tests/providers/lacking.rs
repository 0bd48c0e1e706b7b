//! Events of an open call whose piece is null, missing, of another type, or in an unknown member. Each is reported as
//! damaged or unknown, and truncates the call, even if the other pieces are a whole input.

use std::slice;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::Provider;
use serde_json::{Value, json};

use super::support::{Log, read_to_verdict};
use super::wires;

fn read(provider: Provider, events: &[Value]) -> (Log, bool) {
    let (log, verdict) = read_to_verdict(provider, events);
    (log, verdict.is_ok())
}

/// Checks that each of these events truncates a call that is whole without it.
fn damage(provider: Provider, start: &[Value], end: &[Value], damaged: &[Value]) {
    let (log, is_whole) = read(provider, &[start, end].concat());
    assert_eq!((log.bad_frames.len(), is_whole), (0, true), "{provider}: {:?}", log.summary());
    for event in damaged {
        let (log, is_whole) = read(provider, &[start, slice::from_ref(event), end].concat());
        assert!(log.bad_frames.len() + log.unknown_parts.len() > 0 && !is_whole, "{provider}: {event}");
        let calls = log.summary();
        assert!(calls.len() == 1 && calls[0].contains("truncated"), "{provider}: {event}: {calls:?}");
    }
}

#[test]
fn converse_stream() {
    let start =
        json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": "f"}}}});
    let delta = |delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}});
    let end =
        [json!({"contentBlockStop": {"contentBlockIndex": 0}}), json!({"messageStop": {"stopReason": "tool_use"}})];
    let mut damaged = vec![delta(json!({})), delta(json!(null)), json!({"contentBlockDelta": {}})];
    for name in ["contentBlockStart", "contentBlockDelta", "contentBlockStop"] {
        damaged.extend([json!([]), json!(null), json!({}), json!(5), json!("x")].map(|odd| json!({name: odd})));
    }
    damage(Provider::Bedrock, slice::from_ref(&start), &end, &damaged);
    let piece = delta(json!({"toolUse": {"input": "{\"a\":1}"}}));
    damage(Provider::Bedrock, &[start.clone(), piece], &end, &damaged);
    // A piece of an unknown kind is reported, and truncates the call.
    let [stop, message_stop] = end;
    let (log, is_whole) =
        read(Provider::Bedrock, &[start, delta(json!({"toolUsage": {"input": "{}"}})), stop, message_stop]);
    assert_eq!((log.unknown_parts.len(), log.bad_frames.len(), is_whole), (1, 0, false), "{:?}", log.summary());
}

#[test]
fn chunks_of_bytes() {
    let wrapped = |inner: Value| json!({"chunk": {"bytes": BASE64_STANDARD.encode(inner.to_string())}});
    let piece = |text: &str| {
        wrapped(
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
        )
    };
    let block = json!({"type": "tool_use", "id": "c", "name": "f", "input": {}});
    let start =
        [wrapped(json!({"type": "content_block_start", "index": 0, "content_block": block})), piece("{\"a\":1")];
    let end = [
        piece("}"),
        wrapped(json!({"type": "content_block_stop", "index": 0})),
        wrapped(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
        wrapped(json!({"type": "message_stop"})),
    ];
    let mut damaged = vec![wrapped(json!({})), json!({"chunk": {}}), json!({"chunk": null}), json!({"chunk": []})];
    for odd in [json!(5), json!(null), json!(""), json!([1]), json!("%")] {
        damaged.extend([json!({"chunk": {"bytes": odd}}), json!({"bytes": odd})]);
    }
    damage(Provider::Bedrock, &start, &end, &damaged);
    // No base64, without its padding, not UTF-8, an array, and a blank.
    for bytes in ["*", "Zg", "/w==", "W10=", "IA=="] {
        let broken = json!({"chunk": {"bytes": bytes}});
        let (log, _) = read(Provider::Bedrock, &[&start[..], slice::from_ref(&broken), &end].concat());
        assert_eq!(log.bad_frames, [broken.to_string()]);
        assert_eq!(log.summary(), [r#"f truncated(bad-frame) {"a":1}"#], "{bytes}");
    }
}

#[test]
fn values_by_path() {
    let content = |content: Value| json!({"candidates": [{"content": content}]});
    let call = |call: Value| content(json!({"parts": [{"functionCall": call}]}));
    let args = |args: Value| call(json!({"partialArgs": args, "willContinue": true}));
    let start = [
        call(json!({"name": "f", "willContinue": true})),
        args(json!([{"jsonPath": "$.a", "numberValue": 1, "boolValue": null}, {"jsonPath": "$.b", "nullValue": null}])),
    ];
    let end = [call(json!({})), json!({"candidates": [{"content": null, "finishReason": "STOP"}]})];
    damage(
        Provider::Gemini,
        &start,
        &end,
        &[
            args(json!([{"jsonPath": "$.c"}])),
            args(json!([{"jsonPath": "$.c", "boolValue": null}])),
            args(json!([{"jsonPath": "$.c", "boolValue": 5}])),
            args(json!([{"jsonPath": "$.c", "hologram": "x"}])),
            args(json!([{"jsonPath": "$.c", "stringValue": "x", "numberValue": 1}])),
            args(json!([{}])),
            args(json!([null])),
            args(json!(null)),
            args(json!({})),
            call(json!([])),
            call(json!(null)),
            content(json!([])),
            content(json!(null)),
            content(json!({"parts": [null]})),
            content(json!({"parts": null})),
            content(json!({"parts": []})),
            json!({"candidates": null}),
        ],
    );
}

#[test]
fn calls_of_live() {
    let call = |call: Value| json!({"toolCall": {"functionCalls": [call]}});
    let piece = json!([{"jsonPath": "$.a", "numberValue": 1}]);
    let start = [call(json!({"id": "c", "name": "f", "willContinue": true, "partialArgs": piece}))];
    let end = [
        call(json!({"id": "c"})),
        json!({"serverContent": {"modelTurn": {"parts": [{"text": "a"}]}, "turnComplete": true}}),
    ];
    let damaged = [json!([]), json!({}), json!({"functionCalls": null}), json!({"functionCalls": [null]})];
    damage(Provider::Gemini, &start, &end, &damaged.map(|odd| json!({"toolCall": odd})));
    let (log, is_whole) = read(Provider::Gemini, &[&start[..], &[json!({"toolCall": null})], &end].concat());
    assert_eq!((log.unknown_parts.len(), is_whole), (1, false), "{:?}", log.summary());
}

/// Checks that events of an unknown kind, or of none, truncate the open call, because they may have a piece of it.
#[test]
fn pieces_of_an_unknown_kind() {
    use Provider::{AgUi, Anthropic, Cohere, OpenaiChat, OpenaiResponses, VercelUi};
    let delta = "{}";
    let chat = |entry: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]});
    for (provider, event) in [
        (Anthropic, json!({"type": "content_block_delta", "index": 0, "delta": {"type": "json_delta", "json": delta}})),
        (Anthropic, json!({"type": "block_delta", "index": 0, "delta": {"partial_json": delta}})),
        (Anthropic, json!({"index": 0, "delta": {"type": "input_json_delta", "partial_json": delta}})),
        (OpenaiChat, chat(json!({"index": 0, "type": "hologram", "hologram": delta}))),
        (OpenaiChat, chat(json!({"index": 0, "hologram": delta}))),
        (OpenaiResponses, json!({"type": "response.hologram.delta", "output_index": 0, "delta": delta})),
        (OpenaiResponses, json!({"output_index": 0, "item_id": "i", "delta": delta})),
        (
            Cohere,
            json!({"type": "tool-call-piece", "index": 0, "delta": {"message": {"tool_calls": {"piece": delta}}}}),
        ),
        (Cohere, json!({"index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": delta}}}}})),
        (AgUi, json!({"type": "TOOL_CALL_PIECE", "toolCallId": "t", "delta": delta})),
        (AgUi, json!({"toolCallId": "t", "delta": delta})),
        (VercelUi, json!({"type": "tool-input-piece", "toolCallId": "t", "inputTextDelta": delta})),
        (VercelUi, json!({"toolCallId": "t", "inputTextDelta": delta})),
    ] {
        let mut events = wires::call(provider, r#"{"a": 1}"#).unwrap();
        // Responses repeats the whole input afterwards, which would restore the piece.
        let is_again = |event: &Value| event["type"].as_str().is_some_and(|kind| kind.ends_with(".done"));
        events.retain(|event| !is_again(event));
        if provider == OpenaiResponses {
            events.last_mut().unwrap()["response"]["output"] = json!([]);
        }
        assert!(read(provider, &events).1, "{provider}");
        let is_piece = |event: &Value| event.to_string().contains(r#"{\"a\""#);
        let at = events.iter().position(is_piece).unwrap() + 1;
        events.insert(at, event.clone());
        let (log, is_whole) = read(provider, &events);
        let reported = log.unknown_parts.len() + log.unknown.len();
        assert!(reported > 0 && !is_whole, "{provider}: {event}: {:?}", log.summary());
        assert!(log.summary()[0].contains("truncated(unknown-part)"), "{event}: {:?}", log.summary());
        // An event whose type is not a string is damaged.
        for lost in [json!(null), json!(5)] {
            let Some(known) = events[at - 1].get("type").filter(|kind| kind.is_string()) else { continue };
            let (mut damaged, known) = (events.clone(), known.clone());
            damaged[at] = events[at - 1].clone();
            damaged[at]["type"] = lost;
            let (log, is_whole) = read(provider, &damaged);
            assert_eq!((log.bad_frames.len(), is_whole), (1, false), "{known} {:?}", log.summary());
        }
    }
}
