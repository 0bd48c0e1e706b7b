//! Where the last looks found their members: the same fields are looked at after each chunk, and what was passed for
//! them once need not be passed again.

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering};

use super::{KeyTag, NOTHING, NodeId};

/// What a look by name found in an object.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) found: NodeId,
    /// The newest member that was passed: one of the same name can only stand behind it.
    pub(super) newest: NodeId,
}

/// The last looks at a few members. They only ever save time: what one says is checked against the nodes, which stay
/// as they are. Both its numbers are one word, since several threads may look at once; where there is no such word,
/// nothing is remembered.
#[derive(Debug)]
pub(super) struct LastLooks {
    #[cfg(target_has_atomic = "64")]
    looks: [AtomicU64; PLACES],
}

/// Enough for the fields of a small form; those that share a place push each other out.
#[cfg(target_has_atomic = "64")]
const PLACES: usize = 8;

#[cfg(target_has_atomic = "64")]
impl LastLooks {
    /// The last look at a member with this tag.
    #[inline]
    pub(super) fn at(&self, object: NodeId, tag: KeyTag) -> Look {
        let both = self.place(object, tag).load(Ordering::Relaxed);
        Look { found: (both >> 32) as NodeId, newest: both as NodeId }
    }

    #[inline]
    pub(super) fn remember(&self, object: NodeId, tag: KeyTag, look: Look) {
        let both = u64::from(look.found) << 32 | u64::from(look.newest);
        self.place(object, tag).store(both, Ordering::Relaxed);
    }

    #[inline]
    fn place(&self, object: NodeId, [len, last]: KeyTag) -> &AtomicU64 {
        &self.looks[(object as usize ^ usize::from(len) ^ usize::from(last)) % PLACES]
    }
}

#[cfg(not(target_has_atomic = "64"))]
impl LastLooks {
    pub(super) fn at(&self, _object: NodeId, _tag: KeyTag) -> Look {
        Look { found: NOTHING, newest: NOTHING }
    }

    pub(super) fn remember(&self, _object: NodeId, _tag: KeyTag, _look: Look) {}
}

impl Default for LastLooks {
    fn default() -> Self {
        Self {
            #[cfg(target_has_atomic = "64")]
            looks: [const { AtomicU64::new((NOTHING as u64) << 32 | NOTHING as u64) }; PLACES],
        }
    }
}

/// A copy finds its members anew.
impl Clone for LastLooks {
    fn clone(&self) -> Self {
        Self::default()
    }
}
