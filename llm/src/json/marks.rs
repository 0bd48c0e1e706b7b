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
pub(crate) struct Text(u32);

impl Text {
    /// Marks the text of a repetition. Call numbers do not reach this bit, nor the next one.
    const AGAIN: u32 = 1 << 31;
    /// Marks the text of pieces without a call.
    const OF_SLOT: u32 = 1 << 30;
    /// Marks the text of pieces that a chat repeats in the older form of calls.
    const OLDER: u32 = Self::AGAIN | Self::OF_SLOT;

    /// Returns the text that is a call's input.
    pub(crate) fn of(call: u64) -> Self {
        Self((call % u64::from(Self::OF_SLOT)) as u32)
    }

    /// Returns the text of the repetition of a call's input.
    pub(crate) fn again(call: u64) -> Self {
        Self(Self::of(call).0 | Self::AGAIN)
    }

    /// Returns the text that a chat repeats in the older form of calls.
    pub(crate) fn older(call: u64) -> Self {
        Self(Self::of(call).0 | Self::OLDER)
    }

    /// Returns the text of pieces without a call, by the digest of their slot.
    pub(crate) fn of_place(digest: u64) -> Self {
        Self(Self::of(digest).0 | Self::OF_SLOT)
    }

    /// Returns true if the text's pieces belong to no call.
    pub(crate) fn is_stray(self) -> bool {
        self.0 & Self::OLDER == Self::OF_SLOT
    }

    /// Returns the call whose input the text is; `None` for a repetition and for pieces without a call.
    pub(crate) fn call(self) -> Option<u64> {
        if self.0 < Self::OF_SLOT { Some(self.0.into()) } else { None }
    }
}

impl Mark {
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
