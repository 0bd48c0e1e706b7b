//! serde_json's private key for raw text, as a key of a document.

use std::process::Command;

use jsonspigot::{ErrorKind, RewriteError, Rewriter, Rule};

const KEY: &str = "$serde_json::private::RawValue";

fn rewritten(pattern: &str, rule: fn() -> Rule, text: &str, cut: usize) -> Result<String, RewriteError> {
    let mut rewriter = Rewriter::new([(pattern, rule())]).unwrap();
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(cut) {
        rewriter.write(chunk, |bytes| out.extend_from_slice(bytes))?;
    }
    rewriter.finish(|bytes| out.extend_from_slice(bytes))?;
    Ok(String::from_utf8(out).unwrap())
}

/// Fails if a redacted value can pass as an object with serde_json's private key.
#[test]
fn a_rewriter_that_redacts_refuses_the_key() {
    let hidden = r#""{\"password\": \"hunter2\"}""#;
    let escaped = KEY.replace('$', "\\u0024");
    let quoted = format!(r#""{{\"{KEY}\": \"1\"}}""#);
    for cut in [1, 7, 64, 1000] {
        for key in [KEY, &escaped] {
            for (pattern, text) in [
                ("..password", format!(r#"{{"{key}": {hidden}}}"#)),
                ("..password", format!(r#"{{"a": [1, {{"b": 2, "{key}": {hidden}}}]}}"#)),
                ("a.password", format!(r#"{{"x": 1, "a": {{"{key}": {hidden}}}}}"#)),
                ("a.password", format!(r#"{{"{key}": {hidden}}}"#)),
                // In the place of an array, or of a string.
                ("[0]", format!(r#"{{"{key}": "[\"hunter2\"]"}}"#)),
                ("[0:2]", format!(r#"{{"b": 1, "{key}": "[\"hunter2\"]"}}"#)),
                ("a[0].password", format!(r#"{{"a": {{"{key}": "[{{\"password\": 1}}]"}}}}"#)),
                ("a | password", format!(r#"{{"a": {{"{key}": "\"{{}}\""}}}}"#)),
                ("$ | $", format!(r#"{{"{key}": "\"7\""}}"#)),
            ] {
                let error = rewritten(pattern, Rule::redact, &text, cut).unwrap_err();
                let RewriteError::Text(error) = error else { panic!("{error}") };
                let quote = text.find(key).unwrap() + key.len();
                assert_eq!((error.kind(), error.offset()), (ErrorKind::PrivateKey, quote as u64), "{text}");
                // Rules that hide nothing leave it alone, as a parser does.
                if !pattern.ends_with('$') {
                    assert_eq!(rewritten(pattern, Rule::remove, &text, cut).unwrap(), text);
                }
            }
            // Where nothing can be selected, nothing is hidden either.
            let text = format!(r#"{{"x": {{"{key}": {hidden}}}, "a": {{"password": 1}}}}"#);
            let expected = text.replace(": 1}", r#": "[redacted]"}"#);
            assert_eq!(rewritten("a.password", Rule::redact, &text, cut).unwrap(), expected);
        }
        // A text in a string, whose rest is left out.
        let text = format!(r#"{{"c": {quoted}}}"#);
        let out = rewritten("c | password", Rule::redact, &text, cut).unwrap();
        assert!(!out.contains(r#"\"1\""#), "{out}");
    }
}

/// Refuses the key after the rewriter was saved and restored at any place, too.
#[test]
fn a_restored_rewriter_refuses_the_key() {
    let rules = || [("a[0]", Rule::redact()), ("c | x", Rule::remove()), ("d.y", Rule::remove())];
    let new = || Rewriter::new(rules()).unwrap();
    for name in ["a", "c", "d"] {
        let text = format!(r#"{{"b": 1, "{name}": {{"x": [2, {{}}], "{KEY}": "1"}}}}"#);
        for end in 0..text.find(KEY).unwrap() + KEY.len() {
            let (mut rewriter, mut out) = (new(), Vec::new());
            rewriter.write(&text[..end], |bytes| out.extend_from_slice(bytes)).unwrap();
            let mut rewriter = new().restore(&rewriter.save().unwrap()).unwrap();
            let error = rewriter.write(&text[end..], |bytes| out.extend_from_slice(bytes)).unwrap_err();
            assert!(matches!(error, RewriteError::Text(error) if error.kind() == ErrorKind::PrivateKey));
            assert!(text.as_bytes().starts_with(&out), "{}", String::from_utf8_lossy(&out));
        }
        // Without the key, all passes.
        let text = text.replace(KEY, "z");
        for end in 0..text.len() {
            let (mut rewriter, mut out) = (new(), Vec::new());
            rewriter.write(&text[..end], |bytes| out.extend_from_slice(bytes)).unwrap();
            let mut rewriter = new().restore(&rewriter.save().unwrap()).unwrap();
            rewriter.write(&text[end..], |bytes| out.extend_from_slice(bytes)).unwrap();
            rewriter.finish(|bytes| out.extend_from_slice(bytes)).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), text, "{end}");
        }
    }
}

/// Checks that none of our crates asks for `raw_value`, because cargo turns a feature on for the whole program.
#[test]
fn no_published_crate_turns_on_raw_values() {
    for package in ["jsonspigot", "jsonspigot-llm", "jsonspigot-framing", "jsonspigot-cli"] {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--offline", "--all-features", "--edges", "normal,features", "--package", package]);
        let tree = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
        let tree = String::from_utf8(tree.stdout).unwrap();
        assert!(
            tree.contains("serde_json feature \"alloc\"") || tree.contains("serde_json feature \"default\""),
            "{tree}"
        );
        assert!(!tree.contains("raw_value"), "{package}: {tree}");
    }
}
