//! The engine: what each token means to whoever follows it. Both doors, and every chunk, go through here.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::duplicate_keys::OpenKeys;
use super::outlet::Outlet;
use super::retention::Retained;
use super::tracker::Tracker;
use crate::document::Document;
use crate::error::{Error, ErrorKind, Fault};
use crate::event::Output;
use crate::path::write_concrete;
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
    /// What was passed over inside strings; the first ends all that claims to be whole.
    pub(super) flaws: &'a mut Vec<Error>,
    pub(super) out: Outlet<'a, O>,
}

/// The concrete path of the innermost open value of a snapshot.
pub(super) fn document_path(document: &Document) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, document.innermost());
    path
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
        let is_live = self.tracker.begin_container(kind, at, &mut self.out);
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
        self.tracker.end_container(end, self.retained, &mut self.out);
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
        let is_selected = self.tracker.begin_leaf(ValueKind::String, at, &mut self.out);
        Ok(self.leaf_interest(is_selected))
    }

    #[inline]
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        self::text(self.tracker, self.document.as_deref_mut(), text, at, &mut self.out)
    }

    #[cold]
    fn flaw(&mut self, fault: &Fault, line: u64, column: u64) {
        if self.flaws.last().is_some_and(|last| last.offset() == fault.offset) {
            // The byte that spoilt an escape is read again, and may be wrong by itself too.
            return;
        }
        // The snapshot stays as it was before the first flaw, and is not complete.
        let path = match self.document.take() {
            Some(document) if self.flaws.is_empty() => {
                document.fail();
                document_path(document)
            }
            _ => self.tracker.innermost().to_string(),
        };
        self.flaws.push(Error::new(fault, line, column, &path));
        self.out.is_flawed = true;
    }

    #[inline(never)]
    fn end_string(&mut self, end: u64) {
        if let Some(document) = &mut self.document {
            document.end_string();
        }
        self.tracker.end_string(end, self.retained, &mut self.out);
    }

    #[inline(never)]
    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        if let Some(document) = &mut self.document {
            document.begin_atom();
        }
        let is_selected = self.tracker.begin_leaf(kind, at, &mut self.out);
        Ok(self.leaf_interest(is_selected))
    }

    #[inline(never)]
    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.tracker.end_atom(text, end, &mut self.out);
        match &mut self.document {
            Some(document) => document.end_atom(text, end),
            None => Ok(()),
        }
    }
}
