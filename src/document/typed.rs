//! Typed partials: what reading a type from the view gives, or why it can't.

use alloc::string::{String, ToString};
use core::fmt;

use serde::de::{self, Deserialize};

use super::PartialValue;
use super::deserializer::PartialDeserializer;
use crate::error::{Error, ErrorKind};

/// A `T` read from a value as far as it is known.
///
/// It can be looked at; it can be *taken* only if nothing in it was open. A `WriteFile` whose text was cut is never a
/// `WriteFile`.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// #[derive(Debug, Default, serde::Deserialize)]
/// #[serde(default)]
/// struct WriteFile { path: String, text: Option<String> }
///
/// let mut parser = Parser::builder().snapshots().build(&PatternSet::empty());
/// parser.feed_with(r#"{"path": "a.rs", "text": "fn ma"#, |_| {})?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?;
/// assert_eq!(call.get().text.as_deref(), Some("fn ma"));
/// let still_partial = call.into_complete().unwrap_err();
/// assert_eq!(still_partial.get().path, "a.rs");
///
/// parser.feed_with(r#"in() {}"}"#, |_| {})?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?;
/// assert_eq!(call.into_complete().unwrap().text.unwrap(), "fn main() {}");
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial<T> {
    value: T,
    is_complete: bool,
}

impl<T> Partial<T> {
    /// What is known so far.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Whether nothing in it is open.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The value, if nothing in it was open.
    ///
    /// # Errors
    ///
    /// Gives the partial back if something was.
    pub fn into_complete(self) -> Result<T, Self> {
        if self.is_complete { Ok(self.value) } else { Err(self) }
    }
}

impl<'a> PartialValue<'a> {
    /// Reads a `T` from what is known, without building a tree in between.
    ///
    /// Open strings are read as they stand, open arrays and objects with what they have. What is not there yet is
    /// absent: `Option` and `#[serde(default)]` work, and [`Settled`](crate::Settled) holds a field back until it is
    /// whole. An open string is only ever text: it is neither an enum's tag or variant nor a `char`.
    ///
    /// A complete value reads as serde_json reads its text, with these differences: `&str` and `&[u8]` borrow from the
    /// snapshot, also where the text has escapes; a key that stands for a number or boolean may be spelt with escapes;
    /// and a `Box<RawValue>` is the value as it is printed, on one line and without needless escapes. An open value gives
    /// no `RawValue`, and none can be borrowed, since a snapshot does not keep the text as it was spelt.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`] with the path of what does not fit `T`; [`ErrorKind::DepthLimit`] past 127 levels.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<Partial<T>, Error> {
        let value = T::deserialize(PartialDeserializer::new(self)).map_err(|error| error.at(self))?;
        Ok(Partial { value, is_complete: self.is_complete() })
    }
}

/// Why a value did not fit, and the innermost value that did not.
#[derive(Debug)]
pub(super) struct TypedError {
    kind: ErrorKind,
    reason: String,
    path: Option<String>,
}

impl TypedError {
    /// The error of reading `value`.
    pub(super) fn at(self, value: PartialValue<'_>) -> Error {
        let path = self.path.unwrap_or_else(|| value.path());
        Error::without_place(self.kind, &path, &self.reason)
    }

    pub(super) fn new(kind: ErrorKind, reason: &str) -> Self {
        Self { kind, reason: reason.to_string(), path: None }
    }

    /// What is open was asked for in a way that only a whole value can answer.
    pub(super) fn still_open() -> Self {
        Self::new(ErrorKind::Data, "expected a whole value, but this one is still open")
    }

    /// Notes the path, unless a value further inside did before.
    pub(super) fn inside(self, value: PartialValue<'_>) -> Self {
        Self { path: self.path.or_else(|| Some(value.path())), ..self }
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl core::error::Error for TypedError {}

impl From<serde_json::Error> for TypedError {
    /// serde_json's reason for refusing a number, without the place in it.
    fn from(error: serde_json::Error) -> Self {
        let reason = error.to_string();
        let place = reason.rfind(" at line ").unwrap_or(reason.len());
        Self::new(ErrorKind::Data, &reason[..place])
    }
}

impl de::Error for TypedError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(ErrorKind::Data, &reason.to_string())
    }
}
