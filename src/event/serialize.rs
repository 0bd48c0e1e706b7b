//! The form of an [`OwnedEvent`] for serde: a map in the shape of the command's lines.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::exact::write_json;
use super::raw_json::{OwnedRawJson, RawJson};
use super::{OwnedEvent, OwnedEventKind};
use crate::error::Error;
use crate::path::{ConcreteStep, concrete_steps};
use crate::pattern::PatternId;

impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_in(None, serializer)
    }
}

impl OwnedEvent {
    /// Writes the event as one JSON object on one line, as the command does, with the exact text of its values.
    ///
    /// # Errors
    ///
    /// If writing fails, or a value that was changed is not JSON.
    pub fn write_json(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write_json(out, self)
    }
}

/// The document, call or payload that an event belongs to, whose members stand before its own.
#[derive(Clone, Copy, Debug)]
pub enum EventOf<'a> {
    /// One of many documents, by its number.
    Document(u64),
    /// A call's input.
    Call(u64),
    /// A payload.
    Payload {
        /// The delimiter's name.
        mark: &'a str,
        /// The choice and the block that it is in, in a stream.
        place: Option<(u64, u64)>,
    },
}

impl EventOf<'_> {
    fn len(self) -> usize {
        if let Self::Payload { place: Some(_), .. } = self { 3 } else { 1 }
    }
}

/// The members that say what an error is and where.
pub fn write_error<M: SerializeMap>(map: &mut M, error: &Error) -> Result<(), M::Error> {
    map.serialize_entry("kind", error.kind().name())?;
    map.serialize_entry("offset", &error.offset())?;
    map.serialize_entry("line", &error.line())?;
    map.serialize_entry("column", &error.column())?;
    map.serialize_entry("path", &error.path())
}

impl OwnedEvent {
    /// The same with members that say what it is an event of.
    #[doc(hidden)]
    pub fn serialize_in<S: Serializer>(&self, of: Option<EventOf<'_>>, serializer: S) -> Result<S::Ok, S::Error> {
        let has_no_value = matches!(self.kind, OwnedEventKind::End(None));
        let len = 6 - usize::from(has_no_value) + of.map_or(0, EventOf::len);
        let mut map = serializer.serialize_map(Some(len))?;
        let name = match self.kind {
            OwnedEventKind::Begin(_) => "begin",
            OwnedEventKind::Delta(_) => "delta",
            OwnedEventKind::End(_) => "end",
            OwnedEventKind::InnerError(_) => "inner-error",
        };
        map.serialize_entry("event", name)?;
        match of {
            None => {}
            Some(EventOf::Document(document)) => map.serialize_entry("document", &document)?,
            Some(EventOf::Call(call)) => map.serialize_entry("call", &call)?,
            Some(EventOf::Payload { mark, place }) => {
                map.serialize_entry("mark", mark)?;
                if let Some((choice, block)) = place {
                    map.serialize_entry("block", &block)?;
                    map.serialize_entry("choice", &choice)?;
                }
            }
        }
        map.serialize_entry("pattern", &u64::from(self.pattern.0))?;
        map.serialize_entry("path", &self.path)?;
        match &self.kind {
            OwnedEventKind::Begin(kind) => map.serialize_entry("kind", kind.name())?,
            OwnedEventKind::Delta(text) => map.serialize_entry("text", text)?,
            OwnedEventKind::End(Some(value)) => map.serialize_entry("value", &RawJson(value))?,
            OwnedEventKind::End(None) => {}
            OwnedEventKind::InnerError(kind) => map.serialize_entry("kind", kind.name())?,
        }
        map.serialize_entry("match", &self.match_id)?;
        map.serialize_entry("offset", &self.offset)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for OwnedEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = OwnedEvent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OwnedEvent, A::Error> {
        let mut read = Members::default();
        // Not as an identifier: formats that are not self-describing have none.
        while let Some(member) = map.next_key::<String>()? {
            match &*member {
                "event" => read_once(&mut read.event, "event", &mut map)?,
                "pattern" => read_once(&mut read.pattern, "pattern", &mut map)?,
                "path" => read_once(&mut read.path, "path", &mut map)?,
                "kind" => read_once(&mut read.kind, "kind", &mut map)?,
                "text" => read_once(&mut read.text, "text", &mut map)?,
                "value" => read_once(&mut read.value, "value", &mut map)?,
                "match" => read_once(&mut read.match_id, "match", &mut map)?,
                "offset" => read_once(&mut read.offset, "offset", &mut map)?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        read.event()
    }
}

/// The members of an event that have been read; they may come in any order.
#[derive(Default)]
struct Members {
    event: Option<String>,
    // Written as this, for formats that are not self-describing.
    pattern: Option<u64>,
    path: Option<String>,
    kind: Option<String>,
    text: Option<String>,
    value: Option<OwnedRawJson>,
    match_id: Option<u64>,
    offset: Option<u64>,
}

fn read_once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    place: &mut Option<T>,
    member: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if place.replace(map.next_value()?).is_some() { Err(de::Error::duplicate_field(member)) } else { Ok(()) }
}

impl Members {
    fn event<E: de::Error>(self) -> Result<OwnedEvent, E> {
        fn required<T, E: de::Error>(member: Option<T>, name: &'static str) -> Result<T, E> {
            member.ok_or_else(|| E::missing_field(name))
        }
        let pattern = required(self.pattern, "pattern")?;
        let path = required(self.path, "path")?;
        let indices = concrete_steps(&path).filter_map(|step| match step {
            Some(ConcreteStep::Index(index)) => Some(Ok(index)),
            Some(_) => None,
            None => Some(Err(unexpected(&path, "a concrete path, such as `a[0].b`"))),
        });
        Ok(OwnedEvent {
            pattern: PatternId(
                u32::try_from(pattern)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(pattern), &"a pattern's place in a set"))?,
            ),
            match_id: required(self.match_id, "match")?,
            indices: indices.collect::<Result<_, E>>()?,
            kind: match &*required(self.event, "event")? {
                "begin" => OwnedEventKind::Begin(named(&required(self.kind, "kind")?, "the name of a value's kind")?),
                "inner-error" => {
                    OwnedEventKind::InnerError(named(&required(self.kind, "kind")?, "the name of an error's kind")?)
                }
                "delta" => OwnedEventKind::Delta(required(self.text, "text")?),
                "end" => OwnedEventKind::End(self.value.map(|value| value.0)),
                other => return Err(unexpected(other, "`begin`, `delta`, `end` or `inner-error`")),
            },
            offset: required(self.offset, "offset")?,
            path,
        })
    }
}

fn unexpected<E: de::Error>(name: &str, expected: &str) -> E {
    E::invalid_value(de::Unexpected::Str(name), &expected)
}

/// Reads one of a few names.
fn named<T: FromStr, E: de::Error>(name: &str, expected: &str) -> Result<T, E> {
    name.parse().map_err(|_| unexpected(name, expected))
}
