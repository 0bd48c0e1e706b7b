//! One input for each kind of error: the kind's name, the beginning of its message, and the position in the message.

use jsonspigot::{DuplicateKeys, Error, ErrorKind, EventKind, Limits, Parser, PatternSet, Place, Retain};
use proptest::prelude::*;
use serde_json::Value;

/// Feeds the text, ends it, and reads it as a list: one of them fails.
fn failure(builder: jsonspigot::ParserBuilder, text: &[u8]) -> Error {
    let mut parser = builder.patterns(&PatternSet::new(["a"]).unwrap()).build();
    let fed = parser.feed(text).check().and_then(|()| parser.finish().check());
    fed.and_then(|()| parser.deserialize::<Vec<u8>>()).unwrap_err()
}

fn plain(text: &[u8]) -> Error {
    failure(Parser::builder(), text)
}

fn limited(limits: Limits, text: &str) -> Error {
    failure(Parser::builder().limits(limits), text.as_bytes())
}

fn after_the_end() -> Error {
    let mut parser = Parser::default();
    parser.feed("1").check().and_then(|()| parser.finish().check()).unwrap();
    parser.feed("2").check().unwrap_err()
}

fn of_a_foreign_revision() -> Error {
    let fed = |text: &str| {
        let mut parser = Parser::builder().snapshots().build();
        parser.feed(text).check().unwrap();
        parser
    };
    fed("[1").patch_since(fed("{\"").revision()).err().unwrap()
}

fn of_a_look() -> Error {
    let mut parser = Parser::builder().snapshots().build();
    parser.feed(r#"{"a": ["x""#).check().unwrap();
    parser.snapshot().unwrap().deserialize::<std::collections::BTreeMap<String, Vec<u8>>>().unwrap_err()
}

#[test]
fn each_kind_says_what_and_where() {
    let limits = Limits::default();
    // All kinds but `SnapshotLimit`, which takes 4 GiB of text, `InvalidPath`, which is about no byte, and
    // `OutOfOrder`, which only calls have.
    let errors = [
        ("unexpected-byte", "unexpected byte", 6, plain(br#"{"a": ?}"#)),
        ("invalid-escape", "invalid escape", 2, plain(br#""\x""#)),
        ("lone-surrogate", "lone surrogate", 4, plain(br#""\uDC00""#)),
        ("invalid-utf8", "invalid UTF-8", 1, plain(b"\"\xFF\"")),
        ("control-character", "control character", 1, plain(b"\"\n\"")),
        ("invalid-number", "invalid number", 1, plain(b"01")),
        ("invalid-literal", "invalid literal", 1, plain(b"nil")),
        ("trailing-bytes", "trailing bytes", 3, plain(b"{} {}")),
        ("incomplete", "incomplete", 7, plain(b"{\"a\": \n")),
        (
            "duplicate-key",
            "duplicate key",
            9,
            failure(Parser::builder().duplicate_keys(DuplicateKeys::Reject), br#"{"a":1,"a":2}"#),
        ),
        ("depth-limit", "depth limit", 1, limited(limits.depth(1), "[[")),
        ("key-limit", "key limit", 3, limited(limits.key(1), r#"{"ab":1}"#)),
        ("string-limit", "string limit", 2, limited(limits.string(1), r#""ab""#)),
        ("number-limit", "number limit", 1, limited(limits.number(1), "12")),
        ("blank-limit", "blank limit", 2, limited(limits.blank(1), "[  ]")),
        ("total-limit", "total limit", 1, limited(limits.total(1), "[]")),
        ("foreign-revision", "foreign revision", 2, of_a_foreign_revision()),
        ("not-retained", "not retained", 2, failure(Parser::builder().retain(Retain::Matches), b"[]")),
        ("finished", "finished", 1, after_the_end()),
        ("data", "data", 0, plain(br#"{"a": 1}"#)),
    ];
    for (name, beginning, offset, error) in errors {
        assert_eq!((error.kind().name(), error.offset()), (name, offset), "{error}");
        let Place { line, column, offset: same, .. } = error.place().unwrap();
        assert_eq!((same, line, column), (offset, error.line(), error.column()), "{error}");
        assert!(line > 0 && column > 0, "{error}");
        let message = error.to_string();
        let expected = message.strip_prefix(&format!("{beginning}: ")).unwrap_or_else(|| panic!("{message}"));
        let place = format!(" at line {line} column {column} (byte {offset}) in {}", error.path().unwrap());
        let expected = expected.strip_suffix(&place).unwrap_or_else(|| panic!("{message} ends in {place}"));
        // A value that does not fit a type is reported in serde's words, without its position.
        assert!(expected.starts_with("expected ") || expected == "invalid type: map, expected a sequence", "{message}");
    }
}

/// Lists every position where a text can break or end, with the tokens that were possible there.
#[test]
fn messages_say_what_was_expected() {
    let low_after_high = "expected a low surrogate after a high one";
    let limits = Limits::new().depth(2).key(2).string(3).number(2).blank(2).total(20);
    let builder = || Parser::builder().limits(limits).duplicate_keys(DuplicateKeys::Reject);
    for (text, expected) in [
        ("", "expected a value"),
        ("[", "expected a value or `]`"),
        ("[}", "expected a value or `]`"),
        ("[1", "expected the rest of a number or its end"),
        ("-", "expected the rest of a number or its end"),
        ("[1 ", "expected `,` or `]`"),
        ("[1}", "expected `,` or `]`"),
        ("[1,", "expected a value"),
        ("[1,]", "expected a value"),
        ("{", "expected a key or `}`"),
        ("{1", "expected a key or `}`"),
        (r#"{"a""#, "expected `:`"),
        (r#"{"a","#, "expected `:`"),
        (r#"{"a":"#, "expected a value"),
        (r#"{"a":}"#, "expected a value"),
        (r#"{"a":1 "#, "expected `,` or `}`"),
        (r#"{"a":1]"#, "expected `,` or `}`"),
        (r#"{"a":1,"#, "expected a key"),
        (r#"{"a":1,}"#, "expected a key"),
        ("1 2", "expected nothing but white space after the value"),
        (r#"{"a"#, "expected the rest of a string"),
        (r#""a\"#, "expected the rest of a string"),
        ("t", "expected `true`"),
        ("trux", "expected `true`"),
        ("[f", "expected `false`"),
        ("fals3", "expected `false`"),
        ("nul", "expected `null`"),
        ("nill", "expected `null`"),
        ("01", "expected no digit after a leading zero"),
        ("-a", "expected a digit"),
        ("1.", "expected the rest of a number or its end"),
        ("1.e", "expected a digit"),
        (r#""\x"#, "expected one of `\"\\/bfnrtu` after the backslash"),
        (r#""\ug"#, "expected four hexadecimal digits"),
        ("\"\n", "expected an escape instead of a raw control character"),
        ("[[[", "expected no deeper nesting than allowed"),
        ("[   ", "expected no more white space than allowed"),
        (r#"{"abc"#, "expected no longer key than allowed"),
        (r#""abcd"#, "expected no longer string than allowed"),
        ("123", "expected no longer number than allowed"),
        ("[0,0,0,0,0,0,0,0,0,0,0", "expected no more bytes than allowed"),
        (r#"{"a":1,"a":2}"#, "expected each key once in an object"),
    ] {
        let error = failure(builder(), text.as_bytes());
        let message = error.to_string();
        let place = format!(" at line {} column {} ", error.line(), error.column());
        assert_eq!(
            message.split(&place).next(),
            message.split(": ").next().map(|title| format!("{title}: {expected}")).as_deref(),
            "{text}"
        );
    }
    for (text, expected) in [
        (&br#""\uDC"#[..], "expected a high surrogate before a low one"),
        (br#""\uD800x"#, low_after_high),
        (br#""\uD800\n"#, low_after_high),
        (br#""\uD800\uE"#, low_after_high),
        (br#""\uD800\x"#, "expected `u` after the backslash"),
        (b"\"\xFF", "expected UTF-8"),
    ] {
        let message = plain(text).to_string();
        assert!(message.contains(&format!(": {expected} at line ")), "{message}");
    }
}

#[test]
fn a_kind_is_a_limit_or_about_usage() {
    let usage = ["not-retained", "invalid-path", "foreign-revision", "finished"];
    for kind in ErrorKind::ALL {
        assert_eq!(kind.is_limit(), kind.name().ends_with("-limit"), "{kind}");
        assert_eq!(kind.is_usage(), usage.contains(&kind.name()), "{kind}");
    }
}

#[cfg(feature = "std")]
#[test]
fn an_error_is_one_of_io_too() {
    for (text, kind) in [(&b"[1"[..], std::io::ErrorKind::UnexpectedEof), (b"[1 2", std::io::ErrorKind::InvalidData)] {
        let error = plain(text);
        let converted = std::io::Error::from(error.clone());
        assert_eq!(converted.kind(), kind);
        assert_eq!(converted.downcast::<Error>().unwrap(), error);
    }
}

/// Checks that a frequent substitute for JSON is named by its first byte, and so by the same words for every cut.
#[test]
fn errors_name_frequent_substitutes_for_json() {
    let beginnings: [(&[u8], u64, &str); 8] = [
        (b"\xEF\xBB\xBF{}", 0, "this may be a byte order mark"),
        (b" \n\xEF\xBB\xBF{}", 2, "this may be a byte order mark"),
        (b"<!DOCTYPE html>", 0, "this may be HTML or XML"),
        (b"```json\n{}\n```", 0, "this may be a code fence"),
        (b"\n<html>", 1, "this may be HTML or XML"),
        (b"data: {\"a\": 1}\n\n", 0, "this may be `data:`, a line of server-sent events"),
        (b"event: message\n", 0, "expected a value at"),
        (b"[<", 1, "expected a value or `]` at"),
    ];
    for (text, offset, named) in beginnings {
        let whole = plain(text);
        assert_eq!((whole.kind(), whole.offset()), (ErrorKind::UnexpectedByte, offset));
        assert!(whole.to_string().contains(named), "{whole}");
        for patterns in [PatternSet::new(["a"]).unwrap(), PatternSet::new(["a | b"]).unwrap(), PatternSet::default()] {
            for size in 1..text.len() {
                let mut parser = Parser::new(&patterns);
                let error = text.chunks(size).find_map(|chunk| parser.feed(chunk).check().err()).unwrap();
                assert_eq!(error, whole, "in chunks of {size}");
            }
        }
    }
    // A lenient reader goes past the mark, and waits for all of it.
    let lenient = || Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT).build();
    let error = lenient().feed(b"\xEF?").check().unwrap_err();
    let mut cut = lenient();
    cut.feed(b"\xEF").check().unwrap();
    assert_eq!(cut.feed("?").check().unwrap_err(), error);
}

#[test]
fn an_error_about_a_value_has_a_path_and_no_place() {
    let error = of_a_look();
    assert_eq!((error.kind().name(), error.place()), ("data", None));
    assert_eq!((error.offset(), error.line(), error.column()), (0, 0, 0));
    let message = error.to_string();
    assert!(message.starts_with("data: ") && message.ends_with(" in a[0]") && !message.contains("line"), "{message}");
}

proptest! {
    /// Checks that a text that serde_json refuses is too deep only if brackets outside strings are, in any spelling.
    #[test]
    fn only_deep_texts_are_depth_errors(
        levels in 120_usize..130,
        is_object in prop::collection::vec(any::<bool>(), 130),
        beside in prop::sample::select(&[
            r#""[[[[{{{{""#, r#""\\""#, r#""\"[{""#, r#""\\\"[""#, r#"["a"]"#, r#"{"a":"b"}"#,
            "[]", "{}", "[[],[[]]]", r#"{"a\"[\\":[0]}"#, "1",
        ][..]),
        count in prop::sample::select(&[1_usize, 40, 200][..]),
        is_before: bool,
    ) {
        let open: String = is_object[..levels].iter().map(|object| if *object { "{\"[\\\"\": " } else { "[" }).collect();
        let close: String = is_object[..levels].iter().rev().map(|object| if *object { "}" } else { "]" }).collect();
        let nested = if is_object[levels - 1] { format!("{open}[]{close}") } else { format!("{open}{close}") };
        let depth = levels + usize::from(is_object[levels - 1]) + 2;
        let beside = vec![beside; count].join(", ");
        let both = if is_before { format!("{beside}, {nested}") } else { format!("{nested}, {beside}") };
        // Read as a pair, its second half is no boolean.
        let text = format!("[[{both}], 7]");
        let mut parser = Parser::builder().limits(Limits::new().depth(200)).build();
        parser.feed(&text).check().unwrap();
        parser.finish().check().unwrap();
        let expected = if depth > 127 { ErrorKind::DepthLimit } else { ErrorKind::Data };
        prop_assert_eq!(parser.deserialize::<(Value, bool)>().unwrap_err().kind(), expected, "{} levels: {}", depth, text);
    }
}

/// Checks the path that is read from the kept text, for each prefix.
#[test]
fn errors_at_the_end_name_the_open_path() {
    let text = r#" {"a b":[1, "x\"y" ,{"\u0041":tru"#;
    // Each path from the first beginning on that has it.
    let expected = [
        ("", "$"),
        (r#" {"a b":["#, "['a b']"),
        (r#" {"a b":[1"#, "['a b'][0]"),
        (r#" {"a b":[1,"#, "['a b']"),
        (r#" {"a b":[1, ""#, "['a b'][1]"),
        (r#" {"a b":[1, "x\"y""#, "['a b']"),
        (r#" {"a b":[1, "x\"y" ,{"#, "['a b'][2]"),
        (r#" {"a b":[1, "x\"y" ,{"\u0041":t"#, "['a b'][2].A"),
    ];
    for end in 0..=text.len() {
        let mut parser = Parser::default();
        parser.feed(&text[..end]).check().unwrap();
        let error = parser.finish().check().unwrap_err();
        let (_, path) = expected.iter().rfind(|(from, _)| from.len() <= end).unwrap();
        assert_eq!(error.path(), Some(*path), "{}", &text[..end]);
    }
    for (text, path) in [("12x", "$"), ("[1] x", "$"), (r#"[{"a":[0]}, 1x"#, "$"), (r#"[{"a":[truex"#, "[0].a")] {
        assert_eq!(plain(text.as_bytes()).path(), Some(path), "{text}");
    }
}

#[test]
fn texts_of_serde_jsons_depth_are_not_too_deep() {
    for (levels, expected) in [(127, ErrorKind::Data), (128, ErrorKind::DepthLimit)] {
        let text = "[".repeat(levels) + &"]".repeat(levels);
        let mut parser = Parser::builder().limits(Limits::new().depth(200)).build();
        parser.feed(&text).check().unwrap();
        parser.finish().check().unwrap();
        assert_eq!(parser.deserialize::<Vec<bool>>().unwrap_err().kind(), expected, "{levels} levels");
    }
}

/// Checks that closed containers do not count, with any text before their brackets.
#[test]
fn closed_containers_do_not_count_as_depth() {
    for closed in [r#"["a"]"#, r#"{"a": "]"}"#, r#"["\""]"#, r#"["\\"]"#, "[]", "[1]"] {
        let mut parser = Parser::default();
        parser.feed(format!("[{}]", vec![closed; 300].join(","))).check().unwrap();
        parser.finish().check().unwrap();
        assert_eq!(parser.deserialize::<Vec<bool>>().unwrap_err().kind(), ErrorKind::Data, "{closed}");
    }
}

/// Checks that words and blocks give the same as single bytes.
#[test]
fn bad_bytes_are_found_anywhere_in_a_block() {
    for bad in [0x80, 0xBF, 0xC0, 0xF8, 0xFF, 0x00, 0x1F] {
        for len in 1..=40 {
            for at in 0..len {
                for rest in [b'x', bad] {
                    let mut chunk = vec![rest; len];
                    chunk[..at].fill(b'x');
                    chunk[at] = bad;
                    let mut parser = Parser::new(&PatternSet::new(["$[*]"]).unwrap());
                    parser.feed("[\"text").check().unwrap();
                    let error = parser.feed(chunk).check().unwrap_err();
                    let expected = if bad < 0x20 { ErrorKind::ControlCharacter } else { ErrorKind::InvalidUtf8 };
                    assert_eq!((error.kind(), error.offset()), (expected, 6 + at as u64), "{bad:#x} at {at} of {len}");
                }
            }
        }
    }
}

/// Checks that a value that does not fit is named by its path, in any surroundings, as serde_json finds it in the text.
#[test]
fn errors_name_values_that_do_not_fit() {
    use std::collections::BTreeMap;

    use serde::de::DeserializeOwned;

    #[derive(Debug, serde::Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Item {
        id: u8,
        note: Option<String>,
    }
    #[derive(Debug, serde::Deserialize)]
    #[allow(dead_code, reason = "only read")]
    enum Choice {
        One,
        Of { size: u8 },
    }
    #[track_caller]
    fn check<T: DeserializeOwned + std::fmt::Debug>(text: &str, path: &str) {
        let patterns = PatternSet::new(["$", "a"]).unwrap();
        let mut parser = Parser::new(&patterns);
        let of_event = {
            let inner = format!(r#"{{"a": {text}}}"#);
            let mut parser = Parser::new(&patterns);
            let mut errors = Vec::new();
            for event in parser.feed(&inner) {
                let event = event.unwrap();
                if let EventKind::End(Some(value)) = event.kind
                    && event.pattern.index() == 1
                {
                    errors.push(value.deserialize::<T>().unwrap_err().path().unwrap().to_owned());
                }
            }
            errors
        };
        parser.feed(text).check().unwrap();
        parser.finish().check().unwrap();
        let error = parser.deserialize::<T>().unwrap_err();
        assert_eq!(error.path(), Some(path), "{text}: {error}");
        // In a value inside, after the path of that.
        let inside = match path.strip_prefix('$').unwrap_or(path) {
            rest if rest.is_empty() || rest.starts_with('[') => format!("a{rest}"),
            rest => format!("a.{rest}"),
        };
        assert_eq!(of_event, [inside], "{text}");
        assert_eq!(parser.complete().unwrap().deserialize::<T>().unwrap_err().path(), Some(path));
    }
    type Lists = BTreeMap<String, Vec<u8>>;
    check::<u8>("300", "$");
    check::<u8>(r#" "x" "#, "$");
    check::<Vec<u8>>(r#"[1, "x"]"#, "[1]");
    check::<Vec<u8>>("[1, 2,\n 300 ]", "[2]");
    check::<Vec<u8>>("[7, {}]", "[1]");
    check::<Vec<u8>>("[{}]", "[0]");
    check::<Vec<u8>>("[0, [1]]", "[1]");
    check::<Vec<u8>>("[[]]", "[0]");
    check::<Vec<u8>>("[\n[[1]]]", "[0]");
    check::<Vec<u8>>("[ null]", "[0]");
    check::<Vec<u8>>("{}", "$");
    check::<Lists>(r#"{"b": [1], "c d": [1, true]}"#, "['c d'][1]");
    check::<Lists>(r#"{"b": {}}"#, "b");
    check::<Lists>(r#"{"b" : "x\"{[", "c": []}"#, "b");
    check::<Lists>(r#"{"\u0062\n": 1.5}"#, r"['b\n']");
    check::<Vec<(u8, u8)>>("[[1, 2], [1]]", "[1]");
    check::<Vec<(u8, u8)>>("[[1, 2], [1, 2, [3]]]", "[1][2]");
    check::<Vec<Item>>(r#"[{"id": 1}, {"note": "x"}]"#, "[1]");
    check::<Vec<Item>>(r#"[{"id": 1, "note": [["x"]]}]"#, "[0].note");
    check::<BTreeMap<String, Item>>(r#"{"x": {"id": 1}, "y": {"id": -1}}"#, "y.id");
    check::<Vec<Choice>>(r#"["One", "Two"]"#, "[1]");
    check::<Vec<Choice>>(r#"["One", {"Of": {"size": "x"}}]"#, "[1].Of.size");
    check::<Vec<Choice>>(r#"["One", 5]"#, "[1]");
}

/// Checks that errors of any text are short: the middle of a long path or reason is left out.
#[test]
fn errors_of_long_texts_are_short() {
    let long = |character: char| character.to_string().repeat(5_000);
    let check = |error: &Error| {
        let message = error.to_string();
        assert!(message.chars().count() < 500, "{message}");
        if let Some(path) = error.path() {
            assert_eq!((path.chars().count(), path.chars().filter(|&c| c == '…').count()), (200, 1), "{path}");
            assert!(path.starts_with("a.") && path.ends_with(".b") && message.contains(path), "{path}");
        }
    };
    for (character, spelt) in [('k', "k".to_owned()), ('€', "€".to_owned()), ('😀', r"\ud83d\ude00".to_owned())] {
        let key = spelt.repeat(5_000);
        let text = format!(r#"{{"a": {{"{key}": {{"b": {{"c": ?"#);
        for retain in [Retain::All, Retain::Matches, Retain::Nothing] {
            for builder in [Parser::builder().retain(retain), Parser::builder().retain(retain).snapshots()] {
                for patterns in [PatternSet::default(), PatternSet::new(["$..c"]).unwrap()] {
                    for cut in [1, 4096, text.len()] {
                        let mut parser = builder.clone().patterns(&patterns).build();
                        let fed = text.as_bytes().chunks(cut).try_for_each(|chunk| parser.feed_with(chunk, |_| ()));
                        let error = fed.unwrap_err();
                        check(&error);
                        let restored =
                            builder.clone().patterns(&patterns).build().restore(&parser.save().unwrap()).unwrap();
                        assert_eq!(restored.error(), Some(&error));
                    }
                }
            }
        }
        // serde's message about the text.
        let text = format!(r#"{{"{}": "{}"}}"#, long(character), long(character));
        let mut parser = Parser::builder().snapshots().build();
        parser.feed(&text).check().and_then(|()| parser.finish().check()).unwrap();
        type Numbers = std::collections::BTreeMap<String, u8>;
        let errors = [
            parser.deserialize::<Numbers>().unwrap_err(),
            parser.snapshot().unwrap().deserialize::<Numbers>().unwrap_err(),
        ];
        for error in errors {
            assert!(error.to_string().chars().count() < 500 && error.path().unwrap().chars().count() <= 200, "{error}");
            assert!(error.to_string().contains("expected u8"), "{error}");
        }
        let error = parser.state_of(&format!("a[{}", long(character))).unwrap_err();
        assert!(error.to_string().chars().count() < 500, "{error}");
    }
    // A message that is just short enough stays the same.
    for (length, is_cut) in [(200, false), (201, true)] {
        let error = plain(format!(r#"{{"{}": [?"#, "k".repeat(length)).as_bytes());
        assert_eq!(error.path() == Some(&"k".repeat(length)), !is_cut);
    }
}
