//! The layer table of ARCHITECTURE.md, held against the imports; and the size of files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library with what it may import, layer by layer.
const LAYERS: [(&str, &[&str]); 12] = [
    ("error", &[]),
    ("tokenizer", &["error"]),
    ("path", &["error", "tokenizer"]),
    ("pattern", &["error", "path"]),
    ("event", &["error", "tokenizer", "path", "pattern"]),
    ("document", &["error", "tokenizer", "path", "pattern", "event"]),
    ("parser", &["error", "tokenizer", "path", "pattern", "event", "document"]),
    // These stand on the public face, which lib.rs re-exports.
    ("payload", &["error", "event"]),
    ("envelope", &["error", "event", "parser", "path", "pattern", "document", "tokenizer", "payload"]),
    ("tool_calls", &["error", "event", "parser", "path", "pattern", "document", "tokenizer", "payload"]),
    ("providers", &["error", "event", "parser", "path", "pattern", "document", "tokenizer", "payload", "tool_calls"]),
    ("lib", &["*"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The library's files with the module of the layer table they belong to.
fn library() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let module = |path: &Path| {
        let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    files.iter().map(|path| (path.display().to_string(), module(path), fs::read_to_string(path).unwrap())).collect()
}

/// The modules of the library that a line of code names behind `crate::`.
fn crate_modules(code: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    code.split("crate::").skip(1).map(name).filter(|name| name.starts_with(|c: char| c.is_lowercase())).collect()
}

#[test]
fn imports_go_down_only() {
    let allowed: BTreeMap<_, _> = LAYERS.into_iter().collect();
    let mut checked = 0;
    for (file, module, text) in library() {
        let may = allowed.get(module.as_str()).unwrap_or_else(|| panic!("{file} stands in no layer"));
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for imported in crate_modules(line) {
                checked += 1;
                let fits = imported == module || may.contains(&imported.as_str()) || may.contains(&"*");
                assert!(fits, "{file} imports crate::{imported}, which its layer may not");
            }
        }
    }
    assert!(checked > 20, "the check reads imports");
}

#[test]
fn files_say_what_they_own_and_stay_short() {
    for (file, _, text) in library() {
        assert!(text.starts_with("//!") || text.starts_with("#!["), "{file} does not say what it owns");
        assert!(text.lines().count() <= 450, "{file} asks to be split");
    }
}

#[test]
fn no_unsafe_and_no_std_paths() {
    for (file, module, text) in library() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            assert!(!line.contains("unsafe ") || line.contains("forbid"), "{file}: {line}");
            assert!(module == "lib" || !line.contains("std::"), "{file} uses std: {line}");
        }
    }
}
