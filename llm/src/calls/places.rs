//! A map from an owner's number and a place to a number.
//!
//! Its several uses could each have a map of a type of their own. But each type of map is compiled separately and adds
//! about 12 KB to every program that reads tool calls. So there is one type, whose users define what owner and number
//! mean.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use smallvec::SmallVec;

use super::start::Place;

/// Numbers by owner and place.
///
/// The keys are bytes, so that a lookup borrows its key: the owner, and the place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places(BTreeMap<Box<[u8]>, u64>);

/// A key for a lookup. Most ids fit without an allocation.
type Key = SmallVec<[u8; 64]>;

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
}
