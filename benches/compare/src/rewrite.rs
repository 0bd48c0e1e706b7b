//! Compares rewriting a text with only reading it and with other libraries, and raw deltas with those of one field.
//!
//! Each contender's output is checked before it is timed. All contenders run once per round.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bufjson::IntoBuf as _;
use bufjson::lexical::Token;
use bufjson::lexical::pipe::{Pipe, PipeAnalyzer};
use bufjson::pointer::{Evaluator, Event, Group, Pointer};
use bytes::Bytes;
use jsonspigot::{Parser, PatternSet, Retain, Rewriter, Rule};
use serde_json::Value;

use crate::chunks::{Chunking, Input};
use crate::payload::Kind;
use crate::rows::{CALL, LARGE};

const LEAST_ROUNDS: usize = 15;
/// The approximate number of bytes in a sample.
const SAMPLE: usize = 200_000;
const REDACTED: &str = "\"[redacted]\"";

type Run = Box<dyn FnMut(&[Bytes], &mut Vec<u8>)>;

/// A way to read or rewrite a text in chunks. It appends its output to a buffer.
struct RewriteContender {
    name: String,
    run: Run,
}

fn contender(name: impl Into<String>, run: impl FnMut(&[Bytes], &mut Vec<u8>) + 'static) -> RewriteContender {
    RewriteContender { name: name.into(), run: Box::new(run) }
}

fn patterns(pattern: &str) -> PatternSet {
    PatternSet::new([pattern]).expect("the patterns are valid")
}

/// Follows a pattern and copies each chunk.
fn follow(pattern: &str) -> RewriteContender {
    let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&patterns(pattern)).build();
    contender(format!("`feed_with` follows `{pattern}`, chunks copied"), move |chunks, out| {
        parser.reset();
        for chunk in chunks {
            parser.feed_with(chunk, |event| _ = black_box(event.offset)).expect("the text is valid");
            out.extend_from_slice(chunk);
        }
        parser.finish().check().expect("the text is whole");
    })
}

fn rewriter(what: &str, pattern: &str, rule: Rule) -> RewriteContender {
    let mut rewriter = Rewriter::new([(pattern, rule)]).expect("the rule is valid");
    contender(format!("`Rewriter` {what} `{pattern}`"), move |chunks, out| {
        rewriter.reset();
        for chunk in chunks {
            rewriter.write(chunk, |bytes| out.extend_from_slice(bytes)).expect("the text is valid");
        }
        rewriter.finish(|bytes| out.extend_from_slice(bytes)).expect("the text is whole");
    })
}

/// Collects the text, then parses, edits and prints it.
fn serde(key: &'static str) -> RewriteContender {
    contender(format!("serde_json: collect, parse, edit `{key}`, print"), move |chunks, out| {
        let text = chunks.concat();
        let mut value: Value = serde_json::from_slice(&text).expect("the text is valid");
        for record in value["statuses"].as_array_mut().into_iter().flatten() {
            if let Some(text) = record.get_mut(key) {
                *text = Value::from("[redacted]");
            }
        }
        serde_json::to_writer(out, &value).expect("a vector takes all");
    })
}

#[cfg(feature = "rama")]
fn rama(pattern: &'static str) -> RewriteContender {
    use rama_json::path::JsonPath;
    use rama_json::rewrite::{JsonRewriter, JsonValue, raw_json};

    let path: JsonPath = pattern.parse().expect("the path is valid");
    contender(format!("rama-json, `{pattern}`"), move |chunks, out| {
        let redact = |_: usize, value: &mut JsonValue<'_>| value.replace(raw_json(REDACTED.as_bytes()));
        let mut rewriter = JsonRewriter::new([path.clone()], redact);
        for chunk in chunks {
            rewriter.write(chunk).expect("the text is valid");
            out.append(&mut rewriter.take_output());
        }
        rewriter.end().expect("the text is whole");
        out.append(&mut rewriter.take_output());
    })
}

/// The chunks of a text as input of bufjson, without a copy.
struct ChunkPipe(std::vec::IntoIter<Bytes>);

impl Pipe for ChunkPipe {
    type Error = Infallible;

    fn recv(&mut self) -> Option<Result<Bytes, Infallible>> {
        self.0.next().map(Ok)
    }

    fn try_recv(&mut self) -> Option<Bytes> {
        self.0.next()
    }
}

/// Runs the loop of bufjson's README. Its pointers have no wildcards, so it redacts one value.
fn bufjson(pointer: &'static str) -> RewriteContender {
    contender(format!("bufjson, `{pointer}`"), move |chunks, out| {
        let parser = PipeAnalyzer::new(ChunkPipe(chunks.to_vec().into_iter())).into_parser();
        let group = Group::from_pointers([Pointer::from_static(pointer)]);
        let mut evaluator = Evaluator::new(parser, group, true);
        loop {
            let event = evaluator.next();
            match event {
                Event::Match(..) => {
                    out.extend_from_slice(REDACTED.as_bytes());
                    continue;
                }
                Event::Enter(..) => {
                    out.extend_from_slice(REDACTED.as_bytes());
                    evaluator.next_end();
                    continue;
                }
                _ => {}
            }
            match event.token() {
                Token::Eof => return,
                Token::Err => panic!("{}", evaluator.err()),
                _ => {}
            }
            let mut literal = evaluator.content().literal().into_buf();
            while literal.remaining() > 0 {
                let len = {
                    let chunk = literal.chunk();
                    out.extend_from_slice(chunk);
                    chunk.len()
                };
                literal.advance(len);
            }
        }
    })
}

/// Collects the deltas of a pattern.
fn deltas(pattern: &str) -> RewriteContender {
    let mut parser = Parser::builder().retain(Retain::Nothing).patterns(&patterns(pattern)).build();
    contender(format!("deltas of `{pattern}`"), move |chunks, out| {
        parser.reset();
        for chunk in chunks {
            let read = parser.feed_with(chunk, |event| {
                if let Some(text) = event.delta() {
                    out.extend_from_slice(text.as_bytes());
                }
            });
            read.expect("the text is valid");
        }
        parser.finish().check().expect("the text is whole");
    })
}

/// Generates texts and divides them into chunks.
fn texts(chunking: Chunking, kind: Kind, size: usize, around: [&str; 2]) -> Vec<Vec<Bytes>> {
    let whole = |text: &str| Input::cut(kind, format!("{}{text}{}", around[0], around[1]), chunking);
    let cut = |input: &Input| input.chunks().map(Bytes::copy_from_slice).collect();
    Input::rotation(kind, size, chunking).iter().map(|input| cut(&whole(&input.document))).collect()
}

fn output(contender: &mut RewriteContender, chunks: &[Bytes]) -> Vec<u8> {
    let mut out = Vec::new();
    (contender.run)(chunks, &mut out);
    out
}

/// Prints the median nanoseconds per byte of each contender, and the ratio to the first one.
fn print_table(chunking: Chunking, texts: &[Vec<Bytes>], contenders: &mut [RewriteContender], budget: Duration) {
    let bytes = texts.iter().flatten().map(Bytes::len).sum::<usize>();
    let repetitions = (SAMPLE / bytes).max(1);
    let mut samples = vec![Vec::new(); contenders.len()];
    let mut out = Vec::with_capacity(2 * LARGE);
    let start = Instant::now();
    for round in 0.. {
        if round >= LEAST_ROUNDS && start.elapsed() > budget {
            break;
        }
        for nth in 0..contenders.len() {
            let turn = (nth + round) % contenders.len();
            let begin = Instant::now();
            for chunks in (0..repetitions).flat_map(|_| texts) {
                out.clear();
                (contenders[turn].run)(black_box(chunks), &mut out);
                black_box(&out);
            }
            samples[turn].push(begin.elapsed().as_secs_f64() * 1e9 / (bytes * repetitions) as f64);
        }
    }
    samples.iter_mut().for_each(|samples| samples.sort_by(f64::total_cmp));
    let median = |nth: usize| samples[nth][samples[nth].len() / 2];
    println!("\n| chunk {} | ns a byte, minimum (median) | times the first |\n|---|---|---|", chunking.name());
    for (nth, contender) in contenders.iter().enumerate() {
        println!(
            "| {} | {:.2} ({:.2}) | {:.2} |",
            contender.name,
            samples[nth][0],
            median(nth),
            median(nth) / median(0)
        );
    }
}

/// Panics if a contender's output is wrong.
fn check(texts: &[Vec<Bytes>], passing: &mut [RewriteContender], redacting: &mut [RewriteContender]) {
    for chunks in texts {
        let text = chunks.concat();
        let value: Value = serde_json::from_slice(&text).expect("payloads are JSON");
        for contender in passing.iter_mut() {
            let out = output(contender, chunks);
            let is_printed = contender.name.starts_with("serde_json");
            let is_same =
                if is_printed { serde_json::from_slice(&out).ok().as_ref() == Some(&value) } else { out == text };
            assert!(is_same, "{} changes the text", contender.name);
        }
        for contender in redacting.iter_mut() {
            let out: Value = serde_json::from_slice(&output(contender, chunks)).expect("what comes out is JSON");
            let mut expected = value.clone();
            let records = expected["statuses"].as_array_mut().into_iter().flatten();
            let some = if contender.name.starts_with("bufjson") { 1 } else { usize::MAX };
            records.take(some).for_each(|record| record["text"] = Value::from("[redacted]"));
            assert!(out == expected, "{} does not redact", contender.name);
        }
    }
}

/// Prints the tables.
pub fn print(seconds: f64) {
    let chunkings = [Chunking::Token, Chunking::Bytes(64), Chunking::Bytes(4096), Chunking::Whole];
    let budget = Duration::from_secs_f64(seconds / (2 * chunkings.len() + 2) as f64);
    let (some, any) = ("$.statuses[*].nothing", "$..nothing");
    for chunking in chunkings {
        let texts = texts(chunking, Kind::Records, LARGE, ["", ""]);
        let mut passing = vec![
            follow(some),
            rewriter("redacts", some, Rule::redact()),
            rewriter("removes", some, Rule::remove()),
            follow(any),
            rewriter("redacts", any, Rule::redact()),
            rewriter("removes", any, Rule::remove()),
            serde("nothing"),
            bufjson("/statuses/0/nothing"),
        ];
        let mut redacting =
            vec![rewriter("redacts", "$.statuses[*].text", Rule::redact()), serde("text"), bufjson("/statuses/0/text")];
        #[cfg(feature = "rama")]
        {
            passing.push(rama("$.statuses[*].nothing"));
            redacting.push(rama("$.statuses[*].text"));
        }
        check(&texts, &mut passing, &mut redacting);
        print_table(chunking, &texts, &mut passing, budget);
        print_table(chunking, &texts, &mut redacting, budget);
    }
    for chunking in [Chunking::Token, Chunking::Bytes(64)] {
        let texts = texts(chunking, Kind::ToolCall, CALL, ["{\"name\": \"search\", \"arguments\": ", "}"]);
        let mut raw = [deltas("$.arguments.ask_slots[*].message"), deltas("raw:$.arguments"), deltas("raw:$")];
        for chunks in &texts {
            assert_eq!(output(&mut raw[2], chunks), chunks.concat(), "the text is reported as it came");
        }
        print_table(chunking, &texts, &mut raw, budget);
    }
}
