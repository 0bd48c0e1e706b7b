//! What servers do beside the protocol: each row of the tables of known quirks is a test.

use jsonspigot::ErrorKind;
use jsonspigot_llm::{CallErrorKind, CallStart, Provider};
use serde_json::{Value, json};

use super::support::{Log, chat, everything, gemini_call, read, read_structured, read_with, responses};

fn read_chat(chunks: impl IntoIterator<Item = String>) -> Log {
    let log = read(Provider::OpenaiChat, chunks);
    assert_eq!((&log.errors, &log.bad_frames), (&vec![], &vec![]));
    log
}

#[test]
fn tool_calls_null() {
    let null = || json!({"choices": [{"index": 0, "delta": {"content": "x", "tool_calls": null}}]}).to_string();
    let log = read_chat([null(), chat::call(0, "a", "tool", "{}"), null(), chat::end("tool_calls")]);
    assert_eq!((log.summary(), log.text.as_str()), (vec!["tool complete {}".to_owned()], "xx"));
}

#[test]
fn id_and_name_null_on_continuation() {
    let more = |text: &str| chat::call(0, Value::Null, Value::Null, text);
    let log = read_chat([chat::call(0, "a", "tool", ""), more("{"), more("}"), chat::end("tool_calls")]);
    assert_eq!((log.ids(), log.summary()), (vec!["a"], vec!["tool complete {}".to_owned()]));
}

#[test]
fn id_empty_on_continuation() {
    let more = |text: &str| chat::call(0, "", Value::Null, text);
    let log = read_chat([chat::call(0, "a", "tool", ""), more("{"), more("}"), chat::end("tool_calls")]);
    assert_eq!((log.ids(), log.summary()), (vec!["a"], vec!["tool complete {}".to_owned()]));
    assert_eq!(log.calls[0].at_end, ("a".to_owned(), "tool".to_owned()));
}

#[test]
fn name_empty_on_continuation() {
    let more = |text: &str| chat::call(0, Value::Null, "", text);
    let log = read_chat([chat::call(0, "a", "tool", ""), more("{"), more("}"), chat::end("tool_calls")]);
    assert_eq!((log.calls[0].at_end.1.as_str(), log.summary()), ("tool", vec!["tool complete {}".to_owned()]));
}

#[test]
fn no_index_no_type_whole_arguments_in_the_finish_chunk() {
    let call = |id: &str| json!({"id": id, "function": {"name": "tool", "arguments": format!("[\"{id}\"]")}});
    let chunk = json!({"choices": [{"index": 0, "finish_reason": "tool_calls",
        "delta": {"content": null, "tool_calls": [call("a"), call("b")]}}]});
    let log = read_chat([chunk.to_string()]);
    assert_eq!(log.summary(), [r#"tool complete ["a"]"#, r#"tool complete ["b"]"#]);
    assert_eq!(log.order, ["call 0", "call 1", "input 0", "input 1", "stop 0"]);
}

#[test]
fn no_index() {
    // A new id is a new call, a known one its own, none the latest.
    let entry = |entry: Value| chat::entries(&json!([entry]));
    let log = read_chat([
        entry(json!({"id": "a", "function": {"name": "first", "arguments": "["}})),
        entry(json!({"function": {"arguments": "1"}})),
        entry(json!({"id": "b", "function": {"name": "second", "arguments": "["}})),
        entry(json!({"function": {"arguments": "2"}})),
        entry(json!({"id": "a", "function": {"arguments": ","}})),
        entry(json!({"function": {"arguments": "3]"}})),
        entry(json!({"id": "b", "function": {"arguments": "]"}})),
        chat::end("tool_calls"),
    ]);
    assert_eq!(log.summary(), ["first complete [1,3]", "second complete [2]"]);
    // An id that came late is known too.
    let log = read_chat([
        chat::call(0, "", "first", ""),
        chat::call(0, "a", "", ""),
        chat::call(1, "b", "second", "[]"),
        entry(json!({"id": "a", "function": {"arguments": "{}"}})),
        chat::end("tool_calls"),
    ]);
    assert_eq!(log.summary(), ["first complete {}", "second complete []"]);
    // Neither index nor id, two calls whole: after a whole value a name can only be another call's.
    let whole = |name: &str| entry(json!({"function": {"name": name, "arguments": "{}"}}));
    let log = read_chat([whole("tool"), whole("tool"), whole("other"), chat::end("stop")]);
    assert_eq!(log.summary(), ["tool complete {}", "tool complete {}", "other complete {}"]);
    // Before that it is the same call's, name or not.
    let piece = |text: &str| entry(json!({"function": {"name": "tool", "arguments": text}}));
    let log = read_chat([piece("{"), piece("}"), chat::end("stop")]);
    assert_eq!(log.summary(), ["tool complete {}"]);
}

#[test]
fn index_always_0_for_parallel_calls() {
    let log = read_chat([
        chat::call(0, "a", "tool", r#"{"n":1}"#),
        chat::call(0, "b", "tool", r#"{"n":"#),
        chat::more(0, "2}"),
        // The first one's id once more: its own again.
        chat::call(0, "a", "tool", " "),
        chat::more(0, " "),
        chat::call(0, "b", "tool", " "),
        chat::end("tool_calls"),
    ]);
    assert_eq!(log.summary(), [r#"tool complete {"n":1}"#, r#"tool complete {"n":2}"#]);
    let raw: Vec<_> = log.calls.iter().map(|call| call.raw.as_str()).collect();
    assert_eq!(raw, [r#"{"n":1}  "#, r#"{"n":2} "#]);
}

#[test]
fn two_entries_with_the_same_index_in_one_chunk() {
    let entries = json!([
        {"index": 0, "id": "a", "type": "function", "function": {"name": "tool"}},
        {"index": 0, "function": {"arguments": "{\"a\""}},
    ]);
    let log = read_chat([chat::entries(&entries), chat::more(0, ":1}"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
}

#[test]
fn several_calls_in_one_chunk() {
    let call = |index, id| json!({"index": index, "id": id, "function": {"name": "tool", "arguments": "{}"}});
    let log = read_chat([chat::entries(&json!([call(0, "a"), call(1, "b"), call(2, "c")])), chat::end("tool_calls")]);
    assert_eq!(log.ids(), ["a", "b", "c"]);
}

#[test]
fn whole_arguments_in_one_chunk() {
    let log = read_chat([chat::call(0, "a", "tool", r#"{"a":[1,2]}"#), chat::end("stop")]);
    assert_eq!(log.summary(), [r#"tool complete {"a":[1,2]}"#]);
}

#[test]
fn arguments_are_the_string_null() {
    let log = read_chat([chat::call(0, "a", "tool", "null"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), ["tool complete null"]);
}

#[test]
fn arguments_missing() {
    let entry = |function: Value| chat::entries(&json!([{"index": 0, "id": "a", "function": function}]));
    for function in [json!({"name": "tool"}), json!({"name": "tool", "arguments": null})] {
        let log = read_chat([entry(function), chat::end("tool_calls")]);
        assert_eq!(log.summary(), ["tool empty {}"]);
    }
}

#[test]
fn arguments_are_an_object() {
    // Its own spelling is kept.
    let chunk = chat::call(0, "a", "tool", "ARGS").replace("\"ARGS\"", r#"{"b": 1.50, "a":2}"#);
    let log = read_chat([chunk, chat::more(0, ""), chat::end("tool_calls")]);
    assert_eq!(log.calls[0].raw, r#"{"b": 1.50, "a":2}"#);
    assert_eq!(log.summary(), [r#"tool complete {"b":1.50,"a":2}"#]);
}

#[test]
fn cumulative_snapshots() {
    let chunks = || {
        [
            chat::call(0, "a", "tool", r#"{"cmd""#),
            chat::more(0, r#"{"cmd":"l"#),
            chat::more(0, r#"{"cmd":"l"#),
            chat::more(0, r#"{"cmd":"ls"}"#),
            chat::more(0, r#"{"cmd":"ls"}"#),
            chat::end("tool_calls"),
        ]
    };
    let cumulative = || everything().cumulative();
    let log = read_with(Some(Provider::OpenaiChat), cumulative(), chunks());
    assert_eq!((log.summary(), log.errors), (vec![r#"tool complete {"cmd":"ls"}"#.to_owned()], vec![]));
    // What does not repeat all so far is told, and left out: nobody can say what the input is.
    let chunks = [chat::call(0, "a", "tool", "[1,"), chat::more(0, "[2"), chat::more(0, "[1,3]"), chat::end("stop")];
    let log = read_with(Some(Provider::OpenaiChat), cumulative(), chunks);
    assert_eq!(log.summary(), ["tool truncated(mismatch) [1,3]"]);
    assert_eq!(log.errors, [(CallErrorKind::Mismatch, Some(0))]);
}

#[test]
fn last_or_first_fragment_lost() {
    let log = read_chat([chat::call(0, "a", "tool", ""), chat::more(0, "{\"a\":1"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), ["tool truncated(tool_calls) {\"a\":1"]);
    let log = read_chat([chat::call(0, "a", "tool", ""), chat::more(0, "\":1}"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), ["tool truncated(tool_calls) \":1}"]);
    let log = read_chat([chat::call(0, "a", "tool", ""), chat::more(0, "ty\":1}"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), ["tool malformed ty\":1}"]);
    // The chunk with id and name lost.
    let log = read(Provider::OpenaiChat, [chat::more(0, "{}"), chat::end("tool_calls")]);
    assert_eq!((log.calls.len(), log.errors), (0, vec![(CallErrorKind::NotStarted, None)]));
}

#[test]
fn finish_says_tool_calls_though_it_was_cut() {
    let log = read_chat([chat::call(0, "a", "tool", "{\"path\": \"/et"), chat::end("tool_calls")]);
    assert_eq!(log.summary(), ["tool truncated(tool_calls) {\"path\": \"/et"]);
}

#[test]
fn a_trailing_chunk_with_empty_arguments() {
    let log = read_chat([
        chat::call(0, "a", "tool", "{}"),
        chat::call(0, "", Value::Null, ""),
        chat::end("tool_calls"),
        chat::call(0, "", Value::Null, ""),
        chat::call(0, "a", "tool", ""),
    ]);
    assert_eq!(log.summary(), ["tool complete {}"]);
}

#[test]
fn what_comes_behind_the_reason() {
    let calls = |entry: Value| chat::entries(&json!([entry]));
    let log = read(
        Provider::OpenaiChat,
        [
            chat::call(0, "", "tool", "{}"),
            chat::end("tool_calls"),
            // Arguments alone are that call's, and too late; a name alone is nothing; both are another call.
            chat::more(0, "}"),
            chat::call(0, "", "tool", ""),
            calls(json!({"index": 0, "function": {"name": "next", "arguments": "[]"}})),
            chat::end("tool_calls"),
        ],
    );
    assert_eq!(log.summary(), ["tool complete {}", "next complete []"]);
    assert_eq!(log.errors, [(CallErrorKind::Ended, Some(0))]);
}

#[test]
fn the_older_function_call() {
    let piece = |call: Value| json!({"choices": [{"index": 0, "delta": {"function_call": call}}]}).to_string();
    let log = read_chat([
        piece(json!({"name": "tool", "arguments": ""})),
        piece(json!({"arguments": "{\"a\""})),
        piece(json!({"arguments": ":1}"})),
        chat::end("function_call"),
    ]);
    assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
    // Beside the newer form it is a repetition, or something that nobody can place.
    let both = |call: Value, older: Value| {
        let calls = json!([{"index": 0, "id": "a", "function": call}]);
        json!({"choices": [{"index": 0, "delta": {"tool_calls": calls, "function_call": older}}]}).to_string()
    };
    let call = || json!({"name": "tool", "arguments": "{\"a\":1}"});
    for (older, unknown) in [
        (call(), None),
        (json!({"arguments": "{\"a\":1}"}), None),
        (json!({"name": "other", "arguments": "{\"a\":1}"}), Some(())),
        (json!({"name": "tool", "arguments": "{}"}), Some(())),
    ] {
        let log = read_chat([both(call(), older.clone()), chat::end("tool_calls")]);
        assert_eq!(log.summary(), [r#"tool complete {"a":1}"#]);
        assert_eq!(log.unknown_parts, unknown.map(|()| older.to_string()).as_slice());
    }
}

#[test]
fn finish_reason_missing_and_no_done() {
    // The end of input ends what is whole.
    let chunk = json!({"choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "id": "a", "function": {"name": "tool", "arguments": "{}"}}]}}]});
    assert_eq!(read_chat([chunk.to_string()]).summary(), ["tool complete {}"]);
    let log = read_chat([chunk.to_string(), "[DONE]".to_owned()]);
    assert_eq!(log.summary(), ["tool complete {}"]);
}

#[test]
fn an_error_amid_the_chunks() {
    let error = |error: Value| json!({"error": error}).to_string();
    let log = read(
        Provider::OpenaiChat,
        [
            chat::call(0, "a", "tool", "{"),
            error(json!({"message": "Overloaded", "code": 529})),
            error(json!("in words")),
            error(json!({"code": 1})),
        ],
    );
    assert_eq!(log.provider_errors, ["Overloaded", "in words", r#"{"code":1}"#]);
    assert_eq!(log.summary(), ["tool truncated(error) {"]);
    // Nor is nothing `{}` after an error, though the stream ends as if all were well.
    let chunks = [chat::call(0, "a", "tool", ""), error(json!("oops")), "[DONE]".to_owned()];
    assert_eq!(read(Provider::OpenaiChat, chunks).summary(), ["tool truncated(error) "]);
    // An error that a new call follows was not the end.
    let chunks = [chat::call(0, "a", "tool", "{}"), error(json!("oops")), chat::call(1, "b", "tool", "")];
    let log = read(Provider::OpenaiChat, chunks.into_iter().chain(["[DONE]".to_owned()]));
    assert_eq!(log.summary(), ["tool complete {}", "tool empty {}"]);
}

#[test]
fn responses_done_fires_with_truncated_json() {
    let log = read(
        Provider::OpenaiResponses,
        [
            responses::added(0, "a", "add"),
            responses::delta(0, "{\"x\":48151"),
            responses::done(0, "{\"x\":48151"),
            responses::item_done(0, "a", "add", "{\"x\":48151", "incomplete"),
            responses::end("incomplete", &json!({"incomplete_details": {"reason": "max_output_tokens"}})),
        ],
    );
    assert_eq!((log.summary(), log.errors), (vec!["add truncated(max_output_tokens) {\"x\":48151".to_owned()], vec![]));
    assert_eq!(log.stops, [(0, "max_output_tokens".to_owned())]);
    // No text, and the item says that it is not whole: not empty, though the response says nothing of it.
    let log = read(
        Provider::OpenaiResponses,
        [
            responses::added(0, "a", "add"),
            responses::item_done(0, "a", "add", "", "incomplete"),
            responses::end("completed", &json!({})),
        ],
    );
    assert_eq!(log.summary(), ["add truncated(completed) "]);
}

#[test]
fn responses_input_that_only_the_completed_response_has() {
    let call = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "add", "arguments": arguments});
    let completed = |output: serde_json::Value| responses::end("completed", &json!({"output": output}));
    let add = |index, id| responses::added(index, id, "add");
    let log = read(
        Provider::OpenaiResponses,
        [add(0, "a"), add(1, "b"), completed(json!([call("a", r#"{"x":1}"#), call("b", r#"{"x":2}"#)]))],
    );
    assert_eq!(log.summary(), [r#"add complete {"x":1}"#, r#"add complete {"x":2}"#]);
    // What came in pieces is compared, not told twice.
    let log =
        read(Provider::OpenaiResponses, [add(0, "a"), responses::delta(0, "{}"), completed(json!([call("a", "{}")]))]);
    assert_eq!((log.summary(), log.errors), (vec!["add complete {}".to_owned()], vec![]));
    // Nor does a call take the input of another that stands at its index there.
    let log = read(Provider::OpenaiResponses, [add(0, "a"), completed(json!([call("b", r#"{"x":2}"#)]))]);
    assert_eq!(log.summary(), ["add empty {}"]);
}

#[test]
fn responses_items_done_twice() {
    let item = || responses::item_done(0, "a", "add", "{}", "completed");
    let log = read(Provider::OpenaiResponses, [responses::added(0, "a", "add"), item(), item()]);
    assert_eq!((log.summary(), log.errors), (vec!["add complete {}".to_owned()], vec![]));
}

#[test]
fn responses_ids_are_those_to_answer_with() {
    let log = read(Provider::OpenaiResponses, [responses::added(0, "call_1", "add"), responses::delta(0, "{}")]);
    assert_eq!(log.ids(), ["call_1"]);
    // An MCP call has one id only.
    let item = json!({"type": "mcp_call", "id": "mcp_1", "name": "roll", "server_label": "dmcp", "arguments": ""});
    let log = read(
        Provider::OpenaiResponses,
        [
            json!({"type": "response.output_item.added", "output_index": 0, "item": item}).to_string(),
            json!({"type": "response.mcp_call_arguments.delta", "output_index": 0, "delta": "{}"}).to_string(),
        ],
    );
    assert_eq!((log.ids(), log.summary()), (vec!["mcp_1"], vec!["roll complete {}".to_owned()]));
}

#[test]
fn responses_item_ids_that_differ_from_event_to_event() {
    let delta = |item: &str, text: &str| {
        json!({"type": "response.function_call_arguments.delta", "item_id": item, "output_index": 0, "delta": text})
            .to_string()
    };
    let log = read(
        Provider::OpenaiResponses,
        [
            responses::added(0, "a", "add"),
            delta("x1", "{\"a\""),
            delta("x2", ":1}"),
            responses::end("completed", &json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"add complete {"a":1}"#]);
}

#[test]
fn responses_text_and_refusals() {
    let event = |kind: &str, text: &str| {
        json!({"type": format!("response.{kind}"), "output_index": 1, "content_index": 0, "delta": text, "text": text})
            .to_string()
    };
    let log = read(
        Provider::OpenaiResponses,
        [
            event("reasoning_summary_text.delta", "hm"),
            event("output_text.delta", "{\"a\""),
            event("output_text.delta", ":1}"),
            event("output_text.done", "{\"a\":1}"),
            event("refusal.delta", "no"),
            responses::end("completed", &json!({"usage": {"total_tokens": 3}})),
        ],
    );
    assert_eq!((log.text.as_str(), log.reasoning.as_str(), log.refusal.as_str()), ("{\"a\":1}", "hm", "no"));
    assert_eq!(log.usage, [r#"{"total_tokens":3}"#]);
    // Text that is told only as it comes.
    let event = event("output_text.delta", "x");
    assert_eq!(read(Provider::OpenaiResponses, [&event, &event]).text, "xx");
    // Text that is told only as done; and structured, one answer a part.
    let done = |index: u64, text: &str| {
        json!({"type": "response.output_text.done", "output_index": index, "content_index": 0, "text": text})
            .to_string()
    };
    let events = [done(1, "[1]"), done(2, "[2]"), responses::end("completed", &json!({}))];
    assert_eq!(read(Provider::OpenaiResponses, &events).text, "[1][2]");
    let log = read_structured(Some(Provider::OpenaiResponses), &events);
    assert_eq!(log.summary(), [" complete [1]", " complete [2]"]);
}

#[test]
fn gemini_args_missing() {
    let log = read(
        Provider::Gemini,
        [
            gemini_call(&json!({"name": "one"})),
            gemini_call(&json!({"name": "two", "args": {}})),
            gemini_call(&json!({"name": "three", "willContinue": true})),
            gemini_call(&json!({})),
            json!({"candidates": [{"finishReason": "STOP"}]}).to_string(),
        ],
    );
    assert_eq!(log.summary(), ["one empty {}", "two complete {}", "three empty {}"]);
    // It is told at once, though what it comes to waits for the reason.
    let stop = json!({"candidates": [{"finishReason": "STOP"}]}).to_string();
    let log = read(Provider::Gemini, [gemini_call(&json!({"name": "one"})), stop]);
    assert_eq!(log.order, ["call 0", "stop 0", "input 0"]);
    // Values and the end in one part.
    let args = json!([{"jsonPath": "$.a", "numberValue": 1}]);
    let log = read(Provider::Gemini, [gemini_call(&json!({"name": "tool", "partialArgs": args}))]);
    assert_eq!(log.calls[0].value.as_deref(), Some(r#"{"a":1}"#));
    // Whole calls are as many as come, ids or not.
    let call = gemini_call(&json!({"id": "a", "name": "tool", "args": {}}));
    assert_eq!(read(Provider::Gemini, [&call, &call]).ids(), ["a", "a"]);
}

#[test]
fn gemini_reasons_amid_the_chunks() {
    let reason = |reason: &str| json!({"candidates": [{"finishReason": reason}]}).to_string();
    let piece = |text: &str, goes_on: bool| {
        let arg = json!({"jsonPath": "$.a", "stringValue": text, "willContinue": goes_on});
        gemini_call(&json!({"partialArgs": [arg], "willContinue": true}))
    };
    let start = || gemini_call(&json!({"name": "tool", "willContinue": true}));
    let end = gemini_call(&json!({}));
    let events = [start(), piece("x", true), reason("STOP"), piece("y", false), end, reason("STOP")];
    let log = read(Provider::Gemini, events);
    assert_eq!((log.summary(), log.errors), (vec![r#"tool complete {"a":"xy"}"#.to_owned()], vec![]));
    // Nothing tells the call's end but the reason that the tokens ran out.
    let log = read(Provider::Gemini, [start(), piece("x", false), reason("MAX_TOKENS")]);
    assert_eq!(log.summary(), [r#"tool truncated(MAX_TOKENS) {"a":"x""#]);
    // What it lacks is told as it is of arguments that come as text.
    let error = log.calls[0].error.as_ref().map(|(kind, offset, _)| (*kind, *offset));
    assert_eq!(error, Some((ErrorKind::Incomplete, 8)));
    let log = read(Provider::Gemini, [start(), piece("x", true), reason("STOP")]);
    assert_eq!(log.summary(), [r#"tool truncated(STOP) {"a":"x"#]);
}

/// Values by path are the call's, also where the message's own text, which is JSON, comes between them.
#[test]
fn gemini_values_around_structured_text() {
    let text = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}}]}).to_string();
    let arg =
        |path: &str| gemini_call(&json!({"partialArgs": [{"jsonPath": path, "numberValue": 1}], "willContinue": true}));
    let log = read_structured(
        Some(Provider::Gemini),
        [
            gemini_call(&json!({"name": "tool", "willContinue": true})),
            arg("$.a"),
            text("{\"t\":"),
            arg("$.b"),
            text("2}"),
            gemini_call(&json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"tool complete {"a":1,"b":1}"#, r#" complete {"t":2}"#]);
    assert_eq!(log.errors, []);
}

/// A server that has read the arguments and written them again spells its numbers otherwise, however deep they are.
#[test]
fn a_repetition_may_spell_numbers_otherwise() {
    let told = |whole: &str| {
        let (mut log, mut calls) = (Log::default(), everything().build());
        calls.start_with(0, CallStart::new("tool"), |event| log.tell(event));
        calls.delta_with(0, "[1,{\"a\":[2.0]}]", |event| log.tell(event));
        calls.whole_with(0, whole, |event| log.tell(event));
        calls.end_message_with(None, |event| log.tell(event));
        (log.calls[0].status, log.errors.len())
    };
    assert_eq!(told("[1.0, {\"a\": [2]}]"), ("complete", 0));
    for other in ["[1.5,{\"a\":[2]}]", "[1,{\"a\":[3]}]", "[1,{\"b\":[2]}]", "[1,{\"a\":[2],\"b\":1}]", "[1]"] {
        assert_eq!(told(other), ("truncated", 1), "{other}");
    }
}
