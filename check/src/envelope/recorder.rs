//! Records the joined events of an envelope, and checks them on the way.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use jsonspigot::{Event, EventKind, PatternSet, RestoreError, ValueKind};
use jsonspigot_llm::{Delimiter, Envelope, EnvelopeBuilder, EnvelopeEvent};
use serde::de::IgnoredAny;

use super::splitter::{Choices, Piece, Spelt};
use crate::laws::Law;

pub fn patterns() -> PatternSet {
    PatternSet::new(["$..*", "$", "a", "$..b[*]"]).unwrap()
}

/// Returns the kind of a whole value, by its first letter.
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

/// A pattern's match: its path, kind, joined deltas, and its value's text, if it is kept, once it has ended.
type Matches = BTreeMap<u64, (u32, String, String, Option<Option<String>>)>;

fn record(matches: &mut Matches, event: &Event<'_>) {
    match &event.kind {
        EventKind::Begin(kind) => {
            let begun = (event.pattern.index() as u32, format!("{} {kind:?}", event.path), String::new(), None);
            assert!(matches.insert(event.match_id, begun).is_none(), "begun twice");
        }
        EventKind::Delta(text) => {
            assert!(!text.is_empty());
            matches.get_mut(&event.match_id).unwrap().2.push_str(text);
        }
        EventKind::End(value) => {
            let text = value.as_ref().map(|value| value.text().to_owned());
            assert!(matches.get_mut(&event.match_id).unwrap().3.replace(text).is_none(), "ended twice");
        }
        _ => unreachable!("another kind of event"),
    }
}

/// The events of one text.
#[derive(Debug, Default, PartialEq)]
pub struct Report {
    pub pieces: Vec<Piece>,
    /// Of each payload: its error's line and column.
    places: Vec<Option<(u64, u64)>>,
    matches: Vec<Matches>,
    fragments: Vec<String>,
    length: u64,
    open: Option<(String, String)>,
}

impl Report {
    pub fn hear(&mut self, event: EnvelopeEvent<'_>) {
        match event {
            EnvelopeEvent::Text(text) => {
                assert!(!text.is_empty() && self.open.is_none());
                self.length += text.len() as u64;
                match self.pieces.last_mut() {
                    Some(Piece::Text(joined)) => joined.push_str(&text),
                    _ => self.pieces.push(Piece::Text(text.into_owned())),
                }
            }
            EnvelopeEvent::Begin { delimiter, open, offset } => {
                assert_eq!(offset, self.length, "visible text was reported of a delimiter, or lost");
                self.length += open.len() as u64;
                assert!(self.open.replace((delimiter.to_string(), open.into_owned())).is_none());
                self.matches.push(Matches::new());
                self.fragments.push(String::new());
            }
            EnvelopeEvent::Match { event, .. } => record(self.matches.last_mut().unwrap(), &event),
            EnvelopeEvent::Fragment { text, .. } => {
                assert!(!text.is_empty());
                self.fragments.last_mut().unwrap().push_str(&text);
            }
            EnvelopeEvent::End { delimiter: ended, payload, close, length } => {
                let (delimiter, open) = self.open.take().unwrap();
                assert_eq!(delimiter, ended.to_string());
                self.length += length + close.len() as u64;
                let status = payload.status().name();
                assert_eq!(payload.value().is_some(), matches!(status, "complete" | "accepted"));
                let is_whole = matches!(status, "complete" | "accepted" | "empty" | "raw");
                assert_eq!(payload.error().is_none(), is_whole, "{status}");
                let (raw, close) = (payload.raw().to_owned(), close.into_owned());
                if let Some(value) = payload.value() {
                    let read: Result<IgnoredAny, _> = serde_json::from_str(value.text());
                    assert!(read.is_ok(), "{}", value.text());
                }
                if let Some(value) = payload.value().filter(|_| status == "complete") {
                    assert_eq!(value.text(), payload.raw().trim_matches([' ', '\t', '\n', '\r']));
                    assert_eq!(&payload.raw()[value.span().start as usize..value.span().end as usize], value.text());
                    // A number beyond f64 is no `Value`, and JSON all the same.
                    let read: Result<IgnoredAny, _> = serde_json::from_str(value.text());
                    assert!(read.is_ok(), "{}", value.text());
                    assert_eq!(value.kind(), kind_of(value.text()));
                }
                self.places.push(payload.error().map(|error| (error.line(), error.column())));
                let error = payload.error().map(|error| (error.kind().name(), error.offset()));
                self.pieces.push(Piece::Payload { delimiter, open, raw, length, close, status, error });
            }
            _ => unreachable!("no other event"),
        }
    }

    /// Checks that the pieces follow one another in the input, that a payload's matches are those of a parser fed its
    /// text, and that its error is at the reported position.
    pub fn check(&self, input: &str, choices: &Choices) {
        let mut rest = input;
        let mut take = |length: usize| {
            let (taken, behind) = rest.split_at(length);
            rest = behind;
            taken
        };
        let mut reported = self.matches.iter().zip(&self.fragments).zip(&self.places);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => assert_eq!(take(text.len()), text),
                Piece::Payload { open, raw, length, close, status, error, .. } => {
                    assert_eq!(take(open.len()), open);
                    let all = take(*length as usize);
                    let kept = choices.payload_limit.min(*length) as usize;
                    assert!(all.starts_with(raw) && raw.len() <= kept && kept - raw.len() < 4, "{piece:?}");
                    assert_eq!(take(close.len()), close);
                    let ((matches, fragments), place) = reported.next().unwrap();
                    // The closing delimiter itself may break the JSON.
                    let read = format!("{all}{close}");
                    if fragments.is_empty() && *status != "raw" {
                        let is_broken = error.is_some_and(|(kind, _)| kind != "incomplete");
                        let fed = if is_broken { read.as_bytes() } else { all.as_bytes() };
                        let fed = &fed[..choices.payload_limit.min(fed.len() as u64) as usize];
                        assert_eq!(matches, &direct(fed, status, choices), "{piece:?}");
                    } else {
                        // Plain text is reported to its end, however much of it is kept.
                        assert_eq!((matches.len(), fragments.as_str()), (0, all));
                    }
                    // The text before the first error is JSON or plain text.
                    let counted = error.map(|(_, offset)| {
                        let before = &read.as_bytes()[..offset as usize];
                        let lines: Vec<_> = before.split(|byte| *byte == b'\n').collect();
                        (lines.len() as u64, lines[lines.len() - 1].len() as u64 + 1)
                    });
                    assert_eq!(*place, counted, "{piece:?}");
                }
            }
        }
        assert_eq!(rest, "");
        assert!(self.open.is_none() && reported.next().is_none());
    }
}

/// Returns the matches of a payload that a parser reads alone.
fn direct(payload: &[u8], status: &str, choices: &Choices) -> Matches {
    let mut matches = Matches::new();
    let mut parser = choices.parser.clone().patterns(&patterns()).build();
    let fed = parser.feed_with(payload, |event| record(&mut matches, &event));
    if status == "complete" {
        fed.and_then(|()| parser.finish_with(|event| record(&mut matches, &event))).unwrap();
    }
    matches
}

/// An envelope, and what another one is restored with that is saved at each cut.
pub struct SavedEnvelope {
    envelope: Envelope,
    builder: EnvelopeBuilder,
    delimiters: Vec<Delimiter>,
    patterns: PatternSet,
}

impl Deref for SavedEnvelope {
    type Target = Envelope;

    fn deref(&self) -> &Envelope {
        &self.envelope
    }
}

impl DerefMut for SavedEnvelope {
    fn deref_mut(&mut self) -> &mut Envelope {
        &mut self.envelope
    }
}

pub fn envelope(choices: &Choices, delimiters: &[Spelt]) -> SavedEnvelope {
    let Choices { hold_limit, payload_limit, ref parser } = *choices;
    let builder = Envelope::builder().hold_limit(hold_limit).payload_limit(payload_limit).parser(parser.clone());
    let builder = builder.saveable(usize::MAX);
    let delimiters = delimiters.iter().map(|delimiter| {
        let read: Delimiter = delimiter.text.parse().unwrap();
        assert_eq!(read.to_string(), delimiter.text);
        read
    });
    let (delimiters, patterns): (Vec<_>, _) = (delimiters.collect(), patterns());
    let envelope = builder.clone().build(delimiters.clone(), &patterns);
    SavedEnvelope { envelope, builder, delimiters, patterns }
}

impl SavedEnvelope {
    pub fn restore(&self, bytes: &[u8]) -> Result<Envelope, RestoreError> {
        self.builder.clone().build(self.delimiters.clone(), &self.patterns).restore(bytes)
    }

    /// Restores an envelope from its saved bytes, which must be equal when it is saved again.
    pub fn restored(&self, envelope: &Envelope) -> Envelope {
        let bytes = envelope.save().unwrap();
        let restored = self.restore(&bytes).unwrap_or_else(|error| panic!("{error} of {envelope:?}"));
        assert_eq!(restored.save().unwrap(), bytes, "the same state");
        restored
    }
}

/// Returns the public state of an envelope between two chunks.
pub fn seen(envelope: &Envelope) -> String {
    let Some(parser) = envelope.parser() else { return String::new() };
    let snapshot = parser.has_snapshots().then(|| parser.snapshot().map(|root| root.to_string()));
    format!("{} {:?} {:?} {snapshot:?}", parser.offset(), parser.error(), parser.text())
}

/// Feeds the pieces between the cuts, which are at char boundaries, and finishes. Another envelope, saved and restored
/// at each cut, must report the same.
pub fn tell(subject: &mut SavedEnvelope, text: &str, cuts: &[usize]) -> Report {
    let mut saved = subject.envelope.clone();
    let envelope = subject;
    let mut reported = Report::default();
    let mut from = 0;
    for cut in cuts.iter().copied().chain([text.len()]).map(Some).chain([None]) {
        saved = envelope.restored(&saved);
        let (mut expected, mut again) = (Vec::new(), Vec::new());
        let plainly = |event: EnvelopeEvent<'_>| {
            expected.push(format!("{event:?}"));
            reported.hear(event);
        };
        let restored = |event: EnvelopeEvent<'_>| again.push(format!("{event:?}"));
        if let Some(cut) = cut {
            envelope.feed_with(&text[from..cut], plainly);
            saved.feed_with(&text[from..cut], restored);
            from = cut;
        } else {
            envelope.finish_with(plainly);
            saved.finish_with(restored);
        }
        assert_eq!(again, expected, "saved and restored at {from} of {text:?}");
        assert_eq!(seen(&saved), seen(envelope), "saved and restored at {from} of {text:?}");
        Law::SavedState.mark_compared();
    }
    reported
}

/// Returns the positions where a text may be cut.
pub fn boundaries(text: &str) -> Vec<usize> {
    (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect()
}
