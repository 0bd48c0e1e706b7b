//! The name by which serde_json knows raw text, as a key of a document.

use std::process::Command;

use jsonspigot::{ErrorKind, PatternSet, RewriteError, Rewriter, Rule};

const KEY: &str = "$serde_json::private::RawValue";

fn rewritten(pattern: &str, rule: fn() -> Rule, text: &str, cut: usize) -> Result<String, RewriteError> {
    let mut rewriter = Rewriter::new(&PatternSet::new([pattern]).unwrap(), [rule()]).unwrap();
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
            ] {
                let error = rewritten(pattern, Rule::redact, &text, cut).unwrap_err();
                let RewriteError::Text(error) = error else { panic!("{error}") };
                let quote = text.find(key).unwrap() + key.len();
                assert_eq!((error.kind(), error.offset()), (ErrorKind::PrivateKey, quote as u64), "{text}");
                // Rules that hide nothing leave it alone, as a parser does.
                assert_eq!(rewritten(pattern, Rule::remove, &text, cut).unwrap(), text);
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

/// Cargo turns a feature on for the whole program, so none of our crates may ask for `raw_value`.
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
