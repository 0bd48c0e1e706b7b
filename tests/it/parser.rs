//! Promises of the parser's interface besides the laws: retention, stopping, calls at the wrong time.

use jsonspigot::{Error, ErrorKind, Event, EventKind, Parser, PatternSet, Retain, ValueKind};
use jsonspigot_check::laws::Law;
use proptest::prelude::*;

use super::model::generate::{Keys, respelt};

fn set(patterns: &[&str]) -> PatternSet {
    PatternSet::new(patterns).unwrap()
}

fn finish(parser: &mut Parser) -> Result<(), Error> {
    parser.finish().check()
}

/// Returns the texts of all ends, `None` if nothing was kept.
fn ends(parser: &mut Parser, chunks: &[&str]) -> Vec<Option<String>> {
    let mut ends = Vec::new();
    for chunk in chunks {
        for event in parser.feed(chunk) {
            if let EventKind::End(value) = event.unwrap().kind {
                ends.push(value.map(|value| value.text().to_owned()));
            }
        }
    }
    ends
}

#[test]
fn each_retention_keeps_what_it_says() {
    let chunks = [r#"{"a": {"b": ["x"#, r#"y", 1"#, r#"2]}, "c": "gone", "#, r#""a": "z"}"#];
    let whole: Vec<_> = [r#""xy""#, "12", r#"["xy", 12]"#, r#"{"b": ["xy", 12]}"#, r#""z""#].map(Some).to_vec();
    let patterns = set(&["a", "a.b", "a.b[*]"]);
    for (retain, expected) in [
        (Retain::All, whole.clone()),
        (Retain::Matches, whole),
        (Retain::Nothing, vec![None, Some("12"), None, None, None]),
    ] {
        let mut parser = Parser::builder().retain(retain).patterns(&patterns).build();
        let seen = ends(&mut parser, &chunks);
        assert_eq!(seen.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{retain:?}");
        finish(&mut parser).unwrap();
        match retain {
            Retain::All => assert_eq!(parser.text().unwrap(), chunks.concat().as_bytes()),
            _ => {
                assert_eq!(parser.text().unwrap_err().kind(), ErrorKind::NotRetained);
                assert_eq!(parser.deserialize::<serde_json::Value>().unwrap_err().kind(), ErrorKind::NotRetained);
            }
        }
    }
}

/// Checks that a type is read from the text alone; if none is kept, the snapshot can be read by itself.
#[test]
fn deserialize_needs_text_and_not_a_snapshot() {
    for retain in [Retain::Matches, Retain::Nothing] {
        let mut parser = Parser::builder().snapshots().retain(retain).build();
        parser.feed("[1, 2]").check().unwrap();
        finish(&mut parser).unwrap();
        assert_eq!(parser.deserialize::<Vec<u8>>().unwrap_err().kind(), ErrorKind::NotRetained);
        let read = parser.snapshot().unwrap().deserialize::<Vec<u8>>().unwrap().unwrap();
        assert_eq!(read.into_complete().unwrap(), [1, 2]);
    }
}

#[test]
fn leaving_the_loop_loses_only_events() {
    let mut parser = Parser::new(&set(&["[*]"]));
    assert!(parser.feed("[1, 2, 3").next().is_some());
    assert_eq!(parser.offset(), 8);
    assert_eq!(parser.feed("]").count(), 1, "the 3's end: the dropped events are not reported late");
    finish(&mut parser).unwrap();
    assert_eq!(parser.deserialize::<Vec<u8>>().unwrap(), [1, 2, 3]);
}

/// Checks blocks whose words are all equal.
#[test]
fn repeated_characters_come_out_whole() {
    for character in ["a", "é", "₹", "😀"] {
        for (before, count) in (0..8).flat_map(|before| (0..70).map(move |count| (before, count))) {
            let text = format!("{}{}", "x".repeat(before), character.repeat(count));
            for size in [7, 32, 33, 64, usize::MAX] {
                let mut parser = Parser::new(&set(&["$"]));
                let mut seen = String::new();
                for chunk in format!("\"{text}\"").as_bytes().chunks(size) {
                    for event in parser.feed(chunk) {
                        if let EventKind::Delta(delta) = event.unwrap().kind {
                            seen.push_str(&delta);
                        }
                    }
                }
                finish(&mut parser).unwrap();
                assert_eq!(seen, text, "in chunks of {size}");
            }
        }
    }
}

#[test]
fn the_iterator_of_events_knows_its_length() {
    let mut parser = Parser::new(&set(&["$[*]"]));
    let mut events = parser.feed("[1, 2 x");
    for left in (0..=5).rev() {
        assert_eq!((events.len(), events.size_hint()), (left, (left, Some(left))));
        assert_eq!(events.next().is_some(), left > 0);
    }
    assert_eq!(parser.finish().len(), 1);
}

pub(super) fn deserialize_fails_before_finish() {
    let mut parser = Parser::default();
    parser.feed("[1]").check().unwrap();
    assert!(parser.is_complete());
    let early = parser.deserialize::<Vec<u8>>().unwrap_err();
    assert_eq!((early.kind(), early.offset()), (ErrorKind::Incomplete, 3));
    finish(&mut parser).unwrap();
    assert_eq!(parser.deserialize::<Vec<u8>>().unwrap(), [1]);
    Law::NeverRepaired.mark_compared();
}

pub(super) fn bytes_after_finish_are_refused_and_the_value_stays() {
    let mut parser = Parser::new(&set(&["$"]));
    parser.feed("12").check().unwrap();
    finish(&mut parser).unwrap();
    assert_eq!(parser.finish().count(), 0);
    assert_eq!(parser.feed("").count(), 0);
    let error = parser.feed_with(" ", |_| unreachable!("nothing is reported")).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ErrorKind::Finished, 2));
    assert_eq!(parser.deserialize::<u8>().unwrap(), 12);
    Law::ErrorsStick.mark_compared();
}

#[test]
fn a_complete_value_knows_its_kind() {
    for (text, kind) in [
        (" {}", ValueKind::Object),
        ("[{}]", ValueKind::Array),
        ("\n\"[\"", ValueKind::String),
        ("true", ValueKind::Bool),
        ("false ", ValueKind::Bool),
        ("null", ValueKind::Null),
        ("0", ValueKind::Number),
        ("-1e1", ValueKind::Number),
    ] {
        let mut parser = Parser::new(&set(&["$"]));
        let mut reported = None;
        let mut on_event = |event: Event<'_>| match event.kind {
            EventKind::Begin(kind) => assert!(reported.replace(kind).is_none()),
            EventKind::End(value) => assert_eq!(Some(value.unwrap().kind()), reported),
            _ => {}
        };
        parser.feed_with(text, &mut on_event).unwrap();
        parser.finish_with(&mut on_event).unwrap();
        assert_eq!((parser.complete().unwrap().kind(), reported), (kind, Some(kind)), "{text}");
        assert_eq!(kind.is_atom(), !text.contains(['{', '[', '"']), "{text}");
    }
}

#[test]
fn after_an_error_the_text_before_it_stays_readable() {
    let mut parser = Parser::new(&set(&["a"]));
    parser.feed("{\n \"a\": [1,").check().unwrap();
    let error = parser.feed(" 2, x]}").check().unwrap_err();
    assert_eq!((error.kind(), error.offset(), error.line(), error.column()), (ErrorKind::UnexpectedByte, 15, 2, 14));
    assert_eq!(error.path(), Some("a"));
    assert_eq!(parser.text().unwrap(), b"{\n \"a\": [1, 2, ");
    assert_eq!(parser.offset(), 15);
    assert_eq!(parser.deserialize::<serde_json::Value>().unwrap_err(), error);
    assert_eq!(finish(&mut parser).unwrap_err(), error);
}

#[test]
fn deserialize_names_the_value_that_does_not_fit() {
    let mut parser = Parser::new(&set(&["b"]));
    let mut inner = None;
    parser
        .feed_with("{\"a\": 1,\n \"b\": [true,\n 7]}", |event| {
            if let EventKind::End(Some(value)) = event.kind {
                inner = Some(value.deserialize::<Vec<bool>>().unwrap_err());
            }
        })
        .unwrap();
    let inner = inner.unwrap();
    assert_eq!((inner.kind(), inner.path()), (ErrorKind::Data, Some("b[1]")));
    assert!((22..=23).contains(&inner.offset()), "{inner}");
    finish(&mut parser).unwrap();
    let whole = parser.deserialize::<Vec<u8>>().unwrap_err();
    assert_eq!((whole.kind(), whole.path()), (ErrorKind::Data, Some("$")));
}

#[test]
fn serde_json_reads_127_levels_and_we_say_so() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let limits = jsonspigot::Limits::new().depth(200);
    for (depth, fits) in [(127, true), (128, false)] {
        let mut parser = Parser::builder().limits(limits).build();
        parser.feed(nested(depth)).check().unwrap();
        finish(&mut parser).unwrap();
        let refused = parser.deserialize::<serde_json::Value>().err().map(|error| error.kind());
        assert_eq!(refused, (!fits).then_some(ErrorKind::DepthLimit));
    }
}

pub(super) fn duplicate_keys_are_reported_each_and_the_last_wins() {
    let mut parser = Parser::new(&set(&["a"]));
    let reported: Vec<_> = parser.feed(r#"{"a": 1, "\u0061": 2}"#).map(|event| event.unwrap()).collect();
    assert_eq!(reported.len(), 4);
    assert_ne!(reported[0].match_id, reported[2].match_id);
    assert_eq!(reported[0].path, reported[2].path);
    finish(&mut parser).unwrap();
    assert_eq!(parser.deserialize::<serde_json::Value>().unwrap()["a"], 2);
    Law::DuplicateKeys.mark_compared();
}

/// Paths of closed values are dropped from time to time (`tests/memory.rs` sees it): those of open ones stay as they
/// are.
#[test]
fn long_containers_inside_open_ones_keep_their_paths() {
    let limits = jsonspigot::Limits::new().depth(200);
    let mut parser = Parser::builder().limits(limits).retain(Retain::Nothing).patterns(&set(&["$..*"])).build();
    let mut open = String::new();
    for level in 0..200 {
        // An array and an object in turn, of 50 numbers and the next level.
        let is_array = level % 2 == 0;
        let (bracket, numbers): (char, String) = match is_array {
            true => ('[', (0..50).map(|_| "0,".to_owned()).collect()),
            false => ('{', (0..50).map(|place| format!("\"k{place}\":0,")).collect()),
        };
        let mut chunk = format!("{bracket}{numbers}");
        if !is_array {
            chunk.push_str("\"k50\":");
        }
        // The numbers begin and end; the container began with its bracket, unless it is the root.
        let mut expected = if level == 0 { Vec::new() } else { vec![open.clone()] };
        let child = |place: usize| match is_array {
            true => format!("{open}[{place}]"),
            false => format!("{open}{}k{place}", if open.is_empty() { "" } else { "." }),
        };
        expected.extend((0..50).flat_map(|place| [child(place), child(place)]));
        let reported: Vec<String> = parser.feed(chunk).map(|event| event.unwrap().path.to_string()).collect();
        assert_eq!(reported, expected, "level {level}");
        open = child(50);
    }
}

/// Returns the text without the white space between its tokens.
fn compact(text: &str) -> String {
    let (mut is_inside, mut is_escaped) = (false, false);
    let is_kept = |c: &char| {
        let was_inside = is_inside;
        match *c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_inside,
            '"' => is_inside = !is_inside,
            _ => {}
        }
        was_inside || !c.is_ascii_whitespace()
    };
    text.chars().filter(is_kept).collect()
}

proptest! {
    /// Checks that a complete value prints in its spelling, on one line, both reported ones and the whole.
    #[test]
    fn complete_values_print_compactly((_, document) in respelt(Keys::Repeated)) {
        let text = String::from_utf8(document).unwrap();
        let mut parser = Parser::new(&set(&["$..*"]));
        parser
            .feed_with(&text, |event| {
                if let EventKind::End(value) = event.kind {
                    let value = value.unwrap();
                    assert_eq!(value.to_string(), compact(value.text()));
                    assert_eq!(value.bytes(), value.text().as_bytes());
                    assert_eq!(value.span().end, event.offset);
                }
            })
            .unwrap();
        finish(&mut parser).unwrap();
        let whole = parser.complete().unwrap();
        prop_assert_eq!(whole.to_string(), compact(&text));
        prop_assert_eq!(format!("{whole:?}"), format!("CompleteValue({})", compact(&text)));
        prop_assert_eq!(whole.text(), text.trim());
        prop_assert_eq!(&text[whole.span().start as usize..whole.span().end as usize], text.trim());
    }
}

/// Checks that a reader that knows the end of a text does not stop: bytes after the root are an error there.
#[test]
fn texts_with_an_end_of_their_own_do_not_stop_at_the_root() {
    use jsonspigot::{DocumentEvent, Documents, Framing};

    let parser = Parser::builder().stop_at_root().build();
    let mut documents = Documents::new(Framing::Lines, parser);
    let mut verdicts = Vec::new();
    let on_event = |event: DocumentEvent<'_>| {
        if let DocumentEvent::End(ended) = event {
            verdicts.push(ended.parser().unwrap().error().map(jsonspigot::Error::kind));
        }
    };
    documents.feed_with("{} {}\n[]\n", on_event).unwrap();
    assert_eq!(verdicts, [Some(ErrorKind::TrailingBytes), None]);
}

#[test]
fn a_parser_that_stops_at_the_root_ignores_the_rest() {
    for patterns in [PatternSet::default(), PatternSet::new(["a | b"]).unwrap()] {
        let mut parser = Parser::builder().stop_at_root().snapshots().patterns(&patterns).build();
        parser.feed("{} no").check().unwrap();
        assert_eq!((parser.offset(), parser.is_complete()), (2, true));
        parser.feed("more").check().unwrap();
        assert_eq!((parser.offset(), parser.text().unwrap()), (2, &b"{}"[..]));
        let restored =
            Parser::builder().stop_at_root().snapshots().patterns(&patterns).build().restore(&parser.save().unwrap());
        let mut restored = restored.unwrap();
        restored.feed("more").check().unwrap();
        assert_eq!((restored.offset(), restored.text().unwrap()), (2, &b"{}"[..]));
        assert!(Parser::builder().snapshots().patterns(&patterns).build().restore(&parser.save().unwrap()).is_err());
        for parser in [&mut parser, &mut restored] {
            parser.finish().check().unwrap();
            assert_eq!(parser.deserialize::<serde_json::Value>().unwrap(), serde_json::json!({}));
            assert_eq!(parser.feed("x").check().unwrap_err().kind(), ErrorKind::Finished);
        }
    }
    // A number continues until another byte arrives.
    let mut parser = Parser::builder().stop_at_root().build();
    parser.feed("1").check().unwrap();
    parser.feed("2, 3").check().unwrap();
    assert_eq!((parser.offset(), parser.is_complete()), (2, true));
}
