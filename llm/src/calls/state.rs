//! The state of a stream's calls from one signal to the next, and the index that finds the call for a slot or an id: by
//! its choice and slot, never by its name, and never by its id alone.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::floor_char_boundary;

use super::builder::Options;
use super::limits::CallLimits;
use super::numbered::Numbered;
use super::open_call::OpenCall;
use super::places::Places;
use super::start::{Place, Slot};

/// The options, the open calls and the index that finds calls.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(super) options: Options,
    pub(super) index: CallIndex,
    pub(super) open: Numbered<Box<OpenCall>>,
    /// The number of the next call.
    pub(crate) next: u64,
}

/// The slots and ids of one message, with the numbers of the calls they lead to. Ended calls are included as long as
/// they are remembered.
///
/// Memory is bounded: the open calls, equally many ended calls, and some slots that have no call ([`Strays`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallIndex {
    /// Call numbers by choice and place.
    calls: Places,
    /// The choice, index and call that were found last. Streams rarely change the slot from one event to the next.
    last: Option<(u64, u64, u64)>,
    /// The open and the remembered calls. No two calls of a choice share an index or an id.
    known: Numbered<Known>,
    /// The remembered ended calls, oldest first.
    ended: VecDeque<u64>,
    has_forgotten: bool,
    /// Slots whose call was refused. Their fragments belong to no other call.
    refused: Strays,
    /// True if a call without a slot of its own was refused, and no call was bound since.
    has_refused_latest: bool,
    /// Slots that received a fragment before their call started. Such a call can't be complete.
    orphaned: Strays,
    /// True if a fragment without a slot arrived before the next call's start.
    has_unplaced: bool,
    /// True if a fragment of an earlier message was never assigned to a call.
    pub(super) has_lost: bool,
    /// For each choice, the reason of an end after which more may still arrive.
    noted: Numbered<Box<str>>,
}

/// The choice of a call, and the indices and ids that lead to it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    choice: u64,
    indices: Vec<u64>,
    ids: Vec<Box<str>>,
}

/// Slots without a call of their own. The limit is far above what a healthy stream needs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Strays {
    slots: Places,
    has_more: bool,
}

/// The maximum number of remembered slots without a call.
const MOST_STRAYS: usize = 512;

impl Strays {
    fn insert(&mut self, choice: u64, place: Place<'_>) {
        if self.slots.len() < MOST_STRAYS {
            self.slots.insert(choice, place, 0);
        } else {
            self.has_more = true;
        }
    }

    fn has_any(&self) -> bool {
        self.has_more || !self.slots.is_empty()
    }
}

impl CallIndex {
    /// Makes a place lead to no call.
    fn free(&mut self, choice: u64, place: Place<'_>) {
        if let Some(before) = self.calls.remove(choice, place)
            && let Some(known) = self.known.get_mut(before)
        {
            known.indices.retain(|index| Place::Index(*index) != place);
            known.ids.retain(|id| Place::Id(id) != place);
        }
    }
}

/// Returns the places of a slot and an id that lead to one call only.
fn own_places<'a>(place: Place<'a>, id: &'a str) -> impl Iterator<Item = Place<'a>> {
    let id = (!id.is_empty()).then_some(Place::Id(id));
    [Some(place).filter(|place| place.is_own()), id].into_iter().flatten()
}

impl State {
    pub(super) fn new(options: Options) -> Self {
        Self { options, index: CallIndex::default(), open: Numbered::default(), next: 0 }
    }

    /// Records that a part of the stream was left out, so that no open call can be complete.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        self.open.values_mut().for_each(|call| call.leave_out(reason));
    }

    /// Returns an open call by its number.
    pub(crate) fn open_call(&self, number: u64) -> Option<&OpenCall> {
        self.open.get(number).map(|call| &**call)
    }

    /// Returns the number of open calls.
    pub(crate) fn open_count(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn limits(&self) -> &CallLimits {
        &self.options.limits
    }

    /// Returns true if each delta holds all of the input so far.
    pub(crate) fn is_cumulative(&self) -> bool {
        self.options.is_cumulative
    }
}

/// The index.
impl State {
    /// Returns the call that was last started in a slot, open or ended.
    pub(crate) fn find_in(&mut self, slot: Slot<'_>) -> Option<u64> {
        if let (Some((choice, index, call)), Place::Index(wanted)) = (self.index.last, slot.place)
            && (choice, index) == (slot.choice, wanted)
        {
            return Some(call);
        }
        let call = self.index.calls.get(slot.choice, slot.place)?;
        self.touch(slot, call);
        Some(call)
    }

    /// Returns the call with this id within its choice, open or remembered.
    pub(crate) fn find_id(&self, choice: u64, id: &str) -> Option<u64> {
        self.index.calls.get(choice, Place::Id(id))
    }

    /// Returns an id of a call that is open or remembered.
    pub(crate) fn id_of(&self, call: u64) -> Option<&str> {
        self.index.known.get(call)?.ids.iter().map(|id| &**id).min()
    }

    /// Returns true if any call of this choice is remembered.
    pub(super) fn has_choice(&self, choice: u64) -> bool {
        self.index.known.iter().any(|(_, known)| known.choice == choice)
    }

    /// Returns the choice of a call that is open or remembered.
    pub(crate) fn choice_of(&self, call: u64) -> Option<u64> {
        self.index.known.get(call).map(|known| known.choice)
    }

    /// Returns true if this choice's calls are distinguished by an index.
    pub(crate) fn has_indices(&self, choice: u64) -> bool {
        self.index.known.iter().any(|(_, known)| known.choice == choice && !known.indices.is_empty())
    }

    /// Moves an earlier call into a slot, so that the signals that follow there belong to it.
    pub(crate) fn resume(&mut self, slot: Slot<'_>, call: u64) {
        self.bind(slot, "", call);
    }

    /// Puts a call into a slot and makes it findable by its id.
    pub(super) fn bind(&mut self, slot: Slot<'_>, id: &str, call: u64) {
        let index = &mut self.index;
        if !index.known.contains(call) {
            index.known.insert(call, Known { choice: slot.choice, ..Known::default() });
            index.noted.remove(slot.choice);
        }
        for place in own_places(slot.place, id) {
            index.refused.slots.remove(slot.choice, place);
            index.free(slot.choice, place);
            index.calls.insert(slot.choice, place, call);
            match (place, index.known.get_mut(call)) {
                (Place::Index(place), Some(known)) => known.indices.push(place),
                (Place::Id(id), Some(known)) => known.ids.push(id.into()),
                _ => {}
            }
        }
        if slot.place == Place::Content {
            index.calls.insert(slot.choice, Place::Content, call);
        }
        index.has_refused_latest = false;
        self.touch(slot, call);
    }

    /// Records that the call in this slot was refused, so that its fragments do not reach the slot's previous call.
    pub(super) fn refuse(&mut self, slot: Slot<'_>, id: &str) {
        let (index, most) = (&mut self.index, self.options.limits.name_bytes);
        index.last = None;
        index.has_refused_latest = !slot.place.is_own();
        for place in own_places(slot.place, id) {
            index.free(slot.choice, place);
            // An id that is too long is not stored.
            match place {
                Place::Id(id) if id.len() > most => index.refused.has_more = true,
                _ => index.refused.insert(slot.choice, place),
            }
        }
        index.calls.remove(slot.choice, Place::Latest);
        if slot.place == Place::Content {
            index.calls.remove(slot.choice, Place::Content);
        }
    }

    /// Returns true if the call in this slot was refused, so that its fragments belong to no other call.
    pub(super) fn was_refused(&self, slot: Slot<'_>) -> bool {
        if slot.place.is_own() {
            self.index.refused.slots.get(slot.choice, slot.place).is_some()
        } else {
            self.index.has_refused_latest && slot.place == Place::Latest
        }
    }

    /// Returns true if any call was refused, so that a fragment without a slot may belong to it.
    pub(super) fn has_refused(&self) -> bool {
        self.index.has_refused_latest || self.index.refused.has_any()
    }

    /// Returns the number of indices and ids that lead to a call.
    pub(super) fn place_count(&self, call: u64) -> usize {
        self.index.known.get(call).map_or(0, |known| known.indices.len() + known.ids.len())
    }

    /// Records a fragment for a slot in which no call was started. Its call may start later, in this slot. If the
    /// fragment names no slot and can't belong to an open call (`is_nobodys`), its call may be the next one.
    pub(super) fn orphan(&mut self, slot: Slot<'_>, is_nobodys: bool) {
        match slot.place {
            Place::Id(id) if id.len() > self.options.limits.name_bytes => self.index.has_unplaced = true,
            place if place.is_own() => self.index.orphaned.insert(slot.choice, place),
            _ => self.index.has_unplaced |= is_nobodys,
        }
    }

    /// Returns true if a fragment of the call that starts in this slot was lost before.
    pub(super) fn take_orphan(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let orphaned = &mut self.index.orphaned;
        let mut has_lost = mem::take(&mut self.index.has_unplaced) || orphaned.has_more;
        for place in own_places(slot.place, id) {
            has_lost |= orphaned.slots.remove(slot.choice, place).is_some();
        }
        has_lost
    }

    /// Returns true if a fragment found no call, and no call that it may belong to has started since.
    pub(crate) fn has_strays(&self) -> bool {
        self.index.has_lost || self.awaits_start()
    }

    /// Returns true if a fragment of this message may belong to a call that has not started yet.
    pub(super) fn awaits_start(&self) -> bool {
        self.index.has_unplaced || self.index.orphaned.has_any()
    }

    fn touch(&mut self, slot: Slot<'_>, call: u64) {
        if slot.place != Place::Content && self.index.calls.get(slot.choice, Place::Latest) != Some(call) {
            self.index.calls.insert(slot.choice, Place::Latest, call);
        }
        self.index.last = match slot.place {
            Place::Index(index) => Some((slot.choice, index, call)),
            _ => None,
        };
    }

    /// Records that a call has ended. It can be found until more than [`open_calls`](super::CallLimits::open_calls)
    /// other calls have ended after it.
    pub(super) fn note_end(&mut self, call: u64) {
        self.index.ended.push_back(call);
        if self.index.ended.len() > self.options.limits.open_calls
            && let Some(oldest) = self.index.ended.pop_front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, call: u64) {
        let index = &mut self.index;
        index.has_forgotten = true;
        index.last = None;
        let Some(Known { choice, indices, ids }) = index.known.remove(call) else { return };
        let places = indices.into_iter().map(Place::Index).chain(ids.iter().map(|id| Place::Id(id)));
        for place in places.chain([Place::Content, Place::Latest]) {
            if index.calls.get(choice, place) == Some(call) {
                index.calls.remove(choice, place);
            }
        }
        if !self.has_choice(choice) {
            self.index.noted.remove(choice);
        }
    }

    /// Returns true if an ended call of this message was forgotten.
    pub(crate) fn has_forgotten(&self) -> bool {
        self.index.has_forgotten
    }

    /// Notes the reason for which a choice may have ended, though more may follow, cut to the length limit of names. Does
    /// nothing for a choice without calls.
    pub(crate) fn note(&mut self, choice: u64, reason: &str) {
        if self.has_choice(choice) {
            let reason = &reason[..floor_char_boundary(reason, self.options.limits.name_bytes)];
            self.index.noted.remove(choice);
            self.index.noted.insert(choice, reason.into());
        }
    }

    /// Notes the reason for which all choices may have ended.
    pub(crate) fn note_all(&mut self, reason: &str) {
        let CallIndex { known, noted, .. } = &mut self.index;
        *noted = Numbered::default();
        for (_, Known { choice, .. }) in known.iter() {
            if !noted.contains(*choice) {
                noted.insert(*choice, reason.into());
            }
        }
    }

    /// Takes the noted reasons. A reason is dropped when another call of its choice starts.
    pub(super) fn take_noted(&mut self) -> Numbered<Box<str>> {
        mem::take(&mut self.index.noted)
    }

    /// Returns true if the index is empty, except for lost fragments of earlier messages.
    pub(super) fn has_new_index(&self) -> bool {
        self.index == CallIndex { has_lost: self.index.has_lost, ..CallIndex::default() }
    }

    /// Begins a new message with empty slots. Fragments that arrived before any call may belong to the new message.
    pub(super) fn clear_index(&mut self) {
        let has_strays = self.has_strays();
        let before = mem::take(&mut self.index);
        if before.known.is_empty() && !before.has_forgotten {
            let CallIndex { orphaned, has_unplaced, has_lost, .. } = before;
            self.index = CallIndex { orphaned, has_unplaced, has_lost, ..CallIndex::default() };
        } else {
            self.index.has_lost = has_strays;
        }
    }
}
