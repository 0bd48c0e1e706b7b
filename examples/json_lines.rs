//! Reads JSON Lines from a reader as values of a type. A bad line does not affect the next one.
//!
//! `cargo run --example json_lines`

use jsonspigot::{Documents, Framing, Parser};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    level: String,
    message: String,
}

const SAMPLE: &str = r#"{"level": "info", "message": "started"}

{"level": "info", "message":
{"level": 3, "message": "odd"}
{"level": "error", "message": "disk full \ud83d\udcbe"}
"#;

fn main() {
    let documents = Documents::new(Framing::Lines, Parser::default());
    for line in documents.values::<Line, _>(SAMPLE.as_bytes()) {
        match line {
            Ok(Line { level, message }) => println!("{level}: {message}"),
            Err(error) => println!("skipped: {error}"),
        }
    }
}
