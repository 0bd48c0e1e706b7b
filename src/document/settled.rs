//! A field that is shown only once it is whole.

use core::fmt;
use core::marker::PhantomData;

use serde::de::value::{
    BorrowedBytesDeserializer, BorrowedStrDeserializer, EnumAccessDeserializer, MapAccessDeserializer,
    SeqAccessDeserializer, UnitDeserializer,
};
use serde::de::{self, Deserialize, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The name by which the partial document's deserializer knows the type; any other format sees a plain newtype.
pub(super) const SETTLED: &str = "$jsonspigot::Settled";

/// A field of a typed partial that is empty until its value is whole: for enums, ids, and whatever makes no sense
/// half-received. In every other format it reads and writes as the plain value.
///
/// Give it `#[serde(default)]`, so that it may also be missing. It works at any depth and around any type; not inside
/// of what serde reads into a buffer first (a `#[serde(flatten)]` field, an untagged or internally tagged enum), since
/// the buffer no longer knows what was open: there an open string is shown like a whole one.
///
/// ```
/// use jsonspigot::{Parser, PatternSet, Settled};
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
/// let mut parser = Parser::builder().snapshots().build(&PatternSet::empty());
/// parser.feed_with(r#"{"route": "an"#, |_| {})?;
/// assert!(parser.snapshot().unwrap().deserialize::<Reply>()?.get().route.get().is_none());
/// parser.feed_with(r#"swer""#, |_| {})?;
/// let reply = parser.snapshot().unwrap().deserialize::<Reply>()?;
/// assert!(matches!(reply.get().route.get(), Some(Route::Answer)));
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Settled<T>(Option<T>);

impl<T> Settled<T> {
    /// The value, once it is whole.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// The value, once it is whole.
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
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Settled<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        T::deserialize(deserializer).map(|value| Settled(Some(value)))
    }
}

/// Formats that look through newtypes give the value at once.
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

    /// What the partial document's deserializer says of an open value.
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

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.read(deserializer)
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
