//! The shape in which events of a stream are written, here and by the command: the members, their order, and which of them
//! are left out.

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
        let mut line = Line(serializer.serialize_map(None)?);
        line.put("event", self.name())?;
        match self {
            Self::ApprovalRequest { id, call, json } => line.put("id", id)?.some("call", call)?.value(json)?,
            Self::MessageStart { id, model } => line.some("id", id)?.some("model", model)?,
            Self::BlockStart { block, kind, id, phase, choice } => {
                line.put("block", block)?.put("kind", kind.name())?;
                line.some("id", id)?.some("phase", phase)?.choice(*choice)?
            }
            Self::BlockEnd { block, kind, choice } => {
                line.put("block", block)?.put("kind", kind.name())?.choice(*choice)?
            }
            Self::Text { choice, block, text } | Self::Reasoning { choice, block, text } => {
                line.put("text", text)?.choice(*choice)?.put("block", block)?
            }
            Self::Refusal { choice, text } => line.put("text", text)?.choice(*choice)?,
            Self::Media { choice, block, media_type, data, url } => {
                line.some("media_type", media_type)?.some("data", data)?.some("url", url)?;
                line.some("block", block)?.choice(*choice)?
            }
            Self::Mismatch { kind, choice, block, call, text } => {
                line.put("kind", kind.name())?.some("block", block)?.some("call", call)?;
                line.put("text", text)?.choice(*choice)?
            }
            Self::Data { kind, json } | Self::UnknownPart { kind, json } => line.put("kind", kind)?.value(json)?,
            Self::ProviderEvent { json } => line.value(json)?,
            Self::Opaque { kind, choice, block, call, json } => {
                line.put("kind", kind.name())?.some("block", block)?.some("call", call)?;
                line.value(json)?.choice(*choice)?
            }
            Self::ToolResult { call, call_id, is_error, json } => {
                line.some("call", call)?.some("id", call_id)?;
                line.some("is_error", &is_error.then_some(true))?.value(json)?
            }
            Self::CallCancelled { call, call_id, json } => line.some("call", call)?.some("id", call_id)?.value(json)?,
            Self::Source { choice, block, url, title, quote, span, json } => {
                line.some("url", url)?.some("title", title)?.some("quote", quote)?.some("span", span)?;
                line.some("block", block)?.value(json)?.choice(*choice)?
            }
            Self::ContentFilter { choice, json } => line.value(json)?.choice(*choice)?,
            Self::Usage { tokens, json } => {
                line.value(json)?.some("input", &tokens.input)?.some("output", &tokens.output)?;
                line.some("cached", &tokens.cached)?.some("reasoning", &tokens.reasoning)?
            }
            Self::Stop { choice, reason, kind, native_reason, stop_sequence } => {
                line.put("reason", reason)?.some("native_reason", native_reason)?.choice(*choice)?;
                line.put("kind", kind.name())?.some("stop_sequence", stop_sequence)?
            }
            Self::Incomplete { reason } => line.put("reason", reason)?,
            Self::ProviderError { message, kind, code, retry, json } => {
                line.put("message", message)?.some("type", kind)?.some("code", code)?;
                line.some("retry", &retry.name())?.some("retry_after_ms", &retry.after_ms())?;
                line.some("value", &json.as_deref().map(Value))?
            }
            Self::Unknown { text } | Self::BadFrame { text } => line.put("text", text)?,
            Self::End | Self::Call(_) | Self::Agent { .. } => &mut line,
            #[cfg(feature = "envelope")]
            Self::Payload { .. } => &mut line,
        };
        line.0.end()
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

/// The members of a line.
struct Line<M>(M);

impl<M: SerializeMap> Line<M> {
    fn put(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<&mut Self, M::Error> {
        self.0.serialize_entry(name, value)?;
        Ok(self)
    }

    /// A member that not all such lines have.
    fn some(&mut self, name: &str, value: &Option<impl Serialize>) -> Result<&mut Self, M::Error> {
        match value {
            Some(value) => self.put(name, value),
            None => Ok(self),
        }
    }

    /// The provider's own JSON.
    fn value(&mut self, json: &str) -> Result<&mut Self, M::Error> {
        self.put("value", &Value(json))
    }

    /// The index of an answer. Nobody asked for several where there is only the first.
    fn choice(&mut self, choice: u64) -> Result<&mut Self, M::Error> {
        self.some("choice", &(choice > 0).then_some(choice))
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
