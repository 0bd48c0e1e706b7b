//! Concrete paths, which `state_of` and `at` read: patterns that select one value, without white space.

use jsonspigot::{ErrorKind, Parser, Pattern, PatternSet, ValueState};
use proptest::prelude::*;

use super::model::log::{PathElement, concrete_path};
use super::model::pattern::{ModelPattern, ModelSegment, NAMES, Selector};
use super::properties::snapshots::plain;

/// Pieces of paths, and of texts that only look like one.
const WORDS: [&str; 34] = [
    "$", ".", "[", "]", "'", "\"", "\\", "a", "_b", "é", "😀", "-", "0", "10", "01", "['", "']", "[\"", "\"]", "[0]",
    ".a", "\\n", "\\/", "\\'", "\\\"", "\\x", "\\u0041", "\\u00e", "\\u+041", "\\u00é", "\\ud83d", "\\uDE00", "\u{1}",
    "~",
];

/// Pieces of quoted names: escapes whole and cut, quotes, characters of each length, characters that must be escaped.
const QUOTED_WORDS: [&str; 26] = [
    "a", "é", "😀", " ", "'", "\"", "\\", "\\'", "\\\"", "\\\\", "\\/", "\\b", "\\t", "\\n", "\\f", "\\r", "\\x",
    "\\u0041", "\\u00", "\\u00e", "\\u+041", "\\ud83d", "\\uDE00", "\u{1}", "]", "u",
];

/// Returns true if the text is read as a path. Its value may then still arrive, in an array or in an object.
fn is_path(text: &str) -> bool {
    ["[", "{"].iter().any(|document| {
        let mut parser = plain();
        parser.feed(document).check().unwrap();
        parser.state_of(text).is_ok_and(|state| state != ValueState::Absent)
    })
}

fn element() -> impl Strategy<Value = PathElement> {
    prop_oneof![
        3 => prop::sample::select(&NAMES[..]).prop_map(|name| PathElement::Key(name.to_owned())),
        1 => "[\\PC\u{0}-\u{1f}'\"\\\\]{0,4}".prop_map(PathElement::Key),
        1 => Just(PathElement::Index(0)),
    ]
}

/// Returns a text with `true` at a path whose indices are 0, and nothing else.
fn text_at(path: &[PathElement]) -> String {
    let (mut text, mut end) = (String::new(), String::new());
    for element in path {
        match element {
            PathElement::Key(name) => {
                text += &format!("{{{}:", serde_json::to_string(name).unwrap());
                end.insert(0, '}');
            }
            PathElement::Index(_) => {
                text.push('[');
                end.insert(0, ']');
            }
            PathElement::Inside => unreachable!("these paths do not lead into strings"),
        }
    }
    text + "true" + &end
}

/// Spells a quoted name of RFC 9535 as a JSON string: only the quotes differ.
fn json_name(quoted: &str) -> String {
    let (mut name, mut characters) = (String::new(), quoted.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next().unwrap() {
                '\'' => name.push('\''),
                escaped => name.extend(['\\', escaped]),
            },
            '"' => name.push_str("\\\""),
            other => name.push(other),
        }
    }
    name
}

/// Returns the pattern that selects only this position.
fn pattern(path: &[PathElement]) -> ModelPattern {
    let selector = |element: &PathElement| match element {
        PathElement::Key(name) => Selector::named(name),
        PathElement::Index(index) => Selector::Index(*index),
        PathElement::Inside => unreachable!("these paths do not lead into strings"),
    };
    path.iter().map(|element| ModelSegment::child(selector(element))).collect()
}

proptest! {
    #[test]
    fn every_spelling_leads_to_the_same_place(path in prop::collection::vec(element(), 0..5)) {
        let concrete = concrete_path(&path);
        let mut parser = Parser::builder().snapshots().patterns(&PatternSet::new([&concrete]).unwrap()).build();
        let paths: Vec<_> = parser.feed(text_at(&path)).map(|event| event.unwrap().path.to_string()).collect();
        // Its begin and its end.
        prop_assert_eq!(paths, [concrete.clone(), concrete.clone()]);
        // A path has no white space; the model's third and fifth spelling have.
        let spellings = pattern(&path).spellings();
        for spelling in [&concrete, &spellings[0], &spellings[1], &spellings[3], &spellings[4].replace(' ', "")] {
            if path.iter().any(|element| matches!(element, PathElement::Key(name) if name.contains(' '))) {
                continue;
            }
            prop_assert_eq!(parser.state_of(spelling).unwrap(), ValueState::Complete, "{}", spelling);
            let found = parser.snapshot().and_then(|root| root.at(spelling)?.as_bool());
            prop_assert_eq!(found, Some(true), "{}", spelling);
        }
    }

    /// Checks that the paths are the patterns without stars, slices, unions and `..`.
    #[test]
    fn paths_are_patterns_without_wildcards(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8)) {
        let text = words.concat();
        prop_assume!(!text.contains(".."));
        prop_assert_eq!(is_path(&text), text.parse::<Pattern>().is_ok(), "{}", text);
    }
}

proptest! {
    /// Checks that a quoted name reads the same in a pattern and in a path: both refuse it, or both read the same name.
    #[test]
    fn a_quoted_name_reads_the_same_in_both(
        quote in prop::sample::select(&["'", "\""][..]),
        words in prop::collection::vec(prop::sample::select(&QUOTED_WORDS[..]), 0..6),
    ) {
        let spelt = format!("[{quote}{}{quote}]", words.concat());
        let pattern = spelt.parse::<Pattern>();
        prop_assert_eq!(is_path(&spelt), pattern.is_ok(), "{}", spelt);
        if let Ok(pattern) = pattern {
            // The pattern selects the member of that name, and the path leads to it.
            let patterns = PatternSet::new([pattern.to_string()]).unwrap();
            let mut parser = Parser::builder().snapshots().patterns(&patterns).build();
            let text = format!("{{\"{}\":true}}", json_name(&words.concat()));
            let selected = parser.feed(&text).filter(|event| event.as_ref().is_ok_and(|event| event.path.to_string() != "$"));
            prop_assert_eq!(selected.count(), 2, "{} in {}", spelt, text);
            prop_assert_eq!(parser.snapshot().and_then(|root| root.at(&spelt)?.as_bool()), Some(true), "{}", spelt);
        }
    }
}

#[test]
fn broken_paths_are_refused_at_any_position() {
    let mut parser = plain();
    parser.feed(r#"{"a": [{"b": 1"#).check().unwrap();
    let root = parser.snapshot().unwrap();
    for (path, state) in [
        ("$", Some(ValueState::Partial)),
        ("a[0].b", Some(ValueState::Pending)),
        ("$.a[0]['\\u0062']", Some(ValueState::Pending)),
        ("a[0].b.c", Some(ValueState::Pending)),
        ("a[1].c", Some(ValueState::Pending)),
        ("a.b", Some(ValueState::Absent)),
        ("[0]", Some(ValueState::Absent)),
        ("", None),
        ("*", None),
        ("a[*]", None),
        ("a[0:1]", None),
        ("$..a", None),
        ("/a/0", None),
        ("c.", None),
        ("c[", None),
        ("c.d.1", None),
        ("a[00]", None),
        ("a[0]b", None),
        ("a[1]b", None),
        ("a.b[", None),
        ("[0]x", None),
        ("$a", None),
        ("a[18446744073709551616]", None),
        ("a['\\'", None),
    ] {
        assert_eq!(root.state_of(path).ok(), state, "{path}");
        assert_eq!(parser.state_of(path), root.state_of(path), "{path}");
        assert_eq!(root.at(path).is_some(), state == Some(ValueState::Partial), "{path}");
        // In any state: nothing yet, something else, or at the end.
        for document in ["", "[", "1 ", r#"{"a": {"b": {}}, "c": 1}"#, "x"] {
            let mut other = plain();
            let _ = other.feed(document).check();
            assert_eq!(other.state_of(path).is_ok(), state.is_some(), "{path} in {document}");
        }
    }
    let error = root.at("a[0]").unwrap().state_of("b[*]").unwrap_err();
    assert_eq!(
        (error.kind(), error.path(), error.offset(), error.line()),
        (ErrorKind::InvalidPath, Some("a[0]"), 0, 0)
    );
    let message = "invalid path: expected a concrete path, such as `a[0].b`, not `b[*]` in a[0]";
    assert_eq!(error.to_string(), message);
}

/// Checks RFC 9535 section 2.3.1.1 in patterns and in paths.
#[test]
fn each_escape_is_its_character() {
    for (escape, character) in [
        ("\\b", '\u{8}'),
        ("\\t", '\t'),
        ("\\n", '\n'),
        ("\\f", '\u{c}'),
        ("\\r", '\r'),
        ("\\/", '/'),
        ("\\\\", '\\'),
        ("\\u0000", '\0'),
        ("\\u00e9", 'é'),
        ("\\uD7FF", '\u{d7ff}'),
        ("\\uE000", '\u{e000}'),
        ("\\uD800\\uDC00", '\u{10000}'),
        ("\\udbff\\udfff", '\u{10ffff}'),
    ] {
        let name = format!("a{character}");
        let plain = concrete_path(&[PathElement::Key(name.clone())]);
        let mut parser = plain_with(&name);
        parser.finish().check().unwrap();
        for quote in ['\'', '"'] {
            let spelt = format!("$[{quote}a{escape}{quote}]");
            assert_eq!(spelt.parse::<Pattern>().unwrap(), plain.parse::<Pattern>().unwrap(), "{spelt}");
            assert_eq!(parser.state_of(&spelt).unwrap(), ValueState::Complete, "{spelt}");
        }
    }
    // The text after an escape is separate, even if it looks like the rest of a pair.
    let spelt: Pattern = "['\\u0041u0042']".parse().unwrap();
    assert_eq!(spelt, "Au0042".parse().unwrap());
    assert_eq!(plain_with("Au0042").state_of("['\\u0041u0042']").unwrap(), ValueState::Complete);
    for bad in ["\\uD800", "\\uDC00", "\\uD800\\u0041", "\\uD800x", "\\u004", "\\a", "\\U0041", "\\", "\u{1}", "\n"] {
        for spelt in [format!("['{bad}']"), format!("[\"{bad}\"]")] {
            assert!(spelt.parse::<Pattern>().is_err() && !is_path(&spelt), "{spelt}");
        }
    }
}

/// Returns a parser of an object with this one member.
fn plain_with(name: &str) -> Parser {
    let mut parser = plain();
    parser.feed(serde_json::json!({name: 1}).to_string()).check().unwrap();
    parser
}
