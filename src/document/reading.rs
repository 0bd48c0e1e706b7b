//! How a type is read while something is open: the marks that survive serde's buffers, and what is done with the text
//! of the open string. `settled.rs` explains why there are marks at all.

use core::any::type_name;
use core::cell::Cell;
use core::fmt;

use serde_json::Value;

/// The name by which the partial document's deserializer knows a [`Settled`](crate::Settled); any other format sees a plain
/// newtype.
pub(super) const SETTLED: &str = "$jsonspigot::Settled";

/// What a [`Settled`](crate::Settled) may conclude from a value that reaches it out of one of serde's buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffered {
    /// The buffer was filled from a complete value, so everything in it is complete.
    Whole,
    /// The buffer was filled from an open value, and what is open in it is marked.
    Marked,
    /// The buffer was filled from an open value, and nothing in it says what is open.
    Unmarked,
}

/// What an error says when a [`Settled`](crate::Settled) asks its type which reading it belongs to.
impl fmt::Display for Buffered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "jsonspigot buffers {self:?}")
    }
}

/// A way of reading. It is part of the error's type, because the error type is all that serde's buffers pass on.
pub(super) trait Reading: Copy + fmt::Debug {
    const BUFFERED: &'static Buffered;
    /// Whether what is open gets a mark.
    const MARKS: bool;
}

/// Reads a complete value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole;

/// Reads an open value, and marks what is open wherever it may be buffered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marked;

/// Reads an open value without marks, for types that want to borrow what a mark would have copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unmarked;

impl Reading for Whole {
    const BUFFERED: &'static Buffered = &Buffered::Whole;
    const MARKS: bool = false;
}

impl Reading for Marked {
    const BUFFERED: &'static Buffered = &Buffered::Marked;
    const MARKS: bool = true;
}

impl Reading for Unmarked {
    const BUFFERED: &'static Buffered = &Buffered::Unmarked;
    const MARKS: bool = false;
}

/// What becomes of the open string where a visitor takes anything, and may therefore be a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenText {
    /// It is shown with the text so far.
    Shown,
    /// This stands for it.
    Withheld(char),
    /// It is left out, with its key if it has one.
    LeftOut,
}

/// One reading's choice, and what happened in it.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) open_text: OpenText,
    /// Whether the open string was handed to a visitor that takes anything.
    may_have_buffered_open_text: Cell<bool>,
    /// Whether a mark was made: some types can't take one.
    has_marked: Cell<bool>,
}

impl Context {
    pub(super) fn new(open_text: OpenText) -> Self {
        Self { open_text, may_have_buffered_open_text: Cell::new(false), has_marked: Cell::new(false) }
    }

    pub(super) fn note_open_text(&self) {
        self.may_have_buffered_open_text.set(true);
    }

    pub(super) fn may_have_buffered_open_text(&self) -> bool {
        self.may_have_buffered_open_text.get()
    }

    pub(super) fn note_mark(&self) {
        self.has_marked.set(true);
    }

    pub(super) fn has_marked(&self) -> bool {
        self.has_marked.get()
    }
}

/// Whether a visitor makes a [`Value`], which has neither tags nor settled fields inside and copies all text anyway.
/// The answer only saves work: if it is no, the value is treated as one that is buffered.
pub(super) fn is_for_value<T>() -> bool {
    type_name::<T>() == type_name::<Value>()
}
