//! Errors of values that do not fit a type, permanently or until more of the text arrives.

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

/// The chance that a value that does not fit could fit after more of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// No: the value that did not fit is complete, or of the wrong kind.
    Misfit,
    /// Yes: another member could arrive.
    MissingField,
    /// Yes: the value is open, but can be read only when it is complete.
    StillOpen,
    /// Perhaps, if the value is open.
    Unknown,
}

pub(super) type TypedResult<T> = Result<T, TypedError>;

/// The error of a value that does not fit a type, with the innermost value that did not fit.
#[derive(Debug)]
pub(super) struct TypedError {
    details: Box<Details>,
}

#[derive(Debug)]
struct Details {
    kind: ErrorKind,
    reason: String,
    cause: Cause,
    /// The text of the string that did not fit. If it is the open string, more of it may fit.
    string: Option<String>,
    place: Option<NodeId>,
}

impl TypedError {
    fn of_cause(cause: Cause, kind: ErrorKind, reason: String) -> Self {
        Self { details: Box::new(Details { kind, reason, cause, string: None, place: None }) }
    }

    /// Creates an error with serde's message.
    fn worded(cause: Cause, error: &Worded) -> Self {
        Self::of_cause(cause, ErrorKind::Data, error.to_string())
    }

    /// Records the value that did not fit, if it is a string.
    fn about(mut self, unexpected: Unexpected<'_>) -> Self {
        if let Unexpected::Str(text) = unexpected {
            self.details.string = Some(text.to_string());
        }
        self
    }

    /// Creates the error of a value that can never fit.
    pub(super) fn misfit(kind: ErrorKind, reason: &str) -> Self {
        Self::of_cause(Cause::Misfit, kind, reason.to_string())
    }

    /// Creates the error of a type that can be read only from a complete value.
    pub(super) fn still_open() -> Self {
        let reason = "expected a whole value, but this one is still open".to_string();
        Self::of_cause(Cause::StillOpen, ErrorKind::Data, reason)
    }

    /// Returns the public error for `value`, which can never be read as the type.
    pub(super) fn at(self, value: PartialValue<'_>) -> Error {
        let place = value.other(self.place_in(value));
        Error::without_place(self.details.kind, &place.path(), &self.details.reason)
    }

    /// Returns the innermost value that did not fit, or `value` if it is unknown, as for a value that serde buffered.
    pub(super) fn place_in(&self, value: PartialValue<'_>) -> NodeId {
        self.details.place.unwrap_or(value.node)
    }

    /// Records the value that did not fit, unless a value inside it was already recorded.
    pub(super) fn inside(mut self, value: PartialValue<'_>) -> Self {
        if self.details.place.is_none() {
            self.details.place = Some(value.node);
            if value.is_complete() {
                self = self.permanent();
            }
        }
        self
    }

    /// Marks the error as permanent because the value was complete.
    pub(super) fn permanent(mut self) -> Self {
        self.details.cause = Cause::Misfit;
        self.details.string = None;
        self
    }

    pub(super) fn cause(&self) -> Cause {
        self.details.cause
    }

    /// Returns true if the string that did not fit has this text, so that it may be the open string, which may grow.
    pub(super) fn is_of_text(&self, text: &str) -> bool {
        self.details.string.as_deref() == Some(text)
    }

    /// Returns true if the element `value` was open and did not fit yet, and nothing inside it could be left out
    /// instead.
    pub(super) fn leaves_out_all_of(&self, value: PartialValue<'_>, context: &Context) -> bool {
        let is_alone = !context.has_buffered.get() || context.boundary.innermost == value.node;
        let may_fit = self.details.cause != Cause::Misfit;
        context.is_open && may_fit && is_alone && self.details.place == Some(value.node)
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.details.reason)
    }
}

impl core::error::Error for TypedError {}

impl From<serde_json::Error> for TypedError {
    /// Takes serde_json's reason for rejecting a number, without the position that it mentions.
    fn from(error: serde_json::Error) -> Self {
        Self::of_cause(Cause::Unknown, ErrorKind::Data, reason(&error))
    }
}

/// A specific error is permanent: a value of the wrong kind, out of range, or with an unknown member. For all other
/// errors, the value that did not fit decides, once it is known.
impl de::Error for TypedError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::of_cause(Cause::Unknown, ErrorKind::Data, reason.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        if matches!(unexpected, Unexpected::NewtypeStruct | Unexpected::Char(buffered::STAND_IN)) {
            buffered::record_expected(&expected.to_string());
        }
        Self::worded(Cause::Misfit, &Worded::invalid_type(unexpected, expected)).about(unexpected)
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let error = Worded::invalid_value(unexpected, expected);
        match unexpected {
            // A container may still gain children; a number or boolean is complete.
            Unexpected::Map | Unexpected::Seq | Unexpected::Other(_) => Self::worded(Cause::Unknown, &error),
            _ => Self::worded(Cause::Misfit, &error).about(unexpected),
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::worded(Cause::Misfit, &Worded::unknown_variant(variant, expected)).about(Unexpected::Str(variant))
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
