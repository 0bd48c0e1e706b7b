//! Keys of objects and names of variants.

use alloc::string::String;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::as_serde_json::{RAW_VALUE, raw_value, read_number};
use super::error::{TypedError, TypedResult};
use super::reading::SETTLED;
use crate::tree::write_string;

/// An object's key or a variant's name, always complete. As in serde_json, a key may be read as a number or a boolean.
#[derive(Clone, Copy)]
pub(super) struct Key<'a>(pub(super) &'a str);

impl Key<'_> {
    fn wrong_type<T>(self, expected: &dyn de::Expected) -> TypedResult<T> {
        Err(de::Error::invalid_type(Unexpected::Str(self.0), expected))
    }
}

macro_rules! deserialize_number_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
            let Self(key) = self;
            // serde_json would allow white space around a number, but a key must not have it.
            let is_number = key.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && !key.ends_with(char::is_whitespace);
            if is_number { read_number(key, |number| number.$method(visitor)) } else { self.wrong_type(&visitor) }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => self.wrong_type(&visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> TypedResult<V::Value> {
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
    ) -> TypedResult<V::Value> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        visitor.visit_borrowed_bytes(self.0.as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
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
