//! The marks that the values of an event get: [`Mark`].

/// The state of a value with regard to the table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// No row has named the value.
    Unread,
    /// A row has read the value and everything in it.
    Read,
    /// It was reported as a whole. Of what is in it, only values with marks of their own are known.
    Shown,
    /// An error, in which the members that errors have are known.
    Failed,
    /// A call's input, or a piece of it: JSON, or JSON text in a string.
    Input,
    /// A piece of a JSON text that is a call's input.
    Piece(Text),
    /// All of a JSON text so far, or up to an earlier piece.
    SoFar(Text),
    /// Input that is not JSON, or a part of it: a piece of this text, if there is one.
    Raw(Option<Text>),
    /// Another event in base64.
    Wrapped,
    /// A row has named members of the value, each of which has its own mark.
    Entered,
    /// A row expects text, but the value has another type.
    Odd,
    /// A row expects an object, a list or a piece of a call, but the value has another type, so an open call may lack a
    /// part.
    Torn,
}

/// The text that pieces of a call's input belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// The input of the call with this number.
    Call(u64),
    /// The repetition of a call's input.
    Again(u64),
    /// The repetition of a call's input in the older form of chats.
    Older(u64),
    /// The text of pieces without a call, by the digest of their slot.
    Slot(u64),
}

impl Text {
    /// Returns true if the text's pieces belong to no call.
    pub(crate) fn is_stray(self) -> bool {
        matches!(self, Self::Slot(_))
    }

    /// Returns the call whose input the text is; `None` for a repetition and for pieces without a call.
    pub(crate) fn call(self) -> Option<u64> {
        if let Self::Call(call) = self { Some(call) } else { None }
    }
}

impl Mark {
    /// Returns true for a call's input, a part of it, and a value of another type in its place.
    pub(super) fn may_be_input(self) -> bool {
        matches!(self, Self::Input | Self::Piece(_) | Self::SoFar(_) | Self::Raw(_) | Self::Torn)
    }

    /// Returns true if nothing inside the value has to be reported.
    pub(super) fn is_known(self) -> bool {
        !matches!(self, Self::Unread | Self::Entered | Self::Odd | Self::Torn)
    }
}

/// The containers around a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    /// True if a container around it was read as a whole.
    pub(crate) is_read: bool,
    /// True if an object around it is a call.
    pub(crate) is_call: bool,
}
