//! What the partial document costs: a tool call of 2.3 KB in pieces of 1 to 8 bytes, with the arena off, and with it on
//! and a look at one field, or at all as a type, after each piece; and at the end the complete value, from the arena and
//! from the text.
//!
//! `cargo bench --bench snapshot`. Each iteration feeds one parser, reset before, so that buffers have their size, the next
//! of many tool calls, each cut in places of its own. Both
//! methods, with one pattern and all text kept, as `Parser::new` has it; and a parser that follows and keeps nothing, so
//! that the arena is compared with skipping everything.

#[allow(dead_code, unreachable_pub, reason = "other benchmarks use the rest")]
mod payload;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use jsonspigot::{Event, Parser, PartialValue, PatternSet, Retain};
use payload::Kind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A method: feeds a piece, and looks at its events.
type Method = fn(&mut Parser, &[u8]);

fn told(event: &Event<'_>) {
    black_box(event);
}

fn feed(parser: &mut Parser, piece: &[u8]) {
    for event in parser.feed(piece) {
        told(&event.expect("the tool call is valid"));
    }
}

fn feed_with(parser: &mut Parser, piece: &[u8]) {
    parser.feed_with(piece, |event| told(&event)).expect("the tool call is valid");
}

#[inline]
fn read(parser: &mut Parser, pieces: &[&[u8]], method: Method, look: impl Fn(&Parser)) {
    parser.reset();
    for piece in pieces {
        method(parser, piece);
        look(parser);
    }
    parser.finish_with(|event| told(&event)).expect("the tool call is whole");
}

/// Looks at a field, as an interface does that draws it.
#[inline]
fn look<'a>(parser: &'a Parser, field: impl Fn(PartialValue<'a>) -> Option<PartialValue<'a>>) {
    black_box(parser.snapshot().and_then(field).and_then(PartialValue::as_str));
}

/// The tool call as an interface reads it after each piece: whatever has not come is at its default.
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

/// The same with a field that serde buffers, in which text streams.
#[derive(Deserialize)]
#[expect(dead_code, reason = "read, and not looked at")]
struct Flattened {
    #[serde(flatten)]
    call: Call,
}

/// Reads a type from what is known, if that is anything yet.
fn look_as<T: DeserializeOwned>(parser: &Parser) {
    black_box(parser.snapshot().map(|root| root.deserialize::<T>().expect("anything fits")));
}

/// Tool calls, each one different.
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
        ("nothing followed", feed_with, PatternSet::empty(), unkept()),
    ];
    let mut group = criterion.benchmark_group("snapshot");
    group.throughput(Throughput::Bytes((texts.iter().map(String::len).sum::<usize>() / texts.len()) as u64));
    for (name, method, patterns, builder) in ways {
        let mut parser = builder.build(&patterns);
        group.bench_function(BenchmarkId::new("off", name), |b| b.iter(|| read(&mut parser, next(), method, |_| {})));
        let mut parser = builder.snapshots().build(&patterns);
        group.bench_function(BenchmarkId::new("on", name), |b| b.iter(|| read(&mut parser, next(), method, |_| {})));
        // One that is written in the middle, one that eleven others follow, and one deep inside.
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

/// The complete value of a parser that has finished, from a snapshot and from its text; and a copy of it, which is the
/// least that a value can take.
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
                let mut parser = builder.build(&PatternSet::empty());
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
