//! `BEHAVIOURS.md` names a test for each behaviour, and each of them exists.

use std::fs;
use std::path::Path;

/// Returns true if a file has a test of this name.
fn has_test(file: &Path, name: &str) -> bool {
    let Ok(text) = fs::read_to_string(file) else { return false };
    let Some(at) = text.find(&format!("fn {name}(")) else { return text.contains(&format!("test(\"{name}\"")) };
    let before = &text[..at];
    let attribute = before.rfind("#[tokio::test").max(before.rfind("#[test]"));
    // Nothing between the attribute and the function but attributes and comments.
    attribute.is_some_and(|from| !before[from..].contains('}'))
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
