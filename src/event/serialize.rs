//! The form of an [`OwnedEvent`] for serde: a map in the shape of the command's lines.

use alloc::string::String;
use core::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::raw_json::{OwnedRawJson, RawJson};
use super::{OwnedEvent, OwnedEventKind};
use crate::error::{Error, ErrorKind};
use crate::path::{ConcreteStep, concrete_steps};
use crate::pattern::PatternId;
use crate::tokenizer::ValueKind;

impl Serialize for OwnedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize_in(None, serializer)
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
        match self {
            Self::Document(_) => 1,
            Self::Call(_) => 1,
            Self::Payload { place, .. } => {
                if place.is_some() {
                    3
                } else {
                    1
                }
            }
        }
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
        while let Some(member) = map.next_key()? {
            match member {
                Member::Event => read_once(&mut read.event, "event", &mut map)?,
                Member::Pattern => read_once(&mut read.pattern, "pattern", &mut map)?,
                Member::Path => read_once(&mut read.path, "path", &mut map)?,
                Member::Kind => read_once(&mut read.kind, "kind", &mut map)?,
                Member::Text => read_once(&mut read.text, "text", &mut map)?,
                Member::Value => read_once(&mut read.value, "value", &mut map)?,
                Member::Match => read_once(&mut read.match_id, "match", &mut map)?,
                Member::Offset => read_once(&mut read.offset, "offset", &mut map)?,
                Member::Unknown => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        read.event()
    }
}

/// The members of an event that have been read; they may come in any order.
#[derive(Default)]
struct Members {
    event: Option<EventName>,
    // Written as this, for formats that are not self-describing.
    pattern: Option<u64>,
    path: Option<String>,
    kind: Option<KindName>,
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
            None => Some(Err(E::invalid_value(de::Unexpected::Str(&path), &"a concrete path, such as `a[0].b`"))),
        });
        Ok(OwnedEvent {
            pattern: PatternId(
                u32::try_from(pattern)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(pattern), &"a pattern's place in a set"))?,
            ),
            match_id: required(self.match_id, "match")?,
            indices: indices.collect::<Result<_, E>>()?,
            kind: match required(self.event, "event")? {
                EventName::Begin => OwnedEventKind::Begin(required(self.kind.and_then(KindName::value), "kind")?),
                EventName::InnerError => {
                    OwnedEventKind::InnerError(required(self.kind.and_then(KindName::error), "kind")?)
                }
                EventName::Delta => OwnedEventKind::Delta(required(self.text, "text")?),
                EventName::End => OwnedEventKind::End(self.value.map(|value| value.0)),
            },
            offset: required(self.offset, "offset")?,
            path,
        })
    }
}

/// Reads a name that is one of a few.
struct NameVisitor<T>(fn(&str) -> Option<T>, &'static str);

impl<T> Visitor<'_> for NameVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        (self.0)(name).ok_or_else(|| E::invalid_value(de::Unexpected::Str(name), &self))
    }
}

enum Member {
    Event,
    Pattern,
    Path,
    Kind,
    Text,
    Value,
    Match,
    Offset,
    Unknown,
}

impl<'de> Deserialize<'de> for Member {
    // Not as an identifier: formats that are not self-describing have none.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let member = |name: &str| {
            Some(match name {
                "event" => Self::Event,
                "pattern" => Self::Pattern,
                "path" => Self::Path,
                "kind" => Self::Kind,
                "text" => Self::Text,
                "value" => Self::Value,
                "match" => Self::Match,
                "offset" => Self::Offset,
                _ => Self::Unknown,
            })
        };
        deserializer.deserialize_str(NameVisitor(member, "a member's name"))
    }
}

enum EventName {
    Begin,
    Delta,
    End,
    InnerError,
}

impl<'de> Deserialize<'de> for EventName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = |name: &str| match name {
            "begin" => Some(Self::Begin),
            "delta" => Some(Self::Delta),
            "end" => Some(Self::End),
            "inner-error" => Some(Self::InnerError),
            _ => None,
        };
        deserializer.deserialize_str(NameVisitor(event, "`begin`, `delta`, `end` or `inner-error`"))
    }
}

/// A value's kind or an error's; no name is both.
enum KindName {
    Value(ValueKind),
    Error(ErrorKind),
}

impl KindName {
    fn value(self) -> Option<ValueKind> {
        if let Self::Value(kind) = self { Some(kind) } else { None }
    }

    fn error(self) -> Option<ErrorKind> {
        if let Self::Error(kind) = self { Some(kind) } else { None }
    }
}

impl<'de> Deserialize<'de> for KindName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kind = |name: &str| {
            let value = name.parse().ok().map(Self::Value);
            value.or_else(|| ErrorKind::ALL.iter().copied().find(|kind| kind.name() == name).map(Self::Error))
        };
        deserializer.deserialize_str(NameVisitor(kind, "the name of a value's kind or of an error's"))
    }
}
