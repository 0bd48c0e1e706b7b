//! Who is who: calls of one message with an id in common, names in pieces, inputs that a schema has changed, and ends that
//! Bedrock shows without a reason.

use std::slice;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::{Provider, UnfinishedKind};
use serde_json::{Value, json};

use super::wholes::{of, read, said};

/// Two calls with one id on each wire that sends ids, the second one of this name; and whether a place tells them apart.
fn calls_with_one_id(second: &str) -> Vec<(&'static str, Provider, bool, Vec<Value>)> {
    let calls = [(0, "f", json!({"a": 1})), (1, second, json!({"b": 2}))];
    let events = |start: &[Value], of_call: &dyn Fn(u64, &str, &Value) -> Vec<Value>, end: &[Value]| -> Vec<Value> {
        let calls = calls.iter().flat_map(|(index, name, input)| of_call(*index, name, input));
        start.iter().cloned().chain(calls).chain(end.iter().cloned()).collect()
    };
    let entry = |index: Option<u64>, name: &str, input: &Value| json!({"index": index, "id": "x", "type": "function", "function": {"name": name, "arguments": input.to_string()}});
    let chunk = |entry: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]});
    let chat_end = [json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})];
    let item = |index: u64, name: &str, arguments: &str| json!({"type": "function_call", "id": format!("fc{index}"), "call_id": "x", "name": name, "arguments": arguments});
    let output: Vec<_> = calls.iter().map(|(index, name, input)| item(*index, name, &input.to_string())).collect();
    let dashscope = |calls: Vec<Value>, reason: &str| json!({"output": {"choices": [{"finish_reason": reason, "message": {"content": "", "tool_calls": calls}}]}, "request_id": "r"});
    let part = |name: &str, input: &Value| json!({"functionCall": {"id": "x", "name": name, "args": input}});
    vec![
        (
            "anthropic",
            Provider::Anthropic,
            true,
            events(
                &[json!({"type": "message_start", "message": {"content": []}})],
                &|index, name, input| {
                    vec![
                        json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": "x", "name": name, "input": {}}}),
                        json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": input.to_string()}}),
                        json!({"type": "content_block_stop", "index": index}),
                    ]
                },
                &[
                    json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
                    json!({"type": "message_stop"}),
                ],
            ),
        ),
        (
            "chat",
            Provider::OpenaiChat,
            true,
            events(&[], &|index, name, input| vec![chunk(entry(Some(index), name, input))], &chat_end),
        ),
        (
            "chat without an index",
            Provider::OpenaiChat,
            false,
            events(&[], &|_, name, input| vec![chunk(entry(None, name, input))], &chat_end),
        ),
        (
            "chat with one index",
            Provider::OpenaiChat,
            false,
            events(&[], &|_, name, input| vec![chunk(entry(Some(0), name, input))], &chat_end),
        ),
        (
            "responses",
            Provider::OpenaiResponses,
            true,
            events(
                &[json!({"type": "response.created", "response": {"id": "r"}})],
                &|index, name, input| {
                    vec![
                        json!({"type": "response.output_item.added", "output_index": index, "item": item(index, name, "")}),
                        json!({"type": "response.function_call_arguments.delta", "item_id": format!("fc{index}"), "output_index": index, "delta": input.to_string()}),
                        json!({"type": "response.function_call_arguments.done", "item_id": format!("fc{index}"), "output_index": index, "arguments": input.to_string()}),
                        json!({"type": "response.output_item.done", "output_index": index, "item": item(index, name, &input.to_string())}),
                    ]
                },
                &[
                    json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": output}}),
                ],
            ),
        ),
        (
            "gemini",
            Provider::Gemini,
            true,
            vec![json!({"candidates": [{"finishReason": "STOP", "content": {"parts":
            calls.iter().map(|(_, name, input)| part(name, input)).collect::<Vec<_>>()}}]})],
        ),
        (
            "interactions",
            Provider::Gemini,
            true,
            events(
                &[json!({"event_type": "interaction.created", "interaction": {"id": "i"}})],
                &|index, name, input| {
                    vec![
                        json!({"event_type": "step.start", "index": index, "step": {"type": "function_call", "id": "x", "name": name, "arguments": {}}}),
                        json!({"event_type": "step.delta", "index": index, "delta": {"type": "arguments_delta", "arguments": input.to_string()}}),
                        json!({"event_type": "step.stop", "index": index}),
                    ]
                },
                &[
                    json!({"event_type": "interaction.completed", "interaction": {"id": "i", "status": "requires_action"}}),
                ],
            ),
        ),
        (
            "bedrock",
            Provider::Bedrock,
            true,
            events(
                &[json!({"messageStart": {"role": "assistant"}})],
                &|index, name, input| {
                    vec![
                        json!({"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": {"toolUseId": "x", "name": name}}}}),
                        json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": input.to_string()}}}}),
                        json!({"contentBlockStop": {"contentBlockIndex": index}}),
                    ]
                },
                &[json!({"messageStop": {"stopReason": "tool_use"}})],
            ),
        ),
        (
            "cohere",
            Provider::Cohere,
            true,
            events(
                &[json!({"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}})],
                &|index, name, input| {
                    vec![
                        json!({"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": {"id": "x", "type": "function", "function": {"name": name, "arguments": ""}}}}}),
                        json!({"type": "tool-call-delta", "index": index, "delta": {"message": {"tool_calls": {"function": {"arguments": input.to_string()}}}}}),
                        json!({"type": "tool-call-end", "index": index}),
                    ]
                },
                &[json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}})],
            ),
        ),
        (
            "ollama",
            Provider::Ollama,
            true,
            events(
                &[],
                &|_, name, input| {
                    vec![
                        json!({"message": {"tool_calls": [{"id": "x", "function": {"name": name, "arguments": input}}]}, "done": false}),
                    ]
                },
                &[json!({"message": {"content": ""}, "done": true, "done_reason": "stop"})],
            ),
        ),
        (
            "ag-ui",
            Provider::AgUi,
            false,
            events(
                &[json!({"type": "RUN_STARTED", "runId": "r"})],
                &|_, name, input| {
                    vec![
                        json!({"type": "TOOL_CALL_START", "toolCallId": "x", "toolCallName": name}),
                        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "x", "delta": input.to_string()}),
                        json!({"type": "TOOL_CALL_END", "toolCallId": "x"}),
                    ]
                },
                &[json!({"type": "RUN_FINISHED", "runId": "r"})],
            ),
        ),
        (
            "vercel",
            Provider::VercelUi,
            false,
            events(
                &[json!({"type": "start"})],
                &|_, name, input| {
                    vec![
                        json!({"type": "tool-input-start", "toolCallId": "x", "toolName": name}),
                        json!({"type": "tool-input-delta", "toolCallId": "x", "inputTextDelta": input.to_string()}),
                        json!({"type": "tool-input-available", "toolCallId": "x", "toolName": name, "input": input}),
                    ]
                },
                &[json!({"type": "finish", "finishReason": "tool-calls"})],
            ),
        ),
        (
            "dashscope",
            Provider::Dashscope,
            true,
            events(
                &[],
                &|index, name, input| vec![dashscope(vec![entry(Some(index), name, input)], "null")],
                &[dashscope(vec![], "tool_calls")],
            ),
        ),
    ]
}

/// Where a place tells calls apart, an id that they have in common does no harm. Where nothing does but the name, the same
/// name is the same call, and another name is another call.
#[test]
fn calls_with_one_id_in_one_message() {
    for second in ["f", "g"] {
        for (wire, provider, has_places, events) in calls_with_one_id(second) {
            let (reported, verdict) = read(provider, &events);
            let inputs: Vec<_> = of(&reported, "input").into_iter().map(|input| input["value"].clone()).collect();
            if has_places || second == "g" {
                let names: Vec<_> = of(&reported, "call").into_iter().map(|call| call["name"].clone()).collect();
                assert_eq!(names, ["f", second], "{wire}: {reported:?}");
                assert_eq!(inputs, [json!({"a": 1}), json!({"b": 2})], "{wire}: {reported:?}");
                assert_eq!(verdict, Ok(()), "{wire}: {reported:?}");
            } else {
                assert_eq!(of(&reported, "call").len(), 1, "{wire}: {reported:?}");
                assert!(verdict.is_err(), "{wire}: {reported:?}");
            }
        }
    }
}

/// What begins with the name so far may be all of it, or its next piece: nothing runs under half a name.
#[test]
fn a_name_that_comes_again_and_goes_on() {
    let chunk = |entry: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let start = chunk(json!({"index": 0, "id": "x", "function": {"name": "get_", "arguments": ""}}));
    let named = |name: &str| chunk(json!({"index": 0, "function": {"name": name, "arguments": ""}}));
    let arguments = chunk(json!({"index": 0, "function": {"arguments": "{}"}}));
    let (reported, verdict) =
        read(Provider::OpenaiChat, &[start.clone(), named("get_weather"), arguments.clone(), end.clone()]);
    let mismatch = &of(&reported, "mismatch")[0];
    assert_eq!((&mismatch["kind"], &mismatch["text"]), (&json!("name"), &json!("get_weather")), "{reported:?}");
    assert_eq!(of(&reported, "input")[0].get("value"), None, "{reported:?}");
    assert_eq!(verdict, Err(UnfinishedKind::Mismatch));
    let (reported, verdict) = read(Provider::OpenaiChat, &[start, named("get_"), arguments, end]);
    assert_eq!((of(&reported, "call").len(), verdict), (1, Ok(())), "{reported:?}");
}

/// What an application's schema adds and leaves out is its own; another value is a contradiction.
#[test]
fn inputs_that_a_schema_has_changed() {
    let events = |written: &str, validated: &Value| {
        let available = json!({"type": "tool-input-available", "toolCallId": "x", "toolName": "f", "input": validated});
        vec![
            json!({"type": "start"}),
            json!({"type": "tool-input-start", "toolCallId": "x", "toolName": "f"}),
            json!({"type": "tool-input-delta", "toolCallId": "x", "inputTextDelta": written}),
            available.clone(),
            available,
            json!({"type": "finish", "finishReason": "tool-calls"}),
        ]
    };
    for (written, validated) in [
        (r#"{"a": 1}"#, json!({"a": 1, "b": "default"})),
        (r#"{"b": [{"c": 1.0}, {}], "a": 1, "rest": true}"#, json!({"a": 1, "b": [{"c": 1, "d": 2}, {"d": 2}]})),
        ("{}", json!({"a": 1})),
    ] {
        let (reported, verdict) = read(Provider::VercelUi, &events(written, &validated));
        let data = of(&reported, "data");
        assert_eq!((data.len(), &data[0]["value"]["input"]), (1, &validated), "{reported:?}");
        let inputs = of(&reported, "input");
        let own: Value = serde_json::from_str(written).unwrap();
        assert_eq!((inputs.len(), inputs[0]["status"].as_str(), &inputs[0]["value"]), (1, Some("complete"), &own));
        assert_eq!(verdict, Ok(()), "{reported:?}");
    }
    for (written, validated) in [
        (r#"{"a": 1}"#, json!({"a": 2, "b": "default"})),
        (r#"{"a": 1}"#, json!({"b": "default"})),
        (r#"{"a": [1]}"#, json!({"a": [1, 2]})),
        (r#"{"a": [{"b": 1}]}"#, json!({"a": [{"b": "1"}]})),
        (r#"{"a": {"b": 1}"#, json!({"a": {"b": 1, "c": 2}})),
    ] {
        let (reported, verdict) = read(Provider::VercelUi, &events(written, &validated));
        assert_eq!((of(&reported, "data").len(), of(&reported, "input")[0].get("value")), (0, None), "{reported:?}");
        assert_eq!(verdict, Err(UnfinishedKind::Mismatch), "{reported:?}");
    }
}

fn bytes(text: &str) -> Value {
    json!({"chunk": {"bytes": BASE64_STANDARD.encode(text)}})
}

/// An agent's answer ends with the final response that its trace shows, before the text or after it, and with no other.
#[test]
fn agents_of_bedrock_end_with_their_final_response() {
    let response = |text: &str| json!({"trace": {"agentId": "A", "trace": {"orchestrationTrace": {"observation": {"type": "FINISH", "finalResponse": {"text": text}}}}}});
    let (start, text) = (json!({"trace": {"agentId": "A", "trace": {"preProcessingTrace": {}}}}), ["It is ", "42."]);
    let pieces = text.map(bytes);
    let whole = text.concat();
    for (events, is_whole) in [
        ([&[start.clone(), response(&whole)], &pieces[..]].concat(), true),
        ([slice::from_ref(&start), &pieces[..], &[response(&whole)]].concat(), true),
        ([&[start.clone(), response("It is")], &pieces[..], &[response(&whole)]].concat(), true),
        ([slice::from_ref(&start), &pieces[..]].concat(), false),
        ([slice::from_ref(&start), &pieces[..1], &[response(&whole)]].concat(), false),
        ([slice::from_ref(&start), &pieces[..], &[response("It is 43.")]].concat(), false),
        ([&[start, response(&whole)], &pieces[..], &[bytes(" More.")]].concat(), false),
    ] {
        let (reported, verdict) = read(Provider::Bedrock, &events);
        let wanted = if is_whole { Ok(()) } else { Err(UnfinishedKind::Incomplete) };
        assert_eq!(verdict, wanted, "{reported:?}");
        assert!(said(&reported, "text").starts_with("It is "), "{reported:?}");
    }
    // Cut before the first piece, or at a text that another agent has told this one.
    let start = json!({"trace": {"trace": {"preProcessingTrace": {}}}});
    let mut others = response(text[0]);
    others["trace"]["collaboratorName"] = json!("helper");
    for events in [vec![start.clone()], vec![response(&whole)], vec![start.clone(), others, pieces[0].clone()]] {
        let (reported, verdict) = read(Provider::Bedrock, &events);
        assert_eq!(verdict, Err(UnfinishedKind::Incomplete), "{reported:?}");
    }
    // It has failed, or only another one that it has asked.
    let mut failure = json!({"trace": {"trace": {"failureTrace": {"failureCode": 500, "failureReason": "No model."}}}});
    let (reported, verdict) = read(Provider::Bedrock, &[start.clone(), failure.clone()]);
    let error = &of(&reported, "provider-error")[0];
    assert_eq!((&error["message"], verdict), (&json!("No model."), Err(UnfinishedKind::ProviderError)));
    failure["trace"]["collaboratorName"] = json!("helper");
    let (reported, verdict) = read(Provider::Bedrock, &[start, failure, response(&whole), bytes(&whole)]);
    assert_eq!((of(&reported, "provider-error").len(), verdict), (0, Ok(())));
}

/// The last chunk of a model has Bedrock's counts, also where a guardrail has cut it.
#[test]
fn models_that_a_guardrail_cuts_end_with_bedrocks_counts() {
    let last = |counts: bool, action: &str| {
        let mut event = json!({"outputText": "No.", "amazon-bedrock-guardrailAction": action});
        if counts {
            event["amazon-bedrock-invocationMetrics"] = json!({"inputTokenCount": 1, "outputTokenCount": 2});
        }
        bytes(&event.to_string())
    };
    let first = bytes(r#"{"outputText":"Well: ","index":0}"#);
    for (end, wanted, stops) in [
        (last(true, "INTERVENED"), Ok(()), vec!["content-filter"]),
        (last(true, "NONE"), Ok(()), vec![]),
        (last(false, "INTERVENED"), Err(UnfinishedKind::Incomplete), vec![]),
        (
            bytes(r#"{"outputText":"No.","amazon-bedrock-invocationMetrics":5}"#),
            Err(UnfinishedKind::Incomplete),
            vec![],
        ),
    ] {
        let (reported, verdict) = read(Provider::Bedrock, &[first.clone(), end]);
        let kinds: Vec<_> = of(&reported, "stop").into_iter().map(|stop| stop["kind"].clone()).collect();
        assert_eq!(
            (verdict, kinds, said(&reported, "text")),
            (wanted, stops.into_iter().map(Value::from).collect(), "Well: No.".to_owned())
        );
    }
}
