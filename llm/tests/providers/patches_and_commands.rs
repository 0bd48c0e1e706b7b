//! Patches and commands of Responses: input that is sent as separate strings, at any cut and with limits. Streams of
//! them are in `tests/wires/openai-responses`.

use jsonspigot::PatternSet;
use jsonspigot_llm::{CallErrorKind, CallLimits, Provider, ProviderStream, ToolCallsBuilder};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{Log, everything, read_with};

/// Returns the event of an item that was added or done.
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
        // The diff is reported while it arrives.
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
    // The pieces of a call beyond the limit are errors.
    let log = read_as(
        limits(CallLimits::new().open_calls(1)),
        [item("added", 1, "function_call", &json!({"name": "f"}))].into_iter().chain(events()),
    );
    let kinds: Vec<_> = log.errors.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds[..2], [CallErrorKind::OpenCallsLimit, CallErrorKind::NotStarted]);
    // Nothing is kept of the patches of messages that have ended.
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
