//! `--snapshots` and `--patches`: the partial value after each chunk, and a reader of patches that rebuilds it.

use insta::assert_snapshot;
use jsonspigot_check::effort;
use serde_json::Value;

use crate::closer::{OpenAtoms, closed_text};
use crate::command::{Run, run};
use crate::torture::torture_documents;

const TOOL_CALL: &str = include_str!("../../../examples/classify_and_assess.json");

#[test]
fn a_snapshot_after_each_chunk_that_added_to_it() {
    let document = r#"{"say": "Hi\u0021", "n": [1.50, -0], "ok": true}"#;
    assert_snapshot!(run(&["--snapshots", "--chunk", "6"], document), @r#"
    exit status 0
    --- stdout
    {"event":"snapshot","value":{}}
    {"event":"snapshot","value":{"say":"Hi"}}
    {"event":"snapshot","value":{"say":"Hi!"}}
    {"event":"snapshot","value":{"say":"Hi!","n":[]}}
    {"event":"snapshot","value":{"say":"Hi!","n":[1.50,-0]}}
    {"event":"snapshot","value":{"say":"Hi!","n":[1.50,-0],"ok":true}}
    {"event":"done","bytes":48}
    "#);
}

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
fn what_was_known_comes_before_the_error() {
    let document = r#"{"a": "one\ttwo", "b": tru3}"#;
    assert_snapshot!(run(&["b", "--snapshots"], document), @r#"
    exit status 1
    --- stdout
    {"event":"begin","pattern":0,"path":"b","kind":"bool"}
    {"event":"snapshot","value":{"a":"one\ttwo"}}
    {"event":"error","kind":"invalid-literal","offset":26,"line":1,"column":27,"path":"b"}
    --- stderr
    error: invalid-literal: expected `true` at line 1 column 27 (byte 26) in b
    "#);
    assert_snapshot!(run(&["b", "--patches", "--chunk", "10"], document), @r#"
    exit status 1
    --- stdout
    {"event":"patch","ops":[{"op":"add","path":"","value":{"a":"one"}}]}
    {"event":"patch","ops":[{"op":"append","path":"/a","value":"\ttwo"}]}
    {"event":"begin","pattern":0,"path":"b","kind":"bool"}
    {"event":"error","kind":"invalid-literal","offset":26,"line":1,"column":27,"path":"b"}
    --- stderr
    error: invalid-literal: expected `true` at line 1 column 27 (byte 26) in b
    "#);
    assert_snapshot!(run(&["--snapshots"], "[12"), @r#"
    exit status 1
    --- stdout
    {"event":"snapshot","value":[]}
    {"event":"error","kind":"incomplete","offset":3,"line":1,"column":4,"path":"[0]"}
    --- stderr
    error: incomplete: expected the rest of a number or its end at line 1 column 4 (byte 3) in [0]
    "#);
    assert_snapshot!(run(&["--snapshots", "--max-string", "3"], r#"["abcd"]"#), @r#"
    exit status 1
    --- stdout
    {"event":"snapshot","value":["abc"]}
    {"event":"error","kind":"string-limit","offset":5,"line":1,"column":6,"path":"[0]"}
    --- stderr
    error: string-limit: expected no longer string than allowed at line 1 column 6 (byte 5) in [0]
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

/// Returns true if the later printed snapshot is the earlier one, without the quotes and brackets that close it, and
/// more.
fn is_prefix(earlier: &str, later: &str) -> bool {
    let shared = earlier.bytes().zip(later.bytes()).take_while(|(a, b)| a == b).count();
    shared < later.len() && earlier[shared..].bytes().all(|byte| b"\"]}".contains(&byte))
}

/// Returns true if ended values are equal in both: `1` is no beginning of `12`.
fn is_grown(earlier: &Value, later: &Value) -> bool {
    match (earlier, later) {
        (Value::String(earlier), Value::String(later)) => later.starts_with(earlier.as_str()),
        (Value::Array(earlier), Value::Array(later)) => {
            let pairs = earlier.iter().zip(later).enumerate();
            let last = earlier.len().wrapping_sub(1);
            earlier.len() <= later.len() && { pairs }.all(|(at, (a, b))| a == b || at == last && is_grown(a, b))
        }
        (Value::Object(earlier), Value::Object(later)) => {
            let changed = earlier.iter().filter(|(key, value)| later.get(*key) != Some(value));
            changed.clone().count() <= 1 && { changed }
                .all(|(key, value)| later.get(key).is_some_and(|later| is_grown(value, later)))
        }
        (earlier, later) => earlier == later,
    }
}

#[test]
fn snapshots_of_single_bytes_are_each_a_prefix_of_the_next() {
    for document in [TOOL_CALL, r#"[[1,12],{"a":"é\ud83d\ude00","b":{"":[""]}},null,-1.50e3]"#] {
        let run = run(&["--snapshots", "--chunk", "1"], document);
        let snapshots = told(&run, "snapshot", "value");
        for pair in snapshots.windows(2) {
            let [(earlier, earlier_value), (later, later_value)] = pair else { unreachable!("windows of two") };
            assert!(is_prefix(earlier, later) && is_grown(earlier_value, later_value), "{earlier} then {later}");
        }
        let whole: Value = serde_json::from_str(document).unwrap();
        assert_eq!(snapshots.last().unwrap().1, whole);
        assert_eq!((run.status, run.stdout.lines().count()), (0, snapshots.len() + 1));
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

/// Returns the distinct values of the independent closer for a viable text's prefixes.
fn known(viable: &[u8], open_atoms: OpenAtoms) -> Vec<Value> {
    let prefixes = (1..=viable.len()).filter_map(|end| closed_text(&viable[..end], open_atoms));
    let mut known: Vec<Value> = prefixes.map(|text| serde_json::from_slice(&text).unwrap()).collect();
    known.dedup();
    known
}

#[test]
fn each_line_is_what_the_closer_says() {
    let (start, step) = if effort::is_full() { (0, 1) } else { (1, 3) };
    for document in torture_documents().into_iter().skip(start).step_by(step) {
        // Where a duplicate takes the place of an equal value, lines differ and values do not; and `1E400` is no value.
        if document.starts_with(br#"{"a":[1],"a""#) || document.ends_with(b"1E400]") {
            continue;
        }
        check_lines(document, &[], OpenAtoms::Hidden);
        check_lines(document, &["--provisional"], OpenAtoms::Shown);
    }
}

fn check_lines(document: &[u8], options: &[&str], open_atoms: OpenAtoms) {
    let [snapshots, patches] =
        ["--snapshots", "--patches"].map(|option| run(&[&[option, "--chunk", "1"][..], options].concat(), document));
    let last: Value = serde_json::from_str(snapshots.stdout.lines().last().unwrap()).unwrap();
    let mut viable = document.to_vec();
    if let Some(offset) = last["offset"].as_u64() {
        viable.truncate(usize::try_from(offset).unwrap());
    }
    // A number ends with the input, and before a byte that can stand in no number: as if a blank stood there.
    let ends_number = ["unexpected-byte", "trailing-bytes"].map(Value::from).contains(&last["kind"]);
    if last["event"] == "done" || ends_number && viable.last().is_some_and(u8::is_ascii_digit) {
        viable.push(b' ');
    }
    let mut told: Vec<_> = told(&snapshots, "snapshot", "value").into_iter().map(|(_, value)| value).collect();
    let mut patched = patched(&patches);
    if open_atoms == OpenAtoms::Shown {
        // `1.5` and `1.50` are two lines, and one value.
        told.dedup();
        patched.dedup();
    }
    assert_eq!(told, known(&viable, open_atoms), "{}", document.escape_ascii());
    assert_eq!(patched, told, "{}", document.escape_ascii());
}

/// Checks that open values are shown too, that a number that grows is replaced, and that ending changes nothing.
#[test]
fn open_atoms_are_shown_on_request() {
    let document = r#"{"n":[-1.5e3,tru"#;
    assert_snapshot!(run(&["$..*", "--snapshots", "--provisional", "--chunk", "2"], document), @r#"
    exit status 1
    --- stdout
    {"event":"snapshot","value":{}}
    {"event":"begin","pattern":0,"path":"n","kind":"array"}
    {"event":"snapshot","value":{"n":[]}}
    {"event":"begin","pattern":0,"path":"n[0]","kind":"number"}
    {"event":"snapshot","value":{"n":[-1]}}
    {"event":"snapshot","value":{"n":[-1.5]}}
    {"event":"snapshot","value":{"n":[-1.5e3]}}
    {"event":"end","pattern":0,"path":"n[0]","value":-1.5e3}
    {"event":"begin","pattern":0,"path":"n[1]","kind":"bool"}
    {"event":"snapshot","value":{"n":[-1.5e3,true]}}
    {"event":"error","kind":"incomplete","offset":16,"line":1,"column":17,"path":"n[1]"}
    --- stderr
    error: incomplete: expected `true` at line 1 column 17 (byte 16) in n[1]
    "#);
    assert_snapshot!(run(&["--patches", "--provisional", "--chunk", "2"], document), @r#"
    exit status 1
    --- stdout
    {"event":"patch","ops":[{"op":"add","path":"","value":{}}]}
    {"event":"patch","ops":[{"op":"add","path":"/n","value":[]}]}
    {"event":"patch","ops":[{"op":"add","path":"/n/0","value":-1}]}
    {"event":"patch","ops":[{"op":"replace","path":"/n/0","value":-1.5}]}
    {"event":"patch","ops":[{"op":"replace","path":"/n/0","value":-1.5e3}]}
    {"event":"patch","ops":[{"op":"add","path":"/n/1","value":true}]}
    {"event":"error","kind":"incomplete","offset":16,"line":1,"column":17,"path":"n[1]"}
    --- stderr
    error: incomplete: expected `true` at line 1 column 17 (byte 16) in n[1]
    "#);
    assert_snapshot!(run(&["--snapshots", "--provisional", "--chunk", "1"], "12"), @r#"
    exit status 0
    --- stdout
    {"event":"snapshot","value":1}
    {"event":"snapshot","value":12}
    {"event":"done","bytes":2}
    "#);
}

#[test]
fn what_only_closes_is_no_news() {
    const DEPTH: usize = 100_000;
    let document = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
    let run = run(&["--snapshots", "--max-depth", "100000", "--chunk", "100000"], &document);
    let done = format!("{{\"event\":\"done\",\"bytes\":{}}}", 2 * DEPTH);
    assert_eq!(run.stdout, format!("{{\"event\":\"snapshot\",\"value\":{document}}}\n{done}\n"));
}
