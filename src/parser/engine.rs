//! The engine: what each token means to whoever follows it. Both doors, and every chunk, go through here.

use super::duplicate_keys::OpenKeys;
use super::retention::Retained;
use super::tracker::Tracker;
use crate::document::Document;
use crate::error::{ErrorKind, Fault};
use crate::event::Output;
use crate::tokenizer::{Interest, Sink, ValueKind};

/// The followers of one parser, borrowed for one chunk, and where they tell events.
pub(super) struct Engine<'a, O> {
    pub(super) tracker: &'a mut Tracker,
    /// The keys of open objects, where duplicates are rejected.
    pub(super) open_keys: Option<&'a mut OpenKeys>,
    /// The partial document, where snapshots were asked for.
    pub(super) document: Option<&'a mut Document>,
    /// The text that is kept, this chunk's included.
    pub(super) retained: &'a Retained,
    pub(super) out: &'a mut O,
}

/// New text of the open string: all that a few bytes inside a string have to be told to.
#[inline]
pub(super) fn text<O: Output>(
    tracker: &mut Tracker,
    document: Option<&mut Document>,
    text: &str,
    at: u64,
    out: &mut O,
) -> Result<(), Fault> {
    tracker.delta(text, at, out);
    match document {
        Some(document) => document.append(text, at),
        None => Ok(()),
    }
}

impl<O> Engine<'_, O> {
    /// A string or atom is followed if anybody wants its text.
    fn leaf_interest(&self, is_selected: bool) -> Interest {
        if is_selected || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }

    /// A container is followed if anybody wants to know of its inside.
    fn interest(&self, is_live: bool) -> Interest {
        if is_live || self.open_keys.is_some() || self.document.is_some() { Interest::Follow } else { Interest::Skip }
    }
}

// Not inlined: the tokenizer's loop stays small, and a byte that ends no token pays for none of this.
impl<O: Output> Sink for Engine<'_, O> {
    #[inline(never)]
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(keys) = &mut self.open_keys
            && kind == ValueKind::Object
        {
            keys.begin_object();
        }
        if let Some(document) = &mut self.document {
            document.begin_container(kind, at)?;
        }
        let is_live = self.tracker.begin_container(kind, at, self.out);
        Ok(self.interest(is_live))
    }

    #[inline(never)]
    fn end_container(&mut self, kind: ValueKind, end: u64) {
        if let Some(keys) = &mut self.open_keys
            && kind == ValueKind::Object
        {
            keys.end_object();
        }
        if let Some(document) = &mut self.document {
            document.end_container();
        }
        self.tracker.end_container(end, self.retained, self.out);
    }

    #[inline(never)]
    fn key(&mut self, key: &str, quote: u64) -> Result<(), Fault> {
        if let Some(keys) = &mut self.open_keys
            && !keys.insert(key)
        {
            return Err(Fault::new(ErrorKind::DuplicateKey, quote, "expected each key once in an object"));
        }
        self.tracker.key(key);
        match &mut self.document {
            Some(document) => document.key(key, quote),
            None => Ok(()),
        }
    }

    #[inline(never)]
    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        if let Some(document) = &mut self.document {
            document.begin_string(at)?;
        }
        let is_selected = self.tracker.begin_leaf(ValueKind::String, at, self.out);
        Ok(self.leaf_interest(is_selected))
    }

    #[inline]
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        self::text(self.tracker, self.document.as_deref_mut(), text, at, self.out)
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        if let Some(document) = &mut self.document {
            document.end_string();
        }
        self.tracker.end_string(end, self.retained, self.out);
    }

    #[inline(never)]
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(document) = &mut self.document {
            document.begin_atom();
        }
        let is_selected = self.tracker.begin_leaf(kind, at, self.out);
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.tracker.end_atom(text, end, self.out);
        match &mut self.document {
            Some(document) => document.end_atom(text, end),
            None => Ok(()),
        }
    }
}
