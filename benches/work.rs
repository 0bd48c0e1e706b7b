//! A program for an instruction counter: `work TEXT CHUNK METHOD [PATTERN]...`. `.ci/work` runs it under callgrind.
//!
//! - `TEXT` is a number of kilobytes of tool calls, `digits-64` for one number, `string-64` for tool calls in one
//!   string, or a generated payload: `tool-call` (read repeatedly), `tool-calls` (64 different ones, each with its own
//!   chunk boundaries), `long-text` or `records`.
//! - `CHUNK` is a number of bytes, `token` or `whole`.
//! - `METHOD` is `feed` or `feed_with`; `retained`, `lenient`, `snapshots`, `provisional` or `copied` for `feed_with`
//!   that retains all text, tolerates deviations, builds snapshots, also shows open atoms in them, or copies each chunk;
//!   `partial` for a value that grows;
//!   `redacted` or `removed` for a rewriter with these rules; or `none` to divide the text into chunks without reading
//!   it.

#[allow(dead_code, unreachable_pub, reason = "the other benchmarks use the rest")]
mod payload;

use std::env;
use std::hint::black_box;

use jsonspigot::{Event, Leniency, Limits, Parser, PartialJson, PatternSet, Retain, Rewriter, Rule};
use payload::Kind;

const TOOL_CALL: &str = include_str!("../examples/classify_and_assess.json");

/// The minimum number of bytes to read. Short texts are read repeatedly.
const LEAST: usize = 64 << 10;

fn texts(name: &str) -> Vec<String> {
    match name {
        "tool-calls" => (0..64).map(|seed| Kind::ToolCall.generate(2_300, seed)).collect(),
        "tool-call" => vec![Kind::ToolCall.generate(2_300, 0)],
        "long-text" => vec![Kind::LongText.generate(LEAST, 0)],
        "records" => vec![Kind::Records.generate(LEAST, 0)],
        kilobytes => vec![text(kilobytes)],
    }
}

fn text(kilobytes: &str) -> String {
    let bytes = |kilobytes: &str| kilobytes.parse::<usize>().expect("a length or a payload") << 10;
    if let Some(digits) = kilobytes.strip_prefix("digits-") {
        return format!("[1.{}]", "3".repeat(bytes(digits)));
    }
    let calls = |len: usize| format!("[{}]", vec![TOOL_CALL; len.div_ceil(TOOL_CALL.len() + 1)].join(","));
    match kilobytes.strip_prefix("string-") {
        Some(kilobytes) => serde_json::to_string(&[calls(bytes(kilobytes))]).expect("a string can be written"),
        None => calls(bytes(kilobytes)),
    }
}

/// Reads new text, the least that a user interface does with an event.
fn look(event: &Event<'_>) -> u64 {
    match event.delta() {
        Some(text) => black_box(text).len() as u64,
        None => black_box(event.offset) & 1,
    }
}

fn cut<'a>(text: &'a [u8], chunk: &str, seed: u64) -> Vec<&'a [u8]> {
    match chunk {
        "whole" => vec![text],
        "token" => payload::tokens(text, seed),
        size => text.chunks(size.parse().expect("a chunk's size")).collect(),
    }
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    // Without arguments, as under `cargo bench`, a short run only shows that the program works.
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let (texts, chunk, method) = (black_box(texts(&next("4"))), next("1"), next("feed_with"));
    let patterns = PatternSet::new(arguments).expect("the patterns are valid");
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let cuts: Vec<Vec<&[u8]>> = texts.iter().zip(0..).map(|(text, seed)| cut(text.as_bytes(), &chunk, seed)).collect();
    let limits = Limits::new().string(1 << 20);
    let builder = Parser::builder().limits(limits).retain(Retain::Nothing);
    let builder = match method.as_str() {
        "retained" => builder.retain(Retain::All),
        "lenient" => builder.lenient(Leniency::ALL),
        "snapshots" => builder.snapshots(),
        "provisional" => builder.provisional(),
        _ => builder,
    };
    let readings = LEAST.div_ceil(bytes);
    let mut seen = 0;
    let mut copy = Vec::with_capacity(2 * LEAST);
    let readings_made = if method == "none" { 0 } else { readings };
    if let "redacted" | "removed" = method.as_str() {
        let rule = if method == "removed" { Rule::remove } else { Rule::redact };
        let rules = patterns.as_slice().iter().map(|pattern| (pattern.clone(), rule()));
        let mut rewriter = Rewriter::with_parser(builder, rules).expect("the rules are valid");
        for chunks in (0..readings_made).flat_map(|_| &cuts) {
            rewriter.reset();
            copy.clear();
            for chunk in chunks {
                let written = rewriter.write(black_box(chunk), |bytes| copy.extend_from_slice(bytes));
                written.expect("the text is valid");
            }
            rewriter.finish(|bytes| copy.extend_from_slice(bytes)).expect("the text is whole");
            seen += black_box(&copy).len() as u64;
        }
        println!("{} {seen}", bytes * readings);
        return;
    }
    if method == "partial" {
        for chunks in (0..readings_made).flat_map(|_| &cuts) {
            let mut partial = PartialJson::with_parser(builder.clone());
            for chunk in chunks {
                black_box(partial.push(black_box(chunk)).expect("the text is valid"));
            }
            seen += u64::from(partial.finish().expect("the text is whole").is_array());
        }
        println!("{} {seen}", bytes * readings);
        return;
    }
    let mut parser = builder.patterns(&patterns).build();
    if method == "copied" {
        for chunks in (0..readings_made).flat_map(|_| &cuts) {
            parser.reset();
            copy.clear();
            for chunk in chunks {
                parser.feed_with(black_box(chunk), |event| seen += look(&event)).expect("the text is valid");
                copy.extend_from_slice(chunk);
            }
            parser.finish_with(|_| {}).expect("the text is whole");
            seen += black_box(&copy).len() as u64;
        }
        println!("{} {seen}", bytes * readings);
        return;
    }
    for chunks in (0..readings_made).flat_map(|_| &cuts) {
        parser.reset();
        for chunk in chunks {
            if method == "feed" {
                parser.feed(black_box(chunk)).for_each(|event| seen += look(&event.expect("the text is valid")));
            } else {
                parser.feed_with(black_box(chunk), |event| seen += look(&event)).expect("the text is valid");
            }
        }
        parser.finish_with(|_| {}).expect("the text is whole");
    }
    println!("{} {seen}", bytes * readings);
}
