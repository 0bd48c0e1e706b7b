//! The serde `Deserializer` over the view. It reads as serde_json does, but from what is known so far.
//!
//! Each method takes the kinds of values that serde_json's takes, and no others: a visitor may accept more than it was
//! asked for, as `serde_json::Map` accepts null.

use alloc::string::{String, ToString};
use core::iter;

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::de::StrRead;

use super::print::write_string;
use super::settled::SETTLED;
use super::typed::TypedError;
use super::{NodeKind, PartialValue};
use crate::error::ErrorKind;
use crate::event::SERDE_DEPTH;
use crate::path::Segment;

/// The name by which serde_json knows its `RawValue`, as type and as the one key of what it is read from.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// Reads one value; knows how many levels of containers may still open.
#[derive(Clone, Copy)]
pub(super) struct PartialDeserializer<'a> {
    value: PartialValue<'a>,
    levels_left: usize,
}

impl<'a> PartialDeserializer<'a> {
    pub(super) fn new(value: PartialValue<'a>) -> Self {
        Self { value, levels_left: SERDE_DEPTH }
    }

    /// A deserializer of a child, or of the content of an enum.
    fn inner(self, value: PartialValue<'a>) -> Result<Self, TypedError> {
        let too_deep = || TypedError::new(ErrorKind::DepthLimit, "expected no more than 127 levels");
        Ok(Self { value, levels_left: self.levels_left.checked_sub(1).ok_or_else(too_deep)? })
    }

    /// Hands over the children and sees to it that none is left: a list of three is not read as a pair.
    fn read_children<T>(
        self,
        read: impl FnOnce(&mut Children<'_, 'a>) -> Result<T, TypedError>,
    ) -> Result<T, TypedError> {
        let (parent, left) = (self.inner(self.value)?, self.value.len());
        let mut children = self.value.children();
        let mut children = Children { children: &mut children, left, parent, entry: None };
        let value = read(&mut children)?;
        if children.are_all_read() {
            Ok(value)
        } else {
            Err(de::Error::invalid_length(self.value.len(), &"fewer elements"))
        }
    }

    fn read_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        let value = self.value;
        match value.node().kind {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::False => visitor.visit_bool(false),
            NodeKind::True => visitor.visit_bool(true),
            NodeKind::String => visitor.visit_borrowed_str(value.text()),
            NodeKind::Number => read_number(value.text(), |number| number.deserialize_any(visitor)),
            NodeKind::Array => self.read_children(|elements| visitor.visit_seq(elements)),
            NodeKind::Object => self.read_children(|members| visitor.visit_map(members)),
        }
    }

    fn read_enum<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        let value = self.value;
        match value.node().kind {
            NodeKind::String if !value.is_complete() => Err(TypedError::still_open()),
            NodeKind::String => visitor.visit_enum(BorrowedStrDeserializer::new(value.text())),
            NodeKind::Object => match (value.entries().next(), value.len()) {
                (Some((variant, content)), 1) => visitor.visit_enum(Variant { variant, content: self.inner(content)? }),
                _ => Err(de::Error::invalid_value(Unexpected::Map, &"an object with a single key")),
            },
            _ => Err(de::Error::invalid_type(Unexpected::Other("neither string nor object"), &"an enum")),
        }
    }

    fn read_raw_value<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        if !self.value.is_complete() {
            return Err(TypedError::still_open());
        }
        visitor.visit_map(raw_value(self.value.to_string()))
    }

    /// Part of a variant's name may be another one's, and the first character of many may be a `char`.
    fn read_whole_text<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        if self.value.is_complete() { self.read_text(visitor) } else { Err(TypedError::still_open()) }
    }

    fn read_text<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_borrowed_str(self.value.text())
    }

    fn read_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value.as_str() {
            Some(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            None => self.read_fields(visitor),
        }
    }

    /// For a visitor that knows what it wants of an array or object, and so is no buffer.
    fn read_fields<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.value.node().kind {
            NodeKind::Array => self.read_children(|elements| visitor.visit_seq(elements)),
            _ => self.read_children(|members| visitor.visit_map(members)),
        }
    }

    /// The error of a value that is not of the kind that was asked for.
    fn wrong_type<T>(self, expected: &dyn de::Expected) -> Result<T, TypedError> {
        let unexpected = match self.value.node().kind {
            NodeKind::Null => Unexpected::Unit,
            NodeKind::False => Unexpected::Bool(false),
            NodeKind::True => Unexpected::Bool(true),
            NodeKind::Number => Unexpected::Other("number"),
            NodeKind::String => Unexpected::Str(self.value.text()),
            NodeKind::Array => Unexpected::Seq,
            NodeKind::Object => Unexpected::Map,
        };
        Err(de::Error::invalid_type(unexpected, expected))
    }
}

/// What serde_json's `RawValue` is read from: an object with one member.
fn raw_value<'a, E: de::Error>(text: String) -> impl MapAccess<'a, Error = E> {
    MapDeserializer::new(iter::once((RAW_VALUE, text)))
}

/// Reads a number with serde_json itself, so that every one means the same to both.
fn read_number<'a, T>(
    text: &'a str,
    read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'a>>) -> serde_json::Result<T>,
) -> Result<T, TypedError> {
    let mut number = serde_json::Deserializer::from_str(text);
    let value = read(&mut number)?;
    number.end()?;
    Ok(value)
}

/// Methods that take values of some kinds, each in the way that is said. A number is given to serde_json, in the way that
/// was asked for: into some types it reads one in ways of their own, and it knows how to refuse one.
macro_rules! deserialize_kinds {
    ($($method:ident($($argument:ident: $type:ty),*) $(: $($kind:ident)|+ => $read:ident)?;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, TypedError> {
            let value = self.value;
            let read = match value.node().kind {
                NodeKind::Number => read_number(value.text(), |number| number.$method($($argument,)* visitor)),
                $($(NodeKind::$kind)|+ => self.$read(visitor),)?
                _ => self.wrong_type(&visitor),
            };
            read.map_err(|error| error.inside(value))
        })*
    };
}

impl<'de> Deserializer<'de> for PartialDeserializer<'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        self.read_any(visitor).map_err(|error| error.inside(self.value))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        let read = match name {
            SETTLED if !self.value.is_complete() => visitor.visit_none(),
            RAW_VALUE => self.read_raw_value(visitor),
            _ => visitor.visit_newtype_struct(self),
        };
        read.map_err(|error| error.inside(self.value))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        self.read_enum(visitor).map_err(|error| error.inside(self.value))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        self.deserialize_bytes(visitor)
    }

    /// What nobody reads is not looked at.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_unit()
    }

    deserialize_kinds! {
        deserialize_i8(); deserialize_i16(); deserialize_i32(); deserialize_i64(); deserialize_i128();
        deserialize_u8(); deserialize_u16(); deserialize_u32(); deserialize_u64(); deserialize_u128();
        deserialize_f32(); deserialize_f64();
        deserialize_unit(): Null => read_any;
        deserialize_unit_struct(name: &'static str): Null => read_any;
        deserialize_bool(): False | True => read_any;
        deserialize_char(): String => read_whole_text;
        deserialize_str(): String => read_text;
        deserialize_string(): String => read_text;
        deserialize_identifier(): String => read_whole_text;
        deserialize_bytes(): String | Array => read_bytes;
        deserialize_seq(): Array => read_fields;
        deserialize_tuple(len: usize): Array => read_fields;
        deserialize_tuple_struct(name: &'static str, len: usize): Array => read_fields;
        deserialize_map(): Object => read_any;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]): Array | Object => read_fields;
    }
}

/// The children of a container, as many as are known.
struct Children<'c, 'a> {
    children: &'c mut dyn Iterator<Item = (Segment<'a>, PartialValue<'a>)>,
    left: usize,
    parent: PartialDeserializer<'a>,
    /// The member whose key has been read and whose value has not.
    entry: Option<PartialValue<'a>>,
}

impl<'a> Children<'_, 'a> {
    fn are_all_read(&mut self) -> bool {
        self.children.next().is_none() && self.entry.is_none()
    }

    fn next(&mut self) -> Option<(Segment<'a>, PartialValue<'a>)> {
        let next = self.children.next()?;
        self.left -= 1;
        Some(next)
    }

    fn read<T: DeserializeSeed<'a>>(&self, value: PartialValue<'a>, seed: T) -> Result<T::Value, TypedError> {
        seed.deserialize(PartialDeserializer { value, ..self.parent }).map_err(|error| error.inside(value))
    }
}

impl<'a> SeqAccess<'a> for Children<'_, 'a> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, TypedError> {
        match self.next() {
            Some((_, value)) => self.read(value, seed).map(Some),
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'a> MapAccess<'a> for Children<'_, 'a> {
    type Error = TypedError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, TypedError> {
        if self.entry.is_some() {
            return Err(TypedError::new(ErrorKind::Data, "expected a value to be read before the next key"));
        }
        match self.next() {
            Some((Segment::Key(key), value)) => {
                self.entry = Some(value);
                seed.deserialize(Key(key)).map(Some).map_err(|error| error.inside(value))
            }
            _ => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, TypedError> {
        let value = self.entry.take();
        let value =
            value.ok_or_else(|| TypedError::new(ErrorKind::Data, "expected a key to be read before its value"))?;
        self.read(value, seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// An object's key: as in serde_json it may stand for a number or a boolean.
struct Key<'a>(&'a str);

impl Key<'_> {
    fn wrong_type<T>(self, expected: &dyn de::Expected) -> Result<T, TypedError> {
        Err(de::Error::invalid_type(Unexpected::Str(self.0), expected))
    }
}

macro_rules! deserialize_number_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
            let Self(key) = self;
            // serde_json would allow white space around a number, which a key has not.
            let is_number = key.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && !key.ends_with(char::is_whitespace);
            if is_number { read_number(key, |number| number.$method(visitor)) } else { self.wrong_type(&visitor) }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => self.wrong_type(&visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        if name != RAW_VALUE {
            return visitor.visit_newtype_struct(self);
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write_string(&mut text, self.0);
        visitor.visit_map(raw_value(text))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        visitor.visit_borrowed_bytes(self.0.as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
        self.deserialize_bytes(visitor)
    }

    deserialize_number_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
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
        seed.deserialize(Key(self.variant)).map(|variant| (variant, self.content))
    }
}

impl<'a> VariantAccess<'a> for PartialDeserializer<'a> {
    type Error = TypedError;

    fn unit_variant(self) -> Result<(), TypedError> {
        Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, TypedError> {
        seed.deserialize(self).map_err(|error| error.inside(self.value))
    }

    fn tuple_variant<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, TypedError> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedError> {
        self.deserialize_struct("", fields, visitor)
    }
}
