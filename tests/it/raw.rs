//! Raw deltas: any text and any patterns, at any cut; and what is easy to get wrong.

use jsonspigot::{
    DeviationKind, DocumentEvent, Documents, EventKind, Framing, Leniency, Limits, Parser, PatternSet, Retain,
    RuleError,
};
use jsonspigot::{Pattern, Rewriter, Rule};
use proptest::prelude::*;

use super::effort::Sample;
use super::model::chunking::{chunks, torture_cuts, with_cuts};
use super::model::generate::{Keys, document};
use super::model::mutate::any_document;
use super::model::nested::{nested_document, nested_pattern};
use super::model::torture::torture_documents;
use super::properties::raw::are_the_values_text;

fn patterns() -> impl Strategy<Value = Vec<(String, bool)>> {
    let spelt = prop_oneof![
        2 => nested_pattern().prop_map(|pattern| pattern.to_string()),
        1 => prop::sample::select(&["$", "$..*", "*", "..a"][..]).prop_map(str::to_owned),
    ];
    prop::collection::vec((spelt, prop::bool::weighted(0.7)), 1..6)
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![2 => document(Keys::Repeated), 2 => any_document(), 3 => nested_document()]
}

pub(super) fn raw_deltas_join_to_the_values_text() {
    proptest!(|((document, cuts) in with_cuts(any_text()), patterns in patterns())| {
        are_the_values_text(&document, &cuts, Parser::builder(), &patterns);
    });
}

proptest! {
    #[test]
    fn raw_deltas_end_at_limits(
        (document, cuts) in with_cuts(any_text()), patterns in patterns(), limit in 1_u64..40, snapshots: bool,
    ) {
        let limits = Limits::new().string(limit).key(limit).total(8 * limit);
        let builder = Parser::builder().limits(limits);
        let builder = if snapshots { builder.snapshots() } else { builder };
        are_the_values_text(&document, &cuts, builder, &patterns);
    }
}

#[test]
fn at_every_cut_of_every_document() {
    let pattern = |(pattern, is_raw): (&str, bool)| (pattern.to_owned(), is_raw);
    let patterns = [("$", true), ("..a", false), ("$..*", true), ("$..* | $", true)].map(pattern);
    // Its inner text fails where values are open.
    const FAILING: &[u8] = br#"{"a":"[[{\"b\":\"x\" ]]","b":["[1]"]}"#;
    for document in torture_documents().into_iter().filter(|document| document.len() < 200).chain([FAILING]) {
        for cuts in torture_cuts(document.len()) {
            // Without a pattern that looks inside strings, chunks of a few bytes are read in a way of their own.
            for patterns in [&patterns[..], &patterns[..3]] {
                are_the_values_text(document, &cuts, Parser::builder(), patterns);
            }
        }
    }
}

/// Returns the deltas of the first pattern, each in its own brackets.
fn deltas(pattern: &str, lenient: Leniency, chunks: &[&[u8]]) -> String {
    deltas_within(Limits::new(), pattern, lenient, chunks)
}

fn deltas_within(limits: Limits, pattern: &str, lenient: Leniency, chunks: &[&[u8]]) -> String {
    let set = PatternSet::new([pattern]).unwrap();
    let mut parser = Parser::builder().retain(Retain::Nothing).limits(limits).lenient(lenient).patterns(&set).build();
    let mut reported = String::new();
    for chunk in chunks {
        for event in parser.feed(chunk) {
            if let Ok(EventKind::Delta(text)) = event.map(|event| event.kind) {
                reported += &format!("[{text}]");
            }
        }
    }
    reported
}

#[test]
fn raw_deltas_are_as_prompt_as_the_text() {
    let text = |chunks: &[&str]| {
        let chunks: Vec<&[u8]> = chunks.iter().map(|chunk| chunk.as_bytes()).collect();
        deltas("raw:a", Leniency::NONE, &chunks)
    };
    assert_eq!(text(&["{\"a\": {\"b", "\" ", ":tr", "ue}  ", ",1"]), "[{\"b][\" ][:tr][ue}]");
    assert_eq!(text(&["{\"a\": 1", "2", " ", "}"]), "[1][2]");
    assert_eq!(text(&["{\"a\": \"x\\u0", "0e9\"}"]), "[\"x\\u0][0e9\"]");
    let cut = [&b"{\"a\": [\"\xF0\x9F"[..], b"\x98", b"\x80\", 1", b"]"];
    assert_eq!(deltas("raw:a", Leniency::NONE, &cut), "[[\"][😀\", 1][]]");
    // Inside a string, as soon as it is decoded.
    let inside = [&b"{\"a\": \"[1, \\u00"[..], b"22x\\", b"\\n\\\"", b"]"];
    assert_eq!(deltas("raw:a | $", Leniency::NONE, &inside), "[[1, ][\"x][\\n\"][]]");
}

/// Checks each text of a stream by itself, however many a chunk has.
#[test]
fn raw_deltas_are_of_each_document() {
    let stream = "{\"a\": [1, \"é\"]} 12 {\"a\":  {\"b\": 2}} [\"a\"]\n";
    let expected = [(0, "[1, \"é\"]"), (2, "{\"b\": 2}")].map(|(document, text)| (document, text.to_owned()));
    let patterns = PatternSet::new(["raw:a"]).unwrap();
    for cuts in torture_cuts(stream.len()) {
        let mut documents = Documents::new(Framing::Concatenated, Parser::builder().patterns(&patterns).build());
        let mut reported: Vec<(u64, String)> = Vec::new();
        for chunk in chunks(stream.as_bytes(), &cuts) {
            documents
                .feed_with(chunk, |event| {
                    let DocumentEvent::Match { document, event } = event else { return };
                    match event.kind {
                        EventKind::Begin(_) => reported.push((document, String::new())),
                        EventKind::Delta(text) => reported.last_mut().unwrap().1.push_str(&text),
                        _ => {}
                    }
                })
                .unwrap();
        }
        documents.finish_with(|_| {}).unwrap();
        assert_eq!(reported, expected, "cut at {cuts:?}");
    }
}

/// Checks that a text with deviations is reported unchanged too.
#[test]
fn raw_deltas_include_deviations() {
    let text = "{a: ['it', None, /* \u{e9} */ NaN, 'caf\u{e9}', \"\u{1}\",], }";
    let expected = &text[4..text.len() - 3];
    for cuts in torture_cuts(text.len()) {
        let reported = deltas("raw:a", Leniency::ALL, &chunks(text.as_bytes(), &cuts));
        assert_eq!(
            reported.replace("][", "").strip_prefix('[').and_then(|reported| reported.strip_suffix(']')),
            Some(expected)
        );
        let reported = deltas("raw:a[1]", Leniency::ALL, &chunks(text.as_bytes(), &cuts));
        assert_eq!(reported.replace("][", ""), "[None]", "{cuts:?}");
    }
    let comment = deltas("raw:$", Leniency::ALL, &[b"[1 /*", b"\xFF*/]"]);
    assert_eq!(comment, "[[1 /*][\u{1A}*/]]");
}

/// Checks texts that end in a possible deviation: undecided bytes are not reported, for any cuts.
#[test]
fn undecided_raw_bytes_are_held_back() {
    const ALPHABET: [&[u8]; 12] = [b"/", b"*", b"N", b"a", b"o", b"\"", b"'", b",", b":", b"1", b"\n", b"\xEF\xBB\xBF"];
    let mut sample = Sample::one_in(8);
    for begin in [&b"["[..], b"{k:", b"{\"k\"", b"['a'"] {
        for number in (0..ALPHABET.len().pow(4)).filter(|_| sample.takes()) {
            let pieces = (0..4).map(|digit| ALPHABET[number / ALPHABET.len().pow(digit) % ALPHABET.len()]);
            let text = [begin].into_iter().chain(pieces).collect::<Vec<_>>().concat();
            let whole = deltas("raw:$", Leniency::ALL, &[&text]).replace("][", "");
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            let cut = deltas("raw:$", Leniency::ALL, &bytes).replace("][", "");
            assert_eq!(cut, whole, "{}", text.escape_ascii());
        }
    }
}

/// Checks texts that fail after bytes that are not UTF-8, or after U+001A, which replaces them.
#[test]
fn raw_deltas_end_where_a_text_fails() {
    const ALPHABET: [&[u8]; 9] = [b"\x1A", b"\xE2", b"\x82", b"\xFF", b"\xF0", b"\x9F", b"\"", b"*/", b"x"];
    let (control, comments) = (Leniency::from(DeviationKind::ControlCharacters), DeviationKind::Comments);
    let begins = [("[\"", control), ("[/*", control | comments), ("['", Leniency::ALL), ("[1", Leniency::NONE)];
    let mut sample = Sample::one_in(8);
    for (begin, lenient) in begins {
        for number in (0..ALPHABET.len().pow(4)).filter(|_| sample.takes()) {
            let pieces = (0..4).map(|digit| ALPHABET[number / ALPHABET.len().pow(digit) % ALPHABET.len()]);
            let text = [begin.as_bytes()].into_iter().chain(pieces).collect::<Vec<_>>().concat();
            let limits = Limits::new().total(number as u64 % 5 + 3);
            let reported = |chunks: &[&[u8]]| deltas_within(limits, "raw:$", lenient, chunks).replace("][", "");
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            let (first, second) = text.split_at(text.len() / 2);
            for cut in [&bytes[..], &[first, second]] {
                assert_eq!(reported(cut), reported(&[&text]), "{} within {limits:?}", text.escape_ascii());
            }
        }
    }
}

#[test]
fn raw_is_spelt_as_a_prefix() {
    let spelt = |text: &str| text.parse::<Pattern>().map(|pattern| pattern.to_string()).ok();
    assert_eq!(spelt("raw:a[*].b").as_deref(), Some("raw:$.a[*].b"));
    assert_eq!(spelt("raw:a | b").as_deref(), Some("raw:$.a | $.b"));
    assert_eq!(spelt("raw").as_deref(), Some("$.raw"));
    assert_ne!("raw:a".parse::<Pattern>(), "a".parse::<Pattern>());
    for refused in ["raw:", "raw: a", "a | raw:b", "raw:raw:a", "row:a"] {
        assert_eq!(spelt(refused), None, "{refused}");
    }
    assert_eq!("raw:a[-1]".parse::<Pattern>().unwrap_err().column(), 7);
}

/// Checks that raw deltas survive a callback that panics.
#[test]
fn raw_deltas_continue_after_a_panic_and_a_reset() {
    let mut parser = Parser::new(&PatternSet::new(["raw:a"]).unwrap());
    let panics = std::panic::AssertUnwindSafe(|| parser.feed_with("{\"a\": [1", |_| panic!("a callback")));
    assert!(std::panic::catch_unwind(panics).is_err());
    parser.reset();
    let mut reported = String::new();
    for chunk in ["{\"a\": [1", ", 2", "]}"] {
        let add = |event: jsonspigot::Event<'_>| {
            if let Some(text) = event.delta() {
                reported.push_str(text);
            }
        };
        parser.feed_with(chunk, add).unwrap();
    }
    assert_eq!(reported, "[1, 2]");
}

/// Checks that rules refuse `raw:` patterns, because a rule is about values.
#[test]
fn rules_refuse_raw_patterns() {
    let made = Rewriter::new([("a", Rule::redact()), ("raw:b", Rule::redact())]);
    assert_eq!(made.unwrap_err(), RuleError::Raw { place: 1 });
}
