//! Typed partials: what reading a type from the view gives, and how many readings it takes.
//!
//! A complete value is read once. An open one is read as it stands, and if that does not fit yet, once more without the
//! open value that did not fit: the innermost first, then the one around it, and so on. Where serde buffers the innermost
//! open value, further readings find out who took it ([`withheld`](super::withheld)).

use serde::de::Deserialize;
use serde_json::Value;

use super::deserializer::PartialDeserializer;
use super::reading::{Context, Extent, Open, Reading, StandIn, Unsure, Whole};
use super::typed_error::{Cause, TypedError};
use super::withheld::Withheld;
use super::{NOTHING, NodeId, NodeKind, PartialValue};
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

/// Why an open value gives no `T` now.
enum NotRead {
    /// And never will.
    Misfit(Error),
    /// But perhaps without this open value. With the error in case that there is nothing else to be left out.
    Without(NodeId, TypedError<Open>),
}

impl<'a> PartialValue<'a> {
    /// Reads a `T` from what is known, without building a tree in between.
    ///
    /// **An open value that does not fit yet is absent, a complete value that does not fit is an error, and nothing open is
    /// taken for whole.** The [guide](crate::guide::typed) has a table of what is shown when.
    ///
    /// - Open strings are read with the text so far if they are read as text: as `String`, `&str`, `Cow<str>` or the like,
    ///   optional, boxed, or in a newtype. For any other type (an enum, a `char`, a date, an address, a type with
    ///   `#[serde(try_from = "String")]`) an open string is absent.
    /// - Open arrays and objects are read with the children so far. If one does not fit yet, for want of a required field,
    ///   say, it is absent: an element is left out of its list, a member out of its object. If what is around it does not
    ///   fit without it, that is absent too.
    /// - What is absent is missing: `Option` and `#[serde(default)]` work, and [`Settled`](crate::Settled) holds any field
    ///   back until it is complete.
    ///
    /// A complete value reads as serde_json reads its text, with these differences: `&str` and `&[u8]` borrow from the
    /// snapshot, also where the text has escapes; a key that stands for a number or boolean may be spelt with escapes;
    /// and a `Box<RawValue>` is the value as it is printed, on one line and
    /// without needless escapes. An open value gives no `RawValue`, and none can be borrowed, since a snapshot does not
    /// keep the text as it was spelt.
    ///
    /// An untagged enum is the first variant that fits what is known. A later member may rule that one out, and only then
    /// does the next one show; a tag avoids this. So does [`Settled`](crate::Settled).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Pending`](crate::ErrorKind::Pending) if nothing can be shown yet: more of the text may change that.
    /// [`ErrorKind::Data`](crate::ErrorKind::Data) with the path of what does not fit `T`, whatever follows; inside a type
    /// that serde buffers, with the path of the value that was buffered.
    /// [`ErrorKind::DepthLimit`](crate::ErrorKind::DepthLimit) past 127 levels.
    ///
    /// # Cost
    ///
    /// Linear in what is looked at. It is read once, and once more for each open value that is left out: most often none
    /// or one, at worst as many as are open, which is the depth. What serde buffers (tagged and untagged enums, flattened
    /// fields) is read up to three times as often by the first look at an open string in it, to see whether that is text.
    pub fn deserialize<T: Deserialize<'a>>(self) -> Result<Partial<T>, Error> {
        let value = if self.is_complete() { self.read_whole()? } else { self.read_open()? };
        Ok(Partial { value, is_complete: self.is_complete() })
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
        let context = Context::new(Extent::all(self), false, StandIn::Itself);
        self.read::<Value, Open>(&context).map_err(|error| error.at(self))
    }

    fn read<T: Deserialize<'a>, R: Reading>(self, context: &Context) -> Result<T, TypedError<R>> {
        T::deserialize(PartialDeserializer::new::<T>(self, context)).map_err(|error| error.inside(self))
    }

    /// Reads a complete value.
    pub(crate) fn read_whole<T: Deserialize<'a>>(self) -> Result<T, Error> {
        let context = Context::new(Extent::all(self), false, StandIn::Itself);
        self.read::<T, Whole>(&context).map_err(|error| error.at(self))
    }

    /// Reads a complete value, if that gives the same `T` as reading its text does.
    pub(crate) fn read_as_text<T: Deserialize<'a>>(self) -> Option<T> {
        let context = Context::new(Extent::all(self), false, StandIn::Itself);
        self.read::<T, Whole>(&context).ok().filter(|_| !context.has_read_spelling())
    }

    /// Leaves out open values until what is left fits.
    fn read_open<T: Deserialize<'a>>(self) -> Result<T, Error> {
        let mut extent = Extent::all(self);
        loop {
            match self.read_extent(extent) {
                Ok(value) => return Ok(value),
                Err(NotRead::Misfit(error)) => return Err(error),
                // Each is further out than the one before.
                Err(NotRead::Without(node, error)) if node <= self.node || node >= extent.left_out => {
                    return Err(error.pending(self));
                }
                Err(NotRead::Without(node, _)) => {
                    extent = Extent { innermost: self.document.nodes[node as usize].parent, left_out: node };
                }
            }
        }
    }

    fn read_extent<T: Deserialize<'a>>(self, extent: Extent) -> Result<T, NotRead> {
        let mut context = Context::new(extent, true, StandIn::Itself);
        let mut read = self.read::<T, Open>(&context);
        // Marked text is copied, and may have been refused for that reason alone.
        if context.has_marked() && read.as_ref().is_err_and(TypedError::may_be_of_marks) {
            context = Context::new(extent, false, StandIn::Itself);
            read = self.read(&context);
        }
        // A settled value that was taken for whole may have been refused for that reason.
        let may_be_early = read.as_ref().map_or_else(|error| error.cause() == Cause::SettledMisfit, |_| true);
        if may_be_early && self.took_innermost(&mut read, &context) {
            return Err(NotRead::Without(extent.innermost, TypedError::still_open()));
        }
        read.map_err(|error| self.not_read(error, &context))
    }

    /// Whether the value may still fit, and what to leave out then.
    fn not_read(self, error: TypedError<Open>, context: &Context) -> NotRead {
        let Extent { innermost, .. } = context.extent;
        match error.cause() {
            // Where nothing was buffered, the error knows its place: elsewhere a whole string may have the same text.
            Cause::Misfit
                if (context.has_buffered_innermost() || error.place_in(self) == innermost)
                    && Self { node: innermost, ..self }.as_str().is_some_and(|text| error.is_of_text(text)) => {}
            // The string may have been taken for a tag, with which something else does not fit; the number may grow.
            Cause::Misfit
                if self.is_open_atom(innermost) || context.may_have_parsed() && !self.is_container(innermost) =>
            {
                return NotRead::Without(innermost, error);
            }
            Cause::Misfit | Cause::SettledMisfit => return NotRead::Misfit(error.at(self)),
            Cause::MissingField | Cause::StillOpen | Cause::Unknown => {}
        }
        let place = error.place_in(self);
        let node = if !context.has_buffered() {
            place
        } else if error.cause() == Cause::MissingField && innermost != place && !self.is_container(innermost) {
            // No field is missing in a string.
            self.document.nodes[innermost as usize].parent
        } else {
            // The place is where it was buffered; what did not fit may be anywhere inside.
            innermost
        };
        NotRead::Without(node, error)
    }

    fn is_container(self, node: NodeId) -> bool {
        matches!(self.document.nodes[node as usize].kind, NodeKind::Array | NodeKind::Object)
    }

    fn is_open_atom(self, node: NodeId) -> bool {
        let value = Self { node, ..self };
        !value.is_complete() && !self.is_container(node) && value.as_str().is_none()
    }

    /// Whether the innermost open value was taken for whole, by anything but a settled value. If it was by a settled
    /// value, that is read again, and is empty then.
    fn took_innermost<T: Deserialize<'a>>(self, read: &mut Result<T, TypedError<Open>>, context: &Context) -> bool {
        if !context.has_buffered_innermost() && !context.has_read_newtype() {
            return false;
        }
        let Context { extent, marks, .. } = *context;
        let innermost = Self { node: extent.innermost, ..self };
        let is_string = innermost.as_str().is_some();
        let is_marked = marks && (is_string || innermost.has_marked_keys(extent));
        // Who reads a string does not change while it grows, so it is found out once.
        let reading = Self::read_extent::<T> as fn(Self, Extent) -> Result<T, NotRead> as usize;
        let cache = &self.document.text_cache;
        if is_marked && is_string && read.is_ok() && cache.has(reading, self.node, extent.innermost) {
            return false;
        }
        let read_with = |stand_in| self.read::<T, Open>(&Context::new(extent, marks, stand_in));
        if context.has_buffered_innermost() && (is_string || !is_marked) {
            // If there is no free place to find out, it may have been.
            let Some(withheld) = Withheld::new() else { return true };
            let _ = read_with(StandIn::Character(withheld.character()));
            if is_string && withheld.was_asked_as_name() {
                return true;
            }
            if !is_marked && withheld.was_asked_by_settled() {
                *read = match withheld.was_asked_by_others() {
                    false => read_with(StandIn::Hidden),
                    true if marks => {
                        let context = Context::new(extent, marks, StandIn::Itself);
                        self.read::<T, Unsure>(&context).map_err(TypedError::of_reading)
                    }
                    true => return true,
                };
                return false;
            }
        }
        let may_be_parsed = context.has_read_newtype() || is_string && marks && context.has_buffered_innermost();
        if may_be_parsed && read.is_ok() && read_with(StandIn::OtherText).is_err() {
            return true;
        }
        if is_marked && is_string && read.is_ok() {
            cache.remember(reading, self.node, extent.innermost);
        }
        false
    }

    /// Whether the keys of this open value say that it is open, where it is buffered: an array has none.
    fn has_marked_keys(self, extent: Extent) -> bool {
        let shown = self.len() - usize::from(extent.left_out != NOTHING);
        self.node().kind == NodeKind::Object && shown > 0
    }
}
