//! The form instructor: structured output against a JSON Schema, shown while it fills, checked when it ends.
//!
//! A state machine without I/O: it says what to ask a provider, is fed what the provider answers, and tells what that
//! comes to. Whoever drives it owns sockets, time and cancelling.
//!
//! ```
//! use chat::instructor::{Event, Instructor, Step};
//! use serde_json::json;
//!
//! #[derive(Debug, Default, serde::Deserialize)]
//! #[serde(default)]
//! struct Trip { city: String, days: u8 }
//!
//! let instructor = Instructor::<Trip>::new(&json!({
//!     "type": "object", "required": ["city", "days"],
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 30}}
//! }))?;
//! let mut answers = [["{\"city\": \"Pu", "ne\", \"days\": 99}"], ["{\"city\": \"Pune\", ", "\"days\": 9}"]].into_iter();
//! let mut told = Vec::new();
//! let mut on_event = |event: Event<'_, Trip>| match event {
//!     Event::AttemptStarted { attempt, .. } => told.push(format!("attempt {attempt}")),
//!     Event::Snapshot(seen) => told.push(seen.typed().unwrap().unwrap().get().city.clone()),
//!     Event::AttemptFailed { errors, .. } => told.push(errors[0].to_string()),
//!     Event::FinalResult(result) => told.push(format!("{:?}", result.unwrap())),
//!     Event::RawChunk(_) => {}
//! };
//! let mut attempts = instructor.parse_streaming("Plan a trip.");
//! while let Some(prompt) = attempts.start(&mut on_event) {
//!     assert!(prompt.starts_with("Plan a trip."));
//!     for chunk in answers.next().unwrap() {
//!         if attempts.feed(chunk, &mut on_event) == Step::AttemptOver {
//!             break; // nothing more of this answer is wanted
//!         }
//!     }
//!     attempts.finish(&mut on_event);
//! }
//! assert_eq!(told, [
//!     "attempt 1", "Pu", "Pune", "at /days: 99 is greater than the maximum of 30",
//!     "attempt 2", "Pune", "Pune", "Trip { city: \"Pune\", days: 9 }",
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attempts;
mod error;
mod form;
mod place;
mod prompt;
mod show;
mod snapshot;

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::sync::Arc;

use jsonschema::Validator;
use jsonspigot::Limits;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::attempts::{Attempts, Event, Step};
pub use self::error::{AttemptError, SchemaError};
pub use self::show::Shown;
pub use self::snapshot::Snapshot;

/// How often the model is asked if nothing else is said.
const DEFAULT_ATTEMPTS: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// What an answer may come to: enough for any form, and an end to one that has none.
const LIMITS: Limits = Limits::new().depth(64).key(1 << 10).string(1 << 20).number(64).blank(1 << 10).total(4 << 20);

/// A form: what its answer must be. Cheap to clone.
///
/// While it fills, a `T` is read from what is known, so its fields have defaults or are optional; that nothing is missing
/// at the end is the schema's to say, which is checked strictly, and only then.
pub struct Instructor<T> {
    schema: Arc<Value>,
    validator: Arc<Validator>,
    attempts: NonZeroU32,
    limits: Limits,
    form: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Instructor<T> {
    /// A form with this schema. Formats (`date`, `email`, …) are checked too; references leave the schema nowhere.
    ///
    /// # Errors
    ///
    /// The schema is none.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        let validator = jsonschema::options().should_validate_formats(true).build(schema)?;
        Ok(Self {
            schema: Arc::new(schema.clone()),
            validator: Arc::new(validator),
            attempts: DEFAULT_ATTEMPTS,
            limits: LIMITS,
            form: PhantomData,
        })
    }

    /// The same, with the model asked this often at most. It is three times otherwise.
    #[must_use]
    pub fn attempts(self, attempts: NonZeroU32) -> Self {
        Self { attempts, ..self }
    }

    /// The same, with other limits to an answer.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The schema, for the provider's request.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Asks for the form, to be shown while it fills. A provider that can't stream feeds one chunk.
    #[must_use]
    pub fn parse_streaming(&self, prompt: &str) -> Attempts<T> {
        Attempts::new(self.clone(), prompt)
    }

    /// Asks for the form and waits for it. `ask` is given a prompt and gives the whole answer, or why there is none.
    ///
    /// # Errors
    ///
    /// The last attempt's errors, if none gave a valid form: the same as [`parse_streaming`](Self::parse_streaming)'s
    /// final result.
    pub fn parse(
        &self,
        prompt: &str,
        mut ask: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<T, Vec<AttemptError>> {
        let mut attempts = self.parse_streaming(prompt);
        let mut result = Err(Vec::new());
        let mut keep_result = |event: Event<'_, T>| {
            if let Event::FinalResult(told) = event {
                result = told;
            }
        };
        while let Some(prompt) = attempts.start(&mut keep_result) {
            match ask(&prompt) {
                Ok(answer) => {
                    attempts.feed(&answer, &mut keep_result);
                    attempts.finish(&mut keep_result);
                }
                Err(message) => attempts.fail(AttemptError::Provider { message }, &mut keep_result),
            }
        }
        result
    }
}

impl<T> Clone for Instructor<T> {
    fn clone(&self) -> Self {
        Self {
            schema: Arc::clone(&self.schema),
            validator: Arc::clone(&self.validator),
            attempts: self.attempts,
            limits: self.limits,
            form: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Instructor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instructor")
            .field("schema", &self.schema)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}
