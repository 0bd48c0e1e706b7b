//! JSON texts at every cut.

use jsonspigot_framing::{Frame, Frames};

use crate::body::{check, frames};

/// The complaint about an array that never closes.
const CUT: &str = "damage incomplete: the input ends inside an array of events";

#[test]
fn lines_with_blank_ones_between() {
    check("{\"a\":1}\n\n \r\n{\"é\":2}\r\n[DONE]\n{}", &["{\"a\":1}", "{\"é\":2}", "[DONE]", "{}"]);
    check("{}\nnoise\ndata: x\n\0\n", &["{}", "noise", "data: x", "\0"]);
    check("{} \r\n[1,2]\n\n[]\n[1\n", &["{}", "[1,2]", "[]", "bad [1"]);
}

#[test]
fn a_value_over_several_lines_is_one_event() {
    check("{\n \"a\": [\n 1 ]\n}\n{}\n", &["{\n \"a\": [\n 1 ]\n}", "{}"]);
    check("\u{feff}\n{\r\n\r\n\"é\":\r\n2}\r\n{}", &["{\r\n\r\n\"é\":\r\n2}", "{}"]);
    check("{}\n[\n[1]\n,2]\n{}\n", &["{}", "[\n[1]\n,2]", "{}"]);
    // Any depth will do.
    let (open, close) = ("[".repeat(500), "]".repeat(500));
    let deep = format!("{{\"a\":\n{open}\n{close}\n}}");
    assert_eq!(frames(2000, [deep.as_bytes()]), [&*deep]);
    assert_eq!(frames(2000, deep.as_bytes().chunks(1)), [&*deep]);
}

#[test]
fn what_turns_out_to_be_no_value_is_the_lines_that_it_was() {
    check("{\n\"a\": x\n}\n{}\n", &["bad {", "\"a\": x", "}", "{}"]);
    check("{\n\n \"a\":1\n} y\n{}\n", &["bad {", "\"a\":1", "} y", "{}"]);
    check("{\n\"a\n\": 1}\n", &["bad {", "\"a", "\": 1}"]);
    check(b"{\n\"\xFF\"\n}\n{}", &["bad {", "bad \"\u{fffd}\"", "}", "{}"]);
    check("{\n\"a\": \"\\ud800\"}\n", &["bad {", "\"a\": \"\\ud800\"}"]);
    // A single line that is not JSON is one frame.
    check("{\"a\": \"x\n{}\n", &["{\"a\": \"x", "{}"]);
    check("{} {}\n{}{\n", &["{} {}", "{}{"]);
}

#[test]
fn the_line_that_does_not_fit_may_begin_a_value() {
    check("{\"a\":\n{\"b\":1}\n{\"c\":2}\n", &["bad {\"a\":", "{\"b\":1}", "{\"c\":2}"]);
    check("{\"a\":1,\n {\n\"b\":\n2}\n", &["bad {\"a\":1,", "{\n\"b\":\n2}"]);
    check("{\"a\":\n[DONE]\n{}\n", &["bad {\"a\":", "[DONE]", "{}"]);
}

#[test]
fn what_is_cut_by_the_end_is_the_lines_that_it_was() {
    check("{}\n{\n\"a\":\n \"b", &["{}", "bad {", "\"a\":", "\"b"]);
    check("{}\n{\"a\":", &["{}", "{\"a\":"]);
    check("{\n", &["bad {"]);
    check("{", &["{"]);
}

#[test]
fn each_element_of_an_array_of_objects_is_an_event() {
    check("[{\"a\":1},\n{\"b\":2}\n]\n", &["{\"a\":1}", "{\"b\":2}"]);
    check("[{\n\"a\": [1]\n}\n,\r\n{\"é\":2}]", &["{\n\"a\": [1]\n}", "{\"é\":2}"]);
    check("\u{feff} [ \n{}{} , {}]\n[{}]{}\n", &["{}", "{}", "{}", "{}", "{}"]);
    check("[{},1,\"x\",null,[{}],12\n, 3]", &["{}", "1", "\"x\"", "null", "[{}]", "12", "3"]);
    check("{}\n[\n{},\n{}]\n{}", &["{}", "{}", "{}", "{}"]);
}

#[test]
fn an_element_is_reported_when_it_closes() {
    let mut frames = Frames::new();
    for (piece, wanted) in [("[{\"a\":", 0), ("{}}", 1), (",\n{", 0), ("}", 1), ("]", 0), ("{}", 0), ("\n", 1)] {
        assert_eq!(frames.feed(piece).count(), wanted, "{piece}");
    }
}

#[test]
fn an_array_that_is_cut_or_damaged_loses_what_was_hit() {
    check("[{},\n{\"a\":", &["{}", "bad {\"a\":", CUT]);
    check("[{},\n{\n\"a\":", &["{}", "bad {", "\"a\":", CUT]);
    check("[{},\n", &["{}", "bad [", CUT]);
    check("[{}", &["{}", "bad [", CUT]);
    check("[{},12", &["{}", "bad 12", CUT]);
    check("[{\"a\":x},\n{},{}]\n{}", &["bad {\"a\":x},", "{}", "{}", "{}"]);
    check("[{\n\"a\":x\n},\n{}\n]", &["bad {", "bad \"a\":x", "bad },", "{}"]);
    check("[{\n\"a\":\n{},\n{\n}]", &["bad {", "\"a\":", "{},", "{\n}"]);
    check(b"[{\"\xFF\":1},\n{}]", &["bad {\"\u{fffd}\":1},", "{}"]);
    check("[{}}\n{}]", &["{}", "bad }", "{}"]);
}

#[test]
fn the_limit_is_an_events_own_length() {
    for [open, close] in [["", ""], ["[", "]"]] {
        for (fits, long) in [("x".repeat(12), "x".repeat(13)), ("é".repeat(6), "é".repeat(6) + "x")] {
            let (fits, long) = (format!("{{\"a\":\n\"{fits}\"}}"), format!("{{\"a\":\n\"{long}\"}}"));
            assert_eq!((fits.len(), long.len()), (21, 22));
            let (fits, long) = (fits.replacen("a", "", 1), long.replacen("a", "", 1));
            check(format!("{open}{fits}{close}"), &[&fits]);
            check(format!("{open} {fits} \r\n\n{{}}{close}"), &[&fits, "{}"]);
            check(format!("{open}{long}\n{{}}{close}"), &["too long", "{}"]);
            check(format!("{open}{long} \n {{\n}}{close}"), &["too long", "{\n}"]);
        }
    }
    // White space after a value does not count, however long it is; anything else makes the line too long.
    let fits = format!("{{\"\":\"{}\"}}", "x".repeat(13));
    check(format!("{fits}{}\n{{}}", " ".repeat(30)), &[&fits, "{}"]);
    check(format!("{fits}{}x\n{{}}", " ".repeat(30)), &["too long", "{}"]);
    check(format!("[{{}},{},{}\n,{{}}]", "1".repeat(20), "1".repeat(21)), &["{}", &"1".repeat(20), "too long", "{}"]);
}

#[test]
fn what_is_too_long_ends_where_it_would_have() {
    let long = "1,\n".repeat(10);
    check(format!("{{\"a\":[\n{long}2]}}\n{{}}"), &["too long", "{}"]);
    check(format!("{{\"a\":[\n{long}{{\n}}\n{{}}"), &["too long", "{}"]);
    check(format!("{{\"a\":[\n{long}2 x\n}}\n{{}}"), &["too long", "}", "{}"]);
    check(format!("{{\"a\":[\n{long}2"), &["too long"]);
    check(format!("[{{\"a\":[\n{long}2]}},\n{{}}]"), &["too long", "{}"]);
    check(format!("{{}}\n[{long}{{}}\n{{}}"), &["{}", "too long", "{}"]);
}

/// Returns the frames of a body in these chunks; `None` for a frame that is too long.
fn texts_of<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Option<(String, bool)>> {
    let (mut texts, mut frames) = (Vec::new(), Frames::with_limit(limit));
    let mut on_frame = |frame: Frame<'_>| match frame {
        Frame::Text(text) => texts.push(Some((text.into_owned(), true))),
        Frame::Unreadable(text) => texts.push(Some((text.into_owned(), false))),
        Frame::TooLong => texts.push(None),
        _ => {}
    };
    chunks.into_iter().for_each(|chunk| frames.feed_with(chunk, &mut on_frame));
    frames.finish_with(&mut on_frame);
    texts
}

/// Reads every short text over the relevant bytes, after a value and in an array.
#[test]
fn no_cut_changes_anything_and_nothing_is_lost() {
    let every = |bytes: &'static [u8], longest: u32| {
        let texts = move |len| (0..bytes.len().pow(len)).map(move |number| (len, number));
        let byte = move |number: usize, place| bytes[number / bytes.len().pow(place) % bytes.len()];
        (0..=longest).flat_map(texts).map(move |(len, number)| (0..len).map(|place| byte(number, place)).collect())
    };
    for input in every(b"{}[],:\"1 \n", 4).chain(every(b"{}[,\n", 5)) {
        let input: Vec<u8> = input;
        for (limit, before) in [(3, "{}\n"), (3, "[{},"), (20, "{}\n"), (20, "[{},")] {
            let body = [before.as_bytes(), &input].concat();
            let text = String::from_utf8_lossy(&body);
            let whole = texts_of(limit, [&*body]);
            assert_eq!(whole, texts_of(limit, body.chunks(1)), "{text:?}");
            // Every byte is in some frame, except for the separators of an array.
            let seen = |text: &str| -> String { text.chars().filter(|byte| !" \n,[]".contains(*byte)).collect() };
            let frames: Option<String> = whole.iter().map(|text| text.as_ref().map(|(text, _)| &**text)).collect();
            assert!(frames.map_or(limit == 3, |frames| seen(&frames) == seen(&text)), "{text:?}: {whole:?}");
        }
    }
}
