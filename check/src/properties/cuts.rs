//! Chunk edges are invisible: the events are the same for every way to cut a text, and for both methods.

use jsonspigot::{Deviation, DuplicateKeys, Error, Event, EventKind, Limits, Parser, PatternSet, Retain, ValueKind};
use serde_json::Value;

use crate::driver::is_plain;
use crate::laws::Law;

/// Checks that these chunks and their whole text report the same, by both methods, and that errors stick.
pub fn are_invisible(chunks: &[&[u8]]) {
    let text = chunks.concat();
    for parser in parsers() {
        let whole = feed(parser.clone(), &[&text]);
        assert_eq!(feed(parser.clone(), chunks), whole, "cut, through `feed`");
        assert_eq!(feed_with(parser.clone(), &[&text]), whole, "whole, through `feed_with`");
        assert_eq!(feed_with(parser, chunks), whole, "cut, through `feed_with`");
        if chunks.len() > 1 {
            Law::ChunkEdges.mark_compared();
        }
    }
}

/// Returns a parser for each policy, with patterns of every kind, and one without any.
pub fn parsers() -> [Parser; 6] {
    let all = PatternSet::new(["$", "$..*", "a[*].b", "['a', 'b', 0]", "*", "$..[1:5:2]", "$..a.*"]).unwrap();
    let some = PatternSet::new(["a[1]['b', 'é', '😀']", "$[0]", "$..['']", "b..a"]).unwrap();
    let raw = PatternSet::new(["raw:$", "$..*", "raw:*", "raw:$..a", "$..a"]).unwrap();
    let tight = Limits::new().depth(4).key(3).string(12).number(5).total(200);
    [
        Parser::builder().snapshots().patterns(&all).build(),
        Parser::builder().duplicate_keys(DuplicateKeys::Reject).retain(Retain::Matches).patterns(&some).build(),
        Parser::builder().limits(tight).duplicate_keys(DuplicateKeys::Reject).patterns(&all).build(),
        Parser::builder().limits(tight).retain(Retain::Nothing).build(),
        Parser::builder()
            .limits(tight.depth(9))
            .snapshots()
            .lenient(jsonspigot::Leniency::MODEL_OUTPUT)
            .patterns(&all)
            .build(),
        Parser::builder().retain(Retain::Nothing).lenient(jsonspigot::Leniency::ALL).patterns(&raw).build(),
    ]
}

/// All that can be seen of one reading.
#[derive(Debug, Default, PartialEq)]
struct Observed {
    reported: Vec<Reported>,
    verdict: Option<Outcome>,
    text: Option<Vec<u8>>,
    value: Option<Value>,
    snapshot: Option<String>,
    offset: u64,
    is_complete: bool,
    deviations: Vec<Deviation>,
    stopped_by: Option<Error>,
}

/// Two outcomes are equal if kind, offset, line, column and path of their errors are.
type Outcome = Result<(), Error>;

/// An event; a match's deltas are appended to its first one.
#[derive(Debug, PartialEq)]
struct Reported {
    pattern: usize,
    match_id: u64,
    path: String,
    offset: u64,
    what: ReportedKind,
}

#[derive(Debug, PartialEq)]
enum ReportedKind {
    Begin(ValueKind),
    Delta(String),
    /// The value's text and span, if they were kept.
    End(Option<(ValueKind, String, std::ops::Range<u64>)>),
}

impl Observed {
    fn add(&mut self, event: &Event<'_>) {
        let what = match &event.kind {
            EventKind::Begin(kind) => ReportedKind::Begin(*kind),
            EventKind::Delta(text) => {
                assert!(!text.is_empty(), "a delta has text");
                ReportedKind::Delta(text.to_string())
            }
            EventKind::End(value) => {
                ReportedKind::End(value.as_ref().map(|value| (value.kind(), value.text().to_owned(), value.span())))
            }
            _ => unreachable!("another kind of event"),
        };
        let (pattern, match_id) = (event.pattern.index(), event.match_id);
        let earlier = self.reported.iter_mut().rev().find(|reported| reported.match_id == match_id);
        if let ReportedKind::Delta(text) = &what
            && let Some(Reported { what: ReportedKind::Delta(joined), path, .. }) = earlier
        {
            assert_eq!(*path, event.path.to_string(), "a match stands at one path");
            joined.push_str(text);
            return;
        }
        self.reported.push(Reported { pattern, match_id, path: event.path.to_string(), offset: event.offset, what });
    }

    /// Records the parser's answers at the end, twice.
    fn close(mut self, mut parser: Parser, verdict: Outcome) -> Self {
        self.text = parser.text().ok().map(<[u8]>::to_vec);
        self.value = parser.deserialize().ok();
        let root = parser.snapshot();
        self.snapshot = root.map(|value| value.to_string());
        self.offset = parser.offset();
        self.is_complete = parser.is_complete();
        self.deviations = parser.deviations().to_vec();
        self.stopped_by = parser.stopped_by().cloned();
        assert_eq!(parser.finish_with(|_| panic!("an event after the end")), verdict, "the verdict sticks");
        assert_eq!(parser.feed_with("", |_| panic!("an event after the end")), verdict, "nothing changes nothing");
        assert!(parser.feed_with(" ", |_| panic!("an event after the end")).is_err(), "the end is the end");
        self.verdict = Some(verdict);
        self
    }
}

fn feed(mut parser: Parser, chunks: &[&[u8]]) -> Observed {
    let mut log = Observed::default();
    let mut verdict = Ok(());
    let patterns = parser.patterns().clone();
    for chunk in chunks {
        let mut grown = Vec::new();
        for event in parser.feed(chunk) {
            match event {
                Ok(event) => {
                    log.add(&event);
                    if matches!(event.kind, EventKind::Delta(_)) && is_plain(&patterns, event.pattern) {
                        assert!(!grown.contains(&event.match_id), "one delta a match and chunk");
                        grown.push(event.match_id);
                    }
                }
                Err(error) => verdict = Err(error),
            }
        }
        if verdict.is_err() {
            return log.close(parser, verdict);
        }
    }
    for event in parser.finish() {
        match event {
            Ok(event) => log.add(&event),
            Err(error) => verdict = Err(error),
        }
    }
    log.close(parser, verdict)
}

fn feed_with(mut parser: Parser, chunks: &[&[u8]]) -> Observed {
    let mut log = Observed::default();
    let fed = chunks.iter().try_for_each(|chunk| parser.feed_with(chunk, |event| log.add(&event)));
    let verdict = fed.and_then(|()| parser.finish_with(|event| log.add(&event)));
    log.close(parser, verdict)
}
