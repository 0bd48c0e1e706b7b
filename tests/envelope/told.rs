//! What an envelope told, joined; checked while it is told.

use std::collections::BTreeMap;

use jsonspigot::adapters::{Envelope, EnvelopeBuilder, EnvelopeEvent, Mark};
use jsonspigot::{Event, EventKind, Parser, PatternSet, ValueKind};
use serde::de::IgnoredAny;

use super::splitter::{Piece, Spelt};

pub(crate) fn patterns() -> PatternSet {
    PatternSet::new(["$..*", "$", "a", "$..b[*]"]).unwrap()
}

/// The kind of a whole value, by its first letter.
fn kind_of(text: &str) -> ValueKind {
    match text.chars().next() {
        Some('{') => ValueKind::Object,
        Some('[') => ValueKind::Array,
        Some('"') => ValueKind::String,
        Some('t' | 'f') => ValueKind::Bool,
        Some('n') => ValueKind::Null,
        _ => ValueKind::Number,
    }
}

/// A pattern's match: its path, kind, joined deltas, and its value's text once it has ended.
type Matches = BTreeMap<u64, (u32, String, String, Option<String>)>;

fn record(matches: &mut Matches, event: &Event<'_>) {
    match event.kind {
        EventKind::Begin(kind) => {
            let begun = (event.pattern.index() as u32, format!("{} {kind:?}", event.path), String::new(), None);
            assert!(matches.insert(event.match_id, begun).is_none(), "begun twice");
        }
        EventKind::Delta(text) => {
            assert!(!text.is_empty());
            matches.get_mut(&event.match_id).unwrap().2.push_str(text);
        }
        EventKind::End(value) => {
            let text = value.unwrap().text().to_owned();
            assert!(matches.get_mut(&event.match_id).unwrap().3.replace(text).is_none(), "ended twice");
        }
    }
}

/// All that was told about one text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Told {
    pub(crate) pieces: Vec<Piece>,
    /// Of each payload: its error's kind, offset, line and column.
    pub(crate) errors: Vec<Option<(String, u64, u64, u64)>>,
    matches: Vec<Matches>,
    fragments: Vec<String>,
    length: u64,
    open: Option<(String, String)>,
}

impl Told {
    pub(crate) fn hear(&mut self, event: EnvelopeEvent<'_>) {
        match event {
            EnvelopeEvent::Text(text) => {
                assert!(!text.is_empty() && self.open.is_none());
                self.length += text.len() as u64;
                match self.pieces.last_mut() {
                    Some(Piece::Text(joined)) => joined.push_str(text),
                    _ => self.pieces.push(Piece::Text(text.to_owned())),
                }
            }
            EnvelopeEvent::Begin { mark, open, offset } => {
                assert_eq!(offset, self.length, "visible text was told of a mark, or lost");
                assert!(self.open.replace((mark.to_string(), open.to_owned())).is_none());
                self.length += open.len() as u64;
                self.matches.push(Matches::new());
                self.fragments.push(String::new());
            }
            EnvelopeEvent::Match { event, .. } => record(self.matches.last_mut().unwrap(), &event),
            EnvelopeEvent::Fragment { text, .. } => {
                assert!(!text.is_empty());
                self.fragments.last_mut().unwrap().push_str(text);
            }
            EnvelopeEvent::End(payload) => {
                let (mark, open) = self.open.take().unwrap();
                assert_eq!(mark, payload.mark().to_string());
                self.length += payload.length() + payload.close().len() as u64;
                let status = payload.status().name();
                assert_eq!(payload.value().is_some(), status == "complete");
                assert_eq!(payload.error().is_none(), matches!(status, "complete" | "empty" | "raw"), "{status}");
                if let Some(value) = payload.value() {
                    assert_eq!(value.text(), payload.raw().trim_matches([' ', '\t', '\n', '\r']));
                    assert_eq!(&payload.raw()[value.span().start as usize..value.span().end as usize], value.text());
                    // A number beyond f64 is no `Value`, and JSON all the same.
                    let read: Result<IgnoredAny, _> = serde_json::from_str(value.text());
                    assert!(read.is_ok(), "{}", value.text());
                    assert_eq!(value.kind(), kind_of(value.text()));
                }
                if let Some(error) = payload.error() {
                    // What broke a number may be the closing mark.
                    let read = format!("{}{}", payload.raw(), payload.close());
                    let before = read.as_bytes().split_at(error.offset() as usize).0;
                    let lines: Vec<_> = before.split(|byte| *byte == b'\n').collect();
                    let column = lines[lines.len() - 1].len() + 1;
                    assert_eq!((error.line(), error.column()), (lines.len() as u64, column as u64), "{error}");
                }
                self.errors
                    .push(payload.error().map(|e| (e.kind().name().to_owned(), e.offset(), e.line(), e.column())));
                let (raw, close) = (payload.raw().to_owned(), payload.close().to_owned());
                self.pieces.push(Piece::Payload { mark, open, raw, close, status });
            }
            _ => unreachable!("no other event"),
        }
    }

    /// Joining the pieces gives back the input; a payload's matches are those of a parser fed its text.
    pub(crate) fn check(&self, input: &str) {
        let mut joined = String::new();
        let mut told = self.matches.iter().zip(&self.fragments);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => joined.push_str(text),
                Piece::Payload { open, raw, close, status, .. } => {
                    joined.extend([open.as_str(), raw, close]);
                    let (matches, fragments) = told.next().unwrap();
                    if fragments.is_empty() && *status != "raw" {
                        assert_eq!(matches, &direct(raw, close, status), "{piece:?}");
                    } else {
                        assert_eq!((matches.len(), fragments), (0, raw));
                    }
                }
            }
        }
        assert_eq!(joined, input);
        assert!(self.open.is_none() && told.next().is_none());
    }
}

/// What a parser alone tells of a payload.
fn direct(raw: &str, close: &str, status: &str) -> Matches {
    let mut matches = Matches::new();
    let mut parser = Parser::new(&patterns());
    if parser.feed_with(raw, |event| record(&mut matches, &event)).is_ok() {
        match status {
            "complete" => parser.finish_with(|event| record(&mut matches, &event)).unwrap(),
            // What broke the JSON may be the closing mark itself.
            "malformed" => drop(parser.feed_with(close, |event| record(&mut matches, &event))),
            _ => {}
        }
    }
    matches
}

pub(crate) fn envelope(builder: EnvelopeBuilder, marks: &[Spelt]) -> Envelope {
    let marks = marks.iter().map(|mark| {
        let read: Mark = mark.text.parse().unwrap();
        assert_eq!(read.to_string(), mark.text);
        read
    });
    builder.build(marks, &patterns())
}

/// Feeds the pieces between the cuts, which stand at char boundaries, and finishes.
pub(crate) fn tell(envelope: &mut Envelope, text: &str, cuts: &[usize]) -> Told {
    let mut told = Told::default();
    let mut from = 0;
    for &cut in cuts.iter().chain([&text.len()]) {
        envelope.feed_with(&text[from..cut], |event| told.hear(event));
        from = cut;
    }
    envelope.finish_with(|event| told.hear(event));
    told
}

/// The places where a text may be cut.
pub(crate) fn boundaries(text: &str) -> Vec<usize> {
    (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect()
}
