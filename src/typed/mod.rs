//! Typed partials: what reading a type from the view gives, and how many readings it takes.
//!
//! A complete value is read once. An open one is read as it stands, and if that does not fit yet, once more without the
//! open value that did not fit: the innermost first, then the one around it, and so on. Where serde may have buffered
//! the innermost open string, two more readings find out whether it was taken for text (`buffered.rs`).

mod as_serde_json;
mod buffered;
mod children;
mod deserializer;
mod error;
mod open_text;
mod reading;
#[cfg(feature = "schemars")]
mod schema;
mod serialize;
mod settled;

use serde::de::Deserialize;
use serde_json::Value;

use self::buffered::{Around, Asking};
use self::deserializer::PartialDeserializer;
use self::error::{Cause, TypedError};
use self::open_text::answer;
use self::reading::{Boundary, Context, StandIn};
pub use self::settled::Settled;
use crate::error::Error;
use crate::tokenizer::ValueKind;
use crate::tree::{NodeId, PartialValue};

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
    /// Returns the value so far.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Returns true if nothing in it is open.
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

/// The reason why an open value gives no `T` now.
enum NotRead {
    /// And never will.
    Misfit(Error),
    /// But perhaps without this open value. With the error in case that there is nothing else to be left out.
    Without(NodeId, TypedError),
}

impl<'a> PartialValue<'a> {
    /// Reads a `T` from what is known, without building a tree in between.
    ///
    /// **An open value that does not fit yet is absent, a complete value that does not fit is an error, and nothing
    /// open is taken for whole.** The [guide](crate::guide::typed) has a table of what is shown when.
    ///
    /// - Open strings are read with the text so far if they are read as text: as `String`, `&str`, `Cow<str>` or the
    ///   like, optional, boxed, or in a newtype. For any other type (an enum, a `char`, a date, an address, a type with
    ///   `#[serde(try_from = "String")]`) an open string is absent.
    /// - Open arrays and objects are read with the children so far. If one does not fit yet, for want of a required
    ///   field, say, it is absent: an element is left out of its list, a member out of its object. If what is around it
    ///   does not fit without it, that is absent too.
    /// - What is absent is missing: `Option` and `#[serde(default)]` work, and [`Settled`](crate::Settled) holds any
    ///   field back until it is complete.
    ///
    /// A complete value reads as serde_json reads its text, with these differences: `&str` and `&[u8]` borrow from the
    /// snapshot, also where the text has escapes; a key that stands for a number or boolean may be spelt with escapes;
    /// and a `Box<RawValue>` is the value as it is printed, on one line and
    /// without needless escapes. An open value gives no `RawValue`, and none can be borrowed, since a snapshot does not
    /// keep the text as it was spelt.
    ///
    /// An untagged enum is the first variant that fits what is known. A later member may rule that one out, and only
    /// then does the next one show; a tag avoids this. So does [`Settled`](crate::Settled). If any of the variants may
    /// make something else than text of a string (a date, an address, a unit variant), an open string shows nothing,
    /// even if an earlier variant is a `String`:
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, Parser, PatternSet};
    ///
    /// #[derive(Debug, PartialEq, serde::Deserialize)]
    /// #[serde(untagged)]
    /// enum Host { Name(String), Address(std::net::IpAddr) }
    ///
    /// let mut parser = Parser::builder().snapshots().build(&PatternSet::empty());
    /// parser.feed(r#""example"#).check()?;
    /// let pending = parser.snapshot().unwrap().deserialize::<Host>().unwrap_err();
    /// assert_eq!(pending.kind(), ErrorKind::Pending);
    /// parser.feed(r#".org""#).check()?;
    /// let host = parser.snapshot().unwrap().deserialize::<Host>()?;
    /// assert_eq!(*host.get(), Host::Name("example.org".to_owned()));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Pending`](crate::ErrorKind::Pending) if nothing can be shown yet: more of the text may change that.
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) with the path of what does not fit `T`, whatever follows; inside a
    /// type that serde buffers, with the path of the value that was buffered.
    /// [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit) past 127 levels.
    ///
    /// # Cost
    ///
    /// Linear in what is looked at. It is read once, and once more for each open value that is left out: most often
    /// none or one, at worst as many as are open, which is the depth. What serde buffers (tagged and untagged enums,
    /// flattened fields) is read up to three times as often by the first look at an open string in it, to see whether
    /// that is text.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<Partial<T>, Error> {
        let mut boundary = Boundary::all(self);
        loop {
            let (node, error) = match self.read_up_to(boundary) {
                Ok(value) => return Ok(Partial { value, is_complete: self.is_complete() }),
                Err(NotRead::Misfit(error)) => return Err(error),
                Err(NotRead::Without(node, error)) => (node, error),
            };
            // Each is further out than the one before.
            if node <= self.node || boundary.left_out.is_some_and(|left_out| node >= left_out) {
                return Err(error.pending(self));
            }
            boundary = Boundary { innermost: self.other(node).parent(), left_out: Some(node) };
        }
    }

    /// The value as a `serde_json::Value`; the last of duplicate keys wins.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit) past serde_json's 127 levels,
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) for a number outside f64's range, also for one that is
    /// [shown while it is open](crate::ParserBuilder::provisional).
    pub fn to_value(self) -> Result<Value, Error> {
        // Any value is one, open or not, so there is nothing to leave out; but for a number out of range.
        let context = Context::new(self, Boundary::all(self), StandIn::Itself);
        self.read(&context).map_err(|error| error.at(self))
    }

    /// All readings of a type go through here, so that it is compiled once.
    #[inline(never)]
    fn read<T: Deserialize<'a>>(self, context: &Context) -> Result<T, TypedError> {
        let _around = Around::value(context.is_open);
        T::deserialize(PartialDeserializer::new::<T>(self, context)).map_err(|error| error.inside(self))
    }

    fn read_up_to<T: Deserialize<'a>>(self, boundary: Boundary) -> Result<T, NotRead> {
        let context = Context::new(self, boundary, StandIn::Itself);
        let value = self.read(&context).map_err(|error| self.not_read(error, &context))?;
        // Who reads a string does not change while it grows, so it is found out once.
        let reading = Self::read::<T> as fn(Self, &Context) -> Result<T, TypedError> as usize;
        let answer = answer(reading, self.node, boundary.innermost);
        let may_have_parsed = context.may_have_parsed() && self.other(boundary.innermost).as_str().is_some();
        if may_have_parsed && self.note().load() != answer {
            let read_with = |stand_in| self.read::<T>(&Context::new(self, boundary, stand_in));
            let asking = Asking::start();
            let is_text = (!context.has_buffered_innermost() || {
                // What comes of it does not count: serde may have dropped the error.
                let _ = read_with(StandIn::Refused);
                !asking.was_as_name()
            }) && read_with(StandIn::OtherText).is_ok();
            if !is_text {
                return Err(NotRead::Without(boundary.innermost, TypedError::still_open()));
            }
            self.note().store(answer);
        }
        Ok(value)
    }

    /// Decides if the value may still fit, and what to leave out then.
    fn not_read(self, error: TypedError, context: &Context) -> NotRead {
        if !context.is_open {
            return NotRead::Misfit(error.at(self));
        }
        let Boundary { innermost, .. } = context.boundary;
        match error.cause() {
            // Where nothing was buffered, the error knows its place: elsewhere a whole string may have the same text.
            Cause::Misfit
                if (context.has_buffered_innermost() || error.place_in(self) == innermost)
                    && self.other(innermost).as_str().is_some_and(|text| error.is_of_text(text)) => {}
            // The string may have been taken for a tag, with which something else does not fit; the number may grow.
            Cause::Misfit
                if self.is_open_atom(innermost) || context.may_have_parsed() && !self.is_container(innermost) =>
            {
                return NotRead::Without(innermost, error);
            }
            Cause::Misfit => return NotRead::Misfit(error.at(self)),
            Cause::MissingField | Cause::StillOpen | Cause::Unknown => {}
        }
        let place = error.place_in(self);
        let node = if !context.has_buffered() {
            place
        } else if error.cause() == Cause::MissingField && innermost != place && !self.is_container(innermost) {
            // No field is missing in a string.
            self.other(innermost).parent()
        } else {
            // The place is where it was buffered; what did not fit may be anywhere inside.
            innermost
        };
        NotRead::Without(node, error)
    }

    fn is_container(self, node: NodeId) -> bool {
        matches!(self.other(node).kind(), ValueKind::Array | ValueKind::Object)
    }

    fn is_open_atom(self, node: NodeId) -> bool {
        let value = self.other(node);
        !value.is_complete() && !self.is_container(node) && value.as_str().is_none()
    }
}
