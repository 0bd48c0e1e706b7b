//! The pattern grammar and what patterns select, against the model's recursive matcher and a table of spellings.

use jsonspigot::{Pattern, PatternSet};
use proptest::prelude::*;

use super::model::generate::{Keys, document};
use super::model::mutate::any_document;
use super::model::pattern::{adversarial_patterns, everything_below, pattern, patterns, root};
use super::properties::paths;

proptest! {
    /// Properties 15 and 19.
    #[test]
    fn selected_nodes_are_the_matchers(document in document(Keys::Distinct), patterns in patterns(5)) {
        let patterns: Vec<_> = patterns.into_iter().chain(adversarial_patterns()).collect();
        paths::are_the_matchers(&document, &patterns);
    }

    /// Property 15b.
    #[test]
    fn paths_are_spelt_as_the_rfcs_say(document in any_document(), patterns in patterns(3)) {
        paths::are_spelt_as_the_rfcs_say(&document, &patterns);
        paths::are_spelt_as_the_rfcs_say(&document, &[everything_below()]);
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
        paths::are_patterns(&document, &[root(), everything_below()]);
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
