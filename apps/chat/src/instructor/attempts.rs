//! The attempts at a form, one after the other: fed by whoever has the provider's answer, telling events as it comes.

use std::marker::PhantomData;

use jsonspigot::{DuplicateKeys, EventKind, Parser, Partial, PartialValue, PatchOp, PatternSet, Revision, ValueKind};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::place::Place;
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

/// The form as far as it is known. Looking costs nothing until something is asked for.
#[derive(Debug)]
pub struct Snapshot<'a, T> {
    parser: &'a Parser,
    root: PartialValue<'a>,
    since: Revision,
    open: Option<&'a str>,
    form: PhantomData<fn() -> T>,
}

impl<'a, T: DeserializeOwned> Snapshot<'a, T> {
    /// The form as far as it is known, or `None` while too little is. Costs reading all of it.
    ///
    /// # Errors
    ///
    /// What is known does not fit the type: as nothing is judged before the attempt ends, it goes on.
    pub fn typed(&self) -> Result<Option<Partial<T>>, jsonspigot::Error> {
        self.root.deserialize()
    }
}

impl<'a, T> Snapshot<'a, T> {
    /// The same, without a type.
    #[must_use]
    pub fn value(&self) -> PartialValue<'a> {
        self.root
    }

    /// What is new since the last snapshot of this attempt: applied one after the other they give each snapshot.
    pub fn changes(&self) -> impl Iterator<Item = PatchOp<'a>> + use<'a, T> {
        // Refused only if another parser had given the revision.
        self.parser.patch_since(self.since).into_iter().flatten()
    }

    /// The innermost string, array or object that is still open, as an RFC 6901 pointer. It and what it stands in are
    /// partial; all else that is shown is complete, and so is everything once this is `None`.
    #[must_use]
    pub fn open(&self) -> Option<&'a str> {
        self.open
    }
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
    parser: Parser,
    /// Where in the answer its JSON is.
    place: Place,
    seen: Revision,
    /// The innermost open value's pointer.
    open: Option<String>,
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
        // Every value's begin and end: what is open is known without a look at the document. What is shown as complete
        // must stay so, hence no second key of a name.
        let all = PatternSet::new(["$", "$..*"]).unwrap_or_else(|_| PatternSet::default());
        let builder = Parser::builder().snapshots().limits(instructor.limits).duplicate_keys(DuplicateKeys::Reject);
        Self {
            parser: builder.patterns(&all).build(),
            first_prompt: prompt.to_owned(),
            next_prompt: Some(prompt.to_owned()),
            instructor,
            place: Place::new(),
            attempt: 0,
            state: State::Ready,
            seen: Revision::default(),
            open: None,
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
        self.parser.reset();
        self.place.reset();
        (self.seen, self.open) = (Revision::default(), None);
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
        let fed = self.read_on(Some(text));
        self.tell_snapshot(&mut on_event);
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
        let finished = self.read_on(None);
        let open = &mut self.open;
        let finished = finished.and_then(|()| self.parser.finish_with(|event| follow(open, &event)));
        self.tell_snapshot(&mut on_event);
        match finished.map_err(|error| vec![AttemptError::of_json(&error)]).and_then(|()| self.read()) {
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

    /// The whole answer, read strictly, by the schema and then as a `T`.
    fn read(&self) -> Result<T, Vec<AttemptError>> {
        let invalid = |error: jsonspigot::Error| vec![AttemptError::InvalidJson { message: error.to_string() }];
        let value: Value = self.parser.deserialize().map_err(invalid)?;
        let errors = self.instructor.check(&value);
        if !errors.is_empty() {
            return Err(errors);
        }
        self.parser.deserialize().map_err(|error| vec![AttemptError::Type { message: error.to_string() }])
    }

    /// Has the JSON in a piece of the answer, or at its end, read.
    fn read_on(&mut self, piece: Option<&str>) -> Result<(), jsonspigot::Error> {
        let Self { place, parser, open, .. } = self;
        let mut read = Ok(());
        place.find(piece, |json| {
            if read.is_ok() {
                read = parser.feed_with(json, |event| follow(open, &event));
            }
        });
        read
    }

    /// Whether a copy of what was seen last prints what is known now.
    fn is_shown(&self) -> bool {
        self.parser.patch_since(self.seen).is_ok_and(|ops| ops.is_empty())
    }

    fn tell_snapshot(&mut self, on_event: &mut impl FnMut(Event<'_, T>)) {
        // What has only closed prints the same, but `open` is another then; a text that has failed closes nothing.
        let has_failed = self.parser.error().is_some();
        if !self.parser.has_changed_since(self.seen) || has_failed && self.is_shown() {
            return;
        }
        if let Some(root) = self.parser.snapshot() {
            let (parser, open) = (&self.parser, self.open.as_deref());
            on_event(Event::Snapshot(Snapshot { parser, root, since: self.seen, open, form: PhantomData }));
        }
        self.seen = self.parser.revision();
    }

    fn end(&mut self, errors: Vec<AttemptError>, on_event: &mut impl FnMut(Event<'_, T>)) {
        on_event(Event::AttemptFailed { attempt: self.attempt, errors: &errors });
        if self.attempt < self.instructor.attempts.get() {
            let answer = self.parser.text().unwrap_or_default();
            self.next_prompt = Some(prompt::again(&self.first_prompt, answer, &errors));
            self.state = State::Ready;
        } else {
            self.state = State::Over;
            on_event(Event::FinalResult(Err(errors)));
        }
    }
}

/// Keeps `open` at the innermost open string, array or object.
fn follow(open: &mut Option<String>, event: &jsonspigot::Event<'_>) {
    match &event.kind {
        EventKind::Begin(ValueKind::String | ValueKind::Array | ValueKind::Object) => {
            *open = Some(event.path.pointer().to_string());
        }
        EventKind::End(Some(value))
            if !matches!(value.kind(), ValueKind::Null | ValueKind::Bool | ValueKind::Number) =>
        {
            let parent = open.as_deref().and_then(|pointer| pointer.rfind('/'));
            *open = parent.and_then(|end| Some(open.as_deref()?[..end].to_owned()));
        }
        _ => {}
    }
}
