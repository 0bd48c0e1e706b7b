//! `--text`: the output for people.

use insta::assert_snapshot;

use crate::command::run;

const DOCUMENT: &str = r#"{"say": ["two\nlines", "", "\ud83d\ude00"], "n": [1.50e2, null, {"deep": false}]}"#;

#[test]
fn strings_and_atoms_each_on_a_line() {
    assert_snapshot!(run(&["--text", "$..*"], DOCUMENT), @r"
    exit status 0
    --- stdout
    two
    lines

    😀
    1.50e2
    null
    false
    ");
}

#[test]
fn the_same_however_it_is_cut_and_kept() {
    let whole = run(&["--text", "say[*]", "n[0]"], DOCUMENT);
    assert_eq!(whole.stdout, "two\nlines\n\n😀\n1.50e2\n");
    for chunk in ["1", "2", "7"] {
        for retain in ["all", "text", "matches", "nothing"] {
            let cut = run(&["--text", "--chunk", chunk, "--retain", retain, "say[*]", "n[0]"], DOCUMENT);
            assert_eq!(cut, whole, "--chunk {chunk} --retain {retain}");
        }
    }
}

#[test]
fn a_value_is_shown_once() {
    let run = run(&["--text", "--chunk", "1", "a.b", "$..b", "a", "a['b']"], r#"{"a": {"b": "once"}, "b": 1}"#);
    assert_eq!(run.stdout, "once\n1\n");
}

#[test]
fn containers_and_no_pattern_show_nothing() {
    assert_eq!(run(&["--text", "$", "n"], DOCUMENT).stdout, "");
    assert_eq!(run(&["--text"], DOCUMENT).stdout, "");
}

#[test]
fn raw_values_are_shown_as_they_come() {
    for chunk in ["1", "3", "100"] {
        let shown = run(&["--text", "--chunk", chunk, "$..*", "raw:say", "raw:n[2]"], DOCUMENT);
        assert_eq!(shown.stdout, "[\"two\\nlines\", \"\", \"\\ud83d\\ude00\"]\n1.50e2\nnull\n{\"deep\": false}\n");
        let atoms = run(&["--text", "--chunk", chunk, "raw:n[*]", "n[0]"], DOCUMENT);
        assert_eq!(atoms.stdout, "1.50e2\nnull\n{\"deep\": false}\n");
    }
}

#[test]
fn errors_stay_away_from_the_text() {
    assert_snapshot!(run(&["--text", "$[*]"], r#"["whole", "cut o"#), @r"
    exit status 1
    --- stdout
    whole
    cut o--- stderr
    error: incomplete: expected the rest of a string at line 1 column 17 (byte 16) in [1]
    ");
}

#[test]
fn payloads_in_an_answer() {
    let input = r#"{"message":{"content":"See <think>x</think>```json\n{\"a\": \"on"},"done":false}
{"message":{"content":"e\"}\n``` and","tool_calls":[{"function":{"name":"f","arguments":{"a":"two"}}}]},"done":false}
{"message":{"content":" on."},"done":true,"done_reason":"stop"}
"#;
    let arguments = ["--provider", "ollama", "--envelope", "fence:*,tag:think", "--text", "a"];
    let shown = run(&arguments, input);
    assert_eq!((shown.stdout.as_str(), shown.status), ("See \none\n and\ntwo\n on.\n", 0));
}

const CALLS: &str = r#"{"calls": [
  {"arguments": "{\"city\": \"Par\u0069s\", \"days\": 3}"}, {"arguments": "{\"city\": Rome}"}, {"arguments": "{\"city\": \"Os"}
]}"#;

/// Checks that a failure ends its line, and that a string that is shown is not shown again in parts.
#[test]
fn strings_of_inner_texts_are_shown_to_a_person() {
    for chunk in ["1", "3", "1000"] {
        let run = run(&["--text", "--chunk", chunk, "calls[*].arguments | *"], CALLS);
        assert_eq!((run.status, run.stdout.as_str()), (0, "Paris\n3\nOs\n"));
    }
    let text = r#"["\"a\"", "\"b\"", "c", "\"\"", 1]"#;
    assert_eq!(run(&["--text", "* | $", "* | $"], text).stdout, "a\nb\n\n");
    assert_eq!(run(&["--text", "* | $", "[0]"], text).stdout, "\"a\"\nb\n\n");
}
