//! Bodies whose events are edited while they pass: everything else is unchanged, for any cut.

use jsonspigot_framing::{EventEditor, Frame, Frames};
use proptest::prelude::*;

use crate::body::sealed;

/// Returns the output of the chunks if every event's `x` becomes `yy`, and the reported damage.
fn edited<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize, saves: bool) -> (Vec<u8>, Vec<String>) {
    let (mut out, mut told) = (Vec::new(), Vec::new());
    let mut editor = EventEditor::with_limit(limit);
    let mut edit = |frame: Frame<'_>| {
        told.push(format!("{frame:?}"));
        match frame {
            Frame::Text(text) if text == "{\"gone\": 1}" => Some(String::new()),
            Frame::Text(text) => Some(text.replace('x', "yy")).filter(|edited| *edited != text),
            _ => None,
        }
    };
    for chunk in chunks {
        if saves {
            let saved = editor.save_with("").unwrap();
            editor = EventEditor::with_limit(limit).restore_with(&saved, |_| Ok(())).unwrap().0;
            assert_eq!(editor.save_with("").unwrap(), saved);
        }
        editor.feed(chunk, &mut edit, |bytes| {
            assert!(!bytes.is_empty());
            out.extend_from_slice(bytes);
        });
    }
    editor.finish(&mut edit, |bytes| out.extend_from_slice(bytes));
    (out, told)
}

#[track_caller]
fn check(body: &str, expected: &str) {
    for size in [1, 2, 3, 7, 1000] {
        let (out, _) = edited(body.as_bytes().chunks(size), 1000, size % 2 == 1);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{size}");
    }
}

#[test]
fn lines_of_data_are_edited_and_all_others_pass() {
    check(
        ": x\nevent: x\ndata: {\"x\": 1}\nid: x\n\ndata:{}\n\n",
        ": x\nevent: x\ndata: {\"yy\": 1}\nid: x\n\ndata:{}\n\n",
    );
    check("data: {\"x\": 1}\r\n\r\ndata: [DONE]\r\n\r\n", "data: {\"yy\": 1}\r\n\r\ndata: [DONE]\r\n\r\n");
    check("data: {\"x\": 1}\r\rdata: x", "data: {\"yy\": 1}\r\rdata: yy");
    check("\u{feff}data: {\"x\": 1}\n\n", "\u{feff}data: {\"yy\": 1}\n\n");
    // Several lines of one event, and lines that are events without a blank line between them.
    check("data: {\"a\":\r\ndata: \"x\"}\r\n\r\n", "data: {\"a\":\r\ndata: \"yy\"}\r\n\r\n");
    check("data: {\"a\":\ndata: 1}\n\n", "data: {\"a\":\ndata: 1}\n\n");
    check("data: {\"x\":1}\ndata: {\"x\":2}\n", "data: {\"yy\":1}\ndata: {\"yy\":2}\n");
    // With no name, and with one that the standard does not have.
    check(
        "data: {}\n{\"error\": \"x\"}\nerror: {\"x\": 1}\nevent: {x}\n",
        "data: {}\n{\"error\": \"yy\"}\nerror: {\"yy\": 1}\nevent: {x}\n",
    );
}

#[test]
fn an_event_that_becomes_empty_is_left_out() {
    check("event: a\r\ndata: {\"gone\": 1}\r\n\r\ndata: 1\r\n\r\n", "event: a\r\n\r\ndata: 1\r\n\r\n");
    check("{\"gone\": 1}\n{\"x\": 1}\n", "\n{\"yy\": 1}\n");
}

/// Checks repeated events, which readers skip: an editor that passed them on would count their pieces twice.
#[test]
fn an_event_that_is_sent_again_is_left_out() {
    for [before, after] in [["id: 1\n", ""], ["", "id: 1\n"]] {
        let first = format!("{before}data: {{\"x\":1}}\n{after}\n");
        let second = first.replace("id: 1", "id: 2");
        let shown = |event: &str| event.replace('x', "yy");
        // If an id arrives after its data, the data waits for it.
        let third = "id: 3\ndata: {\"yy\":0}\n\n";
        let waiting = "id: 2\ndata: {\"yy\":1}\n\n";
        check(
            &[&*first, &second, &first, &second, &first.replace(":1}", ":0}").replace("id: 1", "id: 3")].concat(),
            &[&*shown(&first), waiting, "id: 1\n\nid: 2\n\n", third].concat(),
        );
    }
}

#[test]
fn json_texts_are_edited() {
    check(
        " {\"x\": \"}{\\\"x\"}\n\n{\"b\":\n[\"x\"]} [\"x\"]\n",
        " {\"yy\": \"}{\\\"yy\"}\n\n{\"b\":\n[\"yy\"]} [\"yy\"]\n",
    );
    check("[ {\"x\": 1} ,\n{\"b\": [\"x\"]}, 1 ]\n", "[ {\"yy\": 1} ,\n{\"b\": [\"yy\"]}, 1 ]\n");
    check("[[\"x\"], {}]", "[[\"yy\"], {}]");
    check("\u{feff}{\"x\": 1}\n{\"x\": 1}", "\u{feff}{\"yy\": 1}\n{\"yy\": 1}");
    check("\u{feff}\n [{\"x\": 1}]", "\u{feff}\n [{\"yy\": 1}]");
    check("{}\nx it's {\"x\": 1} x\n{\"x\": 1}", "{}\nx it's {\"yy\": 1} yy\n{\"yy\": 1}");
    // A truncated text is not JSON.
    check("{\"x\": 1", "{\"x\": 1");
}

#[test]
fn what_is_too_long_or_not_utf_8_is_told() {
    for size in [1, 5, 100] {
        let read = |body: &[u8]| edited(body.chunks(size), 12, true);
        let (out, told) = read(b"data: {\"x\":1}\n\ndata: 1\n\n");
        assert_eq!((&*out, &*told), (&b"\ndata: 1\n\n"[..], &["TooLong".to_owned(), "Text(\"1\")".to_owned()][..]));
        let (out, told) = read(b"{\"x\":123456789}\n{\"x\":1}");
        assert_eq!(
            (&*out, &*told),
            (&b"\n{\"yy\":1}"[..], &["TooLong".to_owned(), "Text(\"{\\\"x\\\":1}\")".to_owned()][..])
        );
        let (out, told) = read(b"data: x\xFF\n\n");
        assert_eq!((&*out, &*told), (&b"data: x\xFF\n\n"[..], &["Unreadable(\"x\u{fffd}\")".to_owned()][..]));
    }
}

proptest! {
    #[test]
    fn any_body_is_edited_alike_at_any_cut(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "data: ", "data:", "data", "\n", "\r\n", "\r", "{\"x\": 1}", "{\"a\": [\"x\"", "]}", "[", "]", ",", "\"", "\\", "{", "}",
            "{\"gone\": 1}", ": x", "event: x", "error: ", " ", "x", "é", "\u{feff}", "[DONE]",
        ]), 0..30),
        size in 1..9_usize,
        limit in 1..60_usize,
    ) {
        let body = pieces.concat();
        let whole = edited([body.as_bytes()], limit, false);
        prop_assert_eq!(edited(body.as_bytes().chunks(size), limit, true), whole.clone());
        prop_assert_eq!(edited(body.as_bytes().chunks(1), limit, false), whole);
    }

    /// Checks that a body's events are the same for an editor and for `Frames`.
    #[test]
    fn what_is_read_of_a_json_body_is_what_is_edited(
        mark in prop::sample::select(vec!["", "\u{feff}", "\n", "\u{feff} \r\n"]),
        texts in prop::collection::vec(prop::sample::select(vec!["{\"x\": 1}", "{\"a\": [\"x\"]}", "{}"]), 1..5),
        is_array: bool,
        size in 1..9_usize,
    ) {
        let body = if is_array { format!("{mark}[{}]", texts.join(",")) } else { format!("{mark}{}\n", texts.join("\n")) };
        let mut read = Vec::new();
        let mut frames = Frames::new();
        frames.feed_with(&body, |frame| read.push(format!("{frame:?}")));
        frames.finish_with(|frame| read.push(format!("{frame:?}")));
        let (out, told) = edited(body.as_bytes().chunks(size), 1000, true);
        prop_assert_eq!(told, read);
        prop_assert_eq!(String::from_utf8(out).unwrap(), body.replace('x', "yy"));
    }

    #[test]
    fn any_state_is_refused_or_goes_on(
        body in "[data: \n\r{}\\[\\]\"x\\\\]{0,30}",
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        rest in "[data: \n\r{}\\[\\]\"x\\\\]{0,30}",
    ) {
        let mut editor = EventEditor::with_limit(20);
        editor.feed(&body, |_| None, |_| {});
        let mut saved = editor.save_with("state").unwrap();
        for (place, byte) in edits {
            let place = 25 + place.index(saved.len() - 25 - 5);
            saved[place] = byte;
        }
        let saved = sealed(&saved[25..saved.len() - 5], b"state");
        if let Ok((mut editor, _)) = EventEditor::with_limit(20).restore_with(&saved, |_| Ok(())) {
            editor.feed(&rest, |_| None, |_| {});
            editor.finish(|_| None, |_| {});
        }
    }
}
