//! The serde `Deserializer` over the view. It reads like serde_json, but from the known part of a value.
//!
//! Each method accepts the kinds of values that serde_json's method accepts, and no others, because a visitor may
//! accept more than it asks for: `serde_json::Map` accepts null.

use alloc::string::ToString;
use core::marker::PhantomData;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

use super::as_serde_json::{RAW_VALUE, raw_value, read_number};
use super::buffered::{CAN_BE_OPEN, OpenGuard, STAND_IN};
use super::error::{TypedError, TypedResult};
use super::key::Key;
use super::open_text::{OTHER_TEXT, TextReader, is_for_text, is_for_value};
use super::reading::{Context, SETTLED, StandIn};
use crate::error::ErrorKind;
use crate::event::SERDE_DEPTH;
use crate::path::Segment;
use crate::tokenizer::ValueKind;
use crate::tree::{PartialValue, PartialValues};

/// Reads one value, within a limit on the levels of nested containers.
#[derive(Clone, Copy)]
pub(super) struct PartialDeserializer<'c, 'a> {
    value: PartialValue<'a>,
    levels_left: u8,
    /// The reader of the value, if it is an open string.
    reader: TextReader,
    /// True if this thread is reading an open value.
    is_reading_open: bool,
    context: &'c Context,
}

impl<'c, 'a> PartialDeserializer<'c, 'a> {
    /// Creates a deserializer that reads a `T`.
    pub(super) fn new<T>(value: PartialValue<'a>, context: &'c Context) -> Self {
        Self {
            value,
            levels_left: SERDE_DEPTH as u8,
            reader: TextReader::of::<T>(),
            is_reading_open: context.is_open,
            context,
        }
    }

    fn is_open(self) -> bool {
        self.is_reading_open && !self.value.is_complete()
    }

    #[inline]
    fn one_level_less(self) -> TypedResult<Self> {
        let too_deep = || TypedError::misfit(ErrorKind::DepthLimit, "expected no more than 127 levels");
        Ok(Self { levels_left: self.levels_left.checked_sub(1).ok_or_else(too_deep)?, ..self })
    }

    /// Returns the number of children that are shown. A child that is left out is the last one of an open container.
    fn shown_children(self) -> usize {
        let has_left_out =
            self.context.boundary.left_out.is_some() && self.context.boundary.innermost == self.value.node;
        self.value.len() - usize::from(has_left_out)
    }

    /// Passes the children to `read` and fails if any are left, so that an array of three is not read as a pair.
    fn read_children<T>(self, read: impl FnOnce(&mut Children<'c, 'a>) -> TypedResult<T>) -> TypedResult<T> {
        let (values, left, parent) = (self.value.children(), self.shown_children(), self.one_level_less()?);
        let mut children = Children { values, left, parent, entry: None };
        let value = read(&mut children)?;
        if children.left == 0 && children.entry.is_none() {
            Ok(value)
        } else {
            Err(TypedError::invalid_length(self.value.len(), &"fewer elements").permanent())
        }
    }

    /// Reads a child, or the content of an enum, after [`Self::one_level_less`].
    fn read_child<T: DeserializeSeed<'a>>(self, value: PartialValue<'a>, seed: T) -> TypedResult<T::Value> {
        let is_complete = value.is_complete();
        // Every value inside a complete value is complete.
        let _guard = (self.is_reading_open && is_complete).then(|| OpenGuard::new(false));
        let reader = match self.reader {
            _ if is_complete => TextReader::Other,
            TextReader::Any => TextReader::Any,
            _ => TextReader::of_seed::<T, T::Value>(),
        };
        let child = Self { value, reader, is_reading_open: self.is_reading_open && !is_complete, ..self };
        seed.deserialize(child).map_err(|error| error.inside(value))
    }

    /// Reads a value for a visitor that accepts anything and may therefore be a buffer.
    fn read_any<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        let is_value = self.reader == TextReader::Text && is_for_value::<V::Value>();
        if self.is_open() && !is_value {
            return self.read_any_open(visitor);
        }
        match self.value.kind() {
            ValueKind::String => visitor.visit_borrowed_str(self.value.text()),
            ValueKind::Number => read_number(self.value.text(), |number| number.deserialize_any(visitor)),
            ValueKind::Array | ValueKind::Object => self.read_members(visitor),
            ValueKind::Null | ValueKind::Bool => self.read_literal(visitor),
        }
    }

    /// Reads an open value for such a visitor. A buffer is recognized only by the type that the visitor makes.
    fn read_any_open<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        let kind = self.value.kind();
        if kind == ValueKind::String && is_for_text::<V::Value>() {
            return self.read_text(visitor);
        }
        if !CAN_BE_OPEN && !is_for_value::<V::Value>() {
            return Err(TypedError::still_open());
        }
        self.context.buffer(self.value);
        match (kind, self.context.stand_in) {
            (ValueKind::Array | ValueKind::Object, _) => Self { reader: TextReader::Any, ..self }.read_members(visitor),
            (ValueKind::String, StandIn::Itself) => visitor.visit_borrowed_str(self.value.text()),
            (ValueKind::String, StandIn::Refused) => visitor.visit_newtype_struct(STAND_IN.into_deserializer()),
            (ValueKind::String, StandIn::OtherText) => visitor.visit_borrowed_str(OTHER_TEXT),
            // A number may grow after it was buffered.
            _ if !is_for_value::<V::Value>() => Err(TypedError::still_open()),
            (ValueKind::Number, _) => read_number(self.value.text(), |number| number.deserialize_any(visitor)),
            _ => self.read_literal(visitor),
        }
    }

    #[inline]
    fn read_members<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        match self.value.kind() {
            ValueKind::Array => self.read_children(|elements| visitor.visit_seq(elements)),
            _ => self.read_children(|members| visitor.visit_map(members)),
        }
    }

    fn read_literal<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        match self.value.as_bool() {
            Some(bool) => visitor.visit_bool(bool),
            None => visitor.visit_unit(),
        }
    }

    fn read_enum<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        let value = self.value;
        match value.kind() {
            ValueKind::String if self.is_open() => Err(TypedError::still_open()),
            ValueKind::String => visitor.visit_enum(BorrowedStrDeserializer::new(value.text())),
            ValueKind::Object => match (value.entries().next(), self.shown_children()) {
                (Some((variant, content)), 1) => {
                    let content = Self { value: content, ..self.one_level_less()? };
                    visitor.visit_enum(Variant { variant, content })
                }
                (_, count) => {
                    let error = TypedError::invalid_value(Unexpected::Map, &"an object with a single key");
                    Err(if count > 1 { error.permanent() } else { error })
                }
            },
            _ => Err(TypedError::invalid_type(Unexpected::Other("neither string nor object"), &"an enum")),
        }
    }

    /// Reads a string only if it is complete: a prefix may be another variant's name, and its first character a `char`.
    fn read_whole_text<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        if self.is_open() { Err(TypedError::still_open()) } else { visitor.visit_borrowed_str(self.value.text()) }
    }

    fn read_text<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        if self.is_open() && !self.shows_text::<V::Value>() {
            return Err(TypedError::still_open());
        }
        match self.context.stand_in {
            StandIn::OtherText if self.is_open() => visitor.visit_borrowed_str(OTHER_TEXT),
            _ => visitor.visit_borrowed_str(self.value.text()),
        }
    }

    fn shows_text<T>(self) -> bool {
        if matches!(self.reader, TextReader::Newtype | TextReader::Any) {
            self.context.has_read_newtype.set(true);
        }
        self.reader.shows::<T>()
    }

    fn read_bytes<V: Visitor<'a>>(self, visitor: V) -> TypedResult<V::Value> {
        match self.value.as_str() {
            Some(_) if self.is_open() && !self.shows_text::<V::Value>() => Err(TypedError::still_open()),
            Some(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
            None => self.read_members(visitor),
        }
    }

    /// Fails with the error for a value of the wrong kind.
    fn wrong_type<T>(self, expected: &dyn de::Expected) -> TypedResult<T> {
        let unexpected = match self.value.kind() {
            ValueKind::Null => Unexpected::Unit,
            ValueKind::Bool => Unexpected::Bool(self.value.as_bool() == Some(true)),
            ValueKind::Number => match self.value.number() {
                Some(number) if number.is_u64() => Unexpected::Unsigned(number.as_u64().unwrap_or_default()),
                Some(number) if number.is_i64() => Unexpected::Signed(number.as_i64().unwrap_or_default()),
                number => {
                    number.and_then(|number| number.as_f64()).map_or(Unexpected::Other("number"), Unexpected::Float)
                }
            },
            ValueKind::String => Unexpected::Str(self.value.text()),
            ValueKind::Array => Unexpected::Seq,
            ValueKind::Object => Unexpected::Map,
        };
        // A value's kind never changes.
        Err(TypedError::invalid_type(unexpected, expected).permanent())
    }
}

/// Methods that accept some kinds of values and read each in the given way. They accept no numbers, and do not use
/// serde_json, which would compile all that a visitor reads a second time.
macro_rules! deserialize_kinds {
    ($($method:ident($($argument:ident: $type:ty),*): $($kind:ident)|+ => $read:ident;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> TypedResult<V::Value> {
            $(let _ = $argument;)*
            match self.value.kind() {
                $(ValueKind::$kind)|+ => self.$read(visitor),
                _ => self.wrong_type(&visitor),
            }
        })*
    };
}

/// Methods for numbers.
macro_rules! deserialize_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
            match self.value.kind() {
                ValueKind::Number => read_number(self.value.text(), |number| number.$method(visitor)),
                _ => self.wrong_type(&visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for PartialDeserializer<'_, 'de> {
    type Error = TypedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        self.read_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> TypedResult<V::Value> {
        match name {
            SETTLED if self.is_open() => visitor.visit_none(),
            SETTLED => visitor.visit_some(self),
            RAW_VALUE if self.is_open() => Err(TypedError::still_open()),
            RAW_VALUE => visitor.visit_map(raw_value(self.value.to_string())),
            _ => visitor.visit_newtype_struct(Self { reader: TextReader::Newtype, ..self }),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> TypedResult<V::Value> {
        self.read_enum(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        self.deserialize_bytes(visitor)
    }

    /// Ignores the value without reading it.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> TypedResult<V::Value> {
        visitor.visit_unit()
    }

    deserialize_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    deserialize_kinds! {
        deserialize_unit(): Null => read_literal;
        deserialize_unit_struct(name: &'static str): Null => read_literal;
        deserialize_bool(): Bool => read_literal;
        deserialize_char(): String => read_whole_text;
        deserialize_str(): String => read_text;
        deserialize_string(): String => read_text;
        deserialize_identifier(): String => read_whole_text;
        deserialize_bytes(): String | Array => read_bytes;
        deserialize_seq(): Array => read_members;
        deserialize_tuple(len: usize): Array => read_members;
        deserialize_tuple_struct(name: &'static str, len: usize): Array => read_members;
        deserialize_map(): Object => read_members;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]): Array | Object => read_members;
    }
}

/// The children of a container that are still to be read.
struct Children<'c, 'a> {
    values: PartialValues<'a>,
    /// The number of children left to be read.
    left: usize,
    /// The container's deserializer, with one level less.
    parent: PartialDeserializer<'c, 'a>,
    /// The member whose key has been read and whose value has not.
    entry: Option<PartialValue<'a>>,
}

impl<'a> Children<'_, 'a> {
    fn next(&mut self) -> Option<PartialValue<'a>> {
        self.left = self.left.checked_sub(1)?;
        self.values.next()
    }
}

impl<'a> SeqAccess<'a> for Children<'_, 'a> {
    type Error = TypedError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Self::Error> {
        let Some(value) = self.next() else { return Ok(None) };
        match self.parent.read_child(value, seed) {
            // Treated as not begun; otherwise another read of the whole value would leave it out.
            Err(error) if error.leaves_out_all_of(value, self.parent.context) => Ok(None),
            read => read.map(Some),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'a> MapAccess<'a> for Children<'_, 'a> {
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

/// An enum spelt as an object: `{"variant": content}`.
struct Variant<'c, 'a> {
    variant: &'a str,
    content: PartialDeserializer<'c, 'a>,
}

impl<'c, 'a> EnumAccess<'a> for Variant<'c, 'a> {
    type Error = TypedError;
    type Variant = PartialDeserializer<'c, 'a>;

    fn variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> TypedResult<(T::Value, Self::Variant)> {
        let variant = seed.deserialize(Key(self.variant)).map_err(TypedError::permanent)?;
        Ok((variant, self.content))
    }
}

impl<'a> VariantAccess<'a> for PartialDeserializer<'_, 'a> {
    type Error = TypedError;

    fn unit_variant(self) -> TypedResult<()> {
        self.newtype_variant_seed(PhantomData)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> TypedResult<T::Value> {
        self.read_child(self.value, seed)
    }

    fn tuple_variant<V: Visitor<'a>>(self, len: usize, visitor: V) -> TypedResult<V::Value> {
        self.deserialize_tuple(len, visitor).map_err(|error| error.inside(self.value))
    }

    fn struct_variant<V: Visitor<'a>>(self, fields: &'static [&'static str], visitor: V) -> TypedResult<V::Value> {
        self.deserialize_struct("", fields, visitor).map_err(|error| error.inside(self.value))
    }
}
