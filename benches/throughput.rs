//! What parsing costs: generated payloads, cut in several ways, for each task and by both methods.
//!
//! `cargo bench --bench throughput`; a task, payload or chunk size after `--` picks some. Each iteration feeds one
//! parser, reset before, so that buffers have their size; nothing is retained unless the task needs it.

#[allow(dead_code, unreachable_pub, reason = "the comparison uses the rest")]
mod payload;

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use jsonspigot::{Event, EventKind, Parser, PartialValue, PatternSet, Retain};
use payload::Kind;

/// Each payload's size; a short call has its own.
const PAYLOADS: [(Kind, usize); 6] = [
    (Kind::ToolCall, 2_300),
    (Kind::LongText, 1 << 20),
    (Kind::Records, 1 << 20),
    (Kind::Numbers, 1 << 20),
    (Kind::Deep, 1 << 20),
    (Kind::ShortCall, 0),
];

/// The ways to cut a text.
const CUTS: [&str; 5] = ["1", "token", "64", "4096", "whole"];

/// The chunks of one way to cut.
fn cut<'a>(text: &'a str, way: &str) -> Vec<&'a [u8]> {
    let text = text.as_bytes();
    match way {
        "whole" => vec![text],
        "token" => payload::tokens(text),
        size => text.chunks(size.parse().expect("a number of bytes")).collect(),
    }
}

/// What a user interface does with an event, at its cheapest: it looks at new text.
fn shown(event: &Event<'_>) -> usize {
    match event.kind {
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

/// Looks at the whole document after each chunk, as far as a look goes.
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

/// As many patterns as wanted, of which only the payload's own matches: the others part from it at its last key.
fn company(kind: Kind, count: usize) -> PatternSet {
    let own = kind.pattern();
    let others = (1..count).map(|number| format!("{own}_{number}"));
    PatternSet::new(others.chain([own.to_owned()])).expect("the patterns are valid")
}

fn group<'a>(criterion: &'a mut Criterion, task: &str, kind: Kind, text: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("{task}/{}", kind.name()));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group
}

fn tasks(criterion: &mut Criterion, kind: Kind, text: &str) {
    let unkept = || Parser::builder().retain(Retain::Nothing);
    let mut validate = group(criterion, "validate", kind, text);
    let mut parser = unkept().build(&PatternSet::empty());
    for way in CUTS {
        let chunks = cut(text, way);
        validate.bench_function(way, |bencher| bencher.iter(|| feed_with(&mut parser, black_box(&chunks))));
    }
    validate.finish();

    let mut deltas = group(criterion, "deltas", kind, text);
    let mut parser = unkept().build(&patterns(&[kind.pattern()]));
    for way in CUTS {
        let chunks = cut(text, way);
        deltas.bench_function(BenchmarkId::new("feed", way), |bencher| {
            bencher.iter(|| feed(&mut parser, black_box(&chunks)));
        });
        deltas.bench_function(BenchmarkId::new("feed_with", way), |bencher| {
            bencher.iter(|| feed_with(&mut parser, black_box(&chunks)));
        });
    }
    deltas.finish();

    let mut company_of = group(criterion, "patterns", kind, text);
    for count in [1, 10, 100] {
        let mut parser = unkept().build(&company(kind, count));
        for way in ["token", "whole"] {
            let chunks = cut(text, way);
            company_of.bench_function(BenchmarkId::new(count.to_string(), way), |bencher| {
                bencher.iter(|| feed_with(&mut parser, black_box(&chunks)));
            });
        }
    }
    company_of.finish();

    let mut snapshots = group(criterion, "snapshot", kind, text);
    let mut parser = unkept().snapshots().build(&PatternSet::empty());
    for way in CUTS {
        let chunks = cut(text, way);
        snapshots.bench_function(way, |bencher| bencher.iter(|| feed_and_look(&mut parser, black_box(&chunks))));
    }
    snapshots.finish();

    let mut value = group(criterion, "value", kind, text);
    let mut parser = Parser::new(&PatternSet::empty());
    for way in CUTS {
        let chunks = cut(text, way);
        value.bench_function(way, |bencher| {
            bencher.iter(|| {
                feed_with(&mut parser, black_box(&chunks));
                black_box(parser.deserialize::<serde_json::Value>().expect("the value is read"));
            });
        });
    }
    value.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (kind, size) in PAYLOADS {
        tasks(&mut criterion, kind, &kind.generate(size));
    }
    criterion.final_summary();
}
