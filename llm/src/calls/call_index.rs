//! The call that a slot or an id means. A call is found by its choice and slot, never by its name and never by its id
//! alone.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::floor_char_boundary;

use super::limits::CallLimits;
use super::places::{Key, OwnedKey, Places};
use super::slot::{Place, Slot};

/// Finds calls: the slots of one message with the numbers of their calls, ended ones included, as far as they are
/// remembered.
///
/// The memory is bounded: the open calls, as many ended ones, and some slots that have no call ([`Strays`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallIndex {
    /// By choice, the number of the call that is found by a key. A choice has itself as long as it has any.
    calls: Places,
    /// The slot that was used last: streams hardly ever change it from one event to the next.
    last: Option<(u64, u64, u64)>,
    /// By call, if it is open or remembered, its choice, as itself, and the slots and ids that it is found by there. No
    /// two calls share one.
    known: Places,
    /// The remembered ones, oldest first.
    ended: VecDeque<u64>,
    has_forgotten: bool,
    /// Slots whose call was refused: their fragments are no other call's.
    refused: Strays,
    /// True if a call without a slot of its own was refused, and none has come since.
    has_refused_latest: bool,
    /// Slots that got a fragment before a call was started there, which then can't be complete.
    orphaned: Strays,
    /// True if a fragment without a slot came before the next call's start.
    has_unplaced: bool,
    /// True if a fragment of an earlier message never found its call.
    pub(super) has_lost: bool,
    /// By choice, the reason of an end that may yet be followed by more.
    noted: Reasons,
}

/// By choice, the reason for which it may have ended. The reason is the key; the number that belongs to it means
/// nothing.
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

/// Slots without a call of their own; the limit is far above what a healthy stream has.
#[derive(Clone, Debug, Default, PartialEq)]
struct Strays {
    keys: Places,
    has_more: bool,
}

/// The number of slots without a call that are remembered.
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

/// The key of a slot that is a call's own.
fn own_key(place: Place<'_>) -> Option<Key<'_>> {
    Key::of(place).filter(|key| matches!(key, Key::Index(_) | Key::Id(_)))
}

/// The keys that a slot and an id have.
fn keys_of<'a>(place: Place<'a>, id: &'a str) -> impl Iterator<Item = Key<'a>> {
    let id = (!id.is_empty()).then_some(Key::Id(id));
    [own_key(place), id].into_iter().flatten()
}

impl CallIndex {
    /// The call in a slot, open or ended.
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

    /// The call with an id, within its choice.
    pub(super) fn find_id(&self, choice: u64, id: &str) -> Option<u64> {
        self.calls.get(choice, Key::Id(id))
    }

    /// An id that a call is found by, as long as it is remembered.
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

    /// The choice of a call that is open or remembered.
    pub(super) fn choice_of(&self, call: u64) -> Option<u64> {
        self.known.get(call, Key::Own)
    }

    /// Returns true if this choice's calls are told apart by an index.
    pub(super) fn has_indices(&self, choice: u64) -> bool {
        matches!(self.calls.keys_from(choice, Key::Index(0)).next(), Some(OwnedKey::Index(_)))
    }

    /// Puts a call into a slot, and makes it findable by its id.
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

    /// A call in this slot was refused: what follows must not reach the one that was there before.
    pub(super) fn refuse(&mut self, slot: Slot<'_>, id: &str, limits: &CallLimits) {
        self.last = None;
        self.has_refused_latest = own_key(slot.place).is_none();
        for key in keys_of(slot.place, id) {
            if let Some(before) = self.calls.remove(slot.choice, key) {
                self.known.remove(before, key);
            }
            // A name that is too long is not kept to know it again.
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

    /// Returns true if the call of this slot was refused, so that what comes for it is no other call's.
    pub(super) fn was_refused(&self, slot: Slot<'_>) -> bool {
        match own_key(slot.place) {
            Some(key) => self.refused.contains(slot.choice, key),
            None => self.has_refused_latest && slot.place == Place::Latest,
        }
    }

    /// Returns true if any call was refused, so that a fragment that names none may be its.
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused_latest || self.refused.has_more || !self.refused.keys.is_empty()
    }

    /// Returns the number of keys by which a call is found.
    pub(super) fn key_count(&self, call: u64) -> usize {
        self.known.keys_from(call, Key::Index(0)).count()
    }

    /// A fragment came to this slot, in which no call was started. Its call may start later: in this slot, or if the
    /// fragment said nothing of one and `is_nobodys`, next.
    pub(super) fn orphan(&mut self, slot: Slot<'_>, is_nobodys: bool, limits: &CallLimits) {
        match (own_key(slot.place), slot.place) {
            (None, _) => self.has_unplaced |= is_nobodys,
            (_, Place::Id(id)) if id.len() > limits.name_bytes => self.has_unplaced = true,
            (Some(key), _) => self.orphaned.insert(slot.choice, key),
        }
    }

    /// Returns true if the call that starts in a slot has lost a fragment before.
    pub(super) fn take_orphan(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let mut has_lost = mem::take(&mut self.has_unplaced) || self.orphaned.has_more;
        for key in keys_of(slot.place, id) {
            has_lost |= self.orphaned.remove(slot.choice, key);
        }
        has_lost
    }

    /// Returns true if any fragment has found no call, and none has been started since that it may have been of.
    pub(super) fn has_strays(&self) -> bool {
        self.has_lost || self.awaits_start()
    }

    /// Returns true if a fragment of this message may be of a call that is still to start.
    pub(super) fn awaits_start(&self) -> bool {
        self.has_unplaced || self.orphaned.has_more || !self.orphaned.keys.is_empty()
    }

    /// Returns true if nothing is remembered but whether a fragment of an earlier message was lost.
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

    /// A call has ended: it stays findable until `most` others have ended after it.
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

    /// Returns true if a call of this message may have been here that is not remembered.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// Notes why a choice may have ended. One without calls has nothing that could end, and a reason that is too long
    /// to be one is cut.
    pub(super) fn note(&mut self, choice: u64, reason: &str, limits: &CallLimits) {
        let reason = &reason[..floor_char_boundary(reason, limits.name_bytes)];
        if self.has_choice(choice) {
            self.noted.set(choice, reason);
        }
    }

    /// Notes why all choices may have ended.
    pub(super) fn note_all(&mut self, reason: &str) {
        self.noted = Reasons::default();
        for choice in self.calls.owners() {
            self.noted.set(choice, reason);
        }
    }

    /// Takes the reasons why choices may have ended, if that was noted after their last calls' starts.
    pub(super) fn take_noted(&mut self) -> Reasons {
        mem::take(&mut self.noted)
    }

    /// A new message: its slots begin anew. Fragments that came before any call may belong to the new message.
    pub(super) fn clear(&mut self) {
        let before = mem::take(self);
        if before.known.is_empty() && !before.has_forgotten {
            (self.orphaned, self.has_unplaced, self.has_lost) = (before.orphaned, before.has_unplaced, before.has_lost);
        } else {
            self.has_lost = before.has_strays();
        }
    }
}
