//! The parser between two streams reports the same as when it is fed, with any executor: with pending polls anywhere,
//! futures dropped after any poll, and errors of the transport at any position.

use std::cell::Cell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::error::Error as _;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake};

use futures::stream::{self, FusedStream, Stream, StreamExt};
use jsonspigot::{
    DocumentStream, Documents, Error, ErrorKind, Event, EventKind, Framing, Parser, ParserStream, ParserStreamError,
    PatternSet,
};
use jsonspigot_check::laws::Law;
use proptest::prelude::*;

use super::model::chunking::{chunks, with_cuts};
use super::model::mutate::any_document;
use super::model::torture::torture_documents;
use super::properties::cuts::parsers;

/// A step of a stream of chunks.
#[derive(Clone, Debug)]
enum Step {
    Chunk(Vec<u8>),
    Pending,
    Fails,
}

#[derive(Debug, PartialEq)]
struct Broken;

/// Does one step after the other. It must not be polled again after the end or an error.
struct Script {
    steps: VecDeque<Step>,
    is_over: bool,
}

impl Script {
    fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect(), is_over: false }
    }
}

impl Stream for Script {
    type Item = Result<Vec<u8>, Broken>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.is_over, "asked again after the end");
        match self.steps.pop_front() {
            Some(Step::Chunk(chunk)) => Poll::Ready(Some(Ok(chunk))),
            Some(Step::Pending) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Fails) => {
                self.is_over = true;
                Poll::Ready(Some(Err(Broken)))
            }
            None => {
                self.is_over = true;
                Poll::Ready(None)
            }
        }
    }
}

/// Counts how often it was woken.
#[derive(Default)]
struct Alarm(AtomicUsize);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Polls a future a few times, and drops it. A pending future must have registered its waker.
fn poll<T>(future: impl Future<Output = T>, times: usize) -> Option<T> {
    let alarm = Arc::<Alarm>::default();
    let waker = alarm.clone().into();
    let mut future = pin!(future);
    for polled in 0..times {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return Some(value),
            Poll::Pending => assert_eq!(alarm.0.load(Ordering::Relaxed), polled + 1, "nobody would poll again"),
        }
    }
    None
}

/// How the next piece is asked for, and how often that future is polled before it is dropped.
#[derive(Clone, Copy, Debug)]
struct Ask {
    whole_chunk: bool,
    polls: usize,
}

/// The output of the stream, until its end.
#[derive(Debug, Default, PartialEq)]
struct Report {
    events: Vec<Event<'static>>,
    text: Option<Error>,
    transport: Option<Broken>,
}

/// Reads all of a stream, asking in these ways, over and over.
fn read<S>(events: &mut ParserStream<S>, asks: &[Ask]) -> Report
where
    S: Stream<Item = Result<Vec<u8>, Broken>>,
{
    let mut reported = Report::default();
    for (asked, ask) in asks.iter().cycle().enumerate() {
        assert!(asked < 100_000, "it does not end");
        let is_over = events.is_terminated();
        assert!(reported.text.is_none() || is_over, "an error in the text comes last");
        if ask.whole_chunk {
            match poll(events.next_chunk(), ask.polls) {
                None => continue,
                Some(Ok(Some(events))) => {
                    for event in events {
                        match event {
                            Ok(event) => reported.events.push(event.into_owned()),
                            Err(error) => reported.text = Some(error),
                        }
                    }
                }
                Some(Err(error)) => reported.transport = Some(error),
                Some(Ok(None)) => break,
            }
        } else {
            match poll(events.next(), ask.polls) {
                None => continue,
                Some(Some(Ok(event))) => reported.events.push(event),
                Some(Some(Err(ParserStreamError::Text(error)))) => reported.text = Some(error),
                Some(Some(Err(ParserStreamError::Transport(error)))) => reported.transport = Some(error),
                Some(None) => break,
            }
        }
        assert!(!is_over, "it said that it was over");
    }
    assert!(events.is_terminated());
    assert_eq!(poll(events.next(), 1), Some(None), "it is fused");
    assert!(matches!(poll(events.next_chunk(), 1), Some(Ok(None))), "it is fused");
    reported
}

/// Returns the output of a parser that is fed.
fn fed(parser: &mut Parser, chunks: &[&[u8]], is_all: bool) -> Report {
    let mut reported = Report::default();
    for place in 0..chunks.len() + usize::from(is_all) {
        let events = match chunks.get(place) {
            Some(chunk) => parser.feed(chunk),
            None => parser.finish(),
        };
        for event in events {
            match event {
                Ok(event) => reported.events.push(event.into_owned()),
                Err(error) => reported.text = Some(error),
            }
        }
        if reported.text.is_some() {
            break;
        }
    }
    reported
}

/// Returns the public state of a parser.
fn state(parser: &Parser) -> impl PartialEq + std::fmt::Debug {
    let shown = parser.has_snapshots().then(|| parser.snapshot().map(|root| root.to_string()));
    let text = parser.text().map(<[u8]>::to_vec);
    (shown, text, parser.deserialize::<serde_json::Value>(), parser.error().cloned(), parser.is_complete())
}

/// Returns the steps of these chunks, with some pending polls before each.
fn steps(chunks: &[&[u8]], pauses: &[usize]) -> Vec<Step> {
    let mut pauses = pauses.iter().cycle();
    let mut steps = Vec::new();
    for chunk in chunks {
        steps.extend(std::iter::repeat_n(Step::Pending, *pauses.next().unwrap_or(&0)));
        steps.push(Step::Chunk(chunk.to_vec()));
    }
    steps.extend(std::iter::repeat_n(Step::Pending, *pauses.next().unwrap_or(&0)));
    steps
}

fn same_as_fed(chunks: &[&[u8]], pauses: &[usize], asks: &[Ask]) {
    for parser in parsers() {
        let mut events = ParserStream::new(Script::new(steps(chunks, pauses)), parser.clone());
        let reported = read(&mut events, asks);
        let mut parser = parser;
        assert_eq!(reported, fed(&mut parser, chunks, true));
        assert_eq!(state(events.parser()), state(&parser));
        assert_eq!(state(&events.into_parser()), state(&parser));
        Law::AsyncStreams.mark_compared();
    }
}

/// Checks that an error of the transport after some chunks does not finish the text, and that the rest can come from
/// another stream.
fn goes_on_elsewhere(chunks: &[&[u8]], pauses: &[usize], asks: &[Ask]) {
    let (some, rest) = chunks.split_at(chunks.len() / 2);
    for parser in parsers() {
        let broken = steps(some, pauses).into_iter().chain([Step::Fails, Step::Chunk(b"never asked for".to_vec())]);
        let mut events = ParserStream::new(Script::new(broken), parser.clone());
        let reported = read(&mut events, asks);
        let mut parser = parser;
        let expected = fed(&mut parser, some, false);
        let transport = expected.text.is_none().then_some(Broken);
        assert_eq!(reported, Report { transport, ..expected });
        assert_eq!(state(events.parser()), state(&parser));
        let unfinished = events.parser().deserialize::<serde_json::Value>();
        assert!(unfinished.is_err(), "what may have been cut off is no value: {unfinished:?}");

        let mut events = ParserStream::new(Script::new(steps(rest, pauses)), events.into_parser());
        let reported = read(&mut events, asks);
        assert_eq!(reported, fed(&mut parser, rest, true));
        assert_eq!(state(events.parser()), state(&parser));
    }
}

/// Both ways to ask, alone and mixed, each future dropped after one poll or held.
const ASKS: [&[Ask]; 4] = [
    &[Ask { whole_chunk: false, polls: 1 }],
    &[Ask { whole_chunk: true, polls: 1 }],
    &[Ask { whole_chunk: false, polls: 9 }, Ask { whole_chunk: true, polls: 9 }],
    &[Ask { whole_chunk: true, polls: 2 }, Ask { whole_chunk: false, polls: 1 }, Ask { whole_chunk: false, polls: 3 }],
];

#[test]
fn torture_documents_are_streamed_as_fed_at_every_cut() {
    for document in torture_documents() {
        for cut in 0..=document.len() {
            let chunks = chunks(document, &[cut]);
            same_as_fed(&chunks, &[1, 0, 2], ASKS[cut % ASKS.len()]);
            goes_on_elsewhere(&chunks, &[0, 1], ASKS[cut % ASKS.len()]);
        }
        let each_byte: Vec<_> = document.chunks(1).collect();
        for asks in ASKS {
            same_as_fed(&each_byte, &[0, 0, 1], asks);
        }
    }
}

pub(super) fn any_text_is_streamed_as_fed() {
    proptest!(|((document, cuts) in with_cuts(any_document()),
        pauses in prop::collection::vec(0_usize..3, 0..6),
        asks in prop::collection::vec((any::<bool>(), 1_usize..4), 1..6))| {
        let asks: Vec<_> = asks.into_iter().map(|(whole_chunk, polls)| Ask { whole_chunk, polls }).collect();
        let chunks = chunks(&document, &cuts);
        same_as_fed(&chunks, &pauses, &asks);
        goes_on_elsewhere(&chunks, &pauses, &asks);
    });
}

fn parser(pattern: &str) -> Parser {
    Parser::new(&PatternSet::new([pattern]).unwrap())
}

/// Returns chunks that are always ready, with a counter of those that were taken.
fn always_ready(chunk: &[u8]) -> (impl Stream<Item = Result<&[u8], Infallible>>, Rc<Cell<usize>>) {
    let taken = Rc::new(Cell::new(0));
    let count = taken.clone();
    let first = stream::iter([Ok(&b"[\""[..])]);
    (first.chain(stream::repeat_with(move || Ok(chunk)).inspect(move |_| count.set(count.get() + 1))), taken)
}

/// Reads an endless text without an event that is always ready: each poll reads a bounded part of it, asks to be polled
/// again, and continues.
#[test]
fn a_poll_without_events_is_bounded() {
    for (length, most) in [(0, 32), (1, 32), (4 << 10, 16), (1 << 20, 1)] {
        let chunk = vec![b'a'; length];
        let (chunks, taken) = always_ready(&chunk);
        let mut events = ParserStream::new(chunks, parser("a"));
        for polls in 1..20 {
            assert!(poll(events.next(), 1).is_none(), "there is no event");
            assert!(
                (polls..=polls * most).contains(&taken.get()),
                "{} chunks of {length} in {polls} polls",
                taken.get()
            );
        }
    }
}

/// Checks that the bound applies to reads without events: an event is returned by the poll that found it.
#[test]
fn an_event_is_returned_by_the_poll_that_reads_it() {
    let skipped = ["[", "1,", "2,"].into_iter().chain(std::iter::repeat_n(" ", 28));
    let chunks = skipped.chain(["\"last of the poll"]).map(Ok::<_, Infallible>);
    let mut events = ParserStream::new(stream::iter(chunks), parser("[2]"));
    let begin = poll(events.next(), 1).expect("in the 32nd chunk").unwrap().unwrap();
    assert!(matches!(begin.kind, EventKind::Begin(_)));
}

/// Checks that the next chunk is requested only when all events of the last one have been taken.
#[test]
fn a_chunk_waits_until_the_last_ones_events_are_taken() {
    let taken = Cell::new(0);
    let chunks =
        stream::iter(["[1, 2", ", 3", ", 4]"]).map(Ok::<_, Infallible>).inspect(|_| taken.set(taken.get() + 1));
    let mut events = ParserStream::new(chunks, parser("[*]"));
    let mut at_each_event = Vec::new();
    while let Some(event) = poll(events.next(), 1).unwrap() {
        event.unwrap();
        at_each_event.push(taken.get());
    }
    // The end of `2` and of `3` is known only at the comma.
    assert_eq!(at_each_event, [1, 1, 1, 2, 2, 3, 3, 3]);
}

#[test]
fn an_empty_stream_is_an_incomplete_text() {
    for chunks in [Vec::new(), vec![Ok::<_, Infallible>("")], vec![Ok(" "), Ok("\n")]] {
        let mut events = ParserStream::new(stream::iter(chunks), parser("$"));
        let Some(Some(Err(ParserStreamError::Text(error)))) = poll(events.next(), 1) else {
            panic!("no error of the text");
        };
        assert_eq!(error.kind(), ErrorKind::Incomplete);
        assert!(events.is_terminated());
        assert_eq!(poll(events.next(), 1), Some(None));
    }
}

/// Checks that a root number that the transport cut off is not finished, because it would look complete.
#[test]
fn a_broken_transport_finishes_nothing() {
    let mut events = ParserStream::new(Script::new([Step::Chunk(b"12".to_vec()), Step::Fails]), parser("$"));
    let reported = read(&mut events, ASKS[0]);
    assert_eq!((reported.events.len(), reported.transport, reported.text), (1, Some(Broken), None));
    assert_eq!(events.into_parser().deserialize::<u32>().unwrap_err().kind(), ErrorKind::Incomplete);
}

/// Checks that a borrowed stream still has its rest after an error in the text.
#[test]
fn a_borrowed_stream_continues() {
    let mut chunks = stream::iter(["[1", "!", "the rest"].map(Ok::<_, Infallible>));
    let mut events = ParserStream::new(&mut chunks, parser("$"));
    assert!(poll(events.next(), 1).unwrap().unwrap().is_ok());
    assert!(poll(events.next(), 1).unwrap().unwrap().is_err());
    assert_eq!(poll(events.next(), 1), Some(None));
    drop(events);
    assert_eq!(poll(chunks.next(), 1), Some(Some(Ok("the rest"))));
}

/// Checks that the stream of chunks is dropped, and so its connection closed, as soon as it has ended.
#[test]
fn the_chunks_are_dropped_at_the_end() {
    for (text, is_error) in [("[]", false), ("[}", true)] {
        let held = Rc::new(());
        let token = held.clone();
        let chunks = stream::iter([Ok::<_, Infallible>(text)]).inspect(move |_| _ = &token);
        let mut events = ParserStream::new(chunks, parser("a"));
        assert_eq!(poll(events.next(), 1).unwrap().is_some_and(|event| event.is_err()), is_error);
        assert_eq!(Rc::strong_count(&held), 1);
    }
}

/// Checks that events that were not taken through the stream come first when a chunk is requested.
#[test]
fn the_rest_of_a_chunk_is_not_skipped() {
    let mut events = ParserStream::new(stream::iter(["[1,2", "]"].map(Ok::<_, Infallible>)), parser("[*]"));
    poll(events.next(), 1).unwrap().unwrap().unwrap();
    let counts = [(); 4].map(|()| poll(events.next_chunk(), 1).unwrap().unwrap().map(Iterator::count));
    assert_eq!(counts, [Some(2), Some(1), Some(0), None], "the rest, `]`, and `finish`");
}

#[test]
fn errors_show_what_is_inside() {
    let text: ParserStreamError<io::Error> = Parser::default().feed("!").check().unwrap_err().into();
    assert_eq!(text.to_string(), "unexpected byte: expected a value at line 1 column 1 (byte 0) in $");
    assert!(text.source().is_none());
    let inside = io::Error::new(io::ErrorKind::TimedOut, ParserStreamError::Transport(io::Error::other("too slow")));
    let transport = ParserStreamError::Transport(inside);
    assert_eq!(transport.to_string(), "too slow");
    // Not itself once more, for those who print a chain of causes.
    assert!(transport.source().is_none());
}

#[test]
fn debug_needs_nothing_of_the_chunks() {
    let events = ParserStream::new(stream::iter([Ok::<_, Infallible>("")]).map(|chunk| chunk), parser("$"));
    assert!(format!("{events:?}").starts_with("ParserStream { has_ended: false, parser: Parser {"));
}

/// Checks that a stream of texts reports the same as when it is fed, however often a poll is dropped. An error of the
/// transport is reported at its position, and finishes nothing.
#[test]
fn documents_are_the_same_as_fed() {
    let texts = ["{\"a\": [1, \"x\"]}\n\n[2]\nnull\n", "1\n{\"a\"\n[]\n", "{}{}\u{1e}[3]", "", "\n", "[1"];
    let patterns = PatternSet::new(["$", "a"]).unwrap();
    for (text, framing) in texts.into_iter().flat_map(|text| Framing::ALL.iter().map(move |framing| (text, *framing))) {
        for size in 1..=text.len().max(1) {
            let chunks: Vec<_> = text.as_bytes().chunks(size).collect();
            let new = || Documents::new(framing, Parser::new(&patterns));
            let mut fed = new();
            let mut expected = Vec::new();
            for chunk in &chunks {
                expected.extend(fed.feed(chunk));
                if expected.last().is_some_and(Result::is_err) {
                    break;
                }
            }
            if !expected.last().is_some_and(Result::is_err) {
                expected.extend(fed.finish());
            }
            let mut events = DocumentStream::new(Script::new(steps(&chunks, &[1, 0, 2])), new());
            let mut found = Vec::new();
            while !events.is_terminated() {
                match poll(events.next(), 1) {
                    Some(Some(Ok(event))) => found.push(Ok(event)),
                    Some(Some(Err(ParserStreamError::Text(error)))) => found.push(Err(error)),
                    Some(Some(Err(ParserStreamError::Transport(Broken)))) => panic!("it does not break"),
                    Some(None) | None => {}
                }
            }
            assert_eq!(found, expected, "{text:?} as {framing} in chunks of {size}");
            assert_eq!(poll(events.next(), 1), Some(None), "it is fused");
            assert_eq!(events.documents().offset(), fed.offset());
        }
    }
    let broken = [Step::Chunk(b"[1]\n[2".to_vec()), Step::Fails];
    let mut events = DocumentStream::new(Script::new(broken), Documents::new(Framing::Lines, Parser::new(&patterns)));
    let mut ended = 0;
    let error = loop {
        match poll(events.next(), 1).unwrap().unwrap() {
            Ok(event) => ended += usize::from(matches!(event, jsonspigot::DocumentEvent::End(_))),
            Err(error) => break error,
        }
    };
    assert_eq!((ended, error), (1, ParserStreamError::Transport(Broken)));
    let mut documents = events.into_documents();
    documents.feed("]\n").for_each(|event| drop(event.unwrap()));
    assert_eq!(documents.offset(), 8);
}
