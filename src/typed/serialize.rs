//! Serializing what is shown, and patches of it: a value is read for the serializer, as if it were complete.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::PartialDeserializer;
use super::reading::Context;
use crate::event::{Passed, SERDE_DEPTH};
use crate::tree::{PartialValue, PatchOp};

/// Serializes what is known, with open values as if they had closed. Recurses, and refuses more than 127 levels.
impl Serialize for PartialValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let context = Context::of_complete(*self);
        Passed::new(PartialDeserializer::new::<()>(*self, &context), SERDE_DEPTH).serialize(serializer)
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
