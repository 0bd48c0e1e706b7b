//! An answer on its way: the body's chunks go through `Frames` into a `ProviderStream`, whose events the caller receives.

use std::time::Duration;

use axum::body::Bytes;
use jsonspigot_framing::Frames;
use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls, UnfinishedKind};
use reqwest::Response;

use super::error::ProviderError;
use crate::config::Protocol;

/// The longest event of a body that is read.
const MOST_EVENT: usize = 4 << 20;

/// An answer as it was received: the chunks of its body, and the error that ended it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The chunks.
    pub chunks: Vec<Bytes>,
    /// The error.
    pub error: Option<ProviderError>,
}

/// An answer that is being read. Dropping it closes the provider's connection.
#[derive(Debug)]
pub struct Answer {
    /// The source of the chunks; `None` if all of them are recorded.
    response: Option<Response>,
    record: Record,
    /// The number of chunks that were read.
    read: usize,
    frames: Frames,
    stream: ProviderStream,
    silence: Duration,
    /// Set once the provider has sent its last event. No chunk is awaited after it.
    has_ended: bool,
}

impl Answer {
    pub(super) fn new(
        response: Option<Response>,
        record: Record,
        protocol: Protocol,
        calls: ToolCalls,
        silence: Duration,
    ) -> Self {
        let provider = match protocol {
            Protocol::Anthropic => Provider::Anthropic,
            Protocol::OpenAi => Provider::OpenaiChat,
        };
        let (frames, stream) = (Frames::with_limit(MOST_EVENT), ProviderStream::new(provider, calls));
        Self { response, record, read: 0, frames, stream, silence, has_ended: false }
    }

    /// Reads one chunk and reports its events; returns false once the answer has ended.
    ///
    /// # Errors
    ///
    /// The provider is silent, reports an error, or the stream breaks off. Events that were reported before still count.
    pub async fn next(&mut self, mut on_event: impl FnMut(StreamEvent<'_>) + Send) -> Result<bool, ProviderError> {
        let chunk = if self.has_ended { None } else { self.chunk().await? };
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

    /// Returns what was received of the answer.
    #[must_use]
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Returns the next chunk, or `None` at the end of the body.
    async fn chunk(&mut self) -> Result<Option<Bytes>, ProviderError> {
        let Self { response, record, read, silence, .. } = self;
        if let Some(response) = response {
            match tokio::time::timeout(*silence, response.chunk()).await {
                Err(_) => record.error = Some(ProviderError::Silent(*silence)),
                Ok(Err(error)) => record.error = Some(ProviderError::of_transport(&error)),
                Ok(Ok(None)) => {}
                // A copy: the chunk itself would keep all of the client's read buffer alive, which may be much larger.
                Ok(Ok(Some(chunk))) => record.chunks.push(Bytes::copy_from_slice(&chunk)),
            }
        }
        *read += 1;
        match (record.chunks.get(*read - 1), &record.error) {
            (Some(chunk), _) => Ok(Some(chunk.clone())),
            (None, Some(error)) => Err(error.clone()),
            (None, None) => Ok(None),
        }
    }
}

/// Returns true if the reader of the events has handled the problem. A call with a bad input gets an error as its result.
/// A bad event between others loses nothing. A replaced answer does not count.
fn is_reported(problem: UnfinishedKind) -> bool {
    matches!(problem, UnfinishedKind::Call | UnfinishedKind::BadFrame | UnfinishedKind::Incomplete)
}
