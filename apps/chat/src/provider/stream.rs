//! An answer on its way: bytes to server-sent events to what the library tells of them.

use std::num::NonZeroUsize;
use std::time::Duration;

use axum::body::Bytes;
use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_core::{SseDecoder, SseEvent};
use tokio::time::{Instant, timeout_at};

use super::error::ProviderError;
use super::recorder::{Piece, Recorder};
use crate::config::Protocol;

/// The longest server-sent event that is read.
const MOST_EVENT: NonZeroUsize = NonZeroUsize::new(4 << 20).unwrap();

/// How much is collected at most, in bytes, and how many server-sent events are read at once where it is. What these become
/// is larger than they are.
const MOST_COLLECTED: usize = 64 << 10;
const MOST_EVENTS: usize = 64;

/// An answer that is being read. Dropping it closes the provider's connection.
#[derive(Debug)]
pub struct Answer {
    /// Where it comes from; `None` if all of it is recorded.
    response: Option<Response>,
    /// Whether the answer does not stream: its body is one JSON text.
    is_whole: bool,
    /// What has been read of the body, but not yet looked at.
    chunk: Bytes,
    is_over: bool,
    decoder: SseDecoder,
    calls: ProviderStream,
    silence: Duration,
    collect: Duration,
    /// What came behind a piece that was collected.
    behind: Option<Piece>,
    last: Last,
}

/// What has been heard of the answer's end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    /// A reason to stop, which is the last word of those who have no other.
    Stop,
    End,
}

impl Answer {
    pub(super) fn new(
        response: Option<Response>,
        is_whole: bool,
        protocol: Protocol,
        calls: ToolCalls,
        silence: Duration,
        collect: Duration,
    ) -> Self {
        let provider = match protocol {
            Protocol::Anthropic => Provider::Anthropic,
            Protocol::OpenAi => Provider::OpenaiChat,
        };
        let (decoder, calls) = (SseDecoder::with_limit(MOST_EVENT), ProviderStream::new(provider, calls));
        let (chunk, is_over, last) = (Bytes::new(), false, Last::Nothing);
        Self { response, is_whole, chunk, is_over, decoder, calls, silence, collect, behind: None, last }
    }

    /// Reads on to the next server-sent event, and those that were collected with it, and tells what is in them; `false` once the answer has come to its proper end.
    ///
    /// # Errors
    ///
    /// The provider is silent, reports an error, or the stream ends before its end. What was told before stays told.
    pub async fn next(
        &mut self,
        record: &mut dyn Recorder,
        mut on_event: impl FnMut(StreamEvent<'_>) + Send,
    ) -> Result<bool, ProviderError> {
        if std::mem::take(&mut self.is_whole) {
            self.read_whole(record).await?;
        }
        // One event at a time, unless several are wanted: then what each of them becomes is stored at once.
        let mut left = if self.collect.is_zero() { 1 } else { MOST_EVENTS };
        let mut event = loop {
            match self.decoder.next(&mut self.chunk) {
                Some(event) => break Some(event),
                None if self.has_ended() || self.is_over => break None,
                None => self.read(record).await?,
            }
        };
        let mut reported = None;
        let last = &mut self.last;
        let mut on_event = |event: StreamEvent<'_>| {
            match &event {
                StreamEvent::ProviderError { message, .. } => {
                    reported = Some(ProviderError::Reported(message.to_string()));
                }
                StreamEvent::Stop { .. } if *last == Last::Nothing => *last = Last::Stop,
                StreamEvent::End => *last = Last::End,
                _ => {}
            }
            on_event(event);
        };
        let is_last = event.is_none();
        loop {
            match event {
                Some(Ok(SseEvent::Message(message))) => self.calls.push_with(&message.data, &mut on_event),
                Some(Ok(_)) => {}
                Some(Err(_)) => self.calls.push_oversized_with(&mut on_event),
                None => self.calls.finish_with(&mut on_event),
            }
            left -= 1;
            event = if is_last || left == 0 { None } else { self.decoder.next(&mut self.chunk) };
            if event.is_none() {
                break;
            }
        }
        match reported {
            Some(error) => Err(error),
            None if !is_last => Ok(true),
            None if self.last == Last::End || (self.last == Last::Stop && !self.needs_end()) => Ok(false),
            None => Err(ProviderError::Cut("it ended without its end event".to_owned())),
        }
    }

    /// An answer that does not stream, as the one event that would bring all of it. Who asks for a stream and is given a
    /// whole answer has met a server, or something before it, that can't stream.
    async fn read_whole(&mut self, record: &mut dyn Recorder) -> Result<(), ProviderError> {
        let mut body = Vec::new();
        loop {
            let Some(chunk) = self.piece(record).await? else { break };
            if body.len() + chunk.len() > MOST_EVENT.get() {
                return Err(ProviderError::Cut("it is too long".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        self.is_over = true;
        // Between its tokens JSON may have line breaks, which end a server-sent event's line; in them it has none.
        let line = |byte: u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte };
        let body = body.into_iter().map(line);
        let events: Vec<u8> = if self.needs_end() {
            let (front, end) = (&b"data: {\"type\":\"message_start\",\"message\":"[..], &b"}\n\n"[..]);
            let stop = b"data: {\"type\":\"message_stop\"}\n\n";
            front.iter().copied().chain(body).chain(end.iter().chain(stop).copied()).collect()
        } else {
            b"data: ".iter().copied().chain(body).chain(*b"\n\ndata: [DONE]\n\n").collect()
        };
        self.chunk = events.into();
        Ok(())
    }

    async fn read(&mut self, record: &mut dyn Recorder) -> Result<(), ProviderError> {
        let chunk = self.piece(record).await?;
        self.is_over = chunk.is_none();
        self.chunk = match chunk {
            Some(chunk) => chunk,
            // Some servers leave out the blank line behind their last event.
            None => Bytes::from_static(b"\n\n"),
        };
        Ok(())
    }

    /// The next piece of the body, which is recorded by then.
    async fn piece(&mut self, record: &mut dyn Recorder) -> Result<Option<Bytes>, ProviderError> {
        let piece = match &mut self.response {
            None => record.piece().await,
            Some(response) => {
                let mut piece = match self.behind.take() {
                    Some(piece) => piece,
                    None => receive(response, self.silence).await,
                };
                if let Piece::Body(first) = &piece
                    && !self.collect.is_zero()
                {
                    let (mut body, until) = (first.to_vec(), Instant::now() + self.collect);
                    while body.len() < MOST_COLLECTED
                        && let Ok(next) = timeout_at(until, receive(response, self.silence)).await
                    {
                        let Piece::Body(more) = next else {
                            self.behind = Some(next);
                            break;
                        };
                        body.extend_from_slice(&more);
                    }
                    piece = Piece::Body(body.into());
                }
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

    /// Whether nothing can come any more.
    fn has_ended(&self) -> bool {
        self.last == Last::End
    }

    /// Whether the protocol has a last word: a reason to stop is that for those who have no other.
    fn needs_end(&self) -> bool {
        self.calls.provider() == Some(Provider::Anthropic)
    }
}

/// What comes next.
async fn receive(response: &mut Response, silence: Duration) -> Piece {
    match tokio::time::timeout(silence, response.chunk()).await {
        Err(_) => Piece::Failed(ProviderError::Silent(silence)),
        Ok(Err(error)) => Piece::Failed(ProviderError::Cut(innermost(&error))),
        Ok(Ok(None)) => Piece::Ended,
        // A copy: the chunk itself would hold all of the client's read buffer, which may be much larger.
        Ok(Ok(Some(chunk))) => Piece::Body(Bytes::copy_from_slice(&chunk)),
    }
}

/// Whether an answer does not stream.
pub(super) fn is_whole(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    content_type.trim_start().to_ascii_lowercase().starts_with("application/json")
}

/// The cause that says most: the HTTP client's own words are about itself.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
