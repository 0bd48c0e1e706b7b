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
    error: rule 0 removes the root of a text, but a text must have a value
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
    let call = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}}]}"#;
    assert_snapshot!(rewritten(&["--redact", "a", "--provider", "gemini"], call), @r##"
    exit status 1
    --- stdout
    {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":"[redacted]"}}}]}}]}--- stderr
    error: incomplete: the stream broke off before the provider ended the answer
    "##);
    assert_snapshot!(rewritten(&["--redact", "a", "--provider", "auto"], ""), @r##"
    exit status 2
    --- stderr
    error: to edit the calls of a provider, name it: `--provider auto` is not enough
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

/// Edits pieces of a call's arguments in their own events, the whole, and nothing around them.
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
    error: left-out: 1 of the events and lines were not read, and not written
    "##);
}

/// Checks data that is neither an event of the provider nor known to the framing, in each format of a body.
#[test]
fn nothing_passes_a_redaction_that_was_not_read() {
    let chunk = |said: &str, reason: &str| {
        format!(r#"{{"object":"chat.completion.chunk","choices":[{{"delta":{{{said}}},"finish_reason":{reason}}}]}}"#)
    };
    let text = chunk(r#""content":"Hello""#, "null");
    let end = chunk("", "\"stop\"");
    let call = |arguments: &str| {
        let entry = format!(r#"{{"index":0,"id":"a","function":{{"name":"f","arguments":"{arguments}"}}}}"#);
        chunk(&format!("\"tool_calls\":[{entry}]"), "null")
    };
    let secret = call(r#"{\"password\":\"hunter2\"}"#);
    let shown = secret.replace("hunter2", "[redacted]");
    let anthropic = r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"hunter2"}}"#;
    let lines = [
        &*format!("data: data: {secret}"),
        &format!("data: {secret}x"),
        &format!("delta: {secret}"),
        &format!("event: x data: {secret}"),
        &format!(": {secret}"),
        "id: \"hunter2\"",
        &format!("data: {anthropic}"),
        "data: \"hunter2\"",
        "data: hunter2",
        "hunter2",
        "\"password\": \"hunter2\"",
        r#"x: hunter2 {"choices":[]}"#,
    ];
    let check = |input: &str, expected: &str| {
        let arguments = ["--redact", "..password", "--provider", "openai-chat"];
        let whole = run(&arguments, input);
        let bytes = run(&[&arguments[..], &["--chunk", "1"]].concat(), input);
        assert_eq!((whole.status, &*whole.stdout), (1, expected), "{input}");
        assert_eq!((bytes.stdout, bytes.stderr), (whole.stdout, whole.stderr.clone()), "{input}");
        assert!(whole.stderr.contains("error: left-out: ") && !whole.stderr.contains("hunter2"), "{}", whole.stderr);
    };
    for line in lines {
        let body =
            |line: &str| format!(": ping\n\ndata: {text}\n\n{line}data: {secret}\n\ndata: {end}\n\ndata: [DONE]\n\n");
        check(&body(&format!("{line}\n\n")), &body("\n").replace("hunter2", "[redacted]"));
    }
    let fields = ["data: password hunter2", "event: hunter2"];
    for line in
        [anthropic, &secret[1..], "hunter2", "\"hunter2\"", &secret[..secret.len() - 9]].into_iter().chain(fields)
    {
        let body = |line: &str, secret: &str| format!("{text}\n{line}\n{secret}\n{end}\n");
        check(&body(line, &secret), &body("", &shown));
    }
    for element in [anthropic, "\"hunter2\"", "7"] {
        check(&format!("[{text},{element},{secret},{end}]"), &format!("[{text},,{shown},{end}]"));
    }
    // Two events in one frame are two events.
    let two = |secret: &str| format!("data: {text}{secret}\n\ndata: {end}\n\n");
    let run = run(&["--redact", "..password", "--provider", "openai-chat"], two(&secret));
    assert_eq!(run.stdout, two(&shown));
}

/// Checks that standard error hides what the output hides, except in the message of an error.
#[test]
fn complaints_hide_what_is_redacted() {
    for (input, told) in [
        (r#"{"error":{"failed_generation":"hunter2"}}"#, "error: provider-error: no message\n"),
        (r#"{"error":{"message":"too long"}}"#, "error: provider-error: too long\n"),
        (r#"{"x":"hunter2"}"#, "error: no-event: no event has a meaning in this provider's format\n"),
    ] {
        let run = run(&["--redact", "..password", "--provider", "openai-chat"], input);
        assert!(run.status == 1 && run.stderr.starts_with(told), "{input}: {}", run.stderr);
        assert!(!(run.stdout + &run.stderr).contains("hunter2"), "{input}");
    }
    let half = b"data: {\"choices\":[{\"delta\":{\"content\":\"hunter2 \xFF\"}}]}\n\n";
    let run = run(&["--redact", "..password", "--provider", "openai-chat"], half);
    assert_eq!((run.status, &*run.stdout), (1, "\n"), "{}", run.stderr);
}

/// Checks that messages of Amazon's event stream, which are not edited, do not pass.
#[test]
fn a_binary_body_does_not_pass_a_redaction() {
    let mut body = vec![0, 0, 0, 90, 0, 0, 0, 0, 1, 2, 3, 4];
    body.extend_from_slice(b"{\"password\":\"hunter2\"}\nhunter2");
    let run = run(&["--redact", "..password", "--provider", "anthropic"], body);
    assert_eq!((run.status, &*run.stdout), (1, ""));
}

/// Checks that the status is that of a run without rules.
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
fn an_errors_title_passes_a_redaction() {
    let input = r#"{"error":{"title":"Too many requests","message":"m","unknown":"hunter2"}}"#;
    let run = run(&["--redact", "..password", "--provider", "openai-chat"], input);
    assert!(run.stdout.contains("Too many requests") && !run.stdout.contains("hunter2"), "{}", run.stdout);
}

#[test]
fn a_number_below_zero_may_stand_for_a_value() {
    assert!(rewritten(&["--replace", "a", "-1.5"], r#"{"a": 5}"#).contains(r#"{"a": -1.5}"#));
}
