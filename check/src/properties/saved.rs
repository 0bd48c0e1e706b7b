//! Saved state: a parser continues unchanged if it is saved and restored between any two chunks, and no bytes restore a
//! parser that breaks a law.

use std::collections::BTreeMap;
use std::fmt::Write;

use jsonspigot::{
    DocumentEvent, Documents, Error, ErrorKind, Event, EventKind, Framing, Parser, ParserBuilder, PartialValue,
    PatternSet, RestoreError, Revision, ValueKind,
};
use serde::de::IgnoredAny;

use crate::driver::Method;
use crate::laws::Law;

/// Feeds the same chunks to two parsers, one of which is saved and restored before each chunk and before the end.
/// Nothing that can be observed differs. A parser that can't be saved reports that from its first byte to its last.
pub fn changes_nothing(chunks: &[&[u8]], builder: &ParserBuilder, patterns: &PatternSet) {
    let mut plain = Side::new(builder.clone().patterns(patterns).build());
    if plain.parser.save().is_err() {
        assert!(plain.parser.text().is_err(), "it retains all its text");
        for chunk in chunks {
            let _ = plain.parser.feed(chunk).check();
            assert_eq!(plain.parser.save().unwrap_err().kind(), ErrorKind::NotRetained);
        }
        return;
    }
    let mut saved = Side::new(builder.clone().patterns(patterns).build());
    for (place, chunk) in chunks.iter().map(Some).chain([None, None]).enumerate() {
        saved.parser = restored(&saved.parser, builder.clone(), patterns);
        let method = if place % 2 == 0 { Method::Iterator } else { Method::Callback };
        assert_eq!(
            saved.reported(chunk.copied(), method),
            plain.reported(chunk.copied(), method),
            "{chunks:?} at {place}"
        );
        assert_eq!(saved.seen(), plain.seen(), "{chunks:?} at {place}");
        let again = restored(&saved.parser, builder.clone(), patterns);
        assert_eq!(looks(&again), looks(&plain.parser), "{chunks:?} at {place}");
        // Deep down, all their paths together are long.
        if place % 7 == 1 {
            for parser in [&plain.parser, &again] {
                assert_eq!(open_matches(parser), plain.open, "{chunks:?} at {place}");
            }
        }
        Law::SavedState.mark_compared();
    }
}

/// Restores a parser from its bytes, which must be equal when it is saved again.
pub fn restored(parser: &Parser, builder: ParserBuilder, patterns: &PatternSet) -> Parser {
    let bytes = parser.save().unwrap();
    let restored = builder.patterns(patterns).build().restore(&bytes);
    let restored = restored.unwrap_or_else(|error| panic!("{error} of {parser:?}"));
    assert_eq!(restored.save().unwrap(), bytes, "the same state");
    restored
}

/// An open match by its id: where it is, which pattern, and how its value begins.
type OpenMatches = BTreeMap<u64, (String, usize, ValueKind, u64)>;

fn open_matches(parser: &Parser) -> OpenMatches {
    let mut open = OpenMatches::new();
    parser.open_matches_with(|event| opened(&mut open, &event));
    open
}

/// Follows which matches are open.
fn opened(open: &mut OpenMatches, event: &Event<'_>) {
    let path = event.path.to_string();
    match event.kind {
        EventKind::Begin(kind) => {
            // A word with a sign may still denote null.
            let kind = if kind == ValueKind::Null { ValueKind::Number } else { kind };
            open.insert(event.match_id, (path, event.pattern.index(), kind, event.offset));
        }
        EventKind::End(_) => drop(open.remove(&event.match_id)),
        EventKind::InnerError(_) => {
            let inside = path + " | ";
            open.retain(|_, (path, ..)| !path.starts_with(&inside));
        }
        _ => {}
    }
}

struct Side {
    parser: Parser,
    revisions: Vec<Revision>,
    /// The open matches, by the events so far.
    open: OpenMatches,
}

impl Side {
    fn new(parser: Parser) -> Self {
        Self { parser, revisions: Vec::new(), open: OpenMatches::new() }
    }

    /// Returns the events of a chunk or of the end of input.
    fn reported(&mut self, chunk: Option<&[u8]>, method: Method) -> String {
        let mut reported = String::new();
        let Self { parser, open, .. } = self;
        let mut record = |event: Event<'_>| {
            writeln!(reported, "{event:?}").unwrap();
            opened(open, &event);
        };
        let result: Result<(), Error> = match (chunk, method) {
            (Some(chunk), Method::Iterator) => parser.feed(chunk).try_for_each(|event| event.map(&mut record)),
            (Some(chunk), Method::Callback) => parser.feed_with(chunk, record),
            (None, Method::Iterator) => parser.finish().try_for_each(|event| event.map(&mut record)),
            (None, Method::Callback) => parser.finish_with(record),
        };
        if result.is_err() {
            open.clear();
        }
        format!("{reported}{result:?}")
    }

    /// Returns the public state, and the news since the last few revisions.
    fn seen(&mut self) -> String {
        let mut seen = looks(&self.parser);
        if self.parser.has_snapshots() {
            self.revisions.push(self.parser.revision());
            for revision in self.revisions.iter().rev().step_by(3).take(4) {
                let ops: Vec<String> =
                    self.parser.patch_since(*revision).unwrap().iter().map(ToString::to_string).collect();
                let is_now = *revision == self.parser.revision();
                writeln!(seen, "{ops:?} {} {is_now}", self.parser.has_changed_since(*revision)).unwrap();
            }
        }
        seen
    }
}

/// Returns the public state between two chunks.
pub fn looks(parser: &Parser) -> String {
    let mut seen = format!(
        "{} {} {} {:?} {:?} {:?} {:?} {}",
        parser.offset(),
        parser.is_complete(),
        parser.is_strict(),
        parser.error(),
        parser.stopped_by(),
        parser.text(),
        parser.deviations(),
        parser.deviation_count(),
    );
    write!(seen, "{:?} {:?}", parser.complete(), parser.deserialize::<serde_json::Value>()).unwrap();
    if parser.has_snapshots() {
        let walked = |root: PartialValue<'_>| {
            root.walk().map(|value| format!("{:?} {value:?} {}", value.segment(), value.len())).collect::<Vec<_>>()
        };
        write!(seen, "{:?} {:?}", parser.snapshot().map(walked), parser.state_of("a[0]")).unwrap();
    }
    seen
}

/// Checks that any bytes, also those of a real state with changes, give an error, or a parser that keeps its promises
/// over any text.
pub fn is_refused_or_sound(
    bytes: &[u8],
    chunks: &[&[u8]],
    builder: &ParserBuilder,
    patterns: &PatternSet,
) -> Option<RestoreError> {
    let mut parser = match builder.clone().patterns(patterns).build().restore(bytes) {
        Ok(parser) => parser,
        Err(error) => return Some(error),
    };
    changes_nothing_more(&mut parser, chunks, builder, patterns);
    None
}

/// Checks that a parser that may have read anything still behaves like itself, and that the values it reports as
/// complete are.
fn changes_nothing_more(parser: &mut Parser, chunks: &[&[u8]], builder: &ParserBuilder, patterns: &PatternSet) {
    let mut plain = Side::new(parser.clone());
    let mut saved = Side::new(restored(parser, builder.clone(), patterns));
    assert_eq!(looks(&plain.parser), looks(&saved.parser));
    for (place, chunk) in chunks.iter().map(Some).chain([None, None]).enumerate() {
        let method = if place % 2 == 0 { Method::Iterator } else { Method::Callback };
        assert_eq!(saved.reported(chunk.copied(), method), plain.reported(chunk.copied(), method));
        assert_eq!(saved.seen(), plain.seen());
        saved.parser = restored(&saved.parser, builder.clone(), patterns);
        if let Ok(value) = plain.parser.complete() {
            serde_json::from_slice::<IgnoredAny>(value.bytes()).expect("a complete value is JSON");
        }
        Law::SavedState.mark_compared();
    }
}

/// Checks [`changes_nothing`] for a stream of texts.
pub fn changes_nothing_in_a_stream(chunks: &[&[u8]], framing: Framing, builder: &ParserBuilder, patterns: &PatternSet) {
    let mut plain = Documents::new(framing, builder.clone().patterns(patterns).build());
    if plain.save().is_err() {
        for chunk in chunks {
            let _ = plain.feed(chunk).check();
            assert_eq!(plain.save().unwrap_err().kind(), ErrorKind::NotRetained);
        }
        return;
    }
    let mut saved = Documents::new(framing, builder.clone().patterns(patterns).build());
    // After the end nothing more is read, and the error says where that was.
    for chunk in chunks.iter().map(Some).chain([None, None, Some(&b"1".as_slice())]) {
        let bytes = saved.save().unwrap();
        saved = Documents::new(framing, builder.clone().patterns(patterns).build())
            .restore(&bytes)
            .unwrap_or_else(|error| panic!("{error} of {saved:?}"));
        let (reported, expected) = (told_of(&mut saved, chunk.copied()), told_of(&mut plain, chunk.copied()));
        assert_eq!(reported, expected, "{framing} {chunks:?}");
    }
}

/// Returns the events of a chunk of a stream or of its end, and the public state afterwards.
fn told_of(documents: &mut Documents, chunk: Option<&[u8]>) -> String {
    let mut reported = String::new();
    let on_event = |event: DocumentEvent<'_>| match event {
        DocumentEvent::Match { document, event } => writeln!(reported, "{document} {event:?}").unwrap(),
        DocumentEvent::End(ended) => {
            let place = (ended.number(), ended.start(), ended.line(), ended.byte_count());
            writeln!(reported, "{place:?} {:?} {}", ended.error(), looks(ended.parser().unwrap())).unwrap();
        }
        _ => unreachable!("another kind of event"),
    };
    let result = match chunk {
        Some(chunk) => documents.feed_with(chunk, on_event),
        None => documents.finish_with(on_event),
    };
    let place = (documents.number(), documents.offset());
    format!("{reported}{result:?} {place:?} {:?}", documents.parser().map(looks))
}

/// Checks [`is_refused_or_sound`] for a stream of texts.
pub fn is_a_sound_stream(
    bytes: &[u8],
    chunks: &[&[u8]],
    framing: Framing,
    builder: ParserBuilder,
    patterns: &PatternSet,
) {
    let builder = builder.patterns(patterns);
    let new = || builder.build();
    let Ok(mut plain) = Documents::new(framing, new()).restore(bytes) else { return };
    let mut saved = plain.clone();
    for chunk in chunks.iter().map(Some).chain([None, None]) {
        saved = Documents::new(framing, new()).restore(&saved.save().unwrap()).expect("it was restored before");
        assert_eq!(told_of(&mut saved, chunk.copied()), told_of(&mut plain, chunk.copied()));
    }
}
