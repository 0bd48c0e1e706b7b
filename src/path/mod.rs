//! The place of a value: [`Path`] and its [`Segment`]s, and the store that holds each segment once.
//!
//! The store is a stack of nodes that point to their parents. A path is handed out as a node, so it costs only what is
//! new in it, and no event copies anything. Nodes that a queued event may still ask for are *pinned*: they stay where
//! they are until the queue has been read, even if their values have closed.

mod concrete;
mod print;
mod quoted;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::iter::{FilterMap, FusedIterator};

pub(crate) use self::concrete::read_integer;
pub use self::concrete::{ConcreteStep, concrete_steps};
pub(crate) use self::print::{
    is_name_char, is_name_first, is_shorthand, write_bracketed, write_concrete, write_escape, write_pointer_token,
    write_quoted,
};
pub(crate) use self::quoted::QuotedName;

/// One step of a [`Path`]: into an object by key, into an array by index, or into the JSON text that a string holds.
///
/// There are no other ways down, so a `match` may name all of them: code that passed over a step unknowingly would name
/// another value.
///
/// ```
/// use jsonspigot::{Parser, PatternSet, Segment};
///
/// let mut parser = Parser::new(&PatternSet::new(["a[*]"])?);
/// let first = parser.feed(br#"{"a": [true]}"#).next().unwrap()?;
/// let segments: Vec<_> = first.path.iter().collect();
/// assert_eq!(segments, [Segment::Key("a"), Segment::Index(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment<'a> {
    /// A member's decoded name.
    Key(&'a str),
    /// An element's place, from 0.
    Index(u64),
    /// Into a string that a pattern [reads inside](crate::Pattern): what follows leads from the root of its text.
    Inside,
}

/// The place of a node in the [`PathStore`], from 1.
pub(crate) type NodeId = u32;

/// The nodes of a path: most have few, but a small module has no code for that.
#[cfg(not(target_arch = "wasm32"))]
type Nodes = smallvec::SmallVec<[NodeId; 8]>;
#[cfg(target_arch = "wasm32")]
type Nodes = Vec<NodeId>;

/// The root's node, which is in no list: it has neither a parent nor a step that leads to it.
pub(crate) const ROOT: NodeId = 0;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: NodeId,
    /// The element's index, [`KEY`] or [`INSIDE`].
    index: u64,
    /// The beginning of the node's key in `keys`; it ends where the next one begins.
    keys_start: usize,
}

/// Marks a node as a member. No array has that many elements.
const KEY: u64 = u64::MAX;

/// Marks a node as the root of the text in a string.
const INSIDE: u64 = u64::MAX - 1;

/// The segments of all open paths, and of those that queued events refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathStore {
    nodes: Vec<Node>,
    keys: String,
    /// One more than the last node that must stay, because queued events refer to it; 0 if there is none.
    pinned: usize,
    /// The buffers in which a compaction gathers what stays. It is kept, so that compacting allocates nothing in the
    /// long run.
    spare: Option<Box<(Vec<Node>, String)>>,
}

impl PathStore {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.pinned = 0;
    }

    #[inline]
    pub(crate) fn push_key(&mut self, parent: NodeId, key: &str) -> NodeId {
        let node = self.push(parent, KEY);
        self.keys.push_str(key);
        node
    }

    #[inline]
    pub(crate) fn push_index(&mut self, parent: NodeId, index: u64) -> NodeId {
        self.push(parent, index)
    }

    pub(crate) fn push_inside(&mut self, string: NodeId) -> NodeId {
        self.push(string, INSIDE)
    }

    #[inline]
    fn push(&mut self, parent: NodeId, index: u64) -> NodeId {
        if self.nodes.capacity() == 0 {
            // A short path is the rule: room for four would be a third too much for many.
            self.nodes.reserve_exact(3);
        }
        self.nodes.push(Node { parent, index, keys_start: self.keys.len() });
        self.nodes.len() as NodeId
    }

    /// Drops all nodes after `last` that no queued event refers to.
    #[inline]
    pub(crate) fn release_after(&mut self, last: NodeId) {
        let keep = self.pinned.max(last as usize + 1) - 1;
        if let Some(dropped) = self.nodes.get(keep) {
            self.keys.truncate(dropped.keys_start);
            self.nodes.truncate(keep);
        }
    }

    /// Keeps `node`, and all before it, until [`unpin`](Self::unpin).
    #[inline]
    pub(crate) fn pin(&mut self, node: NodeId) {
        self.pinned = self.pinned.max(node as usize + 1);
    }

    /// The queue has been read, so only open nodes need to stay. Returns whether anything was pinned.
    #[inline]
    pub(crate) fn unpin(&mut self) -> bool {
        core::mem::take(&mut self.pinned) > 0
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Begins to drop all nodes but those that are [kept](Compaction::keep).
    pub(crate) fn begin_compaction(&mut self) -> Compaction<'_> {
        let mut spare = self.spare.take().unwrap_or_default();
        let (nodes, keys) = core::mem::take(&mut *spare);
        let mut compacted = Self { nodes, keys, pinned: 0, spare: None };
        compacted.clear();
        Compaction { compacted, store: self, spare, newest: (ROOT, ROOT) }
    }

    pub(crate) fn path(&self, node: NodeId) -> Path<'_> {
        Path { store: self, node }
    }

    /// A node other than the root.
    fn node(&self, id: NodeId) -> Node {
        self.nodes[id as usize - 1]
    }

    fn segment(&self, id: NodeId) -> Segment<'_> {
        let Node { index, keys_start, .. } = self.node(id);
        match index {
            KEY => {
                let keys_end = self.nodes.get(id as usize).map_or(self.keys.len(), |next| next.keys_start);
                Segment::Key(&self.keys[keys_start..keys_end])
            }
            INSIDE => Segment::Inside,
            index => Segment::Index(index),
        }
    }
}

/// The nodes of a store that stay. No node has its old name in it.
pub(crate) struct Compaction<'a> {
    store: &'a mut PathStore,
    compacted: PathStore,
    spare: Box<(Vec<Node>, String)>,
    /// The old and the new name of the node that was kept last: at first of the root, whose name stays.
    newest: (NodeId, NodeId),
}

impl Compaction<'_> {
    /// Keeps a node and returns its new name. Its parent is the one that was kept last, or it is that one again.
    pub(crate) fn keep(&mut self, node: NodeId) -> NodeId {
        let (old, parent) = self.newest;
        if node == old {
            return parent;
        }
        let new = match self.store.segment(node) {
            Segment::Key(key) => self.compacted.push_key(parent, key),
            Segment::Index(index) => self.compacted.push_index(parent, index),
            Segment::Inside => self.compacted.push_inside(parent),
        };
        self.newest = (node, new);
        new
    }

    /// Drops the others.
    pub(crate) fn finish(self) {
        let Self { store, compacted, mut spare, .. } = self;
        store.nodes.clone_from(&compacted.nodes);
        store.keys.clone_from(&compacted.keys);
        store.pinned = 0;
        *spare = (compacted.nodes, compacted.keys);
        store.spare = Some(spare);
    }
}

/// The path from the root to a value; a `Copy` view that lives as long as its event.
///
/// `Display` prints the concrete path, which can be read as a pattern (`ask_slots[0].message`; the root is `$`);
/// [`normalized`](Path::normalized) and [`pointer`](Path::pointer) give the standard spellings. The path of a value in
/// the JSON text that a string holds has both parts, `arguments | city`; that of the text's root is `arguments | $`.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// let mut parser = Parser::new(&PatternSet::new(["['a b'][*].*"])?);
/// let event = parser.feed(br#"{"a b": [{"c/d": null}]}"#).next().unwrap()?;
/// assert_eq!(event.path.to_string(), "['a b'][0]['c/d']");
/// assert_eq!(event.path.normalized().to_string(), "$['a b'][0]['c/d']");
/// assert_eq!(event.path.pointer().to_string(), "/a b/0/c~1d");
/// assert_eq!(event.path.indices().collect::<Vec<_>>(), [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Path<'a> {
    store: &'a PathStore,
    node: NodeId,
}

/// The segments of a path from the root to the value: what [`Path::iter`] returns.
#[derive(Clone)]
pub struct Segments<'a> {
    store: &'a PathStore,
    /// The innermost one first.
    nodes: <Nodes as IntoIterator>::IntoIter,
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        self.nodes.next_back().map(|node| self.store.segment(node))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.nodes.size_hint()
    }
}

impl DoubleEndedIterator for Segments<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.nodes.next().map(|node| self.store.segment(node))
    }
}

impl ExactSizeIterator for Segments<'_> {}

impl FusedIterator for Segments<'_> {}

impl fmt::Debug for Segments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a> Path<'a> {
    /// The segments from the root to the value; none for the root. The cost is linear in the depth.
    #[must_use]
    pub fn iter(self) -> Segments<'a> {
        self.segments_below(|node| node == ROOT)
    }

    /// The array indices on the way, outermost first: what the wildcards of `a[*].b[*]` stood for.
    pub fn indices(self) -> FilterMap<Segments<'a>, fn(Segment<'a>) -> Option<u64>> {
        self.iter().filter_map(|segment| match segment {
            Segment::Index(index) => Some(index),
            Segment::Key(_) | Segment::Inside => None,
        })
    }

    /// The segments from the root of the innermost text that is read inside a string, or from the root. The cost is
    /// linear in the depth within that text.
    pub(crate) fn within_text(self) -> Segments<'a> {
        self.segments_below(|node| node == ROOT || self.store.node(node).index == INSIDE)
    }

    /// The segments from below the innermost node of which this is true.
    fn segments_below(self, is_top: impl Fn(NodeId) -> bool) -> Segments<'a> {
        let mut nodes = Nodes::new();
        let mut node = self.node;
        while !is_top(node) {
            nodes.push(node);
            node = self.store.node(node).parent;
        }
        Segments { store: self.store, nodes: nodes.into_iter() }
    }

    /// The last segment; none for the root. Costs nothing.
    #[must_use]
    pub fn last(self) -> Option<Segment<'a>> {
        (self.node != ROOT).then(|| self.store.segment(self.node))
    }

    /// The RFC 9535 §2.7 normalized path: `$['ask_slots'][0]['message']`.
    ///
    /// The RFC knows no text in strings: such a path is two normalized paths, `$['arguments'] | $['city']`, which
    /// together are a [`Pattern`](crate::Pattern).
    #[must_use]
    pub fn normalized(self) -> impl fmt::Display + use<'a> {
        Normalized(self)
    }

    /// The RFC 6901 pointer: `/ask_slots/0/message`; empty for the root.
    ///
    /// No pointer leads into a string: for `arguments | city` this is `/arguments`, the outermost string on the way.
    #[must_use]
    pub fn pointer(self) -> impl fmt::Display + use<'a> {
        Pointer(self)
    }
}

struct Normalized<'a>(Path<'a>);

impl fmt::Display for Normalized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('$')?;
        self.0.iter().try_for_each(|segment| write_bracketed(f, segment))
    }
}

struct Pointer<'a>(Path<'a>);

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pointed_to = self.0.iter().take_while(|segment| *segment != Segment::Inside);
        pointed_to.try_for_each(|segment| write_pointer_token(f, segment))
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_concrete(f, &mut self.iter())
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

impl PartialEq for Path<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Path<'_> {}
