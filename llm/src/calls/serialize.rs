//! The serialized form of an [`OwnedCallEvent`]: a map in the shape of the command's lines.

use core::fmt;

use jsonspigot::internal::{EventOf, write_json};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::owned::{OwnedCallEvent, OwnedToolCall};
use crate::payload::{PayloadStatus, write_payload, write_wrong};

impl OwnedToolCall {
    /// A structured answer, which has neither id nor name, is nobody's to execute.
    fn is_to_be_executed(&self) -> bool {
        self.id.is_some() || self.name.is_some()
    }

    fn write_names<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("call", &self.number)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("name", &self.name)
    }

    fn write_executor<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if self.is_to_be_executed() { map.serialize_entry("executed", self.executor.name()) } else { Ok(()) }
    }
}

impl Serialize for OwnedCallEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Match { call, event } = self {
            return event.serialize_in(Some(EventOf::Call(call.number)), serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", self.name())?;
        match self {
            Self::Start(call) => {
                call.write_names(&mut map)?;
                map.serialize_entry("choice", &call.choice)?;
                call.write_executor(&mut map)?;
            }
            Self::Fragment { call, text } => {
                map.serialize_entry("call", &call.number)?;
                map.serialize_entry("text", text)?;
            }
            Self::End { call, input } => {
                call.write_names(&mut map)?;
                write_payload(&mut map, input)?;
                let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
                write_wrong(&mut map, input, reason)?;
                call.write_executor(&mut map)?;
            }
            Self::Error(error) => {
                if let Some(call) = error.call() {
                    map.serialize_entry("call", &call)?;
                }
                map.serialize_entry("kind", error.kind().name())?;
            }
            Self::Mismatch { call, text } => {
                map.serialize_entry("kind", "arguments")?;
                map.serialize_entry("call", &call.number)?;
                map.serialize_entry("text", text)?;
                if call.choice > 0 {
                    map.serialize_entry("choice", &call.choice)?;
                }
            }
            Self::Match { .. } => {}
        }
        map.end()
    }
}

impl OwnedCallEvent {
    /// The event's name, as the command prints it; a match has that of what is matched.
    fn name(&self) -> &'static str {
        match self {
            Self::Start(_) => "call",
            Self::Fragment { .. } => "fragment",
            Self::Match { .. } => "match",
            Self::End { .. } => "input",
            Self::Error(_) => "call-error",
            Self::Mismatch { .. } => "mismatch",
        }
    }
}

impl OwnedCallEvent {
    /// Writes the event as one JSON object on one line, as the command does, with the exact text of its values.
    ///
    /// # Errors
    ///
    /// If writing fails, or a value that was changed is not JSON.
    pub fn write_json(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write_json(out, self)
    }
}
