//! The attempts at a form, one after the other, and their events for the client.

use std::fmt::Write;

use jsonspigot::{Error, Partial, PartialValue};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::form::Form;
use super::{AttemptError, Schema};
use crate::wire::{Change, Event, EventName, MessageRef, MessageType};

/// The number of errors that a prompt quotes.
const MAX_ERRORS: usize = 20;

/// The bytes of an answer that a prompt quotes: its end, as that is where a broken answer went wrong.
const MAX_ANSWER: usize = 8 << 10;

/// Attempts at one form. Call [`start`](Self::start) for each prompt, [`feed`](Self::feed) the answer, and end the attempt
/// with [`finish`](Self::finish) or [`fail`](Self::fail).
///
/// Each attempt is a message of type `form`, named `attempt-1`, `attempt-2` and so on. Its props are `attempt`, `value` (the
/// form so far), `open` (a pointer to the innermost partial value, or null), `raw` (the model's text), `errors` (each with
/// `kind`, `message` and, from the schema, `pointer`) and `status`: `filling`, `failed`, `complete`, or `given_up` if the last
/// attempt failed. It begins with `attempt_started`, grows by `raw_chunk` and `snapshot`, and ends with `attempt_failed` or
/// the `final_result`, which also follows the last `attempt_failed`. Nothing is sent before the answer has begun, so until
/// then the attempt can be made again.
#[derive(Debug)]
pub struct Attempts<'s> {
    schema: &'s Schema,
    most: u32,
    prompt: String,
    next_prompt: Option<String>,
    attempt: u32,
    /// The form of the attempt that is running.
    form: Option<Form>,
    has_begun: bool,
    message: MessageRef,
    events: Vec<Event>,
    result: Option<Result<Value, Vec<AttemptError>>>,
}

impl<'s> Attempts<'s> {
    pub(super) fn new(schema: &'s Schema, most: u32, prompt: &str, block: &str) -> Self {
        let (prompt, next_prompt) = (prompt.to_owned(), Some(prompt.to_owned()));
        let message = MessageRef::new(EventName::AttemptStarted, MessageType::Form, "", block);
        let (events, has_begun) = (Vec::new(), false);
        Self { schema, most, prompt, next_prompt, attempt: 0, form: None, has_begun, message, events, result: None }
    }

    /// Begins the next attempt and returns its prompt, or `None` after the final result.
    pub fn start(&mut self) -> Option<String> {
        let prompt = self.next_prompt.take()?;
        self.attempt += 1;
        (self.form, self.has_begun) = (Some(Form::new()), false);
        self.message.id = format!("attempt-{}", self.attempt);
        Some(prompt)
    }

    /// Returns whether the answer of this attempt has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns whether the attempt has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.form.is_none()
    }

    /// Reads a piece of the answer. The attempt [ends](Self::has_ended) where it can't become the form.
    pub fn feed(&mut self, text: &str) {
        if self.has_ended() || text.is_empty() {
            return;
        }
        self.tell(EventName::RawChunk, Change::append("/raw", text));
        if let Err(error) = self.read(Some(text)) {
            self.fail(AttemptError::of_json(&error));
        }
    }

    /// Ends the attempt at the end of the answer, and checks the form.
    pub fn finish(&mut self) {
        let read = self.read(None).map_err(|error| vec![AttemptError::of_json(&error)]);
        let Some(form) = &self.form else { return };
        match read.and_then(|()| form.complete(self.schema)) {
            Ok(result) => {
                self.form = None;
                self.end_with(EventName::FinalResult, "complete", &[]);
                self.result = Some(Ok(result));
            }
            Err(errors) => self.end(errors),
        }
    }

    /// Ends the attempt with an error of the provider or of the connection.
    pub fn fail(&mut self, error: AttemptError) {
        self.end(vec![error]);
    }

    /// Returns the known part of the form that is being filled, without a type.
    #[must_use]
    pub fn value(&self) -> Option<PartialValue<'_>> {
        self.form.as_ref()?.value()
    }

    /// Returns the known part as a `T`, or `None` while too little is known.
    ///
    /// # Errors
    ///
    /// Fails if the known part does not fit the type. The attempt continues, because only its end is judged.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<Option<Partial<T>>, Error> {
        self.form.as_ref().map_or(Ok(None), Form::typed)
    }

    /// Returns the events since the last call.
    pub fn drain(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Returns the form, or the last attempt's errors, after the last attempt.
    #[must_use]
    pub fn result(&self) -> Option<&Result<Value, Vec<AttemptError>>> {
        self.result.as_ref()
    }

    pub(super) fn into_result(self) -> Result<Value, Vec<AttemptError>> {
        self.result.unwrap_or_else(|| Err(Vec::new()))
    }

    fn read(&mut self, text: Option<&str>) -> Result<(), Error> {
        let Some(form) = &mut self.form else { return Ok(()) };
        let read = form.feed(text);
        let changes = form.changes();
        changes.into_iter().for_each(|change| self.tell(EventName::Snapshot, change));
        read
    }

    fn end(&mut self, errors: Vec<AttemptError>) {
        let Some(form) = self.form.take() else { return };
        self.end_with(EventName::AttemptFailed, "failed", &errors);
        if self.attempt < self.most {
            self.next_prompt = Some(again(&self.prompt, form.text(), &errors));
        } else {
            self.end_with(EventName::FinalResult, "given_up", &errors);
            self.result = Some(Err(errors));
        }
    }

    fn end_with(&mut self, name: EventName, status: &str, errors: &[AttemptError]) {
        self.tell(name, Change::merge("", json!({"status": status, "errors": errors})));
    }

    fn tell(&mut self, name: EventName, change: Change) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.events.push(self.message.whole(json!({
                "attempt": self.attempt, "status": "filling", "value": null, "open": null, "raw": "", "errors": [],
            })));
        }
        self.events.push(self.message.named(name).change(change));
    }
}

/// Writes the prompt of another attempt.
fn again(prompt: &str, answer: &[u8], errors: &[AttemptError]) -> String {
    let mut again = format!("{prompt}\n\nYour last answer could not be used:\n");
    // Writing to a string cannot fail.
    for error in errors.iter().take(MAX_ERRORS) {
        let _ = writeln!(again, "- {error}");
    }
    if errors.len() > MAX_ERRORS {
        again.push_str("- and more\n");
    }
    if !answer.is_empty() {
        let tail = &answer[answer.len().saturating_sub(MAX_ANSWER)..];
        let which = if tail.len() < answer.len() { "It ended with" } else { "It was" };
        let _ = writeln!(again, "\n{which}:\n{}", String::from_utf8_lossy(tail));
    }
    again.push_str("\nAnswer again, with the whole form as one JSON text and nothing else.");
    again
}
