//! An answer's frames as a body: pauses, the fault of a cut connection, and pieces that cut anything.

use std::collections::VecDeque;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;

use super::frames::{Frame, FrameKind, Frames};
use super::journal::OpenStream;

/// How an answer is sent.
#[derive(Debug)]
pub(super) struct Delivery {
    /// Between fragments.
    pub(super) pause: Duration,
    pub(super) chop: Option<usize>,
    pub(super) cut: Option<usize>,
    pub(super) hold: bool,
}

struct Sending {
    frames: Frames,
    pieces: VecDeque<Bytes>,
    delivery: Delivery,
    sent: usize,
    stream: OpenStream,
}

/// The connection is to be cut here.
#[derive(Debug, thiserror::Error)]
#[error("the connection is cut on purpose")]
struct Cut;

pub(super) fn body(frames: Frames, delivery: Delivery, stream: OpenStream) -> Body {
    let sending = Sending { frames, pieces: VecDeque::new(), delivery, sent: 0, stream };
    Body::from_stream(stream::unfold(Some(sending), async |sending| {
        let mut sending = sending?;
        match sending.next_piece().await {
            Ok(Some(piece)) => Some((Ok(piece), Some(sending))),
            Ok(None) => None,
            Err(cut) => Some((Err(cut), None)),
        }
    }))
}

impl Sending {
    async fn next_piece(&mut self) -> Result<Option<Bytes>, Cut> {
        if self.pieces.is_empty() {
            let Some(frame) = self.frames.next() else { return Ok(None) };
            self.wait_before(&frame).await;
            self.split(frame.text);
        }
        let Some(mut piece) = self.pieces.pop_front() else { return Ok(Some(Bytes::new())) };
        if let Some(cut) = self.delivery.cut {
            if self.sent >= cut {
                // What was sent has to leave before the connection does.
                tokio::task::yield_now().await;
                return Err(Cut);
            }
            piece.truncate(cut - self.sent);
        }
        self.sent += piece.len();
        Ok(Some(piece))
    }

    async fn wait_before(&mut self, frame: &Frame) {
        let journal = self.stream.journal();
        match frame.kind {
            FrameKind::Other | FrameKind::End => return,
            FrameKind::Hang => std::future::pending().await,
            FrameKind::LastFragment if self.delivery.hold => journal.hold().await,
            FrameKind::Fragment | FrameKind::LastFragment => {}
        }
        if !self.delivery.pause.is_zero() {
            tokio::time::sleep(self.delivery.pause).await;
        }
        journal.sent_fragment();
    }

    fn split(&mut self, text: String) {
        let mut bytes = Bytes::from(text);
        let length = self.delivery.chop.unwrap_or(usize::MAX);
        while bytes.len() > length {
            self.pieces.push_back(bytes.split_to(length));
        }
        self.pieces.push_back(bytes);
    }
}
