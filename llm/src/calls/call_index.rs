//! Finds the call for a slot or an id: by its choice and slot, never by its name, and never by its id alone.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::floor_char_boundary;

use super::limits::CallLimits;
use super::places::{Key, OwnedKey, Places};
use super::slot::{Place, Slot};

/// The slots and ids of one message, with the numbers of the calls they lead to. Ended calls are included as long as
/// they are remembered.
///
/// Memory is bounded: the open calls, equally many ended calls, and some slots that have no call ([`Strays`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallIndex {
    /// Call numbers by choice and key. A choice has [`Key::Own`] as long as it has any other key.
    calls: Places,
    /// The choice, index and call that were found last. Streams rarely change the slot from one event to the next.
    last: Option<(u64, u64, u64)>,
    /// For each open or remembered call, its choice under [`Key::Own`], and the slots and ids that lead to it in this
    /// choice. No two calls share a slot or an id.
    known: Places,
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
    noted: Reasons,
}

/// The reason for which each choice may have ended. The reason is stored as the key; the key's number is unused.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reasons(Places);

impl Reasons {
    pub(super) fn get(&self, choice: u64) -> Option<&str> {
        match self.0.keys_from(choice, Key::Own).next()?.get() {
            Key::Id(reason) => Some(reason),
            _ => None,
        }
    }

    fn set(&mut self, choice: u64, reason: &str) {
        self.remove(choice);
        self.0.insert(choice, Key::Id(reason).to_owned(), 0);
    }

    fn remove(&mut self, choice: u64) {
        let before = self.0.keys_from(choice, Key::Own).next().cloned();
        if let Some(before) = before {
            self.0.remove(choice, before.get());
        }
    }
}

/// Slots without a call of their own. The limit is far above what a healthy stream needs.
#[derive(Clone, Debug, Default, PartialEq)]
struct Strays {
    keys: Places,
    has_more: bool,
}

/// The maximum number of remembered slots without a call.
const MOST_STRAYS: usize = 512;

impl Strays {
    fn insert(&mut self, choice: u64, key: Key<'_>) {
        if self.keys.len() < MOST_STRAYS {
            self.keys.insert(choice, key.to_owned(), 0);
        } else {
            self.has_more = true;
        }
    }

    fn contains(&self, choice: u64, key: Key<'_>) -> bool {
        self.keys.get(choice, key).is_some()
    }

    fn remove(&mut self, choice: u64, key: Key<'_>) -> bool {
        self.keys.remove(choice, key).is_some()
    }
}

/// Returns the key of a slot that leads to one call only: an index or an id.
fn own_key(place: Place<'_>) -> Option<Key<'_>> {
    Key::of(place).filter(|key| matches!(key, Key::Index(_) | Key::Id(_)))
}

/// Returns the keys of a slot and an id.
fn keys_of<'a>(place: Place<'a>, id: &'a str) -> impl Iterator<Item = Key<'a>> {
    let id = (!id.is_empty()).then_some(Key::Id(id));
    [own_key(place), id].into_iter().flatten()
}

impl CallIndex {
    /// Returns the call in a slot, open or ended.
    pub(super) fn find(&mut self, slot: Slot<'_>) -> Option<u64> {
        if let (Some((choice, index, call)), Place::Index(wanted)) = (self.last, slot.place)
            && (choice, index) == (slot.choice, wanted)
        {
            return Some(call);
        }
        let call = self.calls.get(slot.choice, Key::of(slot.place)?)?;
        self.touch(slot, call);
        Some(call)
    }

    /// Returns the call with this id within its choice.
    pub(super) fn find_id(&self, choice: u64, id: &str) -> Option<u64> {
        self.calls.get(choice, Key::Id(id))
    }

    /// Returns an id of a call that is open or remembered.
    pub(super) fn id_of(&self, call: u64) -> Option<&str> {
        self.known.keys_from(call, Key::Id("")).find_map(|key| match key.get() {
            Key::Id(id) => Some(id),
            _ => None,
        })
    }

    /// Returns true if any call of this choice is remembered.
    pub(super) fn has_choice(&self, choice: u64) -> bool {
        self.calls.get(choice, Key::Own).is_some()
    }

    /// Returns the choice of a call that is open or remembered.
    pub(super) fn choice_of(&self, call: u64) -> Option<u64> {
        self.known.get(call, Key::Own)
    }

    /// Returns true if the calls of this choice are distinguished by an index.
    pub(super) fn has_indices(&self, choice: u64) -> bool {
        matches!(self.calls.keys_from(choice, Key::Index(0)).next(), Some(OwnedKey::Index(_)))
    }

    /// Puts a call into a slot and makes it findable by its id.
    pub(super) fn bind(&mut self, slot: Slot<'_>, id: &str, call: u64) {
        if self.known.get(call, Key::Own).is_none() {
            self.known.insert(call, OwnedKey::Own, slot.choice);
            self.noted.remove(slot.choice);
        }
        for key in keys_of(slot.place, id) {
            self.refused.remove(slot.choice, key);
            self.bind_key(slot.choice, key, call);
        }
        self.calls.insert(slot.choice, OwnedKey::Own, call);
        if slot.place == Place::Content {
            self.calls.insert(slot.choice, OwnedKey::Content, call);
        }
        self.has_refused_latest = false;
        self.touch(slot, call);
    }

    fn bind_key(&mut self, choice: u64, key: Key<'_>, call: u64) {
        let owned = key.to_owned();
        if let Some(before) = self.calls.insert(choice, owned.clone(), call) {
            self.known.remove(before, key);
        }
        self.known.insert(call, owned, choice);
    }

    /// Records that the call in this slot was refused, so that its fragments do not reach the slot's previous call.
    pub(super) fn refuse(&mut self, slot: Slot<'_>, id: &str, limits: &CallLimits) {
        self.last = None;
        self.has_refused_latest = own_key(slot.place).is_none();
        for key in keys_of(slot.place, id) {
            if let Some(before) = self.calls.remove(slot.choice, key) {
                self.known.remove(before, key);
            }
            // An id that is too long is not stored.
            match key {
                Key::Id(id) if id.len() > limits.name_bytes => self.refused.has_more = true,
                _ => self.refused.insert(slot.choice, key),
            }
        }
        self.calls.remove(slot.choice, Key::Latest);
        if slot.place == Place::Content {
            self.calls.remove(slot.choice, Key::Content);
        }
    }

    /// Returns true if the call in this slot was refused, so that its fragments belong to no other call.
    pub(super) fn was_refused(&self, slot: Slot<'_>) -> bool {
        match own_key(slot.place) {
            Some(key) => self.refused.contains(slot.choice, key),
            None => self.has_refused_latest && slot.place == Place::Latest,
        }
    }

    /// Returns true if any call was refused, so that a fragment without a slot may belong to it.
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused_latest || self.refused.has_more || !self.refused.keys.is_empty()
    }

    /// Returns the number of keys that lead to a call.
    pub(super) fn key_count(&self, call: u64) -> usize {
        self.known.keys_from(call, Key::Index(0)).count()
    }

    /// Records a fragment for a slot in which no call was started. Its call may start later, in this slot. If the
    /// fragment names no slot and can't belong to an open call (`is_nobodys`), its call may be the next one.
    pub(super) fn orphan(&mut self, slot: Slot<'_>, is_nobodys: bool, limits: &CallLimits) {
        match (own_key(slot.place), slot.place) {
            (None, _) => self.has_unplaced |= is_nobodys,
            (_, Place::Id(id)) if id.len() > limits.name_bytes => self.has_unplaced = true,
            (Some(key), _) => self.orphaned.insert(slot.choice, key),
        }
    }

    /// Records that a fragment is lost, which belongs to no call that starts later.
    pub(super) fn lose(&mut self) {
        self.has_lost = true;
    }

    /// Returns true if a fragment of the call that starts in this slot was lost before.
    pub(super) fn take_orphan(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let mut has_lost = mem::take(&mut self.has_unplaced) || self.orphaned.has_more;
        for key in keys_of(slot.place, id) {
            has_lost |= self.orphaned.remove(slot.choice, key);
        }
        has_lost
    }

    /// Returns true if a fragment found no call, and no call that it may belong to has started since.
    pub(super) fn has_strays(&self) -> bool {
        self.has_lost || self.awaits_start()
    }

    /// Returns true if a fragment of this message may belong to a call that has not started yet.
    pub(super) fn awaits_start(&self) -> bool {
        self.has_unplaced || self.orphaned.has_more || !self.orphaned.keys.is_empty()
    }

    /// Returns true if the index is empty, except for `has_lost`.
    pub(super) fn is_new(&self) -> bool {
        *self == Self { has_lost: self.has_lost, ..Self::default() }
    }

    fn touch(&mut self, slot: Slot<'_>, call: u64) {
        if slot.place != Place::Content && self.calls.get(slot.choice, Key::Latest) != Some(call) {
            self.calls.insert(slot.choice, OwnedKey::Latest, call);
        }
        self.last = match slot.place {
            Place::Index(index) => Some((slot.choice, index, call)),
            _ => None,
        };
    }

    /// Records that a call has ended. It can be found until `most` other calls have ended after it.
    pub(super) fn end(&mut self, call: u64, most: usize) {
        self.ended.push_back(call);
        if self.ended.len() > most
            && let Some(oldest) = self.ended.pop_front()
        {
            self.forget(oldest);
        }
    }

    fn forget(&mut self, call: u64) {
        self.has_forgotten = true;
        self.last = None;
        let Some(choice) = self.known.get(call, Key::Own) else { return };
        let keys: Vec<_> = self.known.keys_from(call, Key::Own).cloned().collect();
        for key in keys {
            self.known.remove(call, key.get());
            if !matches!(key, OwnedKey::Own) {
                self.calls.remove(choice, key.get());
            }
        }
        for place in [Key::Content, Key::Latest] {
            if self.calls.get(choice, place) == Some(call) {
                self.calls.remove(choice, place);
            }
        }
        if self.calls.keys_from(choice, Key::Content).next().is_none() {
            self.calls.remove(choice, Key::Own);
            self.noted.remove(choice);
        }
    }

    /// Returns true if an ended call of this message was forgotten.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// Notes the reason for which a choice may have ended, cut to the length limit of names. Does nothing for a choice
    /// without calls.
    pub(super) fn note(&mut self, choice: u64, reason: &str, limits: &CallLimits) {
        let reason = &reason[..floor_char_boundary(reason, limits.name_bytes)];
        if self.has_choice(choice) {
            self.noted.set(choice, reason);
        }
    }

    /// Notes the reason for which all choices may have ended.
    pub(super) fn note_all(&mut self, reason: &str) {
        self.noted = Reasons::default();
        for choice in self.calls.owners() {
            self.noted.set(choice, reason);
        }
    }

    /// Takes the noted reasons. A reason is dropped when another call of its choice starts.
    pub(super) fn take_noted(&mut self) -> Reasons {
        mem::take(&mut self.noted)
    }

    /// Begins a new message with empty slots. Fragments that arrived before any call may belong to the new message.
    pub(super) fn clear(&mut self) {
        let before = mem::take(self);
        if before.known.is_empty() && !before.has_forgotten {
            (self.orphaned, self.has_unplaced, self.has_lost) = (before.orphaned, before.has_unplaced, before.has_lost);
        } else {
            self.has_lost = before.has_strays();
        }
    }
}
