//! Benchmarks snapshots. A 2.3 KB tool call is fed in pieces of 1 to 8 bytes: without snapshots, with them, and with a
//! read of one field or of a typed value after each piece. At the end the complete value is read from the snapshot and
//! from the text.
//!
//! Run with `cargo bench --bench snapshot`. Each iteration resets one parser, which keeps its buffers, and feeds the
//! next of many tool calls, each with its own chunk boundaries. Both methods run with one pattern and all text
//! retained, the default of `Parser::new`. A parser that follows and retains nothing shows the cost of snapshots alone.

#[allow(dead_code, unreachable_pub, reason = "other benchmarks use the rest")]
mod payload;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use jsonspigot::{Event, Parser, PartialValue, PatternSet, Retain};
use payload::Kind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A method that feeds a piece and consumes its events.
type Method = fn(&mut Parser, &[u8]);

fn consume(event: &Event<'_>) {
    black_box(event);
}

fn feed(parser: &mut Parser, piece: &[u8]) {
    for event in parser.feed(piece) {
        consume(&event.expect("the tool call is valid"));
    }
}

fn feed_with(parser: &mut Parser, piece: &[u8]) {
    parser.feed_with(piece, |event| consume(&event)).expect("the tool call is valid");
}

#[inline]
fn read(parser: &mut Parser, pieces: &[&[u8]], method: Method, look: impl Fn(&Parser)) {
    parser.reset();
    for piece in pieces {
        method(parser, piece);
        look(parser);
    }
    parser.finish_with(|event| consume(&event)).expect("the tool call is whole");
}

/// Reads a field, like an interface that displays it.
#[inline]
fn look<'a>(parser: &'a Parser, field: impl Fn(PartialValue<'a>) -> Option<PartialValue<'a>>) {
    black_box(parser.snapshot().and_then(field).and_then(PartialValue::as_str));
}

/// The type of the tool call, with defaults for fields that have not arrived.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Call {
    reasoning: String,
    route: String,
    data_strategy: String,
    is_follow_up: bool,
    follow_up_confidence: f64,
    ask_slots: Vec<Slot>,
    simple_response: Option<Response>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Slot {
    slot_name: String,
    message: String,
    options: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Response {
    message: String,
    response_type: String,
}

/// The tool call in a flattened field, which serde buffers.
#[derive(Deserialize)]
#[expect(dead_code, reason = "read, and not looked at")]
struct Flattened {
    #[serde(flatten)]
    call: Call,
}

/// Deserializes the snapshot, if there is one.
fn look_as<T: DeserializeOwned>(parser: &Parser) {
    black_box(
        parser.snapshot().map(|root| root.deserialize::<T>().expect("anything fits").expect("nothing is required")),
    );
}

/// Returns different tool calls.
fn calls() -> Vec<String> {
    (0..payload::rotation(2_300)).map(|seed| Kind::ToolCall.generate(2_300, seed)).collect()
}

fn snapshot(criterion: &mut Criterion) {
    let texts = calls();
    let cut: Vec<Vec<&[u8]>> =
        texts.iter().zip(0..).map(|(text, seed)| payload::tokens(text.as_bytes(), seed)).collect();
    let mut turn = 0;
    let mut next = || {
        turn = (turn + 1) % cut.len();
        black_box(cut[turn].as_slice())
    };
    let own = PatternSet::new([Kind::ToolCall.pattern()]).expect("the pattern is valid");
    let kept = Parser::builder;
    let unkept = || Parser::builder().retain(Retain::Nothing);
    let ways = [
        ("feed", feed as Method, own.clone(), kept()),
        ("feed_with", feed_with, own, kept()),
        ("nothing followed", feed_with, PatternSet::default(), unkept()),
    ];
    let mut group = criterion.benchmark_group("snapshot");
    group.throughput(Throughput::Bytes((texts.iter().map(String::len).sum::<usize>() / texts.len()) as u64));
    for (name, method, patterns, builder) in ways {
        let mut parser = builder.clone().patterns(&patterns).build();
        group.bench_function(BenchmarkId::new("off", name), |b| b.iter(|| read(&mut parser, next(), method, |_| {})));
        let mut parser = builder.snapshots().patterns(&patterns).build();
        group.bench_function(BenchmarkId::new("on", name), |b| b.iter(|| read(&mut parser, next(), method, |_| {})));
        // A field in the middle, the first of twelve fields, and a nested field.
        group.bench_function(BenchmarkId::new("ask_slots", name), |b| {
            b.iter(|| read(&mut parser, next(), method, |parser| look(parser, |root| root.get("ask_slots"))));
        });
        group.bench_function(BenchmarkId::new("reasoning", name), |b| {
            b.iter(|| read(&mut parser, next(), method, |parser| look(parser, |root| root.get("reasoning"))));
        });
        group.bench_function(BenchmarkId::new("ask_slots[0].message", name), |b| {
            b.iter(|| read(&mut parser, next(), method, |parser| look(parser, |root| root.at("ask_slots[0].message"))));
        });
        group.bench_function(BenchmarkId::new("typed", name), |b| {
            b.iter(|| read(&mut parser, next(), method, look_as::<Call>));
        });
        group.bench_function(BenchmarkId::new("typed, buffered", name), |b| {
            b.iter(|| read(&mut parser, next(), method, look_as::<Flattened>));
        });
    }
    group.finish();
}

/// Benchmarks reading the complete value of a finished parser from a snapshot and from its text. Copying the value is
/// the lower bound.
fn complete(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("complete");
    for (name, kind, size) in [
        ("tool call", Kind::ToolCall, 2_300),
        ("records", Kind::Records, 1_000_000),
        ("numbers", Kind::Numbers, 1_000_000),
    ] {
        let text = kind.generate(size, 0);
        let [from_snapshot, from_text] = [Parser::builder().snapshots().retain(Retain::Nothing), Parser::builder()]
            .map(|builder| {
                let mut parser = builder.build();
                parser.feed(&text).check().expect("the text is valid");
                parser.finish().check().expect("the text is whole");
                parser
            });
        let root = from_snapshot.snapshot().expect("a whole text has a value");
        group.bench_function(BenchmarkId::new(format!("{name}, value"), "snapshot"), |b| {
            b.iter(|| root.deserialize::<Value>().expect("any text is a value"));
        });
        group.bench_function(BenchmarkId::new(format!("{name}, value"), "text"), |b| {
            b.iter(|| from_text.deserialize::<Value>().expect("any text is a value"));
        });
        if kind == Kind::ToolCall {
            group.bench_function(BenchmarkId::new(format!("{name}, typed"), "snapshot"), |b| {
                b.iter(|| root.deserialize::<Call>().expect("the tool call fits"));
            });
            group.bench_function(BenchmarkId::new(format!("{name}, typed"), "text"), |b| {
                b.iter(|| from_text.deserialize::<Call>().expect("the tool call fits"));
            });
        }
        let value: Value = from_text.deserialize().expect("any text is a value");
        group.bench_function(BenchmarkId::new(format!("{name}, value"), "copy"), |b| {
            b.iter(|| black_box(&value).clone());
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    snapshot(&mut criterion);
    complete(&mut criterion);
    criterion.final_summary();
}
