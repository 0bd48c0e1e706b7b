//! A call's place in a message: [`Slot`].

/// A call's place in a message, as the wire gives it: an index, a choice with an index, or an id.
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

/// The part of a slot after the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    Index(u64),
    Id(&'a str),
    /// The message's own text, where that is JSON.
    Content,
    /// The wire gave no place: the call that was touched last.
    Latest,
    /// The wire gave no place though it has to: no call.
    Nowhere,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(choice: u64, place: Place<'a>) -> Self {
        Self { choice, place }
    }

    /// The slot in the only choice at an index that the wire may have left out.
    pub(crate) fn at(index: Option<u64>) -> Self {
        Self::new(0, index.map_or(Place::Nowhere, Place::Index))
    }
}

impl From<u64> for Slot<'_> {
    /// An index in the only choice.
    fn from(index: u64) -> Self {
        Self::new(0, Place::Index(index))
    }
}

impl From<(u64, u64)> for Slot<'_> {
    /// A choice and an index in it.
    fn from((choice, index): (u64, u64)) -> Self {
        Self::new(choice, Place::Index(index))
    }
}

impl<'a> From<&'a str> for Slot<'a> {
    /// An id that is the call's only place.
    fn from(id: &'a str) -> Self {
        Self::new(0, Place::Id(id))
    }
}
