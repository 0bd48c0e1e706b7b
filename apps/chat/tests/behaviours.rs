//! Promises of the app about its own files: `BEHAVIOURS.md` names a test for each behaviour, and only the library reads what
//! a provider sends.

use std::fs;
use std::path::{Path, PathBuf};

/// The files that may read JSON text otherwise, where it is complete: requests, stored values, and the provider's own side.
const READERS: [&str; 7] = [
    "page/api.js",
    "page/conversations.js",
    "page/session.js",
    "src/scripted/scenes.rs",
    "src/store/input.rs",
    "src/store/redis/mod.rs",
    "src/store/sqlite.rs",
];

/// Other readers of partial JSON, and regular expressions.
const BANNED: [&str; 7] = ["regex", "jiter", "simd-json", "sonic-rs", "json5", "partial-json-fixer", "jsonmodem"];

/// Returns true if a file has a test of this name.
fn has_test(file: &Path, name: &str) -> bool {
    let Ok(text) = fs::read_to_string(file) else { return false };
    let Some(at) = text.find(&format!("fn {name}(")) else { return text.contains(&format!("test(\"{name}\"")) };
    let before = &text[..at];
    let attribute = before.rfind("#[tokio::test").max(before.rfind("#[test]"));
    // Nothing between the attribute and the function but attributes and comments. One test has its own `main`.
    file.ends_with("durable.rs") || attribute.is_some_and(|from| !before[from..].contains('}'))
}

#[test]
fn each_behaviour_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for line in fs::read_to_string(root.join("BEHAVIOURS.md")).unwrap().lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [behaviour, test, ..] = cells[..] else { continue };
        if behaviour == "behaviour" {
            continue;
        }
        let (file, name) = test.trim_matches('`').split_once("::").unwrap_or_else(|| panic!("no test: {line}"));
        assert!(has_test(&root.join(file), name), "{test} does not exist: {behaviour}");
        count += 1;
    }
    assert_eq!(count, 99);
    assert!(!has_test(&root.join("tests/behaviours.rs"), "has_test") && !has_test(root, "nothing"));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn only_the_library_reads_what_a_provider_sends() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reads = |path: &PathBuf| {
        let (text, is_test) = (fs::read_to_string(path).unwrap_or_default(), path.to_string_lossy().contains(".test."));
        !is_test && ["serde_json::from_", "JSON.parse", ".json()"].iter().any(|call| text.contains(call))
    };
    let all = [files(&root.join("page")), files(&root.join("src"))].concat();
    let mut readers: Vec<&PathBuf> = all.iter().filter(|path| reads(path)).collect();
    readers.sort();
    assert_eq!(readers, READERS.map(|name| root.join(name)).each_ref());
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    assert!(BANNED.iter().all(|name| !manifest.lines().any(|line| line.starts_with(&format!("{name} =")))));
}
