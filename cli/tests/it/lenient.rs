//! `--lenient`: input that deviates from JSON.

use insta::assert_snapshot;

use crate::command::run;

const TEXT: &str = "{name: 'x', // a\n\"n\": [True, NaN,],}";

#[test]
fn each_deviation_is_a_line() {
    let all = "bare-keys,single-quotes,comments,python-literals,non-finite,trailing-commas";
    assert_snapshot!(run(&["--lenient", all, "--snapshots", "--chunk", "100", "$..*"], TEXT), @r#"
    exit status 1
    --- stdout
    {"event":"deviation","kind":"bare-keys","offset":1,"line":1,"column":2}
    {"event":"deviation","kind":"single-quotes","offset":7,"line":1,"column":8}
    {"event":"begin","pattern":0,"path":"name","kind":"string"}
    {"event":"delta","pattern":0,"path":"name","text":"x"}
    {"event":"end","pattern":0,"path":"name"}
    {"event":"deviation","kind":"comments","offset":12,"line":1,"column":13}
    {"event":"begin","pattern":0,"path":"n","kind":"array"}
    {"event":"deviation","kind":"python-literals","offset":23,"line":2,"column":7}
    {"event":"begin","pattern":0,"path":"n[0]","kind":"bool"}
    {"event":"end","pattern":0,"path":"n[0]","value":true}
    {"event":"deviation","kind":"non-finite","offset":29,"line":2,"column":13}
    {"event":"begin","pattern":0,"path":"n[1]","kind":"null"}
    {"event":"end","pattern":0,"path":"n[1]","value":null}
    {"event":"deviation","kind":"trailing-commas","offset":33,"line":2,"column":17}
    {"event":"end","pattern":0,"path":"n"}
    {"event":"deviation","kind":"trailing-commas","offset":35,"line":2,"column":19}
    {"event":"snapshot","value":{"name":"x","n":[true,null]}}
    {"event":"error","kind":"unexpected-byte","offset":1,"line":1,"column":2,"path":"$"}
    --- stderr
    error: unexpected-byte: expected a key or `}` at line 1 column 2 (byte 1) in $
    "#);
    // However it is cut, the lines about deviations are the same.
    let lines = |chunk: &str| {
        let stdout = run(&["--lenient", all, "--chunk", chunk], TEXT).stdout;
        stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines("1"), lines("100"));
}

#[test]
fn what_was_not_asked_for_is_an_error() {
    assert_snapshot!(run(&["--lenient", "model-output", "name"], TEXT), @r#"
    exit status 1
    --- stdout
    {"event":"error","kind":"unexpected-byte","offset":1,"line":1,"column":2,"path":"$"}
    --- stderr
    error: unexpected-byte: expected a key or `}` at line 1 column 2 (byte 1) in $
    "#);
    assert_snapshot!(run(&["--lenient", "comments", "--lenient", "trailing-commas"], "[1,] // a"), @r#"
    exit status 1
    --- stdout
    {"event":"deviation","kind":"trailing-commas","offset":3,"line":1,"column":4}
    {"event":"deviation","kind":"comments","offset":5,"line":1,"column":6}
    {"event":"error","kind":"unexpected-byte","offset":3,"line":1,"column":4,"path":"$"}
    --- stderr
    error: unexpected-byte: expected a value at line 1 column 4 (byte 3) in $
    "#);
}

#[test]
fn what_is_accepted_is_complete() {
    let options = ["--lenient", "bare-keys,single-quotes,comments,python-literals,non-finite,trailing-commas"];
    let run_with = |more: &[&str]| run(&[&options[..], &["--accept"], more].concat(), TEXT);
    let accepted = run_with(&["--value", "--chunk", "3", "name", "n"]);
    assert_eq!((accepted.status, accepted.stderr.as_str()), (0, ""));
    let lines: Vec<_> = accepted.stdout.lines().filter(|line| !line.contains(r#""event":"deviation""#)).collect();
    assert_eq!(
        lines,
        [
            r#"{"event":"begin","pattern":0,"path":"name","kind":"string"}"#,
            r#"{"event":"delta","pattern":0,"path":"name","text":"x"}"#,
            r#"{"event":"end","pattern":0,"path":"name","value":"x"}"#,
            r#"{"event":"begin","pattern":1,"path":"n","kind":"array"}"#,
            r#"{"event":"end","pattern":1,"path":"n","value":[true,null]}"#,
            r#"{"event":"done","bytes":36,"value":{"name":"x","n":[true,null]}}"#,
        ]
    );
    assert_eq!(accepted.stdout.lines().count(), lines.len() + 7);
    assert_eq!(run_with(&["--text", "name"]).stdout, "x\n");
    let refused = run(&["--accept"], "[]");
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
}

#[test]
fn names_that_there_are_not_are_listed() {
    assert_snapshot!(run(&["--lenient", "comments,everything"], "[]"), @"
    exit status 2
    --- stderr
    error: invalid value 'everything' for '--lenient <LIST>' [possible values: control-characters, bad-escapes, lone-surrogates, trailing-commas, comments, single-quotes, bare-keys, python-literals, non-finite, byte-order-mark, model-output]
    ");
}

#[test]
fn many_deviations_are_counted() {
    let stdout = run(&["--lenient", "comments"], format!("[{}1]", "/**/".repeat(250))).stdout;
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), 102);
    assert_eq!(lines[100], r#"{"event":"deviation","more":150}"#);
    assert!(lines[..100].iter().all(|line| line.starts_with(r#"{"event":"deviation","kind":"comments","offset":"#)));
    assert!(lines[101].starts_with(r#"{"event":"error","kind":"unexpected-byte","offset":1,"#));
}

#[test]
fn calls_and_payloads_are_read_on_too() {
    let text = "a<x>{\"a\": \"b\nc\"}</x>b";
    let run = run(&["--envelope", "tag:x", "--lenient", "control-characters", "a"], text);
    assert!(
        run.stdout.contains(r#""event":"delta","mark":"tag:x","pattern":0,"path":"a","text":"c""#),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains(r#""status":"malformed""#) && run.status == 1, "{}", run.stdout);
}

#[test]
fn many_deviations_of_a_payload_are_counted() {
    let text = format!("<x>[{}]</x>", "[1,],".repeat(150));
    let run = run(&["--envelope", "tag:x:json", "--lenient", "trailing-commas", "--accept"], &text);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.stdout.matches("trailing-commas").count(), 100);
    // Each of them, and the last one's own comma.
    assert!(run.stdout.contains("}],\"more\":51}\n"), "{}", run.stdout);
}
