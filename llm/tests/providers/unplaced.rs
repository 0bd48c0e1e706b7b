//! Fragments that can't be placed: whatever may have lost one is never told as complete or empty.

use jsonspigot_llm::{CallErrorKind, CallLimits, CallStart, Provider};
use serde_json::{Value, json};

use super::support::{Log, anthropic, chat, everything, gemini_call, read, read_structured, read_with, responses};

fn delta_at(index: &Value, text: &str) -> String {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}})
        .to_string()
}

fn errors(log: &Log) -> Vec<CallErrorKind> {
    log.errors.iter().map(|(kind, _)| *kind).collect()
}

const LOST: &str = ",\"dry_run\":true";

#[test]
fn a_fragment_without_an_index_is_the_only_open_calls() {
    let events = |lost: String| {
        [
            anthropic::start(0, "a", "tool"),
            anthropic::delta(0, "{\"path\":\"/\""),
            lost,
            anthropic::delta(0, "}"),
            anthropic::stop(0),
            anthropic::end("tool_use"),
        ]
    };
    for index in [json!(null), json!("0"), json!(0.0), json!(-1), json!({})] {
        let log = read(Provider::Anthropic, events(delta_at(&index, LOST)));
        assert_eq!(log.summary(), [r#"tool complete {"path":"/","dry_run":true}"#], "{index}");
        assert_eq!(log.errors, [], "{index}");
    }
    // An index that names no call: the call's start may be what is wrong, or the index.
    for index in [json!(1), json!("7"), json!(3.0), json!(u64::MAX)] {
        let log = read(Provider::Anthropic, events(delta_at(&index, LOST)));
        assert_eq!(log.summary(), [r#"tool truncated(unplaced) {"path":"/"}"#], "{index}");
        assert_eq!(errors(&log), [CallErrorKind::NotStarted], "{index}");
    }
}

#[test]
fn a_fragment_without_an_index_may_be_any_open_calls() {
    let log = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "a", "one"),
            anthropic::delta(0, "{\"path\":\"/\""),
            anthropic::start(1, "b", "two"),
            delta_at(&json!(null), LOST),
            anthropic::delta(0, "}"),
            anthropic::stop(0),
            anthropic::stop(1),
            anthropic::start(2, "c", "three"),
            anthropic::delta(2, "{}"),
            anthropic::end("tool_use"),
        ],
    );
    let expected = [r#"one truncated(unplaced) {"path":"/"}"#, "two truncated(unplaced) ", "three complete {}"];
    assert_eq!(log.summary(), expected);
    assert_eq!(errors(&log), [CallErrorKind::NotStarted]);
}

/// Spelt as a string an index is that index, from the start on.
#[test]
fn indices_as_strings() {
    let start = json!({"type": "content_block_start", "index": "0",
        "content_block": {"type": "tool_use", "id": "a", "name": "tool", "input": {}}});
    let stop = json!({"type": "content_block_stop", "index": "0"});
    let events = [start.to_string(), delta_at(&json!("0"), "{\"a\":"), delta_at(&json!(0), "1}"), stop.to_string()];
    let log = read(Provider::Anthropic, events);
    assert_eq!((log.summary(), log.errors), (vec![r#"tool complete {"a":1}"#.to_owned()], vec![]));
}

#[test]
fn a_fragment_that_comes_before_its_calls_start() {
    for index in [json!(0), json!("0"), json!(null)] {
        let early = delta_at(&index, "{\"a\":1}");
        let rest = || [anthropic::start(0, "a", "tool"), anthropic::stop(0), anthropic::end("tool_use")];
        let log = read(Provider::Anthropic, [early.clone()].into_iter().chain(rest()));
        assert_eq!(log.summary(), ["tool truncated(unplaced) "], "{index}");
        // Before the message too.
        let log = read(Provider::Anthropic, [early.clone(), anthropic::message_start()].into_iter().chain(rest()));
        assert_eq!(log.summary(), ["tool truncated(unplaced) "], "{index}");
        // But where another message had begun, it was that one's.
        let before = [anthropic::start(1, "b", "before"), early, anthropic::message_start()];
        let log = read(Provider::Anthropic, before.into_iter().chain(rest()));
        assert_eq!((log.calls[1].status, log.calls[1].raw.as_str()), ("empty", ""), "{index}");
    }
}

#[test]
fn a_fragment_that_comes_after_its_calls_end() {
    // The verdict was told, and another call is open that may have lost it.
    let log = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "a", "one"),
            anthropic::delta(0, "{}"),
            anthropic::stop(0),
            anthropic::start(1, "b", "two"),
            anthropic::delta(1, "{\"path\":\"/\""),
            anthropic::delta(0, LOST),
            anthropic::delta(1, "}"),
            anthropic::stop(1),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["one complete {}", r#"two truncated(unplaced) {"path":"/"}"#]);
    assert_eq!(log.errors, [(CallErrorKind::Ended, Some(0))]);
    // The verdict still waits for the reason.
    let log = read(
        Provider::Anthropic,
        [anthropic::start(0, "a", "one"), anthropic::stop(0), anthropic::delta(0, "[]"), anthropic::end("tool_use")],
    );
    assert_eq!(log.summary(), ["one truncated(unplaced) "]);
}

#[test]
fn vercel_and_ag_ui_without_a_call_id() {
    let vercel = |kind: &str, id: &Value, rest: Value| {
        let mut event = json!({"type": kind, "toolCallId": id});
        event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        event.to_string()
    };
    let read_vercel = |id: Value, with_second: bool| {
        let named = |name: &str| json!({"toolName": name});
        let second = with_second.then(|| vercel("tool-input-start", &json!("b"), named("two")));
        let events = [
            Some(vercel("tool-input-start", &json!("a"), named("one"))),
            second,
            Some(vercel("tool-input-delta", &json!("a"), json!({"inputTextDelta": "{\"path\":\"/\""}))),
            Some(vercel("tool-input-delta", &id, json!({"inputTextDelta": LOST}))),
            Some(vercel("tool-input-delta", &json!("a"), json!({"inputTextDelta": "}"}))),
            Some(vercel("tool-input-available", &id, json!({"input": {"path": "/", "dry_run": true}}))),
            Some(json!({"type": "finish", "finishReason": "tool-calls"}).to_string()),
        ];
        read(Provider::VercelUi, events.into_iter().flatten()).summary()
    };
    for id in [json!(null), json!("")] {
        assert_eq!(read_vercel(id.clone(), false), [r#"one complete {"path":"/","dry_run":true}"#], "{id}");
        let cut = [r#"one truncated(unplaced) {"path":"/"}"#, "two truncated(unplaced) "];
        assert_eq!(read_vercel(id.clone(), true), cut, "{id}");
    }
    let ag_ui = |kind: &str, id: Option<&str>, delta: &str| {
        json!({"type": kind, "toolCallId": id, "toolCallName": "tool", "delta": delta}).to_string()
    };
    let events = [
        ag_ui("TOOL_CALL_START", Some("a"), ""),
        ag_ui("TOOL_CALL_ARGS", Some("a"), "{\"path\":\"/\""),
        ag_ui("TOOL_CALL_ARGS", None, LOST),
        ag_ui("TOOL_CALL_ARGS", Some("a"), "}"),
        ag_ui("TOOL_CALL_END", None, ""),
    ];
    let log = read(Provider::AgUi, events);
    assert_eq!(log.summary(), [r#"tool complete {"path":"/","dry_run":true}"#]);
}

#[test]
fn responses_without_an_output_index() {
    let without = |text: &str| {
        let mut event: Value = serde_json::from_str(text).unwrap();
        event.as_object_mut().unwrap().remove("output_index");
        event
    };
    let done = r#"{"path":"/","dry_run":true}"#;
    let events = |with_second: bool| {
        let second = with_second.then(|| responses::added(1, "b", "two"));
        let events = [
            Some(responses::added(0, "a", "one")),
            second,
            Some(responses::delta(0, "{\"path\":\"/\"")),
            Some(without(&responses::delta(0, LOST)).to_string()),
            Some(responses::delta(0, "}")),
            Some(without(&responses::done(0, done)).to_string()),
            Some(without(&responses::item_done(0, "a", "one", done, "completed")).to_string()),
            Some(responses::end("completed", &json!({}))),
        ];
        events.into_iter().flatten()
    };
    let log = read(Provider::OpenaiResponses, events(false));
    assert_eq!((log.summary(), log.errors), (vec![format!("one complete {done}")], vec![]));
    let log = read(Provider::OpenaiResponses, events(true));
    assert_eq!(log.summary(), [r#"one truncated(mismatch) {"path":"/"}"#, "two truncated(unplaced) "]);
    // The item's id says whose it is.
    let with_item_id = events(true).map(|text| {
        let mut event: Value = serde_json::from_str(&text).unwrap();
        if event.get("output_index").is_none() && event.get("item").is_none() && event.get("response").is_none() {
            event["item_id"] = json!("fc_a");
        }
        event.to_string()
    });
    let log = read(Provider::OpenaiResponses, with_item_id);
    assert_eq!(log.summary()[0], format!("one complete {done}"));
    // Where no event has a place at all, all go by ids: items by those of their calls, pieces by those of their items.
    let piece = |id: &str, text: &str| {
        let mut event = without(&responses::delta(0, text));
        event["item_id"] = json!(id);
        event.to_string()
    };
    let events = [
        without(&responses::added(0, "a", "one")).to_string(),
        without(&responses::added(1, "b", "two")).to_string(),
        piece("fc_b", "[2"),
        piece("fc_a", "[1]"),
        piece("fc_b", "]"),
        without(&responses::item_done(0, "a", "one", "[1]", "completed")).to_string(),
        without(&responses::item_done(1, "b", "two", "[2]", "completed")).to_string(),
        responses::end("completed", &json!({})),
    ];
    let log = read(Provider::OpenaiResponses, events);
    assert_eq!(log.summary(), ["one complete [1]", "two complete [2]"]);
    assert_eq!(log.errors, []);
}

#[test]
fn a_chat_entry_whose_index_was_lost() {
    let lost = chat::entries(&json!([{"function": {"arguments": LOST}}]));
    let (start, end) = (chat::call(0, "a", "one", "{\"path\":\"/\""), chat::end("tool_calls"));
    let log = read(Provider::OpenaiChat, [start.clone(), lost.clone(), chat::more(0, "}"), end.clone()]);
    assert_eq!(log.summary(), [r#"one complete {"path":"/","dry_run":true}"#]);
    let second = chat::call(1, "b", "two", "{}");
    let log = read(Provider::OpenaiChat, [start, second, lost, chat::more(0, "}"), end]);
    assert_eq!(log.summary(), [r#"one truncated(unplaced) {"path":"/"}"#, "two truncated(unplaced) {}"]);
}

/// A refused call's fragments are its own: they take nothing from the calls that are open.
#[test]
fn fragments_of_refused_calls_are_placed() {
    let limits = CallLimits::new().open_calls(1).name_bytes(4);
    let log = read_with(
        Some(Provider::Anthropic),
        everything().limits(limits),
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
    // Where one was refused that has neither place nor id, a fragment without a place may be its, and is nobody's.
    let chunk = |delta: Value| json!({"event_type": "tool-calls-chunk", "tool_call_delta": delta}).to_string();
    let log = read_with(
        Some(Provider::Cohere),
        everything().limits(limits),
        [
            chunk(json!({"index": 0, "name": "one"})),
            chunk(json!({"name": "two"})),
            chunk(json!({"parameters": "{\"b\":1}"})),
            chunk(json!({"index": 0, "parameters": "{}"})),
            json!({"event_type": "stream-end", "finish_reason": "COMPLETE"}).to_string(),
        ],
    );
    assert_eq!(log.summary(), ["one truncated(unplaced) {}"]);
    assert_eq!(errors(&log), [CallErrorKind::OpenCallsLimit, CallErrorKind::NotStarted]);
}

/// Text for a call whose input comes as values, and the other way round.
#[test]
fn mixed_forms() {
    let arg = json!({"jsonPath": "$.a", "numberValue": 1});
    let log = read(
        Provider::Gemini,
        [
            gemini_call(&json!({"name": "tool", "partialArgs": [arg], "willContinue": true})),
            json!({"event_type": "step.delta", "delta": {"arguments": "{\"b\":2}"}}).to_string(),
            gemini_call(&json!({"partialArgs": [{"jsonPath": "$.c", "numberValue": 3}], "willContinue": true})),
            gemini_call(&json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"tool truncated(mixed) {"a":1 ,"c":3 "#]);
    assert_eq!(errors(&log), [CallErrorKind::Mixed]);
    let step = json!({"type": "function_call", "id": "i", "name": "tool", "arguments": {}});
    let log = read(
        Provider::Gemini,
        [
            json!({"event_type": "step.start", "index": 0, "step": step}).to_string(),
            json!({"event_type": "step.delta", "index": 0, "delta": {"arguments": "{"}}).to_string(),
            gemini_call(&json!({"partialArgs": [{"jsonPath": "$.c", "numberValue": 3}], "willContinue": true})),
            json!({"event_type": "step.delta", "index": 0, "delta": {"arguments": "}"}}).to_string(),
            json!({"event_type": "step.stop", "index": 0}).to_string(),
        ],
    );
    assert_eq!(
        (log.summary(), errors(&log)),
        (vec!["tool truncated(mixed) {}".to_owned()], vec![CallErrorKind::Mixed])
    );
}

/// A call that waits for its id is told before the next one is: calls are numbered in that order.
#[test]
fn a_call_without_an_id_does_not_wait_for_longer_than_the_next_call() {
    let log = read(
        Provider::OpenaiChat,
        [
            chat::call(0, json!(null), "first", ""),
            chat::call(1, "b", "second", "{}"),
            chat::call(0, "a", json!(null), "{}"),
            chat::end("tool_calls"),
        ],
    );
    assert_eq!(log.summary(), ["first complete {}", "second complete {}"]);
    assert_eq!((log.ids(), log.calls[0].at_end.0.as_str()), (vec!["", "b"], "a"));
}

/// Calls by their ids, with these limits: what is started, and the fragments between, each with its slot.
fn by_ids(limits: CallLimits, signals: &[(&str, Option<&str>)]) -> Log {
    let (mut log, mut calls) = (Log::default(), everything().limits(limits).build());
    for (slot, fragment) in signals {
        match fragment {
            Some(text) => calls.delta_with(*slot, text, |event| log.tell(event)),
            None => calls.start_with(*slot, CallStart::new(*slot), |event| log.tell(event)),
        }
    }
    calls.end_message_with(None, |event| log.tell(event));
    log
}

#[test]
fn fragments_of_a_refused_id_are_no_other_call_s() {
    let limits = CallLimits::new().open_calls(1).name_bytes(4);
    let log = by_ids(limits, &[("a", None), ("four", None), ("four", Some("x")), ("a", Some("{}"))]);
    assert_eq!(log.summary(), ["a complete {}"]);
    // An id that is too long is not known again, so that the fragment may have been the open call's.
    let log = by_ids(limits, &[("a", None), ("fives", None), ("fives", Some("x")), ("a", Some("{}"))]);
    assert_eq!(log.summary(), ["a truncated(unplaced) {}"]);
}

#[test]
fn a_fragment_before_its_call_is_remembered_by_its_id() {
    let limits = CallLimits::new().name_bytes(4);
    let log = by_ids(limits, &[("four", Some("x")), ("a", None), ("a", Some("{}"))]);
    assert_eq!(log.summary(), ["a complete {}"]);
    let log = by_ids(limits, &[("four", Some("x")), ("four", None), ("four", Some("{}"))]);
    assert_eq!(log.summary(), ["four truncated(unplaced) {}"]);
    // If it is too long for that, it may be the next call's.
    let log = by_ids(limits, &[("fives", Some("x")), ("a", None), ("a", Some("{}"))]);
    assert_eq!(log.summary(), ["a truncated(unplaced) {}"]);
}

/// The message's own text is no call that a fragment without an index could be of.
#[test]
fn structured_text_is_not_the_only_open_call() {
    let text = |piece: Value| json!({"type": "content_block_delta", "index": 0, "delta": piece}).to_string();
    let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let log = read_structured(
        Some(Provider::Anthropic),
        [
            start.to_string(),
            text(json!({"type": "text_delta", "text": "{\"t\":1}"})),
            anthropic::start(1, "a", "tool"),
            delta_at(&Value::Null, "{}"),
            anthropic::stop(1),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(
        (log.summary(), log.errors),
        (vec![" complete {\"t\":1}".to_owned(), "tool complete {}".to_owned()], vec![])
    );
}

/// A whole input without an id, where nothing is open: a call of its own.
#[test]
fn a_whole_input_that_names_no_call() {
    let event = json!({"type": "tool-input-available", "toolName": "tool", "input": {"a": 1}}).to_string();
    let log = read_with(Some(Provider::VercelUi), everything(), [event]);
    assert_eq!((log.summary(), log.errors), (vec!["tool complete {\"a\":1}".to_owned()], vec![]));
}

/// Servers that don't count their items put each at 0; the items have ids of their own.
#[test]
fn responses_with_one_output_index_for_all() {
    let piece = |id: &str, text: &str| {
        let mut event: Value = serde_json::from_str(&responses::delta(0, text)).unwrap();
        event["item_id"] = json!(format!("fc_{id}"));
        event.to_string()
    };
    let done = |id: &str, name: &str, text: &str| responses::item_done(0, id, name, text, "completed");
    let events = [
        responses::added(0, "a", "one"),
        responses::added(0, "b", "two"),
        piece("a", "[1"),
        piece("b", "[2]"),
        responses::added(0, "c", "three"),
        piece("a", "]"),
        done("b", "two", "[2]"),
        piece("c", "[3]"),
        done("a", "one", "[1]"),
        done("c", "three", "[3]"),
        responses::end("completed", &json!({})),
    ];
    let log = read(Provider::OpenaiResponses, events);
    assert_eq!(log.summary(), ["one complete [1]", "two complete [2]", "three complete [3]"]);
    assert_eq!(log.errors, []);
    // A piece whose two places say two calls, where places differ, is nobody's.
    let events = [responses::added(0, "a", "one"), responses::added(1, "b", "two"), piece("b", "[1]")];
    let log = read(Provider::OpenaiResponses, events);
    assert!(log.summary().iter().all(|call| call.contains("truncated")), "{:?}", log.summary());
}
