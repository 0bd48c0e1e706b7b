//! Server-sent events, compared with another reader, and what servers send besides.

use jsonspigot_framing::{Frame, Frames};
use sse_core::{SseDecoder, SseEvent};

use crate::body::{check, check_with, frames};

/// Returns another reader's events of the same bytes; `None` for an event that is too long.
fn expected(input: &[u8], limit: usize) -> Vec<Option<String>> {
    let (mut decoder, mut rest, mut data) = (SseDecoder::with_limit(limit.try_into().unwrap()), input, Vec::new());
    while !rest.is_empty() {
        match decoder.next(&mut rest) {
            Some(Ok(SseEvent::Message(message))) => data.push(Some(message.data)),
            Some(Err(_)) => data.push(None),
            Some(Ok(SseEvent::Retry(_))) | None => {}
        }
    }
    data
}

fn data_of<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Vec<Option<String>> {
    let (mut frames, mut data) = (Frames::with_limit(limit), Vec::new());
    for chunk in chunks {
        frames.feed_with(chunk, |frame| match frame {
            Frame::Text(text) | Frame::Unreadable(text) => data.push(Some(text.into_owned())),
            _ => data.push(None),
        });
    }
    data
}

/// Reads every short text made of the relevant pieces.
#[test]
fn events_are_those_of_another_reader_at_every_cut() {
    let pieces: [&[u8]; 11] =
        [b"data", b":", b" ", b"\n", b"\r", b"data:x\n", b"ab", b"\xEF\xBB\xBF", b"\xEF\xBB", b"da", b"event:y\n"];
    for len in 0..=4 {
        for number in 0..pieces.len().pow(len) {
            let input: Vec<u8> = (0..len)
                .flat_map(|position| pieces[number / pieces.len().pow(position) % pieces.len()])
                .copied()
                .chain(*b"\n\n")
                .collect();
            for limit in [1, 3, 100] {
                let expected = expected(&input, limit);
                assert_eq!(data_of([&*input], limit), expected, "{:?}", String::from_utf8_lossy(&input));
                assert_eq!(data_of(input.chunks(1), limit), expected, "{:?}", String::from_utf8_lossy(&input));
            }
        }
    }
}

#[test]
fn a_data_line_that_is_an_object_needs_no_blank_line() {
    check("data: {}\ndata: {\"a\":1}\n", &["{}", "{\"a\":1}"]);
    check("data: {}\ndata: [1]\ndata: 2\n", &["{}", "[1]\n2"]);
    check("data: {\ndata: }\n\ndata: {}\ndata: {}\n", &["{\n}", "{}", "{}"]);
    check("data: {\ndata\ndata: }\n\n", &["{\n\n}"]);
}

#[test]
fn an_error_may_have_any_form() {
    check("error: {\"a\":1}\n\ndata: {}\n\n", &["exception {\"error\":{\"a\":1}}", "{}"]);
    check("data: {}\nerror: no\n", &["{}", "exception {\"error\":\"no\"}"]);
    check("data: {\nerror: \"no\"\ndata: }\n\n", &["exception {\"error\":\"no\"}", "{\n}"]);
    check(": x\n{\"a\":1}\n", &["exception {\"a\":1}"]);
    check("error:\nerror: \nevent: x\nerror\n: {\ndata: 1\n\n", &["1"]);
    check(b": x\nerror: \xFF\ndata: 1\n\n", &["bad \u{fffd}", "1"]);
    // A line that is too long is an error nonetheless; a line without a field is not known to be one.
    let long = "x".repeat(30);
    check(format!(": x\nerror: {long}\ndata: 1\n{{{long}\n\n"), &["too long", "1"]);
}

/// Checks that an event's name counts only if its data does not identify it.
#[test]
fn an_event_may_be_called_an_error() {
    for data in [r#"{"type":"error","a":1}"#, r#"{"error":"no"}"#, "no"] {
        check_with(90, format!("event: error\ndata: {data}\n\n"), &[data]);
        check_with(90, format!("event:error\ndata:{data}\n\ndata: {{}}\n"), &[data, "{}"]);
    }
    let no = [r#"exception {"error":{"message":"no"}}"#];
    check_with(90, "event: error\ndata: {\"message\":\"no\"}\n\n", &no);
    check_with(
        90,
        "data: {\"message\":\ndata: \"no\"}\nevent: error\n\n",
        &[r#"exception {"error":{"message":
"no"}}"#],
    );
    check_with(90, "event: errors\ndata: {}\n\nevent: error\n\ndata: {}\n\n", &["{}", "{}"]);
    check_with(90, "data: {}\nevent: error\ndata: {\"message\":\"no\"}\n", &["{}", no[0]]);
}

/// Checks lines of a server in front of the provider's.
#[test]
fn lines_that_are_no_fields_do_not_vanish() {
    let error = "{\n  \"error\": {\n    \"message\": \"no\"\n  }\n}";
    let exception = format!("exception {error}");
    check_with(90, format!("data: a\n\n{error}\n\ndata: b\n\n"), &["a", &exception, "b"]);
    check_with(90, format!("data: a\n\n{error}\ndata: b\n\n"), &["a", &exception, "b"]);
    check_with(90, format!("data: a\n\n{error}"), &["a", &exception]);
    check_with(90, format!("data: a\n\n{}", &error[..30]), &["a", &format!("bad {}", &error[..30])]);
    for lines in ["upstream connect error", "<html>\n<h1>502</h1>\n</html>", "2026-01-01 data: {}", "\u{feff}data: {}"]
    {
        check_with(90, format!("data: a\n\n{lines}\n\ndata: b\n\n"), &["a", &format!("bad {lines}"), "b"]);
    }
    for line in ["HTTP/1.1 200 OK", "[DONE]", "ping", "ping 1"] {
        check_with(90, format!("data: a\n\n{line}\n\ndata: b\n\n"), &["a", "b"]);
    }
    let long = format!("data: a\n\n{{\n{}\ndata: b\n\n", "  \"a\": 1,\n".repeat(20));
    assert_eq!(frames(100, [long.as_bytes()]), ["a", "too long", "b"]);
}

/// Checks that a first line is inspected once, and not again for each line after it, which would take hours.
#[test]
fn an_object_in_a_line_that_is_no_field_does_not_vanish() {
    for line in [
        "datas: {\"a\":1}",
        "data {\"a\":1}",
        "dat{\"a\":1}",
        " data: {\"a\":1}",
        "\t data:{}",
        "  {\"a\":1}",
        "DATA: {\"a\":{}}",
        "event: {}",
        "event: x data: {}",
        "message: {}",
        "delta: {\"a\":1}",
        "retry: {}",
        "id: 1 data: {}",
    ] {
        check(format!("data: a\n\n{line}\n\ndata: b\n\n"), &["a", &*format!("bad {line}"), "b"]);
    }
    // Fields of the standard, texts that are no object, and truncated objects.
    for line in [
        ": {}",
        "id: {}",
        "nel: {\"max_age\":1}",
        "x {}",
        "report-to: {\"max_age\":1}",
        "data",
        "info: 1",
        "info: {",
        "info: {} x",
        " ",
        "\t: {",
    ] {
        check(format!("data: a\n\n{line}\n\ndata: b\n\n"), if line == "data" { &["a", "", "b"] } else { &["a", "b"] });
    }
}

#[test]
fn many_lines_after_a_long_one_take_linear_time() {
    for line in ["data: x\n", "error: \n", "data\n"] {
        let first = format!("data: {{{}\n", "x".repeat(2 << 20));
        let body = [first, line.repeat(200_000), "\n".to_owned()].concat();
        assert_eq!(frames(16 << 20, [body.as_bytes()]).len(), 1);
    }
}

/// Checks an event that is sent again after a connection broke, with the id and the data of one that was read. Servers
/// that give all events one id are not affected.
#[test]
fn events_that_are_sent_once_more() {
    let event = |id: &str, data: &str| format!("id: {id}\ndata: {data}\n\n");
    let again = [("1", "a"), ("2", "b"), ("3", "b"), ("1", "a"), ("2", "b"), ("3", "b"), ("4", "b")];
    let body: String = again.map(|(id, data)| event(id, data)).concat();
    check(body, &["a", "b", "b", "b"]);
    check(again.map(|(id, data)| event(id, data).replace("\n\n", "\n")).concat(), &["a\nb\nb\na\nb\nb\nb"]);
    let objects = again.map(|(id, data)| event(id, &format!("{{\"n\":\"{data}\"}}")).replace("\n\n", "\n"));
    check(objects.concat(), &["{\"n\":\"a\"}", "{\"n\":\"b\"}", "{\"n\":\"b\"}", "{\"n\":\"b\"}"]);
    let one = [("x", "a"), ("x", "a"), ("x", "b"), ("x", "b")];
    check(one.map(|(id, data)| event(id, data)).concat(), &["a", "a", "b", "b"]);
    let changed = [("1", "a"), ("2", "b"), ("1", "c"), ("2", "b")];
    check(changed.map(|(id, data)| event(id, data)).concat(), &["a", "b", "c", "b"]);
}
