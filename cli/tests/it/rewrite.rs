//! `--remove`, `--replace` and `--redact`: the text itself, edited.
//!
//! Laws: rewriting; saved state.

use insta::assert_snapshot;

use crate::command::run;

const INPUT: &str = r#"{"user": {"id": 7, "password": "hunter2"}, "debug": true, "arguments": "{\"password\": 1}"}"#;

/// Runs with this input in one piece and in single bytes.
fn rewritten(arguments: &[&str], input: &str) -> String {
    let whole = run(arguments, input).to_string();
    let bytes = run(&[arguments, &["--chunk", "1"]].concat(), input).to_string();
    assert_eq!(whole, bytes);
    whole
}

#[test]
fn the_text_comes_out_as_it_came_but_for_what_rules_select() {
    let rules = ["--redact", "..password", "--remove", "debug", "--replace", "arguments | password", "[\"x\"]"];
    assert_snapshot!(rewritten(&rules, INPUT), @r##"
    exit status 0
    --- stdout
    {"user": {"id": 7, "password": "[redacted]"}, "arguments": "{\"password\": [\"x\"]}"}
    "##);
}

#[test]
fn the_first_rule_that_selects_a_value_counts() {
    assert_snapshot!(rewritten(&["--redact", "user.id", "--remove", "user.*"], INPUT), @r##"
    exit status 0
    --- stdout
    {"user": {"id": "[redacted]"}, "debug": true, "arguments": "{\"password\": 1}"}
    "##);
    assert_snapshot!(rewritten(&["--remove", "user.*", "--redact", "user.id"], INPUT), @r##"
    exit status 0
    --- stdout
    {"user": {}, "debug": true, "arguments": "{\"password\": 1}"}
    "##);
}

#[test]
fn what_is_wrong_is_said() {
    assert_snapshot!(rewritten(&["--redact", "a"], "{\"a\": [1, 2}"), @r##"
    exit status 1
    --- stdout
    {"a": "[redacted]"--- stderr
    error: unexpected-byte: expected `,` or `]` at line 1 column 12 (byte 11) in a
    "##);
    assert_snapshot!(rewritten(&["--remove", "a | $"], ""), @r##"
    exit status 2
    --- stderr
    error: rule 0 removes the root of a text, which has to have a value
    "##);
    assert_snapshot!(rewritten(&["--replace", "a", "oops"], ""), @r##"
    exit status 2
    --- stderr
    error: the replacement `oops` is not JSON: unexpected byte: expected a value at line 1 column 1 (byte 0) in $
    "##);
    assert_snapshot!(rewritten(&["--redact", "a", "--documents", "lines"], ""), @r##"
    exit status 2
    --- stderr
    error: the argument '--redact <PATTERN>' cannot be used with '--documents <FRAMING>'
    "##);
    assert_snapshot!(rewritten(&["--redact", "a["], ""), @r##"
    exit status 2
    --- stderr
    error: bad pattern at column 3: the bracket is never closed
    a[
      ^
    "##);
}
