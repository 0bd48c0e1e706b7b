//! Typed partials: a serde `Deserializer` over the view, and what it gives.

use alloc::string::{String, ToString};
use core::fmt;

use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::settled::SETTLED;
use super::{NodeKind, PartialValue};
use crate::error::{Error, ErrorKind};
use crate::event::SERDE_DEPTH;

/// A `T` read from a value as far as it is known.
///
/// It can be looked at; it can be *taken* only if nothing in it was open. A `WriteFile` whose text was cut is never a
/// `WriteFile`.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// #[derive(Debug, Default, serde::Deserialize)]
/// #[serde(default)]
/// struct WriteFile { path: String, text: Option<String> }
///
/// let mut parser = Parser::builder().snapshots().build(&PatternSet::empty());
/// parser.feed_with(r#"{"path": "a.rs", "text": "fn ma"#, |_| {})?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?;
/// assert_eq!(call.get().text.as_deref(), Some("fn ma"));
/// let still_partial = call.into_complete().unwrap_err();
/// assert_eq!(still_partial.get().path, "a.rs");
///
/// parser.feed_with(r#"in() {}"}"#, |_| {})?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?;
/// assert_eq!(call.into_complete().unwrap().text.unwrap(), "fn main() {}");
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial<T> {
    value: T,
    is_complete: bool,
}

impl<T> Partial<T> {
    /// What is known so far.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Whether nothing in it is open.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The value, if nothing in it was open.
    ///
    /// # Errors
    ///
    /// Gives the partial back if something was.
    pub fn into_complete(self) -> Result<T, Self> {
        if self.is_complete { Ok(self.value) } else { Err(self) }
    }
}

impl<'a> PartialValue<'a> {
    /// Reads a `T` from what is known, without building a tree in between.
    ///
    /// Open strings are read as they stand, open arrays and objects with what they have. What is not there yet is
    /// absent: `Option` and `#[serde(default)]` work, and [`Settled`](crate::Settled) holds a field back until it is
    /// whole. `&str` fields borrow from the snapshot.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`] with the path of what does not fit `T`; [`ErrorKind::DepthLimit`] past 127 levels.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<Partial<T>, Error> {
        let value = T::deserialize(PartialDeserializer::new(self)).map_err(|error| error.at(self))?;
        Ok(Partial { value, is_complete: self.is_complete() })
    }
}

/// Reads one value; knows how many levels of containers may still open.
#[derive(Clone, Copy)]
pub(super) struct PartialDeserializer<'a> {
    value: PartialValue<'a>,
    levels_left: usize,
}

/// Why a value did not fit, and the innermost value that did not.
#[derive(Debug)]
pub(super) struct TypedError {
    kind: ErrorKind,
    reason: String,
    path: Option<String>,
}

impl TypedError {
    /// The error of reading `value`.
    pub(super) fn at(self, value: PartialValue<'_>) -> Error {
        let path = self.path.unwrap_or_else(|| value.path());
        Error::without_place(self.kind, &path, &self.reason)
    }

    /// Notes the path, unless a value further inside did before.
    fn inside(self, value: PartialValue<'_>) -> Self {
        Self { path: self.path.or_else(|| Some(value.path())), ..self }
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl core::error::Error for TypedError {}

impl de::Error for TypedError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { kind: ErrorKind::Data, reason: reason.to_string(), path: None }
    }
}

impl<'a> PartialDeserializer<'a> {
    pub(super) fn new(value: PartialValue<'a>) -> Self {
        Self { value, levels_left: SERDE_DEPTH }
    }

    /// A child's deserializer.
    fn inner(self, value: PartialValue<'a>) -> Result<Self, TypedError> {
        let too_deep = || TypedError {
            kind: ErrorKind::DepthLimit,
            reason: "expected no more than 127 levels".to_string(),
            path: None,
        };
        Ok(Self { value, levels_left: self.levels_left.checked_sub(1).ok_or_else(too_deep)? })
    }

    /// Numbers are read by serde_json itself, so that every one means the same in both.
    fn number<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        let mut number = serde_json::Deserializer::from_str(self.value.text());
        number.deserialize_any(visitor).map_err(|error| {
            let mut reason = error.to_string();
            reason.truncate(reason.rfind(" at line ").unwrap_or(reason.len()));
            de::Error::custom(reason)
        })
    }
}

impl<'de> Deserializer<'de> for PartialDeserializer<'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        let value = self.value;
        let read = match value.node().kind {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::False => visitor.visit_bool(false),
            NodeKind::True => visitor.visit_bool(true),
            NodeKind::String => visitor.visit_borrowed_str(value.text()),
            NodeKind::Number => self.number(visitor),
            NodeKind::Array => self.inner(value).and_then(|inner| {
                let left = value.len();
                visitor.visit_seq(Children {
                    parent: inner,
                    children: value.iter().map(|value| ((), value)),
                    left,
                    open: None,
                })
            }),
            NodeKind::Object => self.inner(value).and_then(|inner| {
                let left = value.len();
                visitor.visit_map(Children { parent: inner, children: value.entries(), left, open: None })
            }),
        };
        read.map_err(|error| error.inside(value))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        if name == SETTLED && !self.value.is_complete() {
            return visitor.visit_none();
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        let value = self.value;
        let read = match value.node().kind {
            NodeKind::String => visitor.visit_enum(value.text().into_deserializer()),
            NodeKind::Object => match (value.entries().next(), value.len()) {
                (Some((variant, content)), 1) => {
                    self.inner(content).and_then(|content| visitor.visit_enum(Variant { variant, content }))
                }
                _ => Err(de::Error::invalid_value(Unexpected::Map, &"an object with a single key")),
            },
            _ => Err(de::Error::invalid_type(Unexpected::Other("neither string nor object"), &"an enum")),
        };
        read.map_err(|error| error.inside(value))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value.as_str() {
            Some(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        self.deserialize_bytes(visitor)
    }

    /// What nobody reads is not looked at.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// The children of an open or complete container.
struct Children<'a, I> {
    parent: PartialDeserializer<'a>,
    children: I,
    left: usize,
    /// The entry whose key has been read and whose value has not.
    open: Option<PartialValue<'a>>,
}

impl<'a, I: Iterator<Item = ((), PartialValue<'a>)>> SeqAccess<'a> for Children<'a, I> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, TypedError> {
        let Some(((), value)) = self.children.next() else { return Ok(None) };
        self.left -= 1;
        seed.deserialize(PartialDeserializer { value, ..self.parent }).map(Some).map_err(|error| error.inside(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'a, I: Iterator<Item = (&'a str, PartialValue<'a>)>> MapAccess<'a> for Children<'a, I> {
    type Error = TypedError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, TypedError> {
        let Some((key, value)) = self.children.next() else { return Ok(None) };
        self.left -= 1;
        self.open = Some(value);
        seed.deserialize(de::value::BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, TypedError> {
        let value = self.open.take().ok_or_else(|| de::Error::custom("a value was asked for before its key"))?;
        seed.deserialize(PartialDeserializer { value, ..self.parent }).map_err(|error| error.inside(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// An enum spelt as an object: `{"variant": content}`.
struct Variant<'a> {
    variant: &'a str,
    content: PartialDeserializer<'a>,
}

impl<'a> EnumAccess<'a> for Variant<'a> {
    type Error = TypedError;
    type Variant = PartialDeserializer<'a>;

    fn variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<(T::Value, Self::Variant), TypedError> {
        let variant = de::value::BorrowedStrDeserializer::new(self.variant);
        seed.deserialize(variant).map(|variant| (variant, self.content))
    }
}

impl<'a> VariantAccess<'a> for PartialDeserializer<'a> {
    type Error = TypedError;

    fn unit_variant(self) -> Result<(), TypedError> {
        Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, TypedError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, TypedError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        self.deserialize_any(visitor)
    }
}
