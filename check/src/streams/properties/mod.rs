//! Each call as if it were alone, as functions for `llm/tests/providers` and for the fuzz target. Any byte split of a
//! provider's stream gives, call by call, the same argument bytes and the same log as feeding those arguments directly;
//! interleaved calls never mix.

pub mod damage;
pub mod soup;
pub mod states;

use std::fmt::Write as _;

use jsonspigot::{DuplicateKeys, Event, EventKind, Parser, PatternSet};
use jsonspigot_llm::Provider;
use serde_json::{Value, json};

use self::damage::{Damage, indices_may_be_strings, makes_nothing_whole};
use crate::laws::Law;
use crate::streams::support::{everything, read_bytes, read_with};

/// A wire format that a property is checked with: a provider's own, or another that contains it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire {
    Of(Provider),
    Realtime,
}

/// All of them. New ones come last, so that what the fuzzer has found keeps its meaning.
pub const WIRES: [Wire; 11] = [
    Wire::Of(Provider::Anthropic),
    Wire::Of(Provider::OpenaiChat),
    Wire::Of(Provider::OpenaiResponses),
    Wire::Of(Provider::Gemini),
    Wire::Of(Provider::Bedrock),
    Wire::Of(Provider::Cohere),
    Wire::Of(Provider::Ollama),
    Wire::Of(Provider::AgUi),
    Wire::Of(Provider::VercelUi),
    Wire::Of(Provider::Mcp),
    Wire::Realtime,
];

impl Wire {
    pub fn provider(self) -> Provider {
        match self {
            Self::Of(provider) => provider,
            Self::Realtime => Provider::OpenaiResponses,
        }
    }

    /// Returns true if its calls are sent in pieces.
    pub fn has_pieces(self) -> bool {
        !matches!(self, Self::Of(Provider::Ollama | Provider::Mcp))
    }
}

/// A call: its arguments, and the pieces that they come in.
#[derive(Clone, Debug)]
pub struct Call {
    pub arguments: String,
    pub pieces: Vec<String>,
}

/// Checks that the calls, with pieces in this order, report the same as alone, for every way to cut the stream's bytes.
pub fn report_the_same_alone(
    wire: Wire,
    calls: &[Call],
    order: &[usize],
    framing: Framed,
    cut: impl Fn(usize) -> Vec<usize>,
) {
    let bytes = frame(&render(wire, calls, order), framing);
    let log = read_bytes(everything(), &bytes, &cut(bytes.len()));
    assert_eq!(log, read_bytes(everything(), &bytes, &[]), "{wire:?}");
    assert_eq!(log.errors, []);
    assert_eq!(log.calls.len(), calls.len());
    for (number, (reported, call)) in log.calls.iter().zip(calls).enumerate() {
        assert_eq!(reported.id, format!("call_{number}"));
        assert_eq!(reported.raw, call.arguments);
        let (matches, is_whole) = directly(&call.arguments);
        assert_eq!(reported.matches, matches, "{wire:?}");
        // A call without any text has the empty object; white space alone is a text that was cut.
        let is_empty = call.arguments.is_empty();
        assert_eq!(reported.value.is_some(), is_whole || is_empty, "{wire:?}: {reported:?}");
        Law::CallsAlone.mark_compared();
    }
}

/// Checks that the log's own checks hold for any events, and that events are read the same a second time.
pub fn are_survived<E: AsRef<str>>(provider: Option<Provider>, events: &[E]) {
    let log = read_with(provider, everything(), events);
    assert_eq!(log, read_with(provider, everything(), events));
    assert!(log.calls.iter().all(|call| !call.status.is_empty()), "every call's input ends: {:?}", log.calls);
    Law::NoPanics.mark_compared();
}

/// Runs the fuzz target. The head holds the provider, the framing, the distance of cuts and the order of pieces; calls
/// end at FD, pieces at FF. With the provider's highest bit set the pieces are a provider's events themselves, with its
/// next bit set they are signals for events of all providers, and with the one below it one fragment is damaged.
pub fn target(input: &[u8]) {
    let (head, text) = match input.iter().position(|&byte| byte == 0xFE) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&[][..], input),
    };
    let choice = |place: usize| head.get(place).map_or(0, |byte| usize::from(*byte));
    let wire = WIRES[choice(0) % WIRES.len()];
    let read = |piece: &[u8]| String::from_utf8_lossy(piece).into_owned();
    let pieces = |text: &[u8]| text.split(|&byte| byte == 0xFF).map(read).collect::<Vec<_>>();
    if choice(0) & 0x80 != 0 || !wire.has_pieces() {
        let provider = (choice(1) % 2 == 0).then_some(wire.provider());
        are_survived(provider, &pieces(text));
        return;
    }
    if choice(0) & 0x40 != 0 {
        soup::is_survived(head, &text.split(|&byte| byte == 0xFF).collect::<Vec<_>>());
        return;
    }
    let call = |text: &[u8]| {
        let pieces = pieces(text);
        Call { arguments: pieces.concat(), pieces }
    };
    let calls: Vec<Call> = text.split(|&byte| byte == 0xFD).take(4).map(call).collect();
    let order: Vec<usize> = head.iter().skip(3).map(|byte| usize::from(*byte)).collect();
    if choice(0) & 0x20 != 0 {
        let damage = if choice(1) == 0xFF { Damage::Early } else { Damage::Place(choice(1)) };
        makes_nothing_whole(wire, &calls, &order, choice(2), damage);
        indices_may_be_strings(wire, &calls, &order);
        return;
    }
    let framing = if choice(1) % 2 == 0 { Framed::Sse } else { Framed::Lines };
    report_the_same_alone(wire, &calls, &order, framing, |length| (0..length).step_by(1 + choice(2)).skip(1).collect());
}

/// How events become bytes.
#[derive(Clone, Copy, Debug)]
pub enum Framed {
    Sse,
    Lines,
}

/// Returns a provider's events for calls with pieces in this order.
fn render(wire: Wire, calls: &[Call], order: &[usize]) -> Vec<Value> {
    let id = |call: usize| format!("call_{call}");
    let provider = match wire {
        Wire::Of(provider) => provider,
        Wire::Realtime => return render_realtime(calls, order),
    };
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
    in_order(calls, order, &start, &delta, end)
}

/// Returns the events of Realtime: two responses at once, each with every other call.
fn render_realtime(calls: &[Call], order: &[usize]) -> Vec<Value> {
    let at = |call: usize| (format!("resp_{}", call % 2), format!("item_{call}"), call / 2, format!("call_{call}"));
    let start = |call: usize| {
        let (response, item, index, id) = at(call);
        json!({"type": "response.output_item.added", "event_id": "e", "response_id": response, "output_index": index,
            "item": {"type": "function_call", "id": item, "call_id": id, "name": "tool", "arguments": ""}})
    };
    let delta = |call: usize, piece: &str| {
        let (response, item, index, id) = at(call);
        json!({"type": "response.function_call_arguments.delta", "event_id": "e", "response_id": response,
            "item_id": item, "call_id": id, "output_index": index, "delta": piece})
    };
    let done = |response: &str| json!({"type": "response.done", "event_id": "e", "response": {"id": response, "status": "completed"}});
    let mut events = in_order(calls, order, &start, &delta, done("resp_0"));
    if calls.len() > 1 {
        events.insert(events.len() - 1, done("resp_1"));
    }
    events
}

/// Returns the starts, the pieces in this order, and the end.
fn in_order(
    calls: &[Call],
    order: &[usize],
    start: &dyn Fn(usize) -> Value,
    delta: &dyn Fn(usize, &str) -> Value,
    end: Value,
) -> Vec<Value> {
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

fn frame(events: &[Value], framing: Framed) -> Vec<u8> {
    let mut text = String::new();
    for event in events {
        match framing {
            Framed::Sse => write!(text, ": a comment\r\ndata: {event}\r\n\r\n").unwrap(),
            Framed::Lines => writeln!(text, "{event}").unwrap(),
        }
    }
    text.into_bytes()
}

/// Returns the events of the arguments fed directly, with joined deltas, and true if they are whole.
fn directly(arguments: &str) -> (Vec<Event<'static>>, bool) {
    let builder = Parser::builder().duplicate_keys(DuplicateKeys::Reject);
    let mut parser = builder.patterns(&PatternSet::new(["$", "$..*"]).unwrap()).build();
    let mut reported: Vec<Event<'static>> = Vec::new();
    let mut record = |event: Event<'_>| {
        let event = event.into_owned();
        match (&event.kind, reported.iter_mut().rfind(|last| last.match_id == event.match_id)) {
            (EventKind::Delta(text), Some(Event { kind: EventKind::Delta(before), .. })) => {
                before.to_mut().push_str(text);
            }
            _ => reported.push(event),
        }
    };
    // A number at the root ends only with the input.
    let is_whole = parser.feed_with(arguments, &mut record).is_ok() && parser.finish_with(&mut record).is_ok();
    (reported, is_whole)
}
