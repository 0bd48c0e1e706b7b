//! Misfits of a value and a type: for good, or only so far.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use serde::de::value::Error as Worded;
use serde::de::{self, Unexpected};

use super::buffered;
use super::reading::Context;
use crate::error::{Error, ErrorKind};
use crate::event::reason;
use crate::tree::{NodeId, PartialValue};

/// The prospect of a value that does not fit: more of the text could make it fit, or nothing can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// No: what did not fit is complete, or of a kind that does not fit.
    Misfit,
    /// Yes, another member could.
    MissingField,
    /// Yes: the value is open, and has to be complete to be read.
    StillOpen,
    /// Perhaps, if the value is open.
    Unknown,
}

/// A misfit of a value and a type, and the innermost value that did not fit.
#[derive(Debug)]
pub(super) struct TypedError {
    details: Box<Details>,
}

#[derive(Debug)]
struct Details {
    kind: ErrorKind,
    reason: String,
    cause: Cause,
    /// The string that did not fit. The error knows no more of it; if it is the open one, more of it may fit.
    string: Option<String>,
    place: Option<NodeId>,
}

impl TypedError {
    fn of_cause(cause: Cause, kind: ErrorKind, reason: String) -> Self {
        Self { details: Box::new(Details { kind, reason, cause, string: None, place: None }) }
    }

    /// The error in serde's words.
    fn worded(cause: Cause, error: &Worded) -> Self {
        Self::of_cause(cause, ErrorKind::Data, error.to_string())
    }

    /// Notes the value that did not fit, if it was a string.
    fn about(mut self, unexpected: Unexpected<'_>) -> Self {
        if let Unexpected::Str(text) = unexpected {
            self.details.string = Some(text.to_string());
        }
        self
    }

    /// The value can't fit, whatever follows.
    pub(super) fn misfit(kind: ErrorKind, reason: &str) -> Self {
        Self::of_cause(Cause::Misfit, kind, reason.to_string())
    }

    /// A type asked for what only a complete value can be.
    pub(super) fn still_open() -> Self {
        let reason = "expected a whole value, but this one is still open".to_string();
        Self::of_cause(Cause::StillOpen, ErrorKind::Data, reason)
    }

    /// The error of reading `value`, which is no `T` and will not become one.
    pub(super) fn at(self, value: PartialValue<'_>) -> Error {
        let place = value.other(self.place_in(value));
        Error::without_place(self.details.kind, &place.path(), &self.details.reason)
    }

    /// Nothing of `value` can be shown, for this reason.
    pub(super) fn pending(&self, value: PartialValue<'_>) -> Error {
        Error::without_place(ErrorKind::Pending, &value.path(), &self.details.reason)
    }

    /// The innermost value that did not fit, as far as that is known: what serde buffers has no place.
    pub(super) fn place_in(&self, value: PartialValue<'_>) -> NodeId {
        self.details.place.unwrap_or(value.node)
    }

    /// Notes the place, unless a value further inside has already done so.
    pub(super) fn inside(mut self, value: PartialValue<'_>) -> Self {
        if self.details.place.is_none() {
            self.details.place = Some(value.node);
            if value.is_complete() {
                self = self.for_good();
            }
        }
        self
    }

    /// The same error of what is whole, whatever it stands in.
    pub(super) fn for_good(mut self) -> Self {
        self.details.cause = Cause::Misfit;
        self.details.string = None;
        self
    }

    pub(super) fn cause(&self) -> Cause {
        self.details.cause
    }

    /// Returns true if the string that did not fit may be the open one, of which this is the text. More of it may fit.
    pub(super) fn is_of_text(&self, text: &str) -> bool {
        self.details.string.as_deref() == Some(text)
    }

    /// Returns true if the element `value` was open and did not fit yet, with nothing in it that could be left out
    /// instead.
    pub(super) fn leaves_out_all_of(&self, value: PartialValue<'_>, context: &Context) -> bool {
        let is_alone = !context.has_buffered() || context.boundary.innermost == value.node;
        let is_not_yet = match self.details.cause {
            Cause::MissingField | Cause::StillOpen | Cause::Unknown => true,
            Cause::Misfit => false,
        };
        context.is_open && is_not_yet && is_alone && self.details.place == Some(value.node)
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.details.reason)
    }
}

impl core::error::Error for TypedError {}

impl From<serde_json::Error> for TypedError {
    /// serde_json's reason for refusing a number, without the place that it mentions.
    fn from(error: serde_json::Error) -> Self {
        Self::of_cause(Cause::Unknown, ErrorKind::Data, reason(&error))
    }
}

/// An error that says what is wrong is believed: a value of the wrong kind, out of range, or with a member that is not
/// known stays so. Of all others the place decides, once it is known.
impl de::Error for TypedError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::of_cause(Cause::Unknown, ErrorKind::Data, reason.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        if matches!(unexpected, Unexpected::NewtypeStruct | Unexpected::Char(buffered::STAND_IN)) {
            buffered::note(&expected.to_string());
        }
        Self::worded(Cause::Misfit, &Worded::invalid_type(unexpected, expected)).about(unexpected)
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let error = Worded::invalid_value(unexpected, expected);
        match unexpected {
            // A container may gain what it lacks, a number or boolean is whole.
            Unexpected::Map | Unexpected::Seq | Unexpected::Other(_) => Self::worded(Cause::Unknown, &error),
            _ => Self::worded(Cause::Misfit, &error).about(unexpected),
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let error = Self::worded(Cause::Misfit, &Worded::unknown_variant(variant, expected));
        error.about(Unexpected::Str(variant))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::worded(Cause::Misfit, &Worded::unknown_field(field, expected))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::worded(Cause::MissingField, &Worded::missing_field(field))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::worded(Cause::Misfit, &Worded::duplicate_field(field))
    }
}
