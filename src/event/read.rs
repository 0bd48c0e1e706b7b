//! Deserializes an [`Event`] from its serialized form.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};

use super::json_text::JsonText;
use super::{CompleteValue, Event, EventKind};
use crate::error::Error as TextError;
use crate::path::Path;
use crate::pattern::PatternId;

impl<'de> Deserialize<'de> for Event<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    /// Accepts the members in any order, and ignores unknown ones.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event<'static>, A::Error> {
        const MEMBERS: [&str; 8] = ["event", "pattern", "path", "kind", "text", "value", "match", "offset"];
        let (mut texts, mut numbers) = (BTreeMap::new(), BTreeMap::new());
        // The name is not read as an identifier: formats that are not self-describing have none, and need each member's
        // type.
        while let Some(name) = map.next_key::<String>()? {
            let known = MEMBERS.into_iter().find(|known| *known == name).unwrap_or_default();
            let is_new = match known {
                "" => map.next_value::<IgnoredAny>().map(|_| true)?,
                "pattern" | "match" | "offset" => numbers.insert(known, map.next_value::<u64>()?).is_none(),
                "value" => texts.insert(known, map.next_value::<JsonText>()?.0).is_none(),
                _ => texts.insert(known, map.next_value::<String>()?).is_none(),
            };
            if !is_new {
                return Err(A::Error::duplicate_field(known));
            }
        }
        let mut text = |name| texts.remove(name).ok_or_else(|| A::Error::missing_field(name));
        let number = |name| numbers.get(name).copied().ok_or_else(|| A::Error::missing_field(name));
        let path = text("path")?;
        let path = Path::parse(&path).ok_or_else(|| unexpected(&path, "a concrete path, such as `a[0].b`"))?;
        let (pattern, offset) = (number("pattern")?, number("offset")?);
        let kind = match &*text("event")? {
            "begin" => EventKind::Begin(named(&text("kind")?, "the name of a value's kind")?),
            "inner-error" => {
                let kind = named(&text("kind")?, "the name of an error's kind")?;
                EventKind::InnerError(TextError::at(kind, (0, 0, 0), None, "expected one JSON text"))
            }
            "delta" => EventKind::Delta(text("text")?.into()),
            "end" => EventKind::End(text("value").ok().map(|text| CompleteValue {
                end: offset,
                ..CompleteValue::of_text(text.as_bytes(), path.clone()).into_owned()
            })),
            other => return Err(unexpected(other, "`begin`, `delta`, `end` or `inner-error`")),
        };
        let pattern = u32::try_from(pattern)
            .map_err(|_| A::Error::invalid_value(Unexpected::Unsigned(pattern), &"a pattern's place in a set"))?;
        Ok(Event { pattern: PatternId(pattern), match_id: number("match")?, path, kind, offset })
    }
}

fn unexpected<E: Error>(name: &str, expected: &str) -> E {
    E::invalid_value(Unexpected::Str(name), &expected)
}

/// Parses a name.
fn named<T: FromStr, E: Error>(name: &str, expected: &str) -> Result<T, E> {
    name.parse().map_err(|_| unexpected(name, expected))
}
