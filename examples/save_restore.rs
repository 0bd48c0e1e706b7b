//! Saves the parser's state after each piece and resumes from it, as a serverless function does.
//!
//! `cargo run --example save_restore`

use std::error::Error;

use jsonspigot::{Parser, PatternSet, Retain};

const SAMPLE: &str = r#"{"plan": "ask first", "ask_slots": [{"message": "Which colour do you like?"}]}"#;

/// Reads one piece. Only the bytes of the state remain between two calls, so each can be in another process.
fn step(state: &[u8], piece: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let patterns = PatternSet::new(["ask_slots[*].message"])?;
    // The patterns and options are not part of the state.
    let mut parser = Parser::builder().patterns(&patterns).retain(Retain::Nothing).build();
    if !state.is_empty() {
        parser = parser.restore(state)?;
    }
    for event in parser.feed(piece) {
        if let Some(text) = event?.delta() {
            println!("  {text}");
        }
    }
    println!("{} bytes read, whole: {}", parser.offset(), parser.is_complete());
    Ok(parser.save()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut state = Vec::new();
    for piece in SAMPLE.as_bytes().chunks(20) {
        state = step(&state, piece)?;
    }
    println!("the last state has {} bytes", state.len());
    Ok(())
}
