//! What happens at a second equal key, and the keys that must be kept to notice it.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::saved::{Impossible, Reader, Writer};

/// What a parser does at a key that its object already has (RFC 8259 §4 leaves it open).
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
    /// Events are told for each occurrence; value and snapshot take the last, as serde_json does.
    #[default]
    LastWins,
    /// An error at the second key's closing quote, in every object. Keeps the keys of open objects.
    Reject,
}

/// The keys of the open objects. They are ordered sets, so that there is no hash table for input to flood.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenKeys {
    objects: Vec<BTreeSet<Box<str>>>,
}

impl OpenKeys {
    pub(crate) fn begin_object(&mut self) {
        self.objects.push(BTreeSet::new());
    }

    pub(crate) fn end_object(&mut self) {
        self.objects.pop();
    }

    /// Adds a key to the innermost object; returns whether it is new there.
    pub(crate) fn insert(&mut self, key: &str) -> bool {
        self.objects.last_mut().is_none_or(|keys| keys.insert(key.into()))
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
    }
}

/// Saved state.
impl OpenKeys {
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        for keys in &self.objects {
            out.number(keys.len() as u64);
            keys.iter().for_each(|key| out.text(key));
        }
    }

    /// Reads the keys of so many open objects.
    pub(crate) fn restore(reader: &mut Reader<'_>, objects: usize) -> Result<Self, Impossible> {
        let mut read = Self::default();
        for _ in 0..objects {
            let count = reader.count()?;
            read.begin_object();
            for _ in 0..count {
                Impossible::unless(read.insert(reader.text()?))?;
            }
        }
        Ok(read)
    }
}
