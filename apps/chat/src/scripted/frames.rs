//! An answer as the frames of the Messages protocol: starts, fragments the size of tokens, pings, stops, and the faults
//! that strike between frames.

use std::iter;

use serde_json::{Value, json};

use super::directives::FaultKind;
use super::random::Tokens;
use super::script::Answer;
use super::turn::Block;

/// One server-sent event.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) text: String,
    pub(super) kind: FrameKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// A piece of text or input.
    Fragment,
    /// The answer's last piece.
    LastFragment,
    /// A start, a stop, a ping.
    Other,
    /// What says that the stream is whole.
    End,
    /// Nothing is sent, and nothing after it.
    Hang,
}

pub(super) type Frames = Box<dyn Iterator<Item = Frame> + Send>;

/// Behind how many fragments a fault strikes.
const HALF_WAY: usize = 3;

/// The frames of an answer.
pub(super) fn of_answer(answer: Answer, message_id: &str, faults: &[FaultKind]) -> Frames {
    let Answer { blocks, stop_reason, is_cut } = answer;
    let start = frame(
        "message_start",
        &json!({"type": "message_start", "message": {
            "id": message_id, "type": "message", "role": "assistant", "model": "scripted", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}
        }}),
    );
    let last = blocks.len().saturating_sub(1);
    let body = blocks.into_iter().enumerate().flat_map(move |(index, block)| {
        let (is_last, is_cut) = (index == last, is_cut && index == last);
        of_block(index, block, is_last).filter(move |frame| !(is_cut && frame.text.contains("content_block_stop")))
    });
    let delta = json!({
        "type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": null},
        "usage": {"output_tokens": 89}
    });
    let end = [
        frame("message_delta", &delta),
        Frame { kind: FrameKind::End, ..frame("message_stop", &json!({"type": "message_stop"})) },
    ];
    let frames = [start, ping()].into_iter().chain(body).chain(end);
    faults.iter().fold(Box::new(frames), |frames, fault| struck(frames, *fault, error))
}

/// The same as one JSON text, for a client that does not want a stream.
pub(super) fn of_whole(answer: &Answer, message_id: &str) -> String {
    let content: Vec<Value> = answer.blocks.iter().map(content_of).collect();
    json!({
        "id": message_id, "type": "message", "role": "assistant", "model": "scripted", "content": content,
        "stop_reason": answer.stop_reason, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 89}
    })
    .to_string()
}

fn content_of(block: &Block) -> Value {
    match block {
        Block::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": ""}),
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Tool { id, name, input } => {
            let text = if input.is_empty() { "{}" } else { input.as_str() };
            // What is no JSON can't stand in JSON; the service wraps it likewise.
            let input = serde_json::from_str(text).unwrap_or_else(|_| json!({"INVALID_JSON": input}));
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
    }
}

/// A whole body as the one fragment that it is; nothing comes of an answer that hangs.
pub(super) fn of_body(text: String, faults: &[FaultKind]) -> Frames {
    let hangs = faults.contains(&FaultKind::Hang);
    let hang = hangs.then(|| Frame { text: String::new(), kind: FrameKind::Hang });
    Box::new(hang.into_iter().chain([Frame { text, kind: FrameKind::LastFragment }]))
}

/// A recorded stream's frames, one fragment each.
pub(super) fn of_recording(frames: Vec<String>) -> Frames {
    Box::new(frames.into_iter().map(|text| Frame { text, kind: FrameKind::Fragment }))
}

fn of_block(index: usize, block: Block, is_last: bool) -> impl Iterator<Item = Frame> + Send {
    let (content, text, kind, member) = match block {
        Block::Thinking(text) => {
            (json!({"type": "thinking", "thinking": "", "signature": ""}), text, "thinking_delta", "thinking")
        }
        Block::Text(text) => (json!({"type": "text", "text": ""}), text, "text_delta", "text"),
        Block::Tool { id, name, input } => (
            json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
            input,
            "input_json_delta",
            "partial_json",
        ),
    };
    let start =
        frame("content_block_start", &json!({"type": "content_block_start", "index": index, "content_block": content}));
    let delta = move |piece: &str, kind_of_frame| {
        let delta = json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}});
        Frame { kind: kind_of_frame, ..frame("content_block_delta", &delta) }
    };
    // The service begins every input with an empty piece.
    let empty = (member == "partial_json").then(|| delta("", FrameKind::Other));
    let deltas = pieces(text, is_last)
        .zip(1_usize..)
        .map(move |((piece, kind), count)| iter::once(delta(&piece, kind)).chain(count.is_multiple_of(64).then(ping)));
    let stop = frame("content_block_stop", &json!({"type": "content_block_stop", "index": index}));
    [start].into_iter().chain(empty).chain(deltas.flatten()).chain([stop])
}

/// A text in pieces the size of tokens; of an answer's last block, the last one is its end.
pub(super) fn pieces(text: String, is_last: bool) -> impl Iterator<Item = (String, FrameKind)> + Send {
    let mut tokens = Tokens::new(text).peekable();
    iter::from_fn(move || {
        let token = tokens.next()?;
        let is_end = is_last && tokens.peek().is_none();
        Some((token, if is_end { FrameKind::LastFragment } else { FrameKind::Fragment }))
    })
}

/// The frames with a fault in them; `error` spells an error in the stream.
pub(super) fn struck(frames: Frames, fault: FaultKind, error: impl Fn(&str) -> Frame) -> Frames {
    match fault {
        FaultKind::Overloaded => Box::new(frames.take(1).chain([error("Overloaded")])),
        FaultKind::Break => Box::new(up_to_half_way(frames).chain([error("Internal server error")])),
        FaultKind::Hang => {
            Box::new(up_to_half_way(frames).chain([Frame { text: String::new(), kind: FrameKind::Hang }]))
        }
        FaultKind::Close => Box::new(frames.filter(|frame| frame.kind != FrameKind::End)),
        FaultKind::Garbage => {
            let garbage = Frame { text: "data: upstream says: <html>\n\n".to_owned(), kind: FrameKind::Other };
            let mut garbage = Some(garbage);
            Box::new(frames.flat_map(move |frame| {
                let behind = if frame.kind == FrameKind::Fragment { garbage.take() } else { None };
                iter::once(frame).chain(behind)
            }))
        }
        _ => frames,
    }
}

fn up_to_half_way(frames: Frames) -> impl Iterator<Item = Frame> + Send {
    let mut fragments = 0;
    frames.take_while(move |frame| {
        fragments += usize::from(frame.kind == FrameKind::Fragment);
        fragments <= HALF_WAY
    })
}

fn error(message: &str) -> Frame {
    let kind = if message == "Overloaded" { "overloaded_error" } else { "api_error" };
    frame("error", &json!({"type": "error", "error": {"type": kind, "message": message}}))
}

fn ping() -> Frame {
    frame("ping", &json!({"type": "ping"}))
}

fn frame(event: &str, data: &Value) -> Frame {
    Frame { text: format!("event: {event}\ndata: {data}\n\n"), kind: FrameKind::Other }
}
