//! An answer as a body: the events of the Messages protocol, fragments of a token's size, pauses, and faults between events.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::{Value, json};

use super::directives::Directives;
use super::journal::OpenStream;
use super::random::Tokens;
use super::scenes::{Answer, Block};

/// One server-sent event, and whether it is a fragment of text or input.
#[derive(Debug)]
pub(super) struct Frame(String, bool);

/// The number of fragments before a fault in the middle.
const HALF_WAY: usize = 3;

/// Returns the events of an answer, with the faults that the message asks for.
pub(super) fn frames(answer: Answer, message_id: &str, faults: &Directives) -> Vec<Frame> {
    let Answer { blocks, stop_reason, is_cut } = answer;
    let message = json!({
        "id": message_id, "type": "message", "role": "assistant", "model": "scripted", "content": [],
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
        for token in Tokens::new(text) {
            let delta = json!({"index": index, "delta": {"type": kind, member: token}});
            frames.push(Frame(frame("content_block_delta", delta).0, true));
        }
        frames.push(frame("content_block_stop", json!({"index": index})));
    }
    if is_cut {
        frames.pop();
    }
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    frames.push(frame("message_delta", json!({"delta": delta, "usage": {"output_tokens": 89}})));
    frames.push(frame("message_stop", json!({})));
    let error = |kind: &str, message: &str| frame("error", json!({"error": {"type": kind, "message": message}}));
    let half_way = frames.iter().enumerate().filter(|(_, frame)| frame.1).map(|(at, _)| at).nth(HALF_WAY);
    let half_way = half_way.unwrap_or(frames.len());
    if faults.has("overloaded") {
        frames.truncate(1);
        frames.push(error("overloaded_error", "Overloaded"));
    }
    if faults.has("break") || faults.has("hang") {
        frames.truncate(half_way);
    }
    if faults.has("break") {
        frames.push(error("api_error", "Internal server error"));
    }
    if faults.has("garbage") {
        frames.insert(half_way.min(frames.len()), Frame("data: upstream says: <html>\n\n".to_owned(), false));
    }
    frames
}

fn frame(event: &str, mut data: Value) -> Frame {
    data["type"] = json!(event);
    Frame(format!("event: {event}\ndata: {data}\n\n"), false)
}

/// The body of an answer on its way.
struct Sending {
    frames: std::vec::IntoIter<Frame>,
    rest: Bytes,
    pause: Duration,
    chop: usize,
    /// The number of bytes after which the connection breaks.
    left: Option<usize>,
    is_held: bool,
    hangs: bool,
    open: OpenStream,
}

/// The connection is to break here.
#[derive(Debug, thiserror::Error)]
#[error("the connection breaks on purpose")]
struct Cut;

/// Returns the body that sends the events.
pub(super) fn body(frames: Vec<Frame>, pause: Duration, directives: &Directives, open: OpenStream) -> Body {
    let sending = Sending {
        frames: frames.into_iter(),
        rest: Bytes::new(),
        pause,
        chop: directives.number("chop").unwrap_or(usize::MAX).max(1),
        left: directives.number("cut"),
        is_held: directives.has("hold"),
        hangs: directives.has("hang"),
        open,
    };
    Body::from_stream(stream::unfold(Some(sending), async |sending| {
        let mut sending = sending?;
        match sending.next_piece().await {
            Ok(piece) => Some((Ok(piece?), Some(sending))),
            Err(cut) => Some((Err(cut), None)),
        }
    }))
}

impl Sending {
    async fn next_piece(&mut self) -> Result<Option<Bytes>, Cut> {
        if self.rest.is_empty() {
            let Some(Frame(text, is_fragment)) = self.frames.next() else {
                return if self.hangs { std::future::pending().await } else { Ok(None) };
            };
            if is_fragment && self.is_held && self.frames.as_slice().iter().all(|frame| !frame.1) {
                self.open.hold().await;
            }
            if is_fragment && !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            self.rest = text.into();
        }
        let mut piece = self.rest.split_to(self.chop.min(self.rest.len()));
        if let Some(left) = &mut self.left {
            if *left == 0 {
                // The bytes that were sent have to leave before the connection breaks.
                tokio::task::yield_now().await;
                return Err(Cut);
            }
            piece.truncate(*left);
            *left -= piece.len();
        }
        Ok(Some(piece))
    }
}
