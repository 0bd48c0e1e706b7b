//! Deviations from JSON that are accepted: in a call's input and in a payload of the text, the status is `accepted`,
//! and the value is that of the strict text. A text that was cut or is broken is never accepted.

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

/// The status's name, the value's text, and the deviations.
type Seen = (&'static str, Option<String>, Vec<(&'static str, u64)>);

/// Returns the strict text that a parser makes of a text, and the deviations.
fn alone(text: &str) -> (String, Vec<(&'static str, u64)>) {
    let mut parser = lenient().accept_deviations().build();
    parser.feed(text).check().unwrap();
    parser.finish().check().unwrap();
    let value = parser.complete().unwrap().to_string();
    (value, parser.deviations().iter().map(|it| (it.kind().name(), it.offset())).collect())
}

fn seen(input: &Payload<'_>) -> Seen {
    let deviations: Vec<_> = input.deviations().iter().map(|it| (it.kind().name(), it.offset())).collect();
    assert_eq!(input.deviation_count(), deviations.len() as u64);
    (input.status().name(), input.value().map(ToString::to_string), deviations)
}

/// Returns the end of a call whose input comes in these pieces, and then whole if there is one. The calls are saved and
/// restored between them.
fn ended(parser: ParserBuilder, pieces: &[&str], whole: Option<&str>, reason: &str) -> Seen {
    let (mut log, mut calls) = (Log::default(), Calls::new(&builder(parser)));
    calls.act(&mut log, |calls, on_event| calls.start_with(0, CallStart::new("f").id("1"), on_event));
    for piece in pieces {
        calls.act(&mut log, |calls, on_event| calls.delta_with(0, piece, on_event));
    }
    if let Some(whole) = whole {
        calls.act(&mut log, |calls, on_event| calls.whole_with(0, whole, on_event));
    }
    let found = std::cell::RefCell::new(None);
    calls.act(&mut log, |calls, on_event| {
        calls.end_message_with(reason, |event| {
            if let CallEvent::End { input, .. } = &event {
                let text = pieces.concat();
                assert_eq!(input.raw(), whole.filter(|whole| whole.starts_with(&text)).unwrap_or(&text));
                *found.borrow_mut() = Some(seen(input));
            }
            on_event(event);
        });
    });
    found.into_inner().unwrap()
}

/// Returns the end of a call whose deviations are accepted.
fn accepted(pieces: &[&str]) -> Seen {
    ended(lenient().accept_deviations(), pieces, None, "tool_calls")
}

/// Returns a text in two pieces, cut at each place, whole, and in single characters.
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
            assert_eq!(accepted(&pieces), ("accepted", Some(value.clone()), deviations.clone()), "{pieces:?}");
        }
        // Without the other choice, neither leniency nor acceptance changes the status.
        assert_eq!(ended(lenient(), &[text], None, "tool_calls"), ("malformed", None, deviations), "{text}");
        let strict = ended(Parser::builder().accept_deviations(), &[text], None, "tool_calls");
        assert_eq!((strict.0, strict.1), ("malformed", None), "{text}");
    }
    let strict = r#" {"a": [1, "é\n\u0041"], "b": {}} "#;
    for pieces in cuts(strict) {
        let value = r#"{"a":[1,"é\n\u0041"],"b":{}}"#.to_owned();
        assert_eq!(accepted(&pieces), ("complete", Some(value), vec![]), "{pieces:?}");
    }
}

#[test]
fn an_input_that_is_cut_or_broken_is_not_accepted() {
    for text in TEXTS {
        for (end, _) in text.char_indices().skip(1) {
            let cut = &text[..end];
            let (status, value, _) = ended(lenient().accept_deviations(), &[cut], None, "max_tokens");
            let mut parser = lenient().accept_deviations().build();
            let is_whole = parser.feed(cut).check().and_then(|()| parser.finish().check()).is_ok();
            // A slash or an N at the end may have begun a deviation, and has not.
            let is_broken = cut.ends_with(['/', 'N']) && matches!(status, "malformed" | "trailing");
            let expected =
                if is_whole { matches!(status, "accepted" | "complete") } else { status == "truncated" || is_broken };
            assert!(expected && value.is_some() == is_whole, "{status} {cut}");
        }
    }
    for (text, expected) in [
        ("{\"a\": [1,],} x", "trailing"),
        ("{'a': 1}{'a': 1}", "trailing"),
        ("{'a': 1,, 'b': 2}", "malformed"),
        ("{'a': nil}", "malformed"),
    ] {
        for pieces in cuts(text) {
            let (status, value, _) = accepted(&pieces);
            assert_eq!((status, value), (expected, None), "{pieces:?}");
        }
    }
}

#[test]
fn a_repetition_of_an_accepted_input() {
    let text = "{'a': [1,]}";
    for (piece, whole, expected) in [
        (text, text, "accepted"),
        (text, r#"{"a": [1]}"#, "accepted"),
        (text, r#"{"a": [1.0]}"#, "accepted"),
        (text, r#"{"a": [2]}"#, "truncated"),
        // A lost piece is in the whole.
        ("{'a': [1", text, "accepted"),
    ] {
        let (status, ..) = ended(lenient().accept_deviations(), &[piece], Some(whole), "tool_calls");
        assert_eq!(status, expected, "{piece} {whole}");
    }
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
            // The message has the strict text.
            let Some(message) = message else { continue };
            let [message, value]: [Value; 2] = [message, value].map(|text| serde_json::from_str(&text).unwrap());
            assert_eq!(arguments(&message), [value], "{provider}: {message}");
        }
    }
    assert_eq!(wires, 11);
}

/// Returns the arguments of all calls in a message.
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

    /// Returns the payloads of a text in these pieces, and the text around them. The envelope is saved and restored
    /// between the pieces.
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
        // A byte order mark stands at the beginning of a text.
        for text in TEXTS.map(|text| text.trim_start_matches('\u{feff}')) {
            let (value, deviations) = alone(text);
            let status = if deviations.is_empty() { "complete" } else { "accepted" };
            // The offsets are those after the mark.
            for (mark, open, close, shift) in [
                ("fence:json", "```json\n", "\n```", 1),
                ("tag:x:json", "<x>", "\n</x>", 0),
                ("comment:x", "<!--x ", "\n-->", 1),
            ] {
                let whole = format!("a {open}{text}{close} b");
                let deviations: Vec<_> = deviations.iter().map(|(kind, at)| (*kind, at + shift)).collect();
                for pieces in cuts(&whole) {
                    let (payloads, shown) = ended(mark, &pieces);
                    assert_eq!(payloads, [(status, Some(value.clone()), deviations.clone())], "{pieces:?}");
                    assert_eq!(shown, "a  b", "{pieces:?}");
                }
            }
        }
    }

    /// Checks rows of a mark, a text, the statuses and the values of its payloads, and the text around them.
    #[test]
    fn payloads_that_are_accepted_complete_or_neither() {
        for (mark, text, expected, around) in [
            // Closing delimiters in strings and comments are part of them.
            (
                "fence:json",
                "```json\n{'a': '```', /* ``` } */ \"b\": \"```\"} // }\n``` and ```json\n{'c': 1,}\n```.",
                r#"accepted {"a":"```","b":"```"}|accepted {"c":1}"#,
                " and .",
            ),
            ("fence:json", "```json\n{'a': 1", "truncated ", ""),
            // A value that has closed is whole, even if the closing delimiter is missing.
            ("fence:json", "```json\n{'a': 1,}", r#"accepted {"a":1}"#, ""),
            ("fence:json", "```json\n{'a': nil}\n```", "malformed ", ""),
            ("fence:json", "```json\n{'a': 1} x\n```", "trailing ", ""),
            (
                "bare",
                "see {\"a\": [1,], \"b\": \"x\ny\"} and {\"c\": 1}",
                r#"accepted {"a":[1],"b":"x\u000ay"}|complete {"c":1}"#,
                "see  and ",
            ),
        ] {
            for pieces in cuts(text) {
                let (payloads, shown) = ended(mark, &pieces);
                let line = |(status, value, _): &Seen| format!("{status} {}", value.as_deref().unwrap_or_default());
                assert_eq!(payloads.iter().map(line).collect::<Vec<_>>().join("|"), expected, "{pieces:?}");
                assert_eq!(shown, around, "{pieces:?}");
            }
        }
    }
}
