//! Deviations from JSON that are accepted: in a call's input and in a payload of the text, the status is `accepted`, the
//! value that of the strict text it stands for, and nothing that was cut or broken is ever accepted.

use jsonspigot::{Leniency, Parser, ParserBuilder, PatternSet};
use jsonspigot_llm::{
    CallEvent, CallStart, Payload, Provider, ProviderStream, SAVE_LIMIT, StreamEvent, ToolCalls, ToolCallsBuilder,
};
use serde_json::Value;

use super::restored::{Calls, restored_stream};
use super::support::Log;
use super::wires;

/// Texts with each deviation.
const TEXTS: [&str; 12] = [
    "{\"a\": \"x\ny\\\"\"}",
    "{\"a\": \"\\d \\u12 é\"}",
    "{\"a\": [\"\\uD83D!\", \"\\uDE00\"]}",
    "{\"a\": [1, {\"b\": 2,},],}",
    "{\"a\": /* } \" */ 1, // '\n \"b\": 2} # end",
    "// before\n{\"a\": 1}\n// after",
    "{'a': 'it\\'s \"odd\" }'}",
    "{a: 1, $b_2: {c: []}}",
    "{\"a\": [True, False, None]}",
    "{\"a\": [NaN, -Infinity, Infinity]}",
    "\u{feff}{\"a\": 1}",
    "[1, 'two', {three: 3,},]",
];

fn lenient() -> ParserBuilder {
    Parser::builder().lenient(Leniency::ALL)
}

fn builder(parser: ParserBuilder) -> ToolCallsBuilder {
    ToolCalls::builder().patterns(&PatternSet::new(["$..*"]).unwrap()).parser(parser)
}

/// What a parser of its own makes of a text: its strict text and the deviations.
fn alone(text: &str) -> (String, Vec<(&'static str, u64)>) {
    let mut parser = lenient().accept_deviations().build();
    parser.feed(text).check().unwrap();
    parser.finish().check().unwrap();
    let value = parser.complete().unwrap().to_string();
    (value, parser.deviations().iter().map(|it| (it.kind().name(), it.offset())).collect())
}

/// The status's name, the value's text, and the deviations.
type Seen = (&'static str, Option<String>, Vec<(&'static str, u64)>);

fn seen(input: &Payload<'_>) -> Seen {
    let deviations: Vec<_> = input.deviations().iter().map(|it| (it.kind().name(), it.offset())).collect();
    assert_eq!(input.deviation_count(), deviations.len() as u64);
    (input.status().name(), input.value().map(std::string::ToString::to_string), deviations)
}

/// What a call's input comes to, which comes in these pieces, and the calls are saved and restored between them.
fn ended(choices: &ToolCallsBuilder, pieces: &[&str], reason: &str) -> Seen {
    let mut log = Log::default();
    let mut calls = Calls::new(choices);
    calls.act(&mut log, |calls, on_event| calls.start_with(0, CallStart::new("f").id("1"), on_event));
    for piece in pieces {
        calls.act(&mut log, |calls, on_event| calls.delta_with(0, piece, on_event));
    }
    let found = std::cell::RefCell::new(None);
    calls.act(&mut log, |calls, on_event| {
        calls.end_message_with(reason, |event| {
            if let CallEvent::End { input, .. } = &event {
                assert_eq!(input.raw(), pieces.concat());
                *found.borrow_mut() = Some(seen(input));
            }
            on_event(event);
        });
    });
    found.into_inner().unwrap()
}

fn cuts(text: &str) -> Vec<Vec<&str>> {
    let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let each = places.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect();
    let halves = places.iter().filter(|at| (1..text.len()).contains(*at)).map(|at| vec![&text[..*at], &text[*at..]]);
    halves.chain([vec![text], each]).collect()
}

#[test]
fn a_call_with_deviations_is_accepted() {
    for text in TEXTS {
        let (value, deviations) = alone(text);
        for pieces in cuts(text) {
            let accepted = ended(&builder(lenient().accept_deviations()), &pieces, "tool_calls");
            assert_eq!(accepted, ("accepted", Some(value.clone()), deviations.clone()), "{pieces:?}");
        }
        // Nobody has asked for it.
        let (status, value, reported) = ended(&builder(lenient()), &[text], "tool_calls");
        assert_eq!((status, value, &reported), ("malformed", None, &deviations), "{text}");
        let (status, value, _) = ended(&builder(Parser::builder().accept_deviations()), &[text], "tool_calls");
        assert_eq!((status, value), ("malformed", None), "without leniency it changes nothing: {text}");
    }
}

#[test]
fn what_is_strict_is_complete() {
    let text = r#" {"a": [1, "é\n\u0041"], "b": {}} "#;
    for pieces in cuts(text) {
        let (status, value, deviations) = ended(&builder(lenient().accept_deviations()), &pieces, "tool_calls");
        assert_eq!((status, deviations), ("complete", vec![]), "{pieces:?}");
        assert_eq!(value.unwrap(), r#"{"a":[1,"é\n\u0041"],"b":{}}"#);
    }
}

#[test]
fn what_is_cut_or_broken_is_not_accepted() {
    for text in TEXTS {
        for (end, _) in text.char_indices().skip(1) {
            let cut = &text[..end];
            let (status, value, _) = ended(&builder(lenient().accept_deviations()), &[cut], "max_tokens");
            let mut parser = lenient().accept_deviations().build();
            let is_whole = parser.feed(cut).check().and_then(|()| parser.finish().check()).is_ok();
            if is_whole {
                assert!(matches!(status, "accepted" | "complete") && value.is_some(), "{cut}");
            } else {
                // What may have begun a deviation has begun none.
                let is_broken = cut.ends_with(['/', 'N']) && matches!(status, "malformed" | "trailing");
                assert!((status == "truncated" || is_broken) && value.is_none(), "{status} {cut}");
            }
        }
    }
    for (text, expected) in [
        ("{\"a\": [1,],} x", "trailing"),
        ("{'a': 1}{'a': 1}", "trailing"),
        ("{'a': 1,, 'b': 2}", "malformed"),
        ("{'a': nil}", "malformed"),
    ] {
        for pieces in cuts(text) {
            let (status, value, _) = ended(&builder(lenient().accept_deviations()), &pieces, "tool_calls");
            assert_eq!((status, value), (expected, None), "{pieces:?}");
        }
    }
}

#[test]
fn a_repetition_of_what_is_accepted() {
    let text = "{'a': [1,]}";
    for (whole, expected) in [
        (text, "accepted"),
        (r#"{"a": [1]}"#, "accepted"),
        (r#"{"a": [1.0]}"#, "accepted"),
        (r#"{"a": [2]}"#, "truncated"),
    ] {
        let (mut log, mut calls) = (Log::default(), Calls::new(&builder(lenient().accept_deviations())));
        calls.act(&mut log, |calls, on_event| calls.start_with(0, CallStart::new("f"), on_event));
        calls.act(&mut log, |calls, on_event| calls.delta_with(0, text, on_event));
        calls.act(&mut log, |calls, on_event| calls.whole_with(0, whole, on_event));
        calls.act(&mut log, |calls, on_event| calls.end_message_with("tool_calls", on_event));
        assert_eq!(log.calls[0].status, expected, "{whole}");
    }
    // What was lost on the way is in the whole.
    let (mut log, mut calls) = (Log::default(), Calls::new(&builder(lenient().accept_deviations())));
    calls.act(&mut log, |calls, on_event| calls.start_with(0, CallStart::new("f"), on_event));
    calls.act(&mut log, |calls, on_event| calls.delta_with(0, "{'a': [1", on_event));
    calls.act(&mut log, |calls, on_event| calls.whole_with(0, text, on_event));
    calls.act(&mut log, |calls, on_event| calls.end_message_with("tool_calls", on_event));
    assert_eq!((log.calls[0].status, log.calls[0].raw.as_str()), ("accepted", text));
}

#[test]
fn on_every_wire_with_text() {
    let mut wires = 0;
    for provider in Provider::ALL {
        for text in TEXTS {
            let Some(events) = wires::call(*provider, text) else { continue };
            wires += usize::from(text == TEXTS[0]);
            let (value, deviations) = alone(text);
            let calls = builder(lenient().accept_deviations()).build();
            let mut stream = ProviderStream::new(*provider, calls).with_message().saveable(SAVE_LIMIT);
            let mut ended = Vec::new();
            let mut on_event = |event: StreamEvent<'_>| match event {
                StreamEvent::Call(CallEvent::End { input, .. }) => ended.push(seen(&input)),
                StreamEvent::Mismatch { .. } | StreamEvent::BadFrame { .. } | StreamEvent::UnknownPart { .. } => {
                    panic!("{event:?}")
                }
                _ => {}
            };
            for event in events {
                stream = restored_stream(&stream, &stream.save().unwrap());
                stream.push_with(&event.to_string(), &mut on_event);
            }
            let message = stream.message();
            stream.finish_with(&mut on_event);
            assert_eq!(ended, [("accepted", Some(value.clone()), deviations)], "{provider}: {text}");
            assert_eq!(stream.verdict(), Ok(()), "{provider}: {text}");
            // What goes back is the strict text, or nothing.
            let Some(message) = message else { continue };
            let message: Value = serde_json::from_str(&message).unwrap();
            let value: Value = serde_json::from_str(&value).unwrap();
            let found = arguments(&message);
            assert_eq!(found, [value], "{provider}: {message}");
        }
    }
    assert_eq!(wires, 11);
}

/// The arguments of all calls in a message.
fn arguments(message: &Value) -> Vec<Value> {
    match message {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value) {
                ("arguments", Value::String(text)) => vec![serde_json::from_str(text).expect("they are JSON")],
                ("input" | "arguments", value) => vec![value.clone()],
                (_, value) => arguments(value),
            })
            .collect(),
        Value::Array(elements) => elements.iter().flat_map(arguments).collect(),
        _ => Vec::new(),
    }
}

#[cfg(feature = "envelope")]
mod payloads {
    use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, SAVE_LIMIT};

    use super::{PatternSet, Seen, TEXTS, alone, cuts, lenient, seen};

    /// What comes of the payloads of a text in these pieces, the envelope saved and restored between them.
    fn ended(mark: &str, pieces: &[&str]) -> (Vec<Seen>, String) {
        let delimiters: Vec<Delimiter> = vec![mark.parse().unwrap()];
        let patterns = PatternSet::new(["$..*"]).unwrap();
        let builder = Envelope::builder().parser(lenient().accept_deviations()).saveable(SAVE_LIMIT);
        let mut envelope = builder.clone().build(delimiters.clone(), &patterns);
        let (mut payloads, mut shown) = (Vec::new(), String::new());
        let mut on_event = |event: EnvelopeEvent<'_>| match event {
            EnvelopeEvent::End { payload, .. } => payloads.push(seen(&payload)),
            EnvelopeEvent::Text(text) => shown.push_str(&text),
            _ => {}
        };
        for piece in pieces {
            let state = envelope.save().unwrap();
            envelope = builder.clone().build(delimiters.clone(), &patterns).restore(&state).unwrap();
            assert_eq!(envelope.save().unwrap(), state);
            envelope.feed_with(piece, &mut on_event);
        }
        envelope.finish_with(&mut on_event);
        (payloads, shown)
    }

    #[test]
    fn a_payload_with_deviations_is_accepted() {
        for text in TEXTS {
            // A mark stands at the beginning of a text.
            let text = text.trim_start_matches('\u{feff}');
            let (value, deviations) = alone(text);
            let status = if deviations.is_empty() { "complete" } else { "accepted" };
            for (mark, open, close) in [
                ("fence:json", "```json\n", "\n```"),
                ("tag:x:json", "<x>", "\n</x>"),
                ("comment:x", "<!--x ", "\n-->"),
            ] {
                let whole = format!("a {open}{text}{close} b");
                let shift = (open.len() - mark_len(mark)) as u64;
                let deviations: Vec<_> = deviations.iter().map(|(kind, at)| (*kind, at + shift)).collect();
                for pieces in cuts(&whole) {
                    let (payloads, shown) = ended(mark, &pieces);
                    assert_eq!(payloads, [(status, Some(value.clone()), deviations.clone())], "{pieces:?}");
                    assert_eq!(shown, "a  b", "{pieces:?}");
                }
            }
        }
    }

    /// How long the opening delimiter itself is.
    fn mark_len(mark: &str) -> usize {
        match mark {
            "fence:json" => "```json".len(),
            "comment:x" => "<!--x".len(),
            _ => "<x>".len(),
        }
    }

    #[test]
    fn closing_delimiters_in_strings_and_comments_are_part_of_them() {
        let text = "```json\n{'a': '```', /* ``` } */ \"b\": \"```\"} // }\n``` and ```json\n{'c': 1,}\n```.";
        let expected = [("accepted", r#"{"a":"```","b":"```"}"#), ("accepted", r#"{"c":1}"#)];
        for pieces in cuts(text) {
            let (payloads, shown) = ended("fence:json", &pieces);
            let payloads: Vec<_> =
                payloads.iter().map(|(status, value, _)| (*status, value.as_deref().unwrap())).collect();
            assert_eq!((&*payloads, shown.as_str()), (&expected[..], " and ."), "{pieces:?}");
        }
    }

    #[test]
    fn what_is_cut_or_broken_is_not_accepted() {
        for (text, expected) in [
            ("```json\n{'a': 1", "truncated"),
            ("```json\n{'a': 1,}", "truncated"),
            ("```json\n{'a': nil}\n```", "malformed"),
            ("```json\n{'a': 1} x\n```", "trailing"),
        ] {
            for pieces in cuts(text) {
                let (payloads, _) = ended("fence:json", &pieces);
                // A value that has closed is whole, even if the closing delimiter is missing.
                let expected = if text.ends_with(",}") { "accepted" } else { expected };
                assert_eq!(payloads[0].0, expected, "{pieces:?}");
            }
        }
    }

    #[test]
    fn a_bare_payload() {
        for pieces in cuts("see {\"a\": [1,], \"b\": \"x\ny\"} and {\"c\": 1}") {
            let (payloads, shown) = ended("bare", &pieces);
            assert_eq!((payloads[0].0, payloads[1].0, payloads.len()), ("accepted", "complete", 2), "{pieces:?}");
            assert_eq!(payloads[0].1.as_deref(), Some(r#"{"a":[1],"b":"x\u000ay"}"#));
            assert_eq!(shown, "see  and ");
        }
    }
}
