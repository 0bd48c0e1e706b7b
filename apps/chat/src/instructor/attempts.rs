//! The attempts at a form, one after the other.

use std::fmt::Write;

use serde_json::Value;

use super::form::{Form, Snapshot};
use super::{AttemptError, ErrorKind, Schema};

/// The number of errors that a prompt quotes.
const MAX_ERRORS: usize = 20;

/// The bytes of an answer that a prompt quotes: its end, as that is where a broken answer went wrong.
const MAX_ANSWER: usize = 8 << 10;

/// An event of the attempts. Each attempt begins with `AttemptStarted` and ends with `AttemptFailed` or the `FinalResult`, which
/// also follows the last `AttemptFailed`.
#[derive(Debug)]
pub enum Event<'a> {
    /// The model is asked.
    AttemptStarted {
        /// The attempt's number, from 1.
        attempt: u32,
    },
    /// A piece of the model's answer.
    RawChunk(&'a str),
    /// More of the form is known, or is complete.
    Snapshot(Snapshot<'a>),
    /// The attempt gave no form.
    AttemptFailed {
        /// The attempt's number, from 1.
        attempt: u32,
        /// The errors; at least one.
        errors: &'a [AttemptError],
    },
    /// The form, or the last attempt's errors.
    FinalResult(Result<Value, Vec<AttemptError>>),
}

/// Attempts at one form. Call [`start`](Self::start) for each prompt, [`feed`](Self::feed) the answer, and end the attempt
/// with [`finish`](Self::finish) or [`fail`](Self::fail).
#[derive(Debug)]
pub struct Attempts<'s> {
    schema: &'s Schema,
    most: u32,
    prompt: String,
    next_prompt: Option<String>,
    attempt: u32,
    /// The form of the attempt that is running.
    form: Option<Form>,
}

impl<'s> Attempts<'s> {
    pub(super) fn new(schema: &'s Schema, most: u32, prompt: &str) -> Self {
        let (prompt, next_prompt) = (prompt.to_owned(), Some(prompt.to_owned()));
        Self { schema, most, prompt, next_prompt, attempt: 0, form: None }
    }

    /// Begins the next attempt and returns its prompt, or `None` after the final result. An attempt that is still running
    /// counts as cut.
    pub fn start(&mut self, mut on_event: impl FnMut(Event<'_>)) -> Option<String> {
        self.fail(AttemptError::new(ErrorKind::CutStream, "the answer was given up"), &mut on_event);
        let prompt = self.next_prompt.take()?;
        self.attempt += 1;
        self.form = Some(Form::new());
        on_event(Event::AttemptStarted { attempt: self.attempt });
        Some(prompt)
    }

    /// Reads a piece of the answer. Returns false if the rest of the answer is not needed, because the attempt has ended.
    pub fn feed(&mut self, text: &str, mut on_event: impl FnMut(Event<'_>)) -> bool {
        let Some(form) = &mut self.form else { return false };
        if text.is_empty() {
            return true;
        }
        on_event(Event::RawChunk(text));
        let fed = form.feed(Some(text));
        form.snapshot().map(Event::Snapshot).into_iter().for_each(&mut on_event);
        if let Err(error) = &fed {
            self.fail(AttemptError::of_json(error), on_event);
        }
        fed.is_ok()
    }

    /// Ends the attempt at the end of the answer, and checks the form.
    pub fn finish(&mut self, mut on_event: impl FnMut(Event<'_>)) {
        let Some(form) = &mut self.form else { return };
        let finished = form.feed(None).map_err(|error| vec![AttemptError::of_json(&error)]);
        form.snapshot().map(Event::Snapshot).into_iter().for_each(&mut on_event);
        match finished.and_then(|()| form.complete(self.schema)) {
            Ok(result) => {
                self.form = None;
                on_event(Event::FinalResult(Ok(result)));
            }
            Err(errors) => self.end(errors, on_event),
        }
    }

    /// Ends the attempt with an error of the provider or of the connection.
    pub fn fail(&mut self, error: AttemptError, on_event: impl FnMut(Event<'_>)) {
        self.end(vec![error], on_event);
    }

    fn end(&mut self, errors: Vec<AttemptError>, mut on_event: impl FnMut(Event<'_>)) {
        let Some(form) = self.form.take() else { return };
        on_event(Event::AttemptFailed { attempt: self.attempt, errors: &errors });
        if self.attempt < self.most {
            self.next_prompt = Some(again(&self.prompt, form.text(), &errors));
        } else {
            on_event(Event::FinalResult(Err(errors)));
        }
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
