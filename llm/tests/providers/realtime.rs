//! Realtime: what is said late, twice or without an id, and what is known of it past the limits.

use jsonspigot_llm::{CallErrorKind, CallLimits, Provider};
use serde_json::{Value, json};

use super::support::{Log, everything, read_with};

fn read(events: impl IntoIterator<Item = Value>) -> Log {
    read_limited(CallLimits::new(), events)
}

fn read_limited(limits: CallLimits, events: impl IntoIterator<Item = Value>) -> Log {
    let with_id = |mut event: Value| {
        event["event_id"] = json!("event_1");
        event.to_string()
    };
    read_with(Some(Provider::OpenaiResponses), everything().limits(limits), events.into_iter().map(with_id))
}

/// An event of a response.
fn event(kind: &str, response: &str, members: Value) -> Value {
    let mut event = members;
    event["type"] = json!(format!("response.{kind}"));
    event["response_id"] = json!(response);
    event
}

fn begun(id: &str) -> Value {
    json!({"type": "response.created", "response": {"id": id}})
}

fn over(id: &str, output: &Value) -> Value {
    json!({"type": "response.done", "response": {"id": id, "status": "completed", "output": output}})
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "id": format!("i_{id}"), "call_id": id, "name": "f", "arguments": "{}"})
}

fn item(kind: &str, response: &str, item: &Value) -> Value {
    event(&format!("output_item.{kind}"), response, json!({ "item": item }))
}

/// Some proxies drop the ids that tell these events from those of Responses.
#[test]
fn events_without_an_id() {
    for kind in [
        "conversation.created",
        "conversation.item.input_audio_transcription.delta",
        "input_audio_buffer.speech_started",
        "mcp_list_tools.completed",
        "output_audio_buffer.started",
        "rate_limits.updated",
        "response.audio.delta",
        "response.output_audio.done",
        "session.created",
        "transcription_session.updated",
    ] {
        let event = json!({ "type": kind }).to_string();
        assert_eq!(Provider::detect(&event), Some(Provider::OpenaiResponses), "{kind}");
        let log = read_with(None, everything(), [&event]);
        assert_eq!((log.unknown, log.bad_frames), (vec![], vec![]), "{kind}");
    }
}

/// A message's parts are told once each, by whichever event is the first to have them, and as blocks of the message.
#[test]
fn a_message_of_several_parts() {
    let texts = ["ab", "cd", "ef"];
    let message = json!({"type": "message", "id": "m", "content": texts.map(|text| json!({ "text": text }))});
    let of_parts = |kind: &str, members: &dyn Fn(&str) -> Value| -> Vec<Value> {
        let parts = (0..).zip(texts).map(|(index, text): (u64, _)| {
            let mut members = members(text);
            members["item_id"] = json!("m");
            members["content_index"] = json!(index);
            event(kind, "r", members)
        });
        parts.collect()
    };
    let sources = [
        of_parts("output_text.delta", &|text| json!({"delta": text[..1]})),
        of_parts("output_text.delta", &|text| json!({"delta": text[1..]})),
        of_parts("output_text.done", &|text| json!({ "text": text })),
        of_parts("content_part.done", &|text| json!({"part": {"text": text}})),
        vec![item("done", "r", &message)],
        vec![over("r", &json!([message]))],
    ];
    // From all of these, from the pieces on, down to the response at its end alone.
    for first in [0, 2, 3, 4, 5] {
        // Nothing has been said yet, so that no block begins.
        let nothing = of_parts("output_text.delta", &|_| json!({"delta": ""}));
        let log = read([begun("r")].into_iter().chain(nothing).chain(sources[first..].concat()));
        assert_eq!(log.text, if first == 0 { "acebdf" } else { "abcdef" }, "from {first}");
        let blocks: Vec<_> = log.besides.iter().filter(|fact| fact.starts_with("block")).collect();
        assert_eq!(blocks, ["block 0 text m", "block 1 text m", "block 2 text m"], "from {first}");
        assert_eq!((log.open_blocks, log.unknown, log.ends), (vec![], vec![], 1), "from {first}");
    }
}

/// An item that is done again is the same one. One that has no id is no call's.
#[test]
fn items_that_are_done_again_or_have_no_id() {
    let log = read([item("done", "r", &call("c")), item("done", "r", &call("c")), over("r", &json!([call("c")]))]);
    assert_eq!((log.summary(), log.errors), (vec!["f complete {}".to_owned()], vec![]));
    let mut begun = call("c");
    begun["arguments"] = json!("");
    let delta = |text: &str| {
        event("function_call_arguments.delta", "r", json!({"item_id": "i_c", "call_id": "c", "delta": text}))
    };
    let message = json!({"type": "message", "status": "incomplete", "content": [{"text": "a"}]});
    let events = [item("added", "r", &begun), delta("{"), item("done", "r", &message), delta("}")];
    let log = read(events.into_iter().chain([over("r", &json!([]))]));
    assert_eq!((log.summary(), log.text.as_str()), (vec!["f complete {}".to_owned()], "a"));
    assert_eq!(log.errors, []);
    // A piece whose item nobody knows is not taken for the only open call's.
    let piece = |ids: Value| event("function_call_arguments.delta", "r", ids);
    for (ids, raw) in [
        (json!({"item_id": "other", "delta": "{"}), ""),
        (json!({"call_id": "other", "delta": "{"}), ""),
        (json!({"item_id": "other", "call_id": "c", "delta": "{"}), "{"),
        (json!({"item_id": "i_c", "call_id": "other", "delta": "{"}), "{"),
    ] {
        let log = read([item("added", "r", &begun), piece(ids.clone())]);
        assert_eq!(log.calls[0].raw, raw, "{ids}");
        let errors = if raw.is_empty() { vec![(CallErrorKind::NotStarted, None)] } else { vec![] };
        assert_eq!(log.errors, errors, "{ids}");
    }
}

/// Responses without an id come one after the other.
#[test]
fn responses_without_an_id() {
    let response = |id: &str| [item("done", "", &call(id)), over("", &json!([call(id)]))];
    let log = read([response("a"), response("b")].concat());
    assert_eq!((log.ids(), log.stops.len(), log.ends), (vec!["a", "b"], 2, 2));
    assert_eq!((log.unknown, log.errors), (vec![], vec![]));
}

/// What is said late of a response that is over begins nothing, as long as it is one of the last sixteen. What has come
/// of a call of the provider's own is told all the same.
#[test]
fn what_is_said_of_a_response_that_is_over() {
    let ids: Vec<_> = (0..16).map(|number| format!("r{number}")).collect();
    let responses = || ids.iter().flat_map(|id| [begun(id), over(id, &json!([]))]);
    for id in &ids {
        let late = [item("done", id, &call("c")), event("output_text.delta", id, json!({"delta": "late"}))];
        let log = read(responses().chain(late));
        assert_eq!((log.calls.len(), log.text.as_str(), log.not_known().len()), (0, "", 2), "{id}");
        assert_eq!((log.ends, log.incomplete), (16, None), "{id}");
        let result = json!({"type": "mcp_call", "id": "m", "name": "own", "arguments": "{}", "output": "x"});
        let log = read(responses().chain([item("done", id, &result), item("done", id, &result)]));
        assert_eq!((log.calls.len(), log.unknown), (0, vec![]), "{id}");
        assert_eq!(log.besides.iter().filter(|fact| fact.starts_with("result of nobody m ")).count(), 1, "{id}");
    }
}

/// A response goes by an id that is as long as an id may be; a longer one is not kept.
#[test]
fn ids_of_responses_at_the_limit() {
    let limits = CallLimits::new().name_bytes(2);
    let text = |id: &str| event("output_text.delta", id, json!({"item_id": id, "delta": "x"}));
    let messages = |ids: [&str; 2]| {
        let log = read_limited(limits, [begun(ids[0]), begun(ids[1]), text(ids[0]), text(ids[1])]);
        let (messages, blocks): (Vec<_>, _) = log.besides.into_iter().partition(|fact| fact.starts_with("message"));
        (messages, blocks)
    };
    let told = |facts: &[&str]| facts.iter().copied().map(str::to_owned).collect::<Vec<_>>();
    let two = ["message r1 -", "message r2 -"];
    assert_eq!(
        messages(["r1", "r2"]),
        (told(&two), told(&["block 0 text r1", "block 1 text of 1 r2", "end 0", "end 1"]))
    );
    assert_eq!(messages(["r01", "r1"]).0, told(&["message - -", "message r1 -"]));
    assert_eq!(messages(["r0001", "r1"]).0, told(&["message - -", "message r1 -"]));
}

/// A response repeats its items at its end: calls that are no longer remembered are not told again, and what only the
/// response says is told, whatever is remembered.
#[test]
fn a_response_whose_calls_are_forgotten() {
    let message = json!({"type": "message", "id": "m", "content": [{"text": "x"}]});
    for most in 1..5 {
        let calls = ["a", "b", "c"].map(call);
        let done = calls.iter().map(|call| item("done", "r", call));
        let output = json!([calls[0], calls[1], calls[2], message]);
        let log = read_limited(CallLimits::new().open_calls(most), done.chain([over("r", &output)]));
        assert_eq!((log.ids(), log.text.as_str(), log.errors.len()), (vec!["a", "b", "c"], "x", 0), "{most}");
        // Where nothing has been forgotten before, the response has them all, and tells them.
        let log = read_limited(CallLimits::new().open_calls(most), [over("r", &output)]);
        assert_eq!((log.ids(), log.text.as_str(), log.errors.len()), (vec!["a", "b", "c"], "x", 0), "{most}");
    }
}
