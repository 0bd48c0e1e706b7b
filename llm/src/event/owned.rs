//! Events of a stream that own their parts: for `?`, `.await`, channels and logs.

mod copies;

use alloc::boxed::Box;
use alloc::string::String;

use jsonspigot::internal::owned_events;

use super::retry::Retry;
use super::stop::StopKind;
use super::usage::TokenUsage;
use super::verdict::Unfinished;
use super::{BlockKind, MismatchKind, OpaqueKind};
use crate::calls::OwnedCallEvent;
#[cfg(feature = "envelope")]
use crate::envelope::OwnedEnvelopeEvent;

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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedStreamEvent {
    /// [`StreamEvent::Call`](crate::StreamEvent::Call).
    Call(OwnedCallEvent),
    /// [`StreamEvent::Payload`](crate::StreamEvent::Payload).
    #[cfg(feature = "envelope")]
    #[non_exhaustive]
    Payload {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The number of its block.
        block: u64,
        /// Its begin, a match or a piece in it, or its end.
        event: OwnedEnvelopeEvent,
    },
    /// [`StreamEvent::ApprovalRequest`](crate::StreamEvent::ApprovalRequest).
    #[non_exhaustive]
    ApprovalRequest {
        /// The id to approve it by.
        id: String,
        /// The call's number.
        call: Option<u64>,
        /// The provider's JSON text.
        json: String,
    },
    /// [`StreamEvent::MessageStart`](crate::StreamEvent::MessageStart).
    #[non_exhaustive]
    MessageStart {
        /// The provider's id.
        id: Option<String>,
        /// The model.
        model: Option<String>,
    },
    /// [`StreamEvent::BlockStart`](crate::StreamEvent::BlockStart).
    #[non_exhaustive]
    BlockStart {
        /// The block's number.
        block: u64,
        /// The kind of its content.
        kind: BlockKind,
        /// The provider's id.
        id: Option<String>,
        /// The part of the answer that it is.
        phase: Option<String>,
        /// The index of the answer; 0 where there is only one.
        choice: u64,
    },
    /// [`StreamEvent::BlockEnd`](crate::StreamEvent::BlockEnd).
    #[non_exhaustive]
    BlockEnd {
        /// The block's number.
        block: u64,
        /// The kind of its content.
        kind: BlockKind,
        /// The index of the answer; 0 where there is only one.
        choice: u64,
    },
    /// [`StreamEvent::Text`](crate::StreamEvent::Text).
    #[non_exhaustive]
    Text {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block.
        block: u64,
        /// The piece.
        text: String,
    },
    /// [`StreamEvent::Reasoning`](crate::StreamEvent::Reasoning).
    #[non_exhaustive]
    Reasoning {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block.
        block: u64,
        /// The piece.
        text: String,
    },
    /// [`StreamEvent::Refusal`](crate::StreamEvent::Refusal).
    #[non_exhaustive]
    Refusal {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The piece.
        text: String,
    },
    /// [`StreamEvent::Media`](crate::StreamEvent::Media).
    #[non_exhaustive]
    Media {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block.
        block: Option<u64>,
        /// The type.
        media_type: Option<String>,
        /// The bytes in base64.
        data: Option<String>,
        /// The address at which it can be fetched.
        url: Option<String>,
    },
    /// [`StreamEvent::Mismatch`](crate::StreamEvent::Mismatch).
    #[non_exhaustive]
    Mismatch {
        /// The kind of thing that is repeated.
        kind: MismatchKind,
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block.
        block: Option<u64>,
        /// The call's number.
        call: Option<u64>,
        /// The whole.
        text: String,
    },
    /// [`StreamEvent::Opaque`](crate::StreamEvent::Opaque).
    #[non_exhaustive]
    Opaque {
        /// The kind of content.
        kind: OpaqueKind,
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block.
        block: Option<u64>,
        /// The number of its call.
        call: Option<u64>,
        /// The provider's JSON text.
        json: String,
    },
    /// [`StreamEvent::ToolResult`](crate::StreamEvent::ToolResult).
    #[non_exhaustive]
    ToolResult {
        /// The call's number.
        call: Option<u64>,
        /// The provider's id of the call.
        call_id: Option<String>,
        /// True if the tool has failed.
        is_error: bool,
        /// The provider's JSON text.
        json: String,
    },
    /// [`StreamEvent::CallCancelled`](crate::StreamEvent::CallCancelled).
    #[non_exhaustive]
    CallCancelled {
        /// The call's number.
        call: Option<u64>,
        /// The provider's id of the call.
        call_id: Option<String>,
        /// The provider's JSON text.
        json: String,
    },
    /// [`StreamEvent::Source`](crate::StreamEvent::Source).
    #[non_exhaustive]
    Source {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The number of its block.
        block: Option<u64>,
        /// The address.
        url: Option<String>,
        /// The title.
        title: Option<String>,
        /// The text that is quoted.
        quote: Option<String>,
        /// The part that it applies to.
        span: Option<(u64, u64)>,
        /// The provider's JSON text.
        json: String,
    },
    /// [`StreamEvent::ContentFilter`](crate::StreamEvent::ContentFilter).
    #[non_exhaustive]
    ContentFilter {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The provider's JSON text.
        json: String,
    },
    /// [`StreamEvent::Usage`](crate::StreamEvent::Usage).
    #[non_exhaustive]
    Usage {
        /// The common counts.
        tokens: TokenUsage,
        /// The provider's JSON text. Serialized, it is a string if it is not JSON by the library's own rules.
        json: String,
    },
    /// [`StreamEvent::Stop`](crate::StreamEvent::Stop).
    #[non_exhaustive]
    Stop {
        /// The index of the answer; 0 where there is only one.
        choice: u64,
        /// The provider's word.
        reason: String,
        /// The meaning of the reason.
        kind: StopKind,
        /// The word of the provider behind a gateway.
        native_reason: Option<String>,
        /// The stop sequence of yours that has come.
        stop_sequence: Option<String>,
    },
    /// [`StreamEvent::End`](crate::StreamEvent::End).
    End,
    /// [`StreamEvent::Incomplete`](crate::StreamEvent::Incomplete).
    #[non_exhaustive]
    Incomplete {
        /// The reason.
        reason: String,
    },
    /// [`StreamEvent::ProviderError`](crate::StreamEvent::ProviderError).
    #[non_exhaustive]
    ProviderError {
        /// Its words; the JSON text if it has none.
        message: String,
        /// Its type, as the provider spells it.
        kind: Option<String>,
        /// Its code, as the provider spells it.
        code: Option<String>,
        /// The chance that the same request succeeds later.
        retry: Retry,
        /// The error's own JSON text.
        json: Option<String>,
    },
    /// [`StreamEvent::Data`](crate::StreamEvent::Data).
    #[non_exhaustive]
    Data {
        /// The event's type.
        kind: String,
        /// The event's JSON text.
        json: String,
    },
    /// [`StreamEvent::UnknownPart`](crate::StreamEvent::UnknownPart).
    #[non_exhaustive]
    UnknownPart {
        /// Its type, or the name of the member that it is.
        kind: String,
        /// Its JSON text.
        json: String,
    },
    /// [`StreamEvent::ProviderEvent`](crate::StreamEvent::ProviderEvent).
    #[non_exhaustive]
    ProviderEvent {
        /// The event's JSON text.
        json: String,
    },
    /// [`StreamEvent::Agent`](crate::StreamEvent::Agent).
    #[non_exhaustive]
    Agent {
        /// The id of the call that started it.
        agent: String,
        /// Its event.
        event: Box<OwnedStreamEvent>,
    },
    /// [`StreamEvent::Unknown`](crate::StreamEvent::Unknown).
    #[non_exhaustive]
    Unknown {
        /// The object's JSON text.
        text: String,
    },
    /// [`StreamEvent::BadFrame`](crate::StreamEvent::BadFrame).
    #[non_exhaustive]
    BadFrame {
        /// The frame.
        text: String,
    },
}

owned_events! {
    /// The events of one push, in order: what [`ProviderStream::push`](crate::ProviderStream::push) and
    /// [`ProviderStream::finish`](crate::ProviderStream::finish) return. What was pushed has been read when this is made,
    /// and nothing is borrowed.
    StreamEvents of OwnedStreamEvent, verdict: Result<(), Unfinished>
}

impl StreamEvents {
    /// Returns the verdict on the stream so far, for callers who need none of the events. Those of
    /// [`finish`](crate::ProviderStream::finish) return the stream's [`verdict`](crate::ProviderStream::verdict).
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls, UnfinishedKind};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&PatternSet::empty()));
    /// stream.push(r#"{"message":{"content":"Hel"},"done":false}"#).check()?;
    /// assert_eq!(stream.finish(None).check().unwrap_err().kind(), UnfinishedKind::Incomplete);
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, whether or not it is among the events that are left.
    pub fn check(self) -> Result<(), Unfinished> {
        self.verdict
    }
}
