//! A map from an owner's number and a key to a number: the one map of [`CallIndex`](super::call_index::CallIndex).
//!
//! Its several uses could each have a map of a type of their own. But each type of map is compiled separately and adds
//! about 12 KB to every program that reads tool calls. So there is one type, whose users define what owner and number
//! mean.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::ops::Bound;

use super::slot::Place;

/// The key of an entry among those of its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key<'a> {
    /// The owner itself.
    Own,
    /// The message's own text.
    Content,
    /// The call that was used last.
    Latest,
    Index(u64),
    Id(&'a str),
}

impl<'a> Key<'a> {
    /// Returns the key of a place; `None` for [`Place::Nowhere`].
    pub(crate) fn of(place: Place<'a>) -> Option<Self> {
        match place {
            Place::Index(index) => Some(Self::Index(index)),
            Place::Id(id) => Some(Self::Id(id)),
            Place::Content => Some(Self::Content),
            Place::Latest => Some(Self::Latest),
            Place::Nowhere => None,
        }
    }

    pub(crate) fn to_owned(self) -> OwnedKey {
        match self {
            Self::Own => OwnedKey::Own,
            Self::Content => OwnedKey::Content,
            Self::Latest => OwnedKey::Latest,
            Self::Index(index) => OwnedKey::Index(index),
            Self::Id(id) => OwnedKey::Id(id.into()),
        }
    }
}

/// A [`Key`] that owns its text. Clones share the text.
#[derive(Clone, Debug)]
pub(crate) enum OwnedKey {
    Own,
    Content,
    Latest,
    Index(u64),
    Id(Arc<str>),
}

impl OwnedKey {
    pub(crate) fn get(&self) -> Key<'_> {
        match self {
            Self::Own => Key::Own,
            Self::Content => Key::Content,
            Self::Latest => Key::Latest,
            Self::Index(index) => Key::Index(*index),
            Self::Id(id) => Key::Id(id),
        }
    }
}

/// Numbers by owner and key, in the order of [`Key`] for each owner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places(BTreeMap<Kept, u64>);

impl Places {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, owner: u64, key: Key<'_>) -> Option<u64> {
        self.0.get(&(owner, key) as &dyn Spot).copied()
    }

    /// Sets the number of a key. Returns the number that it replaces.
    pub(crate) fn insert(&mut self, owner: u64, key: OwnedKey, number: u64) -> Option<u64> {
        self.0.insert(Kept(owner, key), number)
    }

    pub(crate) fn remove(&mut self, owner: u64, key: Key<'_>) -> Option<u64> {
        self.0.remove(&(owner, key) as &dyn Spot)
    }

    /// Returns an owner's keys in order, from `first` on.
    pub(crate) fn keys_from<'s>(&'s self, owner: u64, first: Key<'s>) -> impl Iterator<Item = &'s OwnedKey> {
        let first: &dyn Spot = &(owner, first);
        let kept = self.0.range::<dyn Spot, _>((Bound::Included(first), Bound::Unbounded));
        kept.map(|(kept, _)| kept).take_while(move |kept| kept.0 == owner).map(|kept| &kept.1)
    }

    /// Returns the owners that have [`Key::Own`].
    pub(crate) fn owners(&self) -> impl Iterator<Item = u64> {
        self.0.keys().filter(|kept| matches!(kept.1, OwnedKey::Own)).map(|kept| kept.0)
    }
}

/// The owner and key by which the map is sorted.
#[derive(Clone, Debug)]
struct Kept(u64, OwnedKey);

/// An owner and key, owned or borrowed, so that a lookup allocates nothing.
trait Spot {
    fn spot(&self) -> (u64, Key<'_>);
}

impl Spot for Kept {
    fn spot(&self) -> (u64, Key<'_>) {
        (self.0, self.1.get())
    }
}

impl Spot for (u64, Key<'_>) {
    fn spot(&self) -> (u64, Key<'_>) {
        *self
    }
}

impl<'a> Borrow<dyn Spot + 'a> for Kept {
    fn borrow(&self) -> &(dyn Spot + 'a) {
        self
    }
}

impl PartialEq for dyn Spot + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.spot() == other.spot()
    }
}

impl Eq for dyn Spot + '_ {}

impl PartialOrd for dyn Spot + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn Spot + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.spot().cmp(&other.spot())
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.spot() == other.spot()
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        self.spot().cmp(&other.spot())
    }
}
