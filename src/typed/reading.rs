//! One read of a type: which open values are shown or left out, and the text used for the innermost open string.
//! `mod.rs` makes these choices.

use core::cell::Cell;

use crate::tree::{NodeId, PartialValue};

/// The name by which the partial document's deserializer recognizes a [`Settled`](crate::Settled). Any other format
/// sees an ordinary newtype.
pub(super) const SETTLED: &str = "$jsonspigot::Settled";

/// The open values that are read. Each contains the next, from the root of the read to the innermost one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    /// The innermost open value that is shown.
    pub(super) innermost: NodeId,
    /// The open value inside it, which is treated as not begun.
    pub(super) left_out: Option<NodeId>,
}

impl Boundary {
    /// Returns a boundary that includes all open values.
    pub(super) fn all(value: PartialValue<'_>) -> Self {
        let innermost = if value.is_complete() { value.node } else { value.innermost_open() };
        Self { innermost, left_out: None }
    }
}

/// The text that a reader gets for the innermost open string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StandIn {
    /// The string itself.
    Itself,
    /// A value that no reader of strings accepts, where it may be buffered ([`buffered`](super::buffered)).
    Refused,
    /// Text that only a reader of arbitrary text accepts.
    OtherText,
}

/// The choices of one read, and a record of its events.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) boundary: Boundary,
    pub(super) stand_in: StandIn,
    /// True if the root of the read is open.
    pub(super) is_open: bool,
    /// True if an open value, or the innermost one, may have been buffered.
    pub(super) has_buffered: Cell<bool>,
    pub(super) has_buffered_innermost: Cell<bool>,
    /// True if the open string was read as the content of a newtype, which may contain any reader of text.
    pub(super) has_read_newtype: Cell<bool>,
}

impl Context {
    pub(super) fn new(value: PartialValue<'_>, boundary: Boundary, stand_in: StandIn) -> Self {
        let no = Cell::new(false);
        Self {
            boundary,
            stand_in,
            is_open: !value.is_complete(),
            has_buffered: no.clone(),
            has_buffered_innermost: no.clone(),
            has_read_newtype: no,
        }
    }

    /// Records that an open value may be buffered.
    pub(super) fn buffer(&self, value: PartialValue<'_>) {
        self.has_buffered.set(true);
        if value.node == self.boundary.innermost {
            self.has_buffered_innermost.set(true);
        }
    }

    /// Returns true if the open string may have been read as anything other than text.
    pub(super) fn may_have_parsed(&self) -> bool {
        self.has_buffered_innermost.get() || self.has_read_newtype.get()
    }
}
