//! A JSON Schema that complete values are checked by, and what can be wrong with an attempt.

use std::fmt;
use std::sync::Arc;

use jsonschema::{ValidationError, Validator};
use serde::Serialize;
use serde_json::Value;

/// The length of an error's message, which may quote all of a value.
const MAX_MESSAGE: usize = 300;

/// The number of errors that are reported of a value.
const MOST_ERRORS: usize = 100;

/// A JSON Schema. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Schema {
    json: Arc<Value>,
    validator: Arc<Validator>,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// Fails if it is not a JSON Schema.
    pub fn new(json: &Value) -> Result<Self, String> {
        let built = jsonschema::options().should_validate_formats(true).build(json);
        let validator = built.map_err(|error| format!("bad schema: {error}"))?;
        Ok(Self { json: Arc::new(json.clone()), validator: Arc::new(validator) })
    }

    /// Returns the schema as JSON, for a request.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.json
    }

    /// Checks a complete value.
    ///
    /// # Errors
    ///
    /// Fails with everything that does not fit. Of more than 100 errors, the last one says that there are more.
    pub fn check(&self, value: &Value) -> Result<(), Vec<AttemptError>> {
        let mut found = self.validator.iter_errors(value);
        let mut errors: Vec<_> =
            found.by_ref().take(MOST_ERRORS).map(|error| AttemptError::of_schema(&error)).collect();
        if found.next().is_some() {
            errors.push(AttemptError::new(ErrorKind::Schema, "there are more errors"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// An error of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The place in the answer, as an RFC 6901 pointer, if the schema names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The error in words.
    pub message: String,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The answer does not fit the schema.
    Schema,
    /// The answer is not JSON, or exceeds a limit.
    InvalidJson,
    /// The answer ended before its JSON did.
    CutStream,
    /// The provider reported an error.
    Provider,
}

impl AttemptError {
    /// Creates an error without a place.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, pointer: None, message: message.into() }
    }

    pub(super) fn of_json(error: &jsonspigot::Error) -> Self {
        let is_cut = error.kind() == jsonspigot::ErrorKind::Incomplete;
        Self::new(if is_cut { ErrorKind::CutStream } else { ErrorKind::InvalidJson }, error.to_string())
    }

    fn of_schema(error: &ValidationError<'_>) -> Self {
        let mut message = error.to_string();
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        Self { pointer: Some(error.instance_path().to_string()), ..Self::new(ErrorKind::Schema, message) }
    }
}

impl fmt::Display for AttemptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.message;
        match (self.kind, self.pointer.as_deref().unwrap_or_default()) {
            (ErrorKind::Schema, "") => f.write_str(message),
            (ErrorKind::Schema, pointer) => write!(f, "at {pointer}: {message}"),
            (ErrorKind::InvalidJson, _) => write!(f, "not JSON: {message}"),
            (ErrorKind::CutStream, _) => write!(f, "cut off: {message}"),
            (ErrorKind::Provider, _) => write!(f, "the provider failed: {message}"),
        }
    }
}

impl std::error::Error for AttemptError {}
