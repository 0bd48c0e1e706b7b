//! `--snapshots` and `--patches`: the partial value after each chunk, and a reader of patches that rebuilds it.

use insta::assert_snapshot;
use serde_json::Value;

use crate::command::{Run, run};

const TOOL_CALL: &str = include_str!("../../../examples/classify_and_assess.json");

#[test]
fn a_patch_says_what_a_chunk_added() {
    let document = r#"{"say": "Hi\u0021", "a/b~": [{"c": [1, "x"#;
    assert_snapshot!(run(&["--patches", "--chunk", "12"], document), @r#"
    exit status 1
    --- stdout
    {"event":"patch","ops":[{"op":"add","path":"","value":{"say":"Hi"}}]}
    {"event":"patch","ops":[{"op":"append","path":"/say","value":"!"}]}
    {"event":"patch","ops":[{"op":"add","path":"/a~1b~0","value":[{"c":[]}]}]}
    {"event":"patch","ops":[{"op":"add","path":"/a~1b~0/0/c/0","value":1},{"op":"add","path":"/a~1b~0/0/c/1","value":"x"}]}
    {"event":"error","kind":"incomplete","offset":41,"line":1,"column":42,"path":"['a/b~'][0].c[1]"}
    --- stderr
    error: incomplete: expected the rest of a string at line 1 column 42 (byte 41) in ['a/b~'][0].c[1]
    "#);
}

#[test]
fn the_other_lines_of_a_chunk_come_first() {
    assert_snapshot!(run(&["a", "--snapshots", "--value", "--chunk", "4"], r#"{"a":"xyz"}"#), @r#"
    exit status 0
    --- stdout
    {"event":"snapshot","value":{}}
    {"event":"begin","pattern":0,"path":"a","kind":"string"}
    {"event":"delta","pattern":0,"path":"a","text":"xy"}
    {"event":"snapshot","value":{"a":"xy"}}
    {"event":"delta","pattern":0,"path":"a","text":"z"}
    {"event":"end","pattern":0,"path":"a","value":"xyz"}
    {"event":"snapshot","value":{"a":"xyz"}}
    {"event":"done","bytes":11,"value":{"a":"xyz"}}
    "#);
    assert_snapshot!(run(&["$", "--patches"], "12"), @r#"
    exit status 0
    --- stdout
    {"event":"begin","pattern":0,"path":"$","kind":"number"}
    {"event":"end","pattern":0,"path":"$","value":12}
    {"event":"patch","ops":[{"op":"add","path":"","value":12}]}
    {"event":"done","bytes":2}
    "#);
}

#[test]
fn nothing_before_the_first_value_shows() {
    assert_eq!(run(&["--snapshots", "--chunk", "1"], "  tru").stdout.lines().count(), 1, "only the error");
    assert_eq!(run(&["--patches", "--chunk", "1"], "").stdout.lines().count(), 1);
}

#[test]
fn a_duplicate_key_starts_anew() {
    let document = r#"{"a": ["one"], "\u0061": "two"}"#;
    assert_snapshot!(run(&["--patches", "--chunk", "14"], document), @r#"
    exit status 0
    --- stdout
    {"event":"patch","ops":[{"op":"add","path":"","value":{"a":["one"]}}]}
    {"event":"patch","ops":[{"op":"add","path":"/a","value":"tw"}]}
    {"event":"patch","ops":[{"op":"append","path":"/a","value":"o"}]}
    {"event":"done","bytes":31}
    "#);
    let rebuilt = patched(&run(&["--patches", "--chunk", "1"], document));
    assert_eq!(rebuilt.last().unwrap(), &serde_json::json!({"a": "two"}));
}

/// Returns the values of this member in the lines of an event.
fn told<'r>(run: &'r Run, event: &str, name: &str) -> Vec<(&'r str, Value)> {
    let head = format!(r#"{{"event":"{event}","{name}":"#);
    let told = run.stdout.lines().filter_map(|line| line.strip_prefix(&head)?.strip_suffix('}'));
    told.map(|text| (text, serde_json::from_str(text).unwrap())).collect()
}

/// Returns the copies that the patches of a run make, one after the other.
fn patched(run: &Run) -> Vec<Value> {
    let mut copy = None;
    let patches = told(run, "patch", "ops").into_iter();
    patches
        .map(|(_, ops)| {
            assert!(!ops.as_array().unwrap().is_empty());
            ops.as_array().unwrap().iter().for_each(|op| apply(&mut copy, op));
            copy.clone().unwrap()
        })
        .collect()
}

/// Applies a patch without the library: RFC 6901 pointers, RFC 6902's `add` and `replace`, and `append`.
fn apply(copy: &mut Option<Value>, op: &Value) {
    let (path, value) = (op["path"].as_str().unwrap(), op["value"].clone());
    match (op["op"].as_str().unwrap(), path.rsplit_once('/')) {
        ("append", _) => match copy.as_mut().unwrap().pointer_mut(path) {
            Some(Value::String(text)) => text.push_str(value.as_str().unwrap()),
            other => panic!("{other:?} at {path} is no string"),
        },
        ("replace", _) => match copy.as_mut().unwrap().pointer_mut(path) {
            Some(number @ Value::Number(_)) => *number = value,
            other => panic!("{other:?} at {path} is no number"),
        },
        ("add", None) => *copy = Some(value),
        ("add", Some((parent, last))) => match copy.as_mut().unwrap().pointer_mut(parent) {
            Some(Value::Object(members)) => drop(members.insert(last.replace("~1", "/").replace("~0", "~"), value)),
            Some(Value::Array(elements)) => {
                assert_eq!(last, elements.len().to_string(), "elements are only added at the end");
                elements.push(value);
            }
            other => panic!("{other:?} at {parent} holds nothing"),
        },
        other => panic!("{other:?} is no operation"),
    }
}

#[test]
fn patches_rebuild_the_same_snapshots() {
    for chunk in ["1", "7", "100", "100000"] {
        let [snapshots, patches] =
            ["--snapshots", "--patches"].map(|option| run(&[option, "--chunk", chunk], TOOL_CALL));
        let snapshots: Vec<_> = told(&snapshots, "snapshot", "value").into_iter().map(|(_, value)| value).collect();
        assert_eq!(patched(&patches), snapshots, "--chunk {chunk}");
    }
}

#[test]
fn what_only_closes_is_no_news() {
    const DEPTH: usize = 100_000;
    let document = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
    let run = run(&["--snapshots", "--max-depth", "100000", "--chunk", "100000"], &document);
    let done = format!("{{\"event\":\"done\",\"bytes\":{}}}", 2 * DEPTH);
    assert_eq!(run.stdout, format!("{{\"event\":\"snapshot\",\"value\":{document}}}\n{done}\n"));
}
