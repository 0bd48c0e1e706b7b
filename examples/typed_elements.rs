//! Deserializes each element of `items` as soon as it ends, long before the array does.
//!
//! ```text
//! cargo run --example typed_elements            # a built-in text
//! cargo run --example typed_elements -- FILE    # `-` is standard input
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use jsonspigot::{DuplicateKeys, EventKind, Parser, PatternSet, Retain};
use serde::Deserialize;

#[derive(Deserialize)]
struct Item {
    name: String,
    price: f64,
}

const SAMPLE: &str = r#"{"plan": "two are enough", "items": [
    {"name": "Kettle", "price": 1499}, {"name": "Tea \u2615", "price": 249.5, "note": null}
]}"#;

fn run(mut input: impl Read) -> Result<(), Box<dyn Error>> {
    let patterns = PatternSet::new(["items[*]"])?;
    // The program acts before the end, so a second `items` must be an error. Only the open element's text is retained.
    let builder = Parser::builder().duplicate_keys(DuplicateKeys::Reject).retain(Retain::Matches);
    let mut parser = builder.patterns(&patterns).build();
    let mut buffer = [0; 16];
    loop {
        let len = input.read(&mut buffer)?;
        let events = if len == 0 { parser.finish() } else { parser.feed(&buffer[..len]) };
        for event in events {
            let event = event?;
            if let EventKind::End(Some(value)) = event.kind {
                let Item { name, price } = value.deserialize()?;
                writeln!(io::stdout(), "{}: {name} for ₹{price}", event.path)?;
            }
        }
        if len == 0 {
            return Ok(());
        }
    }
}

fn main() -> ExitCode {
    let ended = match std::env::args().nth(1).as_deref() {
        None => run(SAMPLE.as_bytes()),
        Some("-") => run(io::stdin()),
        Some(path) => File::open(path).map_err(Into::into).and_then(run),
    };
    let Err(error) = ended else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
