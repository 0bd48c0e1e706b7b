//! Checks the model's paths and patterns: how they print, which path an error names, and that following a pattern
//! through a stream selects what it selects in a whole value.

use proptest::prelude::*;
use serde_json::Value;

use super::chunking::{chunks, torture_cuts, with_cuts};
use super::generate::{Keys, document};
use super::log::{ModelEvent, ModelEventKind, Options, PathElement, concrete_path, normalized_path};
use super::mutate::any_document;
use super::pattern::{ModelPattern, ModelSegment, Selector, pattern, patterns};
use super::recogniser::run;
use super::self_check_events::failure;

fn of<const N: usize>(segments: [ModelSegment; N]) -> ModelPattern {
    segments.into_iter().collect()
}

#[test]
fn an_errors_path_is_the_innermost_open_value() {
    let at = |document: &str| failure(document.as_bytes(), &Options::default());
    assert_eq!(at(r#"{"a":{"b":{"c":x"#), "15 unexpected-byte 1:16 a.b");
    assert_eq!(at(r#"{"a":{"b":1,"c":x"#), "16 unexpected-byte 1:17 a");
    assert_eq!(at(r#"{"a":{"b":tru "#), "13 invalid-literal 1:14 a.b");
    assert_eq!(at(r#"{"a":{"c":1x"#), "11 unexpected-byte 1:12 a");
    assert_eq!(at(r#"{"a":[x"#), "6 unexpected-byte 1:7 a");
    assert_eq!(at(r#"{"it's":[{"a":[x"#), r"15 unexpected-byte 1:16 ['it\'s'][0].a");
    assert_eq!(at("[[],[[x"), "6 unexpected-byte 1:7 [1][0]");
}

#[test]
fn paths_and_patterns_print_as_the_rfc_says() {
    let path = ["a", "_b1", "é", "1a", "", "it's", "b\\s", "\u{b}\t"].map(|name| PathElement::Key(name.to_owned()));
    assert_eq!(concrete_path(&path), r"a._b1.é['1a']['']['it\'s']['b\\s']['\u000b\t']");
    assert_eq!(normalized_path(&[path[0].clone(), PathElement::Index(3)]), "$['a'][3]");
    let slice = |start, end, step| Selector::Slice { start, end, step };
    let union =
        vec![Selector::named("a"), Selector::Index(0), slice(None, None, None), slice(Some(1), Some(5), Some(2))];
    let pattern = of([
        ModelSegment::child(Selector::named("a")),
        ModelSegment::below(Selector::named("a b")),
        ModelSegment::below(Selector::Wildcard),
        ModelSegment { descendant: false, selectors: union },
    ]);
    assert_eq!(pattern.to_string(), "$.a..['a b']..*['a',0,:,1:5:2]");
    let spellings = pattern.spellings();
    assert_eq!(spellings[1], "$['a']..['a b']..[*]['a',0,:,1:5:2]");
    assert_eq!(spellings[3], r#"$["a"]..["a b"]..[*]["a",0,:,1:5:2]"#);
    assert_eq!(
        spellings[4],
        r"$ [ '\u0061' ] ..[ '\u0061\u0020\u0062' ] ..[ * ] [ '\u0061' , 0 ,  :  , 1 : 5 : 2 ]".replace("\\\\", "\\"),
    );
}

#[test]
fn chunks_join_to_the_document() {
    assert_eq!(chunks(b"abc", &[1, 1, 9]), [&b"a"[..], b"", b"bc", b""]);
    assert_eq!(chunks(b"", &[]), [b""]);
    for length in [0, 1, 5, 41] {
        let document = vec![b'x'; length];
        assert!(torture_cuts(length).iter().all(|cuts| chunks(&document, cuts).concat() == document));
    }
}

/// Returns the completed matches of a pattern, as paths and values, in the order of their begins.
fn matches(document: &[u8], pattern: &ModelPattern) -> Vec<(Vec<PathElement>, Value)> {
    let events = run(document, &Options::with_patterns([pattern.clone()])).events;
    let mut found = Vec::new();
    for event in events {
        if let ModelEventKind::End(raw) = event.kind {
            let value = serde_json::from_slice(&raw).expect("a complete value");
            found.push((event.path, value));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn following_and_selecting_agree(document in document(Keys::Distinct), pattern in pattern()) {
        let root: Value = serde_json::from_slice(&document).expect("a valid document");
        let mut selected: Vec<_> =
            pattern.select(&root).into_iter().map(|(path, value)| (path, value.clone())).collect();
        selected.sort_by(|one, other| one.0.cmp(&other.0));
        prop_assert_eq!(matches(&document, &pattern), selected);
    }

    #[test]
    fn patterns_do_not_disturb_each_other(document in any_document(), patterns in patterns(4)) {
        let together = run(&document, &Options::with_patterns(patterns.clone()));
        for (place, pattern) in patterns.into_iter().enumerate() {
            let alone = run(&document, &Options::with_patterns([pattern]));
            let of_it: Vec<ModelEvent> = together.events.iter().filter(|event| event.pattern == place).cloned()
                .map(|event| ModelEvent { pattern: 0, ..event }).collect();
            prop_assert_eq!(of_it, alone.events);
            prop_assert_eq!(together.verdict.failure(), alone.verdict.failure());
        }
    }

    #[test]
    fn offsets_never_fall(document in any_document(), patterns in patterns(3)) {
        let log = run(&document, &Options::with_patterns(patterns));
        prop_assert!(log.events.is_sorted_by_key(|event| event.offset));
    }

    #[test]
    fn cuts_lose_nothing((document, cuts) in with_cuts(any_document())) {
        prop_assert_eq!(chunks(&document, &cuts).concat(), document);
    }
}
