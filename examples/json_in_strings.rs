//! Shows JSON inside strings while it arrives: the arguments of the tool calls in a chat completion.
//!
//! ```text
//! cargo run --example json_in_strings            # a built-in completion
//! cargo run --example json_in_strings -- FILE    # another one; `-` is standard input
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use jsonspigot::{EventKind, Parser, PatternSet, Retain};

/// A response of OpenAI's chat completions without streaming. The arguments are JSON in a string.
const COMPLETION: &str = r#"{"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant",
"content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "get_weather",
"arguments": "{\"city\": \"Saint-\u00c9tienne\", \"days\": 3}"}}, {"id": "call_2", "type": "function",
"function": {"name": "get_time", "arguments": "{\"city\": \"Lis"}}]}, "finish_reason": "length"}]}"#;

fn run(mut input: impl Read) -> Result<(), Box<dyn Error>> {
    let patterns = PatternSet::new(["choices[*].message.tool_calls[*].function.arguments | *"])?;
    let mut parser = Parser::builder().retain(Retain::Matches).patterns(&patterns).build();
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
            let event = event?;
            match event.kind {
                EventKind::Begin(_) => write!(out, "{}: ", event.path)?,
                EventKind::Delta(text) => out.write_all(text.as_bytes())?,
                EventKind::End(Some(value)) if value.kind().is_atom() => writeln!(out, "{value}")?,
                EventKind::End(_) => writeln!(out)?,
                // The call is truncated or not JSON. Do not act on any of it.
                EventKind::InnerError(error) => writeln!(out, "\n{}: {error}", event.path)?,
                _ => {}
            }
            out.flush()?;
        }
    }
    parser.finish().check()?;
    Ok(())
}

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        None => run(COMPLETION.as_bytes()),
        Some("-") => run(io::stdin().lock()),
        Some(file) => File::open(file).map_err(Into::into).and_then(run),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
