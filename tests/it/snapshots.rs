//! The partial document, at every prefix and for every chunking: it agrees with the events and only grows at its end.

use jsonspigot::{ErrorKind, EventKind, Limits, Parser, PatternSet, Retain, Revision, ValueState};
use jsonspigot_check::laws::Law;
use proptest::prelude::*;
use serde_json::Value;

use super::model::chunking::{chunks, torture_cuts, with_cuts};
use super::model::closer::OpenAtoms;
use super::model::generate::{Keys, document};
use super::model::log::{Options, PathElement};
use super::model::mutate::any_document;
use super::model::torture::torture_documents;
use super::properties::snapshots;
use super::properties::snapshots::{is_prefix, plain};

/// Checks that a snapshot is serialized as it is printed, except for the spelling of numbers; so is a patch.
#[test]
fn snapshots_are_serialized_as_printed() {
    let text = r#"{"a":[null,true,-12,2.5,"\u20b9\n",{}],"b":18446744073709551615,"a":{"c":[],"d":[1,"ope"#;
    for end in 1..=text.len() {
        let mut parser = Parser::builder().snapshots().provisional().build();
        parser.feed(&text[..end]).check().unwrap();
        let Some(root) = parser.snapshot() else { continue };
        let printed = root.to_string();
        assert_eq!(serde_json::to_string(&root).unwrap(), printed);
        assert_eq!(serde_json::to_value(root).unwrap(), serde_json::from_str::<Value>(&printed).unwrap());
        let mut bytes = Vec::new();
        ciborium::into_writer(&root, &mut bytes).unwrap();
        for op in parser.patch_since(jsonspigot::Revision::default()).unwrap() {
            assert_eq!(serde_json::to_string(&op).unwrap(), op.to_string());
        }
    }
    let mut parser = Parser::builder().snapshots().build();
    parser.feed("[1e999, ").check().unwrap();
    let is_text = std::mem::needs_drop::<serde_json::Number>();
    assert_eq!(serde_json::to_string(&parser.snapshot()).is_ok(), is_text, "a number that serde_json cannot read");
}

#[test]
fn snapshots_are_what_an_independent_closer_says() {
    for document in torture_documents() {
        snapshots::are_what_the_closer_says(document);
    }
}

#[test]
fn chunk_edges_are_invisible_in_snapshots() {
    for document in torture_documents() {
        for open_atoms in OpenAtoms::BOTH {
            let whole = snapshots::last(&[document], open_atoms);
            for cuts in torture_cuts(document.len()) {
                let cut = snapshots::last(&chunks(document, &cuts), open_atoms);
                assert_eq!(cut, whole, "{:?}", String::from_utf8_lossy(document));
            }
        }
    }
}

/// Collects the paths of a Value, and one step beyond each.
fn probes(value: &Value, path: &mut Vec<PathElement>, found: &mut Vec<Vec<PathElement>>) {
    found.push(path.clone());
    let mut visit = |element: PathElement, value: Option<&Value>| {
        path.push(element);
        match value {
            Some(value) => probes(value, path, found),
            None => found.push(path.clone()),
        }
        path.pop();
    };
    match value {
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(at, value)| visit(PathElement::Index(at as u64), Some(value)));
            visit(PathElement::Index(elements.len() as u64), None);
            visit(PathElement::Key("0".to_owned()), None);
        }
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| visit(PathElement::Key(key.clone()), Some(value)));
            visit(PathElement::Key("nowhere".to_owned()), None);
            visit(PathElement::Index(0), None);
        }
        _ => visit(PathElement::Key("inside".to_owned()), None),
    }
}

fn lookup<'v>(value: &'v Value, path: &[PathElement]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, element| match element {
        PathElement::Key(key) => value.as_object()?.get(key),
        PathElement::Index(index) => value.as_array()?.get(usize::try_from(*index).ok()?),
        PathElement::Inside => None,
    })
}

pub(super) fn any_prefix_shows_what_the_closer_says() {
    proptest!(|(document in any_document())| {
        snapshots::are_what_the_closer_says(&document[..document.len().min(150)]);
    });
}

/// Append-only.
pub(super) fn snapshots_only_grow() {
    proptest!(|(document in document(Keys::Distinct))| {
        snapshots::only_grow(&document);
    });
}

proptest! {
    #[test]
    fn members_are_found_by_name((document, cuts) in with_cuts(any_document())) {
        snapshots::find_their_members(&document, &cuts);
    }

    #[test]
    fn values_are_walked_through((document, cuts) in with_cuts(any_document())) {
        snapshots::are_walked_through(&document, &cuts);
    }

    /// Checks that the state of every path, existing or not, follows from the prefix and the whole.
    #[test]
    fn states_come_true(document in document(Keys::Distinct), cut in any::<prop::sample::Index>()) {
        let Ok(whole) = serde_json::from_slice::<Value>(&document) else { return Ok(()) };
        let mut parser = plain();
        parser.feed(&document[..cut.index(document.len() + 1)]).check().unwrap();
        let now = parser.snapshot().map(|root| root.to_value().unwrap());
        let mut paths = Vec::new();
        probes(&whole, &mut Vec::new(), &mut paths);
        for path in paths {
            let spelt = super::model::log::concrete_path(&path);
            let (later, shown) = (lookup(&whole, &path), now.as_ref().and_then(|now| lookup(now, &path)));
            match parser.state_of(&spelt).unwrap() {
                ValueState::Complete => prop_assert_eq!(shown, later, "{}", spelt),
                ValueState::Partial => prop_assert!(is_prefix(shown.unwrap(), later.unwrap()), "{}", spelt),
                ValueState::Pending => prop_assert_eq!(shown, None, "{}", spelt),
                ValueState::Absent => prop_assert_eq!(later, None, "{}", spelt),
            }
            let found = parser.snapshot().and_then(|root| root.at(&spelt));
            prop_assert_eq!(found.map(|value| value.to_value().unwrap()), shown.cloned(), "{}", spelt);
        }
    }
}

pub(super) fn patches_rebuild_every_snapshot() {
    proptest!(|((document, cuts) in with_cuts(any_document()))| {
        snapshots::are_rebuilt_by_patches(&document, &cuts);
    });
}

pub(super) fn open_atoms_change_nothing_else() {
    proptest!(|((document, cuts) in with_cuts(any_document()))| {
        snapshots::differ_in_open_atoms_only(&document, &cuts);
    });
}

pub(super) fn looking_changes_nothing() {
    proptest!(|((document, cuts) in with_cuts(any_document()), patterns in super::model::pattern::patterns(4))| {
        snapshots::change_nothing(&document, &cuts, &Options::with_patterns(patterns));
    });
}

pub(super) fn snapshot_equals_events() {
    proptest!(|(document in document(Keys::Repeated), cut in any::<prop::sample::Index>())| {
        snapshots::equal_their_events(&document[..cut.index(document.len() + 1)]);
    });
}

pub(super) fn snapshots_do_not_depend_on_the_cuts() {
    proptest!(|((document, cuts) in with_cuts(any_document()))| {
        snapshots::do_not_depend_on_the_cuts(&document, &cuts);
    });
}

#[test]
fn a_million_levels_are_shown_cloned_compared_printed_and_dropped() {
    std::thread::Builder::new()
        .stack_size(64 * 1024)
        .spawn(|| {
            const DEPTH: usize = 1_000_000;
            let limits = Limits::new().depth(DEPTH);
            let builder = Parser::builder().limits(limits).retain(Retain::Nothing).snapshots();
            let mut parser = builder.build();
            parser.feed("[".repeat(DEPTH)).check().unwrap();
            let clone = parser.clone();
            assert!(parser.snapshot() == clone.snapshot());
            assert_eq!(parser.snapshot().unwrap().to_string().len(), 2 * DEPTH);
            assert!(parser.snapshot().unwrap() != Value::Null);
            parser.feed("]".repeat(DEPTH)).check().unwrap();
            parser.finish().check().unwrap();
            assert!(parser.snapshot().unwrap().is_complete() && parser.snapshot() != clone.snapshot());
            drop((parser, clone));
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn serdes_ways_refuse_more_than_127_levels() {
    for (depth, fits) in [(127, true), (128, false)] {
        let limits = Limits::new().depth(depth);
        let mut parser = Parser::builder().limits(limits).snapshots().build();
        parser.feed("[".repeat(depth)).check().unwrap();
        let root = parser.snapshot().unwrap();
        let kind = |error: jsonspigot::Error| (error.kind().name(), error.path().unwrap().to_owned());
        // The middle of a long path is left out.
        let path = "[0]".repeat(127);
        let path = [&path[..100], "…", &path[path.len() - 99..]].concat();
        let refused = (!fits).then_some(("depth-limit", path));
        assert_eq!(root.to_value().err().map(kind), refused);
        assert_eq!(root.deserialize::<Value>().err().map(kind), refused);
        assert_eq!(serde_json::to_string(&root).is_ok(), fits);
    }
}

pub(super) fn the_last_snapshot_stays_readable_and_is_not_complete() {
    let mut parser = plain();
    parser.feed(r#"{"a": [1, 2]} "#).check().unwrap();
    assert!(parser.snapshot().unwrap().is_complete());
    parser.feed("x").check().unwrap_err();
    let root = parser.snapshot().unwrap();
    assert_eq!(root.to_string(), r#"{"a":[1,2]}"#);
    assert!(!root.is_complete() && root.at("a").unwrap().is_complete());
    assert!(root.deserialize::<Value>().unwrap().unwrap().into_complete().is_err());
    // Its newest child is found as before.
    let mut parser = plain();
    parser.feed(r#"[1, "b"] x"#).check().unwrap_err();
    let root = parser.snapshot().unwrap();
    let elements: Vec<_> = (0..3).map(|index| root.index(index).as_ref().map(ToString::to_string)).collect();
    assert_eq!(elements, [Some("1".to_owned()), Some(r#""b""#.to_owned()), None]);
    let mut parser = plain();
    parser.feed(r#"{"a": 1, "b": [2]} x"#).check().unwrap_err();
    assert_eq!(parser.snapshot().unwrap().at("b[0]").and_then(jsonspigot::PartialValue::as_number), Some("2"));
    Law::NeverRepaired.mark_compared();
}

#[test]
fn characters_print_as_serde_json_prints_them() {
    for character in (0..=0x80).filter_map(char::from_u32).chain(['\u{2028}', '😀']) {
        let text =
            serde_json::to_string(&serde_json::json!({format!("k{character}"): format!("a{character}b")})).unwrap();
        let mut parser = plain();
        parser.feed(&text).check().unwrap();
        assert_eq!(parser.snapshot().unwrap().to_string(), text);
    }
}

#[test]
fn the_last_duplicate_wins_and_starts_anew() {
    let mut parser = plain();
    parser.feed(r#"{"a": "whole", "b": 1, "a": "ne"#).check().unwrap();
    let root = parser.snapshot().unwrap();
    assert_eq!(root.get("a").unwrap().as_str(), Some("ne"));
    assert_eq!(root.to_value().unwrap()["a"], "ne");
    assert_eq!(root.state_of("a").unwrap(), ValueState::Partial);
    assert!(root == serde_json::json!({"a": "ne", "b": 1}));
    assert_eq!(root.len(), 3);
    assert!(!root.is_empty() && root.get("a").unwrap().is_empty());
}

/// Views are equal if all that they show is, down to the last value; and to JSON, if that is the same JSON.
#[test]
fn views_that_differ_anywhere_are_not_equal() {
    let texts = [
        r#"{"a": {"b": 1}, "c": [[1], [2]]}"#,
        r#"{"a": {"b": 1}, "c": [[1], [3]]}"#,
        r#"{"a": {"b": 1}, "c": [[1], ["2"]]}"#,
        r#"{"a": {"b": 1}, "c": [[1, 2], []]}"#,
        r#"{"a": {"x": 1}, "c": [[1], [2]]}"#,
        r#"{"c": [[1], [2]], "a": {"b": 1}}"#,
        r#"{"a": {"b": 1}, "c": [[1], [2]], "d": null}"#,
        r#"{"a": {"b": 1}, "c": [[1], [2]"#,
        r#"{"a": {"b": 1}, "c": [[1], ["2"#,
        r#"{"a": {"b": 1}}"#,
    ];
    let parsers = texts.map(|text| {
        let mut parser = plain();
        parser.feed(text).check().unwrap();
        parser
    });
    for (place, one) in parsers.iter().enumerate() {
        let one = one.snapshot().unwrap();
        for (other_place, other) in parsers.iter().enumerate() {
            let other = other.snapshot().unwrap();
            assert_eq!(one == other, place == other_place, "{one} and {other}");
            let value = other.to_value().unwrap();
            assert_eq!(one == value, one.to_value().unwrap() == value, "{one} and {value}");
        }
    }
}

/// Checks names of one length with the same end that differ in one position, in more objects than there are remembered
/// lookups.
#[test]
fn names_that_are_alike_are_told_apart() {
    let names: Vec<_> = [3, 8, 10, 16, 17, 24, 260, 261]
        .into_iter()
        .flat_map(|len| {
            [0, len / 2, len / 2 + 1, len - 2].map(|at| format!("{}a{}", "x".repeat(at), "x".repeat(len - at - 1)))
        })
        .collect();
    let object = |round: usize| {
        let members = names.iter().enumerate().map(|(place, name)| format!(r#""{name}": "{round}.{place}""#));
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    };
    let text = format!("[{}]", (0..20).map(object).collect::<Vec<_>>().join(", "));
    let cuts: Vec<_> = (0..text.len()).step_by(499).collect();
    snapshots::find_their_members(text.as_bytes(), &cuts);
}

/// Checks that earlier lookups do not affect the current document, a copy, or a parser after a reset.
#[test]
fn a_look_finds_what_came_since_the_last() {
    let mut parser = plain();
    let steps = [
        (r#"{"a": "old", "b": true"#, "old"),
        (r#", "a": "new""#, "new"),
        (r#", "c": true"#, "new"),
        (r#", "a": "newer", "d": true"#, "newer"),
        (r#", "e": true}"#, "newer"),
    ];
    for (chunk, expected) in steps {
        parser.feed(chunk).check().unwrap();
        let copy = parser.clone();
        for parser in [&parser, &parser, &copy] {
            assert_eq!(parser.snapshot().unwrap().get("a").unwrap().as_str(), Some(expected));
        }
    }
    parser.reset();
    parser.feed(r#"{"b": {"a": "inner"}, "d": 1"#).check().unwrap();
    assert!(parser.snapshot().unwrap().get("a").is_none());
}

#[test]
fn events_may_be_followed_by_looks_between_them() {
    let patterns = PatternSet::new(["a"]).unwrap();
    let mut parser = Parser::builder().snapshots().patterns(&patterns).build();
    let mut events = parser.feed(r#"{"a": "x", "b": tr"#);
    while let Some(event) = events.next() {
        assert!(!matches!(event.unwrap().kind, EventKind::End(None)));
        assert_eq!(events.parser().snapshot().unwrap().to_string(), r#"{"a":"x"}"#);
    }
    assert_eq!(parser.feed("u3").next().unwrap().unwrap_err().path(), Some("b"));
}

#[test]
fn numbers_are_as_they_were_spelt() {
    let numbers =
        ["0", "-0", "1.5", "-7", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1e2", "1e999"];
    for text in numbers {
        let mut parser = plain();
        parser.feed(text).check().unwrap();
        parser.finish().check().unwrap();
        assert_eq!(parser.snapshot().unwrap().as_number(), Some(text));
    }
    let mut parser = plain();
    parser.feed(r#"["1""#).check().unwrap();
    assert_eq!(parser.snapshot().unwrap().index(0).unwrap().as_number(), None, "a string is no number");
}

/// Checks that nothing panics: there is no snapshot, and other questions are errors.
#[test]
fn a_parser_without_snapshots_has_none_to_show() {
    for text in ["", "[1, ", "[", "x"] {
        let mut without = Parser::default();
        let mut with = plain();
        let _ = (without.feed(text).check(), with.feed(text).check());
        assert!(!without.has_snapshots() && with.has_snapshots() && with.clone().has_snapshots());
        assert!(without.snapshot().is_none());
        assert_eq!(without.revision(), Revision::default());
        assert!(!without.has_changed_since(Revision::default()) && !without.has_changed_since(with.revision()));
        for revision in [Revision::default(), with.revision()] {
            let error = without.patch_since(revision).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::NotRetained);
            assert!(error.to_string().contains("built with snapshots"), "{error}");
        }
        assert_eq!(without.state_of("a").unwrap_err().kind(), ErrorKind::NotRetained);
        assert_eq!(without.state_of("[").unwrap_err().kind(), ErrorKind::InvalidPath);
        without.reset();
        assert!(!without.has_snapshots());
    }
}
