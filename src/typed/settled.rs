//! A field that is shown only once it is complete.
//!
//! `Settled` asks for a newtype with a reserved name. The partial document's deserializer recognizes that name wherever
//! serde passes the value through, and answers "none" while the value is open and "some" once it is complete. Any other
//! answer comes from another format or from one of serde's buffers. Then the value is read, unless an open value is
//! being read around it ([`buffered`]).

use core::fmt;
use core::marker::PhantomData;

use serde::de::value::{
    BorrowedBytesDeserializer, BorrowedStrDeserializer, EnumAccessDeserializer, MapAccessDeserializer,
    SeqAccessDeserializer, UnitDeserializer,
};
use serde::de::{
    self, Deserialize, Deserializer, EnumAccess, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::ser::{Serialize, Serializer};

use super::buffered;
use super::reading::SETTLED;

/// A field of a typed partial that is empty until its value is complete: for enums, ids, and other values that are
/// meaningless when incomplete. In every other format it reads and writes as the plain value.
///
/// With `#[serde(default)]` the field may also be missing; without it, the value that contains the field is absent
/// until the field has begun. `Settled` works at any depth and around any type.
///
/// Serde first reads tagged and untagged enums and flattened fields into a buffer. A `Settled` inside one stays empty
/// until the enum, or the struct with the flattened field, is complete. So does any other `Settled` that is read inside
/// an open value, but not from the document itself: through a deserializer that hides it (typetag), from a `Value`, or
/// from text.
///
/// ```
/// use jsonspigot::{Parser, Settled};
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "snake_case")]
/// enum Route { Answer, AskUser }
///
/// #[derive(serde::Deserialize)]
/// struct Reply {
///     #[serde(default)]
///     route: Settled<Route>,
/// }
///
/// let mut parser = Parser::builder().snapshots().build();
/// parser.feed(r#"{"route": "an"#).check()?;
/// assert!(parser.snapshot().unwrap().deserialize::<Reply>()?.unwrap().get().route.get().is_none());
/// parser.feed(r#"swer""#).check()?;
/// let reply = parser.snapshot().unwrap().deserialize::<Reply>()?.unwrap();
/// assert!(matches!(reply.get().route.get(), Some(Route::Answer)));
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Settled<T>(Option<T>);

impl<T> Settled<T> {
    /// Returns the value once it is complete.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Returns the value once it is complete.
    pub fn into_inner(self) -> Option<T> {
        self.0
    }
}

impl<T> Default for Settled<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> From<T> for Settled<T> {
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T: Serialize> Serialize for Settled<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(serializer),
            None => serializer.serialize_unit(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Settled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SETTLED, SettledVisitor(PhantomData))
    }
}

struct SettledVisitor<T>(PhantomData<T>);

impl<T> SettledVisitor<T> {
    /// Reads a value that does not come directly from the document.
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Settled<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        if buffered::may_be_open() {
            return IgnoredAny::deserialize(deserializer).map(|_| Settled::default());
        }
        T::deserialize(deserializer).map(Settled::from)
    }
}

/// Formats that ignore newtypes pass the value directly.
macro_rules! visit_plain {
    ($($method:ident: $type:ty => $deserializer:expr;)*) => {
        $(fn $method<E: de::Error>(self, value: $type) -> Result<Self::Value, E> {
            self.read($deserializer(value))
        })*
    };
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for SettledVisitor<T> {
    type Value = Settled<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    /// Accepts an open value, for which the partial document's deserializer calls this method.
    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Settled(None))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.read(deserializer)
    }

    visit_plain! {
        visit_bool: bool => IntoDeserializer::into_deserializer;
        visit_i64: i64 => IntoDeserializer::into_deserializer;
        visit_i128: i128 => IntoDeserializer::into_deserializer;
        visit_u64: u64 => IntoDeserializer::into_deserializer;
        visit_u128: u128 => IntoDeserializer::into_deserializer;
        visit_f64: f64 => IntoDeserializer::into_deserializer;
        visit_str: &str => IntoDeserializer::into_deserializer;
        visit_borrowed_str: &'de str => BorrowedStrDeserializer::new;
        visit_bytes: &[u8] => IntoDeserializer::into_deserializer;
        visit_borrowed_bytes: &'de [u8] => BorrowedBytesDeserializer::new;
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        self.read(UnitDeserializer::new())
    }

    /// Accepts a complete value.
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        T::deserialize(deserializer).map(Settled::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        self.read(SeqAccessDeserializer::new(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        self.read(MapAccessDeserializer::new(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Self::Value, A::Error> {
        self.read(EnumAccessDeserializer::new(variant))
    }
}
