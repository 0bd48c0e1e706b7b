//! Why a value did not fit a type; and what the error type itself tells code that knows nothing else of the reading.

use alloc::string::{String, ToString};
use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Unexpected};

use super::reading::{Buffered, Reading, SETTLED, Whole};
use super::{PartialValue, withheld};
use crate::error::{Error, ErrorKind};

/// Why a value did not fit, and the innermost value that did not.
#[derive(Debug)]
pub(super) struct TypedError<R> {
    kind: ErrorKind,
    reason: String,
    path: Option<String>,
    /// Whether it was a settled value that did not fit: reading it in another way would not help.
    is_of_settled: bool,
    reading: PhantomData<R>,
}

impl<R> TypedError<R> {
    /// The error of reading `value`.
    pub(super) fn at(self, value: PartialValue<'_>) -> Error {
        let path = self.path.unwrap_or_else(|| value.path());
        Error::without_place(self.kind, &path, &self.reason)
    }

    pub(super) fn new(kind: ErrorKind, reason: &str) -> Self {
        let reason = reason.to_string();
        Self { kind, reason, path: None, is_of_settled: false, reading: PhantomData }
    }

    /// A type asked for what only a complete value can be.
    pub(super) fn still_open() -> Self {
        Self::new(ErrorKind::Data, "expected a whole value, but this one is still open")
    }

    /// Notes the path, unless a value further inside has already done so.
    pub(super) fn inside(self, value: PartialValue<'_>) -> Self {
        Self { path: self.path.or_else(|| Some(value.path())), ..self }
    }

    /// The same error in another reading.
    pub(super) fn of_reading<Q>(error: TypedError<Q>) -> Self {
        let TypedError { kind, reason, path, is_of_settled, reading: _ } = error;
        Self { kind, reason, path, is_of_settled, reading: PhantomData }
    }

    /// Whether a settled value, known to be complete, did not fit.
    pub(super) fn is_of_settled(&self) -> bool {
        self.is_of_settled
    }
}

impl<R> fmt::Display for TypedError<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl<R: Reading> core::error::Error for TypedError<R> {}

impl<R> From<serde_json::Error> for TypedError<R> {
    /// serde_json's reason for refusing a number, without the place that it mentions.
    fn from(error: serde_json::Error) -> Self {
        let reason = error.to_string();
        let place = reason.rfind(" at line ").unwrap_or(reason.len());
        Self::new(ErrorKind::Data, &reason[..place])
    }
}

impl<R: Reading> de::Error for TypedError<R> {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(ErrorKind::Data, &reason.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let error = Self::custom(format_args!("invalid type: {unexpected}, expected {expected}"));
        if let Unexpected::Char(found) = unexpected {
            withheld::note(found, &expected.to_string());
        }
        error
    }

    /// A [`Settled`](crate::Settled) says by the first argument that the error is its own; it knows nothing else of
    /// this type.
    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        if unexpected == Unexpected::Other(SETTLED) {
            return Self { is_of_settled: true, ..Self::custom(expected) };
        }
        Self::custom(format_args!("invalid value: {unexpected}, expected {expected}"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        // `buffered` asks this.
        if field == SETTLED {
            return Self::custom(R::BUFFERED);
        }
        Self::custom(format_args!("duplicate field `{field}`"))
    }
}

/// The reading that an error type belongs to; `None` for the error type of any other format. Where a
/// [`Settled`](crate::Settled) is read out of a buffer, only the type is known. So the type is asked for an error that
/// no reading ever has; our type answers with the reading it belongs to.
pub(super) fn buffered<E: de::Error>() -> Option<Buffered> {
    // This rules out most other types without asking for the error, which costs them a string.
    if size_of::<E>() != size_of::<TypedError<Whole>>() {
        return None;
    }
    let answer = E::duplicate_field(SETTLED).to_string();
    [Buffered::Whole, Buffered::Marked, Buffered::Unmarked].into_iter().find(|buffered| buffered.to_string() == answer)
}
