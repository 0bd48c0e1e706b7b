//! `--chunk`: the same lines once joined, however the input is cut.

use std::collections::HashMap;

use serde_json::Value;

use crate::command::{Run, run};

/// Documents full of what can be cut in two, with the patterns to follow.
const DOCUMENTS: &[(&str, &[&str])] = &[
    // Escapes of every sort, also in a row, also at the ends.
    (r#"{"a":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac","b":["\\\\","\\u0041","x\\"]}"#, &["a", "b[*]", "$..*"]),
    // Surrogate pairs beside each other, and beside raw text.
    (r#"["\ud83d\ude00\uD83D\uDE01","x\ud83c\udf55y","\ud834\udd1e"]"#, &["$[*]", "$[1:]"]),
    // Characters of two, three and four bytes.
    (r#"{"é":"é€😀","€":["₹5","日本語","👩‍👩‍👧"],"😀":"\u00e9😀\ud83d\ude00é"}"#, &["é", "['€'][*]", "😀", "$..*"]),
    // Empty strings, keys, arrays and objects.
    (r#"{"":"","a":[],"b":{},"c":["",{"":""}]}"#, &["['']", "$..*", "c[1]['']"]),
    // Escaped keys.
    (
        r#"{"\u0061sk_slots":[{"m\u0065ssage":"x"}],"\ud83d\ude00":1,"a\"b":2}"#,
        &["ask_slots[*].message", "['😀']", r#"['a"b']"#],
    ),
    // Duplicate keys, also with other spellings, also where an open match holds them.
    (r#"{"a":"one","a":"two","\u0061":{"b":"x","b":"y"},"a":[1]}"#, &["a", "a.b", "$"]),
    // Numbers and literals at every kind of edge.
    (" [ 12 , -0.5e+10 , true,false , null ,120]\r\n", &["$", "$[*]", "$[::2]"]),
    ("-120.25E-3", &["$"]),
    // Refused, each in its own way.
    (r#"{"a":"\ud83dx"}"#, &["a"]),
    ("{\"a\":\"x\u{1}\"}", &["a"]),
    (r#"{"a":["x",01]}"#, &["a", "a[*]"]),
    (r#"{"a":"unfinished \ud83d"#, &["a"]),
    (r#"{"a":"x"} "y""#, &["a"]),
];

/// Returns the lines with each match's deltas appended to its first one.
fn joined(run: &Run) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    let mut first_delta: HashMap<String, usize> = HashMap::new();
    for line in run.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let of = format!("{} {}", line["pattern"], line["path"]);
        match (line["event"].as_str().unwrap(), first_delta.get(&of)) {
            ("delta", Some(&first)) => {
                let text = format!("{}{}", lines[first]["text"].as_str().unwrap(), line["text"].as_str().unwrap());
                lines[first]["text"] = text.into();
            }
            (event, _) => {
                if event == "delta" {
                    first_delta.insert(of, lines.len());
                } else {
                    first_delta.remove(&of);
                }
                lines.push(line);
            }
        }
    }
    lines
}

#[test]
fn chunk_edges_are_invisible() {
    for &(document, patterns) in DOCUMENTS {
        for options in [&[][..], &["--retain", "nothing"], &["--value", "--duplicate-keys", "reject"]] {
            let cut = |chunk| run(&[options, &["--chunk", chunk], patterns].concat(), document);
            let whole = run(&[options, patterns].concat(), document);
            for chunk in ["1", "3", "7", "100000"] {
                let cut = cut(chunk);
                assert_eq!(joined(&cut), joined(&whole), "--chunk {chunk} {options:?} {patterns:?}: {document}");
                assert_eq!((cut.status, cut.stderr), (whole.status, whole.stderr.clone()), "{document}");
            }
        }
    }
}

#[test]
fn chunks_longer_than_a_read() {
    let document = format!(r#"["{}"]"#, "0123456789".repeat(50_000));
    let run = run(&["$[*]", "--chunk", "200000"], &document);
    let texts = run.stdout.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["text"].as_str().map(str::len)
    });
    // The bracket and the quote are in the first chunk, their fellows in the last.
    assert_eq!(texts.collect::<Vec<_>>(), [199_998, 200_000, 100_002]);
    assert!(run.stdout.ends_with("{\"event\":\"done\",\"bytes\":500004}\n"));
}

#[test]
fn a_chunk_may_be_longer_than_memory() {
    let whole = run(&["$", "--chunk", &usize::MAX.to_string()], "[1]");
    assert_eq!(whole, run(&["$"], "[1]"));
}
