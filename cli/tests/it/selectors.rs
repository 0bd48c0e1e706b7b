//! RFC 9535 selectors with the nodes they select: through the library for normalized paths and document order,
//! through the command for the same paths and values, and for exit status 2 where a selector is refused.
//!
//! The cases are our own (`tests/data/selectors.json`); those of the RFC's compliance suite have the same form and
//! are checked too where `JSONSPIGOT_CTS` names its file. `.ci/cts` fetches the suite and does that.

use std::collections::BTreeMap;
use std::{env, fs};

use jsonspigot::{EventKind, Parser, Pattern, PatternSet};
use serde_json::Value;

use crate::command::run;

#[test]
fn our_own_cases() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/selectors.json");
    check_file(&fs::read_to_string(file).unwrap());
}

#[test]
fn the_compliance_suite() {
    match env::var("JSONSPIGOT_CTS") {
        Ok(file) => check_file(&fs::read_to_string(file).unwrap()),
        Err(_) => println!("skipped: JSONSPIGOT_CTS names no file; `.ci/cts` does that"),
    }
}

/// Checks every case of a file, and reports all that went wrong together.
fn check_file(text: &str) {
    let file: Value = serde_json::from_str(text).unwrap();
    let documents = documents(text);
    let (mut selecting, mut beyond_a_stream, mut invalid, mut our_spelling) = (0, 0, 0, 0);
    let mut mismatches = Vec::new();
    for (place, case) in file["tests"].as_array().unwrap().iter().enumerate() {
        let selector = case["selector"].as_str().unwrap();
        let checked = if case["invalid_selector"] == true {
            if !selector.starts_with('$') {
                // A text that is no RFC 9535 query may still be a path in our spelling.
                our_spelling += 1;
                continue;
            }
            invalid += 1;
            check_refused(selector)
        } else if is_beyond_a_stream(selector) {
            beyond_a_stream += 1;
            check_refused(selector)
        } else {
            selecting += 1;
            check_nodes(selector, &documents[&place], &expected_nodes(case))
        };
        if let Err(reason) = checked {
            mismatches.push(format!("{} ({selector}): {reason}", case["name"]));
        }
    }
    println!(
        "{selecting} select, {beyond_a_stream} are beyond a stream, {invalid} are invalid, {our_spelling} passed over"
    );
    println!("{} mismatches", mismatches.len());
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
    assert!(selecting > 0 && beyond_a_stream > 0 && invalid > 0, "the file lacks a kind of case");
}

/// Returns the cases' documents in their spelling, by the case's position.
fn documents(text: &str) -> BTreeMap<usize, String> {
    let mut parser = Parser::new(&PatternSet::new(["tests[*].document"]).unwrap());
    let events = parser.feed(text).map(Result::unwrap);
    let ends = events.filter_map(|event| match event.kind {
        EventKind::End(value) => Some((event.path.indices().next()? as usize, value?.text().to_owned())),
        _ => None,
    });
    ends.collect()
}

/// Returns the selected values by normalized path. Order and repetition are not a stream's choice.
fn expected_nodes(case: &Value) -> BTreeMap<String, Value> {
    // Where the order of members is left open, there are several answers with the same nodes.
    let (paths, values) = match case.get("results_paths") {
        Some(paths) => (&paths[0], &case["results"][0]),
        None => (&case["result_paths"], &case["result"]),
    };
    let paths = paths.as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned());
    paths.zip(values.as_array().unwrap().iter().cloned()).collect()
}

/// Returns true if a valid selector needs later input: filters, negative numbers.
fn is_beyond_a_stream(selector: &str) -> bool {
    let mut characters = selector.chars();
    while let Some(character) = characters.next() {
        match character {
            quote @ ('\'' | '"') => loop {
                match characters.next() {
                    Some('\\') => drop(characters.next()),
                    inside if inside == Some(quote) || inside.is_none() => break,
                    _ => {}
                }
            },
            '?' | '-' => return true,
            _ => {}
        }
    }
    false
}

type Checked = Result<(), String>;

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(reason()) }
}

fn check_refused(selector: &str) -> Checked {
    ensure(selector.parse::<Pattern>().is_err(), || "the library takes it".into())?;
    if selector.contains('\0') {
        // No argument can hold it.
        return Ok(());
    }
    let refused = run(&["--", selector], "null");
    let ends_with_caret = refused.stderr.lines().last().is_some_and(|line| line.trim() == "^");
    ensure(refused.status == 2 && refused.stdout.is_empty() && ends_with_caret, || format!("the command: {refused}"))
}

fn check_nodes(selector: &str, document: &str, expected: &BTreeMap<String, Value>) -> Checked {
    let pattern: Pattern = selector.parse().map_err(|error| format!("refused: {error}"))?;
    ensure(pattern.to_string().parse().as_ref() == Ok(&pattern), || format!("does not read back {pattern}"))?;

    let nodes = select(pattern, document);
    let in_order = nodes.windows(2).all(|pair| pair[0].offset < pair[1].offset);
    ensure(in_order, || "not each once and in document order".into())?;
    let selected = nodes.iter().map(|node| (node.normalized.clone(), node.value.clone()));
    let selected: BTreeMap<_, _> = selected.collect();
    ensure(selected == *expected, || format!("selects {selected:?}, not {expected:?}"))?;
    for node in &nodes {
        let again = select(node.path.parse().map_err(|error| format!("{error}"))?, document);
        ensure(matches!(again.as_slice(), [same] if same == node), || format!("{} is not itself", node.path))?;
    }

    let told = run(&["--", selector], document);
    let lines = told.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (begins, ends): (Vec<_>, Vec<_>) =
        lines.filter(|line| line["event"] == "begin" || line["event"] == "end").partition(|l| l["event"] == "begin");
    let agree = told.status == 0
        && begins.iter().map(|line| &line["path"]).eq(nodes.iter().map(|node| node.path.as_str()))
        && ends.len() == nodes.len()
        && nodes.iter().all(|node| ends.iter().any(|end| end["path"] == *node.path && end["value"] == node.value));
    ensure(agree, || format!("the command: {told}"))
}

/// A selected value.
#[derive(Debug, PartialEq)]
struct Node {
    path: String,
    normalized: String,
    offset: u64,
    value: Value,
}

/// Returns the nodes in the order of their begins.
fn select(pattern: Pattern, document: &str) -> Vec<Node> {
    let mut parser = Parser::new(&vec![pattern].into());
    let mut nodes = Vec::new();
    let mut on_event = |event: jsonspigot::Event<'_>| match &event.kind {
        EventKind::Begin(_) => nodes.push(Node {
            path: event.path.to_string(),
            normalized: event.path.normalized().to_string(),
            offset: event.offset,
            value: Value::Null,
        }),
        // The only pattern's matches are counted from 0.
        EventKind::End(text) => {
            nodes[event.match_id as usize].value = text.as_ref().unwrap().deserialize().unwrap();
        }
        _ => {}
    };
    parser.feed_with(document, &mut on_event).unwrap();
    parser.finish_with(&mut on_event).unwrap();
    nodes
}
