//! The events of a provider's stream, each declared once: [`StreamEvent`], and [`OwnedStreamEvent`], which owns its parts.
//! `table.rs` reads the declarations, and `parts.rs` has what several kinds are made of.
//!
//! There are few kinds, and they are the same for every provider. Whatever a kind has no field for is in its `json`: the
//! provider's own JSON, as it was spelt.

#[macro_use]
mod table;

pub(crate) mod media;
mod of_agent;
pub(crate) mod owned;
mod parts;
pub(crate) mod retry;
mod serialize;
pub(crate) mod stop;
pub(crate) mod usage;
pub(crate) mod verdict;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;

use jsonspigot::internal::on_one_line;
use serde::ser::SerializeMap;

pub use self::media::Media;
pub use self::owned::StreamEvents;
pub use self::parts::{Block, BlockKind, MismatchKind, Opaque, OpaqueKind, Source, ToolResult};
pub use self::retry::Retry;
use self::serialize::{Line, Value};
pub use self::stop::StopKind;
pub use self::usage::TokenUsage;
pub use self::verdict::{Unfinished, UnfinishedKind};
use crate::calls::{CallEvent, OwnedCallEvent};
#[cfg(feature = "envelope")]
use crate::envelope::{EnvelopeEvent, OwnedEnvelopeEvent};

stream_events! {
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
    borrowed;

    /// A [`StreamEvent`](crate::StreamEvent) that owns its parts: `'static + Send`, as [`ProviderStream::push`] returns them.
    ///
    /// Values are raw JSON: numbers and escapes as they were spelt, on one line. Serialized, it is the command's line, with
    /// `match` and `offset` added to matches; where a call or a payload starts and ends, `id`, `name` and `choice` are always
    /// written. The command does not print fragments and the end of the stream, which is `{"event":"stream-end"}`.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{OwnedCallEvent, OwnedStreamEvent, Provider, ProviderStream, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&PatternSet::new(["city"])?));
    /// let line = r#"{"message":{"tool_calls":[{"function":{"name":"weather","arguments":{"city":"Paris"}}}]},"done":true}"#;
    /// let (sender, receiver) = std::sync::mpsc::channel::<OwnedStreamEvent>();
    /// for event in stream.push(line) {
    ///     sender.send(event)?; // or `.await`, or `?`
    /// }
    /// let mut received = receiver.try_iter();
    /// let start = serde_json::to_string(&received.next())?;
    /// assert_eq!(start, r#"{"event":"call","call":0,"id":null,"name":"weather","choice":0,"executed":"client"}"#);
    /// let input = received.find_map(|event| match event {
    ///     OwnedStreamEvent::Call(OwnedCallEvent::End { input, .. }) => Some(input),
    ///     _ => None,
    /// });
    /// assert_eq!(input.unwrap().value(), Some(r#"{"city":"Paris"}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`ProviderStream::push`]: crate::ProviderStream::push
    owned;

    /// The provider will execute a call once you have approved it.
    #[non_exhaustive]
    "approval-request" ApprovalRequest {
        /// The id to approve it by, or to refuse it.
        id: text,
        /// The call's number, if the stream has reported the call.
        call: maybe_number,
        /// The request as the provider's JSON text.
        json: json,
    }
    /// A message has started. Where the wire has no such event, it is reported once the first id or model is known.
    #[non_exhaustive]
    "message-start" MessageStart {
        /// The provider's id of the message or response.
        id: maybe_text,
        /// The model that answers.
        model: maybe_text,
    }
    /// A piece of the assistant's text.
    #[non_exhaustive]
    "text" Text {
        /// The piece.
        text: text,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
        /// The number of the [block](Block) it belongs to.
        block: number,
    }
    /// A piece of the assistant's reasoning.
    #[non_exhaustive]
    "reasoning" Reasoning {
        /// The piece.
        text: text,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
        /// The number of the [block](Block) it belongs to.
        block: number,
    }
    /// A piece of a refusal.
    "refusal" Refusal {
        /// The piece.
        text: text,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
    /// The provider repeats something as a whole, and contradicts what was reported of it. Which of the two is right,
    /// nobody can say. The input of a call may be contradicted after it has been reported as complete.
    #[non_exhaustive]
    "mismatch" Mismatch {
        /// The kind of thing that is repeated.
        kind: word(MismatchKind),
        /// The number of its block, if that is still open.
        block: maybe_number,
        /// The number of the call, for arguments.
        call: maybe_number,
        /// The whole, as the provider repeats it.
        text: text,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
    /// A reported call is cancelled: it must not be executed any more, since nobody waits for its result.
    #[non_exhaustive]
    "call-cancelled" CallCancelled {
        /// The call's number, if the stream has reported the call.
        call: maybe_number,
        /// The provider's id of the call.
        call_id: maybe_text as "id",
        /// The provider's words about it, as its JSON text: the message, or where it lists several calls, the id.
        json: json,
    }
    /// A finding of a filter or guardrail of the provider's, be it good or bad.
    #[non_exhaustive]
    "content-filter" ContentFilter {
        /// The provider's JSON text.
        json: json,
        /// The index of the answer; 0 where there is only one, or where it is about the prompt.
        choice: choice,
    }
    /// Token counts: totals so far, not increments. An event has only the counts that came with it, so keep the last of
    /// each; it may come after the stop.
    #[non_exhaustive]
    "usage" Usage {
        /// All of them, as the provider's JSON text.
        json: json,
        /// The common counts.
        tokens: tokens,
    }
    /// An answer has ended; `reason` is the provider's own word for why.
    #[non_exhaustive]
    "stop" Stop {
        /// `tool_use`, `stop`, `max_tokens`, …
        reason: text,
        /// The reason of the provider behind a gateway that translates reasons. OpenRouter's `tool_calls` may stand for
        /// `length`; a call that was cut then names the latter.
        native_reason: maybe_text,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
        /// The meaning of the reason, whatever the provider calls it.
        kind: word(StopKind),
        /// The stop sequence of yours that has come, if the provider says so.
        stop_sequence: maybe_text,
    }
    /// The stream broke off: it began to answer, and neither stopped, nor ended, nor reported an error. Reported by
    /// [`finish`](crate::ProviderStream::finish), or where the wire shows before that that something is missing.
    #[non_exhaustive]
    "incomplete" Incomplete {
        /// `end-of-input`, or the reason that [`finish`](crate::ProviderStream::finish) was given; `not-started` where an
        /// end comes of what never began; otherwise the provider's word for what broke off.
        reason: text,
    }
    /// The provider reports an error: in an event of its own, inside another event, or as the body of an HTTP error
    /// that was pushed as the only event.
    #[non_exhaustive]
    "provider-error" ProviderError {
        /// Its words; the JSON text if it has none.
        message: text,
        /// Its type, as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`.
        kind: maybe_text as "type",
        /// Its code, as the provider spells it, be it a string or a number: `model_not_found`, `400`.
        code: maybe_text,
        /// The chance that the same request succeeds later.
        retry: retry,
        /// The error as the provider's JSON text, if it is more than a message.
        json: maybe_json,
    }
    /// Data of an application that came with the stream: AG-UI's state and custom events, Vercel's `data-…` parts and
    /// metadata, MCP's notifications.
    #[non_exhaustive]
    "data" Data {
        /// The event's type, or the name of the member that it is.
        kind: text,
        /// Its JSON text.
        json: json,
    }
    /// An event of this provider's, or a part of one, of a kind that is not known. The stream goes on.
    #[non_exhaustive]
    "unknown-part" UnknownPart {
        /// Its type, or the name of the member that it is.
        kind: text,
        /// Its JSON text.
        json: json,
    }
    /// An event as it came, before what it means; reported only after
    /// [`with_provider_events`](crate::ProviderStream::with_provider_events).
    #[non_exhaustive]
    "provider-event" ProviderEvent {
        /// The event's JSON text.
        json: json,
    }
    /// A JSON object that is no provider's event, as far as is known. The stream goes on. While the provider is not known
    /// yet, this is reported by [`finish`](crate::ProviderStream::finish).
    "unknown-event" Unknown {
        /// The object's JSON text.
        text: text,
    }
    /// A frame that is not a JSON object; the stream goes on.
    "bad-frame" BadFrame {
        /// The frame.
        text: text,
    }

    made of types:

    /// A block of text or reasoning has started.
    "block-start" BlockStart(Block) {
        /// The block's number.
        block = number: number,
        /// The kind of its content.
        kind: word(BlockKind),
        /// The provider's id.
        id: maybe_text,
        /// The part of the answer that it is.
        phase: maybe_text,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
    /// A block of text or reasoning has ended. Nothing more is reported of it.
    "block-end" BlockEnd(Block) {
        /// The block's number.
        block = number: number,
        /// The kind of its content.
        kind: word(BlockKind),
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
    /// An image, sound or document that is part of the answer.
    "media" Media(Media) {
        /// The type.
        media_type: maybe_text,
        /// The bytes in base64.
        data: maybe_text,
        /// The address at which it can be fetched.
        url: maybe_text,
        /// The number of its block.
        block: maybe_number,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
    /// Something that only the provider can read, and that it needs back with the next request.
    "opaque" Opaque(Opaque) {
        /// The kind of content.
        kind: word(OpaqueKind),
        /// The number of its block.
        block: maybe_number,
        /// The number of its call.
        call: maybe_number,
        /// The provider's JSON text.
        json: json,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
    /// A tool's result that came with the stream: the provider has executed the call.
    "tool-result" ToolResult(ToolResult) {
        /// The call's number.
        call: maybe_number,
        /// The provider's id of the call.
        call_id: maybe_text as "id",
        /// True if the tool has failed.
        is_error: flag,
        /// The provider's JSON text.
        json: json,
    }
    /// The origin of something that is said.
    "source" Source(Source) {
        /// The address.
        url: maybe_text,
        /// The title.
        title: maybe_text,
        /// The text that is quoted.
        quote: maybe_text,
        /// The part that it applies to.
        span: span,
        /// The number of its block.
        block: maybe_number,
        /// The provider's JSON text.
        json: json,
        /// The index of the answer; 0 where there is only one.
        choice: choice,
    }
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
