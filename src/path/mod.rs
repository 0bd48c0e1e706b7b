//! Paths of values: [`Path`] with its [`Segment`]s, and the store that holds each segment once.
//!
//! The store is a stack of nodes that point to their parents. A path is the id of a node, so it costs only its new
//! segment and events copy nothing. Nodes that queued events refer to are *pinned*: they are not moved or dropped until
//! the queue has been read, even if their values have closed.

mod concrete;
mod print;
mod quoted;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::iter::FusedIterator;

pub(crate) use self::concrete::read_integer;
pub use self::concrete::{ConcreteStep, concrete_steps};
pub(crate) use self::print::{
    is_name_char, is_name_first, is_shorthand, write_bracketed, write_concrete, write_escape, write_pointer_token,
    write_quoted,
};
pub(crate) use self::quoted::QuotedName;

/// One step of a [`Path`]: into an object by key, into an array by index, or into the JSON text that a string holds.
///
/// The enum is exhaustive on purpose: code that ignored a new kind of step would address another value.
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
    /// An element's index, from 0.
    Index(u64),
    /// The text of a string that a pattern [reads as JSON](crate::Pattern): later segments start at the text's root.
    Inside,
}

/// The id of a node in the [`PathStore`], from 1.
pub(crate) type NodeId = u32;

/// The nodes of a path. Most paths have few; WebAssembly does without `smallvec` to keep the module small.
#[cfg(not(target_arch = "wasm32"))]
type Nodes = smallvec::SmallVec<[NodeId; 8]>;
#[cfg(target_arch = "wasm32")]
type Nodes = Vec<NodeId>;

/// The id of the root, which is not stored: it has neither a parent nor a segment.
pub(crate) const ROOT: NodeId = 0;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: NodeId,
    /// The element's index, [`KEY`] or [`INSIDE`].
    index: u64,
    /// The start of the node's key in `keys`. The key ends where the next node's begins.
    keys_start: usize,
}

/// Marks a node as a member. No array is long enough to have this index.
const KEY: u64 = u64::MAX;

/// Marks a node as the root of the text inside a string.
const INSIDE: u64 = u64::MAX - 1;

/// The segments of all open paths and of the paths that queued events refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathStore {
    nodes: Vec<Node>,
    keys: String,
    /// One more than the last node that queued events refer to, or 0.
    pinned: usize,
    /// The buffers before the last compaction, reused so that compactions rarely allocate.
    spare: Option<Box<Self>>,
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

    fn push_segment(&mut self, parent: NodeId, segment: Segment<'_>) -> NodeId {
        match segment {
            Segment::Key(key) => self.push_key(parent, key),
            Segment::Index(index) => self.push_index(parent, index),
            Segment::Inside => self.push_inside(parent),
        }
    }

    #[inline]
    fn push(&mut self, parent: NodeId, index: u64) -> NodeId {
        if self.nodes.capacity() == 0 {
            // Most paths are short: the default capacity of four would waste memory in many parsers.
            self.nodes.reserve_exact(3);
        }
        self.nodes.push(Node { parent, index, keys_start: self.keys.len() });
        self.nodes.len() as NodeId
    }

    /// Drops all nodes after `last` except pinned ones.
    #[inline]
    pub(crate) fn release_after(&mut self, last: NodeId) {
        let keep = self.pinned.max(last as usize + 1) - 1;
        if let Some(dropped) = self.nodes.get(keep) {
            self.keys.truncate(dropped.keys_start);
            self.nodes.truncate(keep);
        }
    }

    /// Pins `node` and all nodes before it until [`unpin`](Self::unpin).
    #[inline]
    pub(crate) fn pin(&mut self, node: NodeId) {
        self.pinned = self.pinned.max(node as usize + 1);
    }

    /// Unpins all nodes once the queue has been read. Returns true if any were pinned.
    #[inline]
    pub(crate) fn unpin(&mut self) -> bool {
        core::mem::take(&mut self.pinned) > 0
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Drops all nodes except those of these ids, and changes the ids. Each must be equal to the one before it or its
    /// child; the first is the root or its child.
    pub(crate) fn compact<'n>(&mut self, ids: impl Iterator<Item = &'n mut NodeId>) {
        let mut kept = self.spare.take().unwrap_or_default();
        kept.clear();
        let (mut old, mut new) = (ROOT, ROOT);
        for id in ids {
            if *id != old {
                (old, new) = (*id, kept.push_segment(new, self.segment(*id)));
            }
            *id = new;
        }
        core::mem::swap(self, &mut kept);
        self.spare = Some(kept);
    }

    pub(crate) fn path(&self, node: NodeId) -> Path<'_> {
        Path(Inner::Borrowed(node, self))
    }

    /// Returns the segments from the root to a node. Linear in the depth.
    pub(crate) fn segments(&self, node: NodeId) -> Segments<'_> {
        self.segments_below(node, |node| node == ROOT)
    }

    /// Returns the segments from the root of the innermost text inside a string, or from the document's root. Linear in
    /// the depth within that text.
    pub(crate) fn segments_within_text(&self, node: NodeId) -> Segments<'_> {
        self.segments_below(node, |node| node == ROOT || self.node(node).index == INSIDE)
    }

    /// Returns the segments below the innermost node for which `is_top` is true.
    fn segments_below(&self, mut node: NodeId, is_top: impl Fn(NodeId) -> bool) -> Segments<'_> {
        let mut nodes = Nodes::new();
        while !is_top(node) {
            nodes.push(node);
            node = self.node(node).parent;
        }
        Segments { store: self, nodes: nodes.into_iter() }
    }

    /// Returns a node's own segment; `None` for the root.
    pub(crate) fn last(&self, node: NodeId) -> Option<Segment<'_>> {
        (node != ROOT).then(|| self.segment(node))
    }

    /// Returns a node other than the root.
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

/// The path from the root to a value.
///
/// `Display` writes the concrete path, which is also a pattern (`ask_slots[0].message`; the root is `$`).
/// [`normalized`](Path::normalized) and [`pointer`](Path::pointer) return the standard notations. The path of a value
/// in the JSON text inside a string has both parts, `arguments | city`; the path of that text's root is `arguments |
/// $`.
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
///
/// It borrows from the parser, and costs nothing. [`into_owned`](Path::into_owned) copies its segments once; clones
/// share them.
#[derive(Clone)]
pub struct Path<'a>(Inner<'a>);

#[derive(Clone)]
enum Inner<'a> {
    /// A node in the parser's store.
    Borrowed(NodeId, &'a PathStore),
    /// A store of the segments of this path alone.
    Own(Arc<PathStore>),
}

/// An iterator over the segments of a path, from the root to the value; see [`Path::iter`].
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

/// An iterator over the array indices of a path, outermost first; see [`Path::indices`].
#[derive(Clone, Debug)]
pub struct Indices<'a>(Segments<'a>);

impl Iterator for Indices<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0.find_map(index)
    }
}

impl DoubleEndedIterator for Indices<'_> {
    fn next_back(&mut self) -> Option<u64> {
        self.0.by_ref().rev().find_map(index)
    }
}

impl FusedIterator for Indices<'_> {}

fn index(segment: Segment<'_>) -> Option<u64> {
    if let Segment::Index(index) = segment { Some(index) } else { None }
}

impl Path<'_> {
    /// Returns a path that owns its segments. Linear in their number and in the length of the keys, unless it does
    /// already.
    #[must_use]
    pub fn into_owned(self) -> Path<'static> {
        Path(Inner::Own(match self.0 {
            Inner::Borrowed(node, parsers) => {
                let mut store = PathStore::default();
                parsers.segments(node).fold(ROOT, |parent, segment| store.push_segment(parent, segment));
                Arc::new(store)
            }
            Inner::Own(store) => store,
        }))
    }

    /// Returns the store with its segments, and their last node.
    fn store(&self) -> (&PathStore, NodeId) {
        match &self.0 {
            Inner::Borrowed(node, store) => (store, *node),
            Inner::Own(store) => (store, store.nodes.len() as NodeId),
        }
    }

    /// Returns the segments from the root to the value; none for the root. Linear in the depth.
    #[must_use]
    pub fn iter(&self) -> Segments<'_> {
        let (store, node) = self.store();
        store.segments(node)
    }

    /// Returns the array indices on the path, outermost first, such as those that the wildcards of `a[*].b[*]` matched.
    #[must_use]
    pub fn indices(&self) -> Indices<'_> {
        Indices(self.iter())
    }

    /// Returns the last segment; `None` for the root. Takes constant time.
    #[must_use]
    pub fn last(&self) -> Option<Segment<'_>> {
        let (store, node) = self.store();
        store.last(node)
    }

    /// Returns the normalized path of RFC 9535 §2.7: `$['ask_slots'][0]['message']`.
    ///
    /// The RFC does not cover JSON inside strings. Such a path is two normalized paths, `$['arguments'] | $['city']`,
    /// and together they are a [`Pattern`](crate::Pattern).
    #[must_use]
    pub fn normalized(&self) -> impl fmt::Display {
        Normalized(self)
    }

    /// Returns the JSON pointer (RFC 6901): `/ask_slots/0/message`; empty for the root.
    ///
    /// A pointer cannot lead into a string: for `arguments | city` it is `/arguments`, the outermost string.
    #[must_use]
    pub fn pointer(&self) -> impl fmt::Display {
        Pointer(self)
    }
}

impl Path<'static> {
    /// Parses a concrete path, as `Display` writes it.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let mut store = PathStore::default();
        concrete_steps(path).try_fold(ROOT, |parent, step| match step? {
            ConcreteStep::Index(index) => (index < INSIDE).then(|| store.push_index(parent, index)),
            ConcreteStep::Inside => Some(store.push_inside(parent)),
            name => Some(store.push_key(parent, &name.name())),
        })?;
        Some(Self(Inner::Own(Arc::new(store))))
    }
}

struct Normalized<'a>(&'a Path<'a>);

impl fmt::Display for Normalized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('$')?;
        self.0.iter().try_for_each(|segment| write_bracketed(f, segment))
    }
}

struct Pointer<'a>(&'a Path<'a>);

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
