//! What a provider's stream tells: [`StreamEvent`].

use crate::tool_calls::CallEvent;

/// Something that became known about a provider's stream. Borrowed; it lives as long as the callback.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot::providers::{Provider, ProviderStream, StreamEvent};
/// use jsonspigot::tool_calls::ToolCalls;
///
/// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::empty()));
/// let mut shown = String::new();
/// for chunk in [
///     r#"{"choices":[{"index":0,"delta":{"content":"Let me "}}]}"#,
///     r#"{"choices":[{"index":0,"delta":{"content":"look."},"finish_reason":"stop"}]}"#,
///     "upstream timed out",
/// ] {
///     stream.push(chunk, |event| match event {
///         StreamEvent::Text { text, .. } => shown.push_str(text),
///         StreamEvent::Stop { reason, .. } => shown.push_str(&format!(" ({reason})")),
///         StreamEvent::BadFrame { text } => shown.push_str(&format!(" [{text}]")),
///         _ => {}
///     });
/// }
/// assert_eq!(shown, "Let me look. (stop) [upstream timed out]");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum StreamEvent<'a> {
    /// Something happened to a tool call.
    Call(CallEvent<'a>),
    /// A piece of the assistant's text.
    Text {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// A piece of the assistant's reasoning.
    Reasoning {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// A piece of a refusal.
    Refusal {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// Token counts, as the provider's JSON text.
    Usage {
        /// The JSON text.
        json: &'a str,
    },
    /// An answer has ended, and why, in the provider's word.
    Stop {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// `tool_use`, `stop`, `max_tokens`, …
        reason: &'a str,
        /// The reason of the provider behind a gateway that translates reasons. OpenRouter's `tool_calls` may stand for
        /// `length`; a call that was cut then names the latter.
        native_reason: Option<&'a str>,
    },
    /// The provider's last event has arrived: `message_stop`, `[DONE]`, `response.completed`, `message-end`, … A stream
    /// that ends without it was cut, so if you act only on complete messages, wait for it. Gemini sends none, and some
    /// servers leave out their `[DONE]`; there, [`Stop`](StreamEvent::Stop) is the last event.
    End,
    /// The provider reports an error: in an event of its own, inside another event, or as the body of an HTTP error
    /// that was pushed as the only event.
    ProviderError {
        /// Its words; the JSON text if it has none.
        message: &'a str,
        /// Its type, as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`.
        kind: Option<&'a str>,
        /// Its code, as the provider spells it, be it a string or a number: `model_not_found`, `400`.
        code: Option<&'a str>,
    },
    /// A JSON object that is not a known event of the provider. The stream goes on. While the provider is not known
    /// yet, this is told by [`finish`](super::ProviderStream::finish).
    Unknown {
        /// The object's JSON text.
        text: &'a str,
    },
    /// A frame that is not a JSON object; the stream goes on.
    BadFrame {
        /// The frame.
        text: &'a str,
    },
}

impl<'a> From<CallEvent<'a>> for StreamEvent<'a> {
    fn from(event: CallEvent<'a>) -> Self {
        Self::Call(event)
    }
}
