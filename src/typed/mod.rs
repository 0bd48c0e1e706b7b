//! Typed partials: reads a type from the view.
//!
//! A complete value is read once. An open value is read as it is. If it does not fit yet, it is read again without the
//! open value that did not fit: the innermost first, then its parent, and so on. Where serde may have buffered the
//! innermost open string, two more reads check that it was read as text (`buffered.rs`).

mod as_serde_json;
mod buffered;
mod deserializer;
mod error;
mod key;
mod open_text;
mod reading;
#[cfg(feature = "schemars")]
mod schema;
mod serialize;
mod settled;

use serde::de::Deserialize;
use serde_json::Value;

use self::buffered::{OpenGuard, Probe};
use self::deserializer::PartialDeserializer;
use self::error::{Cause, TypedError, TypedResult};
use self::open_text::answer;
use self::reading::{Boundary, Context, StandIn};
pub use self::settled::Settled;
use crate::error::Error;
use crate::tokenizer::ValueKind;
use crate::tree::{NodeId, PartialValue};

/// A `T` read from a value that may still be open.
///
/// You can look at the `T`, but *take* it only if nothing in it was open: a `WriteFile` whose text was cut off cannot
/// be taken as a `WriteFile`.
///
/// ```
/// use jsonspigot::Parser;
///
/// #[derive(Debug, Default, serde::Deserialize)]
/// #[serde(default)]
/// struct WriteFile { path: String, text: Option<String> }
///
/// let mut parser = Parser::builder().snapshots().build();
/// parser.feed(r#"{"path": "a.rs", "text": "fn ma"#).check()?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?.unwrap();
/// assert_eq!(call.get().text.as_deref(), Some("fn ma"));
/// let still_partial = call.into_complete().unwrap_err();
/// assert_eq!(still_partial.get().path, "a.rs");
///
/// parser.feed(r#"in() {}"}"#).check()?;
/// let call = parser.snapshot().unwrap().deserialize::<WriteFile>()?.unwrap();
/// assert_eq!(call.into_complete().unwrap().text.unwrap(), "fn main() {}");
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial<T> {
    value: T,
    is_complete: bool,
}

impl<T> Partial<T> {
    /// Returns the value read so far.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Returns true if nothing in the value was open.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the value if nothing in it was open.
    ///
    /// # Errors
    ///
    /// Returns the partial value itself if something was open.
    pub fn into_complete(self) -> Result<T, Self> {
        if self.is_complete { Ok(self.value) } else { Err(self) }
    }
}

/// The reason why a `T` cannot be read from an open value now.
enum NotRead {
    /// The value can never fit.
    Misfit(Error),
    /// The value may fit without this open value.
    Without(NodeId),
}

impl<'a> PartialValue<'a> {
    /// Reads a `T` from the known part of the value, without building a tree in between. Returns `None` while the known
    /// part cannot be a `T` yet, but may become one.
    ///
    /// **An open value that does not fit yet is absent, a complete value that does not fit is an error, and an open
    /// value is never taken for a complete one.** The [guide](crate::guide::typed) has a table of the values that are
    /// shown at each point.
    ///
    /// - Open strings are read with the text so far if they are read as text: as `String`, `&str`, `Cow<str>` or
    ///   similar, optional, boxed, or in a newtype. For any other type (an enum, a `char`, a date, an address, a type
    ///   with `#[serde(try_from = "String")]`) an open string is absent.
    /// - Open arrays and objects are read with the children so far. If one does not fit yet, for example because a
    ///   required field is missing, it is absent: an element is left out of its list, a member out of its object. If
    ///   its parent does not fit without it, the parent is absent too.
    /// - An absent value counts as missing: `Option` and `#[serde(default)]` work, and [`Settled`](crate::Settled)
    ///   holds any field back until it is complete.
    ///
    /// A complete value reads as serde_json reads its text, with these differences: `&str` and `&[u8]` borrow from the
    /// snapshot even if the text has escapes; a key that is read as a number or boolean may contain escapes; and a
    /// `Box<RawValue>` is the value as it is printed, on one line and without needless escapes. An open value cannot be
    /// read as a `RawValue`, and no `RawValue` can be borrowed, because a snapshot does not keep the original spelling.
    ///
    /// An untagged enum is read as the first variant that fits the known part. A later member may rule that variant
    /// out, and only then is the next one shown; a tag avoids this, and so does [`Settled`](crate::Settled). If any
    /// variant may turn a string into something other than text (a date, an address, a unit variant), an open string is
    /// absent, even if an earlier variant is a `String`:
    ///
    /// ```
    /// use jsonspigot::Parser;
    ///
    /// #[derive(Debug, PartialEq, serde::Deserialize)]
    /// #[serde(untagged)]
    /// enum Host { Name(String), Address(std::net::IpAddr) }
    ///
    /// let mut parser = Parser::builder().snapshots().build();
    /// parser.feed(r#""example"#).check()?;
    /// assert_eq!(parser.snapshot().unwrap().deserialize::<Host>()?, None);
    /// parser.feed(r#".org""#).check()?;
    /// let host = parser.snapshot().unwrap().deserialize::<Host>()?.unwrap();
    /// assert_eq!(*host.get(), Host::Name("example.org".to_owned()));
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) with the path of the value that can never fit `T`; inside a type
    /// that serde buffers, with the path of the buffered value. [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit)
    /// past 127 levels.
    ///
    /// # Cost
    ///
    /// Linear in the part of the value that is read. It is read once, and once more for each open value that is left
    /// out: usually none or one, at worst one for each open level. For types that serde buffers (tagged and untagged
    /// enums, flattened fields), the first read of an open string takes up to three times as many reads, to check that
    /// the string is text.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<Option<Partial<T>>, Error> {
        let mut boundary = Boundary::all(self);
        loop {
            let node = match self.read_up_to(boundary) {
                Ok(value) => return Ok(Some(Partial { value, is_complete: self.is_complete() })),
                Err(NotRead::Misfit(error)) => return Err(error),
                Err(NotRead::Without(node)) => node,
            };
            // Each value left out encloses the previous one.
            if node <= self.node || boundary.left_out.is_some_and(|left_out| node >= left_out) {
                return Ok(None);
            }
            boundary = Boundary { innermost: self.other(node).parent(), left_out: Some(node) };
        }
    }

    /// Returns the value as a `serde_json::Value`. The last of several members with the same key wins.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit) past serde_json's 127 levels,
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) for a number outside f64's range, even if it is [shown while it is
    /// open](crate::ParserBuilder::provisional).
    pub fn to_value(self) -> Result<Value, Error> {
        // Any value fits, open or not, so nothing is left out; only a number may be out of range.
        let context = Context::new(self, Boundary::all(self), StandIn::Itself);
        self.read(&context).map_err(|error| error.at(self))
    }

    /// Reads a `T`. All reads of a type share this function, so that it is compiled once.
    #[inline(never)]
    fn read<T: Deserialize<'a>>(self, context: &Context) -> TypedResult<T> {
        let _guard = OpenGuard::new(context.is_open);
        T::deserialize(PartialDeserializer::new::<T>(self, context)).map_err(|error| error.inside(self))
    }

    fn read_up_to<T: Deserialize<'a>>(self, boundary: Boundary) -> Result<T, NotRead> {
        let context = Context::new(self, boundary, StandIn::Itself);
        let value = self.read(&context).map_err(|error| self.not_read(error, &context))?;
        // The reader of a string does not change while it grows, so one check is enough.
        let reading = Self::read::<T> as fn(Self, &Context) -> TypedResult<T> as usize;
        let answer = answer(reading, self.node, boundary.innermost);
        let may_have_parsed = context.may_have_parsed() && self.other(boundary.innermost).as_str().is_some();
        if may_have_parsed && self.note().load() != answer {
            let read_with = |stand_in| self.read::<T>(&Context::new(self, boundary, stand_in));
            let probe = Probe::start();
            let is_text = (!context.has_buffered_innermost.get() || {
                // The result is ignored: serde may have dropped the error.
                let _ = read_with(StandIn::Refused);
                !probe.has_found_name()
            }) && read_with(StandIn::OtherText).is_ok();
            if !is_text {
                return Err(NotRead::Without(boundary.innermost));
            }
            self.note().store(answer);
        }
        Ok(value)
    }

    /// Decides whether the value may still fit and which open value to leave out.
    fn not_read(self, error: TypedError, context: &Context) -> NotRead {
        if !context.is_open {
            return NotRead::Misfit(error.at(self));
        }
        let Boundary { innermost, .. } = context.boundary;
        match error.cause() {
            // Without buffering, the error knows its value: elsewhere a complete string may have the same text.
            Cause::Misfit
                if (context.has_buffered_innermost.get() || error.place_in(self) == innermost)
                    && self.other(innermost).as_str().is_some_and(|text| error.is_of_text(text)) => {}
            // The string may have been read as a tag that makes another value misfit; the number may grow.
            Cause::Misfit
                if self.is_open_atom(innermost) || context.may_have_parsed() && !self.is_container(innermost) =>
            {
                return NotRead::Without(innermost);
            }
            Cause::Misfit => return NotRead::Misfit(error.at(self)),
            Cause::MissingField | Cause::StillOpen | Cause::Unknown => {}
        }
        let place = error.place_in(self);
        let node = if !context.has_buffered.get() {
            place
        } else if error.cause() == Cause::MissingField && innermost != place && !self.is_container(innermost) {
            // A field cannot be missing in a string.
            self.other(innermost).parent()
        } else {
            // The place is that of the buffered value; the misfit may be anywhere inside it.
            innermost
        };
        NotRead::Without(node)
    }

    fn is_container(self, node: NodeId) -> bool {
        matches!(self.other(node).kind(), ValueKind::Array | ValueKind::Object)
    }

    fn is_open_atom(self, node: NodeId) -> bool {
        let value = self.other(node);
        !value.is_complete() && !self.is_container(node) && value.as_str().is_none()
    }
}
