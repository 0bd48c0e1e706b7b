//! An async `Stream` of chunks in one task, events over a channel to another; the runtime is the caller's affair.
//! `cargo run --example async_stream` reads a built-in text, with `-- -` standard input.

use std::error::Error;
use std::io::{self, Write};
use std::pin::pin;
use std::process::ExitCode;

use futures::{Stream, TryStreamExt, stream};
use jsonspigot::{OwnedEvent, OwnedEventKind, Parser, PatternSet};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;

const SAMPLE: &str = r#"{"reasoning": "greet first", "reply": {"text": "Hello, \u20b9 and \ud83d\ude80!"}}"#;

type Failure = Box<dyn Error + Send + Sync>;
type Chunk = io::Result<Vec<u8>>;

async fn follow(chunks: impl Stream<Item = Chunk>, events: mpsc::Sender<OwnedEvent>) -> Result<Parser, Failure> {
    let mut chunks = pin!(chunks);
    let mut parser = Parser::new(&PatternSet::new(["reply.text"])?);
    while let Some(chunk) = chunks.try_next().await? {
        for event in parser.feed(chunk) {
            // A slow receiver slows the reading down: the loop waits here, in the middle of a chunk's events.
            events.send(event?.to_owned()).await?;
        }
    }
    parser.finish().check()?;
    Ok(parser)
}

/// A body as HTTP clients give it.
fn chunks(input: impl AsyncRead + Unpin) -> impl Stream<Item = Chunk> {
    stream::try_unfold((input, [0; 16]), async |(mut input, mut buffer)| {
        let len = input.read(&mut buffer).await?;
        Ok((len > 0).then(|| (buffer[..len].to_vec(), (input, buffer))))
    })
}

async fn run(input: impl AsyncRead + Send + Unpin + 'static) -> Result<(), Failure> {
    let (sender, mut events) = mpsc::channel(8);
    let following = tokio::spawn(follow(chunks(input), sender));
    while let Some(event) = events.recv().await {
        if let OwnedEventKind::Delta(text) = event.kind {
            io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())?;
        }
    }
    let whole: serde_json::Value = following.await??.deserialize()?;
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
