//! Saved state: the values in document order, each as what a text would have told of it.
//!
//! Reading them goes through the functions that a text goes through, so the arena is always one that a text leads to.

use super::{Document, NOTHING, NodeId, NodeKind};
use crate::path::Segment;
use crate::saved::{Impossible, Reader, Writer};
use crate::tokenizer::{Position, Tokenizer, ValueKind, is_number};

/// How values are written: by their kind, and by these.
const END: u8 = 7;
const OPEN_STRING: u8 = 8;
const STOP: u8 = 9;

impl Document {
    /// Writes what is shown; of a text that is `open`, also what is not shown yet.
    pub(crate) fn save(&self, open: bool, out: &mut Writer<'_>) {
        let shown_atom = self.is_atom_shown();
        let mut container = NOTHING;
        let end_containers = |container: &mut NodeId, parent: NodeId, out: &mut Writer<'_>| {
            while *container != parent {
                out.byte(END);
                *container = self.nodes.get(*container as usize).map_or(parent, |node| node.parent);
            }
        };
        for id in 0..self.nodes.len() - usize::from(shown_atom) {
            let node = self.nodes[id];
            end_containers(&mut container, node.parent, out);
            let is_open_string = node.kind == NodeKind::String && node.is_open;
            out.byte(if is_open_string && self.open == node.parent { OPEN_STRING } else { node.kind as u8 });
            if let Some(Segment::Key(key)) = self.segment(id as NodeId) {
                out.text(key);
            }
            match node.kind {
                NodeKind::Number | NodeKind::String => out.text(&self.text[self.text_range(id as NodeId)]),
                NodeKind::Array | NodeKind::Object => container = id as NodeId,
                _ => {}
            }
        }
        end_containers(&mut container, self.open, out);
        out.byte(STOP);
        if shown_atom && let Some(id) = self.nodes.len().checked_sub(1) {
            let is_member = self.nodes[id].is_member();
            out.option(self.segment(id as NodeId).filter(|_| is_member), |out, segment| {
                if let Segment::Key(key) = segment {
                    out.text(key);
                }
            });
        } else {
            out.option(self.text.get(self.shown as usize..).filter(|key| !key.is_empty()), Writer::text);
        }
        out.flag(self.has_open_atom);
        if !open {
            let atom =
                shown_atom.then(|| self.nodes.len() as NodeId - 1).map(|id| match self.nodes[id as usize].kind {
                    NodeKind::Null => "null",
                    NodeKind::False => "false",
                    NodeKind::True => "true",
                    _ => &self.text[self.text_range(id)],
                });
            out.option(atom, Writer::text);
        }
    }

    /// Reads what was saved into a document that is empty. Of a text that is open, `tokenizer` knows the atom that is.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>, open: Option<&Tokenizer>) -> Result<(), Impossible> {
        loop {
            let tag = reader.byte()?;
            let parent = self.nodes.get(self.open as usize).map(|parent| parent.kind);
            match tag {
                STOP => break,
                END => {
                    Impossible::unless(parent.is_some() && !self.has_open_string())?;
                    self.end_container();
                    continue;
                }
                _ => {}
            }
            // One root, and nothing after an open string.
            Impossible::unless(!self.has_open_string() && (self.nodes.is_empty() || parent.is_some()))?;
            if parent == Some(NodeKind::Object) {
                self.restore_key(reader)?;
            }
            let kind = NodeKind::ALL.get(usize::from(tag));
            match (tag, kind) {
                (OPEN_STRING, _) | (_, Some(NodeKind::String)) => {
                    self.begin_string(0).map_err(|_| Impossible)?;
                    self.append(reader.text()?, 0).map_err(|_| Impossible)?;
                    if tag != OPEN_STRING {
                        self.end_string();
                    }
                }
                (_, Some(NodeKind::Array)) => self.begin_container(ValueKind::Array, 0).map_err(|_| Impossible)?,
                (_, Some(NodeKind::Object)) => self.begin_container(ValueKind::Object, 0).map_err(|_| Impossible)?,
                (_, Some(kind)) => {
                    let text = match kind {
                        NodeKind::Null => "null",
                        NodeKind::False => "false",
                        NodeKind::True => "true",
                        _ => reader.text()?,
                    };
                    Impossible::unless(*kind != NodeKind::Number || is_number(text))?;
                    self.end_atom(text, 0).map_err(|_| Impossible)?;
                }
                (_, None) => return Err(Impossible),
            }
        }
        if reader.flag()? {
            let in_object = self.nodes.get(self.open as usize).is_some_and(|open| open.kind == NodeKind::Object);
            Impossible::unless(in_object && !self.has_open_string())?;
            self.restore_key(reader)?;
        }
        self.has_open_atom = reader.flag()?;
        let has_room = !self.has_open_string() && (self.nodes.is_empty() || self.open != NOTHING);
        Impossible::unless(has_room || !self.has_open_atom)?;
        match open {
            Some(tokenizer) => {
                if self.shows_open_atoms
                    && let Some(text) = tokenizer.open_atom()
                {
                    Impossible::unless(self.has_open_atom)?;
                    self.show_open_atom(text);
                }
            }
            None => {
                if let Some(text) = reader.option(Reader::text)? {
                    let is_atom = matches!(text, "null" | "true" | "false") || is_number(text);
                    Impossible::unless(is_atom && self.shows_open_atoms && self.has_open_atom)?;
                    self.show_open_atom(text);
                    Impossible::unless(self.is_atom_shown())?;
                }
            }
        }
        Ok(())
    }

    fn restore_key(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.key(reader.text()?, 0).map_err(|_| Impossible)
    }

    /// Whether the root has been received whole.
    pub(crate) fn has_whole_root(&self) -> bool {
        self.nodes.first().is_some_and(|root| !root.is_open)
    }

    fn has_open_string(&self) -> bool {
        self.nodes.last().is_some_and(|last| last.kind == NodeKind::String && last.is_open)
    }

    /// What leads from the innermost open container to what is open in it: a string, an atom, or nothing but its key.
    fn newest_step(&self, position: Position) -> Option<Segment<'_>> {
        let container = self.nodes.get(self.open as usize)?;
        if self.has_open_string() || self.is_atom_shown() {
            return self.segment(self.nodes.len() as NodeId - 1);
        }
        match container.kind {
            NodeKind::Object if self.has_open_atom || position == Position::AfterKey => {
                self.text.get(self.shown as usize..).map(Segment::Key)
            }
            NodeKind::Array if self.has_open_atom => Some(Segment::Index(container.children.into())),
            _ => None,
        }
    }

    /// Holds the document against the tokenizer, and against the steps from each open container that the tracker knows.
    pub(crate) fn settle<'a>(
        &self,
        tokenizer: &Tokenizer,
        steps: impl Iterator<Item = (u64, Option<Segment<'a>>)>,
    ) -> Result<(), Impossible> {
        let position = tokenizer.position();
        let upwards = core::iter::successors(Some(self.open), |id| {
            self.nodes.get(*id as usize).map(|node| node.parent).filter(|parent| *parent != NOTHING)
        });
        let mut open: alloc::vec::Vec<NodeId> = upwards.filter(|id| *id != NOTHING).collect();
        open.reverse();
        let nest = tokenizer.nest();
        Impossible::unless(open.len() == nest.depth())?;
        let mut steps = steps;
        for (depth, id) in open.iter().enumerate() {
            let node = &self.nodes[*id as usize];
            let (next_index, segment) = steps.next().ok_or(Impossible)?;
            let is_object = node.kind == NodeKind::Object;
            let hidden = depth + 1 == open.len() && self.has_open_atom && !self.is_atom_shown();
            let is_counted = is_object || next_index == u64::from(node.children) + u64::from(hidden);
            let child = open.get(depth + 1).map_or_else(|| self.newest_step(position), |child| self.segment(*child));
            let is_reached = child.is_none_or(|child| segment.is_none_or(|segment| child == segment));
            Impossible::unless(nest.is_object(depth) == Some(is_object) && is_counted && is_reached)?;
        }
        let has_pending_key = self.shown as usize != self.text.len();
        let is_atom = matches!(position, Position::Atom(_));
        let has_root = !self.nodes.is_empty();
        Impossible::unless(
            // After a deviation, a root that has closed is open again.
            (self.has_open_string() == (position == Position::String) || tokenizer.is_after_root())
                && self.has_open_atom == is_atom
                && (!has_pending_key || is_atom || position == Position::AfterKey)
                && (nest.depth() > 0
                    || has_root == (tokenizer.is_after_root() || position == Position::String || self.is_atom_shown())),
        )
    }
}
