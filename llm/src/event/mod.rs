//! The events of a provider's stream: [`StreamEvent`], and the parts that several of its kinds share.
//!
//! There are few kinds, and they are the same for every provider. Whatever a kind has no field for is in its `json`: the
//! provider's own JSON, as it was spelt.
//!
//! The module's page has a table of them.

pub(crate) mod media;
mod of_agent;
pub(crate) mod owned;
pub(crate) mod retry;
mod serialize;
pub(crate) mod stop;
pub(crate) mod usage;
pub(crate) mod verdict;

use jsonspigot::internal::names;

pub use self::media::Media;
pub use self::owned::{OwnedStreamEvent, StreamEvents};
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
    /// Something that a sub-agent said or did, on a wire that several agents speak on in turn
    /// ([`ClaudeCode`](crate::Provider::ClaudeCode)): `event` is its own event, never one of these. Its calls and blocks are
    /// numbered with all others.
    #[non_exhaustive]
    Agent {
        /// The id of the call that started it.
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

impl<'a> From<CallEvent<'a>> for StreamEvent<'a> {
    fn from(event: CallEvent<'a>) -> Self {
        Self::Call(event)
    }
}

/// A block of text or reasoning: what a provider calls a content block, a part, or an item.
///
/// Blocks are counted from 0 as they start, over the whole stream. Where the wire has no blocks, each run of text or
/// reasoning is one: it ends where the other kind or a call begins.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{BlockKind, Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&PatternSet::empty()));
/// let mut shown = String::new();
/// for line in [
///     r#"{"message":{"thinking":"Hm."},"done":false}"#,
///     r#"{"message":{"content":"Hel"},"done":false}"#,
///     r#"{"message":{"content":"lo"},"done":true,"done_reason":"stop"}"#,
/// ] {
///     stream.push_with(line, |event| match event {
///         StreamEvent::BlockStart(block) if block.kind == BlockKind::Reasoning => shown.push_str("<em>"),
///         StreamEvent::BlockEnd(block) if block.kind == BlockKind::Reasoning => shown.push_str("</em>"),
///         StreamEvent::Text { text, .. } | StreamEvent::Reasoning { text, .. } => shown.push_str(text),
///         _ => {}
///     });
/// }
/// assert_eq!(shown, "<em>Hm.</em>Hello");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block<'a> {
    /// Its number.
    pub number: u64,
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The kind of its content.
    pub kind: BlockKind,
    /// The provider's id of it or of the item around it. Reported at its start only.
    pub id: Option<&'a str>,
    /// The part of the answer that it is, in the provider's word: `commentary`, `final_answer`. Reported at its start
    /// only.
    pub phase: Option<&'a str>,
}

/// The kind of content of a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// The assistant's text.
    Text,
    /// The assistant's reasoning, be it readable or not.
    Reasoning,
}

names!(BlockKind {
    Text => "text",
    Reasoning => "reasoning",
});

/// Something that only the provider can read, and that it needs back with the next request, in the place where it stood.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::new(&PatternSet::empty()));
/// let mut signatures = Vec::new();
/// for event in [
///     r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm."}}"#,
///     r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
/// ] {
///     stream.push_with(event, |event| {
///         if let StreamEvent::Opaque(opaque) = event {
///             signatures.push((opaque.block, opaque.json.to_owned()));
///         }
///     });
/// }
/// assert_eq!(signatures, [(Some(0), r#""EqQB""#.to_owned())]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opaque<'a> {
    /// The kind of content.
    pub kind: OpaqueKind,
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The number of the block it belongs to, if it belongs to one.
    pub block: Option<u64>,
    /// The number of the call it belongs to, if it belongs to one.
    pub call: Option<u64>,
    /// The provider's JSON text.
    pub json: &'a str,
}

/// The kind of content of an [`Opaque`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpaqueKind {
    /// The signature of reasoning, text or a call: a string.
    Signature,
    /// Reasoning that only the provider can read, in place of the text: a string, or the object around it.
    Encrypted,
    /// The container that the provider has run code in.
    Container,
    /// The provider's summary of the conversation so far, to go on with in its place.
    Compaction,
}

names!(OpaqueKind {
    Signature => "signature",
    Encrypted => "encrypted",
    Container => "container",
    Compaction => "compaction",
});

/// A tool's result that came with the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult<'a> {
    /// The number of the call, if the stream has reported the call.
    pub call: Option<u64>,
    /// The provider's id of the call.
    pub call_id: Option<&'a str>,
    /// True if the tool has failed, as far as the provider says so.
    pub is_error: bool,
    /// The result, with what stands around it, as the provider's JSON text.
    pub json: &'a str,
}

/// The subject of a [`Mismatch`](crate::StreamEvent::Mismatch).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The assistant's text.
    Text,
    /// The assistant's reasoning.
    Reasoning,
    /// A refusal.
    Refusal,
    /// The input of a call.
    Arguments,
}

impl MismatchKind {
    /// The name in lower case, as the command line prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Refusal => "refusal",
            Self::Arguments => "arguments",
        }
    }
}

/// The origin of something that is said: a citation, an annotation, a page that a search found.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::VercelUi, ToolCalls::new(&PatternSet::empty()));
/// let mut links = Vec::new();
/// stream.push_with(r#"{"type":"source-url","sourceId":"1","url":"https://example.com","title":"Example"}"#, |event| {
///     if let StreamEvent::Source(source) = event {
///         links.push((source.title.unwrap().to_owned(), source.url.unwrap().to_owned()));
///     }
/// });
/// assert_eq!(links, [("Example".to_owned(), "https://example.com".to_owned())]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source<'a> {
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The number of the block it belongs to, if that is known.
    pub block: Option<u64>,
    /// The address.
    pub url: Option<&'a str>,
    /// The title, or a file's name.
    pub title: Option<&'a str>,
    /// The text that is quoted from it.
    pub quote: Option<&'a str>,
    /// The part of the answer or, if the JSON says so, of the source that it applies to: start and end, in whatever the
    /// provider counts.
    pub span: Option<(u64, u64)>,
    /// All that the provider says of it, as its JSON text.
    pub json: &'a str,
}

impl Source<'_> {
    /// The same, known to belong to a block.
    pub(crate) fn in_block(self, block: Option<u64>) -> Self {
        Self { block, ..self }
    }
}
