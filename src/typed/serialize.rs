//! Serializes partial values and their patches. A value is read for the serializer as if it were complete.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::PartialDeserializer;
use super::reading::{Boundary, Context, StandIn};
use crate::event::{SERDE_DEPTH, Transcode};
use crate::tree::{PartialValue, PatchOp};

/// Serializes the known part, with open values closed. Recurses, and rejects more than 127 levels.
impl Serialize for PartialValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let context = Context { is_open: false, ..Context::new(*self, Boundary::all(*self), StandIn::Itself) };
        Transcode::new(PartialDeserializer::new::<()>(*self, &context), SERDE_DEPTH).serialize(serializer)
    }
}

impl Serialize for PatchOp<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("op", self.name())?;
        map.serialize_entry("path", &self.path())?;
        match self.appended() {
            Some(text) => map.serialize_entry("value", text)?,
            None => map.serialize_entry("value", &self.value())?,
        }
        map.end()
    }
}
