//! The formats and their detection, at every cut.

use crate::body::{check, frames};

#[test]
fn events_with_every_line_end() {
    for end in ["\n", "\r", "\r\n"] {
        let input = [": hi", "event: x", "data: {\"a\":1}", "", "", "data:{}", "id: 1", ""].join(end);
        check(&input, &["{\"a\":1}", "{}"]);
        // The last blank line, or even the last line's end, may be missing.
        check(input + end, &["{\"a\":1}", "{}"]);
    }
    check("data: {}", &["{}"]);
}

#[test]
fn a_byte_order_mark_and_blank_lines_may_come_first() {
    check("\u{feff}data: {}\n\n", &["{}"]);
    check("\n\r\n\ndata: {}\n\n", &["{}"]);
    check("\u{feff}{\"a\":1}\n", &["{\"a\":1}"]);
    check("\u{feff}\r\n  {\"a\":1}\r\n", &["{\"a\":1}"]);
    check(" data: {}\n\ndata: 1\n\n", &["bad  data: {}", "1"]);
    check("", &[]);
    check("\u{feff} \n", &[]);
}

/// `（` begins with the first byte of a byte order mark.
#[test]
fn a_line_that_begins_like_a_byte_order_mark_is_not_lost() {
    let with = |first: &str| frames(200, [format!("{first}rror {{\"a\":1}}\ndata: {{}}\n\n").as_bytes()]);
    assert_eq!(with("（"), with("x").iter().map(|frame| frame.replace('x', "（")).collect::<Vec<_>>());
    check(format!("（{}\ndata: {{}}\n\n", "x".repeat(30)), &["{}"]);
}

#[test]
fn data_lines_are_joined_and_one_space_is_dropped() {
    check("data: {\ndata:  \"a\":1\ndata\ndata:}\n\n", &["{\n \"a\":1\n\n}"]);
    check("data: é😀\n\ndata: [DONE]\n\n", &["é😀", "[DONE]"]);
    check(":\n\n: ping\n\nretry: 5\n\nevent: x\n\n", &[]);
}

#[test]
fn what_is_in_no_format_is_no_frame() {
    for input in
        ["", "[", "[ \n", "\u{feff}[", "[1,2]", "[[{}]]", "[]", "[DONE]\n", "\0", "\0\0\n\n", "null", "\"data: 1\"\n\n"]
    {
        check(input, &[]);
    }
    // A line that is not a field is ignored, whatever it starts with.
    check("[1] hello\ndata: {}\n\n", &["{}"]);
    check("[ [\n\ndata: {}\n\n", &["{}"]);
    check("\0 hello\ndata: {}\n\n", &["{}"]);
}

#[test]
fn lines_before_the_first_event_belong_to_what_follows() {
    // A program's notices, as its terminal has them.
    check("npm warn x\n\n  at y: z\n{\"a\":1}\n{}\n", &["npm warn x", "at y: z", "{\"a\":1}", "{}"]);
    check("⚠ x\r\n{\"a\":1}\r\n", &["⚠ x", "{\"a\":1}"]);
    check("\u{1b}[33mx, y, and z\n {}\n", &["\u{1b}[33mx, y, and z", "{}"]);
    check("[info] x\n{}\n", &["[info] x", "{}"]);
    check("error: x\nevent\n{}\n", &["error: x", "event", "{}"]);
    check("error: x\n", &["exception {\"error\":\"x\"}"]);
    check("dates: 1\nDate: 2\n{}\n", &["dates: 1", "Date: 2", "{}"]);
    check(format!("{}\n{{}}\n", "x".repeat(30)), &["too long", "{}"]);
    // The headers of a response.
    check("HTTP/1.1 200 OK\r\nx: {y}\r\n\r\ndata: {}\n\n", &["{}"]);
    check("HTTP/1.1 200 OK\n\n{\"a\":1}", &["HTTP/1.1 200 OK", "{\"a\":1}"]);
    for first in [": x", "event: x", "id: 1", "retry: 5"] {
        check(format!("x\n{first}\n{{}}\n"), &["exception {}"]);
    }
    // No more is held of them than some kilobytes.
    let input = format!("{}\n{{}}\n\ndata: 1\n\n", "x\n".repeat(10_000));
    assert_eq!(frames(20, input.as_bytes().chunks(999)), ["exception {}", "1"]);
}

#[test]
fn an_error_may_come_first() {
    check("event: error\ndata: {\"a\":1}\n\ndata: {}\n\n", &["exception {\"error\":{\"a\":1}}", "{}"]);
}

#[test]
fn what_is_not_utf8_is_reported_with_replacements_and_the_rest_is_read() {
    check(b"data: a\xFF\n\ndata: b\n\n", &["bad a\u{fffd}", "b"]);
    check(b"data: a\xE2\x82\n\ndata: \xEF\xBF\xBD\n\n", &["bad a\u{fffd}", "\u{fffd}"]);
    // Skipped data may be anything.
    check(b": \xFF\ndata: b\n\n", &["b"]);
    check(b"{\xFF}\n{}\n", &["bad {\u{fffd}}", "{}"]);
}

#[test]
fn what_is_too_long_is_left_out_once() {
    let (fits, long) = ("x".repeat(18), "x".repeat(19));
    check(format!("data: {fits}xx\n\ndata: {long}xx\n\ndata: 1\n\n"), &[&format!("{fits}xx"), "too long", "1"]);
    check(format!("data: {fits}\ndata: {fits}\ndata: {fits}\n\ndata: 1\n\n"), &["too long", "1"]);
    check(format!("{{{fits}}}\n{{{long}}}\n{{}}\n"), &[&format!("{{{fits}}}"), "too long", "{}"]);
    check(format!("{{{long}{long}{long}"), &["too long"]);
}
