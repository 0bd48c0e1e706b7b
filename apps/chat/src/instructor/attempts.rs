//! The attempts at a form, one after the other: fed by whoever has the provider's answer, telling events as it comes.

use serde::de::DeserializeOwned;

use super::form::Form;
use super::snapshot::Snapshot;
use super::{AttemptError, Instructor, prompt};

/// What is told of the attempts, in order: each begins with `AttemptStarted` and ends with `AttemptFailed` or the
/// `FinalResult`; after the last `AttemptFailed` comes the `FinalResult` too.
#[derive(Debug)]
pub enum Event<'a, T> {
    /// The model is asked.
    AttemptStarted {
        /// From 1.
        attempt: u32,
        /// What it is asked; from the second attempt on with what was wrong before.
        prompt: &'a str,
    },
    /// What the model said, as it came.
    RawChunk(&'a str),
    /// More of the form is known, or is complete.
    Snapshot(Snapshot<'a, T>),
    /// The attempt gave no form.
    AttemptFailed {
        /// From 1.
        attempt: u32,
        /// Why; never empty.
        errors: &'a [AttemptError],
    },
    /// The form; or the last attempt's errors, as all are used up.
    FinalResult(Result<T, Vec<AttemptError>>),
}

/// What the driver does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Feed what comes, and `finish` after it.
    GoOn,
    /// Cancel the answer: nothing more of it matters. `start` gives the next prompt, if there is one.
    AttemptOver,
}

/// Attempts at one form. Drive it as long as [`start`](Self::start) gives a prompt; each attempt ends by
/// [`finish`](Self::finish), [`fail`](Self::fail), or a `feed` that says so.
#[derive(Debug)]
pub struct Attempts<T> {
    instructor: Instructor<T>,
    first_prompt: String,
    next_prompt: Option<String>,
    attempt: u32,
    state: State,
    form: Form<T>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before an attempt.
    Ready,
    /// In one.
    Asked,
    /// The final result has been told.
    Over,
}

impl<T: DeserializeOwned> Attempts<T> {
    pub(super) fn new(instructor: Instructor<T>, prompt: &str) -> Self {
        Self {
            form: Form::new(instructor.validator.clone(), instructor.limits),
            first_prompt: prompt.to_owned(),
            next_prompt: Some(prompt.to_owned()),
            instructor,
            attempt: 0,
            state: State::Ready,
        }
    }

    /// Begins the next attempt and gives its prompt; nothing once the final result has been told. An attempt that is
    /// still going on is cut.
    pub fn start(&mut self, mut on_event: impl FnMut(Event<'_, T>)) -> Option<String> {
        if self.state == State::Asked {
            self.fail(AttemptError::CutStream { message: "the answer was given up".into() }, &mut on_event);
        }
        let prompt = self.next_prompt.take()?;
        self.attempt += 1;
        self.state = State::Asked;
        self.form.reset();
        on_event(Event::AttemptStarted { attempt: self.attempt, prompt: &prompt });
        Some(prompt)
    }

    /// Takes in what the model says next. What comes outside an attempt is dropped.
    pub fn feed(&mut self, text: &str, mut on_event: impl FnMut(Event<'_, T>)) -> Step {
        if self.state != State::Asked {
            return Step::AttemptOver;
        }
        if text.is_empty() {
            return Step::GoOn;
        }
        on_event(Event::RawChunk(text));
        let fed = self.form.feed(Some(text));
        self.form.snapshot().map(Event::Snapshot).into_iter().for_each(&mut on_event);
        match fed {
            Ok(()) => Step::GoOn,
            Err(error) => {
                self.fail(AttemptError::of_json(&error), &mut on_event);
                Step::AttemptOver
            }
        }
    }

    /// The answer has ended, as the provider says: now it is checked.
    pub fn finish(&mut self, mut on_event: impl FnMut(Event<'_, T>)) {
        if self.state != State::Asked {
            return;
        }
        let finished = self.form.feed(None);
        self.form.snapshot().map(Event::Snapshot).into_iter().for_each(&mut on_event);
        match finished.map_err(|error| vec![AttemptError::of_json(&error)]).and_then(|()| self.form.complete()) {
            Ok(form) => {
                self.state = State::Over;
                on_event(Event::FinalResult(Ok(form)));
            }
            Err(errors) => self.end(errors, &mut on_event),
        }
    }

    /// The answer can't go on: the provider failed, or the connection to it.
    pub fn fail(&mut self, error: AttemptError, mut on_event: impl FnMut(Event<'_, T>)) {
        if self.state == State::Asked {
            self.end(vec![error], &mut on_event);
        }
    }

    fn end(&mut self, errors: Vec<AttemptError>, on_event: &mut impl FnMut(Event<'_, T>)) {
        on_event(Event::AttemptFailed { attempt: self.attempt, errors: &errors });
        if self.attempt < self.instructor.attempts.get() {
            self.next_prompt = Some(prompt::again(&self.first_prompt, self.form.text(), &errors));
            self.state = State::Ready;
        } else {
            self.state = State::Over;
            on_event(Event::FinalResult(Err(errors)));
        }
    }
}
