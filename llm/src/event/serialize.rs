//! The shape in which owned events of a stream are written: that of the command's lines.

use jsonspigot::internal::{Inside, RawJson};
use jsonspigot::{Parser, PatternSet};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::of_agent::OfAgent;
use super::owned::OwnedStreamEvent;

impl Serialize for OwnedStreamEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Agent { agent, event } => event.serialize_own(OfAgent { serializer, agent }),
            event => event.serialize_own(serializer),
        }
    }
}

impl OwnedStreamEvent {
    /// Writes an event that is nobody else's: inside a sub-agent's there is no other, so that this ends for the compiler too.
    fn serialize_own<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Call(event) => return event.serialize(serializer),
            #[cfg(feature = "envelope")]
            Self::Payload { choice, block, event } => return event.serialize_in(Some((*choice, *block)), serializer),
            _ => {}
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", self.name())?;
        match self {
            Self::ApprovalRequest { id, call, json } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("call", call)?;
                map.serialize_entry("value", &Value(json))?;
            }
            Self::MessageStart { id, model } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("model", model)?;
            }
            Self::BlockStart { block, kind, id, phase, choice } => {
                map.serialize_entry("block", block)?;
                map.serialize_entry("kind", kind.name())?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("phase", phase)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::BlockEnd { block, kind, choice } => {
                map.serialize_entry("block", block)?;
                map.serialize_entry("kind", kind.name())?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Text { choice, block, text } | Self::Reasoning { choice, block, text } => {
                map.serialize_entry("text", text)?;
                map.serialize_entry("choice", choice)?;
                map.serialize_entry("block", block)?;
            }
            Self::Refusal { choice, text } => {
                map.serialize_entry("text", text)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Media { choice, block, media_type, data, url } => {
                map.serialize_entry("media_type", media_type)?;
                map.serialize_entry("data", data)?;
                map.serialize_entry("url", url)?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Mismatch { kind, choice, block, call, text } => {
                map.serialize_entry("kind", kind.name())?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("call", call)?;
                map.serialize_entry("text", text)?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Data { kind, json } | Self::UnknownPart { kind, json } => {
                map.serialize_entry("kind", kind)?;
                map.serialize_entry("value", &Value(json))?;
            }
            Self::ProviderEvent { json } => map.serialize_entry("value", &Value(json))?,
            Self::Opaque { kind, choice, block, call, json } => {
                map.serialize_entry("kind", kind.name())?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("call", call)?;
                map.serialize_entry("value", &Value(json))?;
                map.serialize_entry("choice", choice)?;
            }
            Self::ToolResult { call, call_id, is_error, json } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("id", call_id)?;
                map.serialize_entry("is_error", is_error)?;
                map.serialize_entry("value", &Value(json))?;
            }
            Self::CallCancelled { call, call_id, json } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("id", call_id)?;
                map.serialize_entry("value", &Value(json))?;
            }
            Self::Source { choice, block, url, title, quote, span, json } => {
                map.serialize_entry("url", url)?;
                map.serialize_entry("title", title)?;
                map.serialize_entry("quote", quote)?;
                map.serialize_entry("span", span)?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("value", &Value(json))?;
                map.serialize_entry("choice", choice)?;
            }
            Self::ContentFilter { choice, json } => {
                map.serialize_entry("value", &Value(json))?;
                map.serialize_entry("choice", choice)?;
            }
            Self::Usage { tokens, json } => {
                map.serialize_entry("value", &Value(json))?;
                map.serialize_entry("input", &tokens.input)?;
                map.serialize_entry("output", &tokens.output)?;
                map.serialize_entry("cached", &tokens.cached)?;
                map.serialize_entry("reasoning", &tokens.reasoning)?;
            }
            Self::Stop { choice, reason, kind, native_reason, stop_sequence } => {
                map.serialize_entry("reason", reason)?;
                map.serialize_entry("native_reason", native_reason)?;
                map.serialize_entry("choice", choice)?;
                map.serialize_entry("kind", kind.name())?;
                map.serialize_entry("stop_sequence", stop_sequence)?;
            }
            Self::Incomplete { reason } => map.serialize_entry("reason", reason)?,
            Self::ProviderError { message, kind, code, retry, json } => {
                map.serialize_entry("message", message)?;
                map.serialize_entry("type", kind)?;
                map.serialize_entry("code", code)?;
                map.serialize_entry("retry", &retry.name())?;
                map.serialize_entry("retry_after_ms", &retry.after_ms())?;
                map.serialize_entry("value", &json.as_deref().map(Value))?;
            }
            Self::Unknown { text } | Self::BadFrame { text } => map.serialize_entry("text", text)?,
            Self::End | Self::Call(_) | Self::Agent { .. } => {}
            #[cfg(feature = "envelope")]
            Self::Payload { .. } => {}
        }
        map.end()
    }

    /// The event's name, as the command line prints it.
    fn name(&self) -> &'static str {
        match self {
            // These have names of their own.
            Self::Call(_) => "call",
            Self::Agent { event, .. } => event.name(),
            #[cfg(feature = "envelope")]
            Self::Payload { .. } => "payload",
            Self::ApprovalRequest { .. } => "approval-request",
            Self::MessageStart { .. } => "message-start",
            Self::BlockStart { .. } => "block-start",
            Self::BlockEnd { .. } => "block-end",
            Self::Media { .. } => "media",
            Self::Mismatch { .. } => "mismatch",
            Self::Data { .. } => "data",
            Self::UnknownPart { .. } => "unknown-part",
            Self::ProviderEvent { .. } => "provider-event",
            Self::Opaque { .. } => "opaque",
            Self::ToolResult { .. } => "tool-result",
            Self::CallCancelled { .. } => "call-cancelled",
            Self::Source { .. } => "source",
            Self::ContentFilter { .. } => "content-filter",
            Self::Incomplete { .. } => "incomplete",
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

/// Returns true if a provider's JSON text is one that a parser takes.
fn is_strict(json: &str) -> bool {
    let mut parser = Parser::new(&PatternSet::empty());
    parser.feed_dyn(json.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {})).is_ok()
}

/// A provider's JSON text as a value: as a string if it has half a surrogate pair or too many levels, which would make
/// the whole line unreadable.
struct Value<'a>(&'a str);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if is_strict(self.0) { RawJson(self.0).serialize(serializer) } else { serializer.serialize_str(self.0) }
    }
}
