//! Patterns and their matches, and that selecting a value changes nothing else.

use jsonspigot::{Parser, Pattern, PatternSet, Segment};
use serde_json::Value;

use crate::driver::{Method, observe, pattern_set};
use crate::laws::Law;
use crate::model::chunking::{chunks, each_byte};
use crate::model::log::{ModelEvent, ModelEventKind, Options, PathElement, concrete_path, normalized_path};
use crate::model::pattern::{ModelPattern, adversarial_patterns, at, everything_below};
use crate::model::tree_reader;

/// Checks that the selected nodes are the recursive matcher's, each once, each with its own value. Documents with a key
/// twice in one object, or beyond serde_json, are left to the other properties.
pub fn are_the_matchers(document: &[u8], patterns: &[ModelPattern]) {
    let Ok(value) = serde_json::from_slice::<Value>(document) else { return };
    if !tree_reader::tree(document).is_some_and(|tree| tree.has_distinct_keys()) {
        return;
    }
    let options = Options::with_patterns(patterns.iter().cloned());
    let log = observe(&options, &[document], Method::Callback);
    for (place, pattern) in patterns.iter().enumerate() {
        let mut reported = Vec::new();
        for event in log.events.iter().filter(|event| event.pattern == place) {
            if let ModelEventKind::End(text) = &event.kind {
                let own: Value = serde_json::from_slice(text).unwrap();
                assert_eq!(&own, at(&value, &event.path));
                reported.push(event.path.clone());
            }
        }
        reported.sort();
        let mut expected: Vec<Vec<PathElement>> = pattern.select(&value).into_iter().map(|(path, _)| path).collect();
        expected.sort();
        assert_eq!(reported, expected, "{pattern}");
        Law::Selection.mark_compared();
    }
}

/// Checks that a path is spelt as the RFCs require, in all three ways, is the pattern of that spelling, and has the
/// right indices and last segment.
pub fn are_spelt_as_the_rfcs_say(document: &[u8], patterns: &[ModelPattern]) {
    let mut parser = Parser::new(&pattern_set(&Options::with_patterns(patterns.iter().cloned())));
    let fed = parser.feed_with(document, |event| {
        let path: Vec<PathElement> = event.path.iter().map(element).collect();
        assert_eq!(event.path.to_string(), concrete_path(&path));
        assert_eq!(event.path.normalized().to_string(), normalized_path(&path));
        assert_eq!(Pattern::from(&event.path), normalized_path(&path).parse().unwrap());
        let pointer: String = path.iter().map(|element| format!("/{}", pointer_token(element))).collect();
        assert_eq!(event.path.pointer().to_string(), pointer);
        assert_eq!(event.path.last().map(element), path.last().cloned());
        let indices = path.iter().filter_map(|element| match element {
            PathElement::Index(index) => Some(*index),
            PathElement::Key(_) | PathElement::Inside => None,
        });
        assert!(event.path.indices().eq(indices));
    });
    // Faults of the text are not checked here.
    drop(fed);
}

fn element(segment: Segment<'_>) -> PathElement {
    match segment {
        Segment::Key(key) => PathElement::Key(key.to_owned()),
        Segment::Index(index) => PathElement::Index(index),
        Segment::Inside => PathElement::Inside,
    }
}

/// Returns a token of an RFC 6901 pointer (section 3).
fn pointer_token(element: &PathElement) -> String {
    match element {
        PathElement::Key(key) => key.replace('~', "~0").replace('/', "~1"),
        PathElement::Index(index) => index.to_string(),
        PathElement::Inside => unreachable!("no pointer leads into a string"),
    }
}

/// Checks that the events of a pattern do not depend on the other patterns.
pub fn do_not_disturb_each_other(document: &[u8], cuts: &[usize], patterns: &[ModelPattern]) {
    let chunks = chunks(document, cuts);
    let together = observe(&Options::with_patterns(patterns.iter().cloned()), &chunks, Method::Iterator);
    for (place, pattern) in patterns.iter().enumerate() {
        let alone = observe(&Options::with_patterns([pattern.clone()]), &chunks, Method::Iterator);
        let events = together.events.iter().filter(|event| event.pattern == place);
        let events: Vec<_> = events.map(|event| ModelEvent { pattern: 0, ..event.clone() }).collect();
        assert_eq!(events, alone.events, "{pattern}");
        if patterns.len() > 1 {
            Law::PatternsApart.mark_compared();
        }
    }
}

/// Checks that the verdict and its offset do not depend on the patterns, because skipped values are validated.
pub fn change_no_verdict(document: &[u8], options: &Options) {
    let verdict = |patterns| {
        let options = Options { patterns, ..options.clone() };
        let seen = observe(&options, &chunks(document, &each_byte(document.len())), Method::Callback);
        seen.verdict.failure()
    };
    let nothing = verdict(Vec::new());
    assert_eq!(verdict(options.patterns.clone()), nothing);
    assert_eq!(verdict(vec![everything_below()]), nothing);
    assert_eq!(verdict(adversarial_patterns()), nothing);
    Law::SkippingValidates.mark_compared();
}

/// Checks that a reported path, parsed as a pattern in either spelling, selects only its value, and that paths are
/// equal if their spellings are.
pub fn are_patterns(document: &[u8], patterns: &[ModelPattern]) {
    let mut parser = Parser::new(&pattern_set(&Options::with_patterns(patterns.iter().cloned())));
    let mut reported: Vec<_> = parser.feed(document).flatten().collect();
    for (one, other) in reported.iter().zip(reported.iter().skip(1)).chain(reported.iter().zip(reported.iter().rev())) {
        assert_eq!(one.path == other.path, one.path.to_string() == other.path.to_string());
    }
    reported.dedup_by(|one, other| one.path == other.path);
    for event in reported {
        for spelling in [event.path.to_string(), event.path.normalized().to_string()] {
            let mut again = Parser::new(&PatternSet::new([&spelling]).unwrap());
            let found: Vec<_> = again.feed(document).flatten().collect();
            assert!(!found.is_empty(), "{spelling}");
            assert!(found.iter().all(|other| other.path == event.path), "{spelling}");
            Law::Selection.mark_compared();
        }
    }
}
