//! JSON inside strings: the events of any document, and details that are easy to get wrong.

use jsonspigot::{
    DuplicateKeys, ErrorKind, Event, EventKind, Limits, Parser, ParserBuilder, Pattern, PatternSet, Retain, Segment,
    ValueState,
};
use proptest::prelude::*;

use super::effort::cases;
use super::model::chunking::{chunks, torture_cuts, with_cuts};
use super::model::log::Options;
use super::model::nested::{nested_document, nested_patterns};
use super::properties::inner_texts;

pub(super) fn inner_events_are_those_of_the_text_alone() {
    proptest!(cases(6), |(
        (document, cuts) in with_cuts(nested_document()), patterns in nested_patterns(4), reject: bool,
    )| {
        let options = Options { reject_duplicates: reject, ..Options::default() };
        inner_texts::reports_the_text_alone(&document, &cuts, &patterns, &options);
        inner_texts::are_the_matchers(&document, &patterns);
        inner_texts::do_not_depend_on_retention(&document, &cuts, &patterns, &options);
        inner_texts::are_read_again(&document, &cuts, &patterns, &options);
    });
}

pub(super) fn inner_text_is_reported_promptly() {
    proptest!(cases(6), |(document in nested_document(), patterns in nested_patterns(3))| {
        let document = &document[..document.len().min(120)];
        inner_texts::is_reported_promptly(document, &patterns, &Options::default());
        inner_texts::paths_are_patterns(document, &patterns);
    });
}

proptest! {
    #![proptest_config(cases(6))]

    /// Checks that the number of other patterns, and so the length of the matcher's rows, changes nothing. Matches are
    /// numbered as they begin.
    #[test]
    fn inner_patterns_do_not_depend_on_other_patterns(
        (document, cuts) in with_cuts(nested_document()), patterns in nested_patterns(4), many in 40..80,
    ) {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        let others: Vec<String> = (0..many).map(|other| format!("other{other}.x | y{other}")).collect();
        let reported = |patterns: Vec<&String>, from: usize| {
            let mut parser = Parser::new(&PatternSet::new(patterns).unwrap());
            let mut reported = Vec::new();
            for chunk in chunks(&document, &cuts) {
                let fed = parser.feed_with(chunk, |event| {
                    let Event { pattern, kind, path, offset, match_id, .. } = event.into_owned();
                    reported.push((pattern.index() - from, kind, path, offset, match_id));
                });
                if fed.is_err() {
                    break;
                }
            }
            reported
        };
        let among_many = reported(others.iter().chain(&patterns).collect(), others.len());
        assert_eq!(among_many, reported(patterns.iter().collect(), 0));
        let begins = |kind: &EventKind<'_>| matches!(kind, EventKind::Begin(_) | EventKind::InnerError(_));
        let ids = among_many.iter().filter(|(_, kind, ..)| begins(kind)).map(|reported| reported.4);
        assert!(ids.zip(0..).all(|(id, place)| id == place), "no number is left out");
    }

    /// Checks that a limit applies in an inner text as in a text of its own.
    #[test]
    fn limits_are_those_of_each_text(
        (document, cuts) in with_cuts(nested_document()),
        patterns in nested_patterns(2),
        limits in (0_u64..5, prop::option::of(0_u64..5), prop::option::of(0_u64..40), prop::option::of(0_u64..4),
            prop::option::of(0_u64..4), prop::option::of(0_u64..60)),
    ) {
        let (depth, key, string, number, blank, total) = limits;
        let options = Options { depth, key, string, number, blank, total, ..Options::default() };
        inner_texts::reports_the_text_alone(&document, &cuts, &patterns, &options);
    }
}

/// Checks steps into strings at any position of the matcher's row, of which a word holds 64.
#[test]
fn a_string_is_read_inside_behind_any_number_of_patterns() {
    for many in 0..140 {
        let others = (0..many).map(|other| format!("y{other}"));
        let patterns: Vec<String> = others.chain(["a | b | c".to_owned()]).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let document = br#"{"a": "{\"b\": \"{\\\"c\\\": 1}\"}"}"#;
        let lines = reported(Parser::builder(), &patterns, &[document]);
        assert_eq!(lines.first().map(String::as_str), Some(&*format!("{many} a | b | c: number")), "{many}");
    }
}

/// Returns a parser's events, each in a few words, with adjacent deltas joined.
fn reported(builder: ParserBuilder, patterns: &[&str], chunks: &[&[u8]]) -> Vec<String> {
    let mut parser = builder.patterns(&PatternSet::new(patterns).unwrap()).build();
    let mut lines: Vec<String> = Vec::new();
    for chunk in chunks {
        let fed = parser.feed_with(chunk, |event| {
            let head = format!("{} {}", event.pattern.index(), event.path);
            match event.kind {
                EventKind::Begin(kind) => lines.push(format!("{head}: {}", kind.name())),
                EventKind::Delta(text) => match lines.iter_mut().rfind(|line| line.starts_with(&format!("{head} +"))) {
                    Some(line) => line.push_str(&text),
                    None => lines.push(format!("{head} +{text}")),
                },
                EventKind::End(Some(value)) => lines.push(format!("{head} = {value} {:?}", value.span())),
                EventKind::End(None) => lines.push(format!("{head} =")),
                EventKind::InnerError(error) => lines.push(format!("{head} ! {error}")),
                _ => unreachable!("there is no other kind"),
            }
        });
        fed.unwrap();
    }
    parser.finish().check().unwrap();
    lines
}

#[track_caller]
fn check_at_every_cut(builder: &ParserBuilder, patterns: &[&str], document: &str, expected: &[&str]) {
    for cuts in torture_cuts(document.len()) {
        assert_eq!(
            reported(builder.clone(), patterns, &chunks(document.as_bytes(), &cuts)),
            expected,
            "cut at {cuts:?}"
        );
    }
}

/// Checks that events are in the order of the bytes that cause them: first the string's own, then those of its text,
/// whose end comes before the string's; and for one value in the order of the patterns.
#[test]
fn a_string_is_reported_before_its_inner_text() {
    check_at_every_cut(
        &Parser::builder(),
        &["a | b", "a", "a | $", "a | b"],
        r#"{"a":"{\"b\":\"x\\ny\"}"}"#,
        &[
            "1 a: string",
            "1 a +{\"b\":\"x\\ny\"}",
            "2 a | $: object",
            "0 a | b: string",
            "3 a | b: string",
            "0 a | b +x\ny",
            "3 a | b +x\ny",
            r#"0 a | b = "x\ny" 5..11"#,
            r#"3 a | b = "x\ny" 5..11"#,
            r#"2 a | $ = {"b":"x\ny"} 0..12"#,
            r#"1 a = "{\"b\":\"x\\ny\"}" 5..24"#,
        ],
    );
}

/// Checks that an inner text fails where it would fail alone, once for each pattern that leads through it, and for no
/// other.
#[test]
fn an_inner_error_is_reported_once_for_each_pattern() {
    check_at_every_cut(
        &Parser::builder(),
        &["[0] | b", "[0]", "* | $[0]", "[1]|x", "[5]|x"],
        r#"["[tru]", "", 1, "[1"]"#,
        &[
            "1 [0]: string",
            "1 [0] +[tru]",
            "2 [0] | [0]: bool",
            "0 [0] ! invalid literal: expected `true` at line 1 column 5 (byte 4) in [0]",
            "2 [0] ! invalid literal: expected `true` at line 1 column 5 (byte 4) in [0]",
            r#"1 [0] = "[tru]" 1..8"#,
            "2 [1] ! incomplete: expected a value at line 1 column 1 (byte 0) in $",
            "3 [1] ! incomplete: expected a value at line 1 column 1 (byte 0) in $",
            "2 [3] | [0]: number",
            "2 [3] ! incomplete: expected the rest of a number or its end at line 1 column 3 (byte 2) in [0]",
        ],
    );
}

#[test]
fn limits_and_duplicate_keys_are_those_of_each_text() {
    let through = |builder: ParserBuilder, text: &str| {
        let document = serde_json::to_string(&[text]).unwrap();
        reported(builder, &["[0] | $"], &[document.as_bytes()]).pop().unwrap()
    };
    let limited = |limits: Limits| Parser::builder().limits(limits);
    for (builder, text, error) in [
        (
            limited(Limits::new().depth(1)),
            "[[",
            "depth limit: expected no deeper nesting than allowed at line 1 column 2",
        ),
        (
            limited(Limits::new().number(2)),
            "123",
            "number limit: expected no longer number than allowed at line 1 column 3",
        ),
        (limited(Limits::new().key(1)), r#"{"ab"#, "key limit: expected no longer key than allowed at line 1 column 4"),
        (limited(Limits::new().total(9)), "       123", "total limit: expected no more bytes than allowed at line 1"),
        (
            Parser::builder().duplicate_keys(DuplicateKeys::Reject),
            r#"{"a":1,"a"#,
            "incomplete: expected the rest of a string at line 1 column 10",
        ),
        (
            Parser::builder().duplicate_keys(DuplicateKeys::Reject),
            "{\"a\":{\"b\":[],\n\"b\":",
            "duplicate key: expected each key once in an object at line 2 column 3",
        ),
    ] {
        // The total holds for the document too, of which the string is a part.
        let text = if error.starts_with("total") { "" } else { text };
        if !text.is_empty() {
            let said = through(builder, text);
            assert!(said.starts_with(&format!("0 [0] ! {error}")), "{said}");
        }
    }
    // An escape of the document is six bytes there, and one in the text.
    let document = format!("[\"{}\"]", "\\u0031".repeat(3));
    let limits = Limits::new().string(18).number(2);
    let said = reported(Parser::builder().limits(limits), &["[0]|$"], &[document.as_bytes()]);
    assert!(said.last().unwrap().contains("number limit") && said.last().unwrap().contains("(byte 2)"), "{said:?}");
}

/// Checks that a tolerated deviation is read inside as it is shown. After it only atoms end with their value, here as
/// elsewhere.
#[test]
fn inner_text_continues_after_a_tolerated_deviation() {
    let document = "[\"{\\\"a\\\":1,\n\\\"b\\\":\\\"x\\\",\\\"c\\\":2}\", \"{\\\"b\\\":tru3\"]";
    for cuts in torture_cuts(document.len()) {
        let patterns = PatternSet::new(["* | *"]).unwrap();
        let mut parser = Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT).patterns(&patterns).build();
        let mut lines: Vec<String> = Vec::new();
        for chunk in chunks(document.as_bytes(), &cuts) {
            parser.feed_with(chunk, |event| lines.push(format!("{} {}", event.path, kind(&event.kind)))).unwrap();
        }
        let error = parser.finish().check().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::ControlCharacter, 11));
        // Behind the deviation, strings end without their value.
        let expected = [
            "[0] | a begin",
            "[0] | a end",
            "[0] | b begin",
            "[0] | b delta",
            "[0] | b end without a value",
            "[0] | c begin",
            "[0] | c end",
            "[1] | b begin",
            "[1] invalid-literal",
        ];
        assert_eq!(lines, expected, "cut at {cuts:?}");
    }
}

fn kind(kind: &EventKind<'_>) -> &'static str {
    match kind {
        EventKind::Begin(_) => "begin",
        EventKind::Delta(_) => "delta",
        EventKind::End(None) => "end without a value",
        EventKind::End(_) => "end",
        EventKind::InnerError(error) => error.kind().name(),
        _ => unreachable!("there is no other kind"),
    }
}

/// Checks that the document's own text is kept for its own matches only.
#[test]
fn an_open_inner_match_keeps_none_of_the_documents_text() {
    let mut parser =
        Parser::builder().retain(Retain::Matches).patterns(&PatternSet::new(["a | $", "c"]).unwrap()).build();
    parser.feed(r#"{"a": "[1, "#).check().unwrap();
    parser.feed(r#"2]", "c": 3"#).check().unwrap();
    let ends = parser.feed("}").filter(|event| matches!(event.as_ref().unwrap().kind, EventKind::End(Some(_)))).count();
    assert_eq!(ends, 1);
    assert_eq!(parser.text().unwrap_err().kind(), ErrorKind::NotRetained);
}

#[test]
fn patterns_are_spelt_in_one_way_and_read_in_many() {
    let spelt = |text: &str| text.parse::<Pattern>().unwrap().to_string();
    for text in ["a | b", "a|b", "$.a  |$.b", "a \t|\n b", "['a'] | [\"b\"]"] {
        assert_eq!(spelt(text), "$.a | $.b");
        assert_eq!(spelt(&spelt(text)), "$.a | $.b");
    }
    assert_eq!(spelt("$|$"), "$ | $");
    assert_eq!(spelt("..*|..a[0:3]|.b['|']"), "$..* | $..a[0:3] | $.b['|']");
    for (text, column) in [("|", 1), ("| a", 1), ("a |", 4), ("a | ", 5), ("a||b", 3), ("a | | b", 5), ("a | b ", 6)] {
        let error = text.parse::<Pattern>().unwrap_err();
        assert_eq!(error.column(), column, "{text:?}: {error}");
    }
    assert!("a|".parse::<Pattern>().unwrap_err().to_string().contains("expected a query on each side of `|`"));
}

#[test]
fn a_path_has_a_step_into_the_string() {
    let mut parser = Parser::new(&PatternSet::new(["a[*] | ['b c'] | [1]", "a[*] | $"]).unwrap());
    let document = r#"{"a": ["{\"b c\":\"[0,1]\"}"]}"#;
    let mut seen = Vec::new();
    for event in parser.feed(document) {
        let event = event.unwrap();
        if let EventKind::Begin(_) = event.kind {
            let steps: Vec<_> = event.path.iter().filter(|step| *step == Segment::Inside).collect();
            let indices: Vec<_> = event.path.indices().collect();
            let path = &event.path;
            seen.push((
                path.to_string(),
                path.normalized().to_string(),
                path.pointer().to_string(),
                steps.len(),
                indices,
            ));
        }
    }
    let row = |path: &str, normalized: &str, steps, indices: &[u64]| {
        (path.to_owned(), normalized.to_owned(), "/a/0".to_owned(), steps, indices.to_vec())
    };
    assert_eq!(
        seen,
        [
            row("a[0] | $", "$['a'][0] | $", 1, &[0]),
            row("a[0] | ['b c'] | [1]", "$['a'][0] | $['b c'] | $[1]", 2, &[0, 1]),
        ]
    );
}

/// Checks that a snapshot has strings unparsed, so a path into one is refused.
#[test]
fn a_snapshot_does_not_look_inside_strings() {
    let mut parser = Parser::builder().snapshots().patterns(&PatternSet::new(["a | b"]).unwrap()).build();
    for text in ["", r#"{"a": "{\"b\": 1}""#, "}"] {
        parser.feed(text).check().unwrap();
        for path in ["a | b", "a|$", "$ | b", "nowhere | b"] {
            let error = parser.state_of(path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidPath, "{path}");
            assert!(error.to_string().contains("a path that does not lead into a string"), "{error}");
        }
        for path in ["a |", "| b", "a b", "a | *"] {
            assert!(parser.state_of(path).unwrap_err().to_string().contains("expected a concrete path"), "{path}");
        }
    }
    assert_eq!(parser.state_of("a").unwrap(), ValueState::Complete);
    assert_eq!(parser.snapshot().unwrap().at("a | b"), None);
}

/// Checks that events of inner texts can be owned, written and read back.
#[test]
fn inner_events_go_through_serde() {
    let mut parser = Parser::new(&PatternSet::new(["a[*] | b"]).unwrap());
    let reported: Vec<Event<'_>> =
        parser.feed(r#"{"a": ["{\"b\": [1,2] }", "{b"]}"#).map(|event| event.unwrap().into_owned()).collect();
    let lines: Vec<String> = reported.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert_eq!(
        lines,
        [
            r#"{"event":"begin","pattern":0,"path":"a[0] | b","kind":"array","match":0,"offset":6}"#,
            r#"{"event":"end","pattern":0,"path":"a[0] | b","value":[1,2],"match":0,"offset":11}"#,
            r#"{"event":"inner-error","pattern":0,"path":"a[1]","kind":"unexpected-byte","match":1,"offset":1}"#,
        ]
    );
    assert!(matches!(&reported[2].kind, EventKind::InnerError(error) if error.kind() == ErrorKind::UnexpectedByte));
    for (event, line) in reported.iter().zip(&lines) {
        let mut bytes = Vec::new();
        ciborium::into_writer(event, &mut bytes).unwrap();
        for read in [serde_json::from_str(line).unwrap(), ciborium::from_reader::<Event<'_>, _>(&bytes[..]).unwrap()] {
            match (&read.kind, &event.kind) {
                (EventKind::InnerError(read), EventKind::InnerError(error)) => {
                    assert_eq!((read.kind(), event.offset), (error.kind(), error.offset()));
                }
                _ => assert_eq!(read, *event),
            }
        }
    }
    for wrong in [lines[2].replace("unexpected-byte", "array"), lines[0].replace("array", "unexpected-byte")] {
        assert!(serde_json::from_str::<Event<'_>>(&wrong).is_err(), "{wrong}");
    }
    assert!(serde_json::from_str::<Event<'_>>(&lines[0].replace("a[0] | b", "a[0] | ")).is_err());
}

/// Checks that the stack holds as many levels as the text has, however many the pattern names.
#[test]
fn inner_levels_are_as_deep_as_the_text() {
    let mut text = "17".to_owned();
    for _ in 0..14 {
        text = serde_json::to_string(&text).unwrap();
    }
    let pattern = ["$"; 15].join("|");
    let unused = ["$"; 10_000].join("|");
    let mut parser = Parser::new(&PatternSet::new([&pattern, &unused]).unwrap());
    let mut last = None;
    for chunk in text.as_bytes().chunks(1000) {
        parser.feed_with(chunk, |event| last = Some(event.into_owned())).unwrap();
    }
    parser.finish().check().unwrap();
    let last = last.unwrap();
    assert!(matches!(&last.kind, EventKind::End(Some(value)) if value.text() == "17"));
    assert_eq!((last.path.to_string(), last.pattern.index()), (pattern.replace('|', " | "), 0));
}

/// Checks that an error of the outer text ends the inner one, and is reported as the outer's.
#[test]
fn an_outer_error_inside_a_string_ends_the_inner_text() {
    let document = r#"{"a": "{\"b\": \"xy\z"#;
    for cuts in torture_cuts(document.len()) {
        let mut parser = Parser::new(&PatternSet::new(["a | b"]).unwrap());
        let mut lines = Vec::new();
        let fed = chunks(document.as_bytes(), &cuts)
            .into_iter()
            .try_for_each(|chunk| parser.feed_with(chunk, |event| lines.push(kind(&event.kind))));
        let error = fed.unwrap_err();
        assert_eq!((error.kind(), error.offset(), error.path()), (ErrorKind::InvalidEscape, 20, Some("a")));
        lines.dedup();
        assert_eq!(lines, ["begin", "delta"]);
    }
}
