//! A form while the model writes it: typed as far as it is known after each chunk, and checked by its JSON Schema at the end.

use std::marker::PhantomData;
use std::sync::Arc;

use jsonschema::Validator;
use jsonspigot::{DuplicateKeys, Error, Event, EventKind, Limits, Parser, PatternSet, Revision, ValueKind};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::AttemptError;
use super::place::Place;
use super::snapshot::Snapshot;

/// Reads one answer at a time.
#[derive(Debug)]
pub(super) struct Form<T> {
    parser: Parser,
    validator: Arc<Validator>,
    /// Where in the answer its JSON is.
    place: Place,
    /// The revision of the last snapshot.
    seen: Revision,
    /// The pointer of the innermost open string, array or object.
    open: Option<String>,
    form: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Form<T> {
    pub(super) fn new(validator: Arc<Validator>, limits: Limits) -> Self {
        // A value that is shown as complete must not change, so a second key of the same name is an error.
        let builder = Parser::builder().snapshots().limits(limits).duplicate_keys(DuplicateKeys::Reject);
        let every = PatternSet::new(["$", "$..*"]).expect("the patterns are valid");
        let (parser, seen) = (builder.patterns(&every).build(), Revision::default());
        Self { parser, validator, place: Place::new(), seen, open: None, form: PhantomData }
    }

    /// Prepares for the next answer.
    pub(super) fn reset(&mut self) {
        self.parser.reset();
        self.place.reset();
        (self.seen, self.open) = (Revision::default(), None);
    }

    /// Reads the JSON in a chunk of the answer, or in what is left at its end.
    pub(super) fn feed(&mut self, chunk: Option<&str>) -> Result<(), Error> {
        let Self { parser, place, open, .. } = self;
        let mut read = Ok(());
        place.find(chunk, |json| {
            if read.is_ok() {
                read = parser.feed_with(json, |event| follow(open, &event));
            }
        });
        read.and_then(|()| if chunk.is_none() { parser.finish_with(|event| follow(open, &event)) } else { Ok(()) })
    }

    /// Returns what is known now, if it is more than the last snapshot had.
    pub(super) fn snapshot(&mut self) -> Option<Snapshot<'_, T>> {
        let since = self.seen;
        // Values that have only closed look the same, but `open` differs; a text that has failed closes nothing.
        let is_same = self.parser.error().is_some() && self.parser.patch_since(since).is_ok_and(|ops| ops.is_empty());
        if !self.parser.has_changed_since(since) || is_same {
            return None;
        }
        self.seen = self.parser.revision();
        let (parser, open) = (&self.parser, self.open.as_deref());
        parser.snapshot().map(|root| Snapshot { parser, root, since, open, form: PhantomData })
    }

    /// Reads the complete answer: strictly, then by the schema, then as a `T`.
    pub(super) fn complete(&self) -> Result<T, Vec<AttemptError>> {
        let value: Value = self.parser.deserialize().map_err(|error| vec![AttemptError::of_json(&error)])?;
        let errors: Vec<_> = self.validator.iter_errors(&value).map(|error| AttemptError::of_schema(&error)).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        self.parser.deserialize().map_err(|error| vec![AttemptError::Type { message: error.to_string() }])
    }

    /// Returns the answer's text as far as it was read.
    pub(super) fn text(&self) -> &[u8] {
        self.parser.text().unwrap_or_default()
    }
}

/// Keeps `open` at the innermost open string, array or object.
fn follow(open: &mut Option<String>, event: &Event<'_>) {
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
