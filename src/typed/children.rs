//! The children of a container while it is read: elements, and members with their keys.
//!
//! The container's reader also reads its children. This file knows it only as [`ReadChild`], so it does not depend on
//! the deserializer.

use alloc::string::String;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::as_serde_json::{RAW_VALUE, raw_value, read_number};
use super::error::TypedError;
use super::reading::{Context, SETTLED};
use crate::error::ErrorKind;
use crate::path::Segment;
use crate::tree::{PartialValue, PartialValues, write_string};

/// Reads the children of one container.
pub(super) trait ReadChild<'a>: Copy {
    fn read_child<T: DeserializeSeed<'a>>(self, value: PartialValue<'a>, seed: T) -> Result<T::Value, TypedError>;

    fn context(&self) -> &Context;
}

/// The children of a container that are still to be read.
pub(super) struct Children<'a, P> {
    values: PartialValues<'a>,
    /// The number of children left to be read.
    left: usize,
    parent: P,
    /// The member whose key has been read and whose value has not.
    entry: Option<PartialValue<'a>>,
}

impl<'a, P> Children<'a, P> {
    /// Returns the first `count` children of a container, which must have that many.
    pub(super) fn new(container: PartialValue<'a>, count: usize, parent: P) -> Self {
        Self { values: container.children(), left: count, parent, entry: None }
    }

    pub(super) fn are_all_read(&self) -> bool {
        self.left == 0 && self.entry.is_none()
    }

    fn next(&mut self) -> Option<PartialValue<'a>> {
        self.left = self.left.checked_sub(1)?;
        self.values.next()
    }
}

impl<'a, P: ReadChild<'a>> SeqAccess<'a> for Children<'a, P> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Self::Error> {
        let Some(value) = self.next() else { return Ok(None) };
        match self.parent.read_child(value, seed) {
            // Treated as not begun; otherwise another read of the whole value would leave it out.
            Err(error) if error.leaves_out_all_of(value, self.parent.context()) => Ok(None),
            read => read.map(Some),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'a, P: ReadChild<'a>> MapAccess<'a> for Children<'a, P> {
    type Error = TypedError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        if self.entry.is_some() {
            return Err(TypedError::misfit(ErrorKind::Data, "expected a value to be read before the next key"));
        }
        let Some(value) = self.next() else { return Ok(None) };
        let Some(Segment::Key(key)) = value.segment() else { return Ok(None) };
        self.entry = Some(value);
        let read = seed.deserialize(Key(key)).map(Some);
        // A key is always complete.
        read.map_err(|error| error.permanent().inside(value))
    }

    fn next_value_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<T::Value, Self::Error> {
        match self.entry.take() {
            Some(value) => self.parent.read_child(value, seed),
            None => Err(TypedError::misfit(ErrorKind::Data, "expected a key to be read before its value")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// An object's key or a variant's name, always complete. As in serde_json, a key may be read as a number or a boolean.
#[derive(Clone, Copy)]
pub(super) struct Key<'a>(pub(super) &'a str);

impl Key<'_> {
    fn wrong_type<T>(self, expected: &dyn de::Expected) -> Result<T, TypedError> {
        Err(de::Error::invalid_type(Unexpected::Str(self.0), expected))
    }
}

macro_rules! deserialize_number_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypedError> {
            let Self(key) = self;
            // serde_json would allow white space around a number, but a key must not have it.
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
        match name {
            SETTLED => visitor.visit_some(self),
            RAW_VALUE => {
                let mut text = String::new();
                // Writing to a string cannot fail.
                let _ = write_string(&mut text, self.0);
                visitor.visit_map(raw_value(text))
            }
            _ => visitor.visit_newtype_struct(self),
        }
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
        char str string identifier unit unit_struct seq tuple tuple_struct map struct ignored_any
    }
}
