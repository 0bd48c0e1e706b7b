//! OpenAI's Realtime and MCP remember responses and calls up to limits. And a stream that is read as another wire's is
//! never taken for an empty one.

use jsonspigot_check::effort::{Sample, size};
use jsonspigot_llm::{CallLimits, Provider};
use serde_json::{Value, json};

use super::support::{Log, events_of, everything, read, read_with};
use super::wire_files::inputs;

/// Reads events of Realtime.
fn realtime(limits: CallLimits, events: impl IntoIterator<Item = Value>) -> Log {
    let with_id = |mut event: Value| {
        event["event_id"] = json!("event_1");
        event.to_string()
    };
    read_with(Some(Provider::OpenaiResponses), everything().limits(limits), events.into_iter().map(with_id))
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

fn done(response: &str, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "response_id": response, "item": item})
}

fn text(response: &str, item: &str, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "response_id": response, "item_id": item, "delta": delta})
}

/// Checks that events of a response after its end begin nothing, if it is one of the last sixteen. The result of a call
/// that the provider ran is reported all the same.
#[test]
fn events_of_the_last_sixteen_responses() {
    let ids: Vec<_> = (0..16).map(|number| format!("r{number}")).collect();
    let responses = || ids.iter().flat_map(|id| [begun(id), over(id, &json!([]))]);
    for id in &ids {
        let log = realtime(CallLimits::new(), responses().chain([done(id, &call("c")), text(id, "i", "late")]));
        assert_eq!((log.calls.len(), log.text.as_str(), log.not_known().len()), (0, "", 2), "{id}");
        assert_eq!((log.ends, log.incomplete), (16, None), "{id}");
        let result = json!({"type": "mcp_call", "id": "m", "name": "own", "arguments": "{}", "output": "x"});
        let log = realtime(CallLimits::new(), responses().chain([done(id, &result), done(id, &result)]));
        assert_eq!((log.calls.len(), log.unknown), (0, vec![]), "{id}");
        assert_eq!(log.besides.iter().filter(|fact| fact.starts_with("result of nobody m ")).count(), 1, "{id}");
    }
}

/// Checks that a response's id may be as long as ids may be, and that a longer one is not kept.
#[test]
fn ids_of_responses_at_the_limit() {
    for (ids, messages, blocks) in [
        (
            ["r1", "r2"],
            ["message r1 -", "message r2 -"],
            &["block 0 text r1", "block 1 text of 1 r2", "end 0", "end 1"][..],
        ),
        (["r01", "r1"], ["message - -", "message r1 -"], &[]),
        (["r0001", "r1"], ["message - -", "message r1 -"], &[]),
    ] {
        let events = ids.map(begun).into_iter().chain(ids.map(|id| text(id, id, "x")));
        let log = realtime(CallLimits::new().name_bytes(2), events);
        let (of_messages, others): (Vec<_>, Vec<_>) =
            log.besides.into_iter().partition(|fact| fact.starts_with("message"));
        assert_eq!(of_messages, messages);
        assert!(blocks.is_empty() || others == blocks, "{others:?}");
    }
}

/// Checks that a response repeats its items at its end: calls that are no longer remembered are not reported again, and
/// parts that only the response has are reported.
#[test]
fn a_response_whose_calls_are_forgotten() {
    let calls = ["a", "b", "c"].map(call);
    let message = json!({"type": "message", "id": "m", "content": [{"text": "x"}]});
    let output = json!([calls[0], calls[1], calls[2], message]);
    for most in 1..5 {
        // Where no call came before, the response has them all.
        for before in [&calls[..], &[]] {
            let items = before.iter().map(|call| done("r", call));
            let log = realtime(CallLimits::new().open_calls(most), items.chain([over("r", &output)]));
            assert_eq!((log.ids(), log.text.as_str(), log.errors.len()), (vec!["a", "b", "c"], "x", 0), "{most}");
        }
    }
}

/// MCP: as many calls wait for their results as may be open.
#[test]
fn calls_that_wait_have_a_limit() {
    let call = |id: u64| {
        let params = json!({"name": "tool", "arguments": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let result = |id: u64| json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
    let events = (0..3).map(call).chain((0..3).map(result)).map(|event| event.to_string());
    let limits = everything().limits(CallLimits::new().open_calls(2));
    let log = read_with(Some(Provider::Mcp), limits, events);
    let without_call: Vec<_> = log.besides.iter().map(|fact| fact.contains("nobody")).collect();
    assert_eq!(without_call, [false, false, true]);
}

/// Checks that every stream, read as each provider's, reports something, and that a stream of another provider has
/// unknown events or faults.
#[test]
fn no_stream_is_taken_for_an_empty_one() {
    let (mut checked, mut sample) = (0, Sample::one_in(4));
    let is_whole = |name: &str| ["everything.txt", "normal.txt", "parallel.txt"].iter().any(|end| name.ends_with(end));
    for (name, input) in inputs().into_iter().filter(|(name, _)| is_whole(name)) {
        let events = events_of(input.as_bytes());
        let own = events.iter().find_map(|event| Provider::detect(event)).unwrap();
        let detected = read_with(None, everything(), &events);
        assert_eq!(read(own, &events), detected, "{name}");
        assert_ne!(detected, Log::default(), "{name}");
        for provider in Provider::ALL.iter().copied().filter(|provider| *provider != own && sample.takes()) {
            let log = read(provider, &events);
            // Claude's events come through Bedrock, chat's through Cloudflare, and some servers have members of two
            // wires.
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
    assert!(checked > size(150, 600), "{checked}");
}
