//! The serialized form of an [`OwnedEnvelopeEvent`]: a map in the shape of the command's lines.

use alloc::string::ToString;
use core::fmt;

use jsonspigot::internal::{EventOf, write_json};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::owned::OwnedEnvelopeEvent;
use crate::payload::{write_payload, write_wrong};

impl Serialize for OwnedEnvelopeEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_in(None, serializer)
    }
}

impl OwnedEnvelopeEvent {
    /// The same with members that say which block of which answer it is in.
    pub(crate) fn serialize_in<S: Serializer>(
        &self,
        place: Option<(u64, u64)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let (name, delimiter) = match self {
            Self::Text(_) => ("text", None),
            Self::Begin { delimiter, .. } => ("payload-start", Some(delimiter)),
            Self::Match { delimiter, event } => {
                let of = EventOf::Payload { mark: &delimiter.to_string(), place };
                return event.serialize_in(Some(of), serializer);
            }
            Self::Fragment { delimiter, .. } => ("fragment", Some(delimiter)),
            Self::End { delimiter, .. } => ("payload", Some(delimiter)),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", name)?;
        if let Some(delimiter) = delimiter {
            map.serialize_entry("mark", &delimiter.to_string())?;
        }
        if let Some((choice, block)) = place {
            map.serialize_entry("block", &block)?;
            map.serialize_entry("choice", &choice)?;
        }
        match self {
            Self::Text(text) | Self::Fragment { text, .. } => map.serialize_entry("text", text)?,
            Self::Begin { open, offset, .. } => {
                map.serialize_entry("open", open)?;
                map.serialize_entry("offset", offset)?;
            }
            Self::End { payload, close, .. } => {
                write_payload(&mut map, payload)?;
                // A payload is cut by the end of input or a limit, which the error says.
                write_wrong(&mut map, payload, None)?;
                map.serialize_entry("close", close)?;
            }
            Self::Match { .. } => {}
        }
        map.end()
    }
}

impl OwnedEnvelopeEvent {
    /// Writes the event as one JSON object on one line, as the command does, with the exact text of its values.
    ///
    /// # Errors
    ///
    /// If writing fails, or a value that was changed is not JSON.
    pub fn write_json(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write_json(out, self)
    }
}
