//! Shared parts of the examples: a request, its body as server-sent events, and the display of a call.

use std::error::Error;
use std::io::{Write, stdout};
use std::num::NonZeroUsize;

use jsonspigot::EventKind;
use jsonspigot_llm::{CallEvent, PayloadStatus};
use sse_core::{SseDecoder, SseEvent};

/// Sends a request to a server and passes the data of each event to `on_event` as soon as it is complete.
///
/// # Errors
///
/// Fails if the HTTP client fails, or if an event has more than 32 MiB.
pub async fn each_event(url: &str, mut on_event: impl FnMut(&str)) -> Result<(), Box<dyn Error>> {
    let mut response = reqwest::Client::new().post(url).send().await?.error_for_status()?;
    let mut decoder = SseDecoder::with_limit(NonZeroUsize::new(32 << 20).ok_or("no room")?);
    let mut feed = |mut chunk: &[u8]| -> Result<(), Box<dyn Error>> {
        while let Some(event) = decoder.next(&mut chunk) {
            if let SseEvent::Message(message) = event? {
                on_event(&message.data);
            }
        }
        Ok(())
    };
    while let Some(chunk) = response.chunk().await? {
        feed(&chunk)?;
    }
    // Some servers omit the last blank line.
    feed(b"\n\n")
}

/// Prints the call, its strings as they grow, and its result.
pub fn show_call(event: CallEvent<'_>) {
    match event {
        CallEvent::Start { call } => println!("call {}: {}", call.number, call.name.as_deref().unwrap_or("?")),
        CallEvent::Match { event, .. } => match event.kind {
            EventKind::Delta(text) => print!("{text}"),
            EventKind::End(_) => println!(),
            EventKind::Begin(_) => print!("  {}: ", event.path),
            _ => {}
        },
        CallEvent::End { call, input } => match (input.status(), input.value()) {
            // Only here is it safe to act on the arguments.
            (_, Some(value)) => println!("call {} may run with {value}", call.number),
            (PayloadStatus::Truncated { reason }, None) => println!("call {} was cut: {reason}", call.number),
            (status, None) => println!("call {} is {}", call.number, status.name()),
        },
        CallEvent::Error(error) => eprintln!("{error}"),
        _ => {}
    }
    // Show the text immediately, even in the middle of a line. A failure cannot be reported anywhere.
    let _ = stdout().flush();
}
