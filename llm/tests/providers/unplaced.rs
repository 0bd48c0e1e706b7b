//! Fragments of calls that a limit has refused. They do not truncate the open calls, unless their call is not known.
//! Streams with fragments of unknown calls are in `tests/wires`: `piece-*.txt` and `pieces-*.txt`.

use jsonspigot_llm::{CallErrorKind, CallLimits, CallStart, Provider};
use serde_json::{Value, json};

use super::support::{Log, anthropic, chat, everything, read_with};

fn read_limited(provider: Provider, limits: CallLimits, events: impl IntoIterator<Item = String>) -> Log {
    read_with(Some(provider), everything().limits(limits), events)
}

#[test]
fn fragments_of_refused_calls_are_placed() {
    let log = read_limited(
        Provider::Anthropic,
        CallLimits::new().open_calls(1).name_bytes(4),
        [
            anthropic::start(0, "a", "one"),
            anthropic::start(1, "b", "two"),
            anthropic::delta(1, "{\"b\":"),
            anthropic::start(2, "c", "three"),
            anthropic::delta(2, "{\"c\":"),
            anthropic::delta(0, "{}"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["one complete {}"]);
}

#[test]
fn fragments_without_a_place_beside_refused_calls() {
    let mut nowhere: Value = serde_json::from_str(&anthropic::delta(0, "BB")).unwrap();
    nowhere["index"] = Value::Null;
    let log = read_limited(
        Provider::Anthropic,
        CallLimits::new().open_calls(1),
        [
            anthropic::start(0, "a", "one"),
            anthropic::delta(0, "{\"v\":\"aa"),
            anthropic::start(1, "b", "two"),
            nowhere.to_string(),
            anthropic::delta(0, "aa\"}"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["one truncated(unplaced) {\"v\":\"aaaa\"}"]);

    let refused = json!([{"id": "c", "function": {"name": "c", "arguments": "{}"}}]);
    let events = [
        chat::call(0, "a", "one", "{\"v\":\"aa"),
        chat::call(1, "b", "two", "{}"),
        chat::entries(&refused),
        chat::entries(&json!([{"function": {"arguments": "LOST"}}])),
        chat::more(0, "aa\"}"),
        chat::end("tool_calls"),
    ];
    let log = read_limited(Provider::OpenaiChat, CallLimits::new().open_calls(2), events);
    assert_eq!(log.summary(), ["one truncated(unplaced) {\"v\":\"aaaa\"}", "two truncated(unplaced) {}"]);

    // The refused call has neither a place nor an id.
    let chunk = |delta: Value| json!({"event_type": "tool-calls-chunk", "tool_call_delta": delta}).to_string();
    let events = [
        chunk(json!({"index": 0, "name": "one"})),
        chunk(json!({"name": "two"})),
        chunk(json!({"parameters": "{\"b\":1}"})),
        chunk(json!({"index": 0, "parameters": "{}"})),
        json!({"event_type": "stream-end", "finish_reason": "COMPLETE"}).to_string(),
    ];
    let log = read_limited(Provider::Cohere, CallLimits::new().open_calls(1).name_bytes(4), events);
    assert_eq!(log.summary(), ["one truncated(unplaced) {}"]);
    assert_eq!(log.errors, [(CallErrorKind::OpenCallsLimit, None), (CallErrorKind::NotStarted, None)]);
}

/// Checks that ids of at most `name_bytes` are remembered for refused calls and for fragments before their call. A
/// fragment with a longer id may belong to any call.
#[test]
fn fragments_by_the_id_of_their_call() {
    let unplaced = "truncated(unplaced)";
    for (open_calls, signals, wanted) in [
        (1, [("a", None), ("four", None), ("four", Some("x")), ("a", Some("{}"))], "a complete {}".to_owned()),
        (1, [("a", None), ("fives", None), ("fives", Some("x")), ("a", Some("{}"))], format!("a {unplaced} {{}}")),
        (9, [("four", Some("x")), ("a", None), ("a", Some("{}")), ("a", Some(""))], "a complete {}".to_owned()),
        (
            9,
            [("four", Some("x")), ("four", None), ("four", Some("{}")), ("four", Some(""))],
            format!("four {unplaced} {{}}"),
        ),
        (9, [("fives", Some("x")), ("a", None), ("a", Some("{}")), ("a", Some(""))], format!("a {unplaced} {{}}")),
    ] {
        let limits = CallLimits::new().open_calls(open_calls).name_bytes(4);
        let (mut log, mut calls) = (Log::default(), everything().limits(limits).build());
        for (id, fragment) in signals {
            match fragment {
                Some(text) => calls.delta_with(id, text, |event| log.tell(event)),
                None => calls.start_with(id, CallStart::new(id), |event| log.tell(event)),
            }
        }
        calls.end_message_with(None, |event| log.tell(event));
        assert_eq!(log.summary(), [wanted], "{signals:?}");
    }
}
