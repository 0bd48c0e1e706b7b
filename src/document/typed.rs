//! Typed partials: what reading a type from the view gives, and how many readings it takes.

use serde::de::Deserialize;
use serde_json::Value;

use super::PartialValue;
use super::deserializer::PartialDeserializer;
use super::reading::{Context, Marked, OpenText, Reading, Unmarked, Whole};
use super::typed_error::TypedError;
use super::withheld::Withheld;
use crate::error::Error;

/// A `T` read from a value as far as it is known.
///
/// You can look at the `T`, but *take* it only if nothing in it was open. A `WriteFile` whose text was cut off can't be
/// had as a `WriteFile`.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// #[derive(Debug, Default, serde::Deserialize)]
/// #[serde(default)]
/// struct WriteFile { path: String, text: Option<String> }
///
/// let mut parser = Parser::builder().snapshots().build(&PatternSet::empty());
/// parser.feed(r#"{"path": "a.rs", "text": "fn ma"#).check()?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?;
/// assert_eq!(call.get().text.as_deref(), Some("fn ma"));
/// let still_partial = call.into_complete().unwrap_err();
/// assert_eq!(still_partial.get().path, "a.rs");
///
/// parser.feed(r#"in() {}"}"#).check()?;
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
    /// Returns the partial value itself if something was open.
    pub fn into_complete(self) -> Result<T, Self> {
        if self.is_complete { Ok(self.value) } else { Err(self) }
    }
}

impl<'a> PartialValue<'a> {
    /// Reads a `T` from what is known, without building a tree in between.
    ///
    /// Open strings are read with the text so far, open arrays and objects with the children so far. What is not there
    /// yet is absent: `Option` and `#[serde(default)]` work, and [`Settled`](crate::Settled) holds a field back until
    /// it is complete. An open string is only ever text: it is neither an enum's tag or variant nor a `char`.
    ///
    /// A complete value reads as serde_json reads its text, with these differences: `&str` and `&[u8]` borrow from the
    /// snapshot, also where the text has escapes; a key that stands for a number or boolean may be spelt with escapes;
    /// and a `Box<RawValue>` is the value as it is printed, on one line and
    /// without needless escapes. An open value gives no `RawValue`, and none can be borrowed, since a snapshot does not
    /// keep the text as it was spelt.
    ///
    /// Tagged and untagged enums and flattened fields, which serde buffers, are read again while a string inside them
    /// is open: once to see whether it is text, and once more if it may be a tag or variant. Then what the string would
    /// be is absent until it ends.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) with the path of what does not fit `T`;
    /// [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit) past 127 levels.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<Partial<T>, Error> {
        let value = if self.is_complete() {
            let context = Context::new(OpenText::Shown);
            self.read::<T, Whole>(&context).map_err(|error| error.at(self))?
        } else {
            self.read_open()?
        };
        Ok(Partial { value, is_complete: self.is_complete() })
    }

    fn read<T: Deserialize<'a>, R: Reading>(self, context: &Context) -> Result<T, TypedError<R>> {
        T::deserialize(PartialDeserializer::new(self, context))
    }

    /// The value as a `serde_json::Value`; the last of duplicate keys wins.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit) past serde_json's 127 levels,
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) for a number outside f64's range.
    pub fn to_value(self) -> Result<Value, Error> {
        // Without marks: no `Settled` and no tag can be in it.
        self.read::<Value, Unmarked>(&Context::new(OpenText::Shown)).map_err(|error| error.at(self))
    }

    fn read_open<T: Deserialize<'a>>(self) -> Result<T, Error> {
        let context = Context::new(OpenText::Shown);
        match self.read::<T, Marked>(&context) {
            Ok(value) => self.without_open_names::<T, Marked>(value, &context),
            // Marked text is copied, and may have been refused for that reason alone.
            Err(error) if context.has_marked() && !error.is_of_settled() => {
                let context = Context::new(OpenText::Shown);
                let value = self.read::<T, Unmarked>(&context).map_err(|error| error.at(self))?;
                self.without_open_names::<T, Unmarked>(value, &context)
            }
            Err(error) => Err(error.at(self)),
        }
    }

    /// What was read; or, if the open string was taken for the name of a variant, what is read without it.
    fn without_open_names<T: Deserialize<'a>, R: Reading>(self, value: T, first: &Context) -> Result<T, Error> {
        if !first.may_have_buffered_open_text() {
            return Ok(value);
        }
        if let Some(withheld) = Withheld::new() {
            let _ = self.read::<T, R>(&Context::new(OpenText::Withheld(withheld.character())));
            if !withheld.was_asked_as_name() {
                return Ok(value);
            }
        }
        // If there was no free place to find out, it may have been taken for one.
        let read = self.read::<T, R>(&Context::new(OpenText::LeftOut));
        read.map_err(|_| TypedError::<R>::still_open().at(self.last_in_document()))
    }
}
