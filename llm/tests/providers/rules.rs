//! The ten rules of reading streamed calls, each with tests that fail when its handling is taken out.

use jsonspigot::{ErrorKind, PatternSet};
use jsonspigot_llm::{CallErrorKind, Provider, ProviderStream, ToolCalls};
use serde_json::json;

use super::support::{anthropic, chat, everything, gemini_call as part, read, read_with, responses};

/// Rule 1: a call is keyed by message, choice and slot, never by its name, never by its id alone.
#[test]
fn rule_1_keys() {
    // Two calls of one tool, interleaved.
    let log = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "a", "tool"),
            anthropic::start(1, "b", "tool"),
            anthropic::delta(0, r#"{"n":"#),
            anthropic::delta(1, r#"{"n":"#),
            anthropic::delta(0, "0}"),
            anthropic::delta(1, "1}"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), [r#"tool complete {"n":0}"#, r#"tool complete {"n":1}"#]);

    // The same index in two choices, and the same id too.
    let in_choice = |choice: u64, arguments: &str| {
        let call = json!({"index": 0, "id": "call_0", "function": {"name": "tool", "arguments": arguments}});
        json!({"choices": [{"index": choice, "delta": {"tool_calls": [call]}}]}).to_string()
    };
    let chunks = [in_choice(0, "{\"c\""), in_choice(1, "{\"c\""), in_choice(0, ":0}"), in_choice(1, ":1}")];
    let log = read(Provider::OpenaiChat, chunks.into_iter().chain([chat::end("tool_calls")]));
    let choices: Vec<_> = log.calls.iter().map(|call| (call.choice, call.raw.as_str())).collect();
    assert_eq!(choices, [(0, r#"{"c":0}"#), (1, r#"{"c":1}"#)]);

    // The same id at two indices, as servers without ids of their own give it.
    let at = |index: u64, arguments: &str| chat::call(index, "call_0", "tool", arguments);
    let log = read(Provider::OpenaiChat, [at(0, "{}"), at(1, "[]"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), ["tool complete {}", "tool complete []"]);

    // The same index in another message.
    let log = read(
        Provider::Anthropic,
        [
            anthropic::message_start(),
            anthropic::start(0, "a", "tool"),
            anthropic::delta(0, "{}"),
            anthropic::end("tool_use"),
            anthropic::message_start(),
            anthropic::start(0, "a", "tool"),
            anthropic::delta(0, "[]"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["tool complete {}", "tool complete []"]);
    assert_eq!(log.errors, []);
}

/// Rule 2: empty and null are absent; the first id and name win; a later, different id is another call.
#[test]
fn rule_2_absent() {
    for absent in [json!(null), json!("")] {
        let log = read(
            Provider::OpenaiChat,
            [
                chat::call(0, "call_1", "tool", absent.clone()),
                chat::call(0, absent.clone(), absent.clone(), "{\"a\""),
                chat::call(0, absent.clone(), absent.clone(), ":1}"),
                chat::call(0, absent.clone(), absent.clone(), absent.clone()),
                chat::end("tool_calls"),
            ],
        );
        assert_eq!(log.summary(), [r#"tool complete {"a":1}"#], "{absent}");
        assert_eq!((log.ids(), log.errors.len()), (vec!["call_1"], 0), "{absent}");
    }
    // An id and a name that come late are told as soon as both are there, and the first ones stay. Another name contradicts.
    let log = read(
        Provider::OpenaiChat,
        [chat::call(0, json!(null), "first", ""), chat::call(0, "call_1", "second", "{}"), chat::end("tool_calls")],
    );
    assert_eq!((log.ids(), log.summary()), (vec!["call_1"], vec!["first truncated(mismatch) {}".to_owned()]));
    for parts in [[("", "tool"), ("call_1", "")], [("call_1", ""), ("", "tool")]] {
        let mut calls = ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::default()));
        let mut told = Vec::new();
        for (id, name) in parts.into_iter().chain([("", "")]) {
            calls.push_with(&chat::call(0, id, name, ""), |event| told.push(format!("{event:?}")));
            told.push("next".to_owned());
        }
        let start = r#"Call(Start { call: ToolCall { number: 0, id: Some("call_1"), name: Some("tool"), choice: 0, executor: Client, is_answer: false } })"#;
        assert_eq!(told, ["next", start, "next", "next"]);
    }

    let log = read(
        Provider::OpenaiChat,
        [
            chat::call(0, "call_1", "a", "{}"),
            chat::call(0, "call_2", "b", "["),
            chat::call(0, json!(null), json!(null), "]"),
            chat::end("tool_calls"),
        ],
    );
    assert_eq!(
        (log.ids(), log.summary()),
        (vec!["call_1", "call_2"], vec!["a complete {}".to_owned(), "b complete []".to_owned()])
    );
}

/// Rule 3: what came with the start is used without deltas, and compared with them; else `{}`.
#[test]
fn rule_3_start_payload() {
    let start = |input| anthropic::start_with(0, "a", "tool", &input);
    let stop = || anthropic::stop(0);
    let end = || anthropic::end("tool_use");
    for (input, expected) in [
        (json!({"b": 3}), r#"tool truncated(mismatch) {"b":2}"#),
        (json!({"b": 2.0}), r#"tool complete {"b":2}"#),
        (json!({}), r#"tool complete {"b":2}"#),
        (json!([]), r#"tool complete {"b":2}"#),
        (json!(""), r#"tool complete {"b":2}"#),
    ] {
        let log = read(Provider::Anthropic, [start(input), anthropic::delta(0, r#"{"b":2}"#), stop(), end()]);
        assert_eq!(
            (log.summary(), log.mismatches.len()),
            (vec![expected.to_owned()], usize::from(expected.contains("mismatch")))
        );
    }
    let log = read(Provider::Anthropic, [start(json!({"a": 1})), stop(), end()]);
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
    let log = read(Provider::Anthropic, [start(json!({"a": 1})), anthropic::delta(0, ""), stop(), end()]);
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
    let log = read(Provider::Anthropic, [start(json!({})), stop(), end()]);
    assert_eq!(log.summary(), ["tool empty {}"]);
    // Without a stop too, but not where the stream breaks off: deltas might have come.
    let log = read(Provider::Anthropic, [start(json!({"a": 1})), end()]);
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
    let log = read(Provider::Anthropic, [start(json!({"a": 1}))]);
    assert_eq!(log.summary(), [r#"tool truncated(end-of-input) {"a":1}"#]);
}

/// Rule 4: a payload that repeats the whole input is used only if no delta came; else it is compared.
#[test]
fn rule_4_whole_payloads() {
    let added = || responses::added(0, "a", "tool");
    let (delta, done) = (|text| responses::delta(0, text), |text| responses::done(0, text));
    let completed = || responses::end("completed", &json!({}));
    let log = read(Provider::OpenaiResponses, [added(), done("{\"a\":1}"), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![r#"tool complete {"a":1}"#.to_owned()], vec![]));

    let log = read(Provider::OpenaiResponses, [added(), delta("{\"a\": 1}"), done("{\"a\":1}"), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![r#"tool complete {"a":1}"#.to_owned()], vec![]));

    let log = read(Provider::OpenaiResponses, [added(), delta("{\"a\":1}"), done("{\"a\":2}"), completed()]);
    // A delta was lost or told twice, or the last word is wrong: nobody can say which.
    assert_eq!(log.summary(), [r#"tool truncated(mismatch) {"a":1}"#]);
    assert_eq!(log.errors, [(CallErrorKind::Mismatch, Some(0))]);
}

/// Rule 5: a block's stop, a reason, a terminal event and the end of input all finish; another start does not.
#[test]
fn rule_5_finish() {
    let begin = || [anthropic::start(0, "a", "tool"), anthropic::delta(0, "{}")];
    for (end, order) in [
        (vec![anthropic::stop(0)], vec!["call 0", "input 0"]),
        (vec![anthropic::end("tool_use")], vec!["call 0", "input 0", "stop 0"]),
        (vec![json!({"type": "message_stop"}).to_string()], vec!["call 0", "input 0"]),
        (vec!["[DONE]".to_owned()], vec!["call 0", "input 0"]),
        (vec![], vec!["call 0", "input 0"]),
    ] {
        let log = read(Provider::Anthropic, begin().into_iter().chain(end));
        assert_eq!(
            (log.summary(), log.order),
            (vec!["tool complete {}".to_owned()], order.iter().map(ToString::to_string).collect())
        );
    }
    // With no text the end must have been told, by whichever.
    for end in [anthropic::stop(0), json!({"type": "message_stop"}).to_string(), "[DONE]".to_owned()] {
        assert_eq!(read(Provider::Anthropic, [anthropic::start(0, "a", "tool"), end]).summary(), ["tool empty {}"]);
    }
    // The first call goes on after the second one's start.
    let log = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "a", "first"),
            anthropic::delta(0, "["),
            anthropic::start(1, "b", "second"),
            anthropic::delta(1, "{}"),
            anthropic::delta(0, "]"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["first complete []", "second complete {}"]);
    // No stop, and the reason is a limit: what is open is truncated.
    for reason in ["max_tokens", "length", "incomplete", "model_context_window_exceeded", "never_heard_of"] {
        let log = read(
            Provider::Anthropic,
            [anthropic::start(0, "a", "tool"), anthropic::delta(0, "{\"a\":"), anthropic::end(reason)],
        );
        assert_eq!(log.summary(), [format!("tool truncated({reason}) {{\"a\":")]);
    }
}

/// Rule 6: no text at all is `{}` where calls end so, and truncated where the tokens ran out.
#[test]
fn rule_6_empty() {
    let chunk = || chat::call(0, "a", "tool", "");
    for reason in ["tool_calls", "stop", "function_call"] {
        let log = read(Provider::OpenaiChat, [chunk(), chat::end(reason)]);
        assert_eq!(log.summary(), ["tool empty {}"], "{reason}");
    }
    for reason in ["length", "content_filter", "never_heard_of"] {
        let log = read(Provider::OpenaiChat, [chunk(), chat::end(reason)]);
        assert_eq!(log.summary(), [format!("tool truncated({reason}) ")]);
    }
    // The block's stop comes before the reason: the verdict waits for it.
    let block = || [anthropic::start(0, "a", "tool"), anthropic::delta(0, ""), anthropic::stop(0)];
    let log = read(Provider::Anthropic, block().into_iter().chain([anthropic::end("max_tokens")]));
    assert_eq!(log.summary(), ["tool truncated(max_tokens) "]);
    assert_eq!(log.order, ["call 0", "input 0", "stop 0"]);
    let log = read(Provider::Anthropic, block().into_iter().chain([anthropic::end("tool_use")]));
    assert_eq!(log.summary(), ["tool empty {}"]);
    // Behind another start it can't have been the tokens' end.
    let next = [anthropic::start(1, "b", "next"), anthropic::delta(1, "{"), anthropic::end("max_tokens")];
    let log = read(Provider::Anthropic, block().into_iter().chain(next));
    assert_eq!(log.summary(), ["tool empty {}", "next truncated(max_tokens) {"]);
    assert_eq!(log.order, ["call 0", "input 0", "call 1", "input 1", "stop 0"]);
    // The stream breaks off: no word of an end, so no `{}`.
    let log = read(Provider::OpenaiChat, [chunk()]);
    assert_eq!(log.summary(), ["tool truncated(end-of-input) "]);
    // Its end was told, though the message's was not.
    assert_eq!(read(Provider::Anthropic, block()).summary(), ["tool empty {}"]);
}

/// Rule 7: a status beside the value, and never a value for what was cut or spoilt.
#[test]
fn rule_7_status() {
    let log = |text: &str, reason: &str| {
        read(
            Provider::Anthropic,
            [
                anthropic::start(0, "a", "tool"),
                anthropic::delta(0, text),
                anthropic::delta(0, " "),
                anthropic::stop(0),
                anthropic::end(reason),
            ],
        )
    };
    let one = |text: &str, reason: &str| log(text, reason).calls.remove(0);
    let complete = one(" {\"a\": 1}", "tool_use");
    assert_eq!((complete.status, complete.value.as_deref()), ("complete", Some(r#"{"a":1}"#)));
    assert_eq!(one("null", "tool_use").value.as_deref(), Some("null"));

    let cut = one("{\"a\": [1, ", "max_tokens");
    assert_eq!((cut.status, cut.reason.as_str(), cut.raw.as_str()), ("truncated", "max_tokens", "{\"a\": [1,  "));
    assert_eq!(cut.error, Some((ErrorKind::Incomplete, 11, "a".to_owned())));
    // A reason that says all is well does not make it so.
    let cut = one("{\"a\": [1, ", "tool_use");
    assert_eq!((cut.status, cut.reason.as_str()), ("truncated", "tool_use"));

    let malformed = one("{\"keywords\": Dave,", "tool_use");
    assert_eq!((malformed.status, malformed.raw.as_str()), ("malformed", "{\"keywords\": Dave, "));
    assert_eq!(malformed.error, Some((ErrorKind::UnexpectedByte, 13, "$".to_owned())));

    let trailing = one("{\"a\":1}}", "tool_use");
    assert_eq!((trailing.status, trailing.raw.as_str()), ("trailing", "{\"a\":1}} "));
    assert_eq!(trailing.error.unwrap().1, 7);

    // A number as the root has no end of its own.
    let number = |reason: &str| {
        let events = [anthropic::start(0, "a", "tool"), anthropic::delta(0, "12"), anthropic::end(reason)];
        read(Provider::Anthropic, events).summary().remove(0)
    };
    assert_eq!(number("tool_use"), "tool complete 12");
    assert_eq!(number("max_tokens"), "tool truncated(max_tokens) 12");
}

/// Rule 8: not all input is JSON.
#[test]
fn rule_8_raw() {
    for (kind, delta, done, field) in [
        ("custom_tool_call", "custom_tool_call_input", "input", "input"),
        ("code_interpreter_call", "code_interpreter_call_code", "code", "code"),
        ("shell_call", "shell_call_command", "command", ""),
    ] {
        let added = json!({"type": "response.output_item.added", "output_index": 1,
            "item": {"type": kind, "id": "i", "call_id": "a", "name": "tool"}});
        let piece = |text: &str| json!({"type": format!("response.{delta}.delta"), "output_index": 1, "delta": text});
        let whole = json!({"type": format!("response.{delta}.done"), "output_index": 1, done: "*** {a"});
        let mut item = json!({"type": kind, "id": "i", "call_id": "a", "name": "tool", "status": "completed"});
        if !field.is_empty() {
            item[field] = json!("*** {a");
        }
        let item = json!({"type": "response.output_item.done", "output_index": 1, "item": item});
        let events = [added, piece("*** "), piece("{a"), whole, item].map(|event| event.to_string());
        let log = read(Provider::OpenaiResponses, &events);
        assert_eq!((log.summary(), log.errors), (vec!["tool raw *** {a".to_owned()], vec![]), "{kind}");

        // Cut, it is not whole, though no grammar says so.
        let log = read(
            Provider::OpenaiResponses,
            events[..3].iter().cloned().chain([json!({"type": "response.incomplete",
                "response": {"incomplete_details": {"reason": "max_output_tokens"}}})
            .to_string()]),
        );
        assert_eq!(log.summary(), ["tool truncated(max_output_tokens) *** {a"], "{kind}");
    }
}

/// Rule 9: values by path are the same as the arguments that they make.
#[test]
fn rule_9_values_by_path() {
    let args = |args: serde_json::Value| part(&json!({"partialArgs": args, "willContinue": true}));
    let log = read(
        Provider::Gemini,
        [
            part(&json!({"name": "tool", "willContinue": true})),
            args(json!([{"jsonPath": "$.a[0].b", "stringValue": "x\"", "willContinue": true}])),
            args(json!([{"jsonPath": "$.a[0].b", "stringValue": "y"}, {"jsonPath": "$.a[1]", "numberValue": 0.5}])),
            part(&json!({"willContinue": true})),
            args(json!([{"jsonPath": "$['c d']", "boolValue": true}, {"jsonPath": "$.e", "nullValue": "NULL_VALUE"}])),
            args(json!([{"jsonPath": "$.f", "nullValue": null}, {"jsonPath": "$.g", "stringValue": ""}])),
            part(&json!({})),
        ],
    );
    let text = r#"{"a":[{"b":"x\"y"},0.5 ],"c d":true,"e":null,"f":null,"g":""}"#;
    let fed = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "", "tool").replace(r#""id":"""#, r#""id":"i""#),
            anthropic::delta(0, text),
            anthropic::stop(0),
        ],
    );
    let (by_path, by_text) = (&log.calls[0], &fed.calls[0]);
    assert_eq!((by_path.status, &by_path.value), ("complete", &by_text.value));
    assert_eq!(by_path.matches, by_text.matches);
    assert_eq!(by_path.raw, text);
}

/// Rule 10: unknown types and fields are passed over, and a bad frame does not end the stream.
#[test]
fn rule_10_unknown() {
    let log = read(
        Provider::Anthropic,
        [
            json!({"type": "never_heard_of", "index": 0, "delta": "text", "content_block": 5}).to_string(),
            anthropic::start(0, "a", "tool"),
            json!({"type": "ping"}).to_string(),
            anthropic::delta(0, "{\"a\""),
            "<html>502 Bad Gateway</html>".to_owned(),
            json!({"type": "content_block_delta", "index": 5, "delta": {"type": "never_delta", "x": [1]}}).to_string(),
            "[1, 2]".to_owned(),
            String::new(),
            anthropic::delta(0, ":1}"),
            anthropic::stop(0),
            json!(null).to_string(),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
    assert_eq!(log.bad_frames, ["<html>502 Bad Gateway</html>", "[1, 2]", "null"]);
    assert_eq!(log.errors, []);
    // The same for who does not know the provider yet.
    let events = ["oops", r#"{"type":"ping"}"#, r#"{"type":"message_start","message":{}}"#, "oops"];
    assert_eq!(read_with(None, everything(), events).bad_frames, ["oops", "oops"]);
}

/// An event that is JSON by grammar but can't be read may have held a piece of a call: that call is not complete.
#[test]
fn half_a_surrogate_pair_is_a_loss() {
    let half = |half: &str| anthropic::delta(0, "HALF").replace("HALF", half);
    let log = read(
        Provider::Anthropic,
        [
            anthropic::start(0, "a", "tool"),
            anthropic::delta(0, "{\"a\":\""),
            half(r"\ud83d"),
            half(r"\ude00"),
            anthropic::delta(0, "\"}"),
            anthropic::stop(0),
            anthropic::start(1, "b", "next"),
            anthropic::delta(1, "{}"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["tool truncated(bad-frame) {\"a\":\"\"}", "next complete {}"]);
    assert_eq!(log.bad_frames.len(), 2);
}

/// A delta for nobody is an error, and whoever may have lost it is not complete.
#[test]
fn deltas_for_no_open_call_are_errors() {
    let log = read(
        Provider::Anthropic,
        [
            anthropic::delta(7, "{"),
            anthropic::start(0, "a", "tool"),
            anthropic::delta(0, "{}"),
            anthropic::delta(1, "}"),
            anthropic::stop(0),
            anthropic::delta(0, "}"),
            json!({"type": "content_block_delta", "delta": {"partial_json": "}"}}).to_string(),
            anthropic::end("tool_use"),
            anthropic::delta(0, "}"),
        ],
    );
    assert_eq!(log.summary(), ["tool truncated(unplaced) {}"]);
    let (not_started, ended) = ((CallErrorKind::NotStarted, None), (CallErrorKind::Ended, Some(0)));
    assert_eq!(log.errors, [not_started, not_started, ended, not_started, ended]);
}

/// Patterns may differ from tool to tool.
#[test]
fn patterns_by_name() {
    let patterns = |pattern: &str| PatternSet::new([pattern]).unwrap();
    let choices = everything().patterns(&patterns("$.a")).patterns_for("special", &patterns("$.b"));
    let arguments = r#"{"a":1,"b":2}"#;
    let log = read_with(
        Some(Provider::OpenaiChat),
        choices,
        [chat::call(0, "x", "usual", arguments), chat::call(1, "y", "special", arguments), chat::end("tool_calls")],
    );
    let paths: Vec<_> = log.calls.iter().map(|call| call.matches[0].path.to_string()).collect();
    assert_eq!(paths, ["a", "b"]);
}
