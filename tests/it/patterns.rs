//! The pattern grammar and what patterns select, against the model's recursive matcher and a table of spellings.

use jsonspigot::{Pattern, PatternSet};
use proptest::prelude::*;
use serde_json::Value;

use super::model::generate::{Keys, document};
use super::model::log::{ModelEventKind, Options, PathElement};
use super::model::pattern::{adversarial_patterns, at, pattern, patterns};
use super::observed::{Door, observe};

proptest! {
    /// Property 15: the set of nodes is the matcher's, each once.
    #[test]
    fn selected_nodes_are_the_matchers(document in document(Keys::Distinct), patterns in patterns(5)) {
        let options = Options::with_patterns(patterns.into_iter().chain(adversarial_patterns()));
        let Ok(value) = serde_json::from_slice::<Value>(&document) else { return Ok(()) };
        let log = observe(&options, &[&document], Door::Callback);
        for (place, pattern) in options.patterns.iter().enumerate() {
            let mut told = Vec::new();
            for event in log.events.iter().filter(|event| event.pattern == place) {
                if let ModelEventKind::End(text) = &event.kind {
                    let own: Value = serde_json::from_slice(text).unwrap();
                    prop_assert_eq!(&own, at(&value, &event.path));
                    told.push(event.path.clone());
                }
            }
            told.sort();
            let mut expected: Vec<Vec<PathElement>> = pattern.select(&value).into_iter().map(|(path, _)| path).collect();
            expected.sort();
            prop_assert_eq!(told, expected, "{}", pattern);
        }
    }

    /// Every spelling of a pattern reads as the same one, and its own spelling reads back.
    #[test]
    fn spellings_read_back(pattern in pattern()) {
        let spelt: Pattern = pattern.to_string().parse().unwrap();
        prop_assert_eq!(&spelt.to_string().parse::<Pattern>().unwrap(), &spelt);
        for spelling in pattern.spellings() {
            prop_assert_eq!(&spelling.parse::<Pattern>().unwrap(), &spelt, "{}", spelling);
        }
    }

    /// A concrete path, given back as a pattern, selects just its value.
    #[test]
    fn paths_are_patterns(document in document(Keys::Distinct)) {
        let mut parser = jsonspigot::Parser::new(&PatternSet::new(["$", "$..*"]).unwrap());
        let told: Vec<_> = parser.feed(&document).map(|event| event.unwrap()).collect();
        for event in told {
            for spelling in [event.path.to_string(), event.path.normalized().to_string()] {
                let mut again = jsonspigot::Parser::new(&PatternSet::new([&spelling]).unwrap());
                let found: Vec<_> = again.feed(&document).map(|event| event.unwrap()).collect();
                prop_assert!(!found.is_empty(), "{}", spelling);
                prop_assert!(found.iter().all(|other| other.path == event.path));
            }
        }
    }

    #[test]
    fn no_text_panics_the_pattern_reader(text in r#"[$.\[\]*'"\\:,0-9a-zé ?@()-]{0,24}"#) {
        if let Ok(pattern) = text.parse::<Pattern>() {
            prop_assert_eq!(pattern.to_string().parse::<Pattern>().unwrap(), pattern);
        }
    }
}

#[test]
fn dollar_may_be_left_out() {
    for (short, long) in [
        ("a", "$.a"),
        ("*", "$[*]"),
        (".*", "$[*]"),
        ("[0]", "$[0]"),
        (".a", "$.a"),
        ("..a", "$..a"),
        ("['a b'].c", "$['a b'].c"),
        ("ask_slots[*].message", "$.ask_slots[*].message"),
    ] {
        assert_eq!(short.parse::<Pattern>().unwrap(), long.parse().unwrap(), "{short}");
        assert_eq!(short.parse::<Pattern>().unwrap().to_string(), long);
    }
}

#[test]
fn refusals_name_the_column_and_the_reason() {
    for (text, column, reason) in [
        ("", 1, "an empty pattern"),
        (" a", 1, "expected a name"),
        ("a ", 2, "white space behind"),
        ("$ ", 2, "white space behind"),
        ("a-b", 2, "expected `.`, `[`"),
        ("a.", 3, "expected a name"),
        ("a..", 4, "expected a name"),
        ("a[", 3, "never closed"),
        ("a[0", 4, "expected `,` or `]`"),
        ("a[-1]", 3, "a stream does not know"),
        ("a[1:-1]", 5, "a stream does not know"),
        ("a[::-1]", 5, "a stream does not know"),
        ("a[01]", 3, "leading zero"),
        ("a[9007199254740992]", 3, "at most 2^53 - 1"),
        ("a[?@.b]", 3, "filters"),
        ("$.length()", 9, "functions"),
        ("a['b]", 6, "quote is never closed"),
        ("a['\\x']", 5, "no such escape"),
        ("a['\\\"']", 5, "no such escape"),
        ("a['\\uD800']", 5, "surrogate"),
        ("a['\\u12']", 6, "hexadecimal"),
        ("a['\n']", 4, "control characters"),
        ("é['", 4, "quote is never closed"),
        ("$a", 2, "expected `.`, `[`"),
        ("a[ ]", 4, "expected a quoted name"),
        ("a. b", 3, "expected a name"),
    ] {
        let error = text.parse::<Pattern>().expect_err(text);
        assert_eq!(error.column(), column, "{text:?}: {error}");
        assert!(error.reason().contains(reason), "{text:?}: {error}");
    }
    assert_eq!("$[9007199254740991]".parse::<Pattern>().unwrap().to_string(), "$[9007199254740991]");
}

#[test]
fn step_zero_selects_nothing() {
    let mut parser = jsonspigot::Parser::new(&PatternSet::new(["$[::0]", "$[5:2]"]).unwrap());
    assert_eq!(parser.feed("[1,2,3,4,5,6]").count(), 0);
}
