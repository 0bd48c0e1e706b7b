//! How events are read: borrowed, every field optional, and a field of another type than expected is an absent one.
//!
//! Servers put `null` for absent, `[]` for an empty object, `""` for nothing. None of this may cost the whole event.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// One event's JSON text as a struct of the fields below.
pub(super) fn event<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, serde_json::Error> {
    // A value of another kind is no event of any provider.
    serde_json::from_str::<Object<T>>(text)?.0.ok_or_else(|| Error::custom("expected an object"))
}

/// Whether a text is a JSON object as far as the grammar says, which does not look at what escapes stand for.
pub(super) fn is_object_by_grammar(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok_and(|raw| raw.get().starts_with('{'))
}

/// Reads a field that is present, even if its value is null.
pub(super) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A string; `""` where none stands.
#[derive(Debug, Default)]
pub(super) struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn into_cow(self) -> Cow<'a, str> {
        self.0
    }
}

/// A place in a list, if one stands there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Index(pub(super) Option<u64>);

/// A switch; off where none stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flag(pub(super) bool);

/// An object's fields, if one stands there.
#[derive(Debug)]
pub(super) struct Object<T>(pub(super) Option<T>);

/// A list's objects; other elements are passed over.
#[derive(Debug)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A payload that may be JSON text in a string, or the JSON itself.
pub(super) enum Payload<'a> {
    Text(Cow<'a, str>),
    Json(&'a str),
}

impl<'a> Payload<'a> {
    pub(super) fn new(raw: Option<&'a RawValue>) -> Self {
        let json = raw.map_or("", RawValue::get);
        match json.starts_with('"').then(|| serde_json::from_str::<Text<'a>>(json)) {
            Some(Ok(Text(text))) => Self::Text(text),
            _ => Self::Json(json),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Json(json) => json,
        }
    }
}

/// A string's text or a number's digits; `""` for anything else.
pub(super) fn word(raw: Option<&RawValue>) -> Cow<'_, str> {
    match Payload::new(raw) {
        Payload::Text(text) => text,
        Payload::Json(json) if json.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => json.into(),
        Payload::Json(_) => Cow::Borrowed(""),
    }
}

/// The JSON texts of a list's elements if all of them are objects; otherwise none.
pub(super) fn listed_objects(text: &str) -> Vec<&str> {
    let list: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    let objects: Vec<_> = list.iter().map(|raw| raw.get()).filter(|json| json.starts_with('{')).collect();
    if objects.len() == list.len() { objects } else { Vec::new() }
}

/// A string, or the objects of a list.
#[derive(Debug)]
pub(super) enum TextOrList<'a, T> {
    Text(Cow<'a, str>),
    List(Vec<T>),
}

impl<T> Default for TextOrList<'_, T> {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Loose<'de> for TextOrList<'a, T> {
    fn text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }

    fn list<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        List::list(seq).map(|List(objects)| Self::List(objects))
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for TextOrList<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

/// What stands for each kind of JSON value; absent unless said otherwise.
trait Loose<'de>: Default {
    fn text(_: Cow<'de, str>) -> Self {
        Self::default()
    }

    fn number(_: u64) -> Self {
        Self::default()
    }

    fn flag(_: bool) -> Self {
        Self::default()
    }

    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_map(map).map(|_| Self::default())
    }

    fn list<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_seq(seq).map(|_| Self::default())
    }
}

impl<'de: 'a, 'a> Loose<'de> for Text<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(text)
    }
}

impl<'de> Loose<'de> for Index {
    fn number(number: u64) -> Self {
        Self(Some(number))
    }

    /// Some gateways spell numbers as strings.
    fn text(text: Cow<'de, str>) -> Self {
        Self(text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit())))
    }
}

impl Loose<'_> for Flag {
    fn flag(flag: bool) -> Self {
        Self(flag)
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for Object<T> {
    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|fields| Self(Some(fields)))
    }
}

impl<'de, T: Deserialize<'de>> Loose<'de> for List<T> {
    fn list<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut objects = Vec::new();
        while let Some(element) = seq.next_element::<Object<T>>()? {
            objects.extend(element.0);
        }
        Ok(Self(objects))
    }
}

struct LooseVisitor<T>(PhantomData<T>);

impl<'de, T: Loose<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<T, E> {
        Ok(T::text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::text(Cow::Owned(String::from(text))))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        Ok(T::number(number))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        // `1.0` is an index too. The bound is that of whole numbers that `f64` tells apart.
        let is_whole = (0.0..9_007_199_254_740_992.0).contains(&number) && number % 1.0 == 0.0;
        Ok(if is_whole { T::number(number as u64) } else { T::default() })
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::object(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::list(seq)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}
