//! The pattern grammar and what patterns select, against the model's recursive matcher and a table of spellings.

use std::collections::BTreeSet;

use jsonspigot::{EventKind, Parser, Pattern, PatternId, PatternSet, Segment};
use proptest::prelude::*;

use super::model::generate::{Keys, document};
use super::model::mutate::any_document;
use super::model::pattern::{adversarial_patterns, everything_below, pattern, patterns, root};
use super::properties::paths;

pub(super) fn selected_nodes_are_the_matchers() {
    proptest!(|(document in document(Keys::Distinct), patterns in patterns(5))| {
        let patterns: Vec<_> = patterns.into_iter().chain(adversarial_patterns()).collect();
        paths::are_the_matchers(&document, &patterns);
    });
}

proptest! {
    #[test]
    fn paths_are_spelt_as_the_rfcs_say(document in any_document(), patterns in patterns(3)) {
        paths::are_spelt_as_the_rfcs_say(&document, &patterns);
        paths::are_spelt_as_the_rfcs_say(&document, &[everything_below()]);
    }

    /// Checks that a key is data, whatever it contains: the built pattern selects its members alone, and reads back
    /// from its spelling.
    #[test]
    fn a_built_pattern_is_the_one_that_is_spelt(key in ".{0,6}|[\\\\'|$*]{1,4}", index in any::<u64>()) {
        let built = Pattern::root().key(&key).each().index(index).inside().key("x").raw();
        prop_assert_eq!(&built, &built.to_string().parse::<Pattern>().unwrap());

        let document = serde_json::json!({ (key.as_str()): [1, 2], (format!("{key}'")): [3] }).to_string();
        let patterns = PatternSet::new([Pattern::root().key(&key).each()]).unwrap();
        let mut parser = Parser::new(&patterns);
        let mut ended = Vec::new();
        let fed = parser.feed_with(&document, |event| {
            if let EventKind::End(Some(value)) = event.kind {
                assert_eq!(event.path.iter().next(), Some(Segment::Key(&key)));
                ended.push(value.to_string());
            }
        });
        prop_assert_eq!((fed, ended), (Ok(()), vec!["1".to_owned(), "2".to_owned()]));
    }

    /// Checks that every spelling of a pattern reads as the same one, and that its own spelling reads back.
    #[test]
    fn spellings_read_back(pattern in pattern()) {
        let spelt: Pattern = pattern.to_string().parse().unwrap();
        prop_assert_eq!(&spelt.to_string().parse::<Pattern>().unwrap(), &spelt);
        for spelling in pattern.spellings() {
            prop_assert_eq!(&spelling.parse::<Pattern>().unwrap(), &spelt, "{}", spelling);
        }
    }

    #[test]
    fn no_text_panics_the_pattern_reader(text in r#"[$.\[\]*'"\\:,0-9a-zé ?@()-]{0,24}"#) {
        if let Ok(pattern) = text.parse::<Pattern>() {
            prop_assert_eq!(pattern.to_string().parse::<Pattern>().unwrap(), pattern);
        }
    }
}

/// Checks that a concrete path, parsed as a pattern, selects only its value.
pub(super) fn paths_are_patterns() {
    proptest!(|(document in document(Keys::Distinct))| {
        paths::are_patterns(&document, &[root(), everything_below()]);
    });
}

#[test]
fn dollar_is_optional_in_patterns() {
    for (short, long) in [
        ("a", "$.a"),
        ("*", "$[*]"),
        (".*", "$[*]"),
        ("[0]", "$[0]"),
        (".a", "$.a"),
        ("..a", "$..a"),
        ("..*", "$..*"),
        ("..[*,0]", "$..[*,0]"),
        ("$..['a b']", "$..['a b']"),
        ("['a b'].c", "$['a b'].c"),
        ("ask_slots[*].message", "$.ask_slots[*].message"),
    ] {
        assert_eq!(short.parse::<Pattern>().unwrap(), long.parse().unwrap(), "{short}");
        assert_eq!(short.parse::<Pattern>().unwrap().to_string(), long);
    }
}

#[test]
fn refused_patterns_name_the_column_and_the_reason() {
    for (text, column, reason) in [
        ("", 1, "an empty pattern"),
        (" a", 1, "expected a name"),
        ("a ", 2, "white space after"),
        ("$ ", 2, "white space after"),
        ("a-b", 2, "other names are quoted in brackets: ['a-b']"),
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
        ("a['é\\ud83d\\u12']", 13, "hexadecimal"),
        ("a['\\ud83d\\n']", 5, "surrogate"),
        ("a[\"\\udc00\"]", 5, "surrogate"),
        ("a['\\x']", 5, "no such escape"),
        ("a['\\\"']", 5, "no such escape"),
        ("a['é\u{1}']", 5, "control characters"),
        ("a['\\", 5, "quote is never closed"),
        ("a['\\u00", 6, "hexadecimal"),
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

/// Checks RFC 9535 section 2.3.4.2.2 for all small slices: step 0 selects nothing, and a missing bound is the list's
/// own.
#[test]
fn slices_count_from_their_start() {
    let bounds = || [None, Some(0), Some(1), Some(2), Some(3), Some(5), Some(9)];
    let spelt = |bound: Option<usize>| bound.map_or(String::new(), |bound| bound.to_string());
    for (start, end, step) in bounds()
        .into_iter()
        .flat_map(|start| bounds().into_iter().flat_map(move |end| bounds().map(|step| (start, end, step))))
    {
        let slice = format!("[{}:{}:{}]", spelt(start), spelt(end), spelt(step));
        let mut parser = Parser::new(&PatternSet::new([&slice]).unwrap());
        let reported: Vec<u64> =
            parser.feed("[[],[],[],[],[],[],[]]").filter_map(|event| event.unwrap().path.indices().next()).collect();
        let mut selected = Vec::new();
        let mut index = start.unwrap_or(0);
        while step != Some(0) && index < end.unwrap_or(7).min(7) {
            selected.extend([index as u64; 2]);
            index += step.unwrap_or(1);
        }
        assert_eq!(reported, selected, "{slice}");
    }
}

/// Checks that a pattern selects the same wherever its bits are in a set's words, and across a word's end.
#[test]
fn patterns_select_the_same_at_every_place_of_a_set() {
    let document = r#"{"a": [{"b": [1, 2, {"c": 3, "d": [4]}]}, {"b": [[], {}, {"c": {"c": 5}}]}], "c": 6}"#;
    let reported = |patterns: Vec<&str>, place: usize| {
        let mut parser = Parser::new(&PatternSet::new(patterns).unwrap());
        let events: Vec<_> = parser.feed(document).map(|event| event.unwrap().into_owned()).collect();
        let of_place = events.into_iter().filter(|event| event.pattern == place);
        of_place.map(|event| (event.path, event.kind, event.offset)).collect::<Vec<_>>()
    };
    for pattern in
        ["a[0].b[2].c", "a[*].b[1:3].c", "$.*[0]['b', 'x'][0, 2]['c', 'd']", "$..b[2]..c", "a..[2]", "$.*.*.*.*.*"]
    {
        let alone = reported(vec![pattern], 0);
        assert!(!alone.is_empty(), "{pattern}");
        for place in 0..150 {
            let mut patterns = vec!["$"; place];
            patterns.push(pattern);
            assert_eq!(reported(patterns, place), alone, "{pattern} after {place} others");
        }
    }
}

/// Checks that ids are positions in the list of a set, for patterns and for the error of a bad one.
#[test]
fn pattern_ids_are_positions_in_the_list() {
    let list = ["$.a", "$..*", "$.a", "$['b c'][0]"];
    let set = PatternSet::new(list).unwrap();
    assert_eq!((set.len(), set.is_empty()), (4, false));
    assert_eq!(
        (PatternSet::default().len(), PatternSet::default().is_empty(), PatternSet::default().as_slice().len()),
        (0, true, 0)
    );
    let mut parser = Parser::new(&set);
    let ids: BTreeSet<_> = parser.feed(r#"{"a": [], "b c": [0]}"#).map(|event| event.unwrap().pattern).collect();
    assert_eq!(ids.iter().map(|id| id.index()).collect::<Vec<_>>(), [0, 1, 2, 3]);
    for (place, (id, pattern)) in ids.into_iter().zip(set.as_slice()).enumerate() {
        assert_eq!(pattern.to_string(), list[place]);
        assert_eq!(set.get(id), Some(pattern));
        assert!(id == place && id != place + 1 && PatternSet::default().get(id).is_none());
    }
    assert_eq!(format!("{set:?}"), format!("{list:?}"));
    let compiled = list.map(|pattern| pattern.parse::<Pattern>().unwrap());
    for other in [
        PatternSet::from(compiled.to_vec()),
        compiled.clone().into_iter().collect(),
        PatternSet::new(compiled.clone()).unwrap(),
        PatternSet::new(list.map(str::to_owned)).unwrap(),
    ] {
        assert_eq!(format!("{other:?}"), format!("{set:?}"));
    }
    assert!(PatternSet::default().is_empty());
    // The first of equal patterns, in any spelling.
    let ids = ["a", "$['a']", "..*", "$['b c'][0]", "b", "a[?"].map(|pattern| set.id(pattern).map(PatternId::index));
    assert_eq!(ids, [Some(0), Some(0), Some(1), Some(3), None, None]);
    assert_eq!(set.id(Pattern::root().key("a")), set.id("a"));

    for place in 0..4 {
        let mut list = list.to_vec();
        list[place] = "a[?";
        let error = PatternSet::new(&list).unwrap_err();
        assert_eq!((error.index(), error.column(), error.pattern()), (place, 3, "a[?"));
        let reason = "filters look at values that a stream has not seen yet";
        assert_eq!(error.reason(), reason);
        assert_eq!(error.to_string(), format!("bad pattern `a[?` at column 3: {reason}"));
    }
}

#[test]
fn a_path_is_the_pattern_of_its_value() {
    let text = r#"{"a": ["{\"it's\": [7]}"]}"#;
    let mut parser = Parser::new(&PatternSet::new(["a[*] | $.*[*]"]).unwrap());
    let event = parser.feed(text).next().unwrap().unwrap();
    let patterns = PatternSet::new([&event.path]).unwrap();
    assert_eq!(patterns.as_slice()[0].to_string(), event.path.normalized().to_string().replace("$['a']", "$.a"));
    assert_eq!(patterns.as_slice()[0], PatternSet::new([event.path]).unwrap().as_slice()[0]);
    let events = Parser::new(&patterns).feed(text).filter(Result::is_ok).count();
    assert_eq!(events, 2, "the begin and the end of one number");
}

/// Checks that an index that no pattern can spell selects nothing, and that its spelling is refused.
#[test]
fn an_index_beyond_all_arrays_selects_nothing() {
    assert_eq!(Pattern::root().index((1 << 53) - 1).to_string(), "$[9007199254740991]");
    for index in [1 << 53, u64::MAX - 1, u64::MAX] {
        assert_eq!(Pattern::root().index(index).to_string(), "$[:0]");
    }
}
