//! The events of a provider's stream: [`StreamEvent`]. `parts.rs` has what several of its kinds are made of.
//!
//! There are few kinds, and they are the same for every provider. Whatever a kind has no field for is in its `json`: the
//! provider's own JSON, as it was spelt.

pub(crate) mod media;
mod of_agent;
pub(crate) mod owned;
mod parts;
pub(crate) mod retry;
mod serialize;
pub(crate) mod stop;
pub(crate) mod usage;
pub(crate) mod verdict;

pub use self::media::Media;
pub use self::owned::{OwnedStreamEvent, StreamEvents};
pub use self::parts::{Block, BlockKind, MismatchKind, Opaque, OpaqueKind, Source, ToolResult};
pub use self::retry::Retry;
pub use self::stop::StopKind;
pub use self::usage::TokenUsage;
pub use self::verdict::{Unfinished, UnfinishedKind};
use crate::calls::CallEvent;
#[cfg(feature = "envelope")]
use crate::envelope::EnvelopeEvent;

/// Something that became known about a provider's stream. Borrowed; it lives as long as the callback.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&PatternSet::empty()));
/// let mut shown = String::new();
/// for chunk in [
///     r#"{"choices":[{"index":0,"delta":{"content":"Let me "}}]}"#,
///     r#"{"choices":[{"index":0,"delta":{"content":"look."},"finish_reason":"stop"}]}"#,
///     "upstream timed out",
/// ] {
///     stream.push_with(chunk, |event| match event {
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
    /// Something happened to a payload in the assistant's text; reported only after
    /// [`with_envelope`](crate::ProviderStream::with_envelope).
    #[cfg(feature = "envelope")]
    #[non_exhaustive]
    Payload {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of the [block](Block) it belongs to.
        block: u64,
        /// Its begin, a match or a piece in it, or its end. The text around payloads is [`Text`](StreamEvent::Text).
        event: EnvelopeEvent<'a>,
    },
    /// The provider will execute a call once you have approved it.
    #[non_exhaustive]
    ApprovalRequest {
        /// The id to approve it by, or to refuse it.
        id: &'a str,
        /// The call's number, if the stream has reported the call.
        call: Option<u64>,
        /// The request as the provider's JSON text.
        json: &'a str,
    },
    /// A message has started. Where the wire has no such event, it is reported once the first id or model is known.
    #[non_exhaustive]
    MessageStart {
        /// The provider's id of the message or response.
        id: Option<&'a str>,
        /// The model that answers.
        model: Option<&'a str>,
    },
    /// A block of text or reasoning has started.
    BlockStart(Block<'a>),
    /// A block of text or reasoning has ended. Nothing more is reported of it.
    BlockEnd(Block<'a>),
    /// A piece of the assistant's text.
    #[non_exhaustive]
    Text {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of the [block](Block) it belongs to.
        block: u64,
        /// The piece.
        text: &'a str,
    },
    /// A piece of the assistant's reasoning.
    #[non_exhaustive]
    Reasoning {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of the [block](Block) it belongs to.
        block: u64,
        /// The piece.
        text: &'a str,
    },
    /// A piece of a refusal.
    Refusal {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// An image, sound or document that is part of the answer.
    Media(Media<'a>),
    /// The provider repeats something as a whole, and contradicts what was reported of it. Which of the two is right,
    /// nobody can say. The input of a call may be contradicted after it has been reported as complete.
    #[non_exhaustive]
    Mismatch {
        /// The kind of thing that is repeated.
        kind: MismatchKind,
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block, if that is still open.
        block: Option<u64>,
        /// The number of the call, for arguments.
        call: Option<u64>,
        /// The whole, as the provider repeats it.
        text: &'a str,
    },
    /// Something that only the provider can read, and that it needs back with the next request.
    Opaque(Opaque<'a>),
    /// A tool's result that came with the stream: the provider has executed the call.
    ToolResult(ToolResult<'a>),
    /// A reported call is cancelled: it must not be executed any more, since nobody waits for its result.
    #[non_exhaustive]
    CallCancelled {
        /// The call's number, if the stream has reported the call.
        call: Option<u64>,
        /// The provider's id of the call.
        call_id: Option<&'a str>,
        /// The provider's words about it, as its JSON text: the message, or where it lists several calls, the id.
        json: &'a str,
    },
    /// The origin of something that is said.
    Source(Source<'a>),
    /// A finding of a filter or guardrail of the provider's, be it good or bad.
    #[non_exhaustive]
    ContentFilter {
        /// The index of the answer; 0 where there is only one, or where it is about the prompt.
        choice: u64,
        /// The provider's JSON text.
        json: &'a str,
    },
    /// Token counts: totals so far, not increments. An event has only the counts that came with it, so keep the last of
    /// each; it may come after the stop.
    #[non_exhaustive]
    Usage {
        /// The common counts.
        tokens: TokenUsage,
        /// All of them, as the provider's JSON text.
        json: &'a str,
    },
    /// An answer has ended; `reason` is the provider's own word for why.
    #[non_exhaustive]
    Stop {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// `tool_use`, `stop`, `max_tokens`, …
        reason: &'a str,
        /// The meaning of the reason, whatever the provider calls it.
        kind: StopKind,
        /// The reason of the provider behind a gateway that translates reasons. OpenRouter's `tool_calls` may stand for
        /// `length`; a call that was cut then names the latter.
        native_reason: Option<&'a str>,
        /// The stop sequence of yours that has come, if the provider says so.
        stop_sequence: Option<&'a str>,
    },
    /// The provider's last event has arrived: `message_stop`, `[DONE]`, `response.completed`, `message-end`, … Gemini
    /// sends none, and some servers leave out their `[DONE]`; there, [`Stop`](StreamEvent::Stop) is the last event.
    End,
    /// The stream broke off: it began to answer, and neither stopped, nor ended, nor reported an error. Reported by
    /// [`finish`](crate::ProviderStream::finish).
    #[non_exhaustive]
    Incomplete {
        /// `end-of-input`, or the reason that [`finish`](crate::ProviderStream::finish) was given.
        reason: &'a str,
    },
    /// The provider reports an error: in an event of its own, inside another event, or as the body of an HTTP error
    /// that was pushed as the only event.
    #[non_exhaustive]
    ProviderError {
        /// Its words; the JSON text if it has none.
        message: &'a str,
        /// Its type, as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`.
        kind: Option<&'a str>,
        /// Its code, as the provider spells it, be it a string or a number: `model_not_found`, `400`.
        code: Option<&'a str>,
        /// The chance that the same request succeeds later.
        retry: Retry,
        /// The error as the provider's JSON text, if it is more than a message.
        json: Option<&'a str>,
    },
    /// Data of an application that came with the stream: AG-UI's state and custom events, Vercel's `data-…` parts and
    /// metadata, MCP's notifications.
    #[non_exhaustive]
    Data {
        /// The event's type, or the name of the member that it is.
        kind: &'a str,
        /// Its JSON text.
        json: &'a str,
    },
    /// An event of this provider's, or a part of one, of a kind that is not known. The stream goes on.
    #[non_exhaustive]
    UnknownPart {
        /// Its type, or the name of the member that it is.
        kind: &'a str,
        /// Its JSON text.
        json: &'a str,
    },
    /// An event as it came, before what it means; reported only after
    /// [`with_provider_events`](crate::ProviderStream::with_provider_events).
    #[non_exhaustive]
    ProviderEvent {
        /// The event's JSON text.
        json: &'a str,
    },
    /// Something that another agent than the main one said or did, on a wire that several agents speak on in turn
    /// ([`ClaudeCode`](crate::Provider::ClaudeCode)): `event` is its own event, never one of these. Its calls and blocks are
    /// numbered with all others.
    #[non_exhaustive]
    Agent {
        /// The id of the call that started it; of another session's main agent, the session's id.
        agent: &'a str,
        /// Its event.
        event: &'a StreamEvent<'a>,
    },
    /// A JSON object that is no provider's event, as far as is known. The stream goes on. While the provider is not known
    /// yet, this is reported by [`finish`](crate::ProviderStream::finish).
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

impl StreamEvent<'_> {
    /// Returns true if this is a [`BadFrame`](Self::BadFrame) that can't have been an event, such as a program's notice
    /// between its lines: nothing of an answer is lost with it. What begins with an object, or ends with one, may have been
    /// a fragment.
    #[must_use]
    pub fn is_noise(&self) -> bool {
        let Self::BadFrame { text } = self else { return false };
        let begins = text.trim_start_matches(['\u{feff}', ' ', '\t', '[']).starts_with('{');
        let ends = text.trim_end().ends_with('}') && text.as_bytes().windows(2).any(|pair| pair == b"{\"");
        !begins && !ends
    }

    /// Returns true if this shows that the stream is the provider's that reads it. A stream without such an event is no
    /// answer; several providers' streams end alike.
    #[must_use]
    pub fn means_something(&self) -> bool {
        match self {
            Self::Agent { event, .. } => event.means_something(),
            Self::BadFrame { .. } | Self::Unknown { .. } | Self::UnknownPart { .. } => false,
            event => !matches!(event, Self::ProviderEvent { .. } | Self::End),
        }
    }
}

impl<'a> From<CallEvent<'a>> for StreamEvent<'a> {
    fn from(event: CallEvent<'a>) -> Self {
        Self::Call(event)
    }
}
