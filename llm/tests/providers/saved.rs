//! Saved state of calls and of providers' streams. `restored` checks that it continues between any two events; these
//! tests are about its bytes.

use std::collections::BTreeMap;

use jsonspigot::{
    DeviationKind, DuplicateKeys, ErrorKind, Leniency, Limits, Parser, ParserBuilder, PatternSet, RestoreError,
};
use jsonspigot_check::effort::size;
use jsonspigot_llm::{
    CallEvent, CallLimits, CallStart, PayloadStatus, Provider, ProviderStream, SAVE_LIMIT, StreamEvent, ToolCalls,
    ToolCallsBuilder,
};
use proptest::prelude::*;

use super::cuts::signal;
use super::fixtures::fixtures;
use super::forged::{HEADER, edited, sealed};
use super::properties::soup::Signal;
use super::properties::states::{calls_are_refused_or_sound, stream_is_refused_or_sound, with_body};
use super::restored::{Calls, Streams, restored_stream, seen};
use super::support::{Log, chat, events_of, everything, gemini_call};
use super::wires;

fn new(provider: Option<Provider>, choices: &ToolCallsBuilder) -> ProviderStream {
    let calls = choices.clone().build();
    let stream = match provider {
        Some(provider) => ProviderStream::new(provider, calls),
        None => ProviderStream::detecting(calls),
    };
    stream.saveable(SAVE_LIMIT)
}

/// Returns options that make states of all kinds.
fn all_choices() -> Vec<ToolCallsBuilder> {
    let limits = Limits::new().string(9).depth(3);
    [
        everything(),
        everything().parser(Parser::builder().snapshots()),
        everything().parser(Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT).limits(limits)).cumulative(),
        everything().limits(CallLimits::new().open_calls(2).input_bytes(20).name_bytes(12)),
        everything().parser(Parser::builder().lenient(Leniency::ALL).accept_deviations()),
    ]
    .map(|choices| choices.saveable(SAVE_LIMIT))
    .to_vec()
}

pub(crate) fn between_all_events_of_every_recorded_stream() {
    for (_, bytes) in fixtures() {
        let events = events_of(&bytes);
        let provider = events.iter().find_map(|event| Provider::detect(event)).unwrap();
        for choices in all_choices() {
            for stream in [new(None, &choices).with_message(), new(Some(provider), &choices).structured()] {
                let (mut log, mut streams) = (Log::default(), Streams::new(stream));
                events.iter().for_each(|event| streams.push(event, &mut log));
                streams.finish(&mut log);
            }
        }
    }
}

/// Checks that the source of bytes is not known before they are read, and that the message has no parts of other
/// pushes.
pub(super) fn all_that_can_be_pushed_between() {
    let stream = ProviderStream::detecting(everything().build()).with_message();
    let (mut log, mut streams) = (Log::default(), Streams::new(stream));
    streams.push(r#"{"type":"ping"}"#, &mut log);
    streams.push("not JSON", &mut log);
    streams.push(&chat::call(0, "a", "say", "{\"text\":"), &mut log);
    streams.act(&mut log, |stream, on_event| stream.push_unreadable_with("{?", on_event));
    streams.push(&chat::call(1, "b", "say", "{}"), &mut log);
    streams.act(&mut log, |stream, on_event| stream.push_oversized_with(on_event));
    streams.push(&chat::end("tool_calls"), &mut log);
    streams.push("[DONE]", &mut log);
    streams.finish(&mut log);
    assert_eq!(log.summary(), ["say truncated(bad-frame) {\"text\":", "say truncated(limit) {}"]);
}

/// Checks that a call that waits for its input after its stop is not waited for once it has ended at another stop.
#[test]
fn a_call_that_is_stopped_again_after_its_input() {
    let (mut log, mut calls) = (Log::default(), Calls::new(&everything()));
    calls.act(&mut log, |calls, on_event| calls.start_with(0, CallStart::new("say").id("a").input(""), on_event));
    calls.act(&mut log, |calls, on_event| calls.stop_with(0, on_event));
    calls.act(&mut log, |calls, on_event| calls.whole_with(0, "[1]", on_event));
    calls.act(&mut log, |calls, on_event| calls.stop_with(0, on_event));
    calls.act(&mut log, |calls, on_event| calls.end_message_with(None, on_event));
    assert_eq!(log.summary(), ["say complete [1]"]);
}

/// Checks that a parser's patterns are known again if the name arrived late.
#[test]
fn a_name_that_came_after_the_first_fragment() {
    let builder = ToolCalls::builder()
        .patterns(&PatternSet::new(["a"]).unwrap())
        .patterns_for("say", &PatternSet::new(["b", "c"]).unwrap())
        .saveable(SAVE_LIMIT);
    let mut calls = builder.clone().build();
    calls.start_with(0, CallStart::unnamed().id("1"), |_| {});
    calls.delta_with(0, "{\"a\":", |_| {});
    calls.start_with(0, CallStart::new("say").id("1"), |_| {});
    calls.start_with(1, CallStart::new("say").id("2"), |_| {});
    calls.delta_with(1, "{\"b\":", |_| {});
    let mut calls = builder.build().restore(&calls.save().unwrap()).unwrap();
    let mut told = Vec::new();
    let mut on_event = |event: CallEvent<'_>| {
        if let CallEvent::Match { call, event } = event {
            told.push(format!("{} {} {}", call.number, event.pattern.index(), event.path));
        }
    };
    calls.delta_with(0, "0", &mut on_event);
    calls.delta_with(1, "0", &mut on_event);
    assert_eq!(told, ["0 0 a", "1 0 b"]);
}

#[test]
fn values_by_path_go_on() {
    let arg = |path: &str, text: &str, more: bool| serde_json::json!({"jsonPath": path, "stringValue": text, "willContinue": more});
    let part = |args: serde_json::Value, more: bool| {
        gemini_call(&serde_json::json!({"partialArgs": [args], "willContinue": more}))
    };
    let choices = everything();
    let mut stream = new(Some(Provider::Gemini), &choices).with_message();
    let mut raw = String::new();
    for event in [
        gemini_call(&serde_json::json!({"name": "say", "willContinue": true})),
        part(arg("$.a[0].b", "x", true), true),
        part(arg("$.a[0].b", "y", false), true),
        part(arg("$.a[1].b", "z", true), true),
        part(arg("$.a[1].b", "", false), true),
        part(arg("$.c", "\u{e9}", false), true),
        gemini_call(&serde_json::json!({})),
    ] {
        stream = new(Some(Provider::Gemini), &choices).with_message().restore(&stream.save().unwrap()).unwrap();
        stream.push_with(&event, |event| {
            if let StreamEvent::Call(CallEvent::End { input, .. }) = event {
                assert_eq!(input.status(), PayloadStatus::Complete);
                raw.push_str(input.raw());
            }
        });
    }
    assert_eq!(raw, "{\"a\":[{\"b\":\"xy\"},{\"b\":\"z\"}],\"c\":\"\u{e9}\"}");
}

#[test]
fn an_error_says_what_is_wrong_with_the_bytes() {
    let patterns = |patterns: &[&str]| PatternSet::new(patterns).unwrap();
    let choices = ToolCalls::builder().patterns(&patterns(&["a"])).patterns_for("say", &patterns(&["b"]));
    let mut stream = new(Some(Provider::OpenaiChat), &choices);
    stream.push_with(&chat::call(0, "a", "say", "{\"b\":"), |_| {});
    let state = stream.save().unwrap();
    let kind = |other: ProviderStream| other.restore(&state).err();
    let of = |choices: &ToolCallsBuilder| new(Some(Provider::OpenaiChat), choices);
    assert_eq!(kind(of(&choices)), None);
    assert_eq!(kind(stream.clone()), None, "what it has read is forgotten");
    for other in [
        choices.clone().patterns(&patterns(&["b"])),
        choices.clone().patterns_for("say", &patterns(&["a"])),
        choices.clone().patterns_for("tell", &patterns(&["b"])),
        everything(),
    ] {
        assert_eq!(kind(of(&other)), Some(RestoreError::OtherPatterns));
    }
    let limits = CallLimits::new();
    for other in [
        of(&choices.clone().cumulative()),
        of(&choices.clone().parser(Parser::builder().snapshots())),
        of(&choices.clone().parser(Parser::builder().limits(Limits::new().depth(5)))),
        of(&choices.clone().limits(limits.open_calls(1))),
        of(&choices.clone().limits(limits.input_bytes(1))),
        of(&choices.clone().limits(limits.name_bytes(1))),
        of(&choices.clone().limits(limits.event_bytes(1))),
        of(&choices).structured(),
        of(&choices).with_message(),
        new(Some(Provider::Anthropic), &choices),
        new(None, &choices),
    ] {
        assert_eq!(kind(other), Some(RestoreError::OtherChoices));
    }
    // A builder's implied option is no other option.
    let rejects = Parser::builder().duplicate_keys(DuplicateKeys::Reject).accept_deviations();
    assert_eq!(kind(of(&choices.clone().parser(rejects))), None);
    let accepts = Parser::builder().lenient(Leniency::ALL);
    assert_eq!(kind(of(&choices.clone().parser(accepts.clone()))), Some(RestoreError::OtherChoices));
    let lenient = of(&choices.clone().parser(accepts.clone())).save().unwrap();
    let error = of(&choices.clone().parser(accepts.accept_deviations())).restore(&lenient).unwrap_err();
    assert_eq!(error, RestoreError::OtherChoices);
    let calls = choices.clone().build().restore(&state).unwrap_err();
    assert_eq!(calls, RestoreError::OtherKind);
    for end in 0..state.len() {
        let error = of(&choices).restore(&state[..end]).unwrap_err();
        assert_eq!(error, RestoreError::Cut, "{end}");
    }
    let made_up = with_body(state, b"\x4D\xFF");
    assert_eq!(of(&choices).restore(&made_up).unwrap_err(), RestoreError::Impossible);
}

/// Returns a small state of everything.
fn states() -> Vec<(Option<Provider>, ToolCallsBuilder, Vec<u8>)> {
    let mut states = Vec::new();
    for choices in all_choices() {
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let mut stream = new(provider, &choices).with_message();
            for kind in (0..60).step_by(7).chain([16, 6, 0]) {
                let signal = Signal::new(&[&[kind, kind % 5][..], b"{\"a\":\"x"].concat());
                stream.push_with(&signal.event(), |_| {});
            }
            states.push((provider, choices.clone(), stream.save().unwrap()));
        }
    }
    states
}

/// Checks that a body with too large a length consumes nothing.
#[test]
fn missing_lengths_and_counts_are_refused() {
    for (number, (provider, choices, state)) in states().into_iter().enumerate() {
        let step = size(97, 20);
        for place in (HEADER..HEADER + 8).chain((HEADER..state.len()).skip(number % step).step_by(step)) {
            for put in [&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01][..], &[0xFF; 40], &[], &[0x7F]] {
                let changed = sealed([&state[..place], put, &state[place + 1..]].concat());
                stream_is_refused_or_sound(&changed, new(provider, &choices).with_message(), &[]);
            }
        }
    }
}

/// Changes, removes and inserts bytes of a state, with the right checksum.
pub(super) fn a_forged_stream_is_refused_or_sound() {
    proptest!(|(
        provider in prop::option::of(prop::sample::select(Provider::ALL)),
        choices in prop::sample::select(all_choices()),
        before in prop::collection::vec(signal(), 0..8),
        edits in prop::collection::vec(any::<u8>(), 0..10),
        after in prop::collection::vec(signal(), 0..8),
    )| {
        let mut stream = new(provider, &choices).with_message();
        before.iter().for_each(|signal| stream.push_with(&Signal::new(signal).event(), |_| {}));
        let after: Vec<_> = after.iter().map(|signal| Signal::new(signal)).collect();
        stream_is_refused_or_sound(&edited(stream.save().unwrap(), &edits), new(provider, &choices).with_message(), &after);
    });
}

proptest! {
    #[test]
    fn made_up_calls_are_refused_or_sound(
        choices in prop::sample::select(all_choices()),
        before in prop::collection::vec(signal(), 0..8),
        edits in prop::collection::vec(any::<u8>(), 0..10),
        after in prop::collection::vec(signal(), 0..8),
    ) {
        let mut calls = choices.clone().build();
        before.iter().for_each(|signal| Signal::new(signal).act(&mut calls, &mut |_| {}));
        let after: Vec<_> = after.iter().map(|signal| Signal::new(signal)).collect();
        calls_are_refused_or_sound(&edited(calls.save().unwrap(), &edits), &choices, &after);
    }

    #[test]
    fn any_bytes_are_refused_or_sound(
        provider in prop::option::of(prop::sample::select(Provider::ALL)),
        choices in prop::sample::select(all_choices()),
        base in prop::collection::vec(prop_oneof![3 => 0_u8..5, 1 => any::<u8>()], 0..20),
        inputs in prop::collection::vec(prop_oneof![3 => 0_u8..5, 1 => any::<u8>()], 0..80),
        after in prop::collection::vec(signal(), 0..4),
    ) {
        let after: Vec<_> = after.iter().map(|signal| Signal::new(signal)).collect();
        let body = [&[base.len() as u8][..], &base, &[inputs.len() as u8], &inputs].concat();
        let state = with_body(new(provider, &choices).save().unwrap(), &body);
        stream_is_refused_or_sound(&state, new(provider, &choices), &after);
        let state = with_body(choices.clone().build().save().unwrap(), &body);
        calls_are_refused_or_sound(&state, &choices, &after);
    }
}

/// Checks that no two combinations of a call's options accept each other's states.
#[test]
fn each_choice_has_states_of_its_own() {
    let parser = Parser::builder();
    let limits = Limits::new();
    let mut choices: Vec<ParserBuilder> =
        [limits, limits.depth(5), limits.depth(6), limits.key(5), limits.string(5), limits.number(5)]
            .into_iter()
            .chain([limits.blank(5), limits.total(5)])
            .map(|limits| parser.clone().limits(limits))
            .collect();
    choices.extend(DeviationKind::ALL.iter().map(|kind| parser.clone().lenient(Leniency::NONE.with(*kind))));
    choices.push(parser.lenient(Leniency::ALL));
    // Each shown in three ways, and with repeated keys taken or not.
    choices = choices.into_iter().flat_map(|it| [it.clone(), it.clone().snapshots(), it.provisional()]).collect();
    choices = choices.into_iter().flat_map(|it| [it.clone(), it.duplicate_keys(DuplicateKeys::LastWins)]).collect();
    let builder = || ToolCalls::builder().saveable(SAVE_LIMIT);
    let calls: Vec<_> = choices.iter().map(|parser| builder().parser(parser.clone())).collect();
    for (place, calls_of) in calls.iter().enumerate() {
        let state = calls_of.clone().build().save().unwrap();
        for (other_place, other) in calls.iter().enumerate() {
            let kind = other.clone().build().restore(&state).err();
            let expected = (place != other_place).then_some(RestoreError::OtherChoices);
            assert_eq!(kind, expected, "{:?} for {:?}", choices[other_place], choices[place]);
        }
    }
}

/// Checks that values by path end where their call does, for any parser.
#[test]
fn values_by_path_do_not_stop_at_the_root() {
    let choices = ToolCalls::builder().parser(Parser::builder().stop_at_root());
    let mut stream = ProviderStream::new(Provider::Gemini, choices.clone().build()).saveable(SAVE_LIMIT);
    let part = r#"{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$","numberValue":1}],"willContinue":true}}"#;
    let mut fragments = String::new();
    stream.push_with(&format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#), |event| {
        if let StreamEvent::Call(CallEvent::Fragment { text, .. }) = event {
            fragments.push_str(&text);
        }
    });
    let stream = ProviderStream::new(Provider::Gemini, choices.build()).restore(&stream.save().unwrap()).unwrap();
    let call = stream.calls().open_calls()[0].number;
    assert_eq!(stream.calls().parser(call).unwrap().text().unwrap(), fragments.as_bytes());
}

/// Several messages of a provider, each with ids of its own: texts, calls, and what may stand between.
fn messages(provider: Provider, separator: Option<&str>) -> Vec<Vec<String>> {
    let text = wires::text(provider, &["one", " two"]);
    let call = wires::call(provider, r#"{"a": 1}"#);
    let all = [&text, &call, &call, &text].into_iter().flatten().cycle().take(12);
    let named = |(number, events): (usize, &Vec<serde_json::Value>)| {
        let with_id = |event: &serde_json::Value| {
            let ids = ["t", "m", "r", "i"].map(|id| (format!("\"{id}\""), format!("\"{id}{number}\"")));
            ids.iter().fold(event.to_string(), |event, (id, other)| event.replace(id, other))
        };
        events.iter().map(with_id).chain(separator.map(str::to_owned)).collect()
    };
    all.enumerate().map(named).collect()
}

#[test]
fn a_state_has_the_events_of_one_message() {
    let mut growing = BTreeMap::<_, Vec<_>>::new();
    for provider in Provider::ALL.iter().copied() {
        for separator in [None, Some("[DONE]")] {
            for has_message in [false, true] {
                let stream = new(Some(provider), &everything());
                let mut plain = if has_message { stream.with_message() } else { stream };
                let mut saved = plain.clone();
                let mut sizes = Vec::new();
                for message in messages(provider, separator) {
                    let mut size = 0;
                    for event in message {
                        let (mut told, mut expected) = (Vec::new(), Vec::new());
                        plain.push_with(&event, |event| expected.push(format!("{event:?}")));
                        saved.push_with(&event, |event| told.push(format!("{event:?}")));
                        assert_eq!(told, expected, "{provider}");
                        let state = saved.save().unwrap();
                        size = size.max(state.len());
                        saved = restored_stream(&saved, &state);
                        assert_eq!(seen(&saved), seen(&plain), "{provider}");
                        assert_eq!(saved.verdict(), plain.verdict(), "{provider}");
                    }
                    sizes.push(size);
                }
                let (first, later) = sizes.split_at(sizes.len() / 2);
                if later.iter().max() > first.iter().max().map(|most| most + 16).as_ref() {
                    growing.entry((separator, has_message)).or_default().push(provider.name());
                }
            }
        }
    }
    // A part of a response has another number than those of the last one. Two kinds of messages in one stream, which
    // Gemini has here, go back in two shapes.
    assert_eq!(growing[&(Some("[DONE]"), false)], ["openai-responses"]);
    assert_eq!(growing[&(Some("[DONE]"), true)], ["openai-responses", "gemini"]);
    // On these wires, without ids, nothing says that another message begins.
    let endless = ["openai-chat", "openai-responses", "gemini", "bedrock", "vercel-ui", "dashscope", "cloudflare"];
    assert_eq!(growing[&(None, false)], endless);
    assert_eq!(growing[&(None, true)], endless);
}

#[test]
fn a_stream_is_saveable_on_request_and_up_to_a_limit() {
    let text = |text: &str| serde_json::json!({"choices": [{"delta": {"content": text}}]}).to_string();
    let stream = ProviderStream::new(Provider::OpenaiChat, everything().saveable(SAVE_LIMIT).build());
    let error = stream.save().unwrap_err();
    assert_eq!((error.kind(), error.place()), (ErrorKind::NotRetained, None));
    assert_eq!(error.to_string(), "not retained: expected `saveable` to be called first");
    assert_eq!(stream.calls().save().unwrap_err().kind(), ErrorKind::NotRetained, "calls are saved with their stream");

    let mut stream = stream.with_message().saveable(200);
    let mut told = 0;
    let past = "not retained: expected at most 200 bytes of input to buffer, which is the limit of `saveable`";
    let long = text(&"x".repeat(160));
    let steps = [
        (text("x"), None),
        (long.clone(), Some(past)),
        (text("x"), Some(past)),
        ("[DONE]".to_owned(), Some(past)),
        // The message that goes back is lost until the next one begins.
        (text("x"), None),
        (text("x"), None),
        ("[DONE]".to_owned(), None),
        // The one before does not count as soon as the next begins.
        (long, None),
    ];
    for (place, (event, expected)) in steps.into_iter().enumerate() {
        stream.push_with(&event, |event| {
            if let StreamEvent::Text { text, .. } = event {
                told += text.len();
            }
        });
        assert_eq!(stream.save().err().map(|error| error.to_string()).as_deref(), expected, "{place}");
    }
    assert_eq!(told, 324, "all of it is read");
}
