//! An answer as a body: the events of the Messages protocol, fragments of a token's size, pauses, and faults between events.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::directives::Directives;
use super::journal::Journal;
use super::random::tokens;
use super::scenes::Block;

/// One server-sent event, and whether it is a fragment of text or input.
#[derive(Debug)]
pub(super) struct Frame(String, bool);

/// The number of fragments before a fault in the middle.
const HALF_WAY: usize = 3;

/// Returns the events of an answer, with the faults that the message asks for.
pub(super) fn frames((blocks, stop_reason): (Vec<Block>, &str), number: usize, faults: &Directives) -> Vec<Frame> {
    let message = json!({
        "id": format!("msg_{number:06}"), "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}
    });
    let mut frames = vec![frame("message_start", json!({"message": message})), frame("ping", json!({}))];
    for (index, block) in blocks.into_iter().enumerate() {
        let (content, text, kind, member) = match block {
            Block::Thinking(text) => {
                (json!({"type": "thinking", "thinking": "", "signature": ""}), text, "thinking_delta", "thinking")
            }
            Block::Text(text) => (json!({"type": "text", "text": ""}), text, "text_delta", "text"),
            Block::Tool { id, name, input } => {
                let content = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                (content, input, "input_json_delta", "partial_json")
            }
        };
        frames.push(frame("content_block_start", json!({"index": index, "content_block": content})));
        for token in tokens(&text) {
            let delta = json!({"index": index, "delta": {"type": kind, member: token}});
            frames.push(Frame(frame("content_block_delta", delta).0, true));
        }
        frames.push(frame("content_block_stop", json!({"index": index})));
    }
    if faults.has("truncated") {
        frames.pop();
    }
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    frames.push(frame("message_delta", json!({"delta": delta, "usage": {"output_tokens": 89}})));
    frames.push(frame("message_stop", json!({})));
    let half_way = frames.iter().enumerate().filter(|(_, frame)| frame.1).map(|(at, _)| at).nth(HALF_WAY);
    let half_way = half_way.unwrap_or(frames.len());
    for (fault, length, error) in [
        ("overloaded", 1, Some(("overloaded_error", "Overloaded"))),
        ("break", half_way, Some(("api_error", "Internal server error"))),
        ("hang", half_way, None),
    ] {
        if faults.has(fault) {
            frames.truncate(length);
            let error = error.map(|(kind, message)| json!({"error": {"type": kind, "message": message}}));
            frames.extend(error.map(|error| frame("error", error)));
        }
    }
    frames
}

fn frame(event: &str, mut data: Value) -> Frame {
    data["type"] = json!(event);
    Frame(format!("event: {event}\ndata: {data}\n\n"), false)
}

/// Returns the body that sends the events.
pub(super) fn body(frames: Vec<Frame>, pause: Duration, directives: Directives, journal: Arc<Journal>) -> Body {
    let (sender, receiver) = mpsc::channel(1);
    journal.note(|seen| seen.open += 1);
    tokio::spawn(async move {
        tokio::select! {
            () = send(frames, pause, &directives, &journal, &sender) => {}
            () = sender.closed() => {}
        }
        journal.note(|seen| seen.open -= 1);
    });
    Body::from_stream(stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        if piece.is_err() {
            // The bytes that were sent have to leave before the connection breaks.
            tokio::task::yield_now().await;
        }
        Some((piece, receiver))
    }))
}

async fn send(
    frames: Vec<Frame>,
    pause: Duration,
    directives: &Directives,
    journal: &Journal,
    sender: &mpsc::Sender<io::Result<Bytes>>,
) {
    let chop = directives.number("chop").unwrap_or(usize::MAX).max(1);
    // The number of bytes after which the connection breaks.
    let mut left = directives.number("cut").unwrap_or(usize::MAX);
    let held = frames.iter().rposition(|frame| frame.1).filter(|_| directives.has("hold"));
    for (at, Frame(text, is_fragment)) in frames.into_iter().enumerate() {
        if held == Some(at) {
            journal.hold().await;
        }
        if is_fragment && !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        let mut rest = Bytes::from(text);
        while !rest.is_empty() {
            let piece = rest.split_to(chop.min(left).min(rest.len()));
            left -= piece.len();
            let is_cut = piece.is_empty();
            // Without a receiver, the task ends.
            let _ = sender.send(if is_cut { Err(io::Error::other("as asked")) } else { Ok(piece) }).await;
            if is_cut {
                return;
            }
        }
    }
    if directives.has("hang") {
        std::future::pending::<()>().await;
    }
}
