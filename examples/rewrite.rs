//! Forwards a text while it arrives, with passwords redacted and `debug` removed.
//!
//! `cargo run --example rewrite`

use std::error::Error;

use jsonspigot::{Rewriter, Rule};

const SAMPLE: &str = r#"{"say": "Hello", "login": {"name": "ann", "password": "hunter2"}, "debug": [1, 2], "n": 1.0}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut rewriter = Rewriter::new([("..password", Rule::redact()), ("debug", Rule::remove())])?;
    for piece in SAMPLE.as_bytes().chunks(16) {
        let mut passed = Vec::new();
        rewriter.write(piece, |bytes| passed.extend_from_slice(bytes))?;
        println!("{:16} -> {}", str::from_utf8(piece)?, str::from_utf8(&passed)?);
    }
    // Fails if the text was incomplete.
    let mut rest = Vec::new();
    rewriter.finish(|bytes| rest.extend_from_slice(bytes))?;
    println!("{:16} -> {}", "(end)", str::from_utf8(&rest)?);
    Ok(())
}
