//! What each provider's events say beside the calls, and that another message supersedes what is open.

use jsonspigot_llm::Provider;
use serde_json::{Value, json};

use super::support::{Log, chat, gemini_call, read, responses};

fn read_json(provider: Provider, events: impl IntoIterator<Item = Value>) -> Log {
    read(provider, events.into_iter().map(|event| event.to_string()))
}

/// Text, reasoning, and what the provider says of errors.
fn words(log: &Log) -> (&str, &str, Vec<&str>) {
    (&log.text, &log.reasoning, log.provider_errors.iter().map(String::as_str).collect())
}

#[test]
fn anthropic() {
    let block = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let log = read_json(
        Provider::Anthropic,
        [
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 1}, "stop_reason": "end_turn", "content": [
            {"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"},
            {"type": "tool_use", "id": "i", "name": "tool", "input": {"x": 1}}]}}),
            block(json!({"type": "text", "text": "c"})),
            block(json!({"type": "thinking", "thinking": "d"})),
            // No input, but the type says that it is a call; no call without an id or a name.
            block(json!({"type": "server_tool_use", "id": "j", "name": "search"})),
            block(json!({"type": "web_search_tool_result", "id": "k", "name": "search"})),
            block(json!({"type": "tool_use", "id": "", "name": "search", "input": {}})),
            block(json!({"type": "tool_use", "id": "l", "name": "", "input": {}})),
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ],
    );
    assert_eq!(words(&log), ("ac", "bd", vec!["Overloaded"]));
    assert_eq!(log.summary(), [r#"tool complete {"x":1}"#, "search truncated(error) "]);
    assert_eq!((log.usage, log.stops), (vec![r#"{"input_tokens":1}"#.to_owned()], vec![(0, "end_turn".to_owned())]));
}

#[test]
fn openai_chat() {
    let delta = |delta: Value| json!({"choices": [{"index": 1, "delta": delta}]});
    let log = read_json(
        Provider::OpenaiChat,
        [
            delta(json!({"reasoning_content": "a"})),
            delta(json!({"reasoning": "b"})),
            delta(json!({"reasoning_content": "c", "reasoning": "c"})),
            delta(json!({"content": "d", "refusal": "e"})),
            json!({"choices": [{"delta": {"content": "f"}, "finish_reason": ""}]}),
        ],
    );
    assert_eq!(words(&log), ("df", "abc", vec![]));
    assert_eq!((log.refusal.as_str(), log.stops), ("e", vec![]));
}

#[test]
fn openai_responses() {
    let log = read_json(
        Provider::OpenaiResponses,
        [
            json!({"type": "response.reasoning_text.delta", "delta": "a"}),
            json!({"type": "error", "code": "server_error", "message": "b", "param": null}),
            json!({"type": "error", "error": {"message": "c"}}),
            json!({"type": "response.failed", "response": {"error": {"code": "x", "message": "d"}}}),
        ],
    );
    assert_eq!(words(&log), ("", "a", vec!["b", "c", "d"]));
    assert_eq!(log.stops, [(0, "failed".to_owned())]);
    // A response without a body, and another response amid a call.
    let log = read(
        Provider::OpenaiResponses,
        [
            responses::added(0, "a", "tool"),
            responses::delta(0, "{}"),
            json!({"type": "response.completed"}).to_string(),
            responses::added(1, "b", "tool"),
            responses::delta(1, "["),
            json!({"type": "response.created", "response": {}}).to_string(),
            responses::added(1, "c", "tool"),
            responses::delta(1, "[]"),
            json!({"type": "response.incomplete"}).to_string(),
        ],
    );
    assert_eq!(log.summary(), ["tool complete {}", "tool truncated(superseded) [", "tool complete []"]);
    assert_eq!(log.stops, [(0, "completed".to_owned()), (0, "incomplete".to_owned())]);
    // Items that are no calls, and names that only a `.done` event or a type gives.
    let item = |item: Value| json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let log = read_json(
        Provider::OpenaiResponses,
        [
            item(json!({"type": "message", "id": "m", "content": []})),
            item(json!({"type": "web_search_call", "id": "w"})),
            item(json!({"type": "function_call", "call_id": "a"})),
            json!({"type": "response.function_call_arguments.done", "output_index": 0, "name": "late",
            "arguments": "{}"}),
            json!({"type": "response.output_item.added", "output_index": 1,
            "item": {"type": "code_interpreter_call", "id": "ci", "code": ""}}),
            json!({"type": "response.output_item.done", "output_index": 1,
            "item": {"type": "code_interpreter_call", "id": "ci", "code": "1+1", "status": "completed"}}),
            json!({"type": "response.output_item.done", "output_index": 2, "item": {"type": "apply_patch_call",
            "call_id": "p", "operation": {"type": "update_file", "path": "a", "diff": "@@"}, "status": "completed"}}),
            json!({"type": "response.output_item.done", "output_index": 3,
            "item": {"type": "reasoning", "id": "r", "status": "completed"}}),
            json!({"type": "response.completed", "response": {}}),
        ],
    );
    let names: Vec<_> =
        log.calls.iter().map(|call| (call.id.as_str(), call.at_end.1.as_str(), call.raw.as_str())).collect();
    let patch = r#"{"callId":"p","operation":{"type":"update_file","path":"a","diff":"@@"}}"#;
    assert_eq!(
        names,
        [("w", "web_search", ""), ("a", "late", "{}"), ("ci", "code_interpreter", "1+1"), ("p", "apply_patch", patch)]
    );
    assert_eq!(log.errors, []);
}

/// An item that is done ends its own block, and what it brings along is that one's, while another item's is open.
#[test]
fn items_that_overlap() {
    let event = |kind: &str, index: u64, mut event: Value| {
        event["type"] = json!(format!("response.{kind}"));
        event["output_index"] = json!(index);
        event
    };
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}],
        "encrypted_content": "gAAA"});
    let message = json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "bc"}]});
    let log = read_json(
        Provider::OpenaiResponses,
        [
            event("output_item.added", 0, json!({"item": {"type": "reasoning", "id": "rs_1", "summary": []}})),
            event("reasoning_summary_text.delta", 0, json!({"summary_index": 0, "delta": "a"})),
            event("output_item.added", 1, json!({"item": {"type": "message", "id": "msg_1", "content": []}})),
            event("output_text.delta", 1, json!({"content_index": 0, "delta": "b"})),
            event("output_item.done", 0, json!({ "item": reasoning })),
            event("output_text.delta", 1, json!({"content_index": 0, "delta": "c"})),
            event("output_item.done", 1, json!({ "item": message })),
            json!({"type": "response.completed", "response": {"output": [reasoning, message]}}),
        ],
    );
    assert_eq!(words(&log), ("bc", "a", vec![]));
    let blocks = ["block 0 reasoning rs_1", "block 1 text msg_1"];
    assert_eq!(
        log.besides,
        [&blocks[..], &[r#"encrypted of block 0 "gAAA""#, "end 0", "end 1", "stop finished"]].concat()
    );
}

#[test]
fn gemini() {
    let log = read_json(
        Provider::Gemini,
        [
            json!({"candidates": [{"index": 0, "content": {"parts": [{"text": "a", "thought": true}, {"text": "b"}]}}]}),
            json!({"usageMetadata": {"totalTokenCount": 3}}),
            json!({"promptFeedback": {"blockReason": "SAFETY"}}),
            json!({"error": {"code": 503, "message": "Overloaded"}}),
        ],
    );
    assert_eq!(words(&log), ("b", "a", vec!["Overloaded"]));
    assert_eq!(log.stops, [(0, "SAFETY".to_owned())]);
    assert_eq!(log.usage, [r#"{"totalTokenCount":3}"#]);
    // The same id and name again: the same call. Another candidate: another's.
    let piece = |candidate: u64, id: &str, text: &str| {
        let arg = json!({"jsonPath": "$.a", "stringValue": text, "willContinue": true});
        let call = json!({"id": id, "name": "tool", "partialArgs": [arg], "willContinue": true});
        json!({"candidates": [{"index": candidate, "content": {"parts": [{"functionCall": call}]}}]})
    };
    let end = |candidate: u64| {
        let arg = json!({"jsonPath": "$.a", "stringValue": ""});
        let part = json!({"functionCall": {"partialArgs": [arg]}});
        json!({"candidates": [{"index": candidate, "content": {"parts": [part]}}]})
    };
    let log = read_json(
        Provider::Gemini,
        [piece(0, "x", "1"), piece(1, "x", "2"), piece(0, "x", "3"), piece(1, "x", "4"), end(0), end(1)],
    );
    assert_eq!(log.summary(), [r#"tool complete {"a":"13"}"#, r#"tool complete {"a":"24"}"#]);
    // A value for nobody, after the end, out of order, or without one.
    let arg = |path: &str| {
        gemini_call(&json!({"partialArgs": [{"jsonPath": path, "boolValue": false}],
        "willContinue": true}))
    };
    let log = read(
        Provider::Gemini,
        [
            arg("$.a"),
            gemini_call(&json!({"name": "tool", "willContinue": true})),
            arg("$.a"),
            gemini_call(&json!({"partialArgs": [{"jsonPath": "$.x"}], "willContinue": true})),
            arg("$.a"),
            // It would be in order, but nobody can say any more where it belongs.
            arg("$.c"),
            gemini_call(&json!({})),
            arg("$.b"),
        ],
    );
    assert_eq!((log.calls[0].status, log.calls[0].raw.as_str()), ("malformed", r#"{"a":false"#));
    assert_eq!(log.calls[0].error.as_ref().unwrap().0, jsonspigot::ErrorKind::OutOfOrder);
    assert_eq!(log.errors.len(), 2);
}

#[test]
fn gemini_interactions() {
    // Under either name of the type.
    for name in ["event_type", "type"] {
        let event = |kind: &str, mut event: Value| {
            event[name] = json!(kind);
            event
        };
        let step = |index: u64, step: Value| event("step.start", json!({"index": index, "step": step}));
        let log = read_json(
            Provider::Gemini,
            [
                step(0, json!({"type": "function_call", "id": "a", "name": "tool", "arguments": {}})),
                event("step.delta", json!({"index": 0, "delta": {"type": "arguments_delta", "arguments": "["}})),
                event("interaction.created", json!({"interaction": {}})),
                step(0, json!({"type": "model_output"})),
                step(1, json!({"type": "mcp_server_tool_call", "id": "b", "name": "tool", "arguments": {"a": 1}})),
                event("step.delta", json!({"index": 0, "delta": {"type": "text", "text": "t"}})),
                event("error", json!({"error": {"message": "Overloaded"}})),
                event("interaction.complete", json!({"interaction": {"status": "completed"}})),
                event("interaction.completed", json!({})),
                // Calls by their type, if they say anything of a call.
                step(2, json!({"type": "code_execution_call", "id": "c"})),
                step(3, json!({"type": "function_call", "name": "named"})),
                step(4, json!({"type": "function_call", "arguments": {"a": 2}})),
                event("interaction.completed", json!({"interaction": {}})),
            ],
        );
        let expected = [
            "tool truncated(superseded) [",
            r#"tool complete {"a":1}"#,
            "code_execution empty {}",
            "named empty {}",
            r#" truncated(no-name) {"a":2}"#,
        ];
        assert_eq!(log.summary(), expected);
        assert_eq!(log.executed(), (vec!["tool", "named", ""], vec!["tool", "code_execution"]));
        assert_eq!(words(&log), ("t", "", vec!["Overloaded"]));
        assert_eq!(log.stops, [(0, "completed".to_owned())]);
    }
}

#[test]
fn bedrock() {
    let start = |id: &str| {
        json!({"contentBlockStart": {"contentBlockIndex": 0,
        "start": {"toolUse": {"toolUseId": id, "name": "tool"}}}})
    };
    let delta = |delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}});
    let log = read_json(
        Provider::Bedrock,
        [
            start("a"),
            json!({"messageStart": {"role": "assistant"}, "p": "abc"}),
            delta(json!({"text": "t"})),
            delta(json!({"reasoningContent": {"text": "r"}})),
            start("b"),
            // As an object, where a string should be.
            delta(json!({"toolUse": {"input": {"a": 1}}})),
            json!({"metadata": {"usage": {"totalTokens": 3}}}),
            json!({"internalServerException": {"message": "1"}}),
            json!({"modelStreamErrorException": {"message": "2"}}),
            json!({"serviceUnavailableException": {"message": "3"}}),
            json!({"throttlingException": {"message": "4"}}),
            json!({"validationException": {"message": "5"}}),
            json!({"messageStop": {"stopReason": "tool_use"}}),
        ],
    );
    assert_eq!(log.summary(), ["tool truncated(superseded) ", r#"tool complete {"a":1}"#]);
    assert_eq!(words(&log), ("t", "r", vec!["1", "2", "3", "4", "5"]));
    assert_eq!((log.usage, log.stops), (vec![r#"{"totalTokens":3}"#.to_owned()], vec![(0, "tool_use".to_owned())]));
}

#[test]
fn cohere() {
    let event = |kind: &str, message: Value| json!({"type": kind, "index": 0, "delta": {"message": message}});
    let call =
        |arguments: Value| json!({"tool_calls": {"id": "a", "function": {"name": "tool", "arguments": arguments}}});
    let log = read_json(
        Provider::Cohere,
        [
            event("tool-call-start", call(json!(""))),
            event("message-start", json!({"content": [], "tool_calls": []})),
            event("content-start", json!({"content": {"type": "text", "text": "a"}})),
            event("content-delta", json!({"content": {"text": "b"}})),
            event("content-delta", json!({"content": {"thinking": "c"}})),
            event("tool-call-start", call(json!(""))),
            event("tool-call-delta", call(json!({"a": 1}))),
            json!({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "d", "usage": {"tokens": {}}}}),
        ],
    );
    assert_eq!(log.summary(), ["tool truncated(superseded) ", r#"tool complete {"a":1}"#]);
    assert_eq!(words(&log), ("ab", "c", vec!["d"]));
    assert_eq!((log.usage, log.stops), (vec![r#"{"tokens":{}}"#.to_owned()], vec![(0, "ERROR".to_owned())]));
    // Content begins where the wire says so, though nothing is in it.
    let content = |kind: &str, index: u64, content: Value| {
        let message = json!({ "content": content });
        json!({"type": kind, "index": index, "delta": {"message": message}})
    };
    let log = read_json(
        Provider::Cohere,
        [
            content("content-start", 0, json!({"type": "thinking", "thinking": ""})),
            content("content-start", 1, json!({"type": "text", "text": ""})),
            content("content-delta", 0, json!({"thinking": "a"})),
            content("content-end", 0, json!(null)),
            content("content-end", 1, json!(null)),
        ],
    );
    assert_eq!(log.besides, ["block 0 reasoning", "block 1 text", "end 0", "end 1"]);
    assert_eq!(words(&log), ("", "a", vec![]));
}

#[test]
fn ollama() {
    let log = read_json(
        Provider::Ollama,
        [
            json!({"message": {"tool_calls": [{"id": "call_1", "function": {"name": "tool", "arguments": "{\"a\": 1}"}},
            {"function": {"name": "none"}}, {"id": "no function"}]}, "done": false}),
            json!({"error": "out of memory"}),
            json!({"message": {"content": ""}, "done": true, "done_reason": "stop", "eval_count": 7}),
            json!({"message": {"content": "x"}, "done": true}),
        ],
    );
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#, "none empty {}"]);
    assert_eq!(log.ids(), ["call_1", ""]);
    assert_eq!((words(&log), log.usage.len()), (("x", "", vec!["out of memory"]), 1));
    assert_eq!(log.stops, [(0, "stop".to_owned())]);
}

#[test]
fn ag_ui() {
    let event = |kind: &str, delta: &str| json!({"type": kind, "delta": delta, "toolCallId": "a"});
    let log = read_json(
        Provider::AgUi,
        [
            event("TOOL_CALL_START", ""),
            json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
            event("TEXT_MESSAGE_CONTENT", "a"),
            event("TEXT_MESSAGE_CHUNK", "b"),
            event("THINKING_TEXT_MESSAGE_CONTENT", "c"),
            event("REASONING_MESSAGE_CONTENT", "d"),
            event("REASONING_MESSAGE_CHUNK", "e"),
            // Without an id there is no such call to feed or to end.
            json!({"type": "TOOL_CALL_ARGS", "delta": "{"}),
            json!({"type": "TOOL_CALL_END"}),
            json!({"type": "TOOL_CALL_CHUNK", "delta": "{"}),
        ],
    );
    assert_eq!(log.summary(), [" truncated(superseded) "]);
    assert_eq!((words(&log), log.errors.len()), (("ab", "cde", vec![]), 3));
}

#[test]
fn vercel_ui() {
    let input = |kind: &str| json!({"type": kind, "toolCallId": "a", "toolName": "tool", "input": {"a": 1}});
    let log = read_json(
        Provider::VercelUi,
        [
            input("tool-input-start"),
            json!({"type": "start", "messageId": "m"}),
            input("tool-input-available"),
            json!({"type": "reasoning-delta", "id": "r", "delta": "r"}),
            json!({"type": "text-delta", "id": "t", "delta": "t"}),
            json!({"type": "error", "errorText": "oops"}),
            json!({"type": "finish"}),
        ],
    );
    assert_eq!(log.summary(), [r#"tool truncated(superseded) {"a":1}"#, r#"tool complete {"a":1}"#]);
    assert_eq!((words(&log), log.stops.len()), (("t", "r", vec!["oops"]), 0));
    // A result of no call, and a request that nobody could approve.
    for kind in ["tool-output-available", "tool-output-error", "tool-output-denied", "tool-approval-request"] {
        let event = json!({"type": kind, "toolCallId": "", "approvalId": ""});
        let unknown_parts = vec![event.to_string()];
        assert_eq!(read_json(Provider::VercelUi, [event]), Log { unknown_parts, ..Log::default() }, "{kind}");
    }
}

/// A call's own end, a message's end and a message's reason, where nothing else was said of the call.
#[test]
fn ends_are_taken_at_their_word() {
    let bedrock = json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"name": "tool"}}}});
    let cohere = json!({"type": "tool-call-start", "index": 0,
        "delta": {"message": {"tool_calls": {"function": {"name": "tool"}}}}});
    let step = json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "name": "tool"}});
    let ag_ui = json!({"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "tool"});
    let vercel = json!({"type": "tool-input-start", "toolCallId": "a", "toolName": "tool"});
    let (empty, cut) = ("tool empty {}", "tool truncated(max_tokens) ");
    for (provider, start, end, summary) in [
        (Provider::Bedrock, &bedrock, json!({"contentBlockStop": {"contentBlockIndex": 0}}), empty),
        (Provider::Bedrock, &bedrock, json!({"messageStop": {}}), empty),
        (Provider::Bedrock, &bedrock, json!({"messageStop": {"stopReason": "max_tokens"}}), cut),
        (Provider::Cohere, &cohere, json!({"type": "tool-call-end", "index": 0}), empty),
        (Provider::Cohere, &cohere, json!({"type": "message-end"}), empty),
        (Provider::Cohere, &cohere, json!({"type": "message-end", "delta": {"finish_reason": "max_tokens"}}), cut),
        (Provider::Gemini, &step, json!({"event_type": "step.stop", "index": 0}), empty),
        (Provider::Gemini, &step, json!({"event_type": "interaction.completed", "interaction": {}}), empty),
        (
            Provider::Gemini,
            &step,
            json!({"event_type": "interaction.completed", "interaction": {"status": "max_tokens"}}),
            cut,
        ),
        (Provider::AgUi, &ag_ui, json!({"type": "TOOL_CALL_END", "toolCallId": "a"}), empty),
        (Provider::AgUi, &ag_ui, json!({"type": "RUN_FINISHED"}), empty),
        (Provider::VercelUi, &vercel, json!({"type": "finish"}), empty),
        (Provider::VercelUi, &vercel, json!({"type": "finish", "finishReason": "max_tokens"}), cut),
    ] {
        assert_eq!(read_json(provider, [start.clone(), end.clone()]).summary(), [summary], "{provider} {end}");
        assert_eq!(read_json(provider, [start.clone()]).summary(), ["tool truncated(end-of-input) "], "{provider}");
    }
}

#[test]
fn a_field_of_another_type_is_an_absent_one() {
    for odd in [
        json!(1),
        json!(-1),
        json!(1.5),
        json!(true),
        json!("x"),
        json!([1, {"a": []}]),
        json!({"a": [1]}),
        json!(null),
    ] {
        let log = read_json(
            Provider::OpenaiChat,
            [
                json!({"choices": odd, "usage": null, "error": null}),
                json!({"choices": [odd]}),
                json!({"choices": [{"index": 0, "delta": odd}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": odd}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [odd]}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": odd}]}}]}),
            ],
        );
        // What may have been a piece of an answer is reported as it is, or as a frame that can't be read.
        assert_eq!(Log { bad_frames: vec![], unknown_parts: vec![], ..log.clone() }, Log::default(), "{odd}");
        assert_eq!(log.bad_frames.is_empty() && log.unknown_parts.is_empty(), odd.is_null(), "{odd}");
        // An id, a name or an index that is not of its type; a list or an object may say something.
        let entry = |entry: Value| chat::entries(&json!([entry]));
        let says_something = odd.is_array() || odd.is_object();
        if !odd.is_string() && !says_something {
            let log = read(
                Provider::OpenaiChat,
                [
                    entry(json!({"index": 0, "id": odd, "function": {"name": "tool", "arguments": "{}"}})),
                    chat::end("stop"),
                ],
            );
            // The digits of a number are an id like any other.
            let id = if odd.is_number() { odd.to_string() } else { String::new() };
            assert_eq!((log.ids(), log.summary()), (vec![&*id], vec!["tool complete {}".to_owned()]), "{odd}");
        }
        if !odd.is_u64() && !says_something && odd != true {
            let log = read(
                Provider::OpenaiChat,
                [
                    entry(json!({"index": odd, "id": "a", "function": {"name": "tool", "arguments": "{}"}})),
                    chat::end("stop"),
                ],
            );
            assert_eq!((log.ids(), log.summary()), (vec!["a"], vec!["tool complete {}".to_owned()]), "{odd}");
        }
    }
}
