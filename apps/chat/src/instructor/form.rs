//! A form while the model writes it: a typed partial value after each chunk, and a check by the JSON Schema at the end.

use jsonspigot::{
    DuplicateKeys, Error, Event, EventKind, Limits, Parser, Partial, PartialValue, PatchOp, PatternSet, Revision,
    ValueKind,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fence::Fenced;
use super::{AttemptError, Schema};

/// Enough for any form.
const LIMITS: Limits = Limits::new().depth(64).key(1 << 10).string(1 << 20).number(64).blank(1 << 10).total(4 << 20);

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Form {
    parser: Parser,
    fenced: Fenced,
    /// The revision of the last snapshot.
    seen: Revision,
    /// The pointer of the innermost open string, array or object.
    open: Option<String>,
}

/// The known part of a form. Nothing is computed until it is used.
#[derive(Debug)]
pub struct Snapshot<'a> {
    parser: &'a Parser,
    since: Revision,
    /// The known part without a type.
    pub value: PartialValue<'a>,
    /// The pointer of the innermost open value. Everything outside of it is complete.
    pub open: Option<&'a str>,
}

impl Form {
    pub(super) fn new() -> Self {
        // A value that is shown as complete must not change, so a second key of the same name is an error.
        let builder = Parser::builder().snapshots().limits(LIMITS).duplicate_keys(DuplicateKeys::Reject);
        let every = PatternSet::new(["$", "$..*"]).expect("the patterns are valid");
        let parser = builder.patterns(&every).build();
        Self { parser, fenced: Fenced::new(), seen: Revision::default(), open: None }
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

    /// Returns a snapshot if it differs from the last one.
    pub(super) fn snapshot(&mut self) -> Option<Snapshot<'_>> {
        let since = self.seen;
        // A value that has only closed has an empty patch, but changes `open`. A text that has failed closes nothing.
        let is_same = self.parser.error().is_some() && self.parser.patch_since(since).is_ok_and(|ops| ops.is_empty());
        if !self.parser.has_changed_since(since) || is_same {
            return None;
        }
        self.seen = self.parser.revision();
        let (parser, open) = (&self.parser, self.open.as_deref());
        parser.snapshot().map(|value| Snapshot { parser, since, value, open })
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

impl<'a> Snapshot<'a> {
    /// Returns the known part as a `T`, or `None` while too little is known.
    ///
    /// # Errors
    ///
    /// Fails if the known part does not fit the type. The attempt continues, because only its end is judged.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<Option<Partial<T>>, Error> {
        self.value.deserialize()
    }

    /// Returns what has changed since the last snapshot of the attempt.
    pub fn changes(&self) -> impl Iterator<Item = PatchOp<'a>> + use<'a> {
        self.parser.patch_since(self.since).into_iter().flatten()
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
