//! What was said, contradicted or lost in ways that no other event of a stream shows: the verdict is not `Ok`, or a line says
//! so.

use jsonspigot_llm::{Provider, UnfinishedKind};
use serde_json::{Value, json};

use super::support::{Log, chat, read_to_verdict};

fn read(provider: Provider, events: &[Value]) -> (Log, Option<UnfinishedKind>) {
    let (log, verdict) = read_to_verdict(provider, events);
    (log, verdict.err().map(|unfinished| unfinished.kind()))
}

/// The events of a call's result.
type Results = Box<dyn Fn(&str) -> Vec<Value>>;

/// On each wire that has results: what comes before one, one that says this, and what comes after.
fn with_results(provider: Provider, results: &[&str]) -> Vec<Value> {
    let claude = |kind: &str, content: Value| json!({"type": kind, "session_id": "s", "message": {"id": "m", "role": kind, "content": [content]}});
    let response = |kind: &str, rest: Value| {
        let mut event = json!({"type": format!("response.{kind}")});
        event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        event
    };
    let part = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let (start, result, end): (Vec<Value>, Results, Vec<Value>) = match provider {
        Provider::Anthropic => (
            vec![
                json!({"type": "message_start", "message": {"id": "m", "content": []}}),
                json!({"type": "content_block_start", "index": 0,
                    "content_block": {"type": "server_tool_use", "id": "c", "name": "f", "input": {}}}),
                json!({"type": "content_block_stop", "index": 0}),
            ],
            Box::new(|said| {
                vec![json!({"type": "content_block_start", "index": 1,
                    "content_block": {"type": "f_tool_result", "tool_use_id": "c", "content": [{"said": said}]}})]
            }),
            vec![
                json!({"type": "content_block_stop", "index": 1}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
                json!({"type": "message_stop"}),
            ],
        ),
        Provider::ClaudeCode => (
            vec![claude("assistant", json!({"type": "tool_use", "id": "c", "name": "f", "input": {}}))],
            Box::new(move |said| {
                vec![claude("user", json!({"type": "tool_result", "tool_use_id": "c", "content": said}))]
            }),
            vec![json!({"type": "result", "subtype": "success", "session_id": "s", "is_error": false, "result": ""})],
        ),
        Provider::AgUi => (
            vec![
                json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
                json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}),
                json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
            ],
            Box::new(|said| {
                vec![json!({"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": said})]
            }),
            vec![json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})],
        ),
        Provider::VercelUi => (
            vec![
                json!({"type": "start", "messageId": "m"}),
                json!({"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {}}),
            ],
            Box::new(|said| {
                vec![json!({"type": "tool-output-available", "toolCallId": "c", "output": {"said": said}})]
            }),
            vec![json!({"type": "finish"})],
        ),
        Provider::Codex => (
            vec![json!({"type": "thread.started", "thread_id": "t"}), json!({"type": "turn.started"})],
            Box::new(|said| {
                vec![json!({"type": "item.completed", "item": {"id": "c", "type": "command_execution", "command": "f",
                    "aggregated_output": said, "exit_code": 0, "status": "completed"}})]
            }),
            vec![json!({"type": "turn.completed", "usage": {"input_tokens": 1}})],
        ),
        Provider::OpenaiResponses => (
            vec![response("created", json!({"response": {"id": "r"}}))],
            Box::new(move |said| {
                vec![response(
                    "output_item.done",
                    json!({"output_index": 0, "item": {"type": "mcp_call", "id": "c",
                    "name": "f", "arguments": "{}", "status": "completed", "output": said}}),
                )]
            }),
            vec![response("completed", json!({"response": {"id": "r", "output": []}}))],
        ),
        _ => (
            vec![part(json!({"toolCall": {"id": "c", "toolType": "f", "args": {}}}))],
            Box::new(move |said| vec![part(json!({"toolResponse": {"id": "c", "response": {"said": said}}}))]),
            vec![json!({"candidates": [{"finishReason": "STOP"}]})],
        ),
    };
    start.into_iter().chain(results.iter().flat_map(|said| result(said))).chain(end).collect()
}

#[test]
fn a_result_that_contradicts_the_one_before() {
    for provider in [
        Provider::Anthropic,
        Provider::ClaudeCode,
        Provider::AgUi,
        Provider::VercelUi,
        Provider::Codex,
        Provider::Gemini,
        Provider::OpenaiResponses,
    ] {
        for same in [&["one"][..], &["one", "one"]] {
            assert_eq!(read(provider, &with_results(provider, same)).1, None, "{provider} {same:?}");
        }
        let (log, why) = read(provider, &with_results(provider, &["one", "two"]));
        assert_eq!(why, Some(UnfinishedKind::Mismatch), "{provider} {:?}", log.errors);
    }
    // A result that says that another one will come is not the result.
    let mut events = with_results(Provider::VercelUi, &["one", "two"]);
    events[2]["preliminary"] = json!(true);
    assert_eq!(read(Provider::VercelUi, &events).1, None);
}

#[test]
fn an_end_of_what_never_began() {
    let anthropic = |index: u64| {
        vec![
            json!({"type": "message_start", "message": {"id": "m", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}}),
            json!({"type": "content_block_stop", "index": index}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "message_stop"}),
        ]
    };
    let bedrock = |index: u64| {
        vec![
            json!({"messageStart": {"role": "assistant"}}),
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}}),
            json!({"contentBlockStop": {"contentBlockIndex": index}}),
            json!({"messageStop": {"stopReason": "end_turn"}}),
        ]
    };
    let cohere = |index: u64| {
        vec![
            json!({"type": "message-start", "id": "m"}),
            json!({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": "Hi"}}}}),
            json!({"type": "content-end", "index": index}),
            json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}),
        ]
    };
    let interactions = |index: u64| {
        vec![
            json!({"event_type": "interaction.created", "interaction": {"id": "i"}}),
            json!({"event_type": "step.start", "index": 0,
                "step": {"type": "model_output", "content": [{"type": "text", "text": "Hi"}]}}),
            json!({"event_type": "step.stop", "index": index}),
            json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}}),
        ]
    };
    let ag_ui = |index: u64| {
        vec![
            json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
            json!({"type": "TEXT_MESSAGE_START", "messageId": "m0", "role": "assistant"}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m0", "delta": "Hi"}),
            json!({"type": "TEXT_MESSAGE_END", "messageId": format!("m{index}")}),
            json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
        ]
    };
    for (provider, events) in [
        (Provider::Anthropic, [anthropic(0), anthropic(1)]),
        (Provider::Bedrock, [bedrock(0), bedrock(1)]),
        (Provider::Cohere, [cohere(0), cohere(1)]),
        (Provider::Gemini, [interactions(0), interactions(1)]),
        (Provider::AgUi, [ag_ui(0), ag_ui(1)]),
    ] {
        let [of_this, of_another] = events.map(|events| read(provider, &events));
        assert_eq!((of_this.0.text.as_str(), of_this.1), ("Hi", None), "{provider}");
        assert_eq!(of_another.1, Some(UnfinishedKind::Incomplete), "{provider}");
    }
}

/// An empty piece of a call's arguments says that there was a call.
#[test]
fn a_call_without_its_beginning_and_arguments() {
    let events = [
        json!({"type": "message_start", "message": {"id": "m", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "name": "f", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ""}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(read(Provider::Anthropic, &events).1, None);
    let without = [&events[..1], &events[2..]].concat();
    assert_eq!(read(Provider::Anthropic, &without).1, Some(UnfinishedKind::Incomplete));
}

#[test]
fn an_end_of_cohere_v1_that_comes_twice() {
    let end = json!({"event_type": "stream-end", "finish_reason": "COMPLETE", "response": {"text": "Hi"}});
    let start = json!({"event_type": "stream-start", "generation_id": "g"});
    let (log, why) = read(Provider::Cohere, &[start, end.clone(), end]);
    assert_eq!((log.text.as_str(), why), ("Hi", None));
}

/// A part of a result has no id, so that only its start says whose it is.
#[test]
fn a_part_of_nobodys_result() {
    let start =
        |id: &str| json!({"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolResult": {"toolUseId": id}}}});
    let events = |id: &str| {
        [
            json!({"messageStart": {"role": "assistant"}}),
            json!({"contentBlockStart": {"contentBlockIndex": 0,
                "start": {"toolUse": {"toolUseId": "c", "name": "f", "type": "server_tool_use"}}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            start(id),
            json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolResult": [{"text": "found"}]}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 1}}),
            json!({"messageStop": {"stopReason": "end_turn"}}),
        ]
    };
    assert_eq!(read(Provider::Bedrock, &events("c")).1, None);
    assert_eq!(read(Provider::Bedrock, &events("another")).1, Some(UnfinishedKind::Incomplete));
}

#[test]
fn first_words_and_reasons_of_claude_code() {
    let event = |event: Value| json!({"type": "stream_event", "session_id": "s", "event": event});
    let start =
        event(json!({"type": "message_start", "message": {"id": "m", "content": [{"type": "text", "text": "Well"}]}}));
    let block =
        event(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}));
    let delta =
        event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Well"}}));
    let line = |reason: &str| {
        json!({"type": "assistant", "session_id": "s",
            "message": {"id": "m", "content": [{"type": "text", "text": "Well"}], "stop_reason": reason}})
    };
    let reason = event(json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}));
    let stop = event(json!({"type": "message_stop"}));
    let end = json!({"type": "result", "subtype": "success", "session_id": "s", "is_error": false, "result": "Well"});
    // The first words should come again.
    let (_, why) = read(Provider::ClaudeCode, &[start.clone(), reason.clone(), stop.clone(), end.clone()]);
    assert_eq!(why, Some(UnfinishedKind::Incomplete));
    for again in [vec![block.clone(), delta.clone()], vec![line("")]] {
        let events = [vec![start.clone()], again, vec![reason.clone(), stop.clone(), end.clone()]].concat();
        let (log, why) = read(Provider::ClaudeCode, &events);
        assert_eq!((log.text.as_str(), why), ("Well", None));
    }
    // The reason may stand in the whole line, and is reported once.
    let cut = [(0, "max_tokens".to_owned())];
    for with_reason in
        [vec![line("max_tokens")], vec![line("max_tokens"), reason.clone()], vec![reason, line("max_tokens")]]
    {
        let events = [vec![start.clone(), block.clone(), delta.clone()], with_reason, vec![stop.clone(), end.clone()]];
        assert_eq!(read(Provider::ClaudeCode, &events.concat()).0.stops, cut);
    }
}

#[test]
fn a_chat_message_beside_its_deltas() {
    let chunk = |delta: &str, message: &str| json!({"choices": [{"delta": {"content": delta}, "message": {"content": message}}]});
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    for (messages, text, why) in [
        (["Hi", "Hi you"], "Hi you", None),
        // Each delta once more, or all before it.
        (["Hi", " you"], "Hi you", None),
        (["", "Hi"], "Hi you", None),
        (["Hi", "Hi you!"], "Hi you!", None),
        (["Hi", "Ho you"], "Hi you", Some(UnfinishedKind::Mismatch)),
    ] {
        let (log, verdict) =
            read(Provider::OpenaiChat, &[chunk("Hi", messages[0]), chunk(" you", messages[1]), end.clone()]);
        assert_eq!((log.text.as_str(), verdict), (text, why), "{messages:?}");
    }
}

#[test]
fn chat_messages_by_their_ids() {
    let chunk = |id: &str, text: &str| json!({"id": id, "choices": [{"delta": {"content": text}}]});
    let end = |id: &str| json!({"id": id, "choices": [{"delta": {}, "finish_reason": "stop"}]});
    // Some servers make an id for each chunk.
    let each = [chunk("a", "One"), chunk("b", "Two"), chunk("c", "Three"), end("d")];
    assert_eq!(read(Provider::OpenaiChat, &each).1, None);
    // Some have another one before the first words.
    let opened = [chunk("x", ""), chunk("x", ""), chunk("a", "One"), chunk("a", "Two"), end("a")];
    assert_eq!(read(Provider::OpenaiChat, &opened).1, None);
    // Where it lasts, another one is another message's.
    let lost = [chunk("a", "One"), chunk("a", "Two"), chunk("b", "Three"), end("b")];
    assert_eq!(read(Provider::OpenaiChat, &lost).1, Some(UnfinishedKind::Incomplete));
    let counted = [
        chunk("a", "One"),
        chunk("a", "Two"),
        end("a"),
        json!({"id": "b", "choices": [], "usage": {"total_tokens": 5}}),
    ];
    assert_eq!(read(Provider::OpenaiChat, &counted).1, None);
}

#[test]
fn ids_that_are_numbers() {
    let entry = json!([{"index": 0, "id": 7, "function": {"name": "f", "arguments": "{}"}}]);
    let chunk: Value = serde_json::from_str(&chat::entries(&entry)).unwrap();
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let ag_ui = [
        json!({"type": "RUN_STARTED", "threadId": 1, "runId": 2}),
        json!({"type": "TOOL_CALL_START", "toolCallId": 7, "toolCallName": "f"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": 7, "delta": "{}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": 7}),
        json!({"type": "RUN_FINISHED", "threadId": 1, "runId": 2}),
    ];
    for (provider, events) in [(Provider::OpenaiChat, vec![chunk, end]), (Provider::AgUi, ag_ui.to_vec())] {
        let (log, why) = read(provider, &events);
        assert_eq!((log.ids(), log.summary(), why), (vec!["7"], vec!["f complete {}".to_owned()], None), "{provider}");
    }
}

#[test]
fn an_end_of_ollama_that_can_not_be_read() {
    let line = |done: Value| json!({"model": "m", "message": {"content": "Hi"}, "done": done, "done_reason": "stop"});
    assert_eq!(read(Provider::Ollama, &[line(json!(true))]).1, None);
    for odd in [json!({"x": 1}), json!("yes"), json!(1), json!([1])] {
        assert_eq!(read(Provider::Ollama, &[line(odd), line(json!(true))]).1, Some(UnfinishedKind::BadFrame));
    }
}

/// A gateway's page says what has happened as an error's body does.
#[test]
fn a_page_in_place_of_a_stream() {
    let page = "<html><title>502 Bad Gateway</title></html>";
    let log = super::support::read_with(None, super::support::everything(), [page]);
    assert_eq!((log.provider_errors, log.bad_frames), (vec![page.to_owned()], vec![]));
}
