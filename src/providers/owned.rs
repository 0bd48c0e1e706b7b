//! Events of a stream that own their parts: for `?`, `.await`, channels and logs.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::event::StreamEvent;
use crate::error::Error;
use crate::event::{OwnedEvent, RawJson, on_one_line};
use crate::parser::Parser;
use crate::pattern::PatternSet;
use crate::payload::PayloadStatus;
use crate::tool_calls::{CallError, CallEvent};

/// A [`StreamEvent`] that owns its parts: `'static + Send`, as [`ProviderStream::push_events`] gives them.
///
/// A call's events are flattened, and values are raw JSON: numbers and escapes as they were spelt, on one line.
/// Serialized, it has the shape of the command's lines, with `match` and `offset` added to matches, and `choice` and
/// absent values (`null`) always written. The command does not print fragments and the end of the stream, which is
/// `{"event":"stream-end"}`.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot::providers::{OwnedStreamEvent, Provider, ProviderStream};
/// use jsonspigot::tool_calls::ToolCalls;
///
/// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&PatternSet::new(["city"])?));
/// let line = r#"{"message":{"tool_calls":[{"function":{"name":"weather","arguments":{"city":"Paris"}}}]},"done":true}"#;
/// let (sender, receiver) = std::sync::mpsc::channel::<OwnedStreamEvent>();
/// for event in stream.push_events(line) {
///     sender.send(event)?; // or `.await`, or `?`
/// }
/// let mut told = receiver.try_iter();
/// let start = serde_json::to_string(&told.next())?;
/// assert_eq!(start, r#"{"event":"call","call":0,"id":null,"name":"weather","choice":0}"#);
/// assert!(told.any(|event| matches!(event, OwnedStreamEvent::CallEnd { value: Some(json), .. } if json == r#"{"city":"Paris"}"#)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ProviderStream::push_events`]: super::ProviderStream::push_events
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedStreamEvent {
    /// [`CallEvent::Start`].
    #[non_exhaustive]
    CallStart {
        /// The call's number.
        call: u64,
        /// The provider's id.
        id: Option<String>,
        /// The tool's name.
        name: Option<String>,
        /// Which of several answers it belongs to; 0 where there is one.
        choice: u64,
    },
    /// [`CallEvent::Fragment`].
    #[non_exhaustive]
    Fragment {
        /// The call's number.
        call: u64,
        /// The piece.
        text: String,
    },
    /// [`CallEvent::Match`].
    #[non_exhaustive]
    Match {
        /// The call's number.
        call: u64,
        /// The tool's name, as far as it is known.
        name: Option<String>,
        /// The parser's event.
        event: OwnedEvent,
    },
    /// [`CallEvent::End`].
    #[non_exhaustive]
    CallEnd {
        /// The call's number.
        call: u64,
        /// The provider's id.
        id: Option<String>,
        /// The tool's name.
        name: Option<String>,
        /// The [status](crate::PayloadStatus)'s name: `complete`, `empty`, `truncated`, `malformed`, `trailing`, `raw`.
        status: &'static str,
        /// Why it was truncated, if it was.
        reason: Option<String>,
        /// The value's JSON text, if it is complete or empty.
        value: Option<String>,
        /// The text as it came.
        raw: String,
        /// What is wrong with the JSON.
        error: Option<Error>,
    },
    /// [`CallEvent::Error`].
    CallError(CallError),
    /// [`StreamEvent::Text`].
    #[non_exhaustive]
    Text {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: String,
    },
    /// [`StreamEvent::Reasoning`].
    #[non_exhaustive]
    Reasoning {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: String,
    },
    /// [`StreamEvent::Refusal`].
    #[non_exhaustive]
    Refusal {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: String,
    },
    /// [`StreamEvent::Usage`].
    #[non_exhaustive]
    Usage {
        /// The provider's JSON text. Serialized, it is a string if it is not JSON by the library's own rules.
        json: String,
    },
    /// [`StreamEvent::Stop`].
    #[non_exhaustive]
    Stop {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The provider's word.
        reason: String,
        /// The word of the provider behind a gateway.
        native_reason: Option<String>,
    },
    /// [`StreamEvent::End`].
    End,
    /// [`StreamEvent::ProviderError`].
    #[non_exhaustive]
    ProviderError {
        /// Its words; the JSON text if it has none.
        message: String,
        /// Its type, as the provider spells it.
        kind: Option<String>,
        /// Its code, as the provider spells it.
        code: Option<String>,
    },
    /// [`StreamEvent::Unknown`].
    #[non_exhaustive]
    Unknown {
        /// The object's JSON text.
        text: String,
    },
    /// [`StreamEvent::BadFrame`].
    #[non_exhaustive]
    BadFrame {
        /// The frame.
        text: String,
    },
}

impl StreamEvent<'_> {
    /// A copy that can be kept, sent to another thread, and serialized. The cost is that of copying the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedStreamEvent {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match *self {
            Self::Call(CallEvent::Start(call)) => OwnedStreamEvent::CallStart {
                call: call.number,
                id: owned(call.id),
                name: owned(call.name),
                choice: call.choice,
            },
            Self::Call(CallEvent::Fragment { call, text }) => {
                OwnedStreamEvent::Fragment { call: call.number, text: text.to_owned() }
            }
            Self::Call(CallEvent::Match { call, event }) => {
                OwnedStreamEvent::Match { call: call.number, name: owned(call.name), event: event.to_owned() }
            }
            Self::Call(CallEvent::End { call, input }) => OwnedStreamEvent::CallEnd {
                call: call.number,
                id: owned(call.id),
                name: owned(call.name),
                status: input.status().name(),
                reason: match input.status() {
                    PayloadStatus::Truncated { reason } => Some(reason.to_owned()),
                    _ => None,
                },
                value: input.value().map(|value| value.to_string()),
                raw: input.raw().to_owned(),
                error: input.error().cloned(),
            },
            Self::Call(CallEvent::Error(error)) => OwnedStreamEvent::CallError(error),
            Self::Text { choice, text } => OwnedStreamEvent::Text { choice, text: text.to_owned() },
            Self::Reasoning { choice, text } => OwnedStreamEvent::Reasoning { choice, text: text.to_owned() },
            Self::Refusal { choice, text } => OwnedStreamEvent::Refusal { choice, text: text.to_owned() },
            Self::Usage { json } => OwnedStreamEvent::Usage { json: on_one_line(json) },
            Self::Stop { choice, reason, native_reason } => {
                OwnedStreamEvent::Stop { choice, reason: reason.to_owned(), native_reason: owned(native_reason) }
            }
            Self::End => OwnedStreamEvent::End,
            Self::ProviderError { message, kind, code } => {
                OwnedStreamEvent::ProviderError { message: message.to_owned(), kind: owned(kind), code: owned(code) }
            }
            Self::Unknown { text } => OwnedStreamEvent::Unknown { text: text.to_owned() },
            Self::BadFrame { text } => OwnedStreamEvent::BadFrame { text: text.to_owned() },
        }
    }
}

impl Serialize for OwnedStreamEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Match { call, event, .. } = self {
            return event.serialize_of_call(*call, serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", self.name())?;
        match self {
            Self::CallStart { call, id, name, choice } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Fragment { call, text } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("text", text)?;
            }
            Self::CallEnd { call, id, name, status, reason, value, raw, error } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("status", status)?;
                match value {
                    Some(value) => map.serialize_entry("value", &RawJson(value))?,
                    None => map.serialize_entry("raw", raw)?,
                }
                if error.is_some() || reason.is_some() {
                    map.serialize_entry("error", &Wrong { error: error.as_ref(), reason: reason.as_deref() })?;
                }
            }
            Self::CallError(error) => {
                map.serialize_entry("call", &error.call())?;
                map.serialize_entry("kind", error.kind().name())?;
            }
            Self::Text { choice, text } | Self::Reasoning { choice, text } | Self::Refusal { choice, text } => {
                map.serialize_entry("text", text)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Usage { json } if is_strict(json) => map.serialize_entry("value", &RawJson(json))?,
            // Half a surrogate pair, or too many levels: as a value it would make the whole line unreadable.
            Self::Usage { json } => map.serialize_entry("value", json)?,
            Self::Stop { choice, reason, native_reason } => {
                map.serialize_entry("reason", reason)?;
                map.serialize_entry("native_reason", native_reason)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::ProviderError { message, kind, code } => {
                map.serialize_entry("message", message)?;
                map.serialize_entry("type", kind)?;
                map.serialize_entry("code", code)?;
            }
            Self::Unknown { text } | Self::BadFrame { text } => map.serialize_entry("text", text)?,
            Self::End | Self::Match { .. } => {}
        }
        map.end()
    }
}

impl OwnedStreamEvent {
    /// The event's name, as the command line prints it.
    fn name(&self) -> &'static str {
        match self {
            Self::CallStart { .. } => "call",
            Self::Fragment { .. } => "fragment",
            Self::Match { .. } => "match",
            Self::CallEnd { .. } => "input",
            Self::CallError(_) => "call-error",
            Self::Text { .. } => "text",
            Self::Reasoning { .. } => "reasoning",
            Self::Refusal { .. } => "refusal",
            Self::Usage { .. } => "usage",
            Self::Stop { .. } => "stop",
            Self::End => "stream-end",
            Self::ProviderError { .. } => "provider-error",
            Self::Unknown { .. } => "unknown-event",
            Self::BadFrame { .. } => "bad-frame",
        }
    }
}

/// Whether a provider's JSON text is one that a parser takes.
fn is_strict(json: &str) -> bool {
    let mut parser = Parser::new(&PatternSet::empty());
    parser.feed_with(json, |_| {}).and_then(|()| parser.finish_with(|_| {})).is_ok()
}

/// What is wrong with an input, and why it was cut.
struct Wrong<'a> {
    error: Option<&'a Error>,
    reason: Option<&'a str>,
}

impl Serialize for Wrong<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.error {
            Some(error) => {
                map.serialize_entry("kind", error.kind().name())?;
                map.serialize_entry("offset", &error.offset())?;
                map.serialize_entry("line", &error.line())?;
                map.serialize_entry("column", &error.column())?;
                map.serialize_entry("path", error.path())?;
            }
            // Nothing is wrong with what has arrived, or nothing has arrived.
            None => map.serialize_entry("kind", "incomplete")?,
        }
        if let Some(reason) = self.reason {
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}
