//! Which call a signal means: by choice and slot, never by name and never by id alone.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use core::mem;

/// Where in a message a call stands, as the wire says it: an index, a choice with an index, or an id.
///
/// ```
/// use jsonspigot::adapters::{Calls, Slot};
///
/// let mut calls = Calls::new(&jsonspigot::PatternSet::empty());
/// calls.start(0, "toolu_1", "add", "", |_| {}); // Anthropic's content block 0
/// calls.start((1, 0), "call_1", "add", "", |_| {}); // choice 1, its first call
/// calls.start("call_7", "call_7", "add", "", |_| {}); // a protocol that names calls by id alone
/// calls.delta(Slot::from("call_7"), "{}", |_| {});
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    pub(super) choice: u64,
    pub(super) place: Place<'a>,
}

/// The part of a slot behind the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    Index(u64),
    Id(&'a str),
    /// The message's own text, where that is JSON.
    Content,
    /// The wire gave no place: the call that was touched last.
    Latest,
    /// The wire gave no place where it must: no call.
    Nowhere,
}

impl<'a> Slot<'a> {
    pub(super) fn new(choice: u64, place: Place<'a>) -> Self {
        Self { choice, place }
    }

    /// The only choice's slot at an index that the wire may have left out.
    pub(super) fn at(index: Option<u64>) -> Self {
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

/// The slots of one message with the numbers of their calls, ended ones included, as far as they are remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    lanes: BTreeMap<u64, Lane>,
    /// The slot that was used last: streams hardly ever change it from one event to the next.
    last: Option<(u64, u64, u64)>,
    ended: VecDeque<Bound>,
    has_forgotten: bool,
    /// By choice, the reason of an end that may yet be followed by more.
    noted: BTreeMap<u64, String>,
}

/// One choice's slots.
#[derive(Clone, Debug, Default)]
struct Lane {
    by_index: BTreeMap<u64, u64>,
    by_id: BTreeMap<String, u64>,
    content: Option<u64>,
    latest: Option<u64>,
}

/// What a call is known by.
#[derive(Clone, Debug)]
struct Bound {
    call: u64,
    choice: u64,
    index: Option<u64>,
    ids: [String; 2],
}

impl Slots {
    /// The call in a slot, open or ended.
    pub(super) fn find(&mut self, slot: Slot<'_>) -> Option<u64> {
        if let (Some((choice, index, call)), Place::Index(wanted)) = (self.last, slot.place)
            && (choice, index) == (slot.choice, wanted)
        {
            return Some(call);
        }
        let lane = self.lanes.get(&slot.choice)?;
        let call = match slot.place {
            Place::Index(index) => *lane.by_index.get(&index)?,
            Place::Id(id) => *lane.by_id.get(id)?,
            Place::Content => lane.content?,
            Place::Latest => lane.latest?,
            Place::Nowhere => return None,
        };
        self.touch(slot, call);
        Some(call)
    }

    /// The call with an id, within its choice.
    pub(super) fn find_id(&self, choice: u64, id: &str) -> Option<u64> {
        self.lanes.get(&choice)?.by_id.get(id).copied()
    }

    /// Puts a call into a slot, and makes it findable by its id.
    pub(super) fn bind(&mut self, slot: Slot<'_>, id: &str, call: u64) {
        let lane = self.lanes.entry(slot.choice).or_default();
        match slot.place {
            Place::Index(index) => drop(lane.by_index.insert(index, call)),
            Place::Id(place) => drop(lane.by_id.insert(place.to_owned(), call)),
            Place::Content => lane.content = Some(call),
            Place::Latest | Place::Nowhere => {}
        }
        if !id.is_empty() {
            lane.by_id.insert(id.to_owned(), call);
        }
        self.noted.remove(&slot.choice);
        self.touch(slot, call);
    }

    /// A call in this slot was refused: what follows must not reach the one that was there before.
    pub(super) fn unbind(&mut self, slot: Slot<'_>) {
        self.last = None;
        if let Some(lane) = self.lanes.get_mut(&slot.choice) {
            lane.latest = None;
            match slot.place {
                Place::Index(index) => drop(lane.by_index.remove(&index)),
                Place::Id(id) => drop(lane.by_id.remove(id)),
                Place::Content => lane.content = None,
                Place::Latest | Place::Nowhere => {}
            }
        }
    }

    fn touch(&mut self, slot: Slot<'_>, call: u64) {
        if let Some(lane) = self.lanes.get_mut(&slot.choice)
            && slot.place != Place::Content
        {
            lane.latest = Some(call);
        }
        self.last = match slot.place {
            Place::Index(index) => Some((slot.choice, index, call)),
            _ => None,
        };
    }

    /// A call has ended: it stays findable until `most` others have ended after it.
    pub(super) fn end(&mut self, slot: Slot<'_>, id: &str, call: u64, most: usize) {
        let index = if let Place::Index(index) = slot.place { Some(index) } else { None };
        let place = if let Place::Id(place) = slot.place { place } else { "" };
        self.ended.push_back(Bound { call, choice: slot.choice, index, ids: [place.to_owned(), id.to_owned()] });
        if self.ended.len() > most
            && let Some(oldest) = self.ended.pop_front()
        {
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, Bound { call, choice, index, ids }: &Bound) {
        self.has_forgotten = true;
        self.last = None;
        let Some(lane) = self.lanes.get_mut(choice) else { return };
        if let Some(index) = index
            && lane.by_index.get(index) == Some(call)
        {
            lane.by_index.remove(index);
        }
        for id in ids {
            if lane.by_id.get(id) == Some(call) {
                lane.by_id.remove(id);
            }
        }
        for place in [&mut lane.content, &mut lane.latest] {
            place.take_if(|kept| kept == call);
        }
        if lane.by_index.is_empty() && lane.by_id.is_empty() && lane.content.is_none() && lane.latest.is_none() {
            self.lanes.remove(choice);
        }
    }

    /// Whether a call of this message may have been here that is not remembered.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// Notes why a choice may have ended. One without calls has nothing that could end.
    pub(super) fn note(&mut self, choice: u64, reason: &str) {
        if self.lanes.contains_key(&choice) {
            self.noted.insert(choice, reason.to_owned());
        }
    }

    /// Notes why all choices may have ended.
    pub(super) fn note_all(&mut self, reason: &str) {
        self.noted = self.lanes.keys().map(|choice| (*choice, reason.to_owned())).collect();
    }

    /// Why choices may have ended, if that was noted behind their last calls' starts.
    pub(super) fn take_noted(&mut self) -> BTreeMap<u64, String> {
        mem::take(&mut self.noted)
    }

    /// A new message: its slots begin anew.
    pub(super) fn clear(&mut self) {
        self.lanes.clear();
        self.ended.clear();
        self.noted.clear();
        self.last = None;
        self.has_forgotten = false;
    }
}
