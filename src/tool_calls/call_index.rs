//! Which call a slot or an id means. A call is found by its choice and slot, never by its name and never by its id alone.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use core::mem;

use super::limits::CallLimits;
use super::slot::{Place, Slot};
use crate::tokenizer::floor_char_boundary;

/// Finds calls: the slots of one message with the numbers of their calls, ended ones included, as far as they are remembered.
///
/// What is remembered is bounded: the open calls, as many ended ones, and some slots that have no call ([`Strays`]).
#[derive(Clone, Debug, Default)]
pub(super) struct CallIndex {
    choices: BTreeMap<u64, ChoiceSlots>,
    /// The slot that was used last: streams hardly ever change it from one event to the next.
    last: Option<(u64, u64, u64)>,
    /// Each call that is open or remembered.
    known: BTreeMap<u64, Known>,
    /// The remembered ones, oldest first.
    ended: VecDeque<u64>,
    has_forgotten: bool,
    /// Slots whose call was refused: their fragments are no other call's.
    refused: Strays,
    /// Whether a call without a slot of its own was refused, and none has come since.
    has_refused_latest: bool,
    /// Slots that got a fragment before a call was started there, which then can't be complete.
    orphaned: Strays,
    /// Whether a fragment without a slot came before the next call's start.
    has_unplaced: bool,
    /// By choice, the reason of an end that may yet be followed by more.
    noted: BTreeMap<u64, String>,
}

/// One choice's slots.
#[derive(Clone, Debug, Default)]
struct ChoiceSlots {
    by_index: BTreeMap<u64, u64>,
    by_id: BTreeMap<Arc<str>, u64>,
    content: Option<u64>,
    latest: Option<u64>,
}

/// Where a call stands, and all that it is found by there. No two calls share a key.
#[derive(Clone, Debug)]
struct Known {
    choice: u64,
    keys: BTreeSet<Key>,
}

/// What a call is found by, within its choice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Index(u64),
    Id(Arc<str>),
}

impl Key {
    /// The key that a slot has, if it has one.
    fn of(place: Place<'_>) -> Option<Self> {
        match place {
            Place::Index(index) => Some(Self::Index(index)),
            Place::Id(id) => Some(Self::Id(id.into())),
            Place::Content | Place::Latest | Place::Nowhere => None,
        }
    }
}

/// Slots without a call of their own, as many as a healthy stream has by far not.
#[derive(Clone, Debug, Default)]
struct Strays {
    keys: BTreeSet<(u64, Key)>,
    has_more: bool,
}

/// How many slots without a call are remembered.
const MOST_STRAYS: usize = 512;

impl Strays {
    fn insert(&mut self, choice: u64, key: Key) {
        if self.keys.len() < MOST_STRAYS {
            self.keys.insert((choice, key));
        } else {
            self.has_more = true;
        }
    }

    fn contains(&self, choice: u64, key: Key) -> bool {
        !self.keys.is_empty() && self.keys.contains(&(choice, key))
    }

    fn remove(&mut self, choice: u64, key: Key) -> bool {
        !self.keys.is_empty() && self.keys.remove(&(choice, key))
    }
}

/// The keys that a slot and an id have.
fn keys_of(place: Place<'_>, id: &str) -> impl Iterator<Item = Key> {
    let id = (!id.is_empty()).then(|| Key::Id(id.into()));
    [Key::of(place), id].into_iter().flatten()
}

impl CallIndex {
    /// The call in a slot, open or ended.
    pub(super) fn find(&mut self, slot: Slot<'_>) -> Option<u64> {
        if let (Some((choice, index, call)), Place::Index(wanted)) = (self.last, slot.place)
            && (choice, index) == (slot.choice, wanted)
        {
            return Some(call);
        }
        let slots = self.choices.get(&slot.choice)?;
        let call = match slot.place {
            Place::Index(index) => *slots.by_index.get(&index)?,
            Place::Id(id) => *slots.by_id.get(id)?,
            Place::Content => slots.content?,
            Place::Latest => slots.latest?,
            Place::Nowhere => return None,
        };
        self.touch(slot, call);
        Some(call)
    }

    /// The call with an id, within its choice.
    pub(super) fn find_id(&self, choice: u64, id: &str) -> Option<u64> {
        self.choices.get(&choice)?.by_id.get(id).copied()
    }

    /// Whether any call of this choice is remembered.
    pub(super) fn has_choice(&self, choice: u64) -> bool {
        self.choices.contains_key(&choice)
    }

    /// The choice of a call that is open or remembered.
    pub(super) fn choice_of(&self, call: u64) -> Option<u64> {
        self.known.get(&call).map(|known| known.choice)
    }

    /// Whether this choice's calls are told apart by an index.
    pub(super) fn has_indices(&self, choice: u64) -> bool {
        self.choices.get(&choice).is_some_and(|slots| !slots.by_index.is_empty())
    }

    /// Puts a call into a slot, and makes it findable by its id.
    pub(super) fn bind(&mut self, slot: Slot<'_>, id: &str, call: u64) {
        self.known.entry(call).or_insert_with(|| Known { choice: slot.choice, keys: BTreeSet::new() });
        for key in keys_of(slot.place, id) {
            self.refused.remove(slot.choice, key.clone());
            self.bind_key(slot.choice, key, call);
        }
        let slots = self.choices.entry(slot.choice).or_default();
        if slot.place == Place::Content {
            slots.content = Some(call);
        }
        self.has_refused_latest = false;
        self.noted.remove(&slot.choice);
        self.touch(slot, call);
    }

    fn bind_key(&mut self, choice: u64, key: Key, call: u64) {
        let slots = self.choices.entry(choice).or_default();
        let before = match &key {
            Key::Index(index) => slots.by_index.insert(*index, call),
            Key::Id(id) => slots.by_id.insert(id.clone(), call),
        };
        if let Some(before) = before.and_then(|before| self.known.get_mut(&before)) {
            before.keys.remove(&key);
        }
        if let Some(known) = self.known.get_mut(&call) {
            known.keys.insert(key);
        }
    }

    /// A call in this slot was refused: what follows must not reach the one that was there before.
    pub(super) fn refuse(&mut self, slot: Slot<'_>, id: &str, limits: &CallLimits) {
        self.last = None;
        self.has_refused_latest = Key::of(slot.place).is_none();
        for key in keys_of(slot.place, id) {
            self.unbind_key(slot.choice, &key);
            // A name that is too long is not kept to know it again.
            match &key {
                Key::Id(id) if id.len() > limits.name_bytes => self.refused.has_more = true,
                _ => self.refused.insert(slot.choice, key),
            }
        }
        if let Some(slots) = self.choices.get_mut(&slot.choice) {
            slots.latest = None;
            if slot.place == Place::Content {
                slots.content = None;
            }
        }
    }

    fn unbind_key(&mut self, choice: u64, key: &Key) {
        let Some(slots) = self.choices.get_mut(&choice) else { return };
        let before = match key {
            Key::Index(index) => slots.by_index.remove(index),
            Key::Id(id) => slots.by_id.remove(id),
        };
        if let Some(before) = before.and_then(|before| self.known.get_mut(&before)) {
            before.keys.remove(key);
        }
    }

    /// Whether the call of this slot was refused, so that what comes for it is no other call's.
    pub(super) fn was_refused(&self, slot: Slot<'_>) -> bool {
        match Key::of(slot.place) {
            Some(key) => self.refused.contains(slot.choice, key),
            None => self.has_refused_latest && slot.place == Place::Latest,
        }
    }

    /// Whether any call was refused, so that a fragment that names none may be its.
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused_latest || self.refused.has_more || !self.refused.keys.is_empty()
    }

    /// How many keys a call is found by.
    pub(super) fn key_count(&self, call: u64) -> usize {
        self.known.get(&call).map_or(0, |known| known.keys.len())
    }

    /// A fragment came to this slot, in which no call was started. Its call may start later: in this slot, or if the
    /// fragment said nothing of one and `is_nobodys`, next.
    pub(super) fn orphan(&mut self, slot: Slot<'_>, is_nobodys: bool, limits: &CallLimits) {
        match (Key::of(slot.place), slot.place) {
            (None, _) => self.has_unplaced |= is_nobodys,
            (_, Place::Id(id)) if id.len() > limits.name_bytes => self.has_unplaced = true,
            (Some(key), _) => self.orphaned.insert(slot.choice, key),
        }
    }

    /// Whether the call that starts in a slot has lost a fragment before.
    pub(super) fn take_orphan(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let mut has_lost = mem::take(&mut self.has_unplaced) || self.orphaned.has_more;
        for key in keys_of(slot.place, id) {
            has_lost |= self.orphaned.remove(slot.choice, key);
        }
        has_lost
    }

    fn touch(&mut self, slot: Slot<'_>, call: u64) {
        if let Some(slots) = self.choices.get_mut(&slot.choice)
            && slot.place != Place::Content
        {
            slots.latest = Some(call);
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
        let Some(Known { choice, keys }) = self.known.remove(&call) else { return };
        let Some(slots) = self.choices.get_mut(&choice) else { return };
        for key in keys {
            match key {
                Key::Index(index) => drop(slots.by_index.remove(&index)),
                Key::Id(id) => drop(slots.by_id.remove(&id)),
            }
        }
        for place in [&mut slots.content, &mut slots.latest] {
            place.take_if(|kept| *kept == call);
        }
        if slots.by_index.is_empty() && slots.by_id.is_empty() && slots.content.is_none() && slots.latest.is_none() {
            self.choices.remove(&choice);
            self.noted.remove(&choice);
        }
    }

    /// Whether a call of this message may have been here that is not remembered.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// Notes why a choice may have ended. One without calls has nothing that could end, and a reason that is too long
    /// to be one is cut.
    pub(super) fn note(&mut self, choice: u64, reason: &str, limits: &CallLimits) {
        let reason = &reason[..floor_char_boundary(reason, limits.name_bytes)];
        if self.choices.contains_key(&choice) {
            self.noted.insert(choice, reason.to_owned());
        }
    }

    /// Notes why all choices may have ended.
    pub(super) fn note_all(&mut self, reason: &str) {
        self.noted = self.choices.keys().map(|choice| (*choice, reason.to_owned())).collect();
    }

    /// Why choices may have ended, if that was noted after their last calls' starts.
    pub(super) fn take_noted(&mut self) -> BTreeMap<u64, String> {
        mem::take(&mut self.noted)
    }

    /// A new message: its slots begin anew. Fragments that came before any call may belong to the new message.
    pub(super) fn clear(&mut self) {
        let before = mem::take(self);
        if before.known.is_empty() && !before.has_forgotten {
            (self.orphaned, self.has_unplaced) = (before.orphaned, before.has_unplaced);
        }
    }
}
