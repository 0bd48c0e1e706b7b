//! Many texts in one stream: each is read as it would be alone.

use jsonspigot::{
    DeviationKind, DocumentEvent, Documents, ErrorKind, Event, EventKind, Framing, Leniency, Limits, Parser,
    ParserBuilder, PatternSet, Retain,
};
use proptest::prelude::*;

use super::model::chunking::{chunks, each_byte, torture_cuts, with_cuts};
use super::model::log::{Options, flaws};
use super::model::mutate::any_document;
use super::model::pattern::{everything_below, root};
use super::properties::documents::are_those_alone;

fn all() -> Options {
    Options::with_patterns([root(), everything_below()])
}

/// Streams in which a text's end, or what is wrong with it, can be missed.
const STREAMS: &[&[u8]] = &[
    b"",
    b"\n",
    b" \r\n\t\n",
    b"{}\n[]\n",
    b"{}\r\n[]\r\n\r\n1",
    b"1\n2\n3",
    b"{}{}[][]",
    b"1 2\t3",
    b"\"a\"\"b\"\"\"",
    b"1\"a\"2[3]4{}null[]true{\"a\":false}",
    b"nulltrue",
    b"12-3",
    b"-\n-1",
    b"1x\n2",
    b"tru\ntrue",
    b"[1\n2]\n3",
    b"{\"a\":\n1}",
    b"\"a\nb\"",
    b"[1,\n]\n{\"a\":1}\nnil\n[",
    b"} {}",
    b"1,2",
    b"[]]\n[]",
    b"\x1e{}\n\x1e[1]\n\x1e",
    b"\x1e\x1e 1\n\x1e1\x1e\"a\"\x1etrue\x1etrue ",
    b"\x1e1\n2\x1e[\x1e]",
    b"{}\x1e{}",
    b" \n\x1e\xEF\xBB\xBF1\n\x1e1 ",
    b"\"\xF0\x9F\x98\x80\\uD83D\\uDE00\"\n\"\xF0\x9F\n1.5e+3\n",
    b"\"\\x\"\n\"\\d\"1",
    b"[\"a\x01\"]\n[2]\n3",
];

#[test]
fn streams_at_every_cut() {
    for stream in STREAMS {
        for framing in Framing::ALL {
            for cuts in torture_cuts(stream.len()) {
                are_those_alone(stream, &cuts, *framing, &all());
            }
            let (cuts, lenient) = (each_byte(stream.len()), Options { lenient: flaws(true), ..all() });
            are_those_alone(stream, &cuts, *framing, &lenient);
            for limit in 0..8 {
                are_those_alone(stream, &cuts, *framing, &Options { total: Some(limit), ..all() });
                are_those_alone(stream, &cuts, *framing, &Options { number: Some(limit), ..all() });
                are_those_alone(stream, &cuts, *framing, &Options { depth: limit, ..all() });
            }
        }
    }
}

/// Generates documents of every kind, joined by text that is allowed between them, or not.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    const BETWEEN: [&[u8]; 8] = [b"\n", b"\n", b"\x1e", b"\n\x1e", b"", b" ", b"\r\n", b","];
    let document = any_document().prop_map(|document| document[..document.len().min(60)].to_vec());
    let parts = prop::collection::vec((document, prop::sample::select(&BETWEEN[..])), 0..5);
    parts.prop_map(|parts| {
        parts.into_iter().flat_map(|(document, between)| [document, between.to_vec()]).flatten().collect()
    })
}

pub(super) fn any_stream_any_cut() {
    proptest!(|(
        (stream, cuts) in with_cuts(stream()),
        framing in prop::sample::select(Framing::ALL),
        (total, blank, depth) in (prop::option::of(0_u64..90), prop::option::of(0_u64..4), 1_u64..9),
        (reject_duplicates, is_lenient) in any::<(bool, bool)>(),
    )| {
        are_those_alone(&stream, &cuts, framing, &Options { total, blank, depth, reject_duplicates, lenient: flaws(is_lenient), ..all() });
    });
}

/// Returns the numbers and kinds of the documents that failed, and the number of documents.
fn failed(framing: Framing, limits: Limits, stream: &str) -> (Vec<(u64, ErrorKind)>, u64) {
    let parser = Parser::builder().limits(limits).build();
    let mut documents = Documents::new(framing, parser);
    let mut failed = Vec::new();
    let mut on_event = |event: DocumentEvent<'_>| {
        if let DocumentEvent::End(ended) = event {
            failed.extend(ended.error().map(|error| (ended.number(), error.kind())));
        }
    };
    let _ = documents.feed_with(stream, &mut on_event);
    let _ = documents.finish_with(&mut on_event);
    (failed, documents.number())
}

#[test]
fn a_document_over_a_limit_fails_alone() {
    let stream = "[1]\n[[1]]\n[1000]\n\"long enough\"\n[2]\n";
    let limits = Limits::new().depth(1).number(3).string(5);
    let kinds = vec![(1, ErrorKind::DepthLimit), (2, ErrorKind::NumberLimit), (3, ErrorKind::StringLimit)];
    assert_eq!(failed(Framing::Lines, limits, stream), (kinds.clone(), 5));
    let sequence: String = stream.lines().map(|line| format!("\x1e{line}\n")).collect();
    assert_eq!(failed(Framing::Sequence, limits, &sequence), (kinds, 5));
    assert_eq!(failed(Framing::Concatenated, limits, stream), (vec![(1, ErrorKind::DepthLimit)], 2));
    // The total is each document's, not the stream's.
    assert_eq!(failed(Framing::Lines, Limits::new().total(5), &"[123]\n".repeat(50)), (vec![], 50));
}

/// Checks that the texts of many documents in one chunk are not copied again for each of them, and that a text that is
/// longer than many windows is kept whole.
#[test]
fn a_chunk_of_many_documents_and_long_ones() {
    let long = format!("[{}]", vec!["\"some text\""; 3000].join(","));
    let stream = format!("{}{long}{}", "[1]".repeat(20_000), "{}".repeat(20_000));
    let patterns = PatternSet::new(["$"]).unwrap();
    for retain in [Retain::All, Retain::Matches] {
        let parser = Parser::builder().retain(retain).patterns(&patterns).build();
        let mut documents = Documents::new(Framing::Concatenated, parser);
        let mut texts = Vec::new();
        let mut on_event = |event: DocumentEvent<'_>| {
            if let DocumentEvent::Match { event, .. } = event
                && let jsonspigot::EventKind::End(value) = event.kind
            {
                texts.push(value.unwrap().text().to_owned());
            }
        };
        documents.feed_with(&stream, &mut on_event).unwrap();
        documents.finish_with(&mut on_event).unwrap();
        assert_eq!(texts.len(), 40_001);
        assert_eq!(texts[20_000], long);
        assert_eq!(texts.concat(), stream);
    }
}

#[test]
fn names_go_and_come() {
    for framing in Framing::ALL {
        assert_eq!(framing.name().parse(), Ok(*framing));
    }
    assert!("csv".parse::<Framing>().is_err());
}

#[test]
fn strings_are_read_inside_in_each_document() {
    let texts = [r#"{"a":"{\"b\":\"x\\n\"}"}"#, r#"{"a":"[1"}"#, r#""[true]""#, r#"{"a":"{\"b\":[null]}"}"#];
    let patterns = PatternSet::new(["a | b", "$ | [0]", "a"]).unwrap();
    let joined = |reported: &mut Vec<String>, event: Event<'_>, document: u64| {
        let of_match = format!("{document} delta {} ", event.match_id);
        let first = reported.iter_mut().find(|reported| reported.starts_with(&of_match));
        match (event.kind, first) {
            (EventKind::Delta(text), Some(first)) => first.push_str(&text),
            (EventKind::Delta(text), None) => reported.push(of_match + &text),
            (kind, _) => {
                reported.push(format!("{document} {} {} {} {kind:?}", event.match_id, event.path, event.offset));
            }
        }
    };
    let mut alone = Vec::new();
    for (document, text) in (0..).zip(texts) {
        let mut parser = Parser::new(&patterns);
        parser.feed_with(text, |event| joined(&mut alone, event, document)).unwrap();
        parser.finish_with(|event| joined(&mut alone, event, document)).unwrap();
    }
    assert!(alone.iter().any(|reported| reported.contains("InnerError")), "{alone:#?}");
    for (framing, before, after) in
        [(Framing::Lines, "", "\n"), (Framing::Concatenated, "", ""), (Framing::Sequence, "\u{1e}", "\n")]
    {
        let stream: String = texts.iter().map(|text| format!("{before}{text}{after}")).collect();
        for cuts in torture_cuts(stream.len()) {
            let mut reported = Vec::new();
            let mut documents = Documents::new(framing, Parser::new(&patterns));
            let mut on_event = |event: DocumentEvent<'_>| {
                if let DocumentEvent::Match { document, event } = event {
                    joined(&mut reported, event, document);
                }
            };
            for chunk in chunks(stream.as_bytes(), &cuts) {
                documents.feed_with(chunk, &mut on_event).unwrap();
            }
            documents.finish_with(&mut on_event).unwrap();
            assert_eq!(reported, alone, "{framing} cut at {cuts:?}");
        }
    }
}

/// Checks the texts of a stream with accepted comments, or the position of its error, at every cut.
#[track_caller]
fn check_comments(framing: Framing, stream: &str, expected: &[&str]) {
    check_texts(&Parser::builder().lenient(Leniency::ALL).accept_deviations(), framing, stream, expected);
}

#[track_caller]
fn check_texts(builder: &ParserBuilder, framing: Framing, stream: &str, expected: &[&str]) {
    for cuts in torture_cuts(stream.len()) {
        let mut documents = Documents::new(framing, builder.build());
        let mut reported = Vec::new();
        let mut on_event = |event: DocumentEvent<'_>| {
            if let DocumentEvent::End(ended) = event {
                let (start, len) = (ended.start() as usize, ended.byte_count() as usize);
                let mut alone = builder.build();
                alone.feed(&stream.as_bytes()[start..start + len]).check().unwrap();
                assert_eq!(ended.parser().unwrap().text(), alone.text(), "{stream:?} cut at {cuts:?}");
                let text = ended.complete().map(|value| value.text().to_owned());
                reported.push(
                    text.unwrap_or_else(|error| format!("{} {}", error.kind().name(), ended.start() + error.offset())),
                );
            }
        };
        for chunk in chunks(stream.as_bytes(), &cuts) {
            if documents.feed_with(chunk, &mut on_event).is_err() {
                break;
            }
        }
        let ended = documents.finish_with(&mut on_event);
        assert_eq!(reported, expected, "{stream:?} cut at {cuts:?}");
        let bad_byte = reported.last().and_then(|last| last.rsplit(' ').next()?.parse().ok());
        let read = if ended.is_err() { bad_byte } else { Some(stream.len() as u64) };
        assert_eq!(Some(documents.offset()), read, "{stream:?} cut at {cuts:?}");
    }
}

/// Checks that a comment right after a number or literal ends it, and belongs to the next document.
#[test]
fn a_comment_may_follow_a_number_or_literal() {
    for (stream, expected) in [
        ("1/* {} */2//\n{}", &["1", "2", "{}"][..]),
        ("None#c\n True/**/[1,]", &["null", "true", "[1]"]),
        ("-Infinity/**/ -1", &["null", "-1"]),
        ("1/2", &["trailing-bytes 1"]),
        ("{}1/ {}", &["{}", "trailing-bytes 3"]),
        ("1 2/", &["1", "trailing-bytes 3"]),
        ("1//\n2/x", &["1", "trailing-bytes 5"]),
    ] {
        check_comments(Framing::Concatenated, stream, expected);
    }
}

/// Checks that the beginning of a comment is an error of the number before it, if comments are not allowed.
#[test]
fn no_comment_follows_a_number_in_strict_texts() {
    for (stream, expected) in
        [("1#\n2", &["trailing-bytes 1"]), ("1/**/2", &["trailing-bytes 1"]), ("true#", &["trailing-bytes 4"])]
    {
        check_texts(&Parser::builder(), Framing::Concatenated, stream, expected);
        let others = Parser::builder().lenient(Leniency::NONE.with(DeviationKind::SingleQuotes)).accept_deviations();
        check_texts(&others, Framing::Concatenated, stream, expected);
    }
}

/// Checks that the text before a number or literal does not change the allowed text after it.
#[test]
fn a_comment_before_a_number_hides_nothing() {
    for (stream, expected) in [
        ("/**/1-2", &["trailing-bytes 5"][..]),
        ("#\ntruefalse", &["trailing-bytes 6"]),
        ("\u{FEFF}1{}/**/\"a\"2", &["1", "{}", "\"a\"", "2"]),
    ] {
        check_comments(Framing::Concatenated, stream, expected);
    }
    check_comments(Framing::Sequence, "\u{1e}/**/12\u{1e}/**/3\n\u{1e}/**/4", &["incomplete 7", "3", "incomplete 20"]);
}
