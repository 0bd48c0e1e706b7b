//! A piece that can't be read was a piece: every member of every event that has one, with each wrong type in its place. If
//! the verdict is that all has come, then it has.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::Provider;
use serde_json::{Value, json};

use super::support::{Log, read_to_verdict};

/// What a stream says if nothing is missing: its calls, its text and its reasoning.
fn said(log: &Log) -> (Vec<String>, String, String) {
    (log.summary(), log.text.clone(), log.reasoning.clone())
}

fn read(provider: Provider, events: &[Value]) -> (Log, bool) {
    let (log, verdict) = read_to_verdict(provider, events);
    (log, verdict.is_ok())
}

/// The places of all members and elements in an event.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (format!("{at}/{name}"), value)).collect(),
        Value::Array(elements) => {
            (0..).zip(elements).map(|(index, value): (usize, _)| (format!("{at}/{index}"), value)).collect()
        }
        _ => Vec::new(),
    };
    for (place, value) in inner {
        found.push(place.clone());
        places(value, &place, found);
    }
}

/// For each wire a whole stream, and which of its events are pieces.
fn streams() -> Vec<(Provider, Vec<Value>, Vec<usize>)> {
    let anthropic = |delta: Value| json!({"type": "content_block_delta", "index": 1, "delta": delta});
    let responses = |kind: &str, delta: &str| json!({"type": format!("response.{kind}.delta"), "output_index": 0, "item_id": "f", "delta": delta});
    let chat = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let gemini = |part: Value| json!({"candidates": [{"content": {"parts": [part]}}]});
    let bedrock = |delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}});
    let cohere = |kind: &str, message: Value| json!({"type": kind, "index": 0, "delta": {"message": message}});
    let step = |delta: Value| json!({"event_type": "step.delta", "index": 0, "delta": delta});
    let run = |kind: &str, name: &str| json!({"type": kind, "toolCallId": "c", "messageId": "m", name: "f"});
    let vercel = |kind: &str, mut event: Value| {
        event["type"] = json!(kind);
        event
    };
    let live = |kind: &str, mut event: Value| {
        (event["type"], event["event_id"], event["response_id"]) = (json!(kind), json!("e"), json!("r"));
        event
    };
    vec![
        (
            Provider::Anthropic,
            vec![
                json!({"type": "message_start", "message": {"content": []}}),
                json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}}}),
                anthropic(json!({"type": "input_json_delta", "partial_json": "{\"a\":1"})),
                anthropic(json!({"type": "input_json_delta", "partial_json": ",\"b\":2"})),
                anthropic(json!({"type": "input_json_delta", "partial_json": "}"})),
                json!({"type": "content_block_stop", "index": 1}),
                json!({"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "word"}}),
                json!({"type": "content_block_delta", "index": 3, "delta": {"type": "thinking_delta", "thinking": "thought"}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            ],
            vec![3, 6, 7],
        ),
        (
            Provider::OpenaiResponses,
            vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": ""}}),
                responses("function_call_arguments", "{\"a\":1"),
                responses("function_call_arguments", ",\"b\":2"),
                responses("function_call_arguments", "}"),
                json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "id": "f", "call_id": "c", "name": "f"}}),
                json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "word"}),
                json!({"type": "response.reasoning_text.delta", "output_index": 2, "content_index": 0, "delta": "thought"}),
                json!({"type": "response.completed", "response": {}}),
            ],
            vec![2, 5, 6],
        ),
        (
            Provider::OpenaiChat,
            vec![
                chat(
                    json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{\"a\":1"}}]}),
                ),
                chat(json!({"tool_calls": [{"index": 0, "function": {"arguments": ",\"b\":2"}}]})),
                chat(json!({"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]})),
                chat(json!({"content": "word"})),
                chat(json!({"reasoning_content": "thought"})),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
            ],
            vec![1, 3, 4],
        ),
        (
            Provider::Gemini,
            vec![
                gemini(
                    json!({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.a", "stringValue": "x", "willContinue": true}], "willContinue": true}}),
                ),
                gemini(
                    json!({"functionCall": {"partialArgs": [{"jsonPath": "$.a", "stringValue": "y"}], "willContinue": true}}),
                ),
                gemini(json!({"functionCall": {}})),
                gemini(json!({"text": "word"})),
                json!({"candidates": [{"finishReason": "STOP"}]}),
            ],
            vec![1, 3],
        ),
        (
            Provider::Gemini,
            vec![
                json!({"event_type": "interaction.created", "interaction": {}}),
                json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "id": "c", "name": "f", "arguments": {}}}),
                step(json!({"type": "arguments_delta", "arguments": "{\"a\":1"})),
                step(json!({"type": "arguments_delta", "arguments": ",\"b\":2"})),
                step(json!({"type": "arguments_delta", "arguments": "}"})),
                json!({"event_type": "step.stop", "index": 0}),
                json!({"event_type": "step.delta", "index": 1, "delta": {"type": "text", "text": "word"}}),
                json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}}),
            ],
            vec![3, 6],
        ),
        (
            Provider::Bedrock,
            vec![
                json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": "f"}}}}),
                bedrock(json!({"toolUse": {"input": "{\"a\":1"}})),
                bedrock(json!({"toolUse": {"input": ",\"b\":2"}})),
                bedrock(json!({"toolUse": {"input": "}"}})),
                json!({"contentBlockStop": {"contentBlockIndex": 0}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "word"}}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 2, "delta": {"reasoningContent": {"text": "thought"}}}}),
                json!({"messageStop": {"stopReason": "tool_use"}}),
            ],
            vec![2, 5, 6],
        ),
        (
            Provider::Cohere,
            vec![
                cohere(
                    "tool-call-start",
                    json!({"tool_calls": {"id": "c", "function": {"name": "f", "arguments": ""}}}),
                ),
                cohere("tool-call-delta", json!({"tool_calls": {"function": {"arguments": "{\"a\":1"}}})),
                cohere("tool-call-delta", json!({"tool_calls": {"function": {"arguments": ",\"b\":2"}}})),
                cohere("tool-call-delta", json!({"tool_calls": {"function": {"arguments": "}"}}})),
                json!({"type": "tool-call-end", "index": 0}),
                cohere("tool-plan-delta", json!({"tool_plan": "thought"})),
                cohere("content-delta", json!({"content": {"text": "word"}})),
                json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}),
            ],
            vec![2, 5, 6],
        ),
        (
            Provider::AgUi,
            vec![
                json!({"type": "RUN_STARTED", "runId": "r"}),
                run("TOOL_CALL_START", "toolCallName"),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"a\":1"}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": ",\"b\":2"}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "}"}),
                run("TOOL_CALL_END", "x"),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "word"}),
                json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "n", "delta": "thought"}),
                json!({"type": "RUN_FINISHED"}),
            ],
            vec![3, 6, 7],
        ),
        (
            Provider::VercelUi,
            vec![
                json!({"type": "start"}),
                vercel("tool-input-start", json!({"toolCallId": "c", "toolName": "f"})),
                vercel("tool-input-delta", json!({"toolCallId": "c", "inputTextDelta": "{\"a\":1"})),
                vercel("tool-input-delta", json!({"toolCallId": "c", "inputTextDelta": ",\"b\":2"})),
                vercel("tool-input-delta", json!({"toolCallId": "c", "inputTextDelta": "}"})),
                vercel("text-delta", json!({"id": "t", "delta": "word"})),
                vercel("reasoning-delta", json!({"id": "r", "delta": "thought"})),
                json!({"type": "finish", "finishReason": "tool-calls"}),
            ],
            vec![3, 5, 6],
        ),
        (
            Provider::Ollama,
            vec![
                json!({"message": {"content": "word"}, "done": false}),
                json!({"message": {"thinking": "thought"}, "done": false}),
                json!({"message": {"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}, "done": false}),
                json!({"message": {"content": ""}, "done": true, "done_reason": "stop"}),
            ],
            vec![0, 1],
        ),
        (
            Provider::OpenaiResponses,
            vec![
                live("response.created", json!({"response": {"id": "r"}})),
                live(
                    "response.output_item.added",
                    json!({"item": {"type": "function_call", "id": "f", "call_id": "c", "name": "f"}}),
                ),
                live("response.function_call_arguments.delta", json!({"item_id": "f", "delta": "{\"a\":1"})),
                live("response.function_call_arguments.delta", json!({"item_id": "f", "delta": ",\"b\":2"})),
                live("response.function_call_arguments.delta", json!({"item_id": "f", "delta": "}"})),
                live(
                    "response.output_item.done",
                    json!({"item": {"type": "function_call", "id": "f", "call_id": "c", "name": "f"}}),
                ),
                live("response.output_text.delta", json!({"item_id": "m", "delta": "word"})),
                live("response.output_audio_transcript.delta", json!({"item_id": "n", "delta": "spoken"})),
                live("response.done", json!({"response": {"id": "r", "status": "completed"}})),
            ],
            vec![3, 6, 7],
        ),
        (
            Provider::Cohere,
            vec![
                json!({"event_type": "stream-start", "generation_id": "g"}),
                json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "name": "f"}}),
                json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": "{\"a\":1"}}),
                json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": ",\"b\":2"}}),
                json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": "}"}}),
                json!({"event_type": "tool-calls-chunk", "tool_call_delta": {"text": "thought"}}),
                json!({"event_type": "text-generation", "text": "word"}),
                json!({"event_type": "stream-end", "finish_reason": "COMPLETE"}),
            ],
            vec![3, 5, 6],
        ),
        (
            Provider::Gemini,
            vec![
                json!({"serverContent": {"modelTurn": {"parts": [{"text": "word"}]}}}),
                json!({"serverContent": {"outputTranscription": {"text": "spoken"}}}),
                json!({"toolCall": {"functionCalls": [{"name": "f", "id": "c", "args": {"a": 1}}]}}),
                json!({"serverContent": {"turnComplete": true}}),
            ],
            vec![0, 1],
        ),
    ]
}

/// Inside Bedrock's chunks, the pieces of each model that has a form of its own.
#[test]
fn pieces_in_chunks_of_bytes() {
    let wrapped = |inner: &Value| json!({"chunk": {"bytes": BASE64_STANDARD.encode(inner.to_string())}});
    let mut tried = 0;
    for (piece, end) in [
        (json!({"outputText": "word"}), json!({"outputText": "", "completionReason": "FINISH"})),
        (json!({"generation": "word"}), json!({"generation": "", "stop_reason": "stop"})),
        (json!({"outputs": [{"text": "word"}]}), json!({"outputs": [{"text": "", "stop_reason": "stop"}]})),
        (json!({"text": "word"}), json!({"text": "", "finish_reason": "COMPLETE"})),
        (json!({"completion": "word"}), json!({"completion": "", "stop_reason": "stop_sequence"})),
        (json!({"choices": [{"text": "word"}]}), json!({"choices": [{"text": "", "finish_reason": "stop"}]})),
        (
            json!({"choices": [{"delta": {"content": "word"}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        ),
        (
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "word"}}}),
            json!({"messageStop": {"stopReason": "end_turn"}}),
        ),
        (
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "word"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        ),
    ] {
        let (log, is_whole) = read(Provider::Bedrock, &[wrapped(&piece), wrapped(&end)]);
        assert_eq!((log.text.as_str(), is_whole), ("word", true), "{piece}");
        let mut found = Vec::new();
        places(&piece, "", &mut found);
        for place in found.iter().filter(|place| piece.pointer(place) == Some(&json!("word"))) {
            for wrong in [json!(5), json!(true), json!({"x": 1}), json!([1])] {
                let mut piece = piece.clone();
                *piece.pointer_mut(place).unwrap() = wrong;
                let (log, is_whole) = read(Provider::Bedrock, &[wrapped(&piece), wrapped(&end)]);
                tried += 1;
                assert!(!is_whole || !log.unknown_parts.is_empty(), "{piece}");
            }
        }
    }
    assert_eq!(tried, 36);
}

#[test]
fn a_member_of_the_wrong_type_leaves_nothing_whole_that_is_not() {
    let mut tried = 0;
    for (provider, events, pieces) in streams() {
        let (whole, is_whole) = read(provider, &events);
        assert!(is_whole, "{provider}: {whole:?}");
        for piece in pieces {
            let mut found = Vec::new();
            places(&events[piece], "", &mut found);
            for place in &found {
                for wrong in [json!(null), json!(5), json!(true), json!({}), json!({"x": 1}), json!([1]), json!("")] {
                    let mut events = events.clone();
                    let has_no_type = [Provider::OpenaiChat, Provider::Ollama].contains(&provider)
                        || events[piece].get("candidates").is_some()
                        || events[piece].get("serverContent").is_some()
                        || events[piece].get("tool_call_delta").is_some();
                    let member = events[piece].pointer_mut(place).unwrap();
                    // Nothing is missing where nothing was sent, and an absent object is none.
                    let is_nothing = member.is_string() && wrong == "" || !member.is_string() && wrong.is_null();
                    // Nor is an object without the member a wrong type, nor null where a chunk has what it has.
                    let is_nothing = is_nothing || has_no_type && wrong.is_null();
                    let is_nothing = is_nothing || member.is_object() && wrong.is_object();
                    if is_nothing || std::mem::replace(member, wrong.clone()) == wrong {
                        continue;
                    }
                    let (log, is_whole) = read(provider, &events);
                    tried += 1;
                    if is_whole && log.unknown.is_empty() && log.unknown_parts.is_empty() {
                        assert_eq!(said(&log), said(&whole), "{provider} {place} {wrong}: {}", events[piece]);
                    }
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

/// What encloses a piece, or says whose it is, of another type: the event can't be read, and nothing counts as whole.
#[test]
fn what_encloses_a_piece_is_of_its_type() {
    let gemini = |call: Value| json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]});
    for odd in [json!(5), json!(true), json!("x"), json!([1])] {
        for (provider, event) in [
            (Provider::Anthropic, json!({"type": "content_block_start", "index": 0, "content_block": odd})),
            (Provider::Anthropic, json!({"type": "message_start", "message": odd})),
            (Provider::OpenaiResponses, json!({"type": "response.output_item.done", "output_index": 0, "item": odd})),
            (Provider::OpenaiResponses, json!({"type": "response.completed", "response": odd})),
            (Provider::OpenaiResponses, json!({"type": "response.completed", "response": {"output": odd}})),
            (Provider::OpenaiResponses, json!({"type": "response.done", "event_id": "e", "response": odd})),
            (Provider::Gemini, json!({"serverContent": odd})),
            (Provider::Gemini, json!({"toolCall": odd})),
            (Provider::Gemini, json!({"event_type": "step.start", "index": 0, "step": odd})),
            (Provider::Bedrock, json!({"contentBlockStart": odd})),
            (Provider::Bedrock, json!({"messageStop": odd})),
            (Provider::Ollama, json!({"message": odd, "done": true})),
        ] {
            let (log, is_whole) = read(provider, &[event]);
            // An event with a message may be an error's body.
            let reported = log.bad_frames.len() + log.provider_errors.len() + log.unknown_parts.len();
            assert_eq!(reported, 1, "{provider} {odd}");
            assert!(!is_whole, "{provider} {odd}");
        }
    }
    for odd in [json!({"x": 1}), json!([1])] {
        for (provider, event) in [
            (Provider::Anthropic, json!({"type": "content_block_stop", "index": odd})),
            (Provider::OpenaiChat, json!({"choices": [{"index": odd, "delta": {"content": "word"}}]})),
            (Provider::Gemini, gemini(json!({"name": odd}))),
            // A call would end with it too early.
            (Provider::Gemini, gemini(json!({"name": "f", "willContinue": odd}))),
        ] {
            let (log, is_whole) = read(provider, &[event]);
            assert_eq!((log.bad_frames.len() + log.unknown_parts.len(), is_whole), (1, false), "{provider} {odd}");
        }
    }
}

/// Members of the same names in what is not the provider's own mean something else.
#[test]
fn events_of_others_are_unknown_whatever_their_members_are() {
    for event in [
        json!({"type": "never_heard_of", "message": "word", "index": true}),
        json!({"type": "response.completed", "message": 5}),
    ] {
        let (log, is_whole) = read(Provider::Anthropic, &[event]);
        assert_eq!((log.bad_frames.len(), log.not_known().len(), is_whole), (0, 1, false));
    }
}

/// Values by path that come after the end of their call: the end came too early, and the call is not whole.
#[test]
fn values_after_the_end_of_their_call_are_strays() {
    let part = |call: Value| json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]});
    let arg = |path: &str| json!({"partialArgs": [{"jsonPath": path, "numberValue": 1}], "willContinue": true});
    let end = json!({"candidates": [{"finishReason": "STOP"}]});
    let start = || part(json!({"name": "f", "willContinue": true}));
    let close = || part(json!({}));
    let (log, is_whole) = read(Provider::Gemini, &[start(), part(arg("$.a")), close(), end.clone()]);
    assert_eq!((log.summary(), is_whole), (vec![r#"f complete {"a":1}"#.to_owned()], true));
    let (log, is_whole) = read(Provider::Gemini, &[start(), part(arg("$.a")), close(), part(arg("$.b")), end]);
    assert_eq!((log.errors.len(), is_whole), (1, false));
}
