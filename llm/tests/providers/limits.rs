//! Limits, each with its own error: a million slots, an endless call, long names and long events stay bounded.

use jsonspigot::{ErrorKind, Limits, Parser, PatternSet};
use jsonspigot_check::effort::size;
use jsonspigot_check::laws::Law;
use jsonspigot_llm::{
    CallErrorKind, CallEvent, CallLimits, CallStart, Provider, ProviderStream, SAVE_LIMIT, ToolCalls, ToolCallsBuilder,
};
use serde_json::{Value, json};

use super::support::{Log, anthropic, chat, everything, gemini_call, read_stream, read_with, responses};

fn limited(limits: CallLimits) -> ToolCallsBuilder {
    everything().limits(limits)
}

pub(super) fn open_calls() {
    let limits = CallLimits::new().open_calls(2);
    let log = read_with(
        Some(Provider::Anthropic),
        limited(limits),
        [
            anthropic::start(0, "a", "one"),
            anthropic::start(1, "b", "two"),
            anthropic::start(2, "c", "three"),
            anthropic::delta(2, "{\"c\""),
            anthropic::delta(0, "{}"),
            // In the place of an open call too, what follows is not that call's.
            anthropic::start(1, "d", "four"),
            anthropic::delta(1, "{\"d\""),
            anthropic::stop(0),
            anthropic::start(3, "e", "five"),
            anthropic::delta(3, "{}"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["one complete {}", "two empty {}", "five complete {}"]);
    let (refused, nobody) = ((CallErrorKind::OpenCallsLimit, None), (CallErrorKind::NotStarted, None));
    assert_eq!(log.errors, [refused, nobody, refused, nobody]);
    Law::BoundedStreams.mark_compared();
}

#[test]
fn a_million_slots() {
    let mut calls = ToolCalls::builder().build();
    let (mut started, mut refused) = (0, 0);
    for slot in 0..1_000_000_u64 {
        calls.start_with(slot, CallStart::new("tool"), |event| match event {
            CallEvent::Start { .. } => started += 1,
            CallEvent::Error(error) => {
                assert_eq!(error.kind(), CallErrorKind::OpenCallsLimit);
                refused += 1;
            }
            _ => {}
        });
    }
    assert_eq!((started, refused), (256, 1_000_000 - 256));
}

pub(super) fn calls_one_after_the_other_are_forgotten_again() {
    let mut calls = ToolCalls::builder().limits(CallLimits::new().open_calls(4)).build();
    let mut log = Log::default();
    for slot in 0..1_000_u64 {
        calls.start_with(slot, CallStart::new("tool").id(&*format!("call_{slot}")), |event| log.tell(event));
        calls.delta_with(slot, "{}", |event| log.tell(event));
        calls.stop_with(slot, |event| log.tell(event));
    }
    assert_eq!((log.calls.len(), log.errors.len()), (1_000, 0));
    // The last ones are known to have ended, the first ones are forgotten.
    let shown = format!("{calls:?}");
    assert!(shown.len() < 4_000 && !shown.contains("call_1\""), "what was forgotten takes no room: {shown}");
    calls.delta_with(999, "x", |event| log.tell(event));
    calls.delta_with(996, "x", |event| log.tell(event));
    calls.delta_with(995, "x", |event| log.tell(event));
    calls.delta_with("call_999", "x", |event| log.tell(event));
    calls.delta_with("call_1", "x", |event| log.tell(event));
    let kinds: Vec<_> = log.errors.iter().map(|(kind, _)| *kind).collect();
    let (ended, not_started) = (CallErrorKind::Ended, CallErrorKind::NotStarted);
    assert_eq!(kinds, [ended, ended, not_started, ended, not_started]);
    Law::BoundedStreams.mark_compared();
}

#[test]
fn what_is_forgotten_takes_nothing_else_along() {
    let choices = |open_calls: usize| limited(CallLimits::new().open_calls(open_calls));
    // The id of a forgotten call, which another one has by now.
    let mut calls = choices(1).build();
    let mut log = Log::default();
    for slot in [0, 1] {
        calls.start_with(slot, CallStart::new("tool").id("same"), |event| log.tell(event));
        calls.delta_with(slot, "{}", |event| log.tell(event));
        calls.stop_with(slot, |event| log.tell(event));
    }
    calls.delta_with("same", "x", |event| log.tell(event));
    calls.delta_with(0, "x", |event| log.tell(event));
    assert_eq!(log.errors, [(CallErrorKind::Ended, Some(1)), (CallErrorKind::NotStarted, None)]);
    // Slots that are ids.
    let mut calls = choices(2).build();
    let mut log = Log::default();
    for slot in ["open", "a", "b", "c"] {
        calls.start_with(slot, CallStart::new("tool").id(slot), |event| log.tell(event));
        calls.delta_with(slot, "{}", |event| log.tell(event));
        if slot != "open" {
            calls.stop_with(slot, |event| log.tell(event));
        }
    }
    calls.stop_with("open", |event| log.tell(event));
    assert_eq!((log.summary().len(), log.errors.len()), (4, 0));
    assert!(log.calls.iter().all(|call| call.status == "complete"));
    // A slot that is open, after a call that was refused.
    let mut calls = choices(2).build();
    let mut log = Log::default();
    for slot in 0..5_u64 {
        calls.start_with(slot, CallStart::new("tool"), |event| log.tell(event));
        if slot < 2 {
            calls.delta_with(slot, "{}", |event| log.tell(event));
            calls.stop_with(slot, |event| log.tell(event));
        }
    }
    calls.delta_with(2, "{}", |event| log.tell(event));
    calls.start_with(5, CallStart::new("refused"), |event| log.tell(event));
    calls.stop_with(2, |event| log.tell(event));
    calls.delta_with(3, "{}", |event| log.tell(event));
    calls.end_message_with(None, |event| log.tell(event));
    assert_eq!(log.summary(), ["tool complete {}"; 4]);
    assert_eq!(log.errors, [(CallErrorKind::OpenCallsLimit, None); 2]);
}

/// Checks that one call is forgotten, and not the others around it: the last reported one, and those of its choice.
#[test]
fn what_is_not_forgotten_is_still_known_to_have_ended() {
    let choices = |open_calls: usize| limited(CallLimits::new().open_calls(open_calls));
    let ag_ui = |kind: &str, id: &str, delta: &str| {
        json!({"type": kind, "toolCallId": id, "toolCallName": "tool", "delta": delta}).to_string()
    };
    let calls = ["a", "b", "c"].into_iter().flat_map(|id| {
        [ag_ui("TOOL_CALL_START", id, ""), ag_ui("TOOL_CALL_ARGS", id, "{}"), ag_ui("TOOL_CALL_END", id, "")]
    });
    let log = read_with(Some(Provider::AgUi), choices(2), calls.chain([ag_ui("TOOL_CALL_CHUNK", "", "x")]));
    assert_eq!(log.errors, [(CallErrorKind::NotStarted, None)], "no chunk has come that it goes on with");
    // Behind a refused call there is no last one, but the others stay where they are.
    let mut calls = choices(1).build();
    let mut log = Log::default();
    for slot in 0..3_u64 {
        calls.start_with(slot, CallStart::new("tool"), |event| log.tell(event));
        if slot < 2 {
            calls.delta_with(slot, "{}", |event| log.tell(event));
        }
        if slot < 1 {
            calls.stop_with(slot, |event| log.tell(event));
        }
    }
    calls.end_message_with(None, |event| log.tell(event));
    calls.delta_with(1, "x", |event| log.tell(event));
    assert_eq!(log.errors, [(CallErrorKind::OpenCallsLimit, None), (CallErrorKind::Ended, Some(1))]);
}

/// Checks that an unreadable event may have been a piece of any open call.
#[test]
fn unreadable_and_oversized_events_cut_what_is_open() {
    let mut calls = ProviderStream::new(Provider::Anthropic, everything().build());
    let mut log = Log::default();
    for (slot, id) in [(0, "a"), (1, "b"), (2, "c")] {
        calls.push_with(&anthropic::start(slot, id, id), |event| log.tell(event));
        calls.push_with(&anthropic::delta(slot, "{}"), |event| log.tell(event));
        match slot {
            0 => calls.push_unreadable_with("{\u{fffd}", |event| log.tell(event)),
            1 => calls.push_oversized_with(|event| log.tell(event)),
            _ => {}
        }
        calls.push_with(&anthropic::stop(slot), |event| log.tell(event));
    }
    assert_eq!(log.summary(), ["a truncated(bad-frame) {}", "b truncated(limit) {}", "c complete {}"]);
    assert_eq!((log.bad_frames, log.errors), (vec!["{\u{fffd}".to_owned()], vec![(CallErrorKind::EventLimit, None)]));
}

#[test]
fn input_bytes() {
    let limits = CallLimits::new().input_bytes(8);
    let read = |texts: &[&str]| {
        let deltas = texts.iter().map(|text| anthropic::delta(0, text));
        let start = [anthropic::start(0, "a", "tool")].into_iter();
        let events = start.chain(deltas).chain([anthropic::stop(0), anthropic::end("tool_use")]);
        read_with(Some(Provider::Anthropic), limited(limits), events)
    };
    // Eight pass, nine do not, wherever the fragments are cut.
    assert_eq!(read(&["{\"a\":", "12}"]).summary(), [r#"tool complete {"a":12}"#]);
    for texts in [&["{\"a\":123}"][..], &["{\"a\":", "123}"], &["{\"a\":123", "}"], &["{\"a\":123", "}", "}"]] {
        let log = read(texts);
        assert_eq!(log.summary(), ["tool truncated(limit) {\"a\":123"], "{texts:?}");
        assert_eq!(log.errors, [(CallErrorKind::InputLimit, Some(0))], "{texts:?}");
    }
    // Never in the middle of a character, and never as if it were whole.
    assert_eq!(read(&["{\"a\":\"éé\"}"]).summary(), ["tool truncated(limit) {\"a\":\"é"]);
    assert_eq!(read(&["{\"a\":12}", " "]).summary(), ["tool truncated(limit) {\"a\":12}"]);
    assert_eq!(read(&["[}", "1234567"]).summary(), ["tool malformed [}123456"]);
}

/// Checks that a server's copy of an input that was too long is not compared with its rest.
#[test]
fn a_derived_input_behind_a_cut_one() {
    let event = |kind: &str, more: serde_json::Value| {
        let mut event = json!({"type": kind, "toolCallId": "a", "toolName": "tool"});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event.to_string()
    };
    let input = "{\"a\":\"0123456789\"}";
    let log = read_with(
        Some(Provider::VercelUi),
        limited(CallLimits::new().input_bytes(8)),
        [
            event("tool-input-start", json!({})),
            event("tool-input-delta", json!({"inputTextDelta": input})),
            event("tool-input-available", json!({"input": {"a": "0123456789"}})),
        ],
    );
    assert_eq!(log.errors, [(CallErrorKind::InputLimit, Some(0))]);
}

#[test]
fn an_endless_call() {
    let limits = CallLimits::new().input_bytes(1 << 10);
    let mut calls = ToolCalls::builder().limits(limits).build();
    let mut log = Log::default();
    calls.start_with(0, CallStart::new("tool").id("a"), |event| log.tell(event));
    for _ in 0..100_000 {
        calls.delta_with(0, "[[[[", |event| log.tell(event));
    }
    calls.end_message_with("stop", |event| log.tell(event));
    assert_eq!((log.calls[0].raw.len(), log.errors.len()), (1 << 10, 1));
}

#[test]
fn values_by_path_are_limited_too() {
    let limits = CallLimits::new().input_bytes(64);
    let arg = |index: u64| {
        let arg = json!({"jsonPath": format!("$.a[{index}]"), "stringValue": "0123456789"});
        gemini_call(&json!({"partialArgs": [arg], "willContinue": true}))
    };
    let start = [gemini_call(&json!({"name": "tool", "willContinue": true}))].into_iter();
    let end = [gemini_call(&json!({}))];
    let events = start.chain((0..1_000).map(arg)).chain(end);
    let log = read_with(Some(Provider::Gemini), limited(limits), events);
    assert_eq!((log.calls[0].status, log.calls[0].reason.as_str()), ("truncated", "limit"));
    assert_eq!(log.errors, [(CallErrorKind::InputLimit, Some(0))]);
    assert!(log.calls[0].raw.len() < 128);
}

#[test]
fn values_by_path_that_just_fit() {
    let read = |input_bytes: usize| {
        let limits = CallLimits::new().input_bytes(input_bytes);
        let arg = json!({"jsonPath": "$.a", "stringValue": "bc"});
        let call = json!({"name": "tool", "partialArgs": [arg], "willContinue": true});
        let events = [gemini_call(&call), gemini_call(&json!({}))];
        read_with(Some(Provider::Gemini), limited(limits), events).summary()
    };
    assert_eq!(read(r#"{"a":"bc""#.len()), [r#"tool complete {"a":"bc"}"#]);
    assert_eq!(read(r#"{"a":"bc""#.len() - 1), [r#"tool truncated(limit) {"a":"bc""#]);
}

#[test]
fn id_and_name_bytes() {
    let limits = CallLimits::new().name_bytes(4);
    let log = read_with(
        Some(Provider::Anthropic),
        limited(limits),
        [
            anthropic::start(0, "four", "four"),
            anthropic::start(1, "fives", "x"),
            anthropic::start(2, "x", "fives"),
            anthropic::delta(1, "{}"),
            anthropic::delta(0, "{}"),
            anthropic::end("tool_use"),
        ],
    );
    assert_eq!(log.summary(), ["four complete {}"]);
    let (name, nobody) = ((CallErrorKind::NameLimit, None), (CallErrorKind::NotStarted, None));
    assert_eq!(log.errors, [name, name, nobody]);
    // An id that comes late is held to the same.
    let log = read_with(
        Some(Provider::OpenaiChat),
        limited(limits),
        [
            chat::call(0, "", "four", ""),
            chat::call(0, "fives", "", ""),
            chat::call(0, "four", "", "{}"),
            chat::end("tool_calls"),
        ],
    );
    assert_eq!((log.ids(), &log.errors), (vec!["four"], &vec![(CallErrorKind::NameLimit, Some(0))]));
    // The id of an item, with which its block is reported.
    for (id, told) in [("four", " four"), ("fives", "")] {
        let item = json!({"type": "message", "id": id});
        let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
        let delta = json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "x"});
        let events = [added, delta].map(|event| event.to_string());
        let log = read_with(Some(Provider::OpenaiResponses), limited(limits), events);
        assert_eq!(log.besides[0], format!("block 0 text{told}"));
    }
}

/// Checks that a limited number of open answers is watched: of more, only the end of all shows that they are finished.
#[test]
fn answers() {
    let chunk = |choices: Vec<serde_json::Value>| json!({ "choices": choices }).to_string();
    let begun = chunk((0..300).map(|index| json!({"index": index, "delta": {"content": "x"}})).collect());
    for (stopped, incomplete) in [(255, Some("end-of-input")), (300, Some("end-of-input"))] {
        let stops = (0..stopped).map(|index| json!({"index": index, "delta": {}, "finish_reason": "stop"}));
        let log = read_with(Some(Provider::OpenaiChat), everything(), [begun.clone(), chunk(stops.collect())]);
        assert_eq!((log.incomplete.as_deref(), log.stops.len()), (incomplete, stopped));
        let log = read_with(Some(Provider::OpenaiChat), everything(), [begun.clone(), "[DONE]".to_owned()]);
        assert_eq!(log.incomplete, None);
    }
}

#[test]
fn event_bytes() {
    let long = anthropic::delta(0, &"x".repeat(100));
    let limits = CallLimits::new().event_bytes(long.len() - 1);
    let events = |middle: String| {
        [anthropic::start(0, "a", "tool"), anthropic::delta(0, "{\"a\":\""), middle, anthropic::delta(0, "\"}")]
            .into_iter()
            .chain([anthropic::stop(0), anthropic::start(1, "b", "next"), anthropic::delta(1, "{}")])
    };
    let fits = anthropic::delta(0, &"x".repeat(99));
    let log = read_with(Some(Provider::Anthropic), limited(limits), events(fits));
    assert_eq!((log.calls[0].status, log.errors.len()), ("complete", 0));
    // The dropped event may have been a piece of it, so it looks whole and is not. The next call is not affected.
    let log = read_with(Some(Provider::Anthropic), limited(limits), events(long));
    assert_eq!(log.summary(), ["tool truncated(limit) {\"a\":\"\"}", "next complete {}"]);
    assert_eq!(log.errors, [(CallErrorKind::EventLimit, None)]);
}

#[test]
fn calls_that_are_forgotten_are_not_told_again() {
    use super::support::responses;
    let limits = CallLimits::new().open_calls(1);
    let item = |index: u64, id: &str| responses::item_done(index, id, "tool", "{}", "completed");
    let output = |id: &str| json!({"type": "function_call", "call_id": id, "name": "tool", "arguments": "{}"});
    let end = responses::end("completed", &json!({"output": [output("a"), output("b")]}));
    let log = read_with(Some(Provider::OpenaiResponses), limited(limits), [item(0, "a"), item(1, "b"), end]);
    assert_eq!(log.ids(), ["a", "b"]);
}

#[test]
fn undecided_events_are_bounded() {
    // By their number, and by their bytes. Others are reported as unknown.
    let kept = |limits: CallLimits, event: &str| {
        let events = vec![event; 100].into_iter().chain([r#"{"type":"text-start"}"#]);
        let log = read_with(None, limited(limits), events);
        assert_eq!(log.stops.len() + log.unknown.len(), 100);
        log.stops.len()
    };
    let event = r#"{"type":"finish","finishReason":"stop"}"#;
    assert_eq!(kept(CallLimits::default(), event), 64);
    assert_eq!(kept(CallLimits::new().event_bytes(3 * event.len() - 1), event), 2);
    assert_eq!(kept(CallLimits::new().event_bytes(3 * event.len()), event), 3);
    let mut calls = ProviderStream::detecting(ToolCalls::builder().build());
    for _ in 0..10_000 {
        calls.push_with(r#"{"type":"ping"}"#, |_| {});
    }
    assert!(format!("{calls:?}").len() < 10_000);
    calls.push_with(r#"{"type":"message_stop"}"#, |_| {});
    assert_eq!(calls.provider(), Some(Provider::Anthropic));
}

/// Checks that a limit of the parser in the middle of a character loses no raw text.
#[test]
fn the_raw_text_is_kept_where_a_limit_of_the_parser_bites() {
    let text = r#"{"ké":"abé😀","n":12345}"#;
    let limits = |most: u64| {
        let none = Limits::default();
        [none.string(most), none.key(most), none.number(most), none.blank(most), none.total(most)]
    };
    for limits in (0..20).step_by(size(3, 1)).flat_map(limits) {
        let parser = Parser::builder().limits(limits);
        let mut alone = parser.build();
        let alone = alone.feed(text).check().and_then(|()| alone.finish().check()).err();
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let pieces = [&text[..cut], &text[cut..]];
            let start = [anthropic::start(0, "a", "tool")].into_iter();
            let deltas = pieces.into_iter().map(|piece| anthropic::delta(0, piece));
            let events = start.chain(deltas).chain([anthropic::stop(0)]);
            let log = read_with(Some(Provider::Anthropic), everything().parser(parser.clone()), events);
            let told = log.calls[0].error.as_ref().map(|(kind, offset, _)| (*kind, *offset));
            assert_eq!(told, alone.as_ref().map(|error| (error.kind(), error.offset())), "{limits:?} cut at {cut}");
            assert_eq!(log.calls[0].raw, text, "{limits:?} cut at {cut}");
        }
    }
}

#[test]
fn the_raw_text_of_values_is_kept_past_a_limit_of_the_parser() {
    let arg = |path: &str, text: &str, goes_on: bool| {
        let arg = json!({"jsonPath": path, "stringValue": text, "willContinue": goes_on});
        gemini_call(&json!({"partialArgs": [arg], "willContinue": true}))
    };
    let parser = Parser::builder().limits(Limits::new().string(3));
    let log = read_with(
        Some(Provider::Gemini),
        everything().parser(parser),
        [
            gemini_call(&json!({"name": "tool", "willContinue": true})),
            arg("$.k", "abé", true),
            arg("$.k", "cd", false),
            arg("$.l", "e", false),
            gemini_call(&json!({})),
        ],
    );
    assert_eq!(log.summary(), [r#"tool malformed {"k":"abécd","l":"e""#]);
    assert_eq!(log.calls[0].error, Some((ErrorKind::StringLimit, 9, "k".to_owned())));
}

#[test]
fn names_and_inputs_of_starts_are_limited_too() {
    let limits = CallLimits::new().name_bytes(4).input_bytes(4);
    let mut calls = limited(limits).build();
    let mut log = Log::default();
    calls.start_with(0, CallStart::new("").id("a"), |event| log.tell(event));
    calls.start_with(0, CallStart::new(&*"x".repeat(100_000)).id("a"), |event| log.tell(event));
    calls.start_with(1, CallStart::new("tool").id("b").input(&*format!("[\"{}\"]", "é".repeat(100_000))), |event| {
        log.tell(event);
    });
    assert!(format!("{calls:?}").len() < 4_000);
    calls.end_message_with(None, |event| log.tell(event));
    assert_eq!(log.summary(), [" empty {}", "tool truncated(limit) [\"é"]);
    assert_eq!(log.errors, [(CallErrorKind::NameLimit, Some(0)), (CallErrorKind::InputLimit, Some(1))]);
}

/// Checks that a slot that has another call is forgotten with that one, and an id and a reason likewise.
#[test]
fn what_is_remembered_does_not_grow_with_the_stream() {
    let gemini = |choice: u64, id: &str| {
        let parts = json!({"parts": [{"functionCall": {"name": "t", "id": id}}]});
        json!({"candidates": [{"index": choice, "content": parts, "finishReason": id}]}).to_string()
    };
    let ag_ui =
        |kind: &str, id: &str| json!({"type": kind, "toolCallId": id, "toolCallName": "t", "delta": "{}"}).to_string();
    let end = || chat::end("tool_calls");
    type Turn<'a> = Box<dyn Fn(u64, &str) -> Vec<String> + 'a>;
    let turns: [(Provider, Turn<'_>); 9] = [
        (Provider::OpenaiChat, Box::new(|_, id| vec![chat::call(0, id, "t", "{}"), end()])),
        (
            Provider::OpenaiChat,
            Box::new(|turn, id| vec![chat::call(turn, id, "t", "{}"), chat::call(turn, "a", "t", "{}"), end()]),
        ),
        (
            Provider::OpenaiChat,
            Box::new(|turn, id| vec![chat::call(turn, id, "t", "{"), chat::call(turn, "a", "t", "{")]),
        ),
        (Provider::OpenaiChat, Box::new(|_, id| vec![chat::call(0, "", "t", "{}"), chat::call(0, id, "", "1"), end()])),
        (
            Provider::OpenaiResponses,
            Box::new(|_, id| vec![responses::added(0, id, "t"), responses::item_done(0, "b", "t", "{}", "completed")]),
        ),
        (
            Provider::AgUi,
            Box::new(|_, id| {
                vec![ag_ui("TOOL_CALL_CHUNK", id), ag_ui("TOOL_CALL_ARGS", "?"), ag_ui("TOOL_CALL_END", id)]
            }),
        ),
        (
            Provider::Anthropic,
            Box::new(|turn, id| {
                vec![anthropic::start(turn, id, "t"), anthropic::start(turn, "a", "t"), anthropic::stop(turn)]
            }),
        ),
        (Provider::Anthropic, Box::new(|turn, _| vec![anthropic::delta(turn, "{}")])),
        (Provider::Gemini, Box::new(|turn, id| vec![gemini(turn, id)])),
    ];
    for (number, (provider, turn)) in turns.iter().enumerate() {
        let limits = CallLimits::new().open_calls(4);
        let mut calls = ProviderStream::new(*provider, limited(limits).build());
        let mut remembered = [0, 0];
        for (turns, remembered) in [0..500, 500..size(2_000, 6_000) as u64].into_iter().zip(&mut remembered) {
            for at in turns {
                let id = format!("{at:0100}");
                turn(at, &id).iter().for_each(|event| calls.push_with(event, |_| {}));
            }
            *remembered = format!("{calls:?}").len();
        }
        let [before, after] = remembered;
        assert!(after < before + before / 20, "{provider}, {number}: {before} characters, later {after}");
    }
}

/// Checks that possible repetitions are remembered up to a limit: a source beyond it is reported each time, a part of a
/// result has no call any more, and possibly reported text is not reported again.
#[test]
fn what_may_come_again() {
    let read = |provider: Provider, limits: CallLimits, events: Vec<Value>| {
        read_with(Some(provider), limited(limits), events.iter().map(Value::to_string))
    };
    let limits = CallLimits::new().open_calls(2);

    let long = format!("https://c.example/{}", "x".repeat(30));
    let citations = json!(["https://a.example", long, "https://b.example", "https://c.example"]);
    let chunk = || json!({"object": "chat.completion.chunk", "choices": [], "citations": citations});
    let log = read(Provider::OpenaiChat, limits.name_bytes(20), vec![chunk(), chunk()]);
    let told = ["https://a.example", &long, "https://b.example", "https://c.example", &long, "https://c.example"];
    assert_eq!(log.besides, told.map(|url| format!("source {url} | - | -")));

    let block = |kind: &str, index: u64, mut block: Value| {
        block["contentBlockIndex"] = json!(index);
        json!({ (kind): block })
    };
    let pair = |place: u64, id: &str| {
        let call = json!({"toolUse": {"toolUseId": id, "name": "search", "type": "server_tool_use"}});
        let result = json!({"toolResult": {"toolUseId": id, "status": "success"}});
        [
            block("contentBlockStart", place, json!({ "start": call })),
            block("contentBlockStop", place, json!({})),
            block("contentBlockStart", place + 1, json!({ "start": result })),
            block("contentBlockDelta", place + 1, json!({"delta": {"toolResult": [{"text": id}]}})),
            block("contentBlockStop", place + 1, json!({})),
        ]
    };
    let log = read(Provider::Bedrock, limits, [pair(0, "a"), pair(2, "b"), pair(4, "c")].concat());
    let whose: Vec<_> = log.besides.iter().map(|fact| fact.split(['{', '[']).next().unwrap()).collect();
    let named = ["call 0 a", "call 0 a", "call 1 b", "call 1 b", "call 2 c", "nobody -"];
    assert_eq!(whose, named.map(|named| format!("result of {named} ")));
}

/// Checks that a refused call takes nothing from the message's own text.
#[test]
fn a_refused_call_amid_structured_text() {
    let text = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string();
    let calls = limited(CallLimits::new().open_calls(1)).build();
    let log = read_stream(
        ProviderStream::new(Provider::OpenaiChat, calls).structured(),
        [text("{\"t\":"), chat::call(0, "a", "tool", ""), text("1}"), chat::end("stop")],
    );
    assert_eq!(log.summary(), [" complete {\"t\":1}"]);
    assert_eq!(log.errors, [(CallErrorKind::OpenCallsLimit, None)]);
}

/// Checks that a state restores refused calls.
#[test]
fn a_thousand_refused_calls_are_saved() {
    let builder = limited(CallLimits::new().open_calls(1)).saveable(SAVE_LIMIT);
    let mut calls = builder.clone().build();
    for slot in 0..1000 {
        calls.start_with(slot, CallStart::new("tool"), |_| {});
        assert!(builder.clone().build().restore(&calls.save().unwrap()).is_ok(), "{slot}");
    }
}

fn responses_of<E: AsRef<str>>(events: impl IntoIterator<Item = E>) -> Log {
    let mut stream = ProviderStream::new(Provider::OpenaiResponses, ToolCalls::new(&PatternSet::default()));
    let mut log = Log::default();
    events.into_iter().for_each(|event| stream.push_with(event.as_ref(), |event| log.tell(event)));
    log
}

/// Checks that parts beyond the remembered ones are reported all the same, or that the verdict is unknown.
#[test]
fn more_answers_and_parts_than_are_remembered() {
    let chunk = |choice: u64, reason: Value| {
        json!({"choices": [{"index": choice, "delta": {"content": "x"}, "finish_reason": reason}]}).to_string()
    };
    for count in [255, 256, 257, 300] {
        for is_whole in [true, false] {
            let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::default()));
            (0..count).for_each(|choice| stream.push_with(&chunk(choice, json!(null)), |_| {}));
            (0..count - 1).for_each(|choice| stream.push_with(&chunk(choice, json!("stop")), |_| {}));
            if is_whole {
                stream.push_with("[DONE]", |_| {});
            }
            stream.finish_with(|_| {});
            assert_eq!(stream.verdict().is_ok(), is_whole, "{count}");
        }
    }
    let text = |part: u64| format!("part {part};");
    let message = |part: u64| json!({"type": "message", "id": format!("m{part}"), "content": [{"type": "output_text", "text": text(part)}]});
    let other = |part: u64| json!({"type": "hologram", "id": format!("h{part}")});
    for count in [255, 256, 257, 1000] {
        let joined: String = (0..count).map(text).collect();
        let delta = |kind: &str, name: &str, part: u64| {
            let mut event = json!({"type": kind, "output_index": part, "content_index": 0});
            event[name] = json!(text(part));
            event.to_string()
        };
        let completed = |output: Vec<Value>| json!({"type": "response.completed", "response": {"output": output}});
        let end = || completed((0..count).map(message).collect()).to_string();
        let deltas = || (0..count).map(|part| delta("response.output_text.delta", "delta", part));
        let dones = || (0..count).map(|part| delta("response.output_text.done", "text", part));
        let both = || deltas().zip(dones()).flat_map(|(delta, done)| [delta, done]);
        let streams: [Vec<String>; 4] = [
            vec![end()],
            dones().chain([end()]).collect(),
            deltas().chain([end()]).collect(),
            both().chain([end()]).collect(),
        ];
        for (number, events) in streams.into_iter().enumerate() {
            assert_eq!(responses_of(events).text, joined, "{count} {number}");
        }
        let done = |part: u64| json!({"type": "response.output_item.done", "output_index": part, "item": other(part)});
        let alone = completed((0..count).map(other).collect()).to_string();
        assert_eq!(responses_of([&alone]).unknown_parts.len() as u64, count);
        let events: Vec<String> = (0..count).map(|part| done(part).to_string()).chain([alone]).collect();
        assert_eq!(responses_of(events).unknown_parts.len() as u64, count);
    }
}

/// Models that send white space without end are stopped, unless another limit was chosen.
#[test]
fn white_space_in_a_row_is_limited() {
    let read = |blanks: usize, calls: jsonspigot_llm::ToolCallsBuilder| {
        let events =
            [chat::call(0, "a", "t", "{"), chat::more(0, &" ".repeat(blanks)), chat::more(0, "}"), chat::end("stop")];
        let log = read_with(Some(Provider::OpenaiChat), calls, events);
        (log.calls[0].status, log.calls[0].error.as_ref().map(|(kind, ..)| *kind))
    };
    assert_eq!(read(64 << 10, everything()), ("complete", None));
    assert_eq!(read((64 << 10) + 1, everything()), ("malformed", Some(ErrorKind::BlankLimit)));
    let chosen = everything().parser(Parser::builder().limits(Limits::new().blank(1 << 20)));
    assert_eq!(read((64 << 10) + 1, chosen), ("complete", None));
}

/// Checks that an unknown part makes the answer incomplete.
#[test]
fn what_is_left_in_unknown_parts_is_not_whole() {
    let verdict = |part: &str| {
        let mut stream = ProviderStream::new(Provider::Anthropic, everything().build());
        let start = r#"{"type":"message_start","message":{"id":"m"}}"#;
        let end = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
        [start, part, end, r#"{"type":"message_stop"}"#].iter().for_each(|event| stream.push_with(event, |_| {}));
        stream.finish_with(|_| {});
        stream.verdict().map_err(|unfinished| unfinished.kind().name())
    };
    let block = |block: &str| format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#);
    for said in
        [r#"{"type":"hologram","text":"a"}"#, r#"{"type":"hologram_call","x":1}"#, r#"{"type":"x","toolCalls":[1]}"#]
    {
        assert_eq!(verdict(&block(said)), Err("unknown-part"), "{said}");
    }
    assert_eq!(verdict(r#"{"params":{"update":{"content":{"type":"text"}}}}"#), Err("unknown-part"));
    for silent in [r#"{"type":"fallback","from":{"model":"a"}}"#, r#"{"type":"x","text":"","call_id":"a"}"#] {
        assert_eq!(verdict(&block(silent)), Ok(()), "{silent}");
    }
}
