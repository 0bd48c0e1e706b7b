//! Each text of a stream is read as if it were alone: its events, offsets, errors, value and snapshots.

use jsonspigot::{DocumentEvent, Documents, Framing, Retain};

use crate::driver::{Joined, builder, pattern_set};
use crate::laws::Law;
use crate::model::chunking::chunks;
use crate::model::log::{ErrorPath, ModelLog, Options, Verdict};
use crate::model::recogniser;

/// The known facts about a text that has ended.
#[derive(Debug, PartialEq)]
struct EndedText {
    start: u64,
    log: ModelLog,
    /// The text up to its end, or its first bad byte.
    text: Vec<u8>,
    value: Option<serde_json::Value>,
    snapshot: Option<String>,
}

/// Checks that each text of the stream has the model's events of that text alone, at these cuts and as one chunk.
pub fn are_those_alone(stream: &[u8], cuts: &[usize], framing: Framing, options: &Options) {
    let expected: Vec<EndedText> =
        split(stream, framing, options).into_iter().map(|text| alone(stream, text, options)).collect();
    for chunks in [vec![stream], chunks(stream, cuts)] {
        let seen = observe(&chunks, framing, options);
        assert_eq!(seen, expected, "{framing} {:?} in {} chunks", String::from_utf8_lossy(stream), chunks.len());
    }
    if !expected.is_empty() {
        Law::DocumentsAlone.mark_compared();
    }
}

/// Returns the results of the texts. Checks on the way that numbers have no gaps, errors stick, and a reset forgets
/// everything.
fn observe(chunks: &[&[u8]], framing: Framing, options: &Options) -> Vec<EndedText> {
    let parser = builder(options).snapshots().patterns(&pattern_set(options)).build();
    let mut documents = Documents::new(framing, parser);
    let first = read(&mut documents, chunks, framing, options);
    documents.reset();
    assert_eq!((documents.number(), documents.offset()), (0, 0));
    assert_eq!(read(&mut documents, chunks, framing, options), first, "the same again after a reset");
    // Text that is not kept makes no difference.
    for retain in [Retain::Matches, Retain::Nothing] {
        let lean = builder(options).retain(retain).patterns(&pattern_set(options)).build();
        let mut verdicts = Vec::new();
        let mut documents = Documents::new(framing, lean);
        let mut on_event = |event: DocumentEvent<'_>| {
            if let DocumentEvent::End(ended) = event {
                verdicts.push(ended.error().map(|error| (error.kind().name(), error.offset())));
            }
        };
        let fed = chunks.iter().try_for_each(|chunk| documents.feed_with(chunk, &mut on_event));
        let _ = fed.and_then(|()| documents.finish_with(&mut on_event));
        let expected: Vec<_> = first.iter().map(|reported| reported.log.verdict.failure()).collect();
        assert_eq!(verdicts, expected, "under {retain:?}");
    }
    first
}

fn read(documents: &mut Documents, chunks: &[&[u8]], framing: Framing, options: &Options) -> Vec<EndedText> {
    let stream = chunks.concat();
    let mut reported = Vec::new();
    let mut open = Joined::default();
    let mut on_event = |event: DocumentEvent<'_>| match event {
        DocumentEvent::Match { document, event } => {
            assert_eq!(document, reported.len() as u64, "a match belongs to the open document");
            open.add(&event);
        }
        DocumentEvent::End(ended) => {
            assert_eq!(ended.number(), reported.len() as u64, "documents are numbered as they come");
            let lines_before = stream[..ended.start() as usize].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(ended.line(), lines_before as u64 + 1);
            let result = ended.error().map_or(Ok(()), |error| Err(error.clone()));
            let parser = ended.parser().expect("a borrowed event");
            let log = std::mem::take(&mut open).into_log(parser, result, options.end_of_input);
            let text = parser.text().unwrap().to_vec();
            assert_eq!(ended.byte_count(), text.len() as u64);
            let value = ended.deserialize().ok();
            assert!(value.is_none() || ended.complete().is_ok(), "no value without a complete text");
            let snapshot = parser.snapshot().map(|root| root.to_string());
            reported.push(EndedText { start: ended.start(), log, text, value, snapshot });
        }
        _ => unreachable!("another kind of event"),
    };
    let mut ended = None;
    for chunk in chunks {
        let fed = documents.feed_with(chunk, &mut on_event);
        assert!(documents.parser().is_none() || documents.offset() > 0, "an open document has bytes");
        if let Some(error) = &ended {
            assert_eq!(fed.as_ref(), Err(error), "an error that ends the stream sticks");
        }
        ended = ended.or(fed.err());
    }
    let finished = documents.finish_with(&mut on_event);
    assert_eq!(documents.finish_with(&mut on_event), finished, "the end comes once");
    assert_eq!(documents.feed_with("", &mut on_event), finished, "nothing is nothing, and an error sticks");
    assert!(documents.feed_with(" ", &mut on_event).is_err(), "nothing more is read");
    if let Some(error) = ended {
        assert_eq!(finished, Err(error));
    }
    assert_eq!(documents.number(), reported.len() as u64);
    if framing == Framing::Concatenated {
        assert_eq!(finished.is_err(), reported.last().is_some_and(|last| last.log.stopped_by.is_some()));
    } else {
        assert!(finished.is_ok(), "no text ends such a stream");
        assert_eq!(documents.offset(), chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>());
    }
    reported
}

/// Returns the result of a separate parser for one text, with the model's log of it.
fn alone(stream: &[u8], Text { range, log }: Text, options: &Options) -> EndedText {
    let start = range.start as u64;
    let text = &stream[range];
    let len = log.verdict.failure().map_or(text.len(), |(_, offset)| offset as usize);
    let mut parser = builder(options).snapshots().patterns(&pattern_set(options)).build();
    let _ = parser.feed(text).check();
    let mut value = None;
    if log.verdict == Verdict::Complete {
        parser.finish().check().unwrap();
        value = serde_json::from_slice(text).ok();
    }
    let snapshot = parser.snapshot().map(|root| root.to_string());
    EndedText { start, log, text: text[..len].to_vec(), value, snapshot }
}

/// A text of the stream, and its expected events.
struct Text {
    range: std::ops::Range<usize>,
    log: ModelLog,
}

/// Splits a stream into its texts, by looking at all of it.
fn split(stream: &[u8], framing: Framing, options: &Options) -> Vec<Text> {
    match framing {
        Framing::Lines => {
            let lines = pieces(stream, b'\n').into_iter().map(|range| (range.clone(), &stream[range]));
            lines.filter_map(|(range, line)| text(range, recogniser::run(line, options), line)).collect()
        }
        Framing::Sequence => sequence(stream, options),
        Framing::Concatenated => concatenated(stream, options),
        _ => unreachable!("another framing"),
    }
}

fn pieces(stream: &[u8], separator: u8) -> Vec<std::ops::Range<usize>> {
    let ends = stream.iter().enumerate().filter(|(_, byte)| **byte == separator).map(|(at, _)| at);
    let mut start = 0;
    ends.chain([stream.len()])
        .map(|end| {
            let range = start..end;
            start = end + 1;
            range
        })
        .collect()
}

/// Returns a text within the limits, unless it has only white space.
fn text(range: std::ops::Range<usize>, log: ModelLog, bytes: &[u8]) -> Option<Text> {
    let is_blank = bytes.iter().all(|byte| is_space(*byte));
    (!is_blank || log.verdict.failure().is_some_and(|(kind, _)| kind != "incomplete")).then_some(Text { range, log })
}

fn sequence(stream: &[u8], options: &Options) -> Vec<Text> {
    let texts = pieces(stream, b'\x1e').into_iter().filter_map(|range| {
        let bytes = &stream[range.clone()];
        let mut log = recogniser::run(bytes, options);
        let space = bytes.iter().take_while(|byte| is_space(**byte)).count();
        let first = bytes.get(space);
        let is_cut = first.is_some_and(|first| !b"\"[{".contains(first)) && !is_space(bytes[bytes.len() - 1]);
        let space_log = recogniser::run(&bytes[..space], &Options { end_of_input: false, ..options.clone() });
        if range.start == 0 && first.is_some() {
            let is_within = space_log.verdict == Verdict::Open;
            log = if is_within { failed(space_log, "unexpected-byte", &bytes[..space]) } else { space_log };
            return Some(Text { range: 0..space, log });
        } else if log.verdict == Verdict::Complete && is_cut {
            // Its end is not reported, if its value would have been reported there.
            let open = recogniser::run(bytes, &Options { end_of_input: false, ..options.clone() });
            log = failed(open, "incomplete", bytes);
        }
        text(range, log, bytes)
    });
    texts.collect()
}

/// Returns an error of the framing after these bytes, in which all line feeds are white space.
fn failed(log: ModelLog, kind: &'static str, before: &[u8]) -> ModelLog {
    let offset = before.len() as u64;
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() as u64 + 1;
    let verdict = Verdict::Failed { kind, offset, line, column, path: ErrorPath(Some("$".to_owned())) };
    ModelLog { verdict, stopped_by: Some((kind, offset)), ..log }
}

fn concatenated(stream: &[u8], options: &Options) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut start = 0;
    loop {
        start += stream[start..].iter().take_while(|byte| is_space(**byte)).count();
        let Some(first) = stream.get(start) else { return texts };
        let mut ends = start + 1..=stream.len();
        let end = if b"\"[{".contains(first) {
            ends.find(|&end| has_ended(&recogniser::run(&stream[start..end], options)))
        } else {
            let follows = |byte: u8| is_space(byte) || b"\"[]{},:".contains(&byte);
            let end = ends.find(|&end| stream.get(end).is_none_or(|&byte| follows(byte)));
            end.filter(|&end| has_ended(&recogniser::run(&stream[start..end], options)))
        };
        let range = start..end.unwrap_or(stream.len());
        let log = recogniser::run(&stream[range.clone()], options);
        let is_last = log.stopped_by.is_some();
        start = range.end;
        texts.push(Text { range, log });
        if is_last {
            return texts;
        }
    }
}

/// Returns true if a text was read to its end, with or without deviations.
fn has_ended(log: &ModelLog) -> bool {
    log.stopped_by.is_none()
}

fn is_space(byte: u8) -> bool {
    b" \t\n\r".contains(&byte)
}
