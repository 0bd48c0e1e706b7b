//! Inputs of fixed bugs that a stream of `tests/wires` cannot show: limits, memory, and pieces cut at each place.

use jsonspigot::EventKind;
use jsonspigot_llm::{CallErrorKind, CallEvent, CallLimits, CallStart, Provider, ProviderStream};
use serde_json::{Value, json};

use super::support::{Log, anthropic, everything, read, read_to_verdict, read_with, responses};

fn item(event: &str, index: u64, item: &Value) -> String {
    json!({"type": format!("response.output_item.{event}"), "output_index": index, "item": item}).to_string()
}

/// Reads one Anthropic call with these pieces.
fn read_pieces<'p>(pieces: impl IntoIterator<Item = &'p str>) -> Log {
    let pieces = pieces.into_iter().map(|piece| anthropic::delta(0, piece));
    let start = [anthropic::start(0, "a", "tool")];
    read(Provider::Anthropic, start.into_iter().chain(pieces).chain([anthropic::stop(0), anthropic::end("tool_use")]))
}

/// Checks that no text is reported twice, which made other libraries quadratic (pi 9062, openclaw 113124, AI SDK
/// 17113, liveblocks 2617). `.ci/work` counts the instructions.
#[test]
fn pieces_of_one_character() {
    for characters in [1_000, 4_000, 16_000] {
        let arguments = format!("{{\"a\":\"{}\"}}", "x".repeat(characters - r#"{"a":""}"#.len()));
        let piece = |at: usize| serde_json::from_str(&anthropic::delta(0, &arguments[at..=at])).unwrap();
        let start = [anthropic::start(0, "a", "tool")].map(|start| serde_json::from_str(&start).unwrap());
        let events: Vec<Value> = start.into_iter().chain((0..characters).map(piece)).collect();
        let (log, _) = read_to_verdict(Provider::Anthropic, &events);
        let call = &log.calls[0];
        assert_eq!((call.status, call.raw.len()), ("complete", characters));
        let reported: usize = call.matches.iter().map(|event| event.delta().map_or(0, str::len)).sum();
        assert_eq!(reported, characters - 8);
    }
}

/// Cuts arguments inside each escape (AI SDK 15866, assistant-ui 6355, baml 4882, llama.cpp 16526).
#[test]
fn pieces_cut_inside_escapes() {
    let arguments = r#"{"a":"\u00e9\ud83d\ude00\\u0041"}"#;
    for cut in 1..arguments.len() {
        let log = read_pieces([&arguments[..cut], &arguments[cut..]]);
        let call = &log.calls[0];
        assert_eq!(call.status, "complete", "cut at {cut}");
        let is_reported = call.matches.iter().any(|event| event.delta() == Some("é😀\\u0041"));
        assert!(is_reported, "cut at {cut}: {:?}", call.matches);
    }
}

/// Checks that no piece is read after the limit of the input, even if it would fit. Its quote would end a value.
#[test]
fn nothing_is_read_past_the_limit_of_the_input() {
    let limits = CallLimits::new().input_bytes(9);
    let pieces = ["{\"v\":\"x", "😀", "\"", "}"].map(|piece| anthropic::delta(0, piece));
    let events = [anthropic::start(0, "a", "tool")].into_iter().chain(pieces).chain([anthropic::end("tool_use")]);
    let log = read_with(Some(Provider::Anthropic), everything().limits(limits), events);
    assert_eq!(log.summary(), ["tool truncated(limit) {\"v\":\"x"]);
    assert!(!log.calls[0].matches.iter().any(|event| matches!(event.kind, EventKind::End(_))));
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
        calls.push_with(&item("added", 0, &call), |_| {});
    }
    let named = format!("{calls:?}").len();
    assert!(refused < 20_000 && named < 20_000, "{refused} and {named} characters");
}

/// Checks that each call of a response is reported once, although the response has more calls than are remembered.
#[test]
fn a_response_with_more_calls_than_are_remembered() {
    let without_ids = json!({"type": "function_call", "name": "tool", "arguments": "{}"});
    let call = |number: u64| {
        let mut call = without_ids.clone();
        call["id"] = json!(format!("f{number}"));
        call["call_id"] = json!(format!("c{number}"));
        call
    };
    let output: Vec<_> = (0..40).map(call).collect();
    for before in [
        vec![],
        vec![item("added", 39, &call(39)), item("done", 39, &call(39))],
        vec![item("done", 39, &without_ids)],
        vec![json!({"type": "response.output_item.done", "item": call(39)}).to_string()],
    ] {
        let events = before.into_iter().chain([responses::end("completed", &json!({"output": output}))]);
        let choices = everything().limits(CallLimits::new().open_calls(8));
        let log = read_with(Some(Provider::OpenaiResponses), choices, events);
        assert_eq!(log.calls.len(), 40);
        assert!(log.calls.iter().all(|call| call.status == "complete"));
        let mut ids = log.ids();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 40);
    }
}

/// Repeats a number at the root before and after its last digit. A long number is not read again.
#[test]
fn repetitions_of_a_number_that_is_not_over() {
    for (zeros, more, last, is_same) in [
        (0, "2", "12.0", true),
        (0, "2", "1.0", false),
        (100, "0", "1e101", true),
        (5000, " ", "1.0e5000", true),
        (5000, "0", "1e5001", false),
    ] {
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
        assert_eq!(errors, if is_same { vec![] } else { vec![CallErrorKind::Mismatch] }, "{zeros} {more:?} {last}");
    }
}
