//! `--remove`, `--replace` and `--redact`: the text itself, edited.

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
    assert_snapshot!(rewritten(&["--redact", "a", "--envelope", "bare"], ""), @r##"
    exit status 2
    --- stderr
    error: the argument '--redact <PATTERN>' cannot be used with '--envelope <MARK>'
    "##);
    assert_snapshot!(rewritten(&["--redact", "a", "--provider", "gemini"], ""), @r##"
    exit status 2
    --- stderr
    error: the events of gemini can't be rewritten, only those of anthropic, openai-chat and openai-responses
    "##);
    assert_snapshot!(rewritten(&["--redact", "a", "--provider", "auto"], ""), @r##"
    exit status 2
    --- stderr
    error: to edit the calls of a provider, --provider has to name it, which `auto` does not
    "##);
    assert_snapshot!(rewritten(&["--redact", "a["], ""), @r##"
    exit status 2
    --- stderr
    error: bad pattern at column 3: the bracket is never closed
    a[
      ^
    "##);
}

#[test]
fn each_of_many_texts_is_edited_and_a_bad_one_costs_itself() {
    let lines = "{\"a\": 1, \"b\": 2}\n\n {\"b\": oops, \"a\": 3}\r\n{\"a\": 4}";
    assert_snapshot!(rewritten(&["--redact", "a", "--documents", "lines"], lines), @r##"
    exit status 1
    --- stdout
    {"a": "[redacted]", "b": 2}

     {"b": 
    {"a": "[redacted]"}--- stderr
    error: unexpected-byte: expected a value at line 1 column 8 (byte 7) in $ (document 1, from byte 18)
    "##);
    assert_snapshot!(rewritten(&["--remove", "[0]", "--documents", "concatenated"], "[1,2] [3]\n4 x [5]"), @r##"
    exit status 1
    --- stdout
    [2] []
    4 --- stderr
    error: unexpected-byte: expected a value at line 1 column 1 (byte 0) in $ (document 3, from byte 12)
    "##);
}

/// Pieces of a call's arguments in their own events, the whole, and what is around.
#[test]
fn the_arguments_of_a_providers_calls_are_edited_in_its_events() {
    let delta = |text: &str| {
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{{\"partial_json\":\"{text}\"}}}}\n\n"
        )
    };
    let event = |json: &str| format!("data: {json}\n\n");
    let start = event(r#"{"type":"message_start","message":{"id":"m"}}"#)
        + &event(
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
        );
    let end = event(r#"{"type":"content_block_stop","index":1}"#) + &event(r#"{"type":"message_stop"}"#);
    let pieces = |texts: [&str; 3]| [&*start, &texts.map(&delta).concat(), ": ping\n\n", &end].concat();
    let input = pieces([r#"{\"n\": 1, \"pass"#, r#"word\": \"hun"#, r#"ter2\"}"#]);
    let run_with = |rule: &[&str]| rewritten(&[rule, &["--provider", "anthropic"]].concat(), &input);
    let expected = |out: String| format!("exit status 0\n--- stdout\n{out}");
    let redacted = pieces([r#"{\"n\": 1, \"pass"#, r#"word\": \"[redacted]\""#, "}"]);
    assert_eq!(run_with(&["--redact", "password"]), expected(redacted));
    assert_eq!(run_with(&["--remove", "password"]), expected(pieces([r#"{\"n\": 1"#, "", "}"])));

    let broken =
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{\\\"password\\\": 1\"";
    assert_snapshot!(rewritten(&["--redact", "password", "--provider", "openai-chat"], broken), @r##"
    exit status 1
    --- stderr
    error: bad-frame: an event can't be read
    error: no-event: nothing in the input is a provider's event
    "##);
}

/// The status is that of a run which follows the same input, whatever the rules.
#[test]
fn a_call_that_is_not_whole_fails_the_run() {
    let piece = |arguments: &str| {
        let call = serde_json::json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}]);
        serde_json::json!({"choices": [{"index": 0, "delta": {"tool_calls": call}, "finish_reason": "tool_calls"}]})
    };
    for (arguments, status) in [(r#"{"b":1}"#, 0), (r#"{"b":"#, 1), (r#"{"b":[[1]]}"#, 1), ("{oops", 1)] {
        let input = format!("data: {}\n\ndata: [DONE]\n\n", piece(arguments));
        let followed = run(&["--provider", "openai-chat", "--max-depth", "2"], &input);
        let rule = ["--remove", "zz", "--provider", "openai-chat", "--max-depth", "2"];
        for checkpoint in [&[][..], &["--chunk", "7", "--checkpoint", "1"]] {
            let edited = run(&[&rule, checkpoint].concat(), &input);
            assert_eq!((followed.status, edited.status), (status, status), "{arguments}");
            assert_eq!(edited.stderr, followed.stderr, "{arguments}");
        }
    }
}

#[test]
fn a_number_below_zero_may_stand_for_a_value() {
    assert!(rewritten(&["--replace", "a", "-1.5"], r#"{"a": 5}"#).contains(r#"{"a": -1.5}"#));
}
