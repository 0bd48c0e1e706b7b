//! Patches and commands of Responses: input that comes as strings of its own, told as the JSON text that they make.

use jsonspigot::PatternSet;
use jsonspigot_llm::{CallErrorKind, CallLimits, Provider, ProviderStream, ToolCallsBuilder};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{Log, everything, read_with};

/// An item that was added or done, with its members.
fn item(event: &str, index: u64, kind: &str, members: &Value) -> Value {
    let mut item = json!({"type": kind, "id": format!("i_{index}"), "call_id": format!("call_{index}")});
    item.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    json!({"type": format!("response.output_item.{event}"), "output_index": index, "item": item})
}

fn patch(event: &str, operation: &Value) -> Value {
    item(event, 0, "apply_patch_call", &json!({"operation": operation}))
}

fn diff(event: &str, text: &str) -> Value {
    let member = if event == "done" { "diff" } else { "delta" };
    json!({"type": format!("response.apply_patch_call_operation_diff.{event}"), "output_index": 0, member: text})
}

fn shell(event: &str, action: &Value) -> Value {
    item(event, 0, "shell_call", &json!({"action": action}))
}

fn command(event: &str, place: u64, text: &str) -> Value {
    let member = if event == "delta" { "delta" } else { "command" };
    json!({"type": format!("response.shell_call_command.{event}"), "output_index": 0, "command_index": place,
        member: text})
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"output": []}})
}

fn read(events: impl IntoIterator<Item = Value>) -> Log {
    read_as(everything(), events)
}

fn read_as(choices: ToolCallsBuilder, events: impl IntoIterator<Item = Value>) -> Log {
    read_with(Some(Provider::OpenaiResponses), choices, events.into_iter().map(|event| event.to_string()))
}

proptest! {
    #[test]
    fn a_patch_is_its_operation_however_it_is_cut(path in ".*", pieces in proptest::collection::vec(".*", 0..6)) {
        let whole = pieces.concat();
        let operation = json!({"type": "update_file", "path": path, "diff": whole});
        let events = |pieces: &[String]| {
            let added = json!({"type": "update_file", "path": path, "diff": ""});
            let deltas: Vec<_> = pieces.iter().map(|piece| diff("delta", piece)).collect();
            let end = [diff("done", &whole), patch("done", &operation), completed()];
            [patch("added", &added)].into_iter().chain(deltas).chain(end)
        };
        let log = read(events(&pieces));
        prop_assert_eq!((log.calls.len(), &log.errors, &log.unknown), (1, &vec![], &vec![]));
        let value: Value = serde_json::from_str(log.calls[0].value.as_ref().unwrap()).unwrap();
        prop_assert_eq!(value, json!({"callId": "call_0", "operation": operation}));
        let in_one = read(events(std::slice::from_ref(&whole)));
        prop_assert_eq!(&log.calls[0].raw, &in_one.calls[0].raw);
        // The diff is told as it comes.
        let choices = everything().patterns(&PatternSet::new(["operation.diff"]).unwrap());
        let cut = read_as(choices, events(&pieces).take(1 + pieces.len()));
        let told: String = cut.calls[0].matches.iter().filter_map(|event| event.delta()).collect();
        prop_assert_eq!((told, cut.calls[0].status), (whole, "truncated"));
    }

    #[test]
    fn commands_are_their_action_however_they_are_cut(
        commands in proptest::collection::vec(proptest::collection::vec(".*", 0..4), 0..4),
        has_deltas in any::<bool>(),
    ) {
        let whole: Vec<_> = commands.iter().map(|pieces| pieces.concat()).collect();
        let action = json!({"commands": whole, "timeout_ms": 5, "max_output_length": null});
        let mut events = vec![shell("added", &json!({"commands": [], "timeout_ms": null}))];
        for (place, pieces) in (0..).zip(&commands) {
            events.push(command("added", place, ""));
            if has_deltas {
                events.extend(pieces.iter().map(|piece| command("delta", place, piece)));
            }
            events.push(command("done", place, &pieces.concat()));
        }
        events.extend([shell("done", &action), completed()]);
        let log = read(events);
        prop_assert_eq!((log.calls.len(), &log.errors, &log.unknown), (1, &vec![], &vec![]));
        let value: Value = serde_json::from_str(log.calls[0].value.as_ref().unwrap()).unwrap();
        prop_assert_eq!(value, action);
    }
}

#[test]
fn what_only_the_item_has_is_there() {
    // No event but the item's: its own spelling, and members that nobody knows.
    let operation = json!({"type": "update_file", "path": "a", "diff": "@@", "later": [1]});
    let whole = r#"apply_patch complete {"callId":"call_0","operation":{"type":"update_file","path":"a","#;
    for events in [vec![patch("done", &operation)], vec![patch("added", &json!({})), patch("done", &operation)]] {
        let log = read(events.into_iter().chain([completed()]));
        let value: Value = serde_json::from_str(log.calls[0].value.as_ref().unwrap()).unwrap();
        assert_eq!((value["operation"].clone(), log.errors), (operation.clone(), vec![]));
    }
    // In the response alone, or in the deltas and nowhere else.
    let item = json!({"type": "apply_patch_call", "id": "i", "call_id": "call_0", "status": "completed",
        "operation": {"type": "update_file", "path": "a", "diff": "@@"}});
    let log = read([json!({"type": "response.completed", "response": {"output": [item]}})]);
    assert_eq!(log.summary(), [format!(r#"{whole}"diff":"@@"}}}}"#)]);
    let added = || patch("added", &json!({"type": "update_file", "path": "a", "diff": ""}));
    let log = read([added(), diff("delta", "@@"), diff("done", "@@"), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![format!(r#"{whole}"diff":"@@"}}}}"#)], vec![]));
    let log = read([shell("added", &json!({})), command("delta", 0, "ls"), command("done", 0, "ls"), completed()]);
    assert_eq!(log.summary(), [r#"shell complete {"commands":["ls"]}"#]);
    // An empty patch is one too.
    let log = read([added(), patch("done", &json!({"type": "update_file", "path": "a", "diff": ""})), completed()]);
    assert_eq!(log.summary(), [format!(r#"{whole}"diff":""}}}}"#)]);
}

#[test]
fn what_was_cut_is_never_closed() {
    let added = || patch("added", &json!({"type": "update_file", "path": "a", "diff": ""}));
    let open = r#"{"callId":"call_0","operation":{"type":"update_file","path":"a","diff":"@@"#;
    let cut =
        json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}});
    let incomplete = || {
        item(
            "done",
            0,
            "apply_patch_call",
            &json!({"status": "incomplete", "operation": {"type": "update_file",
            "path": "a", "diff": "@@"}}),
        )
    };
    let reason = format!("apply_patch truncated(max_output_tokens) {open}");
    assert_eq!(read([added(), diff("delta", "@@"), cut.clone()]).summary(), [reason.as_str()]);
    let log = read([added(), diff("delta", "@@"), incomplete(), cut.clone()]);
    assert_eq!((log.summary(), log.errors), (vec![reason], vec![]));
    assert_eq!(read([added(), diff("delta", "@@")]).summary(), [format!("apply_patch truncated(end-of-input) {open}")]);
    // Nothing says that there is no more to come.
    let log = read([added(), diff("delta", "@@"), completed()]);
    assert_eq!(log.summary(), [format!("apply_patch truncated(completed) {open}")]);
    // Nor is an object that an item has whole, if the item says it is not.
    for (kind, members) in [
        ("local_shell_call", json!({"action": {"command": ["rm", "-r", "/"]}})),
        ("shell_call", json!({"action": {"commands": ["rm -r /"]}})),
        ("computer_call", json!({"action": {"type": "type", "text": "rm -r /"}})),
        ("tool_search_call", json!({"execution": "client", "arguments": {"goal": "x"}})),
    ] {
        let mut members = members;
        members["status"] = json!("incomplete");
        let log = read([item("done", 0, kind, &members), cut.clone()]);
        assert_eq!((log.calls[0].status, log.calls[0].reason.as_str()), ("truncated", "max_output_tokens"), "{kind}");
        assert!(log.calls[0].value.is_none() && log.calls[0].raw.starts_with('{'), "{kind}: {}", log.calls[0].raw);
        members["status"] = json!("completed");
        assert_eq!(read([item("done", 0, kind, &members), completed()]).calls[0].status, "complete", "{kind}");
    }
}

#[test]
fn what_does_not_fit_is_told() {
    let operation = |text: &str| json!({"type": "update_file", "path": "a", "diff": text});
    let whole = r#"apply_patch complete {"callId":"call_0","operation":{"type":"update_file","path":"a","diff":"@@"}}"#;
    let mismatch = (CallErrorKind::Mismatch, Some(0));
    let ended = (CallErrorKind::Ended, Some(0));
    let added = || patch("added", &operation(""));
    // Of two that differ, nobody can say which is right.
    let cut = whole.replace("complete", "truncated(mismatch)");
    let log = read([added(), diff("delta", "@@"), diff("done", "@!"), patch("done", &operation("@@")), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![cut.clone()], vec![mismatch]));
    let log = read([added(), diff("delta", "@@"), diff("done", "@@"), patch("done", &operation("@")), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![cut], vec![mismatch]));
    let log = read([added(), diff("delta", "@@"), diff("done", "@@"), diff("delta", "@"), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![whole.to_owned()], vec![ended]));
    // The same once more is nothing.
    let log = read([added(), added(), diff("delta", "@@"), diff("done", "@@"), diff("done", "@@"), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![whole.to_owned()], vec![]));
    let done = || patch("done", &operation("@@"));
    let log = read([added(), done(), done(), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![whole.to_owned()], vec![]));
    // A piece of nobody's.
    let log = read([diff("delta", "@@"), diff("done", "@@"), completed()]);
    assert_eq!((log.calls.len(), log.errors), (0, vec![(CallErrorKind::NotStarted, None); 2]));
    // A piece of a command that another has followed is lost, and so is the call.
    let action = |commands: &[&str]| json!({"commands": commands});
    let log = read([
        shell("added", &action(&[])),
        command("delta", 0, "l"),
        command("delta", 1, "pwd"),
        command("delta", 0, "s"),
        shell("done", &action(&["ls", "pwd"])),
        completed(),
    ]);
    assert_eq!(log.summary(), [r#"shell truncated(mismatch) {"commands":["l","pwd"]}"#]);
    assert_eq!(log.errors, [ended, (CallErrorKind::Mismatch, Some(0))]);
    // What is after a command's end is too late, and does no harm.
    let log = read([
        shell("added", &action(&[])),
        command("delta", 0, "ls"),
        command("done", 0, "ls"),
        command("delta", 0, "!"),
        shell("done", &action(&["ls"])),
        completed(),
    ]);
    assert_eq!((log.summary(), log.errors), (vec![r#"shell complete {"commands":["ls"]}"#.to_owned()], vec![ended]));
}

#[test]
fn snapshots_of_all_so_far() {
    let cumulative = || everything().cumulative();
    let operation = json!({"type": "update_file", "path": "a", "diff": "a\"b\"c"});
    let log = read_as(
        cumulative(),
        [
            patch("added", &json!({"type": "update_file", "path": "a", "diff": ""})),
            diff("delta", "a\""),
            diff("delta", "a\"b"),
            diff("delta", "a\"b"),
            diff("delta", "a\"b\"c"),
            diff("done", "a\"b\"c"),
            patch("done", &operation),
            completed(),
        ],
    );
    let value: Value = serde_json::from_str(log.calls[0].value.as_ref().unwrap()).unwrap();
    assert_eq!((value["operation"].clone(), log.errors), (operation, vec![]));
    let log = read_as(
        cumulative(),
        [
            patch("added", &json!({"type": "update_file", "path": "a", "diff": ""})),
            diff("delta", "a"),
            diff("delta", "x"),
            diff("delta", "ab"),
            completed(),
        ],
    );
    assert_eq!((log.calls[0].status, log.calls[0].reason.as_str()), ("truncated", "mismatch"));
    assert_eq!(log.errors, [(CallErrorKind::Mismatch, Some(0))]);
}

#[test]
fn limits_hold() {
    let limits = |limits: CallLimits| everything().limits(limits);
    let operation = json!({"type": "update_file", "path": "a", "diff": "@@@@"});
    let events =
        || [patch("added", &json!({})), diff("delta", "@@@@"), diff("done", "@@@@"), patch("done", &operation)];
    for most in 0..100 {
        let log = read_as(limits(CallLimits::new().input_bytes(most)), events());
        let call = &log.calls[0];
        let is_whole = call.status == "complete";
        let kinds: Vec<_> = log.errors.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, if is_whole { vec![] } else { vec![CallErrorKind::InputLimit] }, "{most}");
        assert!(call.raw.len() <= most && (is_whole || call.reason == "limit"), "{most}: {call:?}");
        assert!(is_whole || most < 90);
    }
    // A call that there is no room for leaves nothing behind.
    let log = read_as(
        limits(CallLimits::new().open_calls(1)),
        [item("added", 1, "function_call", &json!({"name": "f"}))].into_iter().chain(events()),
    );
    let kinds: Vec<_> = log.errors.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds[..2], [CallErrorKind::OpenCallsLimit, CallErrorKind::NotStarted]);
    // Messages that end without a word of it to the reader leave no texts behind.
    let size = |messages: u64| {
        let mut calls = ProviderStream::new(Provider::OpenaiResponses, everything().build());
        for index in 0..messages {
            calls.push_with(&item("added", index, "apply_patch_call", &json!({})).to_string(), |_| {});
            calls.push_with("[DONE]", |_| {});
        }
        format!("{calls:?}").len()
    };
    assert!(size(3_000) < size(1_000) * 11 / 10);
}

/// A provider's own shell is a call that nobody else is to execute.
#[test]
fn a_shell_in_a_container() {
    let members = json!({"action": {"commands": ["ls"]}, "environment": {"type": "container_auto"}});
    let log = read([
        item("added", 0, "shell_call", &members),
        command("added", 0, ""),
        command("delta", 0, "ls"),
        command("done", 0, "ls"),
        item("done", 0, "shell_call", &members),
        completed(),
    ]);
    assert_eq!(log.summary(), [r#"shell complete {"commands":["ls"]}"#]);
    assert_eq!(log.executed(), (vec![], vec!["shell"]));
    assert_eq!((log.errors, log.unknown), (vec![], vec![]));
}

/// What the wire says again must be the same again, and what says nothing changes nothing.
#[test]
fn what_is_said_again() {
    let operation = |text: &str| json!({"type": "update_file", "path": "a", "diff": text});
    // A diff that was done as an empty one is no other now.
    let log = read([patch("added", &operation("")), diff("done", ""), diff("done", "x"), completed()]);
    assert_eq!(log.errors, [(CallErrorKind::Mismatch, Some(0))]);
    assert_eq!(log.summary()[0].matches("\"diff\":\"\"").count(), 1, "{log:?}");
    // An empty snapshot of all so far takes nothing back.
    let log = read_as(
        everything().cumulative(),
        [
            shell("added", &json!({"commands": []})),
            command("added", 0, ""),
            command("delta", 0, "ls"),
            command("added", 0, ""),
            command("delta", 0, "ls -l"),
            command("done", 0, "ls -l"),
            completed(),
        ],
    );
    assert_eq!((log.summary(), log.errors), (vec![r#"shell complete {"commands":["ls -l"]}"#.to_owned()], vec![]));
    // Commands that the item says were cut stay open, though the item repeats them as if they were not.
    let members = json!({"status": "incomplete", "action": {"commands": ["ls"]}});
    let log = read([
        shell("added", &json!({})),
        command("delta", 0, "ls"),
        item("done", 0, "shell_call", &members),
        completed(),
    ]);
    assert_eq!(log.summary(), [r#"shell truncated(completed) {"commands":["ls"#]);
}

/// A shell that is not said to be in a container is the client's. Without its action, its commands' texts are its input.
#[test]
fn a_shell_whose_commands_are_text() {
    let added = || item("added", 0, "shell_call", &json!({}));
    let done = || shell("done", &json!({"commands": ["ls"]}));
    let log = read([added(), command("delta", 0, "ls"), done(), completed()]);
    assert_eq!((log.summary(), log.errors.clone()), (vec!["shell raw ls".to_owned()], vec![]));
    assert_eq!(log.executed(), (vec!["shell"], vec![]));
    let log = read([added(), done(), completed()]);
    assert_eq!((log.summary(), log.errors), (vec![r#"shell raw {"commands":["ls"]}"#.to_owned()], vec![]));
}

/// What the provider does itself may fail, which says nothing about its input.
#[test]
fn a_search_that_fails() {
    for (status, action, value) in [
        ("failed", json!({"type": "search", "query": "x"}), r#"{"query":"x","type":"search"}"#),
        ("incomplete", json!({"type": "search"}), r#"{"type":"search"}"#),
        ("failed", json!(null), "{}"),
        ("completed", json!("search"), "{}"),
    ] {
        let members = json!({"status": status, "action": action});
        let log = read([item("added", 0, "web_search_call", &json!({})), item("done", 0, "web_search_call", &members)]);
        assert_eq!(log.summary(), [format!("web_search complete {value}")], "{status} {action}");
    }
    // What has come of it is told as its result, with whether it failed.
    for (members, failed) in [
        (json!({"status": "failed", "results": [{"text": "r"}]}), true),
        (json!({"status": "completed", "results": [{"text": "r"}], "error": {"code": 1}}), true),
        (json!({"status": "completed", "results": [{"text": "r"}]}), false),
    ] {
        let log = read([item("done", 0, "file_search_call", &members), completed()]);
        let results: Vec<_> = log.besides.iter().filter(|fact| fact.starts_with("result of call 0 call_0")).collect();
        assert_eq!(results.len(), 1, "{log:?}");
        assert_eq!(results[0].starts_with("result of call 0 call_0 failed "), failed, "{members}");
    }
}

/// An item's end is that of the call that its place and its id mean, if these agree.
#[test]
fn whose_end_an_item_is() {
    let call = |event: &str, index: u64, ids: Value, arguments: &str| {
        let mut item = json!({"type": "function_call", "name": "f", "arguments": arguments});
        item.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
        json!({"type": format!("response.output_item.{event}"), "output_index": index, "item": item})
    };
    let complete = vec!["f complete {}".to_owned()];
    for (added, done, place) in [
        // By its call's id, whatever the place.
        (json!({"id": "i", "call_id": "c"}), json!({"id": "i", "call_id": "c"}), 5),
        (json!({"id": "i", "call_id": "c"}), json!({"call_id": "c"}), 5),
        // By its place, where no other id is known.
        (json!({"id": "i"}), json!({"id": "i", "call_id": "c"}), 0),
        (json!({}), json!({"id": "i", "call_id": "c"}), 0),
        (json!({"call_id": "c"}), json!({}), 0),
        (json!({"call_id": "c"}), json!({"id": "i"}), 0),
    ] {
        let log = read([call("added", 0, added.clone(), ""), call("done", place, done.clone(), "{}"), completed()]);
        assert_eq!((log.summary(), log.errors), (complete.clone(), vec![]), "{added} {done}");
    }
    // An id that is not the one of the call in its place is another call's, of which nobody knows.
    let ids = json!({"id": "j", "call_id": "d"});
    let log = read([call("added", 0, json!({"id": "i", "call_id": "c"}), ""), call("done", 0, ids, "{}"), completed()]);
    assert_eq!(log.summary(), ["f truncated(unplaced) "]);
    assert_eq!(log.errors, [(CallErrorKind::NotStarted, None)]);
}
