//! An answer as a body: the events of the Messages protocol, fragments of a token's size, pauses, and faults between events.

use std::collections::VecDeque;
use std::iter;
use std::path::Path;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::{Value, json};

use super::directives::{Directives, Fault};
use super::journal::OpenStream;
use super::random::Tokens;
use super::request::Refusal;
use super::scenes::{Answer, Block};

/// One server-sent event.
#[derive(Debug)]
pub(super) struct Frame {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A fragment of text or input.
    Fragment,
    /// The answer's last fragment.
    Last,
    /// A start, a stop, a ping.
    Other,
    /// Nothing is sent from here on.
    Hang,
}

pub(super) type Frames = Box<dyn Iterator<Item = Frame> + Send>;

/// The number of fragments before a fault in the middle.
const HALF_WAY: usize = 3;

/// Returns the events of an answer.
pub(super) fn frames(answer: Answer, message_id: &str, faults: &[Fault]) -> Frames {
    let Answer { blocks, stop_reason, is_cut } = answer;
    let message = json!({
        "id": message_id, "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}
    });
    let start = [frame("message_start", json!({"message": message})), frame("ping", json!({}))];
    let last = blocks.len().saturating_sub(1);
    let body = blocks.into_iter().enumerate().flat_map(move |(index, block)| {
        let is_last = index == last;
        block_frames(index, block, is_last, is_last && is_cut)
    });
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    let end = [
        frame("message_delta", json!({"delta": delta, "usage": {"output_tokens": 89}})),
        frame("message_stop", json!({})),
    ];
    let frames = start.into_iter().chain(body).chain(end);
    faults.iter().fold(Box::new(frames), |frames, fault| with_fault(frames, *fault))
}

/// Returns the events of a recorded stream: a file of server-sent events, or of one event's JSON on each line.
pub(super) fn recorded(folder: Option<&Path>, file: &str) -> Result<Frames, Refusal> {
    let path = folder.filter(|_| !file.contains(['/', '\\']) && !file.starts_with('.')).map(|folder| folder.join(file));
    let text = path.and_then(|path| std::fs::read_to_string(path).ok());
    let text = text.ok_or_else(|| Refusal::invalid(format!("there is no recorded stream `{file}`")))?;
    let frames: Vec<String> = if file.ends_with(".chunks.txt") {
        text.lines().map(|line| format!("data: {line}\n\n")).collect()
    } else {
        text.split_inclusive("\n\n").map(str::to_owned).collect()
    };
    Ok(Box::new(frames.into_iter().map(|text| Frame { text, kind: Kind::Fragment })))
}

fn block_frames(index: usize, block: Block, is_last: bool, is_cut: bool) -> impl Iterator<Item = Frame> + Send {
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
    let start = frame("content_block_start", json!({"index": index, "content_block": content}));
    let mut tokens = Tokens::new(text).peekable();
    let fragments = iter::from_fn(move || {
        let token = tokens.next()?;
        let delta = frame("content_block_delta", json!({"index": index, "delta": {"type": kind, member: token}}));
        let kind = if is_last && tokens.peek().is_none() { Kind::Last } else { Kind::Fragment };
        Some(Frame { kind, ..delta })
    });
    let stop = (!is_cut).then(|| frame("content_block_stop", json!({"index": index})));
    [start].into_iter().chain(fragments).chain(stop)
}

fn with_fault(frames: Frames, fault: Fault) -> Frames {
    let error = |kind: &str, message: &str| frame("error", json!({"error": {"type": kind, "message": message}}));
    match fault {
        Fault::Overloaded => Box::new(frames.take(1).chain([error("overloaded_error", "Overloaded")])),
        Fault::Break => Box::new(up_to_half_way(frames).chain([error("api_error", "Internal server error")])),
        Fault::Hang => Box::new(up_to_half_way(frames).chain([Frame { text: String::new(), kind: Kind::Hang }])),
        Fault::Garbage => {
            let mut garbage = Some(Frame { text: "data: upstream says: <html>\n\n".to_owned(), kind: Kind::Other });
            Box::new(frames.flat_map(move |frame| {
                let behind = if frame.kind == Kind::Fragment { garbage.take() } else { None };
                iter::once(frame).chain(behind)
            }))
        }
        _ => frames,
    }
}

fn up_to_half_way(frames: Frames) -> impl Iterator<Item = Frame> + Send {
    let mut fragments = 0;
    frames.take_while(move |frame| {
        fragments += usize::from(frame.kind == Kind::Fragment);
        fragments <= HALF_WAY
    })
}

fn frame(event: &str, mut data: Value) -> Frame {
    data["type"] = json!(event);
    Frame { text: format!("event: {event}\ndata: {data}\n\n"), kind: Kind::Other }
}

struct Sending {
    frames: Frames,
    pieces: VecDeque<Bytes>,
    pause: Duration,
    chop: usize,
    /// The number of bytes after which the connection breaks.
    left: Option<usize>,
    hold: bool,
    stream: OpenStream,
}

/// The connection is to break here.
#[derive(Debug, thiserror::Error)]
#[error("the connection breaks on purpose")]
struct Cut;

/// Returns the body that sends the events.
pub(super) fn body(
    frames: Frames,
    pause: Duration,
    directives: &Directives,
    faults: &[Fault],
    stream: OpenStream,
) -> Body {
    let left = faults.iter().find_map(|fault| if let Fault::Cut(at) = fault { Some(*at) } else { None });
    let (chop, hold, pieces) = (directives.chop.unwrap_or(usize::MAX), directives.hold, VecDeque::new());
    let sending = Sending { frames, pieces, pause, chop, left, hold, stream };
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
        while self.pieces.is_empty() {
            let Some(frame) = self.frames.next() else { return Ok(None) };
            self.wait_before(&frame).await;
            let mut bytes = Bytes::from(frame.text);
            while bytes.len() > self.chop {
                self.pieces.push_back(bytes.split_to(self.chop));
            }
            self.pieces.push_back(bytes);
        }
        let Some(mut piece) = self.pieces.pop_front() else { return Ok(None) };
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

    async fn wait_before(&mut self, frame: &Frame) {
        let journal = self.stream.journal();
        match frame.kind {
            Kind::Other => return,
            Kind::Hang => std::future::pending().await,
            Kind::Last if self.hold => journal.hold().await,
            Kind::Fragment | Kind::Last => {}
        }
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
        journal.sent_fragment();
    }
}
