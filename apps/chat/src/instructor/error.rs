//! Why an attempt failed, and why a schema is none.

use std::fmt;

use jsonschema::ValidationError;
use jsonspigot::ErrorKind;

/// How much of a schema error is told: it may quote all of the value that it is about.
const MAX_MESSAGE: usize = 300;

/// Why an attempt gave no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptError {
    /// The answer is whole and does not fit the schema.
    Schema {
        /// Where in the answer: an RFC 6901 pointer, empty for all of it.
        pointer: String,
        /// What does not fit.
        message: String,
    },
    /// The answer fits the schema, but not the type that it is read into: the two disagree.
    Type {
        /// What does not fit, and where.
        message: String,
    },
    /// The answer is not JSON, or is beyond the limits. `message` says what was expected and where.
    InvalidJson {
        /// The parser's words.
        message: String,
    },
    /// The answer ended before its JSON did.
    CutStream {
        /// What was still to come, or what cut it.
        message: String,
    },
    /// The provider gave an error instead of an answer, or in its midst.
    Provider {
        /// The provider's words.
        message: String,
    },
}

impl AttemptError {
    /// Its kind's name.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Schema { .. } => "schema",
            Self::Type { .. } => "type",
            Self::InvalidJson { .. } => "invalid_json",
            Self::CutStream { .. } => "cut_stream",
            Self::Provider { .. } => "provider",
        }
    }

    pub(super) fn of_schema(error: &ValidationError<'_>) -> Self {
        let mut message = error.to_string();
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        Self::Schema { pointer: error.instance_path().to_string(), message }
    }

    pub(super) fn of_json(error: &jsonspigot::Error) -> Self {
        let message = error.to_string();
        match error.kind() {
            ErrorKind::Incomplete => Self::CutStream { message },
            _ => Self::InvalidJson { message },
        }
    }
}

impl fmt::Display for AttemptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema { pointer, message } if pointer.is_empty() => f.write_str(message),
            Self::Schema { pointer, message } => write!(f, "at {pointer}: {message}"),
            Self::Type { message } => write!(f, "not of the expected type: {message}"),
            Self::InvalidJson { message } => write!(f, "not JSON: {message}"),
            Self::CutStream { message } => write!(f, "cut off: {message}"),
            Self::Provider { message } => write!(f, "the provider failed: {message}"),
        }
    }
}

impl std::error::Error for AttemptError {}

/// A schema that can't be checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl From<ValidationError<'_>> for SchemaError {
    fn from(error: ValidationError<'_>) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad schema: {}", self.0)
    }
}

impl std::error::Error for SchemaError {}
