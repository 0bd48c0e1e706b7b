//! Compares the model's events and errors with the contract's examples, one line each.

use std::fmt::Write;

use super::log::{ModelEvent, ModelEventKind, Options, Verdict, concrete_path};
use super::pattern::{ModelPattern, ModelSegment, Selector};
use super::recogniser::run;

fn of<const N: usize>(segments: [ModelSegment; N]) -> ModelPattern {
    segments.into_iter().collect()
}

/// Prints a line for each event and one for the verdict.
fn shown(document: &[u8], options: &Options) -> String {
    let log = run(document, options);
    let mut out = String::new();
    for ModelEvent { pattern, path, kind, offset } in log.events {
        let kind = match kind {
            ModelEventKind::Begin(kind) => format!("begin {kind}"),
            ModelEventKind::Delta(text) => format!("delta {text}"),
            ModelEventKind::End(raw) => format!("end {}", String::from_utf8_lossy(&raw)),
            ModelEventKind::InnerError { kind, .. } => format!("inner error {kind}"),
        };
        writeln!(out, "{offset} #{pattern} {} {kind}", concrete_path(&path)).expect("a String takes all");
    }
    match log.verdict {
        Verdict::Failed { kind, offset, line, column, path } => {
            let path = path.0.unwrap_or_default();
            out + &format!("{offset} {kind} {line}:{column} {path}")
        }
        verdict => out + &format!("{verdict:?}"),
    }
}

#[track_caller]
fn check(document: &str, patterns: impl IntoIterator<Item = ModelPattern>, expected: &[&str]) {
    let shown = shown(document.as_bytes(), &Options::with_patterns(patterns));
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
}

/// Returns the verdict's line alone.
pub(super) fn failure(document: &[u8], options: &Options) -> String {
    shown(document, options).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn events_come_in_the_order_of_their_bytes() {
    let message = of([
        ModelSegment::child(Selector::named("a")),
        ModelSegment::child(Selector::Wildcard),
        ModelSegment::child(Selector::named("m")),
    ]);
    check(
        r#"{"a":[{"m":"x\/"}]}"#,
        [message, of([ModelSegment::child(Selector::named("a"))])],
        &[
            "5 #1 a begin array",
            "11 #0 a[0].m begin string",
            "12 #0 a[0].m delta x/",
            r#"16 #0 a[0].m end "x\/""#,
            r#"18 #1 a end [{"m":"x\/"}]"#,
            "Complete",
        ],
    );
    check(
        "[12,\"\"]",
        [of([ModelSegment::child(Selector::Wildcard)]), of([ModelSegment::child(Selector::Index(0))])],
        &[
            "1 #0 [0] begin number",
            "1 #1 [0] begin number",
            "3 #0 [0] end 12",
            "3 #1 [0] end 12",
            "4 #0 [1] begin string",
            r#"6 #0 [1] end """#,
            "Complete",
        ],
    );
    check(" true ", [of([])], &["1 #0 $ begin bool", "5 #0 $ end true", "Complete"]);
    check("12", [of([])], &["0 #0 $ begin number", "2 #0 $ end 12", "Complete"]);
    check("12x", [of([])], &["0 #0 $ begin number", "2 #0 $ end 12", "2 trailing-bytes 1:3 $"]);
    check("012", [of([])], &["0 #0 $ begin number", "1 invalid-number 1:2 $"]);
    check(
        "[12x",
        [of([ModelSegment::child(Selector::Index(0))])],
        &["1 #0 [0] begin number", "3 #0 [0] end 12", "3 unexpected-byte 1:4 $"],
    );
    check("[12", [of([ModelSegment::child(Selector::Index(0))])], &["1 #0 [0] begin number", "3 incomplete 1:4 [0]"]);
}

#[test]
fn open_input_ends_nothing() {
    let options = Options { end_of_input: false, ..Options::with_patterns([of([])]) };
    assert_eq!(shown(b"12", &options), "0 #0 $ begin number\nOpen");
    assert_eq!(shown(b"\"\\uD83D\\uDE0", &options), "0 #0 $ begin string\nOpen");
    assert_eq!(shown(b"\"a\\uD83D", &options), "0 #0 $ begin string\n1 #0 $ delta a\nOpen");
    assert_eq!(shown(b"nul", &options), "0 #0 $ begin null\nOpen");
    assert_eq!(shown(b"null", &options), "0 #0 $ begin null\n4 #0 $ end null\nOpen");
}

#[test]
fn errors_name_the_first_bad_byte() {
    let cases: &[(&[u8], &str)] = &[
        (b"\xEF\xBB\xBF[]", "0 unexpected-byte 1:1 $"),
        (b"{\n \"a\":\n ]", "9 unexpected-byte 3:2 $"),
        (b"\"a\n\"", "2 control-character 1:3 $"),
        (b"1 2", "2 trailing-bytes 1:3 $"),
        (b"[1]\n\n x", "6 trailing-bytes 3:2 $"),
        (b"-x", "1 invalid-number 1:2 $"),
        (b"1.x", "2 invalid-number 1:3 $"),
        (b"1e+x", "3 invalid-number 1:4 $"),
        (b"1e", "2 incomplete 1:3 $"),
        (b"trux", "3 invalid-literal 1:4 $"),
        (b"\"\\x\"", "2 invalid-escape 1:3 $"),
        (b"\"\\\n\"", "2 invalid-escape 1:3 $"),
        (b"\"\\uDC", "4 lone-surrogate 1:5 $"),
        (b"\"\\ud8g", "5 invalid-escape 1:6 $"),
        (b"\"\\uD83D\"", "7 lone-surrogate 1:8 $"),
        (b"\"\\uD83D\xFF", "7 lone-surrogate 1:8 $"),
        (b"\"\\uD83D\x01", "7 control-character 1:8 $"),
        (b"\"\\uD83D\\n", "8 lone-surrogate 1:9 $"),
        (b"\"\\uD83D\\\n", "8 invalid-escape 1:9 $"),
        (b"\"\\uD83D\\u0", "9 lone-surrogate 1:10 $"),
        (b"\"\\uD83D\\ux", "9 invalid-escape 1:10 $"),
        (b"\"\\uD83D\\uD8", "10 lone-surrogate 1:11 $"),
        (b"\"\\uD83D\\uDC0\"", "12 invalid-escape 1:13 $"),
        (b"\"\xE0\x80", "2 invalid-utf8 1:3 $"),
        (b"\"\xED\xA0", "2 invalid-utf8 1:3 $"),
        (b"\"\xF4\x90", "2 invalid-utf8 1:3 $"),
        (b"\"\xC3\"", "2 invalid-utf8 1:3 $"),
        (b"\"\xE2\x82\n", "3 invalid-utf8 1:4 $"),
        (b"\"\xC1", "1 invalid-utf8 1:2 $"),
        (b"\"\x80", "1 invalid-utf8 1:2 $"),
    ];
    for (document, expected) in cases {
        assert_eq!(failure(document, &Options::default()), *expected, "{}", document.escape_ascii());
    }
}

#[test]
fn limits_bite_at_byte_n_plus_one() {
    let limits =
        Options { depth: 2, key: Some(2), string: Some(3), number: Some(3), blank: Some(2), ..Options::default() };
    let cases: &[(&[u8], &str)] = &[
        (b"[[0],[]]", "Complete"),
        (b"[[[", "2 depth-limit 1:3 [0]"),
        (b"{\"ab\":1}", "Complete"),
        (b"{\"abc\":1}", "4 key-limit 1:5 $"),
        (b"{\"ab\n", "4 control-character 1:5 $"),
        (b"\"abc\"", "Complete"),
        (b"\"abcd\"", "4 string-limit 1:5 $"),
        (b"\"abc\\", "4 string-limit 1:5 $"),
        (b"\"ab\\\"", "4 string-limit 1:5 $"),
        (b"\"ab\\x", "4 invalid-escape 1:5 $"),
        (b"\"abc\xC3", "4 string-limit 1:5 $"),
        (b"\"abc\xFF", "4 invalid-utf8 1:5 $"),
        (b"\"ab\xC3\xA9", "4 string-limit 1:5 $"),
        (b"\"ab\xC3\"", "4 invalid-utf8 1:5 $"),
        (b"123", "Complete"),
        (b"123 ", "Complete"),
        (b"1234", "3 number-limit 1:4 $"),
        (b"1.2.", "3 trailing-bytes 1:4 $"),
        (b"12.x", "3 invalid-number 1:4 $"),
        (b"12.0", "3 number-limit 1:4 $"),
        (b"  {  }  ", "Complete"),
        (b"   ", "2 blank-limit 1:3 $"),
        (b"[ \n ", "3 blank-limit 2:1 $"),
        (b"[1 , \n ", "6 blank-limit 2:1 $"),
        (b"[]   ", "4 blank-limit 1:5 $"),
        (b"[  x", "3 unexpected-byte 1:4 $"),
    ];
    for (document, expected) in cases {
        assert_eq!(failure(document, &limits), *expected, "{}", document.escape_ascii());
    }
    let total = |most| Options { total: Some(most), ..Options::with_patterns([of([])]) };
    assert_eq!(shown(b"12", &total(2)), "0 #0 $ begin number\n2 #0 $ end 12\nComplete");
    assert_eq!(shown(b"12 ", &total(2)), "0 #0 $ begin number\n2 total-limit 1:3 $");
    assert_eq!(failure(b"\n]", &total(1)), "1 total-limit 2:1 $");
    let string = Options { string: Some(2), ..Options::with_patterns([of([])]) };
    assert_eq!(shown(b"\"a\xC3\xA9", &string), "0 #0 $ begin string\n1 #0 $ delta a\n3 string-limit 1:4 $");
}

#[test]
fn duplicates_are_refused_at_the_closing_quote() {
    let reject = Options { reject_duplicates: true, ..Options::default() };
    assert_eq!(failure(br#"{"a":{"a":1},"b":{"a":2}}"#, &reject), "Complete");
    assert_eq!(failure(br#"{"a":1,"\u0061":2}"#, &reject), "14 duplicate-key 1:15 $");
    assert_eq!(failure(br#"{"a":1,"\u0061":2}"#, &Options::default()), "Complete");
}
