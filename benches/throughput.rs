//! Benchmarks parsing of generated payloads, for each task, chunking and method.
//!
//! Run with `cargo bench --bench throughput`; a task, payload or chunk size after `--` is a filter. Each iteration
//! resets one parser, which keeps its buffers. Nothing is retained unless the task needs it. Short texts are read in
//! rotation, each with its own chunk boundaries.

#[allow(dead_code, unreachable_pub, reason = "the comparison uses the rest")]
mod payload;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use jsonspigot::{Event, EventKind, Parser, PartialValue, PatternSet, Retain};
use payload::Kind;

/// The payloads and their sizes; a short call has a fixed size.
const PAYLOADS: [(Kind, usize); 6] = [
    (Kind::ToolCall, 2_300),
    (Kind::LongText, 1 << 20),
    (Kind::Records, 1 << 20),
    (Kind::Numbers, 1 << 20),
    (Kind::Deep, 1 << 20),
    (Kind::ShortCall, 0),
];

/// The chunkings of a text.
const CUTS: [&str; 5] = ["1", "token", "64", "4096", "whole"];

/// Divides a text into chunks.
fn cut<'a>(text: &'a str, way: &str, seed: u64) -> Vec<&'a [u8]> {
    let text = text.as_bytes();
    match way {
        "whole" => vec![text],
        "token" => payload::tokens(text, seed),
        size => text.chunks(size.parse().expect("a number of bytes")).collect(),
    }
}

/// The chunks of the texts of a rotation, and the index of the current text.
struct Rotation<'a> {
    texts: Vec<Vec<&'a [u8]>>,
    turn: usize,
}

impl<'a> Rotation<'a> {
    fn new(texts: &'a [String], way: &str) -> Self {
        Self { texts: texts.iter().zip(0..).map(|(text, seed)| cut(text, way, seed)).collect(), turn: 0 }
    }

    fn next(&mut self) -> &[&'a [u8]] {
        self.turn = (self.turn + 1) % self.texts.len();
        black_box(&self.texts[self.turn])
    }
}

/// Reads new text, the least that a user interface does with an event.
fn shown(event: &Event<'_>) -> usize {
    match &event.kind {
        EventKind::Delta(text) => black_box(text).len(),
        _ => 0,
    }
}

fn feed(parser: &mut Parser, chunks: &[&[u8]]) -> usize {
    parser.reset();
    let mut len = 0;
    for chunk in chunks {
        for event in parser.feed(chunk) {
            len += shown(&event.expect("the payload is valid"));
        }
    }
    parser.finish().for_each(|event| len += shown(&event.expect("the payload is whole")));
    len
}

fn feed_with(parser: &mut Parser, chunks: &[&[u8]]) -> usize {
    parser.reset();
    let mut len = 0;
    for chunk in chunks {
        parser.feed_with(chunk, |event| len += shown(&event)).expect("the payload is valid");
    }
    parser.finish_with(|event| len += shown(&event)).expect("the payload is whole");
    len
}

/// Feeds a text and reads the snapshot's root after each chunk.
fn feed_and_look(parser: &mut Parser, chunks: &[&[u8]]) {
    parser.reset();
    for chunk in chunks {
        parser.feed_with(chunk, |_| {}).expect("the payload is valid");
        black_box(parser.snapshot().map(PartialValue::len));
    }
    parser.finish().check().expect("the payload is whole");
}

fn patterns(patterns: &[&str]) -> PatternSet {
    PatternSet::new(patterns).expect("the patterns are valid")
}

/// Returns `count` patterns, of which only the payload's own matches. The others differ in the last key.
fn company(kind: Kind, count: usize) -> PatternSet {
    let own = kind.pattern();
    let others = (1..count).map(|number| format!("{own}_{number}"));
    PatternSet::new(others.chain([own.to_owned()])).expect("the patterns are valid")
}

fn group<'a>(criterion: &'a mut Criterion, task: &str, kind: Kind, texts: &[String]) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("{task}/{}", kind.name()));
    // The mean size of a text.
    let bytes = texts.iter().map(String::len).sum::<usize>() / texts.len();
    group.throughput(Throughput::Bytes(bytes as u64));
    group
}

fn tasks(criterion: &mut Criterion, kind: Kind, texts: &[String]) {
    let unkept = || Parser::builder().retain(Retain::Nothing);
    let mut validate = group(criterion, "validate", kind, texts);
    let mut parser = unkept().build();
    for way in CUTS {
        let mut texts = Rotation::new(texts, way);
        validate.bench_function(way, |bencher| bencher.iter(|| feed_with(&mut parser, texts.next())));
    }
    validate.finish();

    let mut deltas = group(criterion, "deltas", kind, texts);
    let mut parser = unkept().patterns(&patterns(&[kind.pattern()])).build();
    for way in CUTS {
        let mut texts = Rotation::new(texts, way);
        deltas.bench_function(BenchmarkId::new("feed", way), |bencher| {
            bencher.iter(|| feed(&mut parser, texts.next()));
        });
        deltas.bench_function(BenchmarkId::new("feed_with", way), |bencher| {
            bencher.iter(|| feed_with(&mut parser, texts.next()));
        });
    }
    deltas.finish();

    let mut company_of = group(criterion, "patterns", kind, texts);
    for count in [1, 10, 100] {
        let mut parser = unkept().patterns(&company(kind, count)).build();
        for way in ["token", "whole"] {
            let mut texts = Rotation::new(texts, way);
            company_of.bench_function(BenchmarkId::new(count.to_string(), way), |bencher| {
                bencher.iter(|| feed_with(&mut parser, texts.next()));
            });
        }
    }
    company_of.finish();

    let mut snapshots = group(criterion, "snapshot", kind, texts);
    let mut parser = unkept().snapshots().build();
    for way in CUTS {
        let mut texts = Rotation::new(texts, way);
        snapshots.bench_function(way, |bencher| bencher.iter(|| feed_and_look(&mut parser, texts.next())));
    }
    snapshots.finish();

    let mut value = group(criterion, "value", kind, texts);
    let mut parser = Parser::default();
    for way in CUTS {
        let mut texts = Rotation::new(texts, way);
        value.bench_function(way, |bencher| {
            bencher.iter(|| {
                feed_with(&mut parser, texts.next());
                black_box(parser.deserialize::<serde_json::Value>().expect("the value is read"));
            });
        });
    }
    value.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (kind, size) in PAYLOADS {
        let texts: Vec<String> = (0..payload::rotation(size)).map(|seed| kind.generate(size, seed)).collect();
        tasks(&mut criterion, kind, &texts);
    }
    criterion.final_summary();
}
