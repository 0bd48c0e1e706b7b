//! The engine: what each token means to whoever follows it. Both doors, and every chunk, go through here.

use alloc::string::{String, ToString};

use super::deviations::Deviations;
use super::duplicate_keys::OpenKeys;
use super::output::{Outlet, Output};
use super::retention::Retained;
use super::tracker::Tracker;
use crate::document::Document;
use crate::error::{Deviation, Error, ErrorKind, Fault};
use crate::path::write_concrete;
use crate::tokenizer::{Interest, Sink, ValueKind};

/// The followers of one parser's tokens.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    pub(super) tracker: Tracker,
    /// The keys of open objects, where duplicates are rejected.
    pub(super) open_keys: Option<OpenKeys>,
    /// The partial document, where snapshots were asked for.
    pub(super) document: Option<Document>,
    /// What was passed over inside strings; the first ends all that claims to be whole.
    pub(super) deviations: Deviations,
}

/// The engine while it follows a chunk: with the text that is kept, this chunk's included, and where to tell events.
pub(super) struct Following<'a, O> {
    pub(super) engine: &'a mut Engine,
    pub(super) retained: &'a Retained,
    pub(super) out: &'a mut O,
}

/// The concrete path of the innermost open value of a snapshot.
fn document_path(document: &Document) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, document.innermost());
    path
}

impl Engine {
    pub(super) fn clear(&mut self) {
        self.tracker.reset();
        if let Some(keys) = &mut self.open_keys {
            keys.clear();
        }
        if let Some(document) = &mut self.document {
            document.clear();
        }
        self.deviations.clear();
    }

    /// Where the innermost open value stands, as far as it is followed.
    pub(super) fn path(&self) -> String {
        match &self.document {
            Some(document) if self.deviations.is_empty() => document_path(document),
            _ => self.tracker.innermost().to_string(),
        }
    }

    /// New text of the open string, for the partial document.
    #[inline]
    pub(super) fn grow(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        match self.growing() {
            Some(document) => document.append(text, at),
            None => Ok(()),
        }
    }

    /// The partial document, which stays as it was before the first deviation.
    // Not by `filter`: both conditions become one that is computed for every piece of text, and not branches.
    #[inline]
    fn growing(&mut self) -> Option<&mut Document> {
        match &mut self.document {
            Some(document) if self.deviations.is_empty() => Some(document),
            _ => None,
        }
    }

    /// A string or atom is followed if anybody wants its text.
    fn leaf_interest(&self, is_selected: bool) -> Interest {
        if is_selected || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// A container is followed if anybody wants to know of its inside.
    fn interest(&self, is_live: bool) -> Interest {
        if is_live || self.open_keys.is_some() || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }
}

impl<O: Output> Following<'_, O> {
    /// The parts, and an outlet that tells nothing whole once the text has deviated.
    #[inline]
    fn parts(&mut self) -> (&mut Engine, &Retained, Outlet<'_, O>) {
        let has_deviated = !self.engine.deviations.is_empty();
        (self.engine, self.retained, Outlet { out: self.out, has_deviated })
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: Output> Sink for Following<'_, O> {
    #[inline(never)]
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let (engine, _, mut out) = self.parts();
        if let Some(keys) = &mut engine.open_keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(document) = engine.growing() {
            document.begin_container(kind, at)?;
        }
        let is_live = engine.tracker.begin_container(kind, at, &mut out);
        Ok(engine.interest(is_live))
    }

    #[inline(never)]
    fn end_container(&mut self, kind: ValueKind, end: u64) {
        let (engine, retained, mut out) = self.parts();
        if let Some(keys) = &mut engine.open_keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(document) = engine.growing() {
            document.end_container();
        }
        engine.tracker.end_container(end, retained, &mut out);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<(), Fault> {
        let engine = &mut *self.engine;
        if let Some(keys) = &mut engine.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        engine.tracker.key(key);
        match engine.growing() {
            Some(document) => document.key(key, quote),
            None => Ok(()),
        }
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        let (engine, _, mut out) = self.parts();
        if let Some(document) = engine.growing() {
            document.begin_string(at)?;
        }
        let is_selected = engine.tracker.begin_leaf(ValueKind::String, at, &mut out);
        Ok(engine.leaf_interest(is_selected))
    }

    #[inline]
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        self.engine.tracker.delta(text, at, self.out);
        self.engine.grow(text, at)
    }

    #[cold]
    fn deviation(&mut self, fault: &Fault, line: u64, column: u64) {
        let engine = &mut *self.engine;
        if engine.deviations.is_empty() {
            engine.deviations.begin(Error::new(fault, line, column, &engine.path()));
            if let Some(document) = &mut engine.document {
                document.fail();
            }
        }
        engine.deviations.note(Deviation::new(fault, line, column));
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        let (engine, retained, mut out) = self.parts();
        if let Some(document) = engine.growing() {
            document.end_string();
        }
        engine.tracker.end_string(end, retained, &mut out);
    }

    #[inline(never)]
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let (engine, _, mut out) = self.parts();
        if let Some(document) = engine.growing() {
            document.begin_atom();
        }
        let is_selected = engine.tracker.begin_leaf(kind, at, &mut out);
        Ok(engine.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        let (engine, _, mut out) = self.parts();
        engine.tracker.end_atom(text, end, &mut out);
        match engine.growing() {
            Some(document) => document.end_atom(text, end),
            None => Ok(()),
        }
    }
}
