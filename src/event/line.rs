//! An event as one JSON object on one line: its members in order, for serde and as text.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

use serde::ser::{Serialize, Serializer};

use super::json_text::serialize_text;
use super::reread::check;
use super::value::write_on_one_line;
use super::{Event, EventKind};
use crate::error::Error;

/// The members of an event, its name first.
#[derive(Clone, Debug, Default)]
pub struct Line<'a>(Vec<(&'a str, Member<'a>)>);

/// The value of a member.
#[derive(Clone, Debug)]
pub enum Member<'a> {
    /// `null`
    Null,
    /// A boolean.
    Flag(bool),
    /// A count, an index or an offset.
    Number(u64),
    /// A string.
    Text(Cow<'a, str>),
    /// The text of a value, checked when it is written.
    Json(&'a str),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Line(Line<'a>),
}

impl<'a> Line<'a> {
    /// Returns a line with the name of an event.
    #[must_use]
    pub fn new(event: &'a str) -> Self {
        Self(Vec::from([("event", event.into())]))
    }

    /// Adds a member at the end.
    pub fn put(&mut self, name: &'a str, value: impl Into<Member<'a>>) -> &mut Self {
        self.0.push((name, value.into()));
        self
    }

    /// Adds a member if it has a value.
    pub fn put_some(&mut self, name: &'a str, value: Option<impl Into<Member<'a>>>) -> &mut Self {
        if let Some(value) = value {
            self.put(name, value);
        }
        self
    }

    /// Adds the kind and the place of an error.
    pub fn put_error(&mut self, error: &'a Error) -> &mut Self {
        self.put("kind", error.kind().name()).put("offset", error.offset()).put("line", error.line());
        self.put("column", error.column()).put("path", error.path())
    }

    /// Inserts members after the event's name, for the source that the event belongs to.
    #[must_use]
    pub fn of(mut self, members: impl IntoIterator<Item = (&'a str, Member<'a>)>) -> Self {
        self.0.splice(1..1, members);
        self
    }

    /// Makes strings of the texts of values, for a reader that parses each by itself.
    #[must_use]
    pub fn with_texts(mut self) -> Self {
        for (_, member) in &mut self.0 {
            if let Member::Json(text) = *member {
                *member = text.into();
            }
        }
        self
    }

    /// Writes the line with the exact text of its values.
    pub fn write_json(&self, out: &mut dyn Write) -> fmt::Result {
        for (place, (name, value)) in self.0.iter().enumerate() {
            out.write_char(if place == 0 { '{' } else { ',' })?;
            Member::from(*name).write_json(out)?;
            out.write_char(':')?;
            value.write_json(out)?;
        }
        out.write_str(if self.0.is_empty() { "{}" } else { "}" })
    }
}

impl Member<'_> {
    fn write_json(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Flag(flag) => write!(out, "{flag}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?),
            // The text may be from a caller, so it must be checked before it gets into a document.
            Self::Json(text) if check(text.as_bytes(), usize::MAX).is_err() => Err(fmt::Error),
            Self::Json(text) => write_on_one_line(out, text),
            Self::List(list) => {
                for (place, value) in list.iter().enumerate() {
                    out.write_char(if place == 0 { '[' } else { ',' })?;
                    value.write_json(out)?;
                }
                out.write_str(if list.is_empty() { "[]" } else { "]" })
            }
            Self::Line(line) => line.write_json(out),
        }
    }
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Member<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Json(text) => serialize_text(text, serializer),
            Self::List(list) => serializer.collect_seq(list),
            Self::Line(line) => line.serialize(serializer),
        }
    }
}

macro_rules! from {
    ($($type:ty: $value:ident => $member:expr;)*) => {
        $(impl<'a> From<$type> for Member<'a> {
            fn from($value: $type) -> Self {
                $member
            }
        })*
    };
}

from! {
    bool: flag => Self::Flag(flag);
    u64: number => Self::Number(number);
    &'a str: text => Self::Text(text.into());
    String: text => Self::Text(text.into());
    Line<'a>: line => Self::Line(line);
}

/// Implements serialization and writing for types, through their method `line`.
#[doc(hidden)]
#[macro_export]
macro_rules! lines {
    ($($event:ty),*) => {
        $(impl serde::Serialize for $event {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.line().serialize(serializer)
            }
        }

        impl $event {
            /// Writes the event as one JSON object on one line, like the command, with the exact text of its values.
            ///
            /// # Errors
            ///
            /// Fails if writing fails, or if a value in the event has been changed to a text that is not JSON.
            pub fn write_json(&self, out: &mut impl core::fmt::Write) -> core::fmt::Result {
                self.line().write_json(out)
            }
        })*
    };
}

pub use lines;

lines!(Event<'_>);

impl<'a, T: Into<Self>> From<Option<T>> for Member<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Event<'_> {
    /// Returns the event's members.
    #[doc(hidden)]
    #[must_use]
    pub fn line(&self) -> Line<'_> {
        let (event, name, value) = match &self.kind {
            EventKind::Begin(kind) => ("begin", "kind", Some(kind.name().into())),
            EventKind::Delta(text) => ("delta", "text", Some((&**text).into())),
            EventKind::End(value) => ("end", "value", value.as_ref().map(|value| Member::Json(value.text()))),
            EventKind::InnerError(error) => ("inner-error", "kind", Some(error.kind().name().into())),
        };
        let mut line = Line::new(event);
        line.put("pattern", u64::from(self.pattern.0)).put("path", self.path.to_string()).put_some(name, value);
        line.put("match", self.match_id).put("offset", self.offset);
        line
    }
}
