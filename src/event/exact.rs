//! Writing an event as one JSON object on one line, with the exact text of its values.

use core::fmt::{self, Write};

use serde::ser::{Error, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeTuple, Serializer};

use super::on_one_line;
use super::raw_json::RAW_JSON;

/// Writes what serde says of a value as JSON without white space, and the text of a [`RawJson`](super::RawJson) as it
/// is.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> fmt::Result {
    value.serialize(Exact { out, is_raw: false })
}

/// serde's serializer for it.
pub(super) struct Exact<'a> {
    out: &'a mut dyn Write,
    /// True if the next thing is a JSON text, as a string.
    is_raw: bool,
}

/// A list or map that is open: what comes before the next element, and after the last one.
pub(super) struct Open<'a> {
    out: &'a mut dyn Write,
    before: &'static str,
    end: char,
}

impl<'a> Exact<'a> {
    /// Writes what serde_json does.
    fn plain(self, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        self.out.write_str(&serde_json::to_string(value).map_err(fmt::Error::custom)?)
    }

    fn open(self, begin: char, end: char) -> Result<Open<'a>, fmt::Error> {
        self.out.write_char(begin)?;
        Ok(Open { out: self.out, before: "", end })
    }
}

impl Open<'_> {
    fn put(&mut self, before: &'static str, value: &(impl Serialize + ?Sized)) -> fmt::Result {
        self.out.write_str(before)?;
        self.before = ",";
        value.serialize(Exact { out: self.out, is_raw: false })
    }

    fn close(self) -> fmt::Result {
        self.out.write_char(self.end)
    }
}

/// Writes these as serde_json does.
macro_rules! plain {
    ($($function:ident: $type:ty),*) => {
        $(fn $function(self, value: $type) -> fmt::Result {
            self.plain(&value)
        })*
    };
}

/// No event has any of these.
macro_rules! none_has {
    ($($function:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(fn $function(self, $(_: $argument),*) -> Result<$result, fmt::Error> {
            Err(fmt::Error)
        })*
    };
}

impl<'a> Serializer for Exact<'a> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Open<'a>;
    type SerializeMap = Open<'a>;
    type SerializeTuple = Open<'a>;
    type SerializeTupleStruct = Impossible<(), fmt::Error>;
    type SerializeTupleVariant = Impossible<(), fmt::Error>;
    type SerializeStruct = Impossible<(), fmt::Error>;
    type SerializeStructVariant = Impossible<(), fmt::Error>;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char
    }

    /// Returns true except inside a value's exact text.
    fn is_human_readable(&self) -> bool {
        !self.is_raw
    }

    fn serialize_str(self, text: &str) -> fmt::Result {
        if self.is_raw { self.out.write_str(&on_one_line(text)) } else { self.plain(text) }
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> fmt::Result {
        value.serialize(Exact { is_raw: name == RAW_JSON, ..self })
    }

    fn serialize_none(self) -> fmt::Result {
        self.out.write_str("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> fmt::Result {
        self.serialize_none()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a>, fmt::Error> {
        self.open('[', ']')
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'a>, fmt::Error> {
        self.open('[', ']')
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a>, fmt::Error> {
        self.open('{', '}')
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> fmt::Result {
        self.plain(variant)
    }

    none_has! {
        serialize_bytes(&[u8]) -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_tuple_struct(&'static str, usize) -> Impossible<(), fmt::Error>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Impossible<(), fmt::Error>;
        serialize_struct(&'static str, usize) -> Impossible<(), fmt::Error>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Impossible<(), fmt::Error>;
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl SerializeSeq for Open<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.put(self.before, value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl SerializeTuple for Open<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.put(self.before, value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl SerializeMap for Open<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        self.put(self.before, key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.put(":", value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}
