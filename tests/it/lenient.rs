//! Tolerating named deviations: each one alone, and any mixture of them against the model.

use jsonspigot::{DeviationKind, ErrorKind, Event, Leniency, Limits, Parser, PatternSet};
use proptest::prelude::*;

use super::driver::{check, check_prompt};
use super::model::chunking::{each_byte, with_cuts};
use super::model::deviant::{deviant_document, some_leniency};
use super::model::log::{DEVIATIONS, Options, Verdict};
use super::model::mutate::any_document;
use super::model::pattern::{everything_below, patterns, root};
use super::properties::leniency;

fn all(names: &[&'static str]) -> Options {
    Options { lenient: names.to_vec(), ..Options::with_patterns([root(), everything_below()]) }
}

pub(super) fn any_deviations_are_read_as_by_the_model() {
    proptest!(|(
        (document, cuts) in with_cuts(prop_oneof![3 => deviant_document(), 1 => any_document()]),
        names in some_leniency(), patterns in patterns(4), reject: bool, snapshots: bool,
    )| {
        let patterns = if snapshots { all(&[]).patterns } else { patterns };
        let options = Options { reject_duplicates: reject, ..Options { lenient: names, ..Options::with_patterns(patterns) } };
        let log = leniency::reads_as_the_model(&document, &cuts, &options);
        leniency::skipping_changes_no_report(&document, &cuts, &options, &log);
        leniency::is_accepted_as_rewritten(&document, &cuts, &options);
        if snapshots {
            leniency::snapshots_agree_with_the_events(&document, &cuts, &options);
        }
    });
}

#[test]
fn limits_apply_after_deviations() {
    proptest!(|(
        (document, cuts) in with_cuts(deviant_document()), names in some_leniency(),
        depth in 0_u64..6, key in prop::option::of(0_u64..5), string in prop::option::of(0_u64..9),
        number in prop::option::of(0_u64..5), blank in prop::option::of(0_u64..4), total in prop::option::of(0_u64..40),
    )| {
        let options = Options { depth, key, string, number, blank, total, ..all(&names) };
        leniency::reads_as_the_model(&document, &cuts, &options);
        leniency::is_accepted_as_rewritten(&document, &cuts, &options);
    });
}

proptest! {
    #[test]
    fn deviations_are_reported_promptly(document in deviant_document(), names in some_leniency()) {
        check_prompt(&document[..document.len().min(60)], &all(&names));
    }
}

/// A text that deviates, by one name, at one place; and what is then shown.
const EACH: [(&str, &str, u64, &str); 19] = [
    ("control-characters", "[\"a\nb\"]", 3, r#"["a\nb"]"#),
    ("bad-escapes", r#"["\d"]"#, 3, r#"["\\d"]"#),
    ("bad-escapes", r#"["\u12"]"#, 6, "[\"\u{FFFD}\"]"),
    ("lone-surrogates", r#"["\ud83d!"]"#, 8, "[\"\u{FFFD}!\"]"),
    ("trailing-commas", "[1, ]", 4, "[1]"),
    ("trailing-commas", r#"{"a":1,}"#, 7, r#"{"a":1}"#),
    ("comments", "[1,// a ]\n2]", 3, "[1,2]"),
    ("comments", "[1/* \n * / */]", 2, "[1]"),
    ("comments", "1 # a", 2, "1"),
    ("single-quotes", r#"['a"\'\n']"#, 1, r#"["a\"'\n"]"#),
    ("single-quotes", r#"{'a':1}"#, 1, r#"{"a":1}"#),
    ("bare-keys", "{$a_1 :1}", 1, r#"{"$a_1":1}"#),
    ("python-literals", "[True]", 1, "[true]"),
    ("python-literals", "False", 0, "false"),
    ("python-literals", "[None]", 1, "[null]"),
    ("non-finite", "[NaN]", 1, "[null]"),
    ("non-finite", "[Infinity]", 1, "[null]"),
    ("non-finite", "[-Infinity]", 2, "[null]"),
    ("byte-order-mark", "\u{FEFF}[]", 0, "[]"),
];

#[test]
fn each_deviation_is_shown_under_its_name_only() {
    for (name, text, offset, shown) in EACH {
        for names in [&[name][..], &DEVIATIONS] {
            let log = check(text.as_bytes(), &all(names));
            let expected: Vec<_> = log.deviations.iter().map(|it| (it.kind, it.offset)).collect();
            assert_eq!(expected, [(name, offset)], "{text}");
            assert_eq!(log.stopped_by, None, "{text}");
            let mut parser = Parser::builder().lenient(Leniency::from_name(name).unwrap()).snapshots().build();
            parser.feed(text).check().unwrap();
            let error = parser.finish().check().unwrap_err();
            assert_eq!(error.offset(), offset, "{text}");
            assert_eq!(parser.snapshot().unwrap().to_string(), shown, "{text}");
            assert!(!parser.snapshot().unwrap().is_complete() && !parser.is_complete());
            let accepted = check(text.as_bytes(), &Options { accepts: true, ..all(names) });
            let rewritten: serde_json::Value = serde_json::from_slice(&accepted.rewritten.unwrap()).unwrap();
            assert_eq!(rewritten, serde_json::from_str::<serde_json::Value>(&shown.replace('\n', "\\n")).unwrap());
        }
        let others: Vec<_> = DEVIATIONS.into_iter().filter(|other| *other != name).collect();
        let log = check(text.as_bytes(), &all(&others));
        assert!(log.deviations.is_empty() && log.verdict.failure().is_some_and(|(_, at)| at == offset), "{text}");
    }
}

pub(super) fn each_deviation_is_accepted_as_rewritten() {
    for (_, text, ..) in EACH {
        for cuts in [Vec::new(), each_byte(text.len())] {
            leniency::is_accepted_as_rewritten(text.as_bytes(), &cuts, &all(&DEVIATIONS));
        }
    }
}

/// Texts that are nearly a deviation, with their strict errors.
const REFUSED: [(&str, &str, u64); 19] = [
    ("[,]", "unexpected-byte", 1),
    ("[1,,]", "unexpected-byte", 3),
    ("[1,,2]", "unexpected-byte", 3),
    ("{,}", "unexpected-byte", 1),
    ("[1}", "unexpected-byte", 2),
    ("[1 / 2]", "unexpected-byte", 3),
    ("1 /", "trailing-bytes", 2),
    ("[N]", "unexpected-byte", 1),
    ("N", "unexpected-byte", 0),
    ("\u{FEFE}[]", "unexpected-byte", 0),
    (" \u{FEFF}[]", "unexpected-byte", 1),
    ("{1a:2}", "unexpected-byte", 1),
    ("{é:2}", "unexpected-byte", 1),
    ("[undefined]", "unexpected-byte", 1),
    ("[+1]", "unexpected-byte", 1),
    ("[-NaN]", "invalid-number", 2),
    ("[1.Infinity]", "invalid-number", 3),
    ("[-1eInfinity]", "invalid-number", 4),
    ("[.5]", "unexpected-byte", 1),
];

#[test]
fn near_deviations_keep_their_strict_error() {
    for (text, kind, offset) in REFUSED {
        let log = check(text.as_bytes(), &all(&DEVIATIONS));
        assert_eq!(log.verdict.failure(), Some((kind, offset)), "{text}");
        assert!(log.deviations.is_empty(), "{text}");
    }
}

/// A deviation, and then something else that stops the reading.
const STOPPED: [(&str, &str, u64); 9] = [
    ("[1, /* a", "incomplete", 8),
    ("[1 // a", "incomplete", 7),
    ("['a", "incomplete", 3),
    ("{a", "incomplete", 2),
    ("[Tru3]", "invalid-literal", 4),
    ("[-Inf]", "invalid-literal", 5),
    ("{a b", "unexpected-byte", 3),
    ("{a'", "unexpected-byte", 2),
    ("['a' 'b']", "unexpected-byte", 5),
];

#[test]
fn stopped_by_differs_from_the_error_after_a_deviation() {
    for (text, kind, offset) in STOPPED {
        let log = check(text.as_bytes(), &all(&DEVIATIONS));
        assert_eq!(log.stopped_by, Some((kind, offset)), "{text}");
        assert!(matches!(log.verdict, Verdict::Failed { offset: first, .. } if first < offset), "{text}");
    }
}

/// Checks that the error at the end is that of the end, if deviations are accepted.
#[test]
fn an_end_inside_a_deviation_names_what_is_missing() {
    for (text, expected) in [
        ("[Tru", "expected `True`"),
        ("[Fals", "expected `False`"),
        ("[Non", "expected `None`"),
        ("[Na", "expected `NaN`"),
        ("[-Infin", "expected `Infinity`"),
        ("[1 /* 2", "expected the end of a comment"),
        ("[1 /* 2 *", "expected the end of a comment"),
        ("[1 // 2", "expected `,` or `]`"),
        ("{a", "expected the rest of a key"),
        (r#"["\uDC0"#, "expected the rest of a string"),
    ] {
        let mut parser = Parser::builder().lenient(Leniency::ALL).accept_deviations().build();
        parser.feed(text).check().unwrap();
        let error = parser.finish().check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incomplete, "{text}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

/// Checks that the text is complete even if a comment after the root continues to the end.
#[test]
fn a_text_is_complete_before_a_trailing_comment_ends() {
    let builder = Parser::builder().lenient(Leniency::ALL).accept_deviations();
    for (text, is_complete) in [("[1] // a", true), ("[1] /* a", false), ("[1 // a", false)] {
        let mut parser = builder.build();
        parser.feed(text).check().unwrap();
        assert_eq!((parser.is_complete(), parser.finish().check().is_ok()), (is_complete, is_complete), "{text}");
    }
}

#[test]
fn control_characters_are_escaped_in_accepted_text() {
    for byte in 0..b' ' {
        let mut parser = Parser::builder().lenient(Leniency::ALL).accept_deviations().build();
        parser.feed([b'"', byte, b'"']).check().unwrap();
        parser.finish().check().unwrap();
        assert_eq!(parser.complete().unwrap().text(), format!(r#""\u{byte:04x}""#));
    }
}

/// Checks that two deviations have to be allowed: the one that separates a high surrogate from its partner, and the
/// lone surrogate.
#[test]
fn lone_surrogates_and_their_separators_are_two_deviations() {
    for (kind, text) in [
        (DeviationKind::BadEscapes, &br#"["\ud83d\x"]"#[..]),
        (DeviationKind::BadEscapes, br#"["\ud83d\u12"]"#),
        (DeviationKind::ControlCharacters, b"[\"\\ud83d\x01\"]"),
    ] {
        let outcome = |leniency| {
            let mut parser = Parser::builder().lenient(leniency).build();
            parser.feed(text).check()
        };
        assert!(outcome(Leniency::NONE.with(kind)).is_err(), "{}", text.escape_ascii());
        assert!(outcome(Leniency::NONE.with(kind).with(DeviationKind::LoneSurrogates)).is_ok());
    }
}

/// Checks that the kind of quotes changes nothing else.
#[test]
fn single_quotes_are_read_as_double_quotes_are() {
    let (none, short) = (Limits::new(), Limits::new().key(3).string(3));
    for (text, limits) in [
        (&b"[\"abc\xff"[..], none),
        (b"[\"\xc3\xa9\xc3(\"]", none),
        (b"[\"a\xe2\x82(\"]", none),
        (b"[\"abcde\xf0\x9f\x98(\"]", none),
        (br#"{"abc": "abc"}"#, short),
        (br#"{"abcd": 1}"#, short),
        (br#"["abcd"]"#, short),
        (br#"["a\nbc"]"#, short),
    ] {
        let read = |text: &[u8]| {
            let patterns = PatternSet::new(["$..*"]).unwrap();
            let mut parser =
                Parser::builder().lenient(Leniency::ALL).accept_deviations().limits(limits).patterns(&patterns).build();
            let mut deltas = Vec::new();
            let outcome = parser.feed_with(text, |event| {
                if let Some(text) = event.delta() {
                    deltas.push((event.offset, text.to_owned()));
                }
            });
            (deltas, outcome.map_err(|error| (error.kind(), error.offset(), error.column())))
        };
        let single: Vec<u8> = text.iter().map(|byte| if *byte == b'"' { b'\'' } else { *byte }).collect();
        assert_eq!(read(&single), read(text), "{}", text.escape_ascii());
    }
    // An escaped quote is reported at its backslash.
    let mut parser = Parser::builder().lenient(Leniency::ALL).patterns(&PatternSet::new(["$"]).unwrap()).build();
    let mut offsets = Vec::new();
    let record = |event: Event<'_>| offsets.extend((event.delta() == Some("'")).then_some(event.offset));
    parser.feed_with(r"'ab\'cd'", record).unwrap();
    assert_eq!(offsets, [3]);
}

#[test]
fn texts_inside_strings_change_nothing_around_them() {
    for text in ["[-Infinity, NaN, 'a', 1,]", "{a: -Infinity, // c\n 'b': \"\\ud800\", c: True}", "-Infinity"] {
        let reported = |patterns: &[&str]| {
            let patterns = PatternSet::new(patterns).unwrap();
            let mut parser = Parser::builder()
                .lenient(Leniency::ALL)
                .accept_deviations()
                .snapshots()
                .provisional()
                .patterns(&patterns)
                .build();
            let mut reported = Vec::new();
            for byte in text.bytes() {
                parser.feed_with([byte], |event| reported.push(format!("{event:?}"))).unwrap();
                parser.open_matches_with(|event| reported.push(format!("open {event:?}")));
                reported.extend(parser.snapshot().map(|shown| shown.to_string()));
            }
            parser.finish_with(|event| reported.push(format!("{event:?}"))).unwrap();
            (reported, parser.complete().unwrap().text().to_owned())
        };
        assert_eq!(reported(&["$", "$..*", "zz | $"]), reported(&["$", "$..*"]), "{text}");
    }
}

#[test]
fn lines_are_counted_in_comments() {
    let mut parser = Parser::builder().lenient(Leniency::ALL).build();
    parser.feed("/*\n\n*/[ // a\n  True").check().unwrap();
    let seen: Vec<_> = parser.deviations().iter().map(|it| (it.kind(), it.line(), it.column())).collect();
    assert_eq!(
        seen,
        [(DeviationKind::Comments, 1, 1), (DeviationKind::Comments, 3, 5), (DeviationKind::PythonLiterals, 4, 3)]
    );
}

#[test]
fn no_strict_text_deviates() {
    let mut parser = Parser::builder().lenient(Leniency::ALL).build();
    parser.feed(r##"{"a": ["//", "/*", "'", "#", -1, null]}"##).check().unwrap();
    parser.finish().check().unwrap();
    assert_eq!((parser.deviation_count(), parser.error()), (0, None));
    parser.reset();
    assert_eq!(
        parser.feed("'a").check().and_then(|()| parser.finish().check()).unwrap_err().kind(),
        ErrorKind::UnexpectedByte
    );
    // The open quotes are forgotten.
    parser.reset();
    parser.feed(r#"["\udc00'"]"#).check().unwrap();
    assert_eq!(parser.deviations().len(), 1);
    assert!(parser.stopped_by().is_none());
}

#[test]
fn leniency_is_a_set_of_kinds() {
    let names: Vec<_> = DeviationKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names, DEVIATIONS);
    assert_eq!(DeviationKind::ALL.iter().fold(Leniency::NONE, |all, kind| all | *kind), Leniency::ALL);
    let model_output: Vec<_> = DeviationKind::ALL
        .iter()
        .filter(|kind| Leniency::MODEL_OUTPUT.allows(**kind))
        .map(|kind| kind.name())
        .collect();
    assert_eq!(
        model_output,
        ["control-characters", "bad-escapes", "lone-surrogates", "trailing-commas", "comments", "byte-order-mark"]
    );
    let two = DeviationKind::Comments | DeviationKind::BareKeys;
    assert_eq!(format!("{two:?}"), r#"Leniency{"comments", "bare-keys"}"#);
}

/// Checks that the newest delta of an earlier text does not affect the next one, even if its first deviation is in the
/// middle of a chunk.
#[test]
fn a_text_after_one_that_deviated_has_one_delta_a_chunk() {
    let patterns = PatternSet::new(["$[*]"]).unwrap();
    let mut parser = Parser::builder().lenient(Leniency::ALL).patterns(&patterns).build();
    parser.feed("[1, 2, 3, /**/ \"a\\d\"]").check().unwrap();
    parser.reset();
    let deltas = parser.feed("[\"a\\db\"]").filter(|event| event.as_ref().unwrap().delta() == Some("a\\db"));
    assert_eq!(deltas.count(), 1);
}

/// Checks that a byte that stands for another is not kept if it was the error.
#[test]
fn the_byte_of_an_error_is_not_kept() {
    let builder = Parser::builder().duplicate_keys(jsonspigot::DuplicateKeys::Reject);
    let mut parser = builder.lenient(Leniency::ALL).accept_deviations().build();
    let error = parser.feed("{'a':1,'a'").check().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::DuplicateKey, 9));
    assert_eq!(parser.text().unwrap(), br#"{"a":1,"a"#);
}
