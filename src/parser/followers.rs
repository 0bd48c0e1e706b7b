//! The followers of a parser's tokens: the tracker, the open keys, the document, the deviations. [`TokenSink`] gives
//! them each token that the tokenizer finds.

use alloc::string::{String, ToString};

use super::deviations::Deviations;
use super::duplicate_keys::OpenKeys;
use super::output::{DeviationFilter, Output};
use super::retention::Retained;
use super::tracker::Tracker;
use crate::document::Document;
use crate::error::{Deviation, Error, ErrorKind, Fault};
use crate::path::write_concrete;
use crate::tokenizer::{Interest, Sink, ValueKind};

/// The followers of one parser's tokens.
#[derive(Clone, Debug)]
pub(super) struct Followers {
    pub(super) tracker: Tracker,
    /// The keys of open objects, if duplicates are rejected.
    pub(super) open_keys: Option<OpenKeys>,
    /// The partial document, if snapshots were asked for.
    pub(super) document: Option<Document>,
    /// What was passed over inside strings; after the first one, nothing is complete any more.
    pub(super) deviations: Deviations,
    /// Whether the end of a chunk means anything: to a text that has deviated, to a document that shows open atoms.
    pub(super) has_work_after_chunks: bool,
}

/// The followers while a chunk is read, with the text that is kept, this chunk's included, and the output for events.
pub(super) struct TokenSink<'a, O: ?Sized> {
    pub(super) followers: &'a mut Followers,
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

impl Followers {
    pub(super) fn new(tracker: Tracker, open_keys: Option<OpenKeys>, document: Option<Document>) -> Self {
        let has_work_after_chunks = document.as_ref().is_some_and(Document::shows_open_atoms);
        Self { tracker, open_keys, document, deviations: Deviations::default(), has_work_after_chunks }
    }

    pub(super) fn clear(&mut self) {
        self.tracker.reset();
        if let Some(keys) = &mut self.open_keys {
            keys.clear();
        }
        if let Some(document) = &mut self.document {
            document.clear();
        }
        self.deviations.clear();
        self.has_work_after_chunks = self.document.as_ref().is_some_and(Document::shows_open_atoms);
    }

    /// Where the innermost open value is, as far as it is followed.
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

    /// Adds the atom that is open now, if there is one, to a partial document that shows open atoms.
    pub(super) fn show_open_atom(&mut self, text: Option<&str>) {
        let document = self.growing().filter(|document| document.shows_open_atoms());
        if let (Some(document), Some(text)) = (document, text) {
            document.show_open_atom(text);
        }
    }

    /// The partial document, which stays as it was before the first deviation.
    // Not with `filter`: that makes one condition of the two, which is computed for every piece of text.
    #[inline]
    fn growing(&mut self) -> Option<&mut Document> {
        match &mut self.document {
            Some(document) if self.deviations.is_empty() => Some(document),
            _ => None,
        }
    }

    /// A string or atom is followed if anything needs its text.
    fn leaf_interest(&self, is_selected: bool) -> Interest {
        if is_selected || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// A container is followed if anything needs to know what is inside.
    fn interest(&self, is_live: bool) -> Interest {
        if is_live || self.open_keys.is_some() || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }
}

impl<O: Output + ?Sized> TokenSink<'_, O> {
    /// The parts, and an output that tells nothing complete once the text has deviated.
    #[inline]
    fn parts(&mut self) -> (&mut Followers, &Retained, DeviationFilter<'_, O>) {
        let has_deviated = !self.followers.deviations.is_empty();
        (self.followers, self.retained, DeviationFilter { out: self.out, has_deviated })
    }

    /// The end of a string that was read inside, once its text has ended or failed.
    pub(super) fn end_entered_string(&mut self, end: u64) {
        let (followers, retained, mut out) = self.parts();
        if let Some(document) = followers.growing() {
            document.end_string();
        }
        followers.tracker.end_entered(end, |range| retained.slice(range), &mut out);
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: Output + ?Sized> Sink for TokenSink<'_, O> {
    #[inline(never)]
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let (followers, _, mut out) = self.parts();
        if let Some(keys) = &mut followers.open_keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(document) = followers.growing() {
            document.begin_container(kind, at)?;
        }
        let is_live = followers.tracker.begin_container(kind, at, &mut out);
        Ok(followers.interest(is_live))
    }

    #[inline(never)]
    fn end_container(&mut self, kind: ValueKind, end: u64) {
        let (followers, retained, mut out) = self.parts();
        if let Some(keys) = &mut followers.open_keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(document) = followers.growing() {
            document.end_container();
        }
        followers.tracker.end_container(end, |range| retained.slice(range), &mut out);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<(), Fault> {
        let followers = &mut *self.followers;
        if let Some(keys) = &mut followers.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        followers.tracker.key(key);
        match followers.growing() {
            Some(document) => document.key(key, quote),
            None => Ok(()),
        }
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        let (followers, _, mut out) = self.parts();
        if let Some(document) = followers.growing() {
            document.begin_string(at)?;
        }
        let is_selected = followers.tracker.begin_leaf(ValueKind::String, at, &mut out);
        Ok(followers.leaf_interest(is_selected))
    }

    #[inline]
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        self.followers.tracker.delta(text, at, self.out);
        self.followers.grow(text, at)
    }

    #[cold]
    fn deviation(&mut self, fault: &Fault, line: u64, column: u64) {
        let followers = &mut *self.followers;
        if followers.deviations.is_empty() {
            followers.has_work_after_chunks = true;
            followers.deviations.begin(Error::new(fault, line, column, &followers.path()));
            if let Some(document) = &mut followers.document {
                document.fail();
            }
        }
        followers.deviations.note(Deviation::new(fault, line, column));
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        let (followers, retained, mut out) = self.parts();
        if let Some(document) = followers.growing() {
            document.end_string();
        }
        followers.tracker.end_string(end, |range| retained.slice(range), &mut out);
    }

    #[inline(never)]
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let (followers, _, mut out) = self.parts();
        if let Some(document) = followers.growing() {
            document.begin_atom();
        }
        let is_selected = followers.tracker.begin_leaf(kind, at, &mut out);
        Ok(followers.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        let (followers, _, mut out) = self.parts();
        followers.tracker.end_atom(text, end, &mut out);
        match followers.growing() {
            Some(document) => document.end_atom(text, end),
            None => Ok(()),
        }
    }
}
