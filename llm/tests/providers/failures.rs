//! The provider's errors in all their shapes, and events that mean nothing: each is reported as what it is.

use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{Log, anthropic, chat, everything, read, read_with, responses};

/// Returns each error with its type and code, as `message | type | code`.
fn failures(log: &Log) -> Vec<String> {
    let told = log.provider_errors.iter().zip(&log.error_kinds);
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    told.map(|(message, (kind, code))| format!("{message} | {} | {}", part(kind), part(code))).collect()
}

/// Reads one event, of a provider that is named or detected.
fn alone(provider: Option<Provider>, event: &Value) -> Log {
    read_with(provider, everything(), [event.to_string()])
}

/// Checks that an event that calls itself an error is one for every provider, alone or in the middle of a stream.
#[test]
fn events_that_call_themselves_errors() {
    let aws = json!({"message": "Slow down"});
    for (event, failure) in [
        (json!({"error": {"message": "m", "type": "t", "param": null, "code": "c"}}), "m | t | c"),
        (json!({"error": {"code": 400, "message": "m", "status": "INVALID"}}), "m | INVALID | 400"),
        (json!({"error": {"code": -32000, "message": "m"}}), "m |  | -32000"),
        (json!({"error": {"code": 1.5, "message": "m", "status": 500}}), "m |  | 1.5"),
        (json!({"error": {"Message": "m", "__type": "com.amazon#Throttled"}}), "m | Throttled | "),
        (json!({"error": {"code": null, "x": 1}}), r#"{"code":null,"x":1} |  | "#),
        (json!({"error": {"code": 5, "detail": {"x": 1}}}), r#"{"x":1} |  | 5"#),
        (json!({"error": "m"}), "m |  | "),
        (json!({"error": 5}), "5 |  | "),
        (json!({"error": ["m", "n"]}), "m |  | "),
        (json!({"error": [5]}), "[5] |  | "),
        (json!({"error_code": "BAD_REQUEST", "message": "m"}), "m |  | BAD_REQUEST"),
        (json!({"error_code": 17, "error_msg": "m", "id": "i"}), "m |  | 17"),
        (json!({"fault": {"faultstring": "m", "detail": {"errorcode": "c"}}}), "m |  | c"),
        (json!({"base_resp": {"status_code": 1004, "status_msg": "m"}}), "m |  | 1004"),
        (json!({"error": "m", "code": "c"}), "m |  | c"),
        (json!({"error": "invalid_grant", "message": "m", "code": 7}), "m | invalid_grant | 7"),
        (json!({"error": {"message": "m"}, "code": 7}), "m |  | 7"),
        (json!({"error": {"type": "t", "message": "m"}, "message": "n"}), "m | t | "),
        (json!({"type": "error", "error": {"type": "t", "message": "m"}, "request_id": "r"}), "m | t | "),
        (json!({"type": "error", "code": "c", "message": "m", "param": null, "sequence_number": 1}), "m |  | c"),
        (json!({"type": "error"}), r#"{"type":"error"} |  | "#),
        (json!({"event_type": "error", "error": {"code": "c", "message": "m"}}), "m |  | c"),
        (json!({"object": "error", "message": "m", "type": "t", "code": 40}), "m | t | 40"),
        (json!({"throttlingException": aws}), "Slow down | throttlingException | "),
        (json!({"modelTimeoutException": aws}), "Slow down | modelTimeoutException | "),
    ] {
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let log = alone(provider, &event);
            assert_eq!((failures(&log), log.unknown), (vec![failure.to_owned()], vec![]), "{provider:?} {event}");
        }
        let start = json!({"type": "message_start", "message": {}});
        let events = [start.to_string(), anthropic::start(0, "a", "tool"), event.to_string()];
        for provider in [Some(Provider::Anthropic), None] {
            let log = read_with(provider, everything(), &events);
            assert_eq!(failures(&log), [failure], "{event}");
            assert_eq!(log.summary(), ["tool truncated(error) "], "{event}");
        }
    }
}

/// Checks that the body of an HTTP error may have only a message, if it is the only event.
#[test]
fn bodies_that_are_errors_only_if_they_are_alone() {
    for (event, failure) in [
        (json!({"message": "m"}), "m |  | "),
        (json!({"Message": "m", "__type": "a.b#AccessDenied"}), "m | AccessDenied | "),
        (json!({"id": "i", "message": "m"}), "m |  | "),
        (json!({"detail": "m"}), "m |  | "),
        (json!({"detail": [{"loc": ["body"], "msg": "m", "type": "missing"}]}), "m |  | "),
        (json!({"details": {"x": 1}}), r#"{"x":1} |  | "#),
        (json!({"errors": ["m"]}), "m |  | "),
        (json!({"type": "about:blank", "title": "T", "status": 404, "detail": "m"}), "m | about:blank | "),
        (json!({"type": "t", "error": "m"}), "m | t | "),
    ] {
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let log = alone(provider, &event);
            assert_eq!((failures(&log), &log.unknown), (vec![failure.to_owned()], &vec![]), "{provider:?} {event}");
        }
        // In the middle of a stream, before one, or with another member, it is reported as unknown.
        let text = event.to_string();
        let events = [chat::end("stop"), text.clone(), chat::end("stop")];
        let behind = read(Provider::OpenaiChat, &events);
        let before = read_with(None, everything(), &events[1..]);
        let mut more = event;
        more["level"] = json!("info");
        let with_more = alone(None, &more);
        for (log, told) in [(behind, text.clone()), (before, text), (with_more, more.to_string())] {
            assert_eq!((failures(&log), log.not_known()), (vec![], vec![told]));
        }
    }
    // Nothing is said.
    for event in [json!({}), json!({"message": ""}), json!({"error": null}), json!({"error": {}}), json!({"id": "i"})] {
        let log = alone(None, &event);
        assert_eq!((failures(&log), log.unknown), (vec![], vec![event.to_string()]));
    }
}

#[test]
fn errors_inside_events() {
    let told = |provider: Provider, event: Value| failures(&alone(Some(provider), &event));
    let error = json!({"message": "m", "type": "t", "code": 5});
    let cases = [
        (Provider::OpenaiChat, json!({"choices": [], "error": error}), "m | t | 5"),
        (Provider::OpenaiChat, json!({"object": "chat.completion.chunk", "error": error}), "m | t | 5"),
        (Provider::OpenaiChat, json!({"choices": [{"delta": {}, "error": error}]}), "m | t | 5"),
        (Provider::OpenaiChat, json!({"choices": [{"delta": {"error": error}}]}), "m | t | 5"),
        (Provider::OpenaiChat, json!({"choices": [], "x_groq": {"error": "m"}}), "m |  | "),
        (Provider::OpenaiChat, json!({"choices": [], "base_resp": {"status_code": 5, "status_msg": "m"}}), "m |  | 5"),
        (Provider::Anthropic, json!({"type": "message_delta", "delta": {"error": error}}), "m | t | 5"),
        (
            Provider::ClaudeCode,
            json!({"type": "stream_event", "session_id": "s", "event": {"type": "error", "error": error}}),
            "m | t | 5",
        ),
        (Provider::OpenaiResponses, json!({"type": "response.failed", "response": {"error": error}}), "m | t | 5"),
        (Provider::Gemini, json!({"candidates": [], "error": {"code": 5, "message": "m", "status": "T"}}), "m | T | 5"),
        (Provider::Cohere, json!({"type": "message-end", "delta": {"error": "m"}}), "m |  | "),
        (Provider::Ollama, json!({"done": false, "error": "m"}), "m |  | "),
        (Provider::AgUi, json!({"type": "RUN_ERROR", "message": "m", "code": "c"}), "m |  | c"),
        (Provider::AgUi, json!({"type": "RUN_ERROR"}), r#"{"type":"RUN_ERROR"} |  | "#),
        (Provider::VercelUi, json!({"type": "error", "errorText": "m"}), "m |  | "),
    ];
    for (provider, event, failure) in cases {
        assert_eq!(told(provider, event.clone()), [failure], "{provider} {event}");
    }
}

/// Checks servers that send an empty error member.
#[test]
fn empty_errors_are_none() {
    for empty in [json!(null), json!({}), json!(""), json!([]), json!(false)] {
        for event in [
            json!({"choices": [], "error": empty}),
            json!({"choices": [{"delta": {}, "error": empty}]}),
            json!({"choices": [{"delta": {"error": empty}}], "base_resp": {"status_code": 0, "status_msg": "success"}}),
            json!({"done": false, "error": empty, "choices": [], "candidates": []}),
        ] {
            for provider in [Provider::OpenaiChat, Provider::Gemini, Provider::Ollama] {
                assert_eq!(failures(&alone(Some(provider), &event)), [""; 0], "{provider} {event}");
            }
        }
    }
}

/// Checks that an error is reported at once, and only once, while the provider is not detected.
#[test]
fn errors_are_told_at_once() {
    let mut calls = ProviderStream::detecting(ToolCalls::builder().build());
    let mut told = 0;
    let mut count = |event: StreamEvent<'_>| told += usize::from(matches!(event, StreamEvent::ProviderError { .. }));
    calls.push_with(r#"{"type":"ping"}"#, &mut count);
    calls.push_with(r#"{"type":"error","error":{"message":"m"}}"#, &mut count);
    assert_eq!(calls.provider(), None);
    calls.push_with(&responses::end("completed", &json!({})), &mut count);
    assert_eq!(calls.provider(), Some(Provider::OpenaiResponses));
    calls.finish_with(&mut count);
    assert_eq!(told, 1);
}

#[test]
fn events_of_unknown_types_are_told() {
    for provider in Provider::ALL.iter().copied() {
        for event in [json!({"type": "never_heard_of", "error": "m", "y": 1}), json!({"x": 1})] {
            let log = alone(Some(provider), &event);
            let text = vec![event.to_string()];
            // An event with a type is taken for a new one of the provider's.
            let expected = match event.get("type") {
                Some(_) => Log { unknown_parts: text, ..Log::default() },
                None => Log { unknown: text, ..Log::default() },
            };
            assert_eq!(log, expected, "{provider}");
        }
    }
    // Known types that report nothing, or an application's data.
    for (provider, kinds) in [
        (Provider::Anthropic, "ping"),
        (Provider::Cohere, "content-end citation-start citation-end debug"),
        (Provider::AgUi, "RAW CUSTOM STEP_STARTED STATE_DELTA MESSAGES_SNAPSHOT"),
        (Provider::VercelUi, "start-step finish-step data-x"),
        (Provider::Gemini, "interaction.status_update step.start"),
        (Provider::OpenaiResponses, "keepalive response.in_progress response.queued response.mcp_call.failed"),
        (Provider::OpenaiResponses, "response.output_text.annotation.added response.web_search_call.searching"),
        (Provider::OpenaiResponses, "response.reasoning_summary_part.added"),
    ] {
        for kind in kinds.split(' ') {
            let member = if provider == Provider::Gemini { "event_type" } else { "type" };
            let log = alone(Some(provider), &json!({ member: kind }));
            let data = log.data.clone();
            assert_eq!(log, Log { data, ..Log::default() }, "{provider} {kind}");
        }
    }
    for (provider, event) in [
        (Provider::OpenaiChat, json!({"choices": [], "prompt_filter_results": []})),
        (Provider::OpenaiChat, json!({"object": "chat.completion.chunk"})),
        (Provider::Gemini, json!({"responseId": "r", "modelVersion": "m"})),
        (Provider::Bedrock, json!({"metadata": {"metrics": {}}})),
        (Provider::Ollama, json!({"model": "m", "done": false})),
    ] {
        let log = alone(Some(provider), &event);
        let besides = log.besides.clone();
        assert!(besides.iter().all(|told| told.starts_with("message ")), "{besides:?}");
        let incomplete = log.incomplete.clone();
        assert_eq!(incomplete.is_some(), !besides.is_empty(), "a message has begun");
        assert_eq!(log, Log { besides, incomplete, ..Log::default() }, "{provider} {event}");
    }
}

/// Checks that a list of objects is as many events, and that any other list is a bad frame.
#[test]
fn lists_of_events() {
    let events = [chat::call(0, "a", "tool", "{"), chat::more(0, "}"), chat::end("tool_calls")];
    let list = format!("[{}]", events.join(" ,\n"));
    let wanted = read(Provider::OpenaiChat, &events);
    assert_eq!(read(Provider::OpenaiChat, [&list]), wanted);
    assert_eq!(read_with(None, everything(), [&list]), wanted);
    for bad in ["[]", "[1]", "[{}, 1]", "[[{}]]", "[{}", "[{}] x"] {
        for provider in [Some(Provider::OpenaiChat), None] {
            assert_eq!(read_with(provider, everything(), [bad]).bad_frames, [bad], "{provider:?}");
        }
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(json!(null)), Just(json!(1)), Just(json!("error")), Just(json!("m")), Just(json!({}))];
    let name = prop::sample::select(vec!["type", "error", "message", "code", "detail", "object", "x", "id", "data-"]);
    leaf.prop_recursive(2, 16, 4, move |inner| {
        prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..5)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    })
}

proptest! {
    /// Checks that an object without a meaning for any provider is reported whole, and that nothing else is reported
    /// except an error beside it.
    #[test]
    fn nothing_is_dropped_in_silence(mut events in prop::collection::vec(values(), 1..4)) {
        // A message is Ollama's.
        events.retain(|event| event.is_object() && !event["message"].is_object());
        let texts: Vec<_> = events.iter().map(Value::to_string).collect();
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let log = read_with(provider, everything(), &texts);
            let told = log.not_known().len() + log.provider_errors.len() + log.bad_frames.len() + log.data.len();
            let is_beside = !log.provider_errors.is_empty() && told - log.unknown_parts.len() <= texts.len();
            prop_assert!(told == texts.len() || (told > texts.len() && is_beside), "{:?} {:?}: {:?}", provider, &texts, log);
        }
    }
}

/// Checks the time after which the same request may succeed, in the message, in a member of its own, or in Google's
/// details.
#[test]
fn waiting_times() {
    let told = |error: Value| {
        let log = alone(Some(Provider::OpenaiChat), &json!({ "error": error }));
        assert_eq!(log.retries.len(), 1, "{log:?}");
        log.retries[0]
    };
    let times = "1.2s=1200|350ms=350|1m3s=63000|1m 3s=63000|1h12m30.5s=4350500|2d=172800000|0s=0|0.0005s=0|\
        5 minutes=300000|20 seconds=20000|1.23456789s=1234|6m0s 7s=360000|18446744073709551615s=18446744073709551615|\
        18446744073709551615d18446744073709551615d=18446744073709551615|18446744073709551616s=|-1s=|NaN=|Infinity=|\
        infs=|1e9s=|1.2.3s=|.5s=|s=|=|5 parsecs=|5 fortnights=|soon=";
    for time in times.split('|') {
        let (said, millis) = time.split_once('=').unwrap();
        let millis = millis.parse().ok();
        // Where nothing can be read, what the code says counts.
        let message = format!("Rate limit reached. Please try again in {said}. Visit https://example.com.");
        assert_eq!(told(json!({"message": message, "code": "rate_limit_exceeded"})), (Some("later"), millis), "{said}");
        let google = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": said}]);
        let google = json!({"message": "m", "status": "RESOURCE_EXHAUSTED", "details": google});
        assert_eq!(told(google), (Some("later"), millis), "{said}");
    }
    let members = json!([
        [7, 7000], [0.25, 250], ["7", 7000], ["1m", 60_000], [-7, null], ["-7", null], [1e300, null], ["7,", null],
        ["99999999999999999999", null], [null, null], [[7], null], [{"seconds": 7}, null], [true, null],
    ]);
    for row in members.as_array().unwrap() {
        let (member, millis) = (&row[0], row[1].as_u64());
        let error = json!({"message": "m", "type": "overloaded_error", "retry_after": member});
        assert_eq!(told(error), (Some("later"), millis), "{member}");
    }
    // A time counts more than a code that says never, as an account may be out of credit for a while.
    let error = json!({"message": "try again in 2s", "code": "insufficient_quota"});
    assert_eq!(told(error), (Some("later"), Some(2000)));
    assert_eq!(told(json!({"message": "try again later", "code": "insufficient_quota"})), (Some("never"), None));
    assert_eq!(told(json!({"message": "m"})), (None, None));
}
