//! Many concurrent streams, as in a gateway. Each is at a different position of its text and gets one token in turn, so
//! its state has left the caches before its next chunk.
//!
//! Memory is measured in a separate process per contender; this program starts itself.

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use actson::feeder::PushJsonFeeder;
use actson::{JsonEvent, JsonParser};
use jiter::{JsonValueScratch, PartialMode};
use jsonspigot::{Parser, PatternSet, Retain};

use crate::chunks::{Chunking, Input};
use crate::contenders::Done;
use crate::output::Sink;
use crate::payload::Kind;
use crate::rows::CALL;

/// The numbers of streams.
const SIZES: [usize; 3] = [1, 1_000, 20_000];
/// The number of streams in the process whose memory is measured.
const IN_MEMORY: usize = 5_000;
/// The distance between the positions of neighbouring streams, in chunks.
const STAGGER: usize = 37;
/// The approximate number of chunks in a sample.
const SAMPLE: usize = 20_000;
const LEAST_ROUNDS: usize = 9;

/// A stream that begins the next text when its text ends.
trait Stream {
    fn feed(&mut self, chunk: &[u8], sink: &mut Sink) -> Done;
    fn end(&mut self) -> Done;
}

/// The chunks of the texts that the streams read in turn.
struct Texts(Vec<Vec<Vec<u8>>>);

impl Texts {
    fn new() -> Self {
        let inputs = Input::rotation(Kind::ToolCall, CALL, Chunking::Token);
        Self(inputs.iter().map(|input| input.chunks().map(<[u8]>::to_vec).collect()).collect())
    }
}

struct Streams<S> {
    /// The streams, each with the indices of its text and of its next chunk.
    streams: Vec<(S, usize, usize)>,
}

impl<S: Stream> Streams<S> {
    fn new(size: usize, texts: &Texts, mut make: impl FnMut() -> S) -> Option<Self> {
        let mut streams = Vec::with_capacity(size);
        for nth in 0..size {
            let (mut stream, text) = (make(), nth % texts.0.len());
            let place = nth * STAGGER % texts.0[text].len();
            for chunk in &texts.0[text][..place] {
                stream.feed(chunk, &mut Sink::default())?;
            }
            streams.push((stream, text, place));
        }
        Some(Self { streams })
    }
}

/// The streams of any contender.
trait Sweep {
    /// Feeds each stream its next chunk.
    fn sweep(&mut self, texts: &Texts, sink: &mut Sink) -> Done;
}

impl<S: Stream> Sweep for Streams<S> {
    fn sweep(&mut self, texts: &Texts, sink: &mut Sink) -> Done {
        for (stream, text, place) in &mut self.streams {
            stream.feed(&texts.0[*text][*place], sink)?;
            *place += 1;
            if *place == texts.0[*text].len() {
                stream.end()?;
                (*text, *place) = ((*text + 1) % texts.0.len(), 0);
            }
        }
        Some(())
    }
}

struct FeedWith(Parser);

impl Stream for FeedWith {
    fn feed(&mut self, chunk: &[u8], sink: &mut Sink) -> Done {
        let reported = self.0.feed_with(chunk, |event| {
            if let Some(text) = event.delta() {
                sink.delta(text);
            }
        });
        reported.ok()
    }

    fn end(&mut self) -> Done {
        self.0.finish().check().ok()?;
        self.0.reset();
        Some(())
    }
}

struct Feed(Parser);

impl Stream for Feed {
    fn feed(&mut self, chunk: &[u8], sink: &mut Sink) -> Done {
        for event in self.0.feed(chunk) {
            if let Some(text) = event.ok()?.delta() {
                sink.delta(text);
            }
        }
        Some(())
    }

    fn end(&mut self) -> Done {
        self.0.finish().check().ok()?;
        self.0.reset();
        Some(())
    }
}

/// A parser that retains all text and whose snapshot is read after each chunk.
struct Looking(FeedWith);

impl Stream for Looking {
    fn feed(&mut self, chunk: &[u8], sink: &mut Sink) -> Done {
        self.0.feed(chunk, sink)?;
        black_box(self.0.0.snapshot());
        Some(())
    }

    fn end(&mut self) -> Done {
        self.0.end()
    }
}

/// Reports only events, without paths, and strings only whole.
struct ActsonStream(JsonParser<PushJsonFeeder>);

impl ActsonStream {
    fn new() -> Self {
        Self(JsonParser::new(PushJsonFeeder::new()))
    }
}

impl Stream for ActsonStream {
    fn feed(&mut self, mut chunk: &[u8], _: &mut Sink) -> Done {
        loop {
            match self.0.next_event().ok()?? {
                JsonEvent::NeedMoreInput if chunk.is_empty() => return Some(()),
                JsonEvent::NeedMoreInput => {
                    let taken = self.0.feeder.push_bytes(chunk);
                    chunk = &chunk[taken..];
                }
                // Otherwise it does not validate their UTF-8.
                JsonEvent::FieldName | JsonEvent::ValueString => {
                    black_box(self.0.current_str().ok()?);
                }
                _ => {}
            }
        }
    }

    fn end(&mut self) -> Done {
        self.0.feeder.done();
        while let Some(event) = self.0.next_event().ok()? {
            black_box(event);
        }
        *self = Self::new();
        Some(())
    }
}

/// Parses the whole prefix after each chunk, without looking at the result.
#[derive(Default)]
struct JiterStream {
    prefix: Vec<u8>,
}

impl Stream for JiterStream {
    fn feed(&mut self, chunk: &[u8], _: &mut Sink) -> Done {
        self.prefix.extend_from_slice(chunk);
        let mut scratch = JsonValueScratch::new();
        // It refuses a prefix that ends inside an escape.
        black_box(scratch.parse(&self.prefix, false, PartialMode::TrailingStrings).is_ok());
        Some(())
    }

    fn end(&mut self) -> Done {
        self.prefix.clear();
        Some(())
    }
}

const NAMES: [&str; 5] = [
    "jsonspigot `feed_with`",
    "jsonspigot `feed`",
    "jsonspigot, text kept and a snapshot each",
    "actson, events alone",
    "jiter, the prefix again",
];

fn streams_of(name: &str, size: usize, texts: &Texts) -> Option<Box<dyn Sweep>> {
    let patterns = PatternSet::new([Kind::ToolCall.pattern()]).expect("the payloads' patterns are valid");
    let parser = || Parser::builder().retain(Retain::Nothing).patterns(&patterns).build();
    Some(match NAMES.iter().position(|known| *known == name)? {
        0 => Box::new(Streams::new(size, texts, || FeedWith(parser()))?),
        1 => Box::new(Streams::new(size, texts, || Feed(parser()))?),
        2 => Box::new(Streams::new(size, texts, || {
            Looking(FeedWith(Parser::builder().snapshots().patterns(&patterns).build()))
        })?),
        3 => Box::new(Streams::new(size, texts, ActsonStream::new)?),
        _ => Box::new(Streams::new(size, texts, JiterStream::default)?),
    })
}

/// Checks that contenders with deltas report all of them.
fn check(texts: &Texts) {
    let mut expected = Sink::default();
    let patterns = PatternSet::new([Kind::ToolCall.pattern()]).expect("the payloads' patterns are valid");
    for text in &texts.0 {
        FeedWith(Parser::new(&patterns)).feed(&text.concat(), &mut expected).expect("payloads are JSON");
    }
    for name in NAMES {
        let mut sink = Sink::default();
        let mut three = streams_of(name, 3, texts).expect("payloads are JSON");
        for _ in texts.0.iter().flatten() {
            three.sweep(texts, &mut sink).expect("payloads are JSON");
        }
        assert!(sink.bytes == 3 * expected.bytes || !name.starts_with("jsonspigot"), "{name} loses text");
    }
}

/// Prints nanoseconds per chunk for each number of streams, and bytes per stream.
pub fn print(seconds: f64) {
    let texts = Texts::new();
    check(&texts);
    let budget = Duration::from_secs_f64(seconds / SIZES.len() as f64);
    let columns = SIZES.map(|size| timed(size, &texts, budget));
    println!("| ns a chunk, minimum (median) | 1 stream | 1,000 | 20,000 | bytes a stream |");
    println!("|---|---|---|---|---|");
    for (nth, name) in NAMES.iter().enumerate() {
        let times = columns.iter().map(|column| format!("{:.0} ({:.0})", column[nth].0, column[nth].1));
        println!("| {name} | {} | {} |", times.collect::<Vec<_>>().join(" | "), bytes_apart(name));
    }
}

/// Returns the minimum and median time per chunk of each contender, in nanoseconds.
fn timed(size: usize, texts: &Texts, budget: Duration) -> Vec<(f64, f64)> {
    let mut contenders: Vec<_> =
        NAMES.iter().map(|name| streams_of(name, size, texts).expect("payloads are JSON")).collect();
    let mut samples = vec![Vec::new(); contenders.len()];
    let sweeps = (SAMPLE / size).max(1);
    let start = Instant::now();
    for round in 0.. {
        if round >= LEAST_ROUNDS && start.elapsed() > budget {
            break;
        }
        for nth in 0..contenders.len() {
            let turn = (nth + round) % contenders.len();
            let mut sink = Sink::default();
            let begin = Instant::now();
            for _ in 0..sweeps {
                contenders[turn].sweep(texts, &mut sink).expect("payloads are JSON");
            }
            samples[turn].push(begin.elapsed().as_secs_f64() * 1e9 / (sweeps * size) as f64);
        }
    }
    samples
        .into_iter()
        .map(|mut samples| {
            samples.sort_by(f64::total_cmp);
            (samples[0], samples[samples.len() / 2])
        })
        .collect()
}

/// Measures the memory of a stream in a separate process.
fn bytes_apart(name: &str) -> String {
    let run =
        std::env::current_exe().and_then(|program| Command::new(program).args(["--streams-memory", name]).output());
    match run {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "–".to_owned(),
    }
}

/// Prints the bytes per stream of this contender. Fails if the system does not report the memory of a process.
pub fn print_memory(name: &str) -> Result<(), String> {
    let texts = Texts::new();
    let before = resident()?;
    let mut streams = streams_of(name, IN_MEMORY, &texts).ok_or_else(|| format!("no contender {name:?}"))?;
    // Each stream reads a whole text once.
    for _ in 0..texts.0.iter().map(Vec::len).max().unwrap_or_default() {
        streams.sweep(&texts, &mut Sink::default()).ok_or("payloads are JSON")?;
    }
    println!("{}", resident()?.saturating_sub(before) / IN_MEMORY);
    Ok(())
}

/// Returns the resident memory of this process in bytes.
fn resident() -> Result<usize, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes = line.trim().trim_end_matches("kB").trim();
    kilobytes.parse::<usize>().map(|kilobytes| kilobytes * 1024).map_err(|error| error.to_string())
}
