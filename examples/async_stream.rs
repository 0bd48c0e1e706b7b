//! An async stream of chunks in, a stream of events out; the runtime is up to the caller.
//! `cargo run --features stream --example async_stream` reads a built-in text, with `-- -` standard input.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use futures::{Stream, TryStreamExt, stream};
use jsonspigot::{OwnedEventKind, Parser, ParserStream, PatternSet};
use tokio::io::{AsyncRead, AsyncReadExt};

const SAMPLE: &str = r#"{"reasoning": "greet first", "reply": {"text": "Hello, \u20b9 and \ud83d\ude80!"}}"#;

/// A body as HTTP clients give it.
fn chunks(input: impl AsyncRead + Unpin) -> impl Stream<Item = io::Result<Vec<u8>>> {
    stream::try_unfold((input, [0; 16]), async |(mut input, mut buffer)| {
        let len = input.read(&mut buffer).await?;
        Ok((len > 0).then(|| (buffer[..len].to_vec(), (input, buffer))))
    })
}

async fn run(input: impl AsyncRead + Unpin) -> Result<(), Box<dyn Error>> {
    let mut events = ParserStream::new(chunks(input), Parser::new(&PatternSet::new(["reply.text"])?));
    while let Some(event) = events.try_next().await? {
        if let OwnedEventKind::Delta(text) = event.kind {
            // Whatever is awaited here slows the reading down: the next chunk waits until this one's events are taken.
            io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())?;
        }
    }
    // No error, so the text was complete.
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
