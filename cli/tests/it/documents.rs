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
fn text_is_that_of_all_documents() {
    let run = run(&["--documents", "lines", "--text", "say"], "{\"say\":\"on\"}\n{\"say\":\"on\"}\n{\"say\":\"tw");
    assert_eq!((run.status, run.stdout.as_str()), (1, "on\non\ntw\n"));
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
