//! Turns an async stream of chunks into a stream of events, with any runtime.
//!
//! `cargo run --features stream --example async_stream` reads a built-in text, or standard input with `-- -`.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use futures::{Stream, TryStreamExt, stream};
use jsonspigot::{Parser, ParserStream, PatternSet};
use tokio::io::{AsyncRead, AsyncReadExt};

const SAMPLE: &str = r#"{"reasoning": "greet first", "reply": {"text": "Hello, \u20b9 and \ud83d\ude80!"}}"#;

/// Returns a stream of chunks, like the body of an HTTP client.
fn chunks(input: impl AsyncRead + Unpin) -> impl Stream<Item = io::Result<Vec<u8>>> {
    stream::try_unfold((input, [0; 16]), async |(mut input, mut buffer)| {
        let len = input.read(&mut buffer).await?;
        Ok((len > 0).then(|| (buffer[..len].to_vec(), (input, buffer))))
    })
}

async fn run(input: impl AsyncRead + Unpin) -> Result<(), Box<dyn Error>> {
    let mut events = ParserStream::new(chunks(input), Parser::new(&PatternSet::new(["reply.text"])?));
    while let Some(event) = events.try_next().await? {
        if let Some(text) = event.delta() {
            // Awaiting here slows the transport down: the next chunk is requested after the events of this one.
            io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())?;
        }
    }
    // There was no error, so the text is complete.
    let whole: serde_json::Value = events.parser().deserialize()?;
    Ok(writeln!(io::stdout(), "\n{whole:#}")?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let reads_stdin = std::env::args().any(|argument| argument == "-");
    let ended = if reads_stdin { run(tokio::io::stdin()).await } else { run(SAMPLE.as_bytes()).await };
    let Err(error) = ended else { return ExitCode::SUCCESS };
    eprintln!("\nerror: {error}");
    ExitCode::FAILURE
}
