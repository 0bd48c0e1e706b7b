//! Writes another agent's events: those of anybody, with `agent` behind the event's name.

use core::fmt::Display;

use serde::ser::{Error as _, Impossible, Serialize, SerializeMap, Serializer};

/// Writes a map with one member more, behind the first.
pub(super) struct OfAgent<'a, S> {
    pub(super) serializer: S,
    pub(super) agent: &'a str,
}

/// A map whose second member has not been written yet, or has.
pub(super) struct Members<'a, M> {
    map: M,
    agent: Option<&'a str>,
}

impl<M: SerializeMap> SerializeMap for Members<'_, M> {
    type Ok = M::Ok;
    type Error = M::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), M::Error> {
        self.map.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), M::Error> {
        self.map.serialize_value(value)?;
        match self.agent.take() {
            Some(agent) => self.map.serialize_entry("agent", agent),
            None => Ok(()),
        }
    }

    fn end(self) -> Result<M::Ok, M::Error> {
        self.map.end()
    }
}

/// An event is a map, and nothing else.
macro_rules! nothing_else {
    ($($method:ident($($argument:ty),*) $(-> $compound:ty)?;)+) => {
        $(nothing_else!(@ $method ($($argument),*) $($compound)?);)+
    };
    (@ $method:ident ($($argument:ty),*)) => {
        fn $method(self, $(_: $argument),*) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("an event is a map"))
        }
    };
    (@ $method:ident ($($argument:ty),*) $compound:ty) => {
        fn $method(self, $(_: $argument),*) -> Result<$compound, S::Error> {
            Err(S::Error::custom("an event is a map"))
        }
    };
}

impl<'a, S: Serializer> Serializer for OfAgent<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Impossible<S::Ok, S::Error>;
    type SerializeTuple = Impossible<S::Ok, S::Error>;
    type SerializeTupleStruct = Impossible<S::Ok, S::Error>;
    type SerializeTupleVariant = Impossible<S::Ok, S::Error>;
    type SerializeMap = Members<'a, S::SerializeMap>;
    type SerializeStruct = Impossible<S::Ok, S::Error>;
    type SerializeStructVariant = Impossible<S::Ok, S::Error>;

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        // How many there are is not known here, which every self-describing format can do without.
        Ok(Members { map: self.serializer.serialize_map(None)?, agent: Some(self.agent) })
    }

    fn is_human_readable(&self) -> bool {
        self.serializer.is_human_readable()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("an event is a map"))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("an event is a map"))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("an event is a map"))
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("an event is a map"))
    }

    nothing_else! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
