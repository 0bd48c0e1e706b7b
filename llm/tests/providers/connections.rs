//! What the wires of connections and runs say beside calls, and what they do wrong: OpenAI Realtime,
//! Gemini Live, Cohere v1, MCP. And that a stream that is read as another wire's is never taken for an empty one.

use jsonspigot_check::effort::{Sample, size};
use jsonspigot_llm::{CallErrorKind, CallLimits, Provider};
use serde_json::{Value, json};

use super::support::{Log, events_of, everything, own, read, read_structured, read_with};

fn read_json(provider: Provider, events: impl IntoIterator<Item = Value>) -> Log {
    read(provider, events.into_iter().map(|event| event.to_string()))
}

/// An event of Realtime.
fn realtime_event(mut event: Value) -> Value {
    event["event_id"] = json!("event_1");
    event
}

fn read_realtime(events: impl IntoIterator<Item = Value>) -> Log {
    read_json(Provider::OpenaiResponses, events.into_iter().map(realtime_event))
}

fn begun(id: &str) -> Value {
    json!({"type": "response.created", "response": {"id": id, "status": "in_progress"}})
}

fn ended(id: &str, status: &str, details: &Value, output: &Value) -> Value {
    let response = json!({"id": id, "status": status, "status_details": details, "output": output});
    json!({"type": "response.done", "response": response})
}

#[test]
fn realtime() {
    let text = |kind: &str, response: &str, item: &str, delta: &str| json!({"type": kind, "response_id": response, "item_id": item, "content_index": 0, "delta": delta});
    // Whatever is told in pieces is not repeated by any of the four that have it whole, and what is only there is.
    let message = |id: &str, text: &str| {
        let part = json!({"type": "output_audio", "transcript": text});
        json!({"type": "message", "id": id, "status": "completed", "role": "assistant", "content": [part]})
    };
    let whole = |kind: &str, item: &str, text: &str| {
        json!({"type": kind, "response_id": "r", "item_id": item, "content_index": 0, "text": text,
            "part": {"type": "text", "text": text}, "item": message(item, text)})
    };
    let log = read_realtime([
        begun("r"),
        text("response.text.delta", "r", "a", "1"),
        text("response.output_audio_transcript.delta", "r", "b", "2"),
        whole("response.text.done", "a", "1"),
        whole("response.content_part.done", "b", "2"),
        whole("response.output_text.done", "c", "3"),
        whole("response.content_part.done", "d", "4"),
        whole("response.output_item.done", "e", "5"),
        whole("response.output_item.done", "a", "1"),
        ended("r", "completed", &json!(null), &json!([message("b", "2"), message("f", "6"), message("c", "3")])),
    ]);
    assert_eq!((log.text.as_str(), &log.unknown, log.ends), ("123456", &vec![], 1));
    assert_eq!(log.open_blocks, []);

    // How a response ends.
    for (status, details, reason, kind) in [
        ("completed", json!(null), "completed", "finished"),
        ("cancelled", json!({"type": "cancelled", "reason": "client_cancelled"}), "client_cancelled", "cancelled"),
        ("incomplete", json!({"reason": "max_output_tokens"}), "max_output_tokens", "length"),
        ("incomplete", json!({"reason": "content_filter"}), "content_filter", "content-filter"),
        ("failed", json!({"type": "failed", "error": {"type": "server_error", "code": "c"}}), "failed", "error"),
    ] {
        let log = read_realtime([begun("r"), ended("r", status, &details, &json!([]))]);
        assert_eq!(log.stops, [(0, reason.to_owned())]);
        assert_eq!(log.besides[1], format!("stop {kind}"));
        assert_eq!(log.provider_errors.len(), usize::from(status == "failed"), "{log:?}");
        assert_eq!(log.incomplete, None);
    }

    // An error is about something that the client sent: what is open goes on.
    let item = json!({"type": "function_call", "id": "i", "call_id": "c", "name": "tool", "arguments": ""});
    let added = json!({"type": "response.output_item.added", "response_id": "r", "item": item});
    let delta = |item: &str, call: &str, text: &str| {
        json!({"type": "response.function_call_arguments.delta", "response_id": "r",
            "item_id": item, "call_id": call, "delta": text})
    };
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "m"}});
    let events = [begun("r"), added, delta("i", "c", "{"), error, delta("i", "", "}")];
    let log = read_realtime(events.clone());
    assert_eq!(log.provider_errors, ["m"]);
    assert_eq!(log.summary(), ["tool complete {}"]);
    assert_eq!(log.incomplete.as_deref(), Some("end-of-input"));

    // A fragment whose ids mean two calls is nobody's, and each of the two may have lost it.
    let other = json!({"type": "function_call", "id": "j", "call_id": "d", "name": "tool", "arguments": ""});
    let other = json!({"type": "response.output_item.added", "response_id": "r", "item": other});
    let torn = [delta("j", "d", "{"), delta("i", "d", "}"), delta("j", "d", "}")];
    let log = read_realtime(events.into_iter().chain([other]).chain(torn));
    assert_eq!(log.errors, [(CallErrorKind::NotStarted, None)]);
    assert_eq!(log.calls[1].status, "truncated");

    // A response that was never announced is read, and one that is given up for many others is said to be.
    let log = read_realtime([text("response.text.delta", "r", "a", "1")]);
    assert_eq!((log.text.as_str(), log.besides[0].as_str()), ("1", "message r -"));
    let call = json!({"type": "function_call", "id": "i", "call_id": "c", "name": "tool", "arguments": ""});
    let call = json!({"type": "response.output_item.added", "response_id": "r0", "item": call});
    let many = (0..=16).map(|number| begun(&format!("r{number}")));
    let log = read_realtime([begun("r0"), call].into_iter().chain(many));
    assert_eq!(log.summary(), ["tool truncated(superseded) "]);

    // What is said of a response again begins nothing and repeats no call; what has come of a call may be said late.
    let call = json!({"type": "function_call", "id": "i", "call_id": "c", "name": "tool", "arguments": "{}"});
    let mcp =
        |output: Value| json!({"type": "mcp_call", "id": "m", "name": "own", "arguments": "{}", "output": output});
    let done = |item: Value| json!({"type": "response.output_item.done", "response_id": "r", "item": item});
    let end = ended("r", "completed", &json!(null), &json!([call, mcp(json!(null))]));
    let events = [begun("r"), done(call.clone()), end.clone()];
    let late = [
        end,
        done(call),
        done(mcp(json!("x"))),
        json!({"type": "conversation.item.done", "item": mcp(json!("x"))}),
        delta("i", "c", "{"),
        text("response.output_text.delta", "r", "t", "late"),
    ];
    for between in [None, Some(begun("s"))] {
        let is_between = between.is_some();
        let log = read_realtime(events.iter().cloned().chain(between).chain(late.clone()));
        assert_eq!(log.summary(), ["tool complete {}", "own complete {}"]);
        assert_eq!((log.text.as_str(), log.not_known().len(), log.stops.len(), log.errors), ("", 4, 1, vec![]));
        assert_eq!(log.besides.iter().filter(|fact| fact.starts_with("result of")).count(), 1, "{:?}", log.besides);
        assert_eq!((log.ends, log.incomplete.is_some()), (1, is_between));
    }

    // Where the text is JSON, each response has its own.
    let events = [
        begun("r"),
        begun("s"),
        text("response.text.delta", "r", "a", "[1"),
        text("response.text.delta", "s", "b", "{}"),
    ];
    let events = events
        .into_iter()
        .chain([text("response.text.delta", "r", "a", "]"), ended("r", "completed", &json!(null), &json!([]))]);
    let log = read_structured(Some(Provider::OpenaiResponses), events.map(|event| realtime_event(event).to_string()));
    assert_eq!(log.summary(), [" complete [1]", " complete {}"]);
}

#[test]
fn gemini_live() {
    let content = |content: Value| json!({ "serverContent": content });
    let said = |text: &str| content(json!({"modelTurn": {"parts": [{"text": text}]}}));
    // Two turns, the first of which is interrupted, and a third that breaks off with sound.
    let log = read_json(
        Provider::Gemini,
        [
            said("a"),
            content(json!({"interrupted": true})),
            content(json!({"turnComplete": true})),
            content(json!({"outputTranscription": {"text": "b"}, "inputTranscription": {"text": "x"}})),
            content(json!({"turnComplete": true, "turnCompleteReason": "NEED_MORE_INPUT"})),
            json!({"goAway": {"timeLeft": "1s"}}),
            content(json!({"modelTurn": {"parts": [{"inlineData": {"mimeType": "audio/pcm", "data": "AAAA"}}]}})),
        ],
    );
    assert_eq!((log.text.as_str(), log.ends), ("ab", 2));
    assert_eq!(log.stops, [(0, "interrupted".to_owned()), (0, "NEED_MORE_INPUT".to_owned())]);
    assert_eq!(log.incomplete.as_deref(), Some("end-of-input"));

    // A call ends where it comes, with or without arguments: the server waits for its result. What is said after the
    // result is what the turn ends with.
    let call = |args: Value| json!({"toolCall": {"functionCalls": [{"id": "c", "name": "tool", "args": args}]}});
    for (args, summary) in [(json!({"a": 1}), r#"tool complete {"a":1}"#), (json!(null), "tool empty {}")] {
        let log = read_json(Provider::Gemini, [call(args.clone()), said("a"), content(json!({"turnComplete": true}))]);
        assert_eq!(log.summary(), [summary]);
        assert_eq!(log.order, ["call 0", "input 0", "stop 0"]);
        assert_eq!(log.besides.last().unwrap(), "stop finished");
        let log = read_json(Provider::Gemini, [call(args), content(json!({"turnComplete": true}))]);
        assert_eq!(log.besides.last().unwrap(), "stop tool-use");
    }
    // A turn's end has reasons of its own: most tell what a filter has found, but not all.
    for (reason, kind) in [
        ("", "finished"),
        ("TURN_COMPLETE_REASON_UNSPECIFIED", "finished"),
        ("NEED_MORE_INPUT", "finished"),
        ("RESPONSE_REJECTED", "content-filter"),
        ("PROHIBITED_INPUT_CONTENT", "content-filter"),
        ("IMAGE_PROHIBITED_INPUT_CONTENT", "content-filter"),
        ("UNSAFE_PROMPT_FOR_IMAGE_GENERATION", "content-filter"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("NEVER_HEARD_OF", "other"),
    ] {
        let end = content(json!({"turnComplete": true, "turnCompleteReason": reason}));
        let log = read_json(Provider::Gemini, [said("a"), end]);
        assert_eq!(log.besides.last().unwrap(), &format!("stop {kind}"), "{reason}");
    }
    let log = read_json(Provider::Gemini, [json!({"error": {"code": 5, "message": "m", "status": "T"}})]);
    assert_eq!(log.provider_errors, ["m"]);

    // A call that says that it goes on is not taken for a whole one.
    let piece = |call: Value| json!({"toolCall": {"functionCalls": [call]}});
    let begun = piece(json!({"id": "1", "name": "f", "willContinue": true}));
    let more = piece(json!({"partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}], "willContinue": true}));
    let (last, next) = (piece(json!({})), piece(json!({"id": "2", "name": "g", "args": {"b": 2}})));
    let log = read_json(Provider::Gemini, [begun.clone(), more, last, next]);
    assert_eq!(log.summary(), [r#"f complete {"a":"x"}"#, r#"g complete {"b":2}"#]);
    assert_eq!(read_json(Provider::Gemini, [begun]).summary(), ["f truncated(end-of-input) "]);
    // Nor is one whose arguments come as values, all of them at once.
    let values = json!([{"jsonPath": "$.a", "stringValue": "x"}, {"jsonPath": "$.b", "numberValue": 2}]);
    let log = read_json(Provider::Gemini, [piece(json!({"id": "1", "name": "f", "partialArgs": values}))]);
    assert_eq!(log.summary(), [r#"f complete {"a":"x","b":2}"#]);
    // Without its name nobody knows what it calls.
    let log = read_json(Provider::Gemini, [piece(json!({"id": "1", "args": {"a": 1}}))]);
    assert_eq!((log.ids(), log.summary()), (vec!["1"], vec![r#" truncated(no-name) {"a":1}"#.to_owned()]));
}

#[test]
fn cohere_v1() {
    let event = |kind: &str, mut members: Value| {
        members["event_type"] = json!(kind);
        members
    };
    // The plan in pieces, and once more as a whole; or only as a whole, or in pieces.
    let whole = || {
        event(
            "tool-calls-generation",
            json!({"text": "ab", "tool_calls": [{"name": "tool", "parameters": {"a": 1.0}}]}),
        )
    };
    let plan = |text: &str| event("tool-calls-chunk", json!({"tool_call_delta": {"text": text}}));
    let end = || event("stream-end", json!({"finish_reason": "COMPLETE", "response": {"text": "ab"}}));
    let end_with_calls = || {
        let calls = json!([{"name": "tool", "parameters": {"a": 1.0}}]);
        event("stream-end", json!({"finish_reason": "COMPLETE", "response": {"text": "ab", "tool_calls": calls}}))
    };
    for events in [
        vec![plan("a"), plan("b"), whole(), end()],
        vec![whole(), end()],
        vec![plan("a"), event("tool-calls-chunk", json!({"text": "b"})), end_with_calls()],
    ] {
        let log = read_json(Provider::Cohere, events);
        assert_eq!(log.reasoning, "ab");
        assert_eq!(log.summary(), [r#"tool complete {"a":1.0}"#]);
        assert_eq!((log.errors.len(), log.ends), (0, 1));
    }
    // What the server makes of the arguments may be spelt in another way. Of two values nobody knows which is right.
    let chunk = |members: Value| event("tool-calls-chunk", json!({ "tool_call_delta": members }));
    let start = || chunk(json!({"index": 0, "name": "tool"}));
    for (piece, status, errors) in [(r#"{ "a" : 1.0 }"#, "complete", 0), (r#"{"a":2}"#, "truncated", 1)] {
        let events = [start(), chunk(json!({"index": 0, "parameters": piece})), whole(), end()];
        let log = read_json(Provider::Cohere, events);
        assert_eq!((log.calls[0].status, log.errors.len(), log.mismatches.len()), (status, errors, errors), "{piece}");
    }
    let log = read_json(Provider::Cohere, [chunk(json!({"index": 7, "parameters": "{"})), end()]);
    assert_eq!(log.errors, [(CallErrorKind::NotStarted, None)]);
    let log = read_json(Provider::Cohere, [event("never-heard-of", json!({}))]);
    assert_eq!(log.unknown_parts.len(), 1);
}

#[test]
fn mcp() {
    let rpc = |mut message: Value| {
        message["jsonrpc"] = json!("2.0");
        message
    };
    let call = |id: Value| rpc(json!({"id": id, "method": "tools/call", "params": {"name": "tool", "arguments": {}}}));
    let result = |id: Value| rpc(json!({"id": id, "result": {"content": []}}));
    // Ids of all kinds, each found again as itself.
    let ids = [json!(1), json!("1"), json!("a"), json!("\"1\""), json!(-1), json!("-1"), json!(1.5), json!("é\n")];
    let told = ["1", "\"1\"", "a", r#""\"1\"""#, "-1", "\"-1\"", "1.5", "é\n"];
    let events = ids.clone().map(call).into_iter().chain(ids.into_iter().rev().map(result));
    let log = read_json(Provider::Mcp, events);
    assert_eq!(log.ids(), told);
    let wanted: Vec<_> = (0..8).rev().map(|n| format!("result of call {n} {} {{\"content\":[]}}", told[n])).collect();
    assert_eq!((log.besides, log.incomplete), (wanted, None));

    // A result is one only once; a call without one is still being executed.
    let log = read_json(Provider::Mcp, [call(json!(1)), result(json!(1)), result(json!(1)), call(json!(2))]);
    assert_eq!(log.besides[1], r#"result of nobody 1 {"content":[]}"#);
    assert_eq!(log.incomplete.as_deref(), Some("end-of-input"));
    let log =
        read_json(Provider::Mcp, [call(json!(1)), rpc(json!({"id": 1, "error": {"code": -32603, "message": "m"}}))]);
    assert_eq!((log.provider_errors, log.error_kinds), (vec!["m".to_owned()], vec![(None, Some("-32603".to_owned()))]));
    assert_eq!((log.besides.len(), log.incomplete), (1, None));
    let log = read_json(Provider::Mcp, [rpc(json!({"id": null, "error": {"code": -32700, "message": "Parse error"}}))]);
    assert_eq!((log.provider_errors, log.besides.len()), (vec!["Parse error".to_owned()], 0));

    // What is not read is said to be unknown, and what only says what there is, is not.
    for message in [
        json!({"id": 1, "method": "sampling/createMessage", "params": {}}),
        json!({"id": 1, "method": "elicitation/create", "params": {}}),
        json!({"id": 1, "result": {"role": "assistant", "content": [], "model": "m"}}),
        json!({"id": 1, "result": {"action": "accept", "content": {}}}),
        json!({"id": 1, "result": 7}),
        json!({"method": "tools/call", "params": {"name": "tool"}}),
        json!({"id": 1, "method": "never/heard/of"}),
        json!({"id": 1}),
    ] {
        assert_eq!(read_json(Provider::Mcp, [rpc(message.clone())]).unknown.len(), 1, "{message}");
    }
    // A result that is yet to come is not waited for under this id.
    for result in [
        json!({"task": {"taskId": "t"}}),
        json!({"task": {"taskId": "t"}, "resultType": "task"}),
        json!({"resultType": "input_required", "inputRequests": {}}),
    ] {
        let log = read_json(Provider::Mcp, [call(json!(1)), rpc(json!({"id": 1, "result": result.clone()}))]);
        assert_eq!((log.unknown.len(), log.besides.len(), log.incomplete), (1, 0, None), "{result}");
    }
    // What is about no call is the application's.
    for (message, kind) in [
        (json!({"id": 1, "result": {"tools": []}}), "result"),
        (
            json!({"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}),
            "notifications/progress",
        ),
        (json!({"id": 1, "method": "resources/read", "params": {"uri": "file:///a"}}), "resources/read"),
    ] {
        let data = vec![kind.to_owned()];
        assert_eq!(read_json(Provider::Mcp, [rpc(message)]), Log { data, ..Log::default() });
    }
    for message in [
        json!({"id": 1, "method": "tools/list"}),
        json!({"method": "notifications/cancelled", "params": {"requestId": 7}}),
        json!({"id": 1, "method": "ping"}),
        json!({"id": 1, "result": {}}),
    ] {
        assert_eq!(read_json(Provider::Mcp, [rpc(message.clone())]), Log::default(), "{message}");
    }

    // Each side numbers its own requests: what answers one of the server's is not the result of the call with its id.
    for answer in [
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}),
        json!({"role": "assistant", "model": "m", "content": [{"type": "text", "text": "hi"}]}),
        json!({"action": "accept", "content": {}}),
        json!({"roots": []}),
        json!({}),
    ] {
        let events = [call(json!(1)), rpc(json!({"id": 1, "result": answer.clone()}))];
        let log = read_json(Provider::Mcp, events.clone());
        assert_eq!((log.unknown.len(), log.besides.len()), (1, 0), "{answer}");
        assert_eq!(log.incomplete.as_deref(), Some("end-of-input"), "{answer}");
        let log = read_json(Provider::Mcp, events.into_iter().chain([result(json!(1))]));
        assert_eq!(
            (log.besides[0].as_str(), log.incomplete),
            (r#"result of call 0 1 {"content":[]}"#, None),
            "{answer}"
        );
    }

    // As many calls are waited for as may be open.
    let limits = everything().limits(CallLimits::new().open_calls(2));
    let events = (0..3).map(|id| call(json!(id))).chain((0..3).map(|id| result(json!(id))));
    let log = read_with(Some(Provider::Mcp), limits, events.map(|event| event.to_string()));
    let nobody: Vec<_> = log.besides.iter().map(|fact| fact.contains("nobody")).collect();
    assert_eq!(nobody, [false, false, true]);
}

/// Every stream of our own, read as each provider's: it tells something, and where it is not that provider's, it tells
/// that it does not know the events, or that something is wrong with them.
#[test]
fn no_stream_is_taken_for_an_empty_one() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/streams");
    let (mut checked, mut sample) = (0, Sample::one_in(4));
    for folder in std::fs::read_dir(&root).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let name = file.unwrap().path().strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            let events = events_of(&own(&name));
            let own = events.iter().find_map(|event| Provider::detect(event)).unwrap();
            let detected = read_with(None, everything(), &events);
            assert_eq!(read(own, &events), detected, "{name}");
            assert_ne!(detected, Log::default(), "{name}");
            for provider in Provider::ALL.iter().copied().filter(|provider| *provider != own && sample.takes()) {
                let log = read(provider, &events);
                // Claude's events come through Bedrock, chat's through Cloudflare, and some servers have members of two wires.
                let kin = [(Provider::Bedrock, Provider::Anthropic), (Provider::OpenaiChat, Provider::Cloudflare)];
                let is_kin = kin.contains(&(own, provider));
                // Counts and texts stand where a chat's or Cloudflare's do; all else is reported as unknown.
                let is_like = own == Provider::Dashscope || provider == Provider::Cloudflare;
                let is_named = is_like && !log.unknown_parts.is_empty();
                let is_refused = is_named || !log.unknown.is_empty() || !log.provider_errors.is_empty();
                assert!(is_refused || is_kin, "{name} as {provider}: {log:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > size(200, 700), "{checked}");
}
