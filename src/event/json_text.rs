//! Passes JSON text through serde: value by value in human-readable formats, as a string in others.
//!
//! serde's data model has no raw text. So a number keeps the value that serde_json gives it (as `u64`, `i64` or `f64`),
//! not its spelling. Members keep their order, and duplicate keys are kept. [`Transcoder`] forwards values from a
//! deserializer to a serializer, in both directions.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use core::cell::Cell;
use core::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::reread::check;
use super::value::SERDE_DEPTH;

/// The maximum depth of a value. serde_json also counts the event's object around it when it reads a line.
const LEVELS: usize = SERDE_DEPTH - 1;

/// The name by which serde_json recognizes its `RawValue`, with its feature `raw_value`: the type's name, and the only
/// key of its map form.
pub(crate) const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The key under which serde_json passes a number's text, with its feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// True if serde_json keeps numbers as text: with that feature, which any crate of a program may enable.
const KEEPS_NUMBERS_AS_SPELT: bool = core::mem::needs_drop::<serde_json::Number>();

/// Serializes the text of one JSON value.
pub(super) fn serialize_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if check(text.as_bytes(), usize::MAX).is_err() {
        return Err(S::Error::custom("expected the text of one JSON value"));
    }
    if !serializer.is_human_readable() {
        return serializer.serialize_str(text);
    }
    Transcode::new(&mut serde_json::Deserializer::from_str(text), LEVELS).serialize(serializer)
}

/// The text of one JSON value.
pub(super) struct JsonText(pub(super) String);

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return serde_json::to_string(&Transcode::new(deserializer, LEVELS)).map(Self).map_err(D::Error::custom);
        }
        let text = String::deserialize(deserializer)?;
        match check(text.as_bytes(), usize::MAX) {
            Ok(()) => Ok(Self(text)),
            Err(_) => Err(de::Error::invalid_value(de::Unexpected::Str(&text), &"the text of one JSON value")),
        }
    }
}

/// A value of at most `levels` levels that is read from a deserializer when it is serialized.
pub(crate) struct Transcode<D> {
    from: Cell<Option<D>>,
    levels: usize,
}

impl<D> Transcode<D> {
    pub(crate) fn new(from: D, levels: usize) -> Self {
        Self { from: Cell::new(Some(from)), levels }
    }
}

impl<'de, D: Deserializer<'de>> Serialize for Transcode<D> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let from = self.from.take().ok_or_else(|| S::Error::custom("the value has been read"))?;
        from.deserialize_any(Transcoder { to, inner_levels: self.levels.checked_sub(1) }).map_err(S::Error::custom)
    }
}

/// A visitor that forwards a value from a deserializer to a serializer.
struct Transcoder<S> {
    to: S,
    /// The maximum number of levels in each child; `None` if the value may not be a container.
    inner_levels: Option<usize>,
}

const TOO_DEEP: &str = "too many levels";

macro_rules! pass {
    ($($visit:ident => $serialize:ident($type:ty);)*) => {
        $(fn $visit<E: de::Error>(self, value: $type) -> Result<S::Ok, E> {
            self.to.$serialize(value).map_err(E::custom)
        })*
    };
}

impl<'de, S: Serializer> Visitor<'de> for Transcoder<S> {
    type Value = S::Ok;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    pass! {
        visit_bool => serialize_bool(bool);
        visit_i64 => serialize_i64(i64);
        visit_i128 => serialize_i128(i128);
        visit_u64 => serialize_u64(u64);
        visit_u128 => serialize_u128(u128);
        visit_str => serialize_str(&str);
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<S::Ok, E> {
        // serde_json would write null.
        if !value.is_finite() {
            return Err(E::custom("not a finite number"));
        }
        self.to.serialize_f64(value).map_err(E::custom)
    }

    fn visit_unit<E: de::Error>(self) -> Result<S::Ok, E> {
        self.to.serialize_unit().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<S::Ok, A::Error> {
        let levels = self.inner_levels.ok_or_else(|| A::Error::custom(TOO_DEEP))?;
        let mut to = self.to.serialize_seq(elements.size_hint()).map_err(A::Error::custom)?;
        while elements.next_element_seed(ElementSeed { to: &mut to, levels })?.is_some() {}
        to.end().map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<S::Ok, A::Error> {
        let len = members.size_hint();
        let mut key = members.next_key_seed(KeySeed)?;
        if let Some((_, true)) = key {
            let number = members.next_value::<String>()?.parse::<serde_json::Number>().map_err(A::Error::custom)?;
            return number.serialize(self.to).map_err(A::Error::custom);
        }
        let levels = self.inner_levels.ok_or_else(|| A::Error::custom(TOO_DEEP))?;
        let mut to = self.to.serialize_map(len).map_err(A::Error::custom)?;
        while let Some((name, _)) = key {
            to.serialize_key(&name).map_err(A::Error::custom)?;
            members.next_value_seed(MemberSeed { to: &mut to, levels })?;
            key = members.next_key_seed(KeySeed)?;
        }
        to.end().map_err(A::Error::custom)
    }
}

/// Defines the seed of a container's child, which is forwarded by a method of the container's serializer.
macro_rules! child {
    ($name:ident: $container:ident.$serialize:ident) => {
        struct $name<'a, C> {
            to: &'a mut C,
            levels: usize,
        }

        impl<'de, C: $container> DeserializeSeed<'de> for $name<'_, C> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
                self.to.$serialize(&Transcode::new(from, self.levels)).map_err(D::Error::custom)
            }
        }
    };
}

child!(ElementSeed: SerializeSeq.serialize_element);
child!(MemberSeed: SerializeMap.serialize_value);

/// Reads a key, and whether it is the one under which serde_json passes a number's text.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = (Cow<'de, str>, bool);

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        // If an option is requested, serde_json presents a key of the document as `Some`, but its own key as a plain
        // string.
        if KEEPS_NUMBERS_AS_SPELT { from.deserialize_option(self) } else { from.deserialize_str(self) }
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = (Cow<'de, str>, bool);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key that serde_json does not take for its own")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok((key.to_owned().into(), KEEPS_NUMBERS_AS_SPELT && key == NUMBER))
    }

    fn visit_borrowed_str<E: de::Error>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok((key.into(), KEEPS_NUMBERS_AS_SPELT && key == NUMBER))
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        match from.deserialize_str(Self)? {
            (key, true) => Err(D::Error::invalid_value(de::Unexpected::Str(&key), &self)),
            key => Ok(key),
        }
    }
}
