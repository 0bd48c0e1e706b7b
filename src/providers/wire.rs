//! The shape in which owned events of a stream are written: that of the command's lines.

use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::owned::OwnedStreamEvent;
use crate::error::{Deviation, Error};
use crate::event::{EventOf, RawJson};
use crate::parser::Parser;
use crate::pattern::PatternSet;
use crate::payload::PayloadStatus;

impl Serialize for OwnedStreamEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Match { call, event, .. } => return event.serialize_in(Some(EventOf::Call(*call)), serializer),
            Self::PayloadMatch { choice, block, mark, event } => {
                let of = EventOf::Payload { mark, block: *block, choice: *choice };
                return event.serialize_in(Some(of), serializer);
            }
            _ => {}
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", self.name())?;
        match self {
            Self::CallStart { call, id, name, choice, executor } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("choice", choice)?;
                // A structured answer, which has neither, is nobody's to execute.
                if id.is_some() || name.is_some() {
                    map.serialize_entry("executed", executor.name())?;
                }
            }
            Self::Fragment { call, text } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("text", text)?;
            }
            Self::CallEnd {
                call,
                id,
                name,
                status,
                reason,
                value,
                raw,
                values,
                is_repeated,
                error,
                executor,
                deviations,
                deviation_count,
            } => {
                map.serialize_entry("call", call)?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("status", status)?;
                match value {
                    Some(value) => map.serialize_entry("value", &RawJson(value))?,
                    None => map.serialize_entry("raw", raw)?,
                }
                write_deviations(&mut map, status, deviations, *deviation_count)?;
                if !values.is_empty() {
                    map.serialize_entry("values", &values.iter().map(|value| RawJson(value)).collect::<Vec<_>>())?;
                    map.serialize_entry("repeated", is_repeated)?;
                }
                if error.is_some() || reason.is_some() {
                    map.serialize_entry("error", &Wrong { error: error.as_ref(), reason: reason.as_deref() })?;
                }
                if id.is_some() || name.is_some() {
                    map.serialize_entry("executed", executor.name())?;
                }
            }
            Self::PayloadStart { choice, block, mark, open, offset } => {
                map.serialize_entry("mark", mark)?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("choice", choice)?;
                map.serialize_entry("open", open)?;
                map.serialize_entry("offset", offset)?;
            }
            Self::PayloadFragment { choice, block, mark, text } => {
                map.serialize_entry("mark", mark)?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("choice", choice)?;
                map.serialize_entry("text", text)?;
            }
            Self::PayloadEnd { choice, block, mark, status, value, raw, error, close, deviations, deviation_count } => {
                map.serialize_entry("mark", mark)?;
                map.serialize_entry("block", block)?;
                map.serialize_entry("choice", choice)?;
                map.serialize_entry("status", status)?;
                match value {
                    Some(value) => map.serialize_entry("value", &RawJson(value))?,
                    None => map.serialize_entry("raw", raw)?,
                }
                write_deviations(&mut map, status, deviations, *deviation_count)?;
                if error.is_some() {
                    map.serialize_entry("error", &Wrong { error: error.as_ref(), reason: None })?;
                }
                map.serialize_entry("close", close)?;
            }
            Self::CallError(error) => {
                map.serialize_entry("call", &error.call())?;
                map.serialize_entry("kind", error.kind().name())?;
            }
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
            Self::End | Self::Match { .. } | Self::PayloadMatch { .. } => {}
        }
        map.end()
    }
}

/// Writes what was accepted, if something was.
fn write_deviations<M: SerializeMap>(
    map: &mut M,
    status: &str,
    deviations: &[Deviation],
    count: u64,
) -> Result<(), M::Error> {
    if status == PayloadStatus::Accepted.name() {
        let places: Vec<_> = deviations.iter().map(Place).collect();
        map.serialize_entry("deviations", &places)?;
        let more = count.saturating_sub(deviations.len() as u64);
        if more > 0 {
            map.serialize_entry("more", &more)?;
        }
    }
    Ok(())
}

/// A place in which a text deviates.
struct Place<'a>(&'a Deviation);

impl Serialize for Place<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("kind", self.0.kind().name())?;
        map.serialize_entry("offset", &self.0.offset())?;
        map.end()
    }
}

impl OwnedStreamEvent {
    /// The event's name, as the command line prints it.
    fn name(&self) -> &'static str {
        match self {
            Self::CallStart { .. } => "call",
            Self::Fragment { .. } => "fragment",
            Self::Match { .. } | Self::PayloadMatch { .. } => "match",
            Self::PayloadStart { .. } => "payload-start",
            Self::PayloadFragment { .. } => "fragment",
            Self::PayloadEnd { .. } => "payload",
            Self::CallEnd { .. } => "input",
            Self::CallError(_) => "call-error",
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

/// The error of an input, and why it was cut.
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
                map.serialize_entry("path", &error.path())?;
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
