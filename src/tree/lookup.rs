//! Finds a child by name or index and remembers where recent lookups found theirs. Programs look up the same fields
//! after each chunk, so a search resumes where the last one ended.

use super::{KeyTag, NOTHING, Node, NodeId, NodeKind, PartialValue, Tree, key_tag};
use crate::shared_word::Word;

/// The last lookups of a few members: the node that was found, and the newest member at that time. They only save time:
/// both are checked against the nodes, which never move. Fields that share a slot replace each other.
pub(super) type LookupCache = [Word; 8];

impl Tree {
    /// Returns the last member with this name. A member that is being written or was looked up before is found at once:
    /// programs that show a document look for those.
    // Always inlined: the name is usually a constant at the call, which halves the cost of a lookup.
    #[inline(always)]
    pub(super) fn member(&self, object: NodeId, name: &str) -> Option<NodeId> {
        let &Node { kind, is_open, end_or_newest: newest, .. } = &self.nodes[object as usize];
        if kind != NodeKind::Object {
            return None;
        }
        let tag = key_tag(name.as_bytes());
        if is_open {
            let (found, seen) = self.last_lookup(object, tag);
            let is_newest = self.nodes.get(newest as usize).is_some_and(|newest| newest.key == tag);
            let likely = if is_newest { newest } else { found };
            if (is_newest || seen == newest) && self.is_member(likely, object, name, tag) {
                return Some(likely);
            }
        }
        self.search(object, name, tag)
    }

    /// Returns true if the node is a member of this object with this name.
    #[inline]
    fn is_member(&self, id: NodeId, object: NodeId, name: &str, tag: KeyTag) -> bool {
        let is_named = |node: &Node| node.key == tag && node.parent == object && self.key_of(node) == name.as_bytes();
        self.nodes.get(id as usize).is_some_and(is_named)
    }

    /// Returns the last member with this name, looking only at members that arrived since the last lookup.
    #[inline(never)]
    fn search(&self, object: NodeId, name: &str, tag: KeyTag) -> Option<NodeId> {
        let end = self.end(object);
        let (last, seen) = self.last_lookup(object, tag);
        let is_known = self.is_member(last, object, name, tag);
        let (mut found, mut next) = if is_known { (Some(last), self.end(seen)) } else { (None, object + 1) };
        let mut newest = seen;
        while next < end {
            if self.is_member(next, object, name, tag) {
                found = Some(next);
            }
            (newest, next) = (next, self.end(next));
        }
        if let Some(found) = found {
            self.lookup_cache[place(object, tag)].store(u64::from(found) << 32 | u64::from(newest));
        }
        found
    }

    /// Returns the node that the last lookup with this tag found, and the newest member at that time. Without a
    /// previous lookup, both are the root, which is not a member.
    #[inline]
    fn last_lookup(&self, object: NodeId, tag: KeyTag) -> (NodeId, NodeId) {
        let both = self.lookup_cache[place(object, tag)].load();
        ((both >> 32) as NodeId, both as NodeId)
    }

    /// Returns the element at an index. The newest element of an open array is found at once.
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

#[inline]
fn place(object: NodeId, [len, last]: KeyTag) -> usize {
    (object as usize ^ usize::from(len) ^ usize::from(last)) % 8
}
