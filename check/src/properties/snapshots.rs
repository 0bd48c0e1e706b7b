//! The partial document at every prefix: against an independent closer, against the events, and against itself.

use std::collections::BTreeMap;

use jsonspigot::{Parser, ParserBuilder, PartialValue, Revision, Segment, ValueKind};
use serde_json::Value;

use crate::driver::{Method, builder, drive, observe, pattern_set};
use crate::laws::Law;
use crate::model::chunking::{chunks, each_byte};
use crate::model::closer::{OpenAtoms, closed_text};
use crate::model::log::{Options, Verdict};
use crate::model::{recogniser, replay};

/// Returns a parser with snapshots and no patterns.
pub fn plain() -> Parser {
    with_open_atoms(OpenAtoms::Hidden)
}

/// Returns a parser with snapshots that shows or hides open atoms.
pub fn with_open_atoms(open_atoms: OpenAtoms) -> Parser {
    with_snapshots(Parser::builder(), open_atoms).build()
}

pub fn with_snapshots(builder: ParserBuilder, open_atoms: OpenAtoms) -> ParserBuilder {
    match open_atoms {
        OpenAtoms::Hidden => builder.snapshots(),
        OpenAtoms::Shown => builder.provisional(),
    }
}

fn with_patterns(options: &Options, open_atoms: OpenAtoms) -> Parser {
    with_snapshots(builder(options), open_atoms).patterns(&pattern_set(options)).build()
}

/// Returns the snapshot as JSON text.
pub fn shown(parser: &Parser) -> Option<String> {
    parser.snapshot().map(|root| root.to_string())
}

/// Returns true if `later` is `earlier` with something appended. Both are read from printed snapshots, with members in
/// document order.
pub fn is_prefix(earlier: &Value, later: &Value) -> bool {
    match (earlier, later) {
        (Value::String(a), Value::String(b)) => b.starts_with(a.as_str()),
        (Value::Array(a), Value::Array(b)) => {
            let last = a.len().wrapping_sub(1);
            a.len() <= b.len()
                && a.iter().zip(b).enumerate().all(|(at, (a, b))| a == b || at == last && is_prefix(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let differing: Vec<_> = a.iter().filter(|(key, value)| b.get(*key) != Some(value)).collect();
            differing.len() <= 1 && differing.iter().all(|(key, a)| b.get(*key).is_some_and(|b| is_prefix(a, b)))
        }
        (a, b) => a == b,
    }
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns false for documents with numbers near f64's limits, which are left to the other properties.
pub fn is_readable(text: &[u8]) -> bool {
    serde_json::from_slice::<Value>(text).is_ok()
}

/// Checks that the snapshot after each prefix equals the prefix that an independent closer has closed.
pub fn are_what_the_closer_says(document: &[u8]) {
    for open_atoms in OpenAtoms::BOTH {
        are_what_it_closes(document, open_atoms);
    }
}

fn are_what_it_closes(document: &[u8], open_atoms: OpenAtoms) {
    let mut parser = with_open_atoms(open_atoms);
    for (k, byte) in document.iter().enumerate() {
        let failed = parser.feed([*byte]).check().is_err();
        if failed {
            assert!(
                !parser.snapshot().is_some_and(jsonspigot::PartialValue::is_complete),
                "a failed text is never complete"
            );
            Law::NeverRepaired.mark_compared();
            return;
        }
        let expected = closed_text(&document[..=k], open_atoms);
        if expected.as_ref().is_some_and(|text| !is_readable(text)) {
            return;
        }
        let prefix = String::from_utf8_lossy(&document[..=k]);
        let seen = parser.snapshot().map(|root| root.to_value().unwrap());
        assert_eq!(seen, expected.map(|text| serde_json::from_slice(&text).unwrap()), "after {prefix:?}");
        if let Some(root) = parser.snapshot() {
            assert!(root == *seen.as_ref().unwrap(), "a view equals its value");
            assert_eq!(json(&root.to_string()), *seen.as_ref().unwrap(), "a view prints its value");
            assert_eq!(serde_json::to_value(root).unwrap(), *seen.as_ref().unwrap(), "a view serializes its value");
            Law::Snapshots.mark_compared();
        }
    }
}

/// Returns the last snapshot and the error, with its path from the snapshot.
pub fn last(chunks: &[&[u8]], open_atoms: OpenAtoms) -> (Option<String>, Verdict) {
    let mut parser = with_open_atoms(open_atoms);
    let log = drive(&mut parser, chunks, Method::Callback, true);
    (shown(&parser), log.verdict)
}

/// Checks that the last snapshot, the events and the errors' paths do not depend on the cuts.
pub fn do_not_depend_on_the_cuts(document: &[u8], cuts: &[usize]) {
    for open_atoms in OpenAtoms::BOTH {
        assert_eq!(last(&chunks(document, cuts), open_atoms), last(&[document], open_atoms));
        if !cuts.is_empty() {
            Law::ChunkEdges.mark_compared();
        }
    }
    let [(_, verdict), (_, provisional)] = OpenAtoms::BOTH.map(|open_atoms| last(&[document], open_atoms));
    assert_eq!(verdict, provisional);
    // All values are followed, as with the patterns `$` and `$..*`.
    let followed = recogniser::run(document, &Options::with_patterns(replay::patterns()));
    assert_eq!(verdict, followed.verdict);
}

/// Checks that printed snapshots only grow, for documents without duplicate keys.
pub fn only_grow(document: &[u8]) {
    let mut parser = plain();
    let mut last: Option<Value> = None;
    for byte in document {
        if parser.feed([*byte]).check().is_err() {
            return;
        }
        let now = shown(&parser).filter(|text| is_readable(text.as_bytes())).map(|text| json(&text));
        if let (Some(last), Some(now)) = (&last, &now) {
            assert!(is_prefix(last, now), "{last} then {now}");
            Law::AppendOnly.mark_compared();
        }
        last = now.or(last);
    }
}

/// Snapshots are what the events say: replaying the events of `$` and `$..*` gives the snapshot.
pub fn equal_their_events(prefix: &[u8]) {
    let options = Options { end_of_input: false, ..Options::with_patterns(replay::patterns()) };
    let mut parser = with_patterns(&options, OpenAtoms::Hidden);
    let log = drive(&mut parser, &chunks(prefix, &each_byte(prefix.len())), Method::Iterator, false);
    let is_readable = shown(&parser).is_none_or(|text| is_readable(text.as_bytes()));
    if let (Ok(replayed), true) = (replay::replay(&log.events), is_readable) {
        assert_eq!(parser.snapshot().map(|root| root.to_value().unwrap()), replayed);
        Law::Snapshots.mark_compared();
    }
}

/// Checks that looking changes nothing, and that keeping the document changes no event.
pub fn change_nothing(document: &[u8], cuts: &[usize], options: &Options) {
    for open_atoms in OpenAtoms::BOTH {
        change_no_event(&chunks(document, cuts), options, open_atoms);
    }
}

fn change_no_event(chunks: &[&[u8]], options: &Options, open_atoms: OpenAtoms) {
    let mut parser = with_patterns(options, open_atoms);
    let mut events = Vec::new();
    for chunk in chunks {
        for event in parser.feed(chunk).flatten() {
            events.push(format!("{event:?}"));
        }
        let _ = (shown(&parser), parser.revision(), parser.state_of("a[0]"));
    }
    let mut unlooked = builder(options).patterns(&pattern_set(options)).build();
    let mut expected = Vec::new();
    for chunk in chunks {
        expected.extend(unlooked.feed(chunk).flatten().map(|event| format!("{event:?}")));
    }
    assert_eq!(events, expected);
    let with = drive(&mut with_patterns(options, open_atoms), chunks, Method::Iterator, true);
    let without = observe(options, chunks, Method::Iterator);
    assert_eq!(with.events, without.events);
    Law::Snapshots.mark_compared();
}

/// Checks that a name finds its last member, regardless of earlier lookups.
pub fn find_their_members(document: &[u8], cuts: &[usize]) {
    let mut parser = with_open_atoms(OpenAtoms::Shown);
    for chunk in chunks(document, cuts) {
        let _ = parser.feed(chunk).check();
        let mut unvisited: Vec<_> = parser.snapshot().into_iter().collect();
        while let Some(value) = unvisited.pop() {
            let last_of_name: BTreeMap<_, _> = value.entries().collect();
            let members: Vec<_> = value.entries().collect();
            for (name, _) in members.iter().chain(members.iter().rev()) {
                assert!(value.get(name) == Some(last_of_name[name]), "{name:?} in {value}");
            }
            unvisited.extend(members.iter().map(|(_, member)| *member));
            // Hardly ever there.
            assert!(value.get("\u{1}") == last_of_name.get("\u{1}").copied());
            unvisited.extend(value.iter());
        }
    }
}

/// Checks that a walk from any value visits that value and all in it, in the order of the text, with the right depths
/// and steps.
pub fn are_walked_through(document: &[u8], cuts: &[usize]) {
    fn add<'a>(value: PartialValue<'a>, depth: usize, step: Option<Segment<'a>>, all: &mut Vec<Place<'a>>) {
        all.push((value, depth, step));
        let members = value.entries().map(|(name, member)| (Segment::Key(name), member));
        let elements = value.iter().enumerate().map(|(index, element)| (Segment::Index(index as u64), element));
        members.chain(elements).for_each(|(step, child)| add(child, depth + 1, Some(step), all));
    }
    type Place<'a> = (PartialValue<'a>, usize, Option<Segment<'a>>);
    let mut parser = with_open_atoms(OpenAtoms::Shown);
    for chunk in chunks(document, cuts) {
        let _ = parser.feed(chunk).check();
        let Some(root) = parser.snapshot() else { continue };
        let mut expected = Vec::new();
        add(root, 0, None, &mut expected);
        for (place, (start, depth, _)) in expected.iter().enumerate() {
            let inside = expected[place + 1..].iter().take_while(|(_, inner, _)| inner > depth).count();
            let walked: Vec<_> = start.walk().map(|value| (value, value.depth(), value.segment())).collect();
            assert_eq!(walked, expected[place..=place + inside]);
        }
    }
}

/// Checks that showing open atoms changes nothing else: no error or position, and no other value or its state. An open
/// atom is the last value, and not complete; a complete text has none at its end.
pub fn differ_in_open_atoms_only(document: &[u8], cuts: &[usize]) {
    let mut parsers = OpenAtoms::BOTH.map(with_open_atoms);
    for chunk in chunks(document, cuts) {
        let [hidden, shown] = parsers.each_mut().map(|parser| parser.feed(chunk).check());
        assert_eq!(hidden, shown);
        let [hidden, mut shown] = parsers.each_ref().map(all_values);
        let has_open_atom = shown.len() > hidden.len();
        if has_open_atom {
            let (kind, is_complete, _) = shown.pop().unwrap();
            assert!(kind.is_atom() && !is_complete);
        }
        assert_eq!(hidden, shown);
        if has_open_atom {
            Law::OpenAtoms.mark_compared();
        }
    }
    let [hidden, shown] = parsers.each_mut().map(|parser| parser.finish().check());
    assert_eq!(hidden, shown);
    let [hidden, shown] = &parsers;
    assert!(shown.error().is_some() || hidden.snapshot() == shown.snapshot());
    assert_eq!(hidden.deserialize::<Value>(), shown.deserialize::<Value>());
}

/// Returns each value in document order: its kind, its completeness, and its text if it has no children.
fn all_values(parser: &Parser) -> Vec<(ValueKind, bool, String)> {
    let mut values = Vec::new();
    let mut unvisited: Vec<PartialValue<'_>> = parser.snapshot().into_iter().collect();
    while let Some(value) = unvisited.pop() {
        let text =
            if value.kind().is_atom() { value.to_string() } else { value.as_str().unwrap_or_default().to_owned() };
        values.push((value.kind(), value.is_complete(), text));
        let children: Vec<_> = value.iter().chain(value.entries().map(|(_, member)| member)).collect();
        unvisited.extend(children.into_iter().rev());
    }
    values
}

/// Checks that all patches applied to an empty copy give each snapshot.
pub fn are_rebuilt_by_patches(document: &[u8], cuts: &[usize]) {
    for open_atoms in OpenAtoms::BOTH {
        are_rebuilt(document, cuts, open_atoms);
    }
}

fn are_rebuilt(document: &[u8], cuts: &[usize], open_atoms: OpenAtoms) {
    let mut parser = with_open_atoms(open_atoms);
    let mut copy = None;
    let mut revision = Revision::default();
    for chunk in chunks(document, cuts) {
        let before = shown(&parser);
        let _ = parser.feed(chunk).check();
        if shown(&parser).is_some_and(|text| !is_readable(text.as_bytes())) {
            return;
        }
        let is_shown = shown(&parser) == before;
        assert!(parser.has_changed_since(revision) || is_shown);
        assert_eq!(parser.patch_since(revision).unwrap().is_empty(), is_shown);
        for (place, op) in parser.patch_since(revision).unwrap().into_iter().enumerate() {
            apply(&mut copy, &json(&op.to_string()));
            assert_eq!(json(&op.to_string()), serde_json::to_value(op).unwrap());
            let may_replace = open_atoms == OpenAtoms::Shown && place == 0 && op.value().kind() == ValueKind::Number;
            assert!(may_replace || !op.is_replacement());
        }
        revision = parser.revision();
        assert!(!parser.has_changed_since(revision));
        assert_eq!(parser.patch_since(revision).unwrap().len(), 0);
        assert_eq!(parser.snapshot().map(|root| root.to_value().unwrap()), copy.clone());
        Law::Revisions.mark_compared();
    }
}

/// Applies a patch without the library: RFC 6901 pointers, RFC 6902 `add` and `replace`, and `append`.
pub fn apply(copy: &mut Option<Value>, op: &Value) {
    let path = op["path"].as_str().unwrap();
    let value = op["value"].clone();
    let tokens: Vec<String> =
        path.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
    if op["op"] == "append" {
        let target = copy.as_mut().unwrap().pointer_mut(path).unwrap();
        let grown = format!("{}{}", target.as_str().unwrap(), value.as_str().unwrap());
        *target = Value::String(grown);
        return;
    }
    if op["op"] == "replace" {
        *copy.as_mut().unwrap().pointer_mut(path).unwrap() = value;
        return;
    }
    assert_eq!(op["op"], "add");
    let Some((last, parents)) = tokens.split_last() else {
        *copy = Some(value);
        return;
    };
    let parent: String =
        parents.iter().map(|token| format!("/{}", token.replace('~', "~0").replace('/', "~1"))).collect();
    match copy.as_mut().unwrap().pointer_mut(&parent).unwrap() {
        Value::Object(members) => drop(members.insert(last.clone(), value)),
        Value::Array(elements) => elements.insert(last.parse().unwrap(), value),
        other => panic!("{other} holds nothing"),
    }
}
