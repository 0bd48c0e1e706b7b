//! The form instructor: structured output that is shown while it fills, and checked by a JSON Schema at its end.
//!
//! A state machine without I/O: the caller asks the provider, feeds the answer, and decides when to cancel.
//!
//! ```
//! use chat::instructor::{Event, Instructor};
//! use serde_json::json;
//!
//! #[derive(Debug, Default, serde::Deserialize)]
//! #[serde(default)]
//! struct Trip { city: String, days: u8 }
//!
//! let instructor = Instructor::new(&json!({
//!     "type": "object", "required": ["city", "days"],
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 30}}
//! }))?;
//! let mut answers = [["{\"city\": \"Pu", "ne\", \"days\": 99}"], ["{\"city\": \"Pune\", ", "\"days\": 9}"]].into_iter();
//! let mut told = Vec::new();
//! let mut on_event = |event: Event<'_>| match event {
//!     Event::AttemptStarted { attempt } => told.push(format!("attempt {attempt}")),
//!     Event::Snapshot(seen) => told.push(seen.typed::<Trip>().unwrap().unwrap().get().city.clone()),
//!     Event::AttemptFailed { errors, .. } => told.push(errors[0].to_string()),
//!     Event::FinalResult(result) => told.push(result.unwrap().to_string()),
//!     Event::RawChunk(_) => {}
//! };
//! let mut attempts = instructor.parse_streaming("Plan a trip.");
//! while let Some(prompt) = attempts.start(&mut on_event) {
//!     assert!(prompt.starts_with("Plan a trip."));
//!     for chunk in answers.next().unwrap() {
//!         attempts.feed(chunk, &mut on_event); // `false` would mean that the rest of the answer is not needed
//!     }
//!     attempts.finish(&mut on_event);
//! }
//! assert_eq!(told, [
//!     "attempt 1", "Pu", "Pune", "at /days: 99 is greater than the maximum of 30",
//!     "attempt 2", "Pune", "Pune", r#"{"city":"Pune","days":9}"#,
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attempts;
mod fence;
mod form;
mod schema;
mod shown;

use serde_json::Value;

pub use self::attempts::{Attempts, Event};
pub use self::form::Snapshot;
pub use self::schema::{AttemptError, ErrorKind, Schema, SchemaError};
pub use self::shown::Shown;

/// The number of attempts unless another is chosen.
const ATTEMPTS: u32 = 3;

/// A form: what its answer must be.
///
/// A type that is [read from the known part](Snapshot::typed) while the form fills has defaults or optional fields. The
/// schema, which is checked only at the end, lists the required fields.
#[derive(Clone, Debug)]
pub struct Instructor {
    schema: Schema,
    attempts: u32,
}

impl Instructor {
    /// Creates a form with this schema. Formats such as `date` are checked too; references to other documents are refused.
    ///
    /// # Errors
    ///
    /// Fails if the schema is not a JSON Schema.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        Ok(Self { schema: Schema::new(schema)?, attempts: ATTEMPTS })
    }

    /// Sets how often the model is asked at most. At least one attempt is made.
    #[must_use]
    pub fn attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// Returns the schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Asks for the form, to be shown while it fills. A provider that can't stream feeds one chunk.
    #[must_use]
    pub fn parse_streaming(&self, prompt: &str) -> Attempts<'_> {
        Attempts::new(&self.schema, self.attempts, prompt)
    }

    /// Asks for the form and waits for it. `ask` receives a prompt and returns the answer, or an error.
    ///
    /// # Errors
    ///
    /// Fails with the last attempt's errors if no answer was a valid form.
    pub fn parse(
        &self,
        prompt: &str,
        mut ask: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<Value, Vec<AttemptError>> {
        let mut attempts = self.parse_streaming(prompt);
        let mut result = Err(Vec::new());
        let mut keep_result = |event: Event<'_>| {
            if let Event::FinalResult(last) = event {
                result = last;
            }
        };
        while let Some(prompt) = attempts.start(&mut keep_result) {
            match ask(&prompt) {
                Ok(answer) => {
                    attempts.feed(&answer, &mut keep_result);
                    attempts.finish(&mut keep_result);
                }
                Err(message) => attempts.fail(AttemptError::new(ErrorKind::Provider, message), &mut keep_result),
            }
        }
        result
    }
}
