//! Benchmarks saved state in the middle of a 2.3 KB tool call: its size, which is printed first, and the time to save
//! and restore it, compared with the time to feed a chunk of 64 bytes.
//!
//! Run with `cargo bench --bench saved`. The parser retains nothing and follows the open field, with and without
//! snapshots.

#[allow(dead_code, unreachable_pub, reason = "other benchmarks use the rest")]
mod payload;

use std::hint::black_box;

use criterion::Criterion;
use jsonspigot::{Event, Parser, PatternSet, Retain};
use payload::Kind;

const CHUNK: usize = 64;

fn consume(event: &Event<'_>) {
    black_box(event);
}

fn saved(criterion: &mut Criterion) {
    let text = Kind::ToolCall.generate(2_300, 0).into_bytes();
    let patterns = PatternSet::new([Kind::ToolCall.pattern()]).expect("the pattern is valid");
    let keeps_nothing = Parser::builder().retain(Retain::Nothing);
    let middle = text.len() / 2;
    let mut group = criterion.benchmark_group("saved");
    for (name, builder) in [("keeps nothing", keeps_nothing.clone()), ("snapshots", keeps_nothing.snapshots())] {
        let sizes = text.chunks(CHUNK).scan(builder.clone().patterns(&patterns).build(), |parser, chunk| {
            parser.feed(chunk).check().expect("the tool call is valid");
            Some(parser.save().unwrap().len())
        });
        let sizes: Vec<usize> = sizes.collect();
        println!("{name}: {} bytes in the middle, {:?} at most", sizes[sizes.len() / 2], sizes.iter().max());
        let mut parser = builder.clone().patterns(&patterns).build();
        parser.feed(&text[..middle]).check().expect("the tool call is valid");
        group.bench_function(format!("save and restore/{name}"), |b| {
            b.iter(|| {
                let bytes = black_box(&parser).save().unwrap();
                let restored = builder.clone().patterns(&patterns).build().restore(&bytes);
                // By reference, so that the parser is not moved.
                black_box(&restored).as_ref().map(Parser::offset).expect("it was just saved")
            });
        });
        // Feeds all chunks, to measure the mean of a chunk. The number of chunks is printed below.
        let mut parser = builder.patterns(&patterns).build();
        group.bench_function(format!("all chunks of 64 bytes/feed/{name}"), |b| {
            b.iter(|| {
                parser.reset();
                for chunk in text.chunks(CHUNK) {
                    parser.feed(chunk).for_each(|event| consume(&event.expect("the tool call is valid")));
                }
            });
        });
        group.bench_function(format!("all chunks of 64 bytes/feed_with/{name}"), |b| {
            b.iter(|| {
                parser.reset();
                for chunk in text.chunks(CHUNK) {
                    parser.feed_with(chunk, |event| consume(&event)).expect("the tool call is valid");
                }
            });
        });
    }
    println!("{} chunks of 64 bytes", text.len().div_ceil(CHUNK));
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    saved(&mut criterion);
    criterion.final_summary();
}
