//! A form while the model writes it: a typed partial value after each chunk, and a check by the JSON Schema at the end.

use jsonspigot::{
    DuplicateKeys, Error, Event, EventKind, Limits, Parser, Partial, PartialValue, PatternSet, Revision, ValueKind,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fence::Fenced;
use super::{AttemptError, Schema};
use crate::wire::Change;

/// Enough for any form.
const LIMITS: Limits = Limits::new().depth(64).key(1 << 10).string(1 << 20).number(64).blank(1 << 10).total(4 << 20);

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Form {
    parser: Parser,
    fenced: Fenced,
    /// The pointer of the innermost open string, array or object. Everything outside of it is complete.
    open: Option<String>,
    /// The revision and the pointer that the client has.
    seen: Revision,
    told_open: Option<String>,
}

impl Form {
    pub(super) fn new() -> Self {
        // A value that is shown as complete must not change, so a second key of the same name is an error.
        let builder = Parser::builder().snapshots().limits(LIMITS).duplicate_keys(DuplicateKeys::Reject);
        let every = PatternSet::new(["$", "$..*"]).expect("the patterns are valid");
        let parser = builder.patterns(&every).build();
        Self { parser, fenced: Fenced::new(), open: None, seen: Revision::default(), told_open: None }
    }

    /// Reads the JSON in a chunk of the answer, or in its end.
    pub(super) fn feed(&mut self, chunk: Option<&str>) -> Result<(), Error> {
        let Self { parser, fenced, open, .. } = self;
        let mut read = Ok(());
        fenced.feed(chunk, |json| {
            if read.is_ok() {
                read = parser.feed_with(json, |event| follow(open, &event));
            }
        });
        read.and_then(|()| if chunk.is_none() { parser.finish_with(|event| follow(open, &event)) } else { Ok(()) })
    }

    /// Returns the known part, without a type.
    pub(super) fn value(&self) -> Option<PartialValue<'_>> {
        self.parser.snapshot()
    }

    /// Returns the known part as a `T`, or `None` while too little is known. Fails if it does not fit.
    pub(super) fn typed<T: DeserializeOwned>(&self) -> Result<Option<Partial<T>>, Error> {
        self.value().map_or(Ok(None), PartialValue::deserialize)
    }

    /// Returns what has changed since the last call, for a client that keeps the form at `/value` and the pointer of its
    /// innermost open value at `/open`.
    pub(super) fn changes(&mut self) -> Vec<Change> {
        let since = std::mem::replace(&mut self.seen, self.parser.revision());
        let patch = self.parser.patch_since(since).into_iter().flatten();
        // A value that can't be built, such as a number beyond f64's range, is an error at the attempt's end.
        let mut changes: Vec<_> = patch.filter_map(|op| Change::of_patch("/value", &op).ok()).collect();
        if self.told_open != self.open {
            self.told_open.clone_from(&self.open);
            changes.push(Change::set("/open", self.open.clone()));
        }
        changes
    }

    /// Reads the complete answer: strictly, then by the schema.
    pub(super) fn complete(&self, schema: &Schema) -> Result<Value, Vec<AttemptError>> {
        let value = self.parser.deserialize().map_err(|error| vec![AttemptError::of_json(&error)])?;
        schema.check(&value)?;
        Ok(value)
    }

    /// Returns the JSON text that was read.
    pub(super) fn text(&self) -> &[u8] {
        self.parser.text().unwrap_or_default()
    }
}

/// Keeps `open` at the innermost open string, array or object.
fn follow(open: &mut Option<String>, event: &Event<'_>) {
    let is_atom = |kind| matches!(kind, ValueKind::Null | ValueKind::Bool | ValueKind::Number);
    match &event.kind {
        EventKind::Begin(kind) if !is_atom(*kind) => *open = Some(event.path.pointer().to_string()),
        EventKind::End(Some(value)) if !is_atom(value.kind()) => {
            let parent = open.as_deref().and_then(|pointer| pointer.rsplit_once('/'));
            *open = parent.map(|(parent, _)| parent.to_owned());
        }
        _ => {}
    }
}
