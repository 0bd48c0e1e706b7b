//! The policy for duplicate keys, and the keys that are kept to detect them.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::names::names;

/// The policy for a key that its object already has (RFC 8259 §4 leaves it open).
///
/// If you act on a field before the text ends, choose [`Reject`](DuplicateKeys::Reject); otherwise a second `"path"`
/// may replace the one you acted on.
///
/// ```
/// use jsonspigot::{DuplicateKeys, ErrorKind, Parser};
///
/// let mut parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject).build();
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

    /// Adds a key to the innermost object. Returns false if the object already has it.
    pub(crate) fn insert(&mut self, key: &str) -> bool {
        self.objects.last_mut().is_none_or(|keys| keys.insert(key))
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
    }
}

/// The keys of one object. An ordered set, so there is no hash table for input to flood. The newest key is separate,
/// because a saved state ends with it.
#[derive(Clone, Debug, Default)]
struct Keys {
    earlier: BTreeSet<Box<str>>,
    newest: Option<Box<str>>,
}

impl Keys {
    /// Adds a key. Returns false if the object already has it.
    fn insert(&mut self, key: &str) -> bool {
        if self.newest.as_deref() == Some(key) || self.earlier.contains(key) {
            return false;
        }
        self.earlier.extend(self.newest.replace(key.into()));
        true
    }
}

impl OpenKeys {
    /// Returns the keys of an open object, the newest one last.
    pub(crate) fn of(&self, object: usize) -> impl Iterator<Item = &str> {
        let object = self.objects.get(object).into_iter();
        object.flat_map(|object| object.earlier.iter().chain(&object.newest).map(|key| &**key))
    }
}
