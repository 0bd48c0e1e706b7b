//! How a type is read from an open value: what is shown of it, what is left out, and what stands for the innermost open
//! value where serde buffers it. `typed.rs` decides on these; `settled.rs` explains the marks.

use core::any::type_name;
use core::cell::Cell;
use core::fmt;

use super::{NOTHING, NodeId, PartialValue};

/// The name by which the partial document's deserializer knows a [`Settled`](crate::Settled); any other format sees a plain
/// newtype.
pub(super) const SETTLED: &str = "$jsonspigot::Settled";

/// A way of reading. It is part of the error's type, because the error type is all that serde's buffers pass on.
pub(super) trait Reading: Copy + fmt::Debug {
    /// Whether something in the value may be open.
    const IS_OPEN: bool;
}

/// Reads a complete value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole;

/// Reads an open value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open;

/// Reads an open value in which it is not known who took the innermost one: a [`Settled`](crate::Settled) that may have
/// is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsure;

impl Reading for Whole {
    const IS_OPEN: bool = false;
}

impl Reading for Open {
    const IS_OPEN: bool = true;
}

impl Reading for Unsure {
    const IS_OPEN: bool = true;
}

/// The open values that are read. Each contains the next, from the value that is asked for to the innermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The innermost open value that is shown.
    pub(super) innermost: NodeId,
    /// The open value inside that one, which is read as if it had not begun; or [`NOTHING`].
    pub(super) left_out: NodeId,
}

impl Extent {
    /// All that is there.
    pub(super) fn all(value: PartialValue<'_>) -> Self {
        let innermost = if value.is_complete() { value.node } else { value.innermost_open() };
        Self { innermost, left_out: NOTHING }
    }
}

/// What a buffer gets for the innermost open value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StandIn {
    /// The value itself.
    Itself,
    /// A character, which notes who asks for it ([`withheld`](super::withheld)).
    Character(char),
    /// Text that only a reader of any text takes. Strings only; this one also where no buffer is in between.
    OtherText,
    /// Something that nothing but a [`Settled`](crate::Settled) takes.
    Hidden,
}

/// One reading's choices, and what happened in it.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) extent: Extent,
    pub(super) stand_in: StandIn,
    /// Whether what is open gets a mark where it is buffered.
    pub(super) marks: bool,
    /// Whether an open value was buffered, and whether the innermost one was.
    has_buffered: Cell<bool>,
    has_buffered_innermost: Cell<bool>,
    /// Whether a mark was made: some types can't take one.
    has_marked: Cell<bool>,
    /// Whether the open string was read as the text of a newtype, which may hold any reader of text.
    has_read_newtype: Cell<bool>,
    /// Whether anybody asked for the text of a value as it was spelt.
    has_read_spelling: Cell<bool>,
}

impl Context {
    pub(super) fn new(extent: Extent, marks: bool, stand_in: StandIn) -> Self {
        let no = Cell::new(false);
        Self {
            extent,
            stand_in,
            marks,
            has_buffered: no.clone(),
            has_buffered_innermost: no.clone(),
            has_marked: no.clone(),
            has_read_newtype: no.clone(),
            has_read_spelling: no,
        }
    }

    /// Notes that an open value is buffered. Returns what stands for it.
    pub(super) fn buffer(&self, value: PartialValue<'_>) -> StandIn {
        self.has_buffered.set(true);
        if value.node != self.extent.innermost {
            return StandIn::Itself;
        }
        self.has_buffered_innermost.set(true);
        self.stand_in
    }

    pub(super) fn has_buffered(&self) -> bool {
        self.has_buffered.get()
    }

    pub(super) fn has_buffered_innermost(&self) -> bool {
        self.has_buffered_innermost.get()
    }

    /// Whether the open string may have been read as anything but text.
    pub(super) fn may_have_parsed(&self) -> bool {
        self.has_buffered_innermost() || self.has_read_newtype()
    }

    pub(super) fn note_mark(&self) {
        self.has_marked.set(true);
    }

    pub(super) fn has_marked(&self) -> bool {
        self.has_marked.get()
    }

    pub(super) fn note_newtype(&self) {
        self.has_read_newtype.set(true);
    }

    pub(super) fn has_read_newtype(&self) -> bool {
        self.has_read_newtype.get()
    }

    pub(super) fn note_spelling(&self) {
        self.has_read_spelling.set(true);
    }

    pub(super) fn has_read_spelling(&self) -> bool {
        self.has_read_spelling.get()
    }
}

/// Whether a visitor makes one of serde's private buffers, from which a type is then read.
pub(super) fn is_buffer<T>() -> bool {
    // Some compilers write its lifetime.
    let name = type_name::<T>().split('<').next().unwrap_or_default();
    name.ends_with("::Content") && (name.starts_with("serde_core::") || name.starts_with("serde::"))
}
