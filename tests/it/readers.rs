//! Reading from `Read`: its bytes are read like chunks, and its errors are passed on.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonspigot::{DocumentEvent, Documents, Error, ErrorKind, Event, EventKind, Framing, Parser, PatternSet};
use proptest::prelude::*;

use super::model::chunking::{chunks, with_cuts};
use super::model::mutate::any_document;

/// A reader of these chunks, which is interrupted before each, and of the errors among them.
struct Pieces(VecDeque<Result<Vec<u8>, io::ErrorKind>>, bool);

impl Pieces {
    fn of(pieces: &[&[u8]]) -> Self {
        Self(pieces.iter().filter(|piece| !piece.is_empty()).map(|piece| Ok(piece.to_vec())).collect(), false)
    }

    fn failing(mut self, kind: io::ErrorKind) -> Self {
        self.0.push_back(Err(kind));
        self
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let Some(piece) = self.0.pop_front() else { return Ok(0) };
        let piece = piece?;
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

fn parser() -> Parser {
    Parser::new(&PatternSet::new(["$..*", "$"]).unwrap())
}

/// Returns the library's error in one of a document.
fn of_document(error: &io::Error) -> Error {
    std::error::Error::source(error).unwrap().downcast_ref::<Error>().unwrap().clone()
}

fn lines() -> Documents {
    Documents::new(Framing::Lines, parser())
}

proptest! {
    #[test]
    fn read_with_reports_the_same_as_feed((document, cuts) in with_cuts(any_document())) {
        let pieces = chunks(&document, &cuts);
        let [mut seen, mut seen_when_read] = [const { Vec::new() }; 2];
        let mut on_event = |event: Event<'_>| seen.push(format!("{event:?}"));
        let mut fed = parser();
        let verdict = pieces.iter().try_for_each(|piece| fed.feed_with(piece, &mut on_event));
        let verdict = verdict.and_then(|()| fed.finish_with(&mut on_event));
        let read = parser().read_with(Pieces::of(&pieces), |event| seen_when_read.push(format!("{event:?}")));
        let read = read.map_err(|error| error.downcast::<Error>().unwrap());
        prop_assert_eq!((read, seen_when_read), (verdict, seen));
    }

    /// Checks that each document's value or error is returned once, with its number and line, however the stream ends.
    #[test]
    fn values_are_those_of_the_documents(
        (stream, cuts) in with_cuts(any_document()),
        framing in prop::sample::select(Framing::ALL),
    ) {
        // More lines, and separators of a sequence.
        let stream: Vec<u8> = stream.into_iter().map(|byte| match byte { b' ' => b'\n', b'\t' => 0x1E, _ => byte }).collect();
        let pieces = chunks(&stream, &cuts);
        let (mut expected, mut documents) = (Vec::new(), Documents::new(framing, parser()));
        let read = documents.read_with(Pieces::of(&pieces), |event| {
            let DocumentEvent::End(ended) = event else { return };
            let value = ended.deserialize::<serde_json::Value>().map_err(|error| (ended.number(), ended.line(), error));
            expected.push(value);
        });
        let last = expected.last().and_then(|last| last.as_ref().err()).map(|(.., error)| error.clone());
        if let Err(error) = read {
            prop_assert_eq!((framing, error.downcast::<Error>().ok()), (Framing::Concatenated, last));
        }
        let values = Documents::new(framing, parser()).values::<serde_json::Value, _>(Pieces::of(&pieces));
        let expected = expected.into_iter().map(|value| value.map_err(|(number, line, error)| {
            (format!("document {number}, from line {line}: {error}"), error)
        }));
        let values = values.map(|value| value.map_err(|it| (it.to_string(), of_document(&it))));
        prop_assert_eq!(values.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}

#[test]
fn an_error_of_the_reader_leaves_the_parser_as_it_is() {
    let mut parser = parser();
    let read = parser.read_with(Pieces::of(&[b"[1, "]).failing(io::ErrorKind::TimedOut), |_| {});
    assert_eq!(read.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!((parser.error(), parser.offset()), (None, 4));
    let mut last = None;
    parser.read_with(&b"2]"[..], |event| last = Some(matches!(event.kind, EventKind::End(_)))).unwrap();
    assert_eq!((parser.is_complete(), last), (true, Some(true)));

    let mut documents = lines();
    let read = documents.read_with(Pieces::of(&[b"1\n{"]).failing(io::ErrorKind::TimedOut), |_| {});
    assert_eq!((read.unwrap_err().kind(), documents.number()), (io::ErrorKind::TimedOut, 1));
    documents.read_with(&b"}"[..], |_| {}).unwrap();
    assert_eq!(documents.number(), 2);
}

#[test]
fn values_end_with_an_error_of_the_reader() {
    let pieces = Pieces::of(&[b"1\n\n2\n{\"a", b"\": \n[3,"]).failing(io::ErrorKind::TimedOut);
    let mut values = lines().values::<u8, _>(pieces);
    assert_eq!([(); 2].map(|()| values.next().unwrap().unwrap()), [1, 2]);
    let error = values.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), format!("document 2, from line 4: {}", of_document(&error)));
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!(values.next().unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert!(values.next().is_none());

    let mut finished = lines();
    finished.finish().check().unwrap();
    let errors =
        finished.values::<u8, _>(&b"1"[..]).map(|value| value.unwrap_err().downcast::<Error>().unwrap().kind());
    assert_eq!(errors.collect::<Vec<_>>(), [ErrorKind::Finished]);
}

#[test]
fn a_restored_stream_knows_its_line() {
    let stream = "{\"a\":\n1}\n\n  2 \n[\n\n]\"\"\n3";
    for framing in [Framing::Lines, Framing::Concatenated] {
        let new = || Documents::new(framing, parser());
        let values = |documents: Documents, rest: &str| {
            let values = documents.values::<serde_json::Value, _>(rest.as_bytes());
            values.map(|it| it.map_err(|error| error.to_string())).collect::<Vec<_>>()
        };
        let expected = values(new(), stream);
        for cut in 0..=stream.len() {
            let mut documents = new();
            let mut ended = 0;
            documents
                .feed_with(&stream[..cut], |event| ended += usize::from(matches!(event, DocumentEvent::End(_))))
                .unwrap();
            let documents = new().restore(&documents.save().unwrap()).unwrap();
            assert_eq!(values(documents, &stream[cut..]), expected[ended..], "{framing} cut at {cut}");
        }
    }
}

/// A value that cannot be read without a panic.
#[derive(Debug)]
struct Panics;

impl<'de> serde::Deserialize<'de> for Panics {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("as the test demands")
    }
}

#[test]
fn values_do_not_end_quietly_after_a_panic() {
    let mut values = lines().values::<Panics, _>(&b"1\n2\n3\n"[..]);
    assert!(catch_unwind(AssertUnwindSafe(|| values.next().map(drop))).is_err());
    let error = values.next().unwrap().unwrap_err().downcast::<Error>().unwrap();
    assert_eq!(error.kind(), ErrorKind::Panicked);
    assert!(values.next().is_none());
}
