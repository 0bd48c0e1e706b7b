//! What a provider says is read by the library alone: every other use of a JSON reader is in `json_uses.txt`, with its reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The names under which JSON text is read or written.
const CALLS: [&str; 6] = ["serde_json::", "JSON.parse", "json_data(", "Json(", "Json<", ".json("];

/// What of serde_json is a value, not a use.
const VALUES: [&str; 8] = ["Value", "Map", "json!", "json;", "json}", "Error", "Result", "{"];

/// Readers of JSON, partial or not, and of regular expressions, that have no place here.
const BANNED: [&str; 8] =
    ["regex", "jiter", "simd-json", "sonic-rs", "json5", "partial-json-fixer", "jsonmodem", "actson"];

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "js") {
            found.push(path);
        }
    }
}

/// The call that a text begins with, if it is a use.
fn call(text: &str) -> Option<String> {
    let name = CALLS.iter().find(|name| text.starts_with(**name))?;
    let rest = &text[name.len()..];
    match *name {
        "serde_json::" if VALUES.iter().any(|value| rest.starts_with(value)) => None,
        "serde_json::" => {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            Some(format!("serde_json::{}", &rest[..end]))
        }
        name => Some(name.trim_end_matches(['(', '<']).to_owned()),
    }
}

fn uses(root: &Path) -> BTreeMap<(String, String), usize> {
    let mut paths = Vec::new();
    for folder in ["src", "page", "tests"] {
        files(&root.join(folder), &mut paths);
    }
    let mut uses = BTreeMap::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        if name == "tests/json_uses.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines() {
            if let Some((_, imported)) = line.split_once("use serde_json::{") {
                let names = imported.split_once('}').expect("an import has one line").0;
                assert!(names.split(", ").all(|it| ["Map", "Value", "json"].contains(&it)), "{name}: {line}");
            }
            let starts = line.char_indices().map(|(at, _)| at).filter(|&at| {
                !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
                    || line[at..].starts_with('.')
            });
            for call in starts.filter_map(|at| call(&line[at..])) {
                *uses.entry((name.clone(), call)).or_default() += 1;
            }
        }
    }
    uses
}

#[test]
fn every_use_of_a_json_reader_has_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut uses = uses(root);
    let mut wrong = Vec::new();
    for line in include_str!("json_uses.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (file, call, count) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        assert!(words.count() > 0, "no reason: {line}");
        if call == "*" {
            let before = uses.len();
            uses.retain(|(used, _), _| used != file);
            if uses.len() == before {
                wrong.push(format!("not used any more: {line}"));
            }
            continue;
        }
        match uses.remove(&(file.to_owned(), call.to_owned())) {
            Some(used) if used.to_string() == count => {}
            used => wrong.push(format!("used {} times: {line}", used.unwrap_or(0))),
        }
    }
    wrong.extend(uses.into_iter().map(|((file, call), count)| format!("not listed: {file} {call} {count}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_is_no_other_parser() {
    let manifest = include_str!("../Cargo.toml");
    let names: Vec<&str> = manifest.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    assert!(names.contains(&"jsonspigot"));
    assert!(BANNED.iter().all(|banned| !names.contains(banned)), "{names:?}");
}
