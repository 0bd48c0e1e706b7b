//! Finding a child by its name or index, and remembering where the last lookups found theirs: the same fields are
//! looked up after each chunk, so the search goes on where the last one ended.

#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicU64, Ordering};

use super::{KeyTag, NOTHING, Node, NodeId, NodeKind, PartialValue, Tree, key_tag};

impl Tree {
    /// The last member of this name. A member that is being written, or was looked up before, is found at once: those
    /// are what interfaces look for.
    // Always inlined: the name is usually known where this is called, and then a lookup costs half as much.
    #[inline(always)]
    pub(super) fn member(&self, object: NodeId, name: &str) -> Option<NodeId> {
        let &Node { kind, is_open, end_or_newest: newest, .. } = &self.nodes[object as usize];
        if kind != NodeKind::Object {
            return None;
        }
        let (name, tag) = (name.as_bytes(), key_tag(name.as_bytes()));
        if is_open {
            let last = self.lookup_cache.at(object, tag);
            let is_newest = self.nodes.get(newest as usize).is_some_and(|newest| newest.key == tag);
            let likely = if is_newest { newest } else { last.found };
            if (is_newest || last.newest == newest) && self.is_member(likely, object, name, tag) {
                return Some(likely);
            }
        }
        self.search(object, name, tag)
    }

    /// Returns true if this is a member of this object and of this name.
    #[inline]
    fn is_member(&self, id: NodeId, object: NodeId, name: &[u8], tag: KeyTag) -> bool {
        match self.nodes.get(id as usize) {
            Some(node) => node.key == tag && node.parent == object && same_key(self.key_of(node), name),
            None => false,
        }
    }

    /// The last member of this name, among all that have arrived since the last lookup.
    #[inline(never)]
    fn search(&self, object: NodeId, name: &[u8], tag: KeyTag) -> Option<NodeId> {
        let end = self.end(object);
        let last = self.lookup_cache.at(object, tag);
        let (mut found, mut newest, mut next) = (None, NOTHING, object + 1);
        if self.is_member(last.found, object, name, tag) {
            (found, newest, next) = (Some(last.found), last.newest, self.end(last.newest));
        }
        while next < end {
            let member = &self.nodes[next as usize];
            if member.key == tag && same_key(self.key_of(member), name) {
                found = Some(next);
            }
            newest = next;
            // An open member is the last one.
            next = if member.is_open { end } else { member.end_or_newest };
        }
        if let Some(found) = found {
            self.lookup_cache.remember(object, tag, CachedLookup { found, newest });
        }
        found
    }

    /// The element at an index; the newest is found at once too.
    #[inline]
    pub(super) fn element(&self, array: NodeId, index: usize) -> Option<NodeId> {
        let Node { kind: NodeKind::Array, is_open, end_or_newest, children, .. } = self.nodes[array as usize] else {
            return None;
        };
        match (children as usize).checked_sub(index)? {
            0 => None,
            1 if is_open && end_or_newest != NOTHING => Some(end_or_newest),
            _ => PartialValue::new(self, array).children().nth(index).map(|child| child.node),
        }
    }
}

/// Returns true if two keys are the same. Most are short, and fit into two words, which may overlap.
#[inline]
fn same_key(a: &[u8], b: &[u8]) -> bool {
    if cfg!(not(target_family = "wasm"))
        && a.len() == b.len()
        && a.len() <= 16
        && let (Some(a_first), Some(a_last)) = (a.first_chunk::<8>(), a.last_chunk::<8>())
        && let (Some(b_first), Some(b_last)) = (b.first_chunk::<8>(), b.last_chunk::<8>())
    {
        return a_first == b_first && a_last == b_last;
    }
    a == b
}

/// The result of a lookup by name in an object.
#[derive(Clone, Copy)]
struct CachedLookup {
    found: NodeId,
    /// The newest member that was looked at: another one of the same name can only come after it.
    newest: NodeId,
}

/// The last lookups of a few members. They only ever save time: what one says is checked against the nodes, which stay
/// as they are. Both its numbers are in one word, since several threads may look at once; on a platform without such a
/// word, nothing is remembered.
#[derive(Debug)]
pub(super) struct LookupCache {
    #[cfg(target_has_atomic = "64")]
    entries: [AtomicU64; PLACES],
}

/// Enough for the fields of a small form; fields that share a place replace each other.
#[cfg(target_has_atomic = "64")]
const PLACES: usize = 8;

#[cfg(target_has_atomic = "64")]
impl LookupCache {
    /// The last lookup of a member with this tag.
    #[inline]
    fn at(&self, object: NodeId, tag: KeyTag) -> CachedLookup {
        let both = self.place(object, tag).load(Ordering::Relaxed);
        CachedLookup { found: (both >> 32) as NodeId, newest: both as NodeId }
    }

    #[inline]
    fn remember(&self, object: NodeId, tag: KeyTag, lookup: CachedLookup) {
        let both = u64::from(lookup.found) << 32 | u64::from(lookup.newest);
        self.place(object, tag).store(both, Ordering::Relaxed);
    }

    #[inline]
    fn place(&self, object: NodeId, [len, last]: KeyTag) -> &AtomicU64 {
        &self.entries[(object as usize ^ usize::from(len) ^ usize::from(last)) % PLACES]
    }
}

#[cfg(not(target_has_atomic = "64"))]
impl LookupCache {
    fn at(&self, _object: NodeId, _tag: KeyTag) -> CachedLookup {
        CachedLookup { found: NOTHING, newest: NOTHING }
    }

    fn remember(&self, _object: NodeId, _tag: KeyTag, _lookup: CachedLookup) {}
}

impl Default for LookupCache {
    fn default() -> Self {
        Self {
            #[cfg(target_has_atomic = "64")]
            entries: [const { AtomicU64::new((NOTHING as u64) << 32 | NOTHING as u64) }; PLACES],
        }
    }
}

/// A copy finds its members anew.
impl Clone for LookupCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}
