//! JSON inside strings: `outer | inner`.

use insta::assert_snapshot;

use crate::command::run;

const DOCUMENT: &str = r#"{"calls": [
  {"arguments": "{\"city\": \"Par\u0069s\", \"days\": 3}"}, {"arguments": "{\"city\": Rome}"}, {"arguments": "{\"city\": \"Os"}
]}"#;

#[test]
fn the_lines_of_a_text_in_a_string() {
    assert_snapshot!(run(&["calls[*].arguments | city", "$..arguments | days"], DOCUMENT), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"calls[0].arguments | city","kind":"string"}
    {"event":"delta","pattern":0,"path":"calls[0].arguments | city","text":"Paris"}
    {"event":"end","pattern":0,"path":"calls[0].arguments | city","value":"Paris"}
    {"event":"begin","pattern":1,"path":"calls[0].arguments | days","kind":"number"}
    {"event":"end","pattern":1,"path":"calls[0].arguments | days","value":3}
    {"event":"inner-error","pattern":0,"path":"calls[1].arguments","kind":"unexpected-byte","offset":9}
    {"event":"inner-error","pattern":1,"path":"calls[1].arguments","kind":"unexpected-byte","offset":9}
    {"event":"begin","pattern":0,"path":"calls[2].arguments | city","kind":"string"}
    {"event":"delta","pattern":0,"path":"calls[2].arguments | city","text":"Os"}
    {"event":"inner-error","pattern":0,"path":"calls[2].arguments","kind":"incomplete","offset":12}
    {"event":"inner-error","pattern":1,"path":"calls[2].arguments","kind":"incomplete","offset":12}
    {"event":"done","bytes":142}
    "#);
}

/// However it is cut, and whatever else is asked for, the status is the document's.
#[test]
fn the_same_however_it_is_cut() {
    let patterns = ["calls[*].arguments | *", "calls[0].arguments", "calls[*].arguments | $"];
    let joined = |chunk: &str| {
        let run = run(&[&["--chunk", chunk][..], &patterns].concat(), DOCUMENT);
        assert_eq!(run.status, 0);
        // A string's text comes in as many pieces as it was cut into.
        run.stdout.lines().filter(|line| !line.contains(r#""event":"delta""#)).map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = joined("10000");
    assert_eq!(whole.iter().filter(|line| line.contains("inner-error")).count(), 4);
    for chunk in ["1", "2", "7"] {
        assert_eq!(joined(chunk), whole);
    }
}

/// Checks that a failure ends its line, and that a string that is shown is not shown again in parts.
#[test]
fn strings_of_inner_texts_are_shown_to_a_person() {
    for chunk in ["1", "3", "1000"] {
        let run = run(&["--text", "--chunk", chunk, "calls[*].arguments | *"], DOCUMENT);
        assert_eq!((run.status, run.stdout.as_str()), (0, "Paris\n3\nOs\n"));
    }
    let text = r#"["\"a\"", "\"b\"", "c", "\"\"", 1]"#;
    assert_eq!(run(&["--text", "* | $", "* | $"], text).stdout, "a\nb\n\n");
    assert_eq!(run(&["--text", "* | $", "[0]"], text).stdout, "\"a\"\nb\n\n");
}

/// Checks JSON in strings of a call's arguments, which are a text of their own.
#[test]
fn in_the_arguments_of_a_call() {
    let stream = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"body\":\"{\\\"n\\\":"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}\",\"more\":\"-\"}"}}]}}]}
{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}
[DONE]
"#;
    let run = run(&["--provider", "openai-chat", "body | n", "more | $"], stream);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains(r#""pattern""#)).collect();
    assert_eq!(
        lines,
        [
            r#"{"event":"begin","call":0,"pattern":0,"path":"body | n","kind":"number"}"#,
            r#"{"event":"end","call":0,"pattern":0,"path":"body | n","value":1}"#,
            r#"{"event":"begin","call":0,"pattern":1,"path":"more | $","kind":"number"}"#,
            r#"{"event":"inner-error","call":0,"pattern":1,"path":"more","kind":"incomplete","offset":1}"#,
        ]
    );
    assert_eq!(run.status, 0);
}

#[test]
fn a_side_without_a_query_is_refused() {
    assert_snapshot!(run(&["arguments |"], "{}"), @r"
    exit status 2
    --- stderr
    error: bad pattern at column 12: expected a query on each side of `|`; the root is `$`
    arguments |
               ^
    ");
}
