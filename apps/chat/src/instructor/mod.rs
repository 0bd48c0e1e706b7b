//! The form instructor: structured output that is shown while it fills, and checked by a JSON Schema at its end.
//!
//! A state machine without I/O: the caller asks the provider, feeds the answer, and decides when to cancel.
//!
//! ```
//! use chat::instructor::Instructor;
//! use serde_json::json;
//!
//! #[derive(Default, serde::Deserialize)]
//! #[serde(default)]
//! struct Trip { city: String }
//!
//! let instructor = Instructor::new(&json!({
//!     "type": "object", "required": ["city", "days"],
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 30}}
//! }))?;
//! let mut answers = [["{\"city\": \"Pu", "ne\", \"days\": 99}"], ["{\"city\": \"Pune\", ", "\"days\": 9}"]].into_iter();
//! let (mut cities, mut prompts) = (Vec::new(), Vec::new());
//! let mut attempts = instructor.parse_streaming("Plan a trip.", "b1");
//! while let Some(prompt) = attempts.start() {
//!     prompts.push(prompt);
//!     for chunk in answers.next().unwrap() {
//!         attempts.feed(chunk);
//!         cities.push(attempts.typed::<Trip>()?.unwrap().get().city.clone());
//!     }
//!     attempts.finish();
//! }
//! assert_eq!(cities, ["Pu", "Pune", "Pune", "Pune"]);
//! assert!(prompts[1].contains("at /days: 99 is greater than the maximum of 30"));
//! assert_eq!(attempts.result(), Some(&Ok(json!({"city": "Pune", "days": 9}))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attempts;
mod fence;
mod form;
mod schema;

use serde_json::Value;

pub use self::attempts::Attempts;
pub use self::schema::{AttemptError, ErrorKind, Schema};

/// The number of attempts unless another is chosen.
const ATTEMPTS: u32 = 3;

/// A form: what its answer must be.
///
/// A type that is [read from the known part](Attempts::typed) while the form fills has defaults or optional fields. The
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
    pub fn new(schema: &Value) -> Result<Self, String> {
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

    /// Asks for the form, to be shown in a block while it fills. A provider that can't stream feeds one chunk.
    #[must_use]
    pub fn parse_streaming(&self, prompt: &str, block: &str) -> Attempts<'_> {
        Attempts::new(&self.schema, self.attempts, prompt, block)
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
        let mut attempts = self.parse_streaming(prompt, "");
        while let Some(prompt) = attempts.start() {
            match ask(&prompt) {
                Ok(answer) => {
                    attempts.feed(&answer);
                    attempts.finish();
                }
                Err(message) => attempts.fail(AttemptError::new(ErrorKind::Provider, message)),
            }
        }
        attempts.into_result()
    }
}
