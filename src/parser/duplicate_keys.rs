//! The policy at a second equal key, and the keys that must be kept to notice it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::names::names;

/// The policy at a key that its object already has (RFC 8259 §4 leaves it open).
///
/// If you act on a field before the text ends, choose [`Reject`](DuplicateKeys::Reject); otherwise a second `"path"`
/// may replace the one you acted on.
///
/// ```
/// use jsonspigot::{DuplicateKeys, ErrorKind, Parser, PatternSet};
///
/// let mut parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject).build(&PatternSet::empty());
/// let error = parser.feed(br#"{"role": 1, "\u0072ole": 2}"#).check().unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::DuplicateKey, 22));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DuplicateKeys {
    /// Events are reported for each occurrence; value and snapshot take the last, as serde_json does.
    #[default]
    LastWins,
    /// An error at the second key's closing quote, in every object. Keeps the keys of open objects.
    Reject,
}

names!(DuplicateKeys {
    LastWins => "last-wins",
    Reject => "reject",
});

/// The keys of the open objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenKeys {
    objects: Vec<Keys>,
}

impl OpenKeys {
    pub(crate) fn begin_object(&mut self) {
        self.objects.push(Keys::default());
    }

    pub(crate) fn end_object(&mut self) {
        self.objects.pop();
    }

    /// Adds a key to the innermost object; returns whether it is new there.
    pub(crate) fn insert(&mut self, key: &str) -> bool {
        self.objects.last_mut().is_none_or(|keys| keys.insert(key))
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
    }
}

/// A set of keys: a crit-bit tree. A key takes no more steps than it has bits, whatever the others are, so there is no
/// hash table for input to flood; and it is little code.
#[derive(Clone, Debug, Default)]
struct Keys {
    keys: Vec<Box<str>>,
    /// Each tells apart the keys below it. There is one less than there are keys.
    forks: Vec<Fork>,
    root: Side,
}

#[derive(Clone, Copy, Debug)]
struct Fork {
    /// The first bit that differs in the keys below: those that have it are on the second side.
    bit: Bit,
    sides: [Side; 2],
}

/// A node's child, by its place.
#[derive(Clone, Copy, Debug)]
enum Side {
    Key(usize),
    Fork(usize),
}

impl Default for Side {
    fn default() -> Self {
        Self::Key(0)
    }
}

/// A bit of a key: the place of its byte, and in the lowest four bits its own place, the highest bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bit(u64);

/// The bit that each byte of a key has above its own, and the key's end has not: so no key is the beginning of another.
const IS_BYTE: u32 = 1 << 8;

fn byte(key: &str, place: usize) -> u32 {
    key.as_bytes().get(place).map_or(0, |byte| IS_BYTE | u32::from(*byte))
}

impl Bit {
    /// The first bit in which two keys differ.
    fn telling_apart(one: &str, other: &str) -> Option<Self> {
        let place = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        let differing = byte(one, place) ^ byte(other, place);
        Some(Self((place as u64) << 4 | u64::from(IS_BYTE.ilog2() - differing.checked_ilog2()?)))
    }

    /// Returns the side that a key belongs to: 1 if it has this bit, 0 otherwise.
    fn side_of(self, key: &str) -> usize {
        (byte(key, (self.0 >> 4) as usize) << (self.0 & 15) & IS_BYTE != 0).into()
    }
}

impl Keys {
    /// Adds a key; returns whether it is new.
    fn insert(&mut self, key: &str) -> bool {
        let mut nearest = self.root;
        while let Side::Fork(place) = nearest {
            let fork = &self.forks[place];
            nearest = fork.sides[fork.bit.side_of(key)];
        }
        if let Side::Key(place) = nearest
            && let Some(nearest) = self.keys.get(place)
        {
            let Some(bit) = Bit::telling_apart(key, nearest) else { return false };
            self.fork_at(bit, key);
        }
        self.keys.push(key.into());
        true
    }

    /// Tells the next key apart from all that are equal to it up to this bit.
    fn fork_at(&mut self, bit: Bit, key: &str) {
        let (mut above, mut below) = (None, self.root);
        while let Side::Fork(place) = below
            && self.forks[place].bit < bit
        {
            let side = self.forks[place].bit.side_of(key);
            above = Some((place, side));
            below = self.forks[place].sides[side];
        }
        let mut sides = [below; 2];
        sides[bit.side_of(key)] = Side::Key(self.keys.len());
        let fork = Side::Fork(self.forks.len());
        match above {
            Some((place, side)) => self.forks[place].sides[side] = fork,
            None => self.root = fork,
        }
        self.forks.push(Fork { bit, sides });
    }
}

impl OpenKeys {
    /// The keys of an open object, in the order in which they came.
    pub(crate) fn of(&self, object: usize) -> impl Iterator<Item = &str> {
        self.objects.get(object).into_iter().flat_map(|object| object.keys.iter().map(|key| &**key))
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::string::String;

    use super::Keys;
    use crate::random::Random;

    /// Few letters and short keys, so that many are equal and many begin with others; and letters of several bytes.
    #[test]
    fn a_key_is_new_once() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let (mut ours, mut theirs) = (Keys::default(), BTreeSet::<String>::new());
            for _ in 0..random.below(200) {
                let letters = ['a', 'b', 'A', 'B', '\0', 'é', '\u{10ffff}'];
                let key: String = (0..random.below(6)).map(|_| random.pick(&letters)).collect();
                assert_eq!(ours.insert(&key), theirs.insert(key), "seed {seed}");
            }
        }
    }
}
