//! `--envelope`: text around payloads, and the payloads.

use insta::assert_snapshot;

use crate::command::{Run, run};

const TEXT: &str = concat!(
    "<think>1 < 2\nso é</think>Voilà: <!--context {\"slots\": [\"a --> b\", 1.50], \"ok\": true} -->\n",
    "```json\n{\"slots\": [\"€😀\"]}\n```\nDone. <!--context --> {x}\n"
);

const MARKS: [&str; 4] = ["--envelope", "tag:think,comment:context", "--envelope", "fence:json"];

fn with(options: &[&str], text: impl AsRef<[u8]> + Send) -> Run {
    run(&[&MARKS, options].concat(), text)
}

#[test]
fn each_kind_of_line() {
    assert_snapshot!(with(&["slots[*]", "ok"], TEXT), @r#"
    exit status 0
    --- stdout
    {"event":"fragment","mark":"tag:think","text":"1 < 2\nso é"}
    {"event":"payload","mark":"tag:think","status":"raw","raw":"1 < 2\nso é"}
    {"event":"text","text":"Voilà: "}
    {"event":"begin","mark":"comment:context","pattern":0,"path":"slots[0]","kind":"string"}
    {"event":"delta","mark":"comment:context","pattern":0,"path":"slots[0]","text":"a --> b"}
    {"event":"end","mark":"comment:context","pattern":0,"path":"slots[0]","value":"a --> b"}
    {"event":"begin","mark":"comment:context","pattern":0,"path":"slots[1]","kind":"number"}
    {"event":"end","mark":"comment:context","pattern":0,"path":"slots[1]","value":1.50}
    {"event":"begin","mark":"comment:context","pattern":1,"path":"ok","kind":"bool"}
    {"event":"end","mark":"comment:context","pattern":1,"path":"ok","value":true}
    {"event":"payload","mark":"comment:context","status":"complete","value":{"slots":["a --> b",1.50],"ok":true}}
    {"event":"text","text":"\n"}
    {"event":"begin","mark":"fence:json","pattern":0,"path":"slots[0]","kind":"string"}
    {"event":"delta","mark":"fence:json","pattern":0,"path":"slots[0]","text":"€😀"}
    {"event":"end","mark":"fence:json","pattern":0,"path":"slots[0]","value":"€😀"}
    {"event":"payload","mark":"fence:json","status":"complete","value":{"slots":["€😀"]}}
    {"event":"text","text":"\nDone. "}
    {"event":"payload","mark":"comment:context","status":"empty"}
    {"event":"text","text":" {x}\n"}
    {"event":"done","bytes":152}
    "#);
}

#[test]
fn the_mark_does_not_take_the_pattern() {
    let told = run(&["--envelope", "bare", "a.b"], "See: {\"a\": {\"b\": 1}}");
    assert_snapshot!(told, @r#"
    exit status 0
    --- stdout
    {"event":"text","text":"See: "}
    {"event":"begin","mark":"bare","pattern":0,"path":"a.b","kind":"number"}
    {"event":"end","mark":"bare","pattern":0,"path":"a.b","value":1}
    {"event":"payload","mark":"bare","status":"complete","value":{"a":{"b":1}}}
    {"event":"done","bytes":20}
    "#);
}

#[test]
fn a_text_may_begin_inside_a_payload() {
    assert_snapshot!(run(&["--envelope", "tag:think:raw", "--inside"], "1 < 2</think>Yes."), @r#"
    exit status 0
    --- stdout
    {"event":"fragment","mark":"tag:think:raw","text":"1 < 2"}
    {"event":"payload","mark":"tag:think:raw","status":"raw","raw":"1 < 2"}
    {"event":"text","text":"Yes."}
    {"event":"done","bytes":17}
    "#);
}

#[test]
fn a_payload_that_is_not_whole_fails_the_run() {
    assert_snapshot!(with(&["a"], "One <!--context {\"a\": tru3} --> two <!--context {} {} --> ```json\n{\"a\": \"x"), @r#"
    exit status 1
    --- stdout
    {"event":"text","text":"One "}
    {"event":"begin","mark":"comment:context","pattern":0,"path":"a","kind":"bool"}
    {"event":"payload","mark":"comment:context","status":"malformed","raw":" {\"a\": tru3} ","error":{"kind":"invalid-literal","offset":10,"line":1,"column":11,"path":"a"}}
    {"event":"text","text":" two "}
    {"event":"payload","mark":"comment:context","status":"trailing","raw":" {} {} ","error":{"kind":"trailing-bytes","offset":4,"line":1,"column":5,"path":"$"},"values":[{},{}],"repeated":true}
    {"event":"text","text":" "}
    {"event":"begin","mark":"fence:json","pattern":0,"path":"a","kind":"string"}
    {"event":"delta","mark":"fence:json","pattern":0,"path":"a","text":"x"}
    {"event":"payload","mark":"fence:json","status":"truncated","raw":"\n{\"a\": \"x","error":{"kind":"incomplete","offset":9,"line":2,"column":9,"path":"a"}}
    {"event":"done","bytes":74}
    --- stderr
    error: invalid-literal: expected `true` at line 1 column 11 (byte 10) in a (payload comment:context, malformed)
    error: trailing-bytes: expected nothing but white space after the value at line 1 column 5 (byte 4) in $ (payload comment:context, trailing)
    error: incomplete: expected the rest of a string at line 2 column 9 (byte 9) in a (payload fence:json, truncated)
    "#);
}

#[test]
fn text_is_held_to_utf8() {
    assert_snapshot!(with(&["a"], b"Caf\xC3\xA9\n<!--context {\"a\": \"\xFF\"} -->"), @r#"
    exit status 1
    --- stdout
    {"event":"text","text":"Café\n"}
    {"event":"begin","mark":"comment:context","pattern":0,"path":"a","kind":"string"}
    {"event":"payload","mark":"comment:context","status":"truncated","raw":" {\"a\": \"","error":{"kind":"incomplete","offset":8,"line":1,"column":9,"path":"a"}}
    {"event":"error","kind":"invalid-utf8","offset":25,"line":2,"column":20,"path":"$"}
    --- stderr
    error: incomplete: expected the rest of a string at line 1 column 9 (byte 8) in a (payload comment:context, truncated)
    error: invalid-utf8: expected text in UTF-8 at line 2 column 20 (byte 25) in $
    "#);
    for chunk in ["1", "2", "100"] {
        let cut = with(&["--chunk", chunk], b"Caf\xC3\xA9\nx\xE2\x82");
        let place = r#""kind":"incomplete","offset":9,"line":2,"column":4,"path":"$""#;
        assert!(cut.stdout.ends_with(&format!("{{\"event\":\"error\",{place}}}\n")), "{cut}");
        assert_eq!(
            cut.stderr,
            "error: incomplete: expected the rest of a character at line 2 column 4 (byte 9) in $\n"
        );
        let cut = with(&["--chunk", chunk], b"Caf\xC3\xA9\nx\xE2A");
        assert_eq!(cut.stderr, "error: invalid-utf8: expected text in UTF-8 at line 2 column 3 (byte 8) in $\n");
        assert_eq!(cut.status, 1);
    }
}

#[test]
fn for_a_person_the_text_and_what_is_matched() {
    assert_snapshot!(with(&["--text", "slots[*]"], TEXT), @r"
    exit status 0
    --- stdout
    Voilà: 
    a --> b
    1.50

    €😀

    Done.  {x}
    ");
    for chunk in ["1", "2", "7"] {
        let cut = with(&["--chunk", chunk, "--text", "slots[*]"], TEXT);
        assert_eq!(cut, with(&["--text", "slots[*]"], TEXT), "--chunk {chunk}");
    }
    // Without patterns nothing is added to the text.
    assert_eq!(with(&["--text"], TEXT).stdout, "Voilà: \n\nDone.  {x}\n");
    assert_eq!(with(&["--text"], "no end of line").stdout, "no end of line");
}

/// Commas are between marks, and colons in them, unless they stand after a backslash.
#[test]
fn between_any_two_texts() {
    let marks = r"between:<\:\,>:\,end,tag:t";
    let text = "Hi <:,>{\"a\": \"[,end]\"} ,end <t>x</t>.";
    for chunk in ["1", "3", "100"] {
        let run = run(&["--envelope", marks, "--chunk", chunk, "--text", "raw:a"], text);
        assert_eq!((run.status, run.stdout.as_str()), (0, "Hi \n\"[,end]\"\n ."));
    }
    assert_snapshot!(run(&["--envelope", "tag:t,between:a"], text), @r#"
    exit status 2
    --- stderr
    error: invalid value 'tag:t,between:a' for '--envelope <MARK>': `between:a`: expected `between:OPEN:CLOSE`, with `\:` for each colon in the texts
    "#);
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
