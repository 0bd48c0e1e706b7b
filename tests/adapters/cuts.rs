//! Property 34: any byte split of a provider's stream gives, call by call, the same argument bytes and the same log
//! as feeding those arguments directly; interleaved calls never mix.

use std::fmt::Write as _;

use jsonspigot::adapters::Provider;
use jsonspigot::{OwnedEvent, OwnedEventKind, Parser, PatternSet};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixtures::TABLE;
use super::support::{everything, read_bytes, recorded};

/// A generated call: its id, name, arguments and where they are cut.
#[derive(Clone, Debug)]
struct Call {
    arguments: String,
    pieces: Vec<String>,
}

fn arguments() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?",
        "[a-zé😀\"\\\\\n]{0,6}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just(r#""\ud83d\ude00""#.to_owned()),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|list| format!("[{}]", list.join(", "))),
            prop::collection::vec(("[a-c]{1,2}", inner), 0..4).prop_map(|entries| {
                let entries: Vec<_> = entries.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    });
    // Mostly an object, as arguments are; now and then one that is cut or spoilt.
    let object = prop::collection::vec(("[a-c]{1,2}", value), 1..4).prop_map(|entries| {
        let entries: Vec<_> = entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", entries.join(", "))
    });
    (object, 0..8_u8, any::<prop::sample::Index>()).prop_map(|(object, spoil, place)| match spoil {
        0 => object.chars().take(1 + place.index(object.chars().count() - 1)).collect(),
        1 => format!("{object} {{}}"),
        2 => object.replacen(':', "=", 1),
        _ => object,
    })
}

fn call() -> impl Strategy<Value = Call> {
    (arguments(), prop::collection::vec(any::<prop::sample::Index>(), 0..6)).prop_map(|(arguments, cuts)| {
        let characters: Vec<char> = arguments.chars().collect();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(characters.len() + 1)).collect();
        cuts.extend([0, characters.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| characters[cut[0]..cut[1]].iter().collect()).collect();
        Call { arguments, pieces }
    })
}

/// A provider's events for calls whose pieces come in this order.
fn render(provider: Provider, calls: &[Call], order: &[usize]) -> Vec<Value> {
    let id = |call: usize| format!("call_{call}");
    let start = |call: usize| match provider {
        Provider::Anthropic => json!({"type": "content_block_start", "index": call,
            "content_block": {"type": "tool_use", "id": id(call), "name": "tool", "input": {}}}),
        Provider::OpenaiChat => json!({"choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": call, "id": id(call), "function": {"name": "tool", "arguments": ""}}]}}]}),
        Provider::OpenaiResponses => json!({"type": "response.output_item.added", "output_index": call,
            "item": {"type": "function_call", "call_id": id(call), "name": "tool", "arguments": ""}}),
        Provider::Gemini => json!({"event_type": "step.start", "index": call,
            "step": {"type": "function_call", "id": id(call), "name": "tool", "arguments": {}}}),
        Provider::Bedrock => json!({"contentBlockStart": {"contentBlockIndex": call,
            "start": {"toolUse": {"toolUseId": id(call), "name": "tool"}}}}),
        Provider::Cohere => json!({"type": "tool-call-start", "index": call, "delta": {"message": {"tool_calls":
            {"id": id(call), "function": {"name": "tool", "arguments": ""}}}}}),
        Provider::AgUi => json!({"type": "TOOL_CALL_START", "toolCallId": id(call), "toolCallName": "tool"}),
        _ => json!({"type": "tool-input-start", "toolCallId": id(call), "toolName": "tool"}),
    };
    let delta = |call: usize, piece: &str| match provider {
        Provider::Anthropic => json!({"type": "content_block_delta", "index": call,
            "delta": {"type": "input_json_delta", "partial_json": piece}}),
        Provider::OpenaiChat => json!({"choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": call, "function": {"arguments": piece}}]}}]}),
        Provider::OpenaiResponses => json!({"type": "response.function_call_arguments.delta",
            "output_index": call, "delta": piece}),
        Provider::Gemini => json!({"event_type": "step.delta", "index": call,
            "delta": {"type": "arguments_delta", "arguments": piece}}),
        Provider::Bedrock => json!({"contentBlockDelta": {"contentBlockIndex": call,
            "delta": {"toolUse": {"input": piece}}}}),
        Provider::Cohere => json!({"type": "tool-call-delta", "index": call, "delta": {"message": {"tool_calls":
            {"function": {"arguments": piece}}}}}),
        Provider::AgUi => json!({"type": "TOOL_CALL_ARGS", "toolCallId": id(call), "delta": piece}),
        _ => json!({"type": "tool-input-delta", "toolCallId": id(call), "inputTextDelta": piece}),
    };
    let end = match provider {
        Provider::Anthropic => json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        Provider::OpenaiChat => json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        Provider::OpenaiResponses => json!({"type": "response.completed", "response": {}}),
        Provider::Gemini => json!({"event_type": "interaction.completed",
            "interaction": {"status": "requires_action"}}),
        Provider::Bedrock => json!({"messageStop": {"stopReason": "tool_use"}}),
        Provider::Cohere => json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}),
        Provider::AgUi => json!({"type": "RUN_FINISHED"}),
        _ => json!({"type": "finish", "finishReason": "tool-calls"}),
    };
    let mut events: Vec<_> = (0..calls.len()).map(start).collect();
    let mut next = vec![0; calls.len()];
    for &turn in order {
        let call = turn % calls.len();
        if let Some(piece) = calls[call].pieces.get(next[call]) {
            events.push(delta(call, piece));
            next[call] += 1;
        }
    }
    for (call, next) in next.into_iter().enumerate() {
        events.extend(calls[call].pieces[next..].iter().map(|piece| delta(call, piece)));
    }
    events.push(end);
    events
}

fn frame(events: &[Value], is_sse: bool) -> Vec<u8> {
    let mut text = String::new();
    for event in events {
        match is_sse {
            true => write!(text, ": a comment\r\ndata: {event}\r\n\r\n").unwrap(),
            false => writeln!(text, "{event}").unwrap(),
        }
    }
    text.into_bytes()
}

/// What feeding the arguments directly tells, deltas joined, and whether they are whole.
fn directly(arguments: &str) -> (Vec<OwnedEvent>, bool) {
    let mut parser = Parser::new(&PatternSet::new(["$", "$..*"]).unwrap());
    let mut told: Vec<OwnedEvent> = Vec::new();
    let fed = parser.feed_with(arguments, |event| {
        let event = event.to_owned();
        match (&event.kind, told.iter_mut().rfind(|last| last.match_id == event.match_id)) {
            (OwnedEventKind::Delta(text), Some(OwnedEvent { kind: OwnedEventKind::Delta(before), .. })) => {
                before.push_str(text);
            }
            _ => told.push(event),
        }
    });
    let is_whole = fed.is_ok() && parser.finish_with(|_| {}).is_ok();
    (told, is_whole)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_split_and_any_interleaving_tells_each_call_alone(
        calls in prop::collection::vec(call(), 1..4),
        order in prop::collection::vec(0..12_usize, 0..16),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        is_sse: bool,
    ) {
        for provider in Provider::ALL.into_iter().filter(|provider| *provider != Provider::Ollama) {
            let bytes = frame(&render(provider, &calls, &order), is_sse);
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            cuts.sort_unstable();
            let log = read_bytes(everything(), &bytes, &cuts);
            prop_assert_eq!(&log, &read_bytes(everything(), &bytes, &[]), "{}", provider);
            prop_assert_eq!(&log.errors, &vec![]);
            prop_assert_eq!(log.calls.len(), calls.len());
            for (number, (told, call)) in log.calls.iter().zip(&calls).enumerate() {
                prop_assert_eq!(&told.id, &format!("call_{number}"));
                prop_assert_eq!(&told.raw, &call.arguments);
                let (matches, is_whole) = directly(&call.arguments);
                prop_assert_eq!(&told.matches, &matches, "{}", provider);
                prop_assert_eq!(told.value.is_some(), is_whole, "{}: {:?}", provider, told);
            }
        }
    }
}

#[test]
fn a_cut_recording_tells_the_same() {
    for (file, _) in TABLE {
        let Some(bytes) = recorded(file) else { continue };
        let whole = read_bytes(everything(), &bytes, &[]);
        let byte_by_byte: Vec<_> = (1..bytes.len()).collect();
        assert_eq!(read_bytes(everything(), &bytes, &byte_by_byte), whole, "{file} byte by byte");
        // Every place of the short ones, a sample of the long ones: the time is the length times the cuts.
        let step = 1 + bytes.len() * bytes.len() / 3_000_000;
        for cut in (1..bytes.len()).step_by(step) {
            assert_eq!(read_bytes(everything(), &bytes, &[cut]), whole, "{file} cut at {cut}");
        }
    }
}
