//! The lines that events of a stream are written as, here and by the command.

use core::fmt;

use jsonspigot::internal::{Inside, RawJson, write_json};
use jsonspigot::{Parser, PatternSet};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::OwnedStreamEvent;
use super::of_agent::OfAgent;

impl Serialize for OwnedStreamEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Agent { agent, event } => event.serialize_own(OfAgent { serializer, agent }),
            event => event.serialize_own(serializer),
        }
    }
}

impl OwnedStreamEvent {
    /// Writes an event that is nobody else's: inside a sub-agent's there is no other, so that this ends for the
    /// compiler too.
    fn serialize_own<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Call(event) => return event.serialize(serializer),
            #[cfg(feature = "envelope")]
            Self::Payload { choice, block, event } => return event.serialize_in(Some((*choice, *block)), serializer),
            _ => {}
        }
        let mut line = Line(serializer.serialize_map(None)?);
        line.put("event", self.name())?;
        self.write_members(&mut line)?;
        line.0.end()
    }
}

/// The members of a line.
pub(super) struct Line<M>(M);

impl<M: SerializeMap> Line<M> {
    pub(super) fn put(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<&mut Self, M::Error> {
        self.0.serialize_entry(name, value)?;
        Ok(self)
    }

    /// A member that not all such lines have.
    pub(super) fn some(&mut self, name: &str, value: &Option<impl Serialize>) -> Result<&mut Self, M::Error> {
        match value {
            Some(value) => self.put(name, value),
            None => Ok(self),
        }
    }

    /// The provider's own JSON.
    pub(super) fn value(&mut self, json: &str) -> Result<&mut Self, M::Error> {
        self.put("value", &Value(json))
    }

    /// The index of an answer. Nobody asked for several where there is only the first.
    pub(super) fn choice(&mut self, choice: u64) -> Result<&mut Self, M::Error> {
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
pub(super) struct Value<'a>(pub(super) &'a str);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if is_strict(self.0) { RawJson(self.0).serialize(serializer) } else { serializer.serialize_str(self.0) }
    }
}

impl OwnedStreamEvent {
    /// Writes the event as one JSON object on one line, as the command does, with the exact text of its values.
    ///
    /// # Errors
    ///
    /// If writing fails, or a value that was changed is not JSON.
    pub fn write_json(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write_json(out, self)
    }
}
