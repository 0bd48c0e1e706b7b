//! Input that is refused: a line on each output, exit status 1.

use insta::assert_snapshot;

use crate::command::{Run, run};

/// Each kind of error that input can cause, with the options, the input and the offset of its first bad byte.
const REFUSED: &[(&str, &[&str], &[u8], u64)] = &[
    ("unexpected-byte", &[], br#"{"a" 1}"#, 5),
    ("unexpected-byte", &[], b"\xEF\xBB\xBF1", 0),
    ("invalid-escape", &[], br#""\x""#, 2),
    ("lone-surrogate", &[], br#""\uD83D!""#, 7),
    ("invalid-utf8", &[], b"\"\xE0\x80\"", 2),
    ("control-character", &[], b"\"a\nb\"", 2),
    ("invalid-number", &[], b"01", 1),
    ("invalid-literal", &[], b"tru3", 3),
    ("trailing-bytes", &[], b"{} {}", 3),
    ("incomplete", &[], b"", 0),
    ("incomplete", &[], br#"{"a":"#, 5),
    ("duplicate-key", &["--duplicate-keys", "reject"], br#"{"a":1,"\u0061":2}"#, 14),
    ("depth-limit", &["--max-depth", "1"], b"[[]]", 1),
    ("key-limit", &["--max-key", "1"], br#"{"ab":1}"#, 3),
    ("string-limit", &["--max-string", "1"], br#""ab""#, 2),
    ("number-limit", &["--max-number", "1"], b"12", 1),
    ("blank-limit", &["--max-blank", "1"], b"[  ]", 2),
    ("total-limit", &["--max-total", "1"], b"[]", 1),
];

#[test]
fn each_kind_of_error() {
    for &(kind, options, input, offset) in REFUSED {
        for chunk in ["1", "1000"] {
            let Run { status, stdout, stderr } = run(&[options, &["--chunk", chunk]].concat(), input);
            let column = offset + 1;
            let place = format!(r#""offset":{offset},"line":1,"column":{column},"path":"$""#);
            assert_eq!(stdout, format!("{{\"event\":\"error\",\"kind\":\"{kind}\",{place}}}\n"));
            assert!(stderr.starts_with(&format!("error: {kind}: expected ")), "{stderr}");
            assert!(stderr.ends_with(&format!(" at line 1 column {column} (byte {offset}) in $\n")), "{stderr}");
            assert_eq!((status, stderr.lines().count()), (1, 1));
        }
    }
}

#[test]
fn what_came_before_is_told() {
    let document = "{\n  \"ask_slots\": [\n    {\"message\": \"Gre\\qat\"}]}";
    assert_snapshot!(run(&["ask_slots[*].message", "--value"], document), @r#"
    exit status 1
    --- stdout
    {"event":"begin","pattern":0,"path":"ask_slots[0].message","kind":"string"}
    {"event":"delta","pattern":0,"path":"ask_slots[0].message","text":"Gre"}
    {"event":"error","kind":"invalid-escape","offset":40,"line":3,"column":22,"path":"ask_slots[0].message"}
    --- stderr
    error: invalid-escape: expected one of `"\/bfnrtu` after the backslash at line 3 column 22 (byte 40) in ask_slots[0].message
    "#);
}

#[test]
fn foreign_text_is_no_command_to_the_terminal() {
    // U+009B introduces control sequences; RFC 9535 lets it stand in a name without quotes.
    let refused = run(&["$..*"], "{\"\u{9b}31m\": [}");
    assert!(refused.stderr.ends_with(" in \u{fffd}31m\n"), "{refused}");
}
