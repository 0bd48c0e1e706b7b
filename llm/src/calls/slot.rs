//! The slot of a call: [`Slot`].

use super::rest::digest_of;

/// The slot of a call in its message: an index, a choice with an index, or an id.
///
/// ```
/// use jsonspigot_llm::{CallEvent, CallStart, Slot, ToolCalls};
///
/// let mut calls = ToolCalls::default();
/// let mut fragments = Vec::new();
/// let mut on_event = |event: CallEvent<'_>| {
///     if let CallEvent::Fragment { call, .. } = event {
///         fragments.push(call.number);
///     }
/// };
/// let add = CallStart::new("add");
/// calls.start_with(0, add.id("toolu_1"), &mut on_event); // Anthropic's content block 0
/// calls.start_with((1, 0), add.id("call_1"), &mut on_event); // choice 1, its first call
/// calls.start_with("call_7", add.id("call_7"), &mut on_event); // a protocol that names calls by id alone
/// calls.delta_with(Slot::from("call_7"), "{}", &mut on_event);
/// assert_eq!(fragments, [2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    pub(crate) choice: u64,
    pub(crate) place: Place<'a>,
}

/// The place of a slot within its choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Index(u64),
    Id(&'a str),
    /// The message's own text, if that text is JSON.
    Content,
    /// The wire sent no place: the call that was used last.
    Latest,
    /// The wire left out a required place: the only open call, if there is exactly one.
    Nowhere,
}

impl Place<'_> {
    /// Returns true if the place leads to one call only: it is an index or an id.
    pub(super) fn is_own(self) -> bool {
        matches!(self, Self::Index(_) | Self::Id(_))
    }
}

impl<'a> Slot<'a> {
    pub(crate) fn new(choice: u64, place: Place<'a>) -> Self {
        Self { choice, place }
    }

    /// Returns a number that most other slots do not have.
    pub(crate) fn digest(self) -> u64 {
        let place = match self.place {
            Place::Index(index) => index,
            Place::Id(id) => digest_of(id),
            Place::Content | Place::Latest | Place::Nowhere => u64::MAX,
        };
        self.choice.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ place
    }

    /// Returns the slot at an index of the only choice. `index` is `None` if the wire left it out.
    pub(crate) fn at(index: Option<u64>) -> Self {
        Self::new(0, index.map_or(Place::Nowhere, Place::Index))
    }
}

impl From<u64> for Slot<'_> {
    /// Returns the slot at an index of the only choice.
    fn from(index: u64) -> Self {
        Self::new(0, Place::Index(index))
    }
}

impl From<(u64, u64)> for Slot<'_> {
    /// Returns the slot at an index of a choice.
    fn from((choice, index): (u64, u64)) -> Self {
        Self::new(choice, Place::Index(index))
    }
}

impl<'a> From<&'a str> for Slot<'a> {
    /// Returns the slot of a call that is named by its id alone.
    fn from(id: &'a str) -> Self {
        Self::new(0, Place::Id(id))
    }
}
