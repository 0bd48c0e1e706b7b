//! A field that is shown only once it is complete, and how it knows, even when it is read out of serde's buffers.
//!
//! **Read directly**, it is simple: `Settled` asks for a newtype with a name of its own. The partial document's
//! deserializer knows that name and answers "none" while the value is open.
//!
//! **Read out of a buffer**, it is not. To read an internally tagged, adjacently tagged or untagged enum, or a
//! flattened field, serde first reads the value into a private tree (`Content`), and then the type from that tree,
//! through a deserializer that knows nothing of open values. What was open has to survive that tree, in two steps:
//!
//! 1. *Whose tree is it?* serde's deserializer keeps the error type of the one that filled the tree. So the
//!    [`Reading`](super::reading::Reading) of an open value has an error type of its own, by whose name `Settled` knows it
//!    ([`read_from`]). With any other error type, that of another format or of a complete value, everything in the tree is
//!    complete.
//! 2. *What in it is open?* The tree keeps a borrowed string as `Content::Str`, a copied one as `Content::String`, and
//!    hands each back as what it was. Nearly every type takes both. So serde's trees get complete strings borrowed, and
//!    the open string and every key of an open object copied. That is the mark. `Settled` first takes its value out of
//!    the tree unchanged ([`Kept`]), looks for the mark, and only then reads its type.
//!
//! An open array has no place for a mark, an empty object neither, and types that borrow (`&str`) can't take any. Every
//! open value but the innermost contains another one, so only the innermost can be without a mark, and in a reading
//! without marks it is enough to know about the innermost. Whether a `Settled` took that one is found out by another
//! reading, in which a character stands for it ([`withheld`](super::withheld)); if so, the type is read with something in
//! its place that no `Settled` takes for complete. If others asked for it too, as the variants of an untagged enum do,
//! nobody knows who took it, and each `Settled` without a place for a mark is empty for the moment.
//!
//! The same trees would hand an open string to a tag, a date or an address as if it were complete; the same character
//! shows who asks for it.
//!
//! None of this works with an error type that is not ours: a deserializer that hides it *and* buffers (typetag, on
//! erased-serde), or a `deserialize_with` that goes through a `Value`. `tests/it/settled.rs` fails if serde's trees
//! stop working like this.

use alloc::string::ToString;
use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use serde::de::value::{
    BorrowedBytesDeserializer, BorrowedStrDeserializer, EnumAccessDeserializer, MapAccessDeserializer,
    SeqAccessDeserializer, UnitDeserializer,
};
use serde::de::{
    self, Deserialize, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::ser::{Serialize, Serializer};

use super::kept::Kept;
use super::reading::SETTLED;
use super::typed_error::{ReadFrom, read_from};

/// A field of a typed partial that is empty until its value is complete: for enums, ids, and anything else that makes
/// no sense half-received. In every other format it reads and writes as the plain value.
///
/// With `#[serde(default)]` the field may also be missing; without it, the value that contains the field is absent
/// until the field has begun. `Settled` works at any depth and around any type, also inside tagged and untagged enums
/// and flattened fields, although serde reads those into a buffer first: it shows its value as soon as that is
/// complete. In two cases it stays empty until the value around it is complete: a flattened field that is itself
/// `Settled` and has no members so far, and a value that a visitor of your own passes on as `text.into_deserializer()`.
///
/// A deserializer that hides its error type and buffers values (typetag, which is built on erased-serde) takes away
/// what this relies on. Do not use `Settled` in types that are read through one.
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
/// parser.feed(r#"{"route": "an"#).check()?;
/// assert!(parser.snapshot().unwrap().deserialize::<Reply>()?.get().route.get().is_none());
/// parser.feed(r#"swer""#).check()?;
/// let reply = parser.snapshot().unwrap().deserialize::<Reply>()?;
/// assert!(matches!(reply.get().route.get(), Some(Route::Answer)));
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Settled<T>(Option<T>);

impl<T> Settled<T> {
    /// The value, once it is complete.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// The value, once it is complete.
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
    /// Reads what a newtype holds: directly, or out of a buffer.
    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Settled<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        let read_from = read_from::<D::Error>();
        if read_from == ReadFrom::Whole {
            return T::deserialize(deserializer).map(Settled::from);
        }
        // What is flattened into an open struct may gain its first member later.
        let is_flattened = type_name::<D>().contains("FlatMapDeserializer");
        let kept = Kept::deserialize(deserializer)?;
        let may_be_open =
            is_flattened && kept.is_empty_object() || read_from == ReadFrom::Unsure && kept.takes_no_mark();
        if may_be_open || !kept.is_complete() {
            return Ok(Settled::default());
        }
        T::deserialize(kept)
            .map(Settled::from)
            .map_err(|error| de::Error::invalid_value(Unexpected::Other(SETTLED), &error.to_string().as_str()))
    }

    /// Reads what a deserializer hands over without calling it the content of a newtype. serde's buffers do call it
    /// that; another deserializer may have read an open value in a way that leaves no mark.
    fn read_unasked<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Settled<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        match read_from::<D::Error>() {
            ReadFrom::Whole => T::deserialize(deserializer).map(Settled::from),
            ReadFrom::Open | ReadFrom::Unsure => Kept::deserialize(deserializer).map(|_| Settled::default()),
        }
    }
}

/// Formats that look through newtypes hand over the value directly.
macro_rules! visit_plain {
    ($($method:ident: $type:ty => $deserializer:expr;)*) => {
        $(fn $method<E: de::Error>(self, value: $type) -> Result<Self::Value, E> {
            self.read_unasked($deserializer(value))
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
        self.read_unasked(UnitDeserializer::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.read_unasked(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        self.read_unasked(SeqAccessDeserializer::new(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        self.read_unasked(MapAccessDeserializer::new(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Self::Value, A::Error> {
        self.read_unasked(EnumAccessDeserializer::new(variant))
    }
}
