//! An answer on its way: the body's chunks go through `Frames` into a `ProviderStream`, whose events the caller receives.

use std::time::Duration;

use axum::body::Bytes;
use jsonspigot_framing::Frames;
use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls, UnfinishedKind};
use reqwest::Response;

use super::error::ProviderError;
use super::recorder::{Piece, Recorder};
use crate::config::Protocol;

/// The longest event of a body that is read.
const MOST_EVENT: usize = 4 << 20;

/// An answer that is being read. Dropping it closes the provider's connection.
#[derive(Debug)]
pub struct Answer {
    /// The source of the chunks; `None` if all of them are recorded.
    response: Option<Response>,
    frames: Frames,
    stream: ProviderStream,
    silence: Duration,
    /// Set once the provider has sent its last event. No chunk is awaited after it.
    has_ended: bool,
}

impl Answer {
    pub(super) fn new(response: Option<Response>, protocol: Protocol, calls: ToolCalls, silence: Duration) -> Self {
        let provider = match protocol {
            Protocol::Anthropic => Provider::Anthropic,
            Protocol::OpenAi => Provider::OpenaiChat,
        };
        let (frames, stream) = (Frames::with_limit(MOST_EVENT), ProviderStream::new(provider, calls));
        Self { response, frames, stream, silence, has_ended: false }
    }

    /// Reads one chunk and reports its events; returns false once the answer has ended.
    ///
    /// # Errors
    ///
    /// The provider is silent, reports an error, or the stream breaks off. Events that were reported before still count.
    pub async fn next(
        &mut self,
        record: &mut dyn Recorder,
        mut on_event: impl FnMut(StreamEvent<'_>) + Send,
    ) -> Result<bool, ProviderError> {
        let chunk = if self.has_ended { None } else { self.piece(record).await? };
        let Self { frames, stream, has_ended, .. } = self;
        let (mut failed, is_last) = (None, chunk.is_none());
        let mut on_event = |event: StreamEvent<'_>| {
            match &event {
                StreamEvent::ProviderError { message, .. } => {
                    failed = Some(ProviderError::Reported(message.to_string()));
                }
                // Earlier in a stream, it means that a new answer has replaced an incomplete one.
                StreamEvent::Incomplete { .. } if is_last => failed = Some(ProviderError::BrokenOff),
                StreamEvent::End => *has_ended = true,
                _ => {}
            }
            on_event(event);
        };
        match chunk {
            Some(chunk) => frames.feed_with(chunk, |frame| frame.push_to(stream, &mut on_event)),
            None => {
                frames.finish_with(|frame| frame.push_to(stream, &mut on_event));
                stream.finish_with(&mut on_event);
            }
        }
        match (failed, stream.verdict()) {
            (Some(error), _) => Err(error),
            (None, Err(wrong)) if is_last && !is_reported(wrong.kind()) => Err(ProviderError::Cut(wrong.to_string())),
            (None, _) => Ok(!is_last),
        }
    }

    /// Returns the next chunk, which is recorded by then, or `None` at the end of the body.
    async fn piece(&mut self, record: &mut dyn Recorder) -> Result<Option<Bytes>, ProviderError> {
        let piece = match &mut self.response {
            None => record.piece().await,
            Some(response) => {
                let piece = receive(response, self.silence).await;
                record.record(piece.clone()).await;
                Some(piece)
            }
        };
        match piece {
            Some(Piece::Body(piece)) => Ok(Some(piece)),
            Some(Piece::Failed(error)) => Err(error),
            Some(Piece::Ended) => Ok(None),
            _ => Err(ProviderError::Cut("its record is not complete".to_owned())),
        }
    }
}

/// Returns true if the reader of the events has handled the problem. A call with a bad input gets an error as its result.
/// A bad event between others loses nothing. A replaced answer does not count.
fn is_reported(problem: UnfinishedKind) -> bool {
    matches!(problem, UnfinishedKind::Call | UnfinishedKind::BadFrame | UnfinishedKind::Incomplete)
}

async fn receive(response: &mut Response, silence: Duration) -> Piece {
    match tokio::time::timeout(silence, response.chunk()).await {
        Err(_) => Piece::Failed(ProviderError::Silent(silence)),
        Ok(Err(error)) => Piece::Failed(ProviderError::of_transport(&error)),
        Ok(Ok(None)) => Piece::Ended,
        // A copy: the chunk itself would keep all of the client's read buffer alive, which may be much larger.
        Ok(Ok(Some(chunk))) => Piece::Body(Bytes::copy_from_slice(&chunk)),
    }
}
