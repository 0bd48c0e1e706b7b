//! An answer on its way: bytes to server-sent events to what the library tells of them.

use std::num::NonZeroUsize;
use std::time::Duration;

use jsonspigot::adapters::{Calls, Provider, ToolCalls, ToolEvent};
use reqwest::Response;
use sse_core::{SseDecoder, SseEvent};

use super::error::ProviderError;
use crate::config::Protocol;

/// The longest server-sent event that is read.
const MOST_EVENT: NonZeroUsize = NonZeroUsize::new(4 << 20).unwrap();

/// An answer that is being read. Dropping it closes the provider's connection.
#[derive(Debug)]
pub struct Answer {
    response: Response,
    decoder: SseDecoder,
    calls: ToolCalls,
    silence: Duration,
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
    pub(super) fn new(response: Response, protocol: Protocol, calls: Calls, silence: Duration) -> Self {
        let provider = match protocol {
            Protocol::Anthropic => Provider::Anthropic,
            Protocol::OpenAi => Provider::OpenaiChat,
        };
        let (decoder, calls) = (SseDecoder::with_limit(MOST_EVENT), ToolCalls::new(provider, calls));
        Self { response, decoder, calls, silence, last: Last::Nothing }
    }

    /// Reads one chunk of the body and tells what is in it; `false` once the answer has come to its proper end.
    ///
    /// # Errors
    ///
    /// The provider is silent, reports an error, or the stream ends before its end. What was told before stays told.
    pub async fn next(&mut self, mut on_event: impl FnMut(ToolEvent<'_>) + Send) -> Result<bool, ProviderError> {
        if self.last == Last::End {
            return Ok(false);
        }
        let chunk = tokio::time::timeout(self.silence, self.response.chunk()).await;
        let chunk = chunk.map_err(|_| ProviderError::Silent(self.silence))?;
        let chunk = chunk.map_err(|error| ProviderError::Cut(innermost(&error)))?;
        // Some servers leave out the blank line behind their last event.
        let mut bytes = chunk.as_deref().unwrap_or(b"\n\n");
        let mut reported = None;
        let (calls, last) = (&mut self.calls, &mut self.last);
        let mut on_event = |event: ToolEvent<'_>| {
            match event {
                ToolEvent::ProviderError { message } => reported = Some(ProviderError::Reported(message.to_owned())),
                ToolEvent::Stop { .. } if *last == Last::Nothing => *last = Last::Stop,
                ToolEvent::End => *last = Last::End,
                _ => {}
            }
            on_event(event);
        };
        while let Some(event) = self.decoder.next(&mut bytes) {
            match event {
                Ok(SseEvent::Message(message)) => calls.push(&message.data, &mut on_event),
                Ok(_) => {}
                Err(_) => calls.push_oversized(&mut on_event),
            }
        }
        if chunk.is_none() {
            calls.finish(&mut on_event);
        }
        match reported {
            Some(error) => Err(error),
            None if chunk.is_some() => Ok(true),
            None if self.has_ended() => Ok(false),
            None => Err(ProviderError::Cut("it ended before its end was told".to_owned())),
        }
    }

    /// Whether the last word has been heard; a reason to stop is that for those who have no other.
    fn has_ended(&self) -> bool {
        let needs_end = self.calls.provider() == Some(Provider::Anthropic);
        self.last == Last::End || (self.last == Last::Stop && !needs_end)
    }
}

/// The cause that says most: the HTTP client's own words are about itself.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
