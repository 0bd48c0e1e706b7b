//! `--documents`: many texts in one input.

use insta::assert_snapshot;

use crate::command::run;

#[test]
fn a_bad_line_costs_that_line_only() {
    let input = "{\"say\":\"on\"}\n\n{\"say\":tru}\r\n{\"say\":\"tw";
    assert_snapshot!(run(&["--documents", "lines", "--value", "say"], input), @r#"
    exit status 1
    --- stdout
    {"event":"begin","document":0,"pattern":0,"path":"say","kind":"string"}
    {"event":"delta","document":0,"pattern":0,"path":"say","text":"on"}
    {"event":"end","document":0,"pattern":0,"path":"say","value":"on"}
    {"event":"document","document":0,"bytes":12,"value":{"say":"on"}}
    {"event":"begin","document":1,"pattern":0,"path":"say","kind":"bool"}
    {"event":"error","document":1,"kind":"invalid-literal","offset":10,"line":1,"column":11,"path":"say"}
    {"event":"begin","document":2,"pattern":0,"path":"say","kind":"string"}
    {"event":"delta","document":2,"pattern":0,"path":"say","text":"tw"}
    {"event":"error","document":2,"kind":"incomplete","offset":10,"line":1,"column":11,"path":"say"}
    {"event":"done","bytes":37,"documents":3}
    --- stderr
    error: invalid-literal: expected `true` at line 1 column 11 (byte 10) in say (document 1, from byte 14)
    error: incomplete: expected the rest of a string at line 1 column 11 (byte 10) in say (document 2, from byte 27)
    "#);
}

#[test]
fn an_error_among_concatenated_texts_ends_the_run() {
    assert_snapshot!(run(&["--documents", "concatenated", "$"], "1 \"a\"2]3"), @r#"
    exit status 1
    --- stdout
    {"event":"begin","document":0,"pattern":0,"path":"$","kind":"number"}
    {"event":"end","document":0,"pattern":0,"path":"$","value":1}
    {"event":"document","document":0,"bytes":1}
    {"event":"begin","document":1,"pattern":0,"path":"$","kind":"string"}
    {"event":"delta","document":1,"pattern":0,"path":"$","text":"a"}
    {"event":"end","document":1,"pattern":0,"path":"$","value":"a"}
    {"event":"document","document":1,"bytes":3}
    {"event":"begin","document":2,"pattern":0,"path":"$","kind":"number"}
    {"event":"end","document":2,"pattern":0,"path":"$","value":2}
    {"event":"document","document":2,"bytes":1}
    {"event":"error","document":3,"kind":"unexpected-byte","offset":0,"line":1,"column":1,"path":"$"}
    --- stderr
    error: unexpected-byte: expected a value at line 1 column 1 (byte 0) in $ (document 3, from byte 6)
    "#);
}

#[test]
fn a_record_of_a_sequence_that_was_cut_is_incomplete() {
    assert_snapshot!(run(&["--documents", "sequence", "--patches"], "\u{1e}{\"a\":1}\n\u{1e}12\u{1e}[\"b\"]\n"), @r#"
    exit status 1
    --- stdout
    {"event":"patch","document":0,"ops":[{"op":"add","path":"","value":{"a":1}}]}
    {"event":"document","document":0,"bytes":8}
    {"event":"error","document":1,"kind":"incomplete","offset":2,"line":1,"column":3,"path":"$"}
    {"event":"patch","document":2,"ops":[{"op":"add","path":"","value":["b"]}]}
    {"event":"document","document":2,"bytes":6}
    {"event":"done","bytes":19,"documents":3}
    --- stderr
    error: incomplete: expected white space after a number or literal at line 1 column 3 (byte 2) in $ (document 1, from byte 10)
    "#);
}

#[test]
fn a_snapshot_is_of_one_document() {
    assert_snapshot!(run(&["--documents", "concatenated", "--snapshots", "--chunk", "4"], "{\"a\":\"x\"}[{}]7"), @r#"
    exit status 0
    --- stdout
    {"event":"snapshot","document":0,"value":{}}
    {"event":"snapshot","document":0,"value":{"a":"x"}}
    {"event":"document","document":0,"bytes":9}
    {"event":"snapshot","document":1,"value":[{}]}
    {"event":"document","document":1,"bytes":4}
    {"event":"snapshot","document":2,"value":7}
    {"event":"document","document":2,"bytes":1}
    {"event":"done","bytes":14,"documents":3}
    "#);
}

#[test]
fn text_is_that_of_all_documents() {
    let run = run(&["--documents", "lines", "--text", "say"], "{\"say\":\"on\"}\n{\"say\":\"on\"}\n{\"say\":\"tw");
    assert_eq!((run.status, run.stdout.as_str()), (1, "on\non\ntw\n"));
}

/// However the bytes come, the lines are the same, once the deltas of a string are joined.
#[test]
fn documents_do_not_depend_on_the_chunks() {
    let input = "{\"a\":\"x\\u00e9\"}\n[1,\n{\"a\":2}\n\"é\" 1\n\n 3";
    for framing in ["lines", "concatenated", "sequence"] {
        let told = |chunk: &str| {
            let run = run(&["--documents", framing, "--chunk", chunk, "$", "a"], input);
            let lines = run.stdout.lines().filter(|line| !line.contains(r#""event":"delta""#));
            (lines.map(str::to_owned).collect::<Vec<_>>(), run.stderr, run.status)
        };
        let whole = told("1000");
        for chunk in ["1", "2", "3", "7"] {
            assert_eq!(told(chunk), whole, "{framing} in chunks of {chunk}");
        }
    }
}

#[test]
fn documents_need_a_framing_that_exists_and_an_input_of_their_own() {
    for arguments in [&["--documents", "csv"][..], &["--documents", "lines", "--provider", "auto"], &["--documents"]] {
        let run = run(arguments, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
    }
    let refused = run(&["--documents", "csv"], "").stderr;
    assert!(refused.contains("[possible values: lines, concatenated, sequence]"), "{refused}");
}

/// 100 MB of lines; what is kept is one line's. Read from `/proc`, so on Linux only.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_documents() {
    use std::io::{BufRead, BufReader, BufWriter, Write};
    use std::{fs, thread};

    use crate::command::{spawn, wait};

    const LIMIT_IN_KIB: u64 = 16 << 10;
    let count = jsonspigot_check::effort::size(24_000, 100_000);
    let mut child = spawn(&["--documents", "lines", "--retain", "nothing", "last"]);
    let stdout = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
    let mut stdin = BufWriter::with_capacity(1 << 20, child.stdin.take().unwrap());
    let writer = thread::spawn(move || {
        let line = format!("{{\"id\":1,\"text\":\"{}\"}}\n", "x".repeat(974));
        (0..count).try_for_each(|_| stdin.write_all(line.as_bytes())).unwrap();
        stdin.write_all(b"{\"last\":\"").unwrap();
        stdin.flush().unwrap();
        stdin
    });
    let mut lines = stdout.lines().map_while(Result::ok).skip_while(|line| line.starts_with(r#"{"event":"document""#));
    let begin = lines.next().unwrap();
    let expected = format!(r#"{{"event":"begin","document":{count},"pattern":0,"path":"last","kind":"string"}}"#);
    assert_eq!(begin, expected);
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    assert!(peak.parse::<u64>().unwrap() < LIMIT_IN_KIB, "{peak} KiB");
    let mut stdin = writer.join().unwrap();
    stdin.write_all(b"\"}\n").unwrap();
    drop(stdin);
    let (bytes, documents) = (count * 993 + 12, count + 1);
    assert_eq!(lines.last().unwrap(), format!(r#"{{"event":"done","bytes":{bytes},"documents":{documents}}}"#));
    assert!(wait(&mut child).success());
}

#[test]
fn each_document_has_its_deviations() {
    let input = "[1,]\n{\"a\":1}\n/* c */ {a:2}\n";
    let lenient = ["--documents", "lines", "--lenient", "trailing-commas,bare-keys,comments", "a"];
    assert_snapshot!(run(&[&lenient[..], &["--accept", "--value"]].concat(), input), @r#"
    exit status 0
    --- stdout
    {"event":"deviation","document":0,"kind":"trailing-commas","offset":3,"line":1,"column":4}
    {"event":"document","document":0,"bytes":4,"value":[1]}
    {"event":"begin","document":1,"pattern":0,"path":"a","kind":"number"}
    {"event":"end","document":1,"pattern":0,"path":"a","value":1}
    {"event":"document","document":1,"bytes":7,"value":{"a":1}}
    {"event":"begin","document":2,"pattern":0,"path":"a","kind":"number"}
    {"event":"end","document":2,"pattern":0,"path":"a","value":2}
    {"event":"deviation","document":2,"kind":"comments","offset":0,"line":1,"column":1}
    {"event":"deviation","document":2,"kind":"bare-keys","offset":9,"line":1,"column":10}
    {"event":"document","document":2,"bytes":13,"value":{"a":2}}
    {"event":"done","bytes":27,"documents":3}
    "#);
    let display = run(&lenient, input);
    assert_eq!((display.status, display.stdout.matches(r#""event":"error","document""#).count()), (1, 2), "{display}");
}
