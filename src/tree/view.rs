//! A `Copy` view of one value of the partial document.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use serde_json::{Number, Value};

use super::{NOTHING, NodeId, NodeKind, Tree};
use crate::error::{Error, ErrorKind};
use crate::names::names;
use crate::path::{ConcreteStep, Segment, concrete_steps, write_concrete};
use crate::shared_word::Word;
use crate::tokenizer::ValueKind;

/// The known part of a value: a `Copy` view into the parser's snapshot. Reading it allocates nothing.
///
/// | in the text | shown |
/// |---|---|
/// | a string | from its opening quote on, with the text so far; complete at its closing quote |
/// | an array, an object | from its opening bracket on, with its children so far; complete at its closing bracket |
/// | a number, `true`, `false`, `null` | once it has ended, and complete then |
/// | these with [`provisional`](crate::ParserBuilder::provisional) | the known part; complete once it has ended |
/// | a key | together with its value |
///
/// A complete value never changes, unless a duplicate key replaces it
/// ([`DuplicateKeys::Reject`](crate::DuplicateKeys::Reject) rules that out).
///
/// ```
/// use jsonspigot::{Parser, ValueKind, ValueState};
///
/// let mut parser = Parser::builder().snapshots().build();
/// parser.feed(r#"{"name": "Ada", "tags": ["math", "eng"#).check()?;
/// let seen = parser.snapshot().unwrap();
/// assert!(seen.at("name").unwrap().is_complete());
/// assert_eq!(seen.at("tags[1]").unwrap().as_str(), Some("eng"));
/// assert_eq!(seen.to_string(), r#"{"name":"Ada","tags":["math","eng"]}"#);
/// assert_eq!(seen.state_of("tags[1]")?, ValueState::Partial);
/// assert_eq!(seen.state_of("tags[2]")?, ValueState::Pending);
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PartialValue<'a> {
    pub(super) tree: &'a Tree,
    pub(crate) node: NodeId,
}

/// An iterator over values of a snapshot in document order, returned by [`iter`](PartialValue::iter) and
/// [`walk`](PartialValue::walk). Each step takes constant time.
#[derive(Clone)]
pub struct PartialValues<'a> {
    tree: &'a Tree,
    next: NodeId,
    end: NodeId,
    /// True if the values inside a value follow it, and not only its siblings.
    enters: bool,
}

impl<'a> Iterator for PartialValues<'a> {
    type Item = PartialValue<'a>;

    #[inline]
    fn next(&mut self) -> Option<PartialValue<'a>> {
        let node = (self.next < self.end).then_some(self.next)?;
        self.next = if self.enters { node + 1 } else { self.tree.end(node) };
        Some(PartialValue::new(self.tree, node))
    }
}

impl FusedIterator for PartialValues<'_> {}

impl fmt::Debug for PartialValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An iterator over the entries of an object, each with its key, returned by [`entries`](PartialValue::entries). Each
/// step takes constant time.
#[derive(Clone, Debug)]
pub struct Entries<'a>(PartialValues<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, PartialValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.find_map(|value| match value.segment()? {
            Segment::Key(key) => Some((key, value)),
            Segment::Index(_) | Segment::Inside => None,
        })
    }
}

impl FusedIterator for Entries<'_> {}

/// The state of the value at a path ([`PartialValue::state_of`]).
// Exhaustive: a value exists or not, and may still change or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueState {
    /// It does not exist yet, but may still arrive.
    Pending,
    /// It has begun and may still grow.
    Partial,
    /// It is complete and can no longer change.
    Complete,
    /// It does not exist and cannot arrive any more: its parent closed without it, or cannot contain it.
    Absent,
}

names!(ValueState {
    Pending => "pending",
    Partial => "partial",
    Complete => "complete",
    Absent => "absent",
});

impl<'a> PartialValue<'a> {
    #[inline]
    pub(super) fn new(tree: &'a Tree, node: NodeId) -> Self {
        Self { tree, node }
    }

    /// Returns another value of the document.
    pub(crate) fn other(self, node: NodeId) -> Self {
        Self { node, ..self }
    }

    /// Returns the id of the value's parent; an id without a node for the root.
    pub(crate) fn parent(self) -> NodeId {
        self.node().parent
    }

    /// Returns the word that a reader may store with the document; it is valid while the document only grows.
    pub(crate) fn note(self) -> &'a Word {
        &self.tree.note
    }

    #[inline]
    pub(super) fn node(self) -> &'a super::Node {
        &self.tree.nodes[self.node as usize]
    }

    /// Returns the innermost open value of the document, which is inside this one if this one is open.
    pub(crate) fn innermost_open(self) -> NodeId {
        // An open string, or an open atom that is shown, is always the last value.
        let last = self.other(self.tree.nodes.len() as u32 - 1);
        match self.tree.open {
            _ if !last.is_complete() => last.node,
            // The text failed after its root.
            NOTHING => self.node,
            open => open,
        }
    }

    #[inline]
    pub(crate) fn text(self) -> &'a str {
        &self.tree.text[self.tree.text_range(self.node)]
    }

    /// Returns the value's kind, which never changes.
    #[inline]
    #[must_use]
    pub fn kind(self) -> ValueKind {
        match self.node().kind {
            NodeKind::Null => ValueKind::Null,
            NodeKind::False | NodeKind::True => ValueKind::Bool,
            NodeKind::Number => ValueKind::Number,
            NodeKind::String => ValueKind::String,
            NodeKind::Array => ValueKind::Array,
            NodeKind::Object => ValueKind::Object,
        }
    }

    /// Returns true if the value was received completely. After an error the root is not complete.
    #[inline]
    #[must_use]
    pub fn is_complete(self) -> bool {
        !self.node().is_open
    }

    /// Returns the text of a string so far; `None` for any other value.
    #[inline]
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        (self.node().kind == NodeKind::String).then(|| self.text())
    }

    /// Returns the value of a boolean; `None` for any other value.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.node().kind {
            NodeKind::True => Some(true),
            NodeKind::False => Some(false),
            _ => None,
        }
    }

    /// Returns a number as it is spelt, so that the caller can parse it as any type; of an open number, the longest
    /// prefix that is a number.
    #[must_use]
    pub fn as_number(self) -> Option<&'a str> {
        (self.node().kind == NodeKind::Number).then(|| self.text())
    }

    pub(crate) fn number(self) -> Option<Number> {
        serde_json::from_str(self.as_number()?).ok()
    }

    /// Returns true if the value is null.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.node().kind == NodeKind::Null
    }

    /// Returns the number of elements or entries so far, including duplicates; 0 for any other value.
    #[must_use]
    pub fn len(self) -> usize {
        self.node().children as usize
    }

    /// Returns true if the value has no elements or entries.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the children in document order, including duplicates. Each has the [segment](Self::segment) that leads
    /// to it.
    pub(crate) fn children(self) -> PartialValues<'a> {
        let Self { tree, node } = self;
        PartialValues { tree, next: node + 1, end: tree.end(node), enters: false }
    }

    /// Returns the elements of an array in order; no elements for any other value.
    #[must_use = "iterators are lazy"]
    pub fn iter(self) -> PartialValues<'a> {
        let children = self.children();
        if self.node().kind == NodeKind::Array { children } else { PartialValues { next: children.end, ..children } }
    }

    /// Returns this value and all values inside it in document order: a container comes before its children. Does not
    /// recurse; each step takes constant time at any depth.
    ///
    /// ```
    /// use jsonspigot::{Parser, Segment};
    ///
    /// let mut parser = Parser::builder().snapshots().build();
    /// parser.feed(r#"{"to": ["Ada", "Al"#).check()?;
    /// let steps: Vec<_> = parser.snapshot().unwrap().walk().map(|value| (value.depth(), value.segment())).collect();
    /// assert_eq!(steps, [
    ///     (0, None),
    ///     (1, Some(Segment::Key("to"))),
    ///     (2, Some(Segment::Index(0))),
    ///     (2, Some(Segment::Index(1))),
    /// ]);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use = "iterators are lazy"]
    pub fn walk(self) -> PartialValues<'a> {
        let Self { tree, node } = self;
        PartialValues { tree, next: node, end: tree.end(node), enters: true }
    }

    /// Returns the value's key or index in its parent; `None` for the root.
    #[must_use]
    pub fn segment(self) -> Option<Segment<'a>> {
        self.tree.segment(self.node)
    }

    /// Returns the number of containers around the value: 0 for the root. The cost is linear in that number.
    #[must_use]
    pub fn depth(self) -> usize {
        let parent = |node: &NodeId| Some(self.other(*node).parent()).filter(|parent| *parent != NOTHING);
        core::iter::successors(Some(self.node), parent).count() - 1
    }

    /// Returns the entries of an object in document order, including duplicates; no entries for any other value.
    #[must_use = "iterators are lazy"]
    pub fn entries(self) -> Entries<'a> {
        Entries(self.children())
    }

    /// Returns the member with this name, the last one if there are several. The cost is linear in the number of
    /// entries, but the newest member of an open object and the few last looked up are found at once.
    #[inline]
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        self.tree.member(self.node, key).map(|child| Self::new(self.tree, child))
    }

    /// Returns the element at this index. The cost is linear in the number of elements before it, but the newest
    /// element of an open array is found at once.
    #[inline]
    #[must_use]
    pub fn index(self, index: usize) -> Option<Self> {
        self.tree.element(self.node, index).map(|child| Self::new(self.tree, child))
    }

    /// Returns the value at a concrete path from this value, such as `ask_slots[0].message`; `$` is this value.
    ///
    /// Returns `None` if the value does not exist (yet) or the text is not a concrete path.
    #[inline]
    #[must_use]
    pub fn at(self, path: &str) -> Option<Self> {
        concrete_steps(path).try_fold(self, |value, step| value.child(step?))
    }

    /// Returns the child that a step leads to; of several members with the same name, the last.
    #[inline]
    fn child(self, step: ConcreteStep<'_>) -> Option<Self> {
        match step {
            ConcreteStep::Name(name) => self.get(name),
            ConcreteStep::Quoted(_) => {
                self.entries().filter(|(key, _)| step.is(Segment::Key(key))).last().map(|(_, child)| child)
            }
            ConcreteStep::Index(index) => self.index(usize::try_from(index).ok()?),
            ConcreteStep::Inside => None,
        }
    }

    /// Returns the state of the value at a concrete path from this value.
    ///
    /// With it, a caller can act on a field as soon as the field can no longer change.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidPath`] if the text is not a concrete path, or if the path leads into the text of a string,
    /// as `arguments | city` does: a partial document does not parse the text of its strings.
    pub fn state_of(self, path: &str) -> Result<ValueState, Error> {
        let mut value = self;
        let mut steps = concrete_steps(path);
        while let Some(step) = steps.next() {
            let step = step.ok_or_else(|| invalid_path(path, &self.path()))?;
            match value.child(step) {
                Some(child) => value = child,
                // The rest of the path leads nowhere, but must be valid too.
                None if is_in_document(Some(step)) && steps.all(is_in_document) => {
                    return Ok(if value.may_hold(step) { ValueState::Pending } else { ValueState::Absent });
                }
                None => return Err(invalid_path(path, &self.path())),
            }
        }
        Ok(if value.is_complete() { ValueState::Complete } else { ValueState::Partial })
    }

    /// Returns true if a missing child may still arrive.
    fn may_hold(self, step: ConcreteStep<'_>) -> bool {
        let is_index = matches!(step, ConcreteStep::Index(_));
        let own_kind = if is_index { NodeKind::Array } else { NodeKind::Object };
        self.node().kind == own_kind && !self.is_complete()
    }

    /// Returns the concrete path of this value in its document.
    pub(crate) fn path(self) -> String {
        let mut path = String::new();
        // Writing to a string cannot fail.
        let _ = write_concrete(&mut path, &mut self.tree.segments(self.node));
        path
    }

    /// Returns the entries of an object sorted by key, the last one of duplicates.
    #[doc(hidden)]
    #[must_use]
    pub fn last_entries(self) -> Vec<(&'a str, Self)> {
        let mut entries: Vec<_> = self.entries().collect();
        // The sort is stable: of equal keys, the last one in the text comes first.
        entries.reverse();
        entries.sort_by_key(|(key, _)| *key);
        entries.dedup_by_key(|(key, _)| *key);
        entries
    }
}

/// Returns the [state](PartialValue::state_of) of a path before any value is shown: every valid path is pending.
pub(crate) fn state_before_all(path: &str) -> Result<ValueState, Error> {
    if concrete_steps(path).all(is_in_document) { Ok(ValueState::Pending) } else { Err(invalid_path(path, "$")) }
}

/// Returns true for a valid step that does not lead into a string.
fn is_in_document(step: Option<ConcreteStep<'_>>) -> bool {
    step.is_some_and(|step| !matches!(step, ConcreteStep::Inside))
}

#[cold]
fn invalid_path(path: &str, from: &str) -> Error {
    let is_path = concrete_steps(path).all(|step| step.is_some());
    let what = if is_path { "a path that does not lead into a string" } else { "a concrete path" };
    let expected = ["expected ", what, ", such as `a[0].b`, not `", path, "`"].concat();
    Error::without_place(ErrorKind::InvalidPath, from, &expected)
}

impl fmt::Debug for PartialValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_complete() { "complete" } else { "partial" };
        write!(f, "PartialValue({state} {self})")
    }
}

/// Compares all that is shown: kinds, keys in order, text, spelling of numbers, and which values are complete.
impl PartialEq for PartialValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        // In pre-order, equal subtrees are equal node by node, with the same numbers of children.
        let (from, other_from) = (self.node, other.node);
        let len = self.tree.end(from) - from;
        len == other.tree.end(other_from) - other_from
            && (0..len).all(|place| {
                let (own, their) = (self.other(from + place), other.other(other_from + place));
                own.node().kind == their.node().kind
                    && own.node().children == their.node().children
                    && own.is_complete() == their.is_complete()
                    && own.text() == their.text()
                    && (place == 0 || self.tree.segment(own.node) == other.tree.segment(their.node))
            })
    }
}

/// Compares as JSON: members in any order, the last one of duplicates; of open values the known part.
impl PartialEq<Value> for PartialValue<'_> {
    fn eq(&self, other: &Value) -> bool {
        let mut pairs = Vec::from([(*self, other)]);
        while let Some((own, other)) = pairs.pop() {
            let is_equal = match (own.node().kind, other) {
                (NodeKind::Null, Value::Null) => true,
                (NodeKind::True | NodeKind::False, Value::Bool(bool)) => own.as_bool() == Some(*bool),
                (NodeKind::String, Value::String(text)) => own.text() == text,
                (NodeKind::Number, Value::Number(number)) => own.number().is_some_and(|own| own == *number),
                (NodeKind::Array, Value::Array(elements)) => {
                    pairs.extend(own.iter().zip(elements));
                    own.len() == elements.len()
                }
                (NodeKind::Object, Value::Object(members)) => {
                    let entries = own.last_entries();
                    entries.len() == members.len()
                        && entries
                            .iter()
                            .all(|(key, value)| members.get(*key).map(|member| pairs.push((*value, member))).is_some())
                }
                _ => false,
            };
            if !is_equal {
                return false;
            }
        }
        true
    }
}
