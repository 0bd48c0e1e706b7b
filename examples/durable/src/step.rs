//! The library's part: a stream's saved bytes and its new chunks in, what they tell and the new bytes out. It knows
//! nothing of Redis, and keeps nothing between two calls.

use std::borrow::Borrow;

use jsonspigot::{PatternSet, RestoreError};
use jsonspigot_llm::{CallEvent, CallLimits, Provider, ProviderStream, StreamEvent, ToolCalls};

/// What a stream's input is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunk {
    /// One event of the provider's: its JSON text, or `[DONE]`.
    Event(Vec<u8>),
    /// The end of input. Empty, or why it ended early.
    End(Vec<u8>),
}

impl Chunk {
    /// Its length in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Event(bytes) | Self::End(bytes) => bytes.len(),
        }
    }
}

/// What one chunk told: lines of JSON, as the command prints them. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The chunk's number, from 1.
    pub chunk: u64,
    /// The lines.
    pub lines: String,
}

/// Where a stream is after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It goes on from these bytes.
    Open(Vec<u8>),
    /// It has ended: `done`, or the error's name.
    Ended(&'static str),
}

/// The outcome of a step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What was told, in order.
    pub told: Vec<Told>,
    /// The last chunk that was processed.
    pub last: u64,
    /// How it goes on.
    pub next: Next,
}

/// How streams are read: what has to be the same in all processes that share streams.
#[derive(Clone, Debug)]
pub struct Program {
    patterns: PatternSet,
}

/// One event's JSON text is at most this long; a longer one is told as an error, and the stream goes on.
const EVENT_BYTES: usize = 1 << 20;

impl Program {
    /// A program that follows these patterns in the arguments of every call.
    #[must_use]
    pub fn new(patterns: PatternSet) -> Self {
        Self { patterns }
    }

    /// A stream before its first chunk.
    #[must_use]
    pub fn begin(&self, provider: Provider) -> ProviderStream {
        ProviderStream::new(provider, self.calls())
    }

    fn calls(&self) -> ToolCalls {
        // Without bounds, one stream could fill the memory of all workers and of Redis.
        let limits = CallLimits::new().event_bytes(EVENT_BYTES).input_bytes(EVENT_BYTES).open_calls(64);
        ToolCalls::builder().patterns(&self.patterns).limits(limits).build()
    }

    /// Reads `chunks`, the first of which has the number `last + 1`, with the state of chunk `last`.
    ///
    /// # Errors
    ///
    /// The state was saved by another program, or is damaged.
    pub fn step(
        &self,
        provider: Provider,
        saved: Option<&[u8]>,
        last: u64,
        chunks: &[impl Borrow<Chunk>],
    ) -> Result<Step, RestoreError> {
        let mut stream = match saved {
            Some(bytes) => self.begin(provider).restore(bytes)?,
            None => self.begin(provider),
        };
        let mut told = Vec::new();
        for (chunk, number) in chunks.iter().zip(last + 1..) {
            let mut lines = String::new();
            let ended = push(&mut stream, chunk.borrow(), &mut lines);
            if !lines.is_empty() {
                told.push(Told { chunk: number, lines });
            }
            if let Some(ending) = ended {
                return Ok(Step { told, last: number, next: Next::Ended(ending) });
            }
        }
        Ok(Step { told, last: last + chunks.len() as u64, next: Next::Open(stream.save()) })
    }
}

/// Reads one chunk; appends what it tells, and says whether and how the stream has ended with it.
fn push(stream: &mut ProviderStream, chunk: &Chunk, lines: &mut String) -> Option<&'static str> {
    let mut is_bad = false;
    let mut on_event = |event: StreamEvent<'_>| {
        // Each piece of a call's raw input is told as well; who follows patterns needs it no more than the command does.
        if !matches!(event, StreamEvent::Call(CallEvent::Fragment { .. })) {
            is_bad |= matches!(event, StreamEvent::BadFrame { .. });
            add_line(lines, serde_json::to_string(&event.to_owned()));
        }
    };
    match chunk {
        Chunk::Event(bytes) => match str::from_utf8(bytes) {
            Ok(text) => stream.push_with(text, on_event),
            Err(_) => stream.push_unreadable_with(&String::from_utf8_lossy(bytes), on_event),
        },
        Chunk::End(reason) => {
            stream.finish_with(Some(&String::from_utf8_lossy(reason)), &mut on_event);
            add_line(lines, Ok(DONE.to_owned()));
            return Some("done");
        }
    }
    if is_bad {
        // The library would go on. Here a chunk is what our own producer has cut out of the body: if it is not JSON, the
        // rest can't be trusted either.
        add_line(lines, Ok(error_line("bad-frame")));
        return Some("bad-frame");
    }
    None
}

/// The last line of a stream's output.
pub const DONE: &str = r#"{"event":"done"}"#;

const ERROR: &str = r#"{"event":"error","kind":""#;

/// The last line of a stream's output if it did not end as it should; `kind` is lower case with hyphens.
#[must_use]
pub fn error_line(kind: &str) -> String {
    format!("{ERROR}{kind}\"}}")
}

fn add_line(lines: &mut String, line: serde_json::Result<String>) {
    // Only a map whose keys are not text could not be written.
    let Ok(line) = line else { return };
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines.push_str(&line);
}

/// Whether lines hold the last one of a stream's output.
#[must_use]
pub fn is_last(lines: &str) -> bool {
    lines.lines().last().is_some_and(|line| line == DONE || line.starts_with(ERROR))
}
