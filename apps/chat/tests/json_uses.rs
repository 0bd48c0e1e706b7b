//! Only the library reads what a provider sends. Every other reader of JSON text is in one of these files, where the text
//! is complete: requests, stored values, and the provider's own side.

use std::fs;
use std::path::{Path, PathBuf};

/// The files under `src` and `page` that may read JSON text.
const READERS: [&str; 8] = [
    "src/scripted/request.rs",
    "src/scripted/scenes.rs",
    "src/store/input.rs",
    "src/store/redis/mod.rs",
    "src/store/sqlite.rs",
    "page/api.js",
    "page/conversations.js",
    "page/session.js",
];

/// Other readers of partial JSON, and regular expressions.
const BANNED: [&str; 7] = ["regex", "jiter", "simd-json", "sonic-rs", "json5", "partial-json-fixer", "jsonmodem"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn only_the_library_reads_what_a_provider_sends() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    files(&root.join("src"), &mut all);
    files(&root.join("page"), &mut all);
    let reads = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let is_test = path.to_string_lossy().contains(".test.");
        !is_test && ["serde_json::from_", "JSON.parse", ".json()"].iter().any(|call| text.contains(call))
    };
    let mut readers: Vec<String> = all
        .iter()
        .filter(|path| reads(path))
        .map(|path| path.strip_prefix(root).unwrap().display().to_string())
        .collect();
    readers.sort();
    let mut known = READERS.to_vec();
    known.sort_unstable();
    assert_eq!(readers, known);
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for name in BANNED {
        assert!(!manifest.lines().any(|line| line.starts_with(&format!("{name} ="))), "{name}");
    }
}
