//! What the size of chunks costs: one tool call, cut in several ways, through both doors.
//!
//! `cargo bench --bench chunk_split`. Each iteration feeds one parser, reset before, so that buffers have their size.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use jsonspigot::{Event, EventKind, Parser, PatternSet};

const TOOL_CALL: &[u8] = include_bytes!("../examples/classify_and_assess.json");

/// The ways to cut the tool call.
fn splits() -> [(&'static str, Vec<&'static [u8]>); 4] {
    [
        ("1", TOOL_CALL.chunks(1).collect()),
        ("1-8", random_pieces(TOOL_CALL, 8)),
        ("64", TOOL_CALL.chunks(64).collect()),
        ("whole", vec![TOOL_CALL]),
    ]
}

/// Pieces of 1 to `longest` bytes: random, but the same in each run.
fn random_pieces(mut text: &[u8], longest: u64) -> Vec<&[u8]> {
    let mut state = 0x5eed;
    let mut pieces = Vec::new();
    while !text.is_empty() {
        // Knuth's constants; the upper bits are the random ones.
        state = u64::wrapping_mul(state, 6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let len = (state >> 33) % longest + 1;
        let (piece, rest) = text.split_at(text.len().min(len as usize));
        pieces.push(piece);
        text = rest;
    }
    pieces
}

/// What a user interface does with an event, at its cheapest: it looks at new text.
fn shown(event: &Event<'_>) -> usize {
    match event.kind {
        EventKind::Delta(text) => text.len(),
        EventKind::Begin(_) | EventKind::End(_) => 0,
    }
}

fn feed(parser: &mut Parser, chunks: &[&[u8]]) -> usize {
    parser.reset();
    let mut len = 0;
    for chunk in chunks {
        for event in parser.feed(chunk) {
            len += shown(&event.expect("the tool call is valid"));
        }
    }
    parser.finish().for_each(|event| len += shown(&event.expect("the tool call is whole")));
    len
}

fn feed_with(parser: &mut Parser, chunks: &[&[u8]]) -> usize {
    parser.reset();
    let mut len = 0;
    for chunk in chunks {
        parser.feed_with(chunk, |event| len += shown(&event)).expect("the tool call is valid");
    }
    parser.finish_with(|event| len += shown(&event)).expect("the tool call is whole");
    len
}

fn chunk_split(criterion: &mut Criterion) {
    let patterns = PatternSet::new(["ask_slots[*].message", "ask_slots[*].options[*]", "simple_response.message"]);
    let mut parser = Parser::new(&patterns.expect("the patterns are valid"));
    let mut group = criterion.benchmark_group("chunk_split");
    group.throughput(Throughput::Bytes(TOOL_CALL.len() as u64));
    for (name, chunks) in splits() {
        group.bench_function(BenchmarkId::new("feed", name), |bencher| {
            bencher.iter(|| feed(&mut parser, black_box(&chunks)));
        });
        group.bench_function(BenchmarkId::new("feed_with", name), |bencher| {
            bencher.iter(|| feed_with(&mut parser, black_box(&chunks)));
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    chunk_split(&mut criterion);
    criterion.final_summary();
}
