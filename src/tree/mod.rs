//! The partial document: an append-only arena of values in pre-order, and the views into it.
//!
//! Each value is one [`Node`]. Children follow their parent, so a subtree is a range of nodes and the next sibling
//! begins at the end of that range. All text is in one string, in the same order: a member's key, then its string or
//! number. The last node's text ends where the string ends, and only that node can still grow. Nodes never move. Only
//! an open container's end, newest child and number of children change in place.

mod atom;
mod lookup;
mod patch;
mod print;
mod revision;
mod view;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use self::lookup::LookupCache;
pub use self::patch::PatchOp;
pub use self::print::write_escaped;
pub(crate) use self::print::write_string;
pub use self::revision::Revision;
pub(crate) use self::view::state_before_all;
pub use self::view::{Entries, PartialValue, PartialValues, ValueState};
use crate::error::{ErrorKind, Fault};
use crate::path::Segment;
use crate::shared_word::Word;
use crate::tokenizer::{ValueKind, floor_char_boundary};

/// A node's index in the arena.
pub(crate) type NodeId = u32;

/// No node: the parent of the root, the newest child of an empty container.
const NOTHING: NodeId = u32::MAX;

/// The kind of a node; a string or container may still be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeKind {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object,
}

/// One value: 24 bytes.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: NodeId,
    /// Of a closed value: the index after the last node inside. Of an open container: its newest child.
    end_or_newest: u32,
    /// Of a member: the position of its key in the text. Of an element: its index.
    place: u32,
    /// The position in the text at which the key ends and the string or number begins.
    text: u32,
    /// The number of children.
    children: u32,
    kind: NodeKind,
    is_open: bool,
    /// Of a member: the tag of its key. Of any other value: [`NO_KEY`].
    key: KeyTag,
}

/// A key's length and last byte, so that most other members are ruled out with one comparison.
type KeyTag = [u8; 2];

const NO_KEY: KeyTag = [0, 0];

#[inline]
fn key_tag(key: &[u8]) -> KeyTag {
    // Never `NO_KEY`, not even for the empty key.
    [key.len().min(0xFE) as u8 + 1, key.last().copied().unwrap_or(0)]
}

impl Node {
    #[inline]
    fn is_member(&self) -> bool {
        self.key != NO_KEY
    }

    #[inline]
    fn close(&mut self, end: u32) {
        self.is_open = false;
        self.end_or_newest = end;
    }
}

/// The known part of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    text: String,
    /// The length of the nodes' text. A key whose value has not begun comes after it.
    shown: u32,
    /// The innermost open container.
    open: NodeId,
    /// True if a number or literal has begun and not ended.
    has_open_atom: bool,
    /// The number of closed values, and the sum of the first nodes and whole words of text, with their numbers. Revisions
    /// compare the first two.
    closed: u32,
    sum: u64,
    summed: (u32, u32),
    /// The number of nodes and words that were read for sums.
    #[cfg(test)]
    read: alloc::sync::Arc<core::sync::atomic::AtomicUsize>,
    /// The maximum length of the text and of the list of nodes.
    limit: u32,
    /// The node limit; [0](atom) while an open atom is shown, so that the capacity check catches that case too.
    node_limit: u32,
    /// True if open atoms are shown.
    shows_open_atoms: bool,
    lookup_cache: LookupCache,
    /// A reader's note, valid while the document only grows.
    note: Word,
}

impl Tree {
    pub(crate) fn new() -> Self {
        // One less than the maximum, because `NOTHING` is not a valid index.
        Self::with_limit(u32::MAX - 1)
    }

    fn with_limit(limit: u32) -> Self {
        Self {
            nodes: Vec::new(),
            text: String::new(),
            shown: 0,
            open: NOTHING,
            has_open_atom: false,
            closed: 0,
            sum: 0,
            summed: (0, 0),
            #[cfg(test)]
            read: alloc::sync::Arc::default(),
            limit,
            node_limit: limit,
            shows_open_atoms: false,
            lookup_cache: LookupCache::default(),
            note: Word::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
        let (nodes, text) = (mem::take(&mut self.nodes), mem::take(&mut self.text));
        *self = Self { nodes, text, shows_open_atoms: self.shows_open_atoms, ..Self::with_limit(self.limit) };
    }

    /// Marks the text as failed: its root is never complete, even if it has closed.
    pub(crate) fn fail(&mut self) {
        if let Some(root) = self.nodes.first_mut()
            && !root.is_open
        {
            self.closed -= 1;
            root.is_open = true;
            root.end_or_newest = NOTHING;
        }
    }

    /// Returns the root of the known part of the document.
    #[inline]
    pub(crate) fn view(&self) -> Option<PartialValue<'_>> {
        (!self.nodes.is_empty()).then(|| PartialValue::new(self, 0))
    }

    /// Appends a member's key after the shown text, where it waits for its value.
    #[inline]
    pub(crate) fn key(&mut self, key: &str, at: u64) -> Result<(), Fault> {
        if key.len() > self.room() {
            return Err(too_large(at));
        }
        self.text.push_str(key);
        Ok(())
    }

    #[inline]
    pub(crate) fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<(), Fault> {
        let kind = if kind == ValueKind::Object { NodeKind::Object } else { NodeKind::Array };
        self.open = self.push(kind, at)?;
        Ok(())
    }

    #[inline]
    pub(crate) fn end_container(&mut self) {
        let end = self.nodes.len() as u32;
        if let Some(node) = self.nodes.get_mut(self.open as usize) {
            node.close(end);
            self.open = node.parent;
            self.closed += 1;
        }
    }

    #[inline]
    pub(crate) fn begin_string(&mut self, at: u64) -> Result<(), Fault> {
        self.push(NodeKind::String, at).map(drop)
    }

    /// Appends as much text as fits to the open string, so that every chunking reaches the limit at the same byte.
    #[inline]
    pub(crate) fn append(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        if text.len() > self.room() {
            return self.append_what_fits(text, at);
        }
        self.text.push_str(text);
        self.shown = self.text.len() as u32;
        Ok(())
    }

    #[cold]
    fn append_what_fits(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        let fits = floor_char_boundary(text, self.room());
        self.text.push_str(&text[..fits]);
        self.shown = self.text.len() as u32;
        Err(too_large(at + fits as u64))
    }

    #[inline]
    pub(crate) fn end_string(&mut self) {
        self.close_last();
    }

    #[inline]
    fn close_last(&mut self) {
        let end = self.nodes.len() as u32;
        if let Some(node) = self.nodes.last_mut() {
            node.close(end);
            self.closed += 1;
        }
    }

    /// Appends an open value.
    #[inline]
    fn push(&mut self, kind: NodeKind, at: u64) -> Result<NodeId, Fault> {
        if self.nodes.len() as u32 >= self.node_limit {
            return Err(too_large(at));
        }
        Ok(self.push_within_limit(kind))
    }

    #[inline]
    fn push_within_limit(&mut self, kind: NodeKind) -> NodeId {
        let id = self.nodes.len() as u32;
        let parent = self.open;
        let text = self.text.len() as u32;
        let (place, key) = match self.nodes.get_mut(parent as usize) {
            None => (0, NO_KEY),
            Some(container) => {
                container.end_or_newest = id;
                container.children += 1;
                if container.kind == NodeKind::Object {
                    (self.shown, key_tag(&self.text.as_bytes()[self.shown as usize..]))
                } else {
                    (container.children - 1, NO_KEY)
                }
            }
        };
        self.shown = text;
        self.nodes.push(Node { parent, end_or_newest: NOTHING, place, text, children: 0, kind, is_open: true, key });
        id
    }

    /// Returns the number of bytes of text that still fit.
    #[inline]
    fn room(&self) -> usize {
        self.limit as usize - self.text.len()
    }

    /// Returns the end of the node's subtree.
    #[inline]
    fn end(&self, id: NodeId) -> u32 {
        let node = &self.nodes[id as usize];
        if node.is_open { self.nodes.len() as u32 } else { node.end_or_newest }
    }

    /// Returns the range of a node's string or number in the text.
    #[inline]
    fn text_range(&self, id: NodeId) -> Range<usize> {
        let end = match self.nodes.get(id as usize + 1) {
            None => self.shown,
            Some(next) if next.is_member() => next.place,
            Some(next) => next.text,
        };
        self.nodes[id as usize].text as usize..end as usize
    }

    /// Returns the bytes of a member's key.
    #[inline]
    fn key_of(&self, member: &Node) -> &[u8] {
        &self.text.as_bytes()[member.place as usize..member.text as usize]
    }

    /// Returns the key or index of a node in its parent; `None` for the root or an invalid id.
    fn segment(&self, id: NodeId) -> Option<Segment<'_>> {
        let node = self.nodes.get(id as usize)?;
        if node.parent == NOTHING {
            None
        } else if node.is_member() {
            Some(Segment::Key(&self.text[node.place as usize..node.text as usize]))
        } else {
            Some(Segment::Index(node.place.into()))
        }
    }

    /// Returns the segments from the root to a node.
    fn segments(&self, id: NodeId) -> impl Iterator<Item = Segment<'_>> {
        self.segments_and(id, None)
    }

    /// Returns the segments from the root to a node, followed by `last`.
    fn segments_and<'a>(&'a self, mut id: NodeId, last: Option<Segment<'a>>) -> impl Iterator<Item = Segment<'a>> {
        let mut upwards = Vec::new();
        upwards.extend(last);
        while let Some(segment) = self.segment(id) {
            upwards.push(segment);
            id = self.nodes[id as usize].parent;
        }
        upwards.into_iter().rev()
    }

    /// Returns the segments from the root to the innermost open value.
    pub(crate) fn innermost(&self) -> impl Iterator<Item = Segment<'_>> {
        let open_string = self.nodes.last().filter(|last| last.kind == NodeKind::String && last.is_open);
        let id = if open_string.is_some() { self.nodes.len() as u32 - 1 } else { self.open };
        let container = self.nodes.get(self.open as usize).filter(|_| self.has_open_atom);
        let atom = container.and_then(|container| match container.kind {
            _ if self.is_atom_shown() => self.segment(self.nodes.len() as u32 - 1),
            NodeKind::Object => Some(Segment::Key(&self.text[self.shown as usize..])),
            _ => Some(Segment::Index(container.children.into())),
        });
        self.segments_and(id, atom)
    }

    /// Returns the key whose value is not shown yet, or an empty string.
    pub(crate) fn pending_key(&self) -> &str {
        self.text.get(self.shown as usize..).unwrap_or_default()
    }

    /// Returns true if the root is an open container.
    pub(crate) fn has_open_container(&self) -> bool {
        self.open != NOTHING
    }

    /// Returns the open string, or the open atom if it is shown.
    pub(crate) fn open_leaf(&self) -> Option<PartialValue<'_>> {
        let last = self.nodes.len().checked_sub(1)? as u32;
        let leaf = PartialValue::new(self, last);
        // The root of a failed text is open again, even if it is not a string or atom.
        let is_leaf = self.is_atom_shown() || leaf.kind() == ValueKind::String;
        (is_leaf && !leaf.is_complete()).then_some(leaf)
    }

    /// Returns true if an atom is open.
    pub(crate) fn has_open_atom(&self) -> bool {
        self.has_open_atom
    }
}

#[cold]
fn too_large(offset: u64) -> Fault {
    Fault::new(ErrorKind::SnapshotLimit, offset, "expected no more text or values than a snapshot can hold")
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_node_takes_24_bytes() {
        assert!(size_of::<Node>() <= 24);
    }

    #[test]
    fn the_limit_bites_at_the_same_character_for_every_cut() {
        for cut in 0..=4 {
            let mut tree = Tree::with_limit(5);
            tree.begin_string(0).unwrap();
            let (a, b) = "abcd₹".split_at(cut);
            let fault = tree.append(a, 1).and_then(|()| tree.append(b, 1 + cut as u64)).unwrap_err();
            assert_eq!((fault.kind, fault.offset), (ErrorKind::SnapshotLimit, 5));
            assert_eq!(tree.view().unwrap().as_str(), Some("abcd"));
        }
    }

    #[test]
    fn too_many_nodes_are_an_error() {
        let mut tree = Tree::with_limit(2);
        tree.begin_container(ValueKind::Array, 0).unwrap();
        tree.end_atom("true", 5).unwrap();
        assert_eq!(tree.end_atom("true", 10).unwrap_err().kind, ErrorKind::SnapshotLimit);
    }

    #[test]
    fn keys_and_numbers_are_whole_or_not_there() {
        let mut tree = Tree::with_limit(5);
        tree.begin_container(ValueKind::Object, 0).unwrap();
        assert_eq!(tree.key("abcdef", 7).unwrap_err().offset, 7);
        tree.key("abc", 4).unwrap();
        assert_eq!(tree.end_atom("123", 9).unwrap_err().offset, 9);
        assert_eq!(tree.view().unwrap().to_string(), "{}");
        tree.end_atom("12", 9).unwrap();
        assert_eq!(tree.view().unwrap().to_string(), r#"{"abc":12}"#);
        tree.clear();
        tree.begin_container(ValueKind::Object, 0).unwrap();
        tree.key("abcde", 4).unwrap();
        tree.clear();
        tree.begin_string(0).unwrap();
        tree.append("abcde", 1).unwrap();
    }
}
