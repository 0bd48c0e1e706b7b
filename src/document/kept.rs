//! A value that a [`Settled`](crate::Settled) was given out of one of serde's buffers, kept until it is known whether
//! it was open: a small tree, from which the field's type is then read.
//!
//! The tree is read as serde's own buffer (`ContentDeserializer`), from which it was filled.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    self, Deserialize, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};

use super::typed_error::WholeError;
use super::withheld;

/// How serde_json represents a number in a buffer, with its feature `arbitrary_precision`: an object with this one key.
const NUMBER: &str = "$serde_json::private::Number";

/// What a reading of a partial document can leave in a buffer.
pub(super) enum Kept<'de> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    /// Borrowed: a complete string.
    Whole(&'de str),
    /// Copied, which is the mark: an open string, or a key of an open object.
    Marked(String),
    Array(Vec<Kept<'de>>),
    Object(Vec<(Kept<'de>, Kept<'de>)>),
    /// What stands for the innermost open value.
    Withheld,
    /// What no reading of ours leaves there.
    Other,
}

impl Kept<'_> {
    /// Whether the value is an object without members: of a flattened field it says nothing.
    pub(super) fn is_empty_object(&self) -> bool {
        matches!(self, Self::Object(members) if members.is_empty())
    }

    /// Whether nothing would mark the value if it were open: it is an array whose last element is no string, or an object
    /// without members.
    pub(super) fn takes_no_mark(&self) -> bool {
        let mut value = self;
        while let Self::Array(elements) = value {
            value = match elements.last() {
                Some(last @ (Self::Array(_) | Self::Object(_))) => last,
                _ => return true,
            };
        }
        self.is_empty_object() || value.is_empty_object()
    }

    /// Whether nothing in the value says that it is open.
    pub(super) fn is_complete(&self) -> bool {
        let mut value = self;
        loop {
            value = match value {
                Self::Marked(_) | Self::Withheld => return false,
                // Every key of an open object is marked. Any key will do, but what is open in it is its last member.
                Self::Object(members) => match members.last() {
                    Some((Self::Marked(_), _)) => return false,
                    Some((Self::Whole(NUMBER), _)) => return true,
                    Some((_, last)) => last,
                    None => return true,
                },
                Self::Array(elements) => match elements.last() {
                    Some(last) => last,
                    None => return true,
                },
                _ => return true,
            };
        }
    }

    /// The error for a value of another kind than the one asked for.
    fn wrong_type<T>(&self, expected: &dyn de::Expected) -> Result<T, WholeError> {
        let unexpected = match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Unsigned(value) => Unexpected::Unsigned(*value),
            Self::Signed(value) => Unexpected::Signed(*value),
            Self::Float(value) => Unexpected::Float(*value),
            Self::Whole(text) => Unexpected::Str(text),
            Self::Marked(text) => Unexpected::Str(text),
            Self::Array(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
            Self::Withheld | Self::Other => Unexpected::Other("what a document has not"),
        };
        Err(de::Error::invalid_type(unexpected, expected))
    }
}

impl<'de> Deserialize<'de> for Kept<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeptVisitor)
    }
}

struct KeptVisitor;

macro_rules! keep {
    ($($method:ident($value:ident: $type:ty) => $kept:expr;)*) => {
        $(fn $method<E>(self, $value: $type) -> Result<Self::Value, E> {
            Ok($kept)
        })*
    };
}

impl<'de> Visitor<'de> for KeptVisitor {
    type Value = Kept<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    keep! {
        visit_bool(value: bool) => Kept::Bool(value);
        visit_u64(value: u64) => Kept::Unsigned(value);
        visit_i64(value: i64) => Kept::Signed(value);
        visit_f64(value: f64) => Kept::Float(value);
        visit_borrowed_str(text: &'de str) => Kept::Whole(text);
        visit_str(text: &str) => Kept::Marked(text.into());
        visit_string(text: String) => Kept::Marked(text);
        visit_i128(_value: i128) => Kept::Other;
        visit_u128(_value: u128) => Kept::Other;
        visit_bytes(_value: &[u8]) => Kept::Withheld;
    }

    fn visit_char<E>(self, character: char) -> Result<Self::Value, E> {
        withheld::note_settled(character);
        Ok(Kept::Withheld)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Kept::Null)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Kept::Other)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Kept::Other)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Kept::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(element) = elements.next_element()? {
            kept.push(element);
        }
        Ok(Kept::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(member) = members.next_entry()? {
            kept.push(member);
        }
        Ok(Kept::Object(kept))
    }
}

impl<'de> IntoDeserializer<'de, WholeError> for Kept<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Methods that take values of some kinds, and no others.
macro_rules! deserialize_kinds {
    ($($method:ident($($argument:ident: $type:ty),*): $($kind:ident)|+;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Self::Error> {
            $(let _ = $argument;)*
            match self {
                $(Self::$kind { .. })|+ => self.deserialize_any(visitor),
                _ => self.wrong_type(&visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Kept<'de> {
    /// What is read from here is complete, whatever was buffered along with it.
    type Error = WholeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Whole(text) => visitor.visit_borrowed_str(text),
            Self::Marked(text) => visitor.visit_string(text),
            Self::Array(elements) => SeqDeserializer::new(elements.into_iter()).deserialize_any(visitor),
            Self::Object(members) => MapDeserializer::new(members.into_iter()).deserialize_any(visitor),
            Self::Withheld | Self::Other => self.wrong_type(&visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if matches!(self, Self::Null) { visitor.visit_unit() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self {
            Self::Whole(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Self::Object(members) if members.len() == 1 => {
                let members = MapAccessDeserializer::new(MapDeserializer::new(members.into_iter()));
                members.deserialize_enum(name, variants, visitor)
            }
            _ => self.wrong_type(&visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    deserialize_kinds! {
        deserialize_bool(): Bool;
        deserialize_i8(): Unsigned | Signed;
        deserialize_i16(): Unsigned | Signed;
        deserialize_i32(): Unsigned | Signed;
        deserialize_i64(): Unsigned | Signed;
        deserialize_u8(): Unsigned | Signed;
        deserialize_u16(): Unsigned | Signed;
        deserialize_u32(): Unsigned | Signed;
        deserialize_u64(): Unsigned | Signed;
        deserialize_f32(): Unsigned | Signed | Float;
        deserialize_f64(): Unsigned | Signed | Float;
        deserialize_char(): Whole | Marked;
        deserialize_str(): Whole | Marked;
        deserialize_string(): Whole | Marked;
        deserialize_identifier(): Whole | Marked;
        deserialize_bytes(): Whole | Marked | Array;
        deserialize_byte_buf(): Whole | Marked | Array;
        deserialize_unit(): Null;
        deserialize_unit_struct(_name: &'static str): Null;
        deserialize_seq(): Array;
        deserialize_tuple(_len: usize): Array;
        deserialize_tuple_struct(_name: &'static str, _len: usize): Array;
        deserialize_map(): Object;
        deserialize_struct(_name: &'static str, _fields: &'static [&'static str]): Array | Object;
    }
}
