//! A map from an owner's number and a place to a number.
//!
//! Its several uses could each have a map of a type of their own. But each type of map is compiled separately and adds
//! about 12 KB to every program that reads tool calls. So there is one type, whose users define what owner and number
//! mean.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::ops::Bound;

use smallvec::SmallVec;

use super::start::Place;

/// Numbers by owner and place. For each owner, indices precede ids, and both are in ascending order.
///
/// The keys are bytes, so that a lookup borrows its key: the owner, and the place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places(BTreeMap<Box<[u8]>, u64>);

/// A key for a lookup. Most ids fit without an allocation.
type Key = SmallVec<[u8; 64]>;

const OWNER_LEN: usize = size_of::<u64>();

fn key_of(owner: u64, place: Place<'_>) -> Key {
    let mut key = Key::from_slice(&owner.to_be_bytes());
    match place {
        Place::Nowhere => {}
        Place::Content => key.push(1),
        Place::Latest => key.push(2),
        Place::Index(index) => {
            key.push(3);
            key.extend_from_slice(&index.to_be_bytes());
        }
        Place::Id(id) => {
            key.push(4);
            key.extend_from_slice(id.as_bytes());
        }
    }
    key
}

/// Returns the place in a key.
fn place_in(key: &[u8]) -> Place<'_> {
    match key.get(OWNER_LEN..).and_then(<[u8]>::split_first) {
        Some((1, _)) => Place::Content,
        Some((2, _)) => Place::Latest,
        Some((3, index)) => Place::Index(u64::from_be_bytes(index.try_into().unwrap_or_default())),
        Some((_, id)) => Place::Id(core::str::from_utf8(id).unwrap_or_default()),
        None => Place::Nowhere,
    }
}

impl Places {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, owner: u64, place: Place<'_>) -> Option<u64> {
        self.0.get(&*key_of(owner, place)).copied()
    }

    /// Sets the number of a place. Returns the number that it replaces.
    pub(crate) fn insert(&mut self, owner: u64, place: Place<'_>, number: u64) -> Option<u64> {
        self.0.insert(key_of(owner, place).into_vec().into(), number)
    }

    pub(crate) fn remove(&mut self, owner: u64, place: Place<'_>) -> Option<u64> {
        self.0.remove(&*key_of(owner, place))
    }

    /// Returns an owner's places in order, from `first` on.
    pub(super) fn of(&self, owner: u64, first: Place<'_>) -> impl Iterator<Item = Place<'_>> {
        let first = key_of(owner, first);
        let keys = self.0.range::<[u8], _>((Bound::Included(&*first), Bound::Unbounded)).map(|(key, _)| &**key);
        keys.take_while(move |key| key.starts_with(&owner.to_be_bytes())).map(place_in)
    }

    /// Removes an owner's places and passes each to `on_place`.
    pub(super) fn remove_all(&mut self, owner: u64, mut on_place: impl FnMut(Place<'_>)) {
        let first = key_of(owner, Place::Nowhere);
        while let Some((key, _)) = self.0.range::<[u8], _>((Bound::Included(&*first), Bound::Unbounded)).next()
            && key.starts_with(&first)
        {
            let key = key.clone();
            on_place(place_in(&key));
            self.0.remove(&key);
        }
    }
}
