//! What an attack found: calls told as complete that were not, and more kept than the limits allow.

use jsonspigot::EventKind;
use jsonspigot_llm::{CallErrorKind, CallEvent, CallLimits, CallStart, Provider, ProviderStream};
use serde_json::{Value, json};

use super::support::{anthropic, chat, everything, gemini_call, read, read_with, responses};

fn item(event: &str, index: u64, item: impl Into<Value>) -> String {
    let item = item.into();
    json!({"type": format!("response.output_item.{event}"), "output_index": index, "item": item}).to_string()
}

fn shell(commands: impl Into<Value>, status: &str) -> Value {
    let commands = commands.into();
    json!({"type": "shell_call", "id": "sh", "call_id": "c1", "status": status, "action": {"commands": commands}})
}

fn command(event: &str, index: u64, text: &str) -> String {
    let name = if event == "delta" { "delta" } else { "command" };
    json!({"type": format!("response.shell_call_command.{event}"), "output_index": 0, "command_index": index, name: text})
        .to_string()
}

fn statuses(events: Vec<String>) -> Vec<(&'static str, Option<String>)> {
    let log = read(Provider::OpenaiResponses, events);
    log.calls.into_iter().map(|call| (call.status, call.value)).collect()
}

/// An item that is still in progress when its response ends was cut.
#[test]
fn an_item_in_progress_is_not_whole() {
    let cut = shell(json!(["rm -rf /home/me/tm"]), "in_progress");
    let added = || item("added", 0, shell(json!([]), "in_progress"));
    let delta = || command("delta", 0, "rm -rf /home/me/tm");
    let end = |status: &str| responses::end(status, &json!({"output": [cut.clone()]}));
    for status in ["incomplete", "failed"] {
        assert_eq!(statuses(vec![added(), delta(), end(status)]), [("truncated", None)], "{status}");
    }
    let done = item("done", 0, cut.clone());
    assert_eq!(statuses(vec![added(), delta(), done, responses::end("completed", &json!({}))]), [("truncated", None)]);
}

/// Without an item that repeats them, commands are whole only if each has been done, in order.
#[test]
fn commands_with_gaps_are_not_whole() {
    let streams: [&[(&str, u64, &str)]; 5] = [
        &[("delta", 0, "cd x"), ("done", 0, "cd x"), ("delta", 2, "rm *"), ("done", 2, "rm *")],
        &[("delta", 1, "rm -rf *"), ("done", 1, "rm -rf *")],
        &[("delta", 0, "cd "), ("delta", 1, "rm *"), ("done", 1, "rm *")],
        &[("delta", 0, "cd x"), ("done", 7, "cd x")],
        &[("delta", 0, ""), ("done", 0, "")],
    ];
    for stream in streams {
        let pieces = stream.iter().map(|(event, index, text)| command(event, *index, text));
        let events = [item("added", 0, shell(json!([]), "in_progress"))].into_iter().chain(pieces);
        let events = events.chain([responses::end("completed", &json!({"output": []}))]).collect();
        assert_eq!(statuses(events), [("truncated", None)], "{stream:?}");
    }
}

#[test]
fn a_patch_whose_item_repeats_nothing_is_not_whole() {
    let patch = |operation: Value| json!({"type": "apply_patch_call", "call_id": "p", "operation": operation});
    let operation = json!({"type": "update_file", "path": "a", "diff": ""});
    let delta = json!({"type": "response.apply_patch_call_operation_diff.delta", "output_index": 0, "delta": "@@"});
    let events = vec![
        item("added", 0, patch(operation)),
        delta.to_string(),
        item("done", 0, patch(Value::Null)),
        responses::end("completed", &json!({})),
    ];
    assert_eq!(statuses(events), [("truncated", None)]);
}

/// A place in the output and an id that say different calls.
#[test]
fn an_event_whose_place_and_id_differ_is_nobodys() {
    let added = || {
        [
            item(
                "added",
                0,
                json!({"type": "function_call", "id": "fc_f", "call_id": "cf", "name": "read", "arguments": ""}),
            ),
            item("added", 1, shell(json!([]), "in_progress")),
        ]
    };
    let done = item("done", 0, shell(json!(["rm -rf *"]), "completed"));
    let end = || responses::end("completed", &json!({}));
    let events = added().into_iter().chain([done, end()]).collect();
    assert_eq!(statuses(events), [("truncated", None), ("truncated", None)]);
    let lost = json!({"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "fc_a", "delta": "LOST"});
    let events = vec![
        responses::added(0, "a", "one"),
        responses::added(1, "b", "two"),
        responses::delta(0, "{\"p\":\"a"),
        lost.to_string(),
        responses::delta(0, "\"}"),
        responses::delta(1, "{\"p\":\"b\"}"),
        end(),
    ];
    assert_eq!(statuses(events), [("truncated", None), ("truncated", None)]);
}

/// Once a limit was passed nothing more is taken in, not even what would fit: a later quote would end a value.
#[test]
fn nothing_is_told_past_the_limit_of_the_input() {
    let limits = CallLimits::new().input_bytes(9);
    let pieces = ["{\"v\":\"x", "😀", "\"", "}"].map(|piece| anthropic::delta(0, piece));
    let events = [anthropic::start(0, "a", "tool")].into_iter().chain(pieces).chain([anthropic::end("tool_use")]);
    let log = read_with(Some(Provider::Anthropic), everything().limits(limits), events);
    assert_eq!(log.summary(), ["tool truncated(limit) {\"v\":\"x"]);
    let ends = log.calls[0].matches.iter().filter(|event| matches!(event.kind, EventKind::End(_)));
    assert_eq!(ends.count(), 0);
}

/// What looks like an event may have been a fragment; other noise is none.
#[test]
fn a_damaged_event_may_have_been_a_fragment() {
    let whole = anthropic::delta(0, "LOST");
    let damaged =
        [&whole[..whole.len() - 9], &format!("{whole}{whole}x"), &format!("{whole}x"), &format!("\u{feff}{whole}")];
    for frame in damaged.map(str::to_owned) {
        let (start, end) = (anthropic::start(0, "a", "tool"), anthropic::end("tool_use"));
        let events = [start, anthropic::delta(0, "{\"v\":\"a"), frame.clone(), anthropic::delta(0, "z\"}"), end];
        assert_eq!(
            read(Provider::Anthropic, events).summary(),
            ["tool truncated(bad-frame) {\"v\":\"az\"}"],
            "{frame}"
        );
    }
}

/// A fragment that names no call may be a refused one's, or one's that is open.
#[test]
fn fragments_without_a_place_beside_refused_calls() {
    let nowhere = |text: &str| {
        let delta = json!({"type": "input_json_delta", "partial_json": text});
        json!({"type": "content_block_delta", "index": null, "delta": delta}).to_string()
    };
    let limits = |open_calls: usize| everything().limits(CallLimits::new().open_calls(open_calls));
    let events = [
        anthropic::start(0, "a", "one"),
        anthropic::delta(0, "{\"v\":\"aa"),
        anthropic::start(1, "b", "two"),
        nowhere("BB"),
        anthropic::delta(0, "aa\"}"),
        anthropic::end("tool_use"),
    ];
    assert_eq!(
        read_with(Some(Provider::Anthropic), limits(1), events).summary(),
        ["one truncated(unplaced) {\"v\":\"aaaa\"}"]
    );
    let without_index =
        |id: &str, text: &str| chat::entries(&json!([{"id": id, "function": {"name": id, "arguments": text}}]));
    let events = [
        chat::call(0, "a", "one", "{\"v\":\"aa"),
        chat::call(1, "b", "two", "{}"),
        without_index("c", "{}"),
        chat::entries(&json!([{"function": {"arguments": "LOST"}}])),
        chat::more(0, "aa\"}"),
        chat::end("tool_calls"),
    ];
    let log = read_with(Some(Provider::OpenaiChat), limits(2), events);
    assert_eq!(log.summary(), ["one truncated(unplaced) {\"v\":\"aaaa\"}", "two truncated(unplaced) {}"]);
}

#[test]
fn neither_refused_names_nor_further_ids_are_kept() {
    let limits = CallLimits::new().name_bytes(64);
    let mut calls = ProviderStream::new(Provider::VercelUi, everything().limits(limits).build());
    for turn in 0..100 {
        let id = format!("{turn:010000}");
        calls.push_with(&json!({"type": "tool-input-start", "toolCallId": id, "toolName": "tool"}).to_string(), |_| {});
    }
    let refused = format!("{calls:?}").len();
    let mut calls = ProviderStream::new(Provider::OpenaiResponses, everything().build());
    for turn in 0..1_000 {
        let call = json!({"type": "function_call", "id": format!("{turn:01000}"), "call_id": "a", "name": "tool"});
        calls.push_with(&item("added", 0, call), |_| {});
    }
    let named = format!("{calls:?}").len();
    assert!(refused < 20_000 && named < 20_000, "{refused} and {named} characters");
}

/// A response tells more calls at once than are remembered: all are told, and one that was told before is not told again.
#[test]
fn a_response_with_more_calls_than_are_remembered() {
    let call = |number: u64| json!({"type": "function_call", "id": format!("f{number}"), "call_id": format!("c{number}"), "name": "tool", "arguments": "{}"});
    let output: Vec<_> = (0..40).map(call).collect();
    let limited = || everything().limits(CallLimits::new().open_calls(8));
    let told_before = || vec![item("added", 39, call(39)), item("done", 39, call(39))];
    // By its place alone, and by its id alone.
    let without_ids = json!({"type": "function_call", "name": "tool", "arguments": "{}"});
    let in_its_place = || vec![item("done", 39, without_ids.clone())];
    let by_its_id = || vec![json!({"type": "response.output_item.done", "item": call(39)}).to_string()];
    for before in [Vec::new(), told_before(), in_its_place(), by_its_id()] {
        let events = before.into_iter().chain([responses::end("completed", &json!({"output": output}))]);
        let log = read_with(Some(Provider::OpenaiResponses), limited(), events);
        assert_eq!(log.calls.len(), 40);
        assert!(log.calls.iter().all(|call| call.status == "complete"));
        let mut ids: Vec<_> = log.calls.iter().map(|call| call.id.clone()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 40);
    }
}

/// Whole arguments behind values by path, in a piece of a call of Gemini's: they are what was sent, or the call is not whole.
#[test]
fn whole_arguments_in_a_piece_are_not_lost() {
    let statuses = |args: Value| {
        let log = read(
            Provider::Gemini,
            vec![
                gemini_call(&json!({"name": "f", "willContinue": true})),
                gemini_call(&json!({"partialArgs": [{"jsonPath": "$.a", "numberValue": 1}], "willContinue": true})),
                gemini_call(&json!({"args": args, "willContinue": true})),
                gemini_call(&json!({})),
            ],
        );
        log.calls.into_iter().map(|call| call.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(json!({"b": 2})), ["truncated"]);
    assert_eq!(statuses(json!({"a": 1})), ["complete"]);
    assert_eq!(statuses(json!({})), ["complete"]);
    // Where nothing came before, they are the arguments.
    let log = read(
        Provider::Gemini,
        vec![
            gemini_call(&json!({"name": "f", "willContinue": true})),
            gemini_call(&json!({"args": {"b": 2}, "willContinue": true})),
            gemini_call(&json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"f complete {"b":2}"#]);
}

/// What repeated the arguments before more of them came repeats them no longer.
#[test]
fn a_repetition_of_what_was_there_before_is_none() {
    let set = |path: &str, value: &str| {
        let value: Value = value.parse().unwrap();
        gemini_call(&json!({"partialArgs": [{"jsonPath": path, "numberValue": value}], "willContinue": true}))
    };
    // As its text is spelt.
    let whole = |args: &str| {
        let call = gemini_call(&json!({"args": "ARGS", "willContinue": true}));
        call.replace(r#""ARGS""#, args)
    };
    let statuses = |last: &str| {
        let events = [
            gemini_call(&json!({"name": "f", "willContinue": true})),
            set("$.a", "1"),
            whole(r#"{"a": 1.0}"#),
            set("$.b", "2"),
            whole(last),
            gemini_call(&json!({})),
        ];
        read(Provider::Gemini, events).calls.into_iter().map(|call| call.status).collect::<Vec<_>>()
    };
    assert_eq!(statuses(r#"{"b": 2, "a": 1}"#), ["complete"]);
    assert_eq!(statuses(r#"{"a": 1.0}"#), ["truncated"]);
    assert_eq!(statuses(r#"{"a": 1}"#), ["truncated"]);

    // The number at a text's root, which white space ends. A long one is not read again and again.
    let errors = |zeros: usize, more: &str, last: &str| {
        let (mut calls, mut errors) = (everything().build(), Vec::new());
        let mut on_event = |event: CallEvent<'_>| {
            if let CallEvent::Error(error) = event {
                errors.push(error.kind());
            }
        };
        calls.start_with(0, CallStart::new("tool"), &mut on_event);
        calls.delta_with(0, &format!("1{}", "0".repeat(zeros)), &mut on_event);
        calls.whole_with(0, &format!("1e{zeros}"), &mut on_event);
        calls.delta_with(0, more, &mut on_event);
        calls.whole_with(0, last, &mut on_event);
        errors
    };
    assert_eq!(errors(0, "2", "12.0"), []);
    assert_eq!(errors(0, "2", "1.0"), [CallErrorKind::Mismatch]);
    assert_eq!(errors(100, "0", "1e101"), []);
    assert_eq!(errors(5000, " ", "1.0e5000"), []);
    assert_eq!(errors(5000, "0", "1e5001"), [CallErrorKind::Mismatch]);
}
