//! The followers of a parser's tokens: the tracker, the open keys, the document, the deviations. [`TokenSink`] gives
//! them each token that the tokenizer finds.

use alloc::boxed::Box;
use core::ops::Range;

use super::deviations::Deviations;
use super::duplicate_keys::OpenKeys;
use super::output::Output;
use super::retention::Retained;
use super::tracker::Tracker;
use crate::document::Document;
use crate::error::{Deviation, Error, ErrorKind, Fault};
use crate::tokenizer::{Interest, Sink, ValueKind};

/// The followers of one parser's tokens.
#[derive(Clone, Debug)]
pub(crate) struct Followers {
    pub(crate) tracker: Tracker,
    /// The keys of open objects, if duplicates are rejected.
    pub(crate) open_keys: Option<OpenKeys>,
    /// The partial document, if snapshots were asked for.
    // In a box, as most parsers have none.
    pub(crate) document: Option<Box<Document>>,
    /// What was gone past; after the first one, the text is not complete any more, unless they are accepted.
    pub(crate) deviations: Deviations,
    /// Whether the end of a chunk means anything: to a text that has deviated, to a document that shows open atoms.
    pub(crate) has_work_after_chunks: bool,
}

/// The followers while a chunk is read, with the text that is kept, this chunk's included, and the output for events.
pub(super) struct TokenSink<'a, O: ?Sized> {
    pub(super) followers: &'a mut Followers,
    pub(super) retained: &'a mut Retained,
    pub(super) out: &'a mut O,
}

impl Followers {
    pub(super) fn new(
        tracker: Tracker,
        open_keys: Option<OpenKeys>,
        document: Option<Box<Document>>,
        deviations: Deviations,
    ) -> Self {
        let has_work_after_chunks = document.as_deref().is_some_and(Document::shows_open_atoms);
        Self { tracker, open_keys, document, deviations, has_work_after_chunks }
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
        self.has_work_after_chunks = self.document.as_deref().is_some_and(Document::shows_open_atoms);
    }

    /// New text of the open string, for the partial document.
    #[inline]
    pub(super) fn grow(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        match &mut self.document {
            Some(document) => document.append(text, at),
            None => Ok(()),
        }
    }

    /// What is left to do once a chunk has been read: `open_atom` is the text of the atom that is open now, if there is one.
    pub(super) fn end_chunk(&mut self, open_atom: Option<&str>) {
        self.show_open_atom(open_atom);
        if let Some(document) = &mut self.document
            && self.deviations.first().is_some()
        {
            // The root may have closed, but is not whole.
            document.fail();
        }
    }

    /// Adds the atom that is open now, if there is one, to a partial document that shows open atoms.
    fn show_open_atom(&mut self, text: Option<&str>) {
        let document = self.document.as_mut().filter(|document| document.shows_open_atoms());
        if let (Some(document), Some(text)) = (document, text) {
            document.show_open_atom(text);
        }
    }

    /// A string or atom is followed if anything needs its text.
    fn leaf_interest(&self, is_selected: bool) -> Interest {
        if is_selected || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// A container, or a member's value, is followed if anything needs to know what is inside.
    fn interest(&self, is_live: bool) -> Interest {
        if is_live || self.open_keys.is_some() || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }
}

impl<O: Output + ?Sized> TokenSink<'_, O> {
    /// The end of a string that was read inside, once its text has ended or failed.
    pub(super) fn end_entered_string(&mut self, end: u64) {
        let followers = &mut *self.followers;
        if let Some(document) = &mut followers.document {
            document.end_string();
        }
        if self.retained.has_deviated() {
            self.retained.copy_to(end);
        }
        let retained = &*self.retained;
        followers.tracker.end_entered(end, |range| retained.slice(range), self.out);
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: Output + ?Sized> Sink for TokenSink<'_, O> {
    #[inline(never)]
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let followers = &mut *self.followers;
        if let Some(keys) = &mut followers.open_keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(document) = &mut followers.document {
            document.begin_container(kind, at)?;
        }
        let is_live = followers.tracker.begin_container(kind, at, self.out);
        Ok(followers.interest(is_live))
    }

    #[inline(never)]
    fn end_container(&mut self, kind: ValueKind, end: u64) {
        let followers = &mut *self.followers;
        if let Some(keys) = &mut followers.open_keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(document) = &mut followers.document {
            document.end_container();
        }
        if self.retained.has_deviated() {
            self.retained.copy_to(end);
        }
        let retained = &*self.retained;
        followers.tracker.end_container(end, |range| retained.slice(range), self.out);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        let followers = &mut *self.followers;
        if let Some(keys) = &mut followers.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        let leads_on = followers.tracker.key(key);
        if let Some(document) = &mut followers.document {
            document.key(key, quote)?;
        }
        Ok(followers.interest(leads_on))
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        let followers = &mut *self.followers;
        if let Some(document) = &mut followers.document {
            document.begin_string(at)?;
        }
        let is_selected = followers.tracker.begin_leaf(ValueKind::String, at, self.out);
        Ok(followers.leaf_interest(is_selected))
    }

    #[inline]
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        self.followers.tracker.delta(text, at, self.out);
        self.followers.grow(text, at)
    }

    #[cold]
    fn deviation(&mut self, fault: &Fault, deviation: Deviation) {
        let followers = &mut *self.followers;
        if followers.deviations.is_empty() {
            followers.has_work_after_chunks = true;
            if !followers.deviations.are_accepted() {
                let path = followers.known_path(None).or_else(|| followers.path_in_text(self.retained, fault));
                let first = Error::new(fault, deviation.line(), deviation.column(), path.as_deref());
                followers.deviations.begin(first);
                // So no string or container that ends later has a text.
                self.retained.freeze(fault.offset);
            }
        }
        followers.deviations.note(deviation);
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        let followers = &mut *self.followers;
        if let Some(document) = &mut followers.document {
            document.end_string();
        }
        if self.retained.has_deviated() {
            self.retained.copy_to(end);
        }
        let retained = &*self.retained;
        followers.tracker.end_string(end, |range| retained.slice(range), self.out);
    }

    #[inline(never)]
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        let followers = &mut *self.followers;
        if let Some(document) = &mut followers.document {
            document.begin_atom();
        }
        let is_selected = followers.tracker.begin_leaf(kind, at, self.out);
        Ok(followers.leaf_interest(is_selected))
    }

    #[cold]
    fn rewrite(&mut self, range: Range<u64>, with: &str, chunk_at: u64) {
        if self.followers.deviations.are_accepted() && self.retained.keeps_text() {
            self.retained.rewrite(range, with, chunk_at);
        }
    }

    #[cold]
    fn drop_comma(&mut self, bracket: u64, chunk_at: u64) {
        if self.followers.deviations.are_accepted() && self.retained.keeps_text() {
            self.retained.drop_comma(bracket, chunk_at);
        }
    }

    #[cold]
    fn number_is_null(&mut self) {
        self.followers.tracker.leaf_is_null();
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        let followers = &mut *self.followers;
        followers.tracker.end_atom(text, end, self.out);
        match &mut followers.document {
            Some(document) => document.end_atom(text, end),
            None => Ok(()),
        }
    }
}
