//! Serializes an [`OwnedDocumentEvent`] as a map with the fields of the command's output.

use core::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::owned::OwnedDocumentEvent;
use crate::event::{EventOf, RawJson, write_error, write_json};

impl Serialize for OwnedDocumentEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ended = match self {
            Self::Match { document, event } => {
                return event.serialize_in(Some(EventOf::Document(*document)), serializer);
            }
            Self::End(ended) => ended,
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", if ended.error().is_some() { "error" } else { "document" })?;
        map.serialize_entry("document", &ended.number())?;
        match ended.error() {
            Some(error) => write_error(&mut map, error)?,
            None => {
                map.serialize_entry("bytes", &ended.byte_count())?;
                // A value whose text was not retained is omitted.
                if let Ok(value) = ended.value() {
                    map.serialize_entry("value", &RawJson(value))?;
                }
            }
        }
        map.end()
    }
}

impl OwnedDocumentEvent {
    /// Writes the event as one JSON object on one line, like the command, with the exact text of its values.
    ///
    /// # Errors
    ///
    /// Fails if writing fails, or if a value in the event has been changed to a text that is not JSON.
    pub fn write_json(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write_json(out, self)
    }
}
