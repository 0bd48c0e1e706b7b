//! Reads from a blocking `Read`: prints the reply while it arrives, then the whole value.
//!
//! ```text
//! cargo run --example read_loop            # a built-in text
//! cargo run --example read_loop -- FILE    # `-` is standard input
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use jsonspigot::{Parser, PatternSet};

const SAMPLE: &str = r#"{"reasoning": "greet first", "reply": {"text": "Hello, \u20b9 and \ud83d\ude80!"}}"#;

fn run(mut input: impl Read) -> Result<(), Box<dyn Error>> {
    let patterns = PatternSet::new(["reply.text"])?;
    let mut parser = Parser::new(&patterns);
    let mut out = io::stdout().lock();
    // Small, so that the built-in text also arrives in pieces. A real program uses a few KiB.
    let mut buffer = [0; 16];
    loop {
        let len = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        for event in parser.feed(&buffer[..len]) {
            if let Some(text) = event?.delta() {
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
        }
    }
    // Fails if the text is incomplete. Its only possible event is the end of a root number.
    parser.finish().check()?;
    let whole: serde_json::Value = parser.deserialize()?;
    writeln!(out, "\n{whole:#}")?;
    Ok(())
}

fn main() -> ExitCode {
    let ended = match std::env::args().nth(1).as_deref() {
        None => run(SAMPLE.as_bytes()),
        Some("-") => run(io::stdin()),
        Some(path) => File::open(path).map_err(Into::into).and_then(run),
    };
    ended.map_or_else(
        |error| {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}
