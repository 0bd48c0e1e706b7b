//! One call's arguments in one-character deltas through the Anthropic adapter: what a delta costs must not depend on
//! how many came before it.
//!
//! `cargo bench --features providers --bench providers` prints nanoseconds a delta and fails if the dearest is more
//! than
//! 1.2 times the cheapest.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use jsonspigot::PatternSet;
use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};

const DELTAS: [usize; 3] = [1_000, 10_000, 116_667];
const WINDOW: usize = 1_000;
const ROUNDS: usize = 50;

fn main() -> ExitCode {
    let patterns = PatternSet::new(["text"]).unwrap();
    // The event texts are made once: what is measured is reading them.
    let event = |text: char| {
        let text = if text == '"' { "\\\"".to_owned() } else { text.to_string() };
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":"{text}"}}}}"#
        )
    };
    let streams = DELTAS.map(|deltas| {
        let text = "x".repeat(deltas - r#"{"text":""}"#.len());
        format!(r#"{{"text":"{text}"}}"#).chars().map(event).collect::<Vec<_>>()
    });
    // A busy machine interrupts a thousand deltas, so each thousand is timed separately, and its best time of all
    // rounds counts. The sizes take turns.
    let mut best = DELTAS.map(|deltas| vec![Duration::MAX; deltas.div_ceil(WINDOW)]);
    for _ in 0..ROUNDS {
        for (stream, best) in streams.iter().zip(&mut best) {
            read(&patterns, stream, best);
        }
    }
    let cost = [0, 1, 2].map(|size| best[size].iter().sum::<Duration>().as_nanos() as f64 / DELTAS[size] as f64);
    for (deltas, cost) in DELTAS.iter().zip(cost) {
        println!("{deltas:>7} deltas {cost:>7.1} ns a delta");
    }
    let ratio = cost.iter().copied().fold(0.0, f64::max) / cost.iter().copied().fold(f64::MAX, f64::min);
    println!("ratio {ratio:.3}, at most 1.2");
    if ratio <= 1.2 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads a stream, and keeps each window's time where it is the best so far.
fn read(patterns: &PatternSet, stream: &[String], best: &mut [Duration]) {
    let mut calls = ProviderStream::new(Provider::Anthropic, ToolCalls::new(patterns));
    let mut on_event = |event: StreamEvent<'_>| {
        black_box(&event);
    };
    calls.push_with(
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"say","input":{}}}"#,
        &mut on_event,
    );
    for (window, best) in stream.chunks(WINDOW).zip(best) {
        let begin = Instant::now();
        for event in window {
            calls.push_with(event, &mut on_event);
        }
        *best = (*best).min(begin.elapsed());
    }
    calls.push_with(r#"{"type":"content_block_stop","index":0}"#, &mut on_event);
    calls.finish_with(&mut on_event);
}
