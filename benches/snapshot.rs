//! What the partial document costs: one tool call in pieces of 1 to 8 bytes, with the arena off, and with it on and a
//! look at one field after each piece.
//!
//! `cargo bench --bench snapshot`. Each iteration feeds one parser, reset before, so that buffers have their size.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use jsonspigot::{Parser, PartialValue, PatternSet};

const TOOL_CALL: &[u8] = include_bytes!("../examples/classify_and_assess.json");

/// The patterns of a user interface; and none, so that the arena is compared with skipping everything.
const PATTERNS: [(&str, &[&str]); 2] = [
    ("patterns", &["ask_slots[*].message", "ask_slots[*].options[*]", "simple_response.message"]),
    ("no patterns", &[]),
];

/// Pieces of 1 to 8 bytes: uneven, but the same in each run.
fn pieces() -> Vec<&'static [u8]> {
    let mut sizes = [4, 2, 5, 8, 3, 7, 1, 6].into_iter().cycle();
    let mut rest = TOOL_CALL;
    let mut pieces = Vec::new();
    while let Some(size) = sizes.next().filter(|_| !rest.is_empty()) {
        let (piece, behind) = rest.split_at(rest.len().min(size));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

fn feed(parser: &mut Parser, pieces: &[&[u8]]) {
    parser.reset();
    for piece in pieces {
        parser.feed_with(piece, |event| _ = black_box(event)).expect("the tool call is valid");
    }
    parser.finish_with(|event| _ = black_box(event)).expect("the tool call is whole");
}

/// The same, and after each piece a look at the field that a user interface would draw.
fn feed_and_look(parser: &mut Parser, pieces: &[&[u8]], look: impl Fn(PartialValue<'_>) -> Option<PartialValue<'_>>) {
    parser.reset();
    for piece in pieces {
        parser.feed_with(piece, |event| _ = black_box(event)).expect("the tool call is valid");
        let field = parser.snapshot().and_then(&look);
        black_box(field.and_then(PartialValue::as_str));
    }
    parser.finish_with(|event| _ = black_box(event)).expect("the tool call is whole");
}

fn snapshot(criterion: &mut Criterion) {
    let pieces = pieces();
    let mut group = criterion.benchmark_group("snapshot");
    group.throughput(Throughput::Bytes(TOOL_CALL.len() as u64));
    for (name, patterns) in PATTERNS {
        let patterns = PatternSet::new(patterns).expect("the patterns are valid");
        let mut parser = Parser::new(&patterns);
        group.bench_function(BenchmarkId::new("off", name), |bencher| {
            bencher.iter(|| feed(&mut parser, black_box(&pieces)));
        });
        let mut parser = Parser::builder().snapshots().build(&patterns);
        group.bench_function(BenchmarkId::new("on", name), |bencher| {
            bencher.iter(|| feed(&mut parser, black_box(&pieces)));
        });
        // The field that is being written most of the time; one that all others are passed for; one deep inside.
        for (look, path) in [("newest", "ask_slots"), ("first", "reasoning"), ("deep", "ask_slots[0].message")] {
            group.bench_function(BenchmarkId::new(look, name), |bencher| {
                bencher.iter(|| match look {
                    "deep" => feed_and_look(&mut parser, black_box(&pieces), |root| root.at(black_box(path))),
                    _ => feed_and_look(&mut parser, black_box(&pieces), |root| root.get(black_box(path))),
                });
            });
        }
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    snapshot(&mut criterion);
    criterion.final_summary();
}
