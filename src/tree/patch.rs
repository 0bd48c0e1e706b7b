//! The changes since a revision: the operations that bring a copy up to date.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::print::write_string;
use super::revision::{Extent, Revision};
use super::{NodeId, NodeKind, PartialValue, Tree};
use crate::path::write_pointer_token;

/// One operation of a patch: RFC 6902's `add`, or an `append` of text to a string.
///
/// `Display` and `Serialize` print `{"op":"add","path":"/a/0","value":…}` and
/// `{"op":"append","path":"/a/0","value":"…"}`, with paths as RFC 6901 pointers. An `add` of an element names its
/// index, which is the array's length; an `add` of a member replaces an earlier one with the same name, as the RFC
/// requires.
///
/// If the parser was built with [`provisional`](crate::ParserBuilder::provisional), a number may be shown while it is
/// open. If such a number has grown since the revision, the operation is RFC 6902's `replace`:
/// `{"op":"replace","path":"/a/0","value":12}`. It is always the first operation of a patch, and a patch has at most
/// one. A number that ended exactly as it was shown needs no operation.
#[derive(Clone, Copy, Debug)]
pub struct PatchOp<'a> {
    value: PartialValue<'a>,
    kind: PatchKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchKind {
    Add,
    /// Text is appended to a string, from this offset in the string.
    Append(usize),
    /// A number has grown.
    Replace,
}

impl<'a> PatchOp<'a> {
    /// Returns the RFC 6901 pointer of the value that is added, replaced or extended; empty for the root.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for segment in self.value.tree.segments(self.value.node) {
            // Writing to a string cannot fail.
            let _ = write_pointer_token(&mut path, segment);
        }
        path
    }

    /// Returns the current value: the added value, or the string or number that has grown.
    #[must_use]
    pub fn value(&self) -> PartialValue<'a> {
        self.value
    }

    /// Returns the text that an append adds; `None` for any other operation.
    #[must_use]
    pub fn appended(&self) -> Option<&'a str> {
        match self.kind {
            PatchKind::Append(from) => Some(&self.value.as_str()?[from..]),
            PatchKind::Add | PatchKind::Replace => None,
        }
    }

    /// Returns true if the value replaces a number that was still open when it was shown.
    ///
    /// ```
    /// use jsonspigot::Parser;
    ///
    /// let mut parser = Parser::builder().provisional().build();
    /// parser.feed("[1").check()?;
    /// let revision = parser.revision();
    /// parser.feed("2, 3").check()?;
    /// let ops: Vec<_> = parser.patch_since(revision)?.into_iter().map(|op| (op.to_string(), op.is_replacement())).collect();
    /// assert_eq!(ops, [
    ///     (r#"{"op":"replace","path":"/0","value":12}"#.to_string(), true),
    ///     (r#"{"op":"add","path":"/1","value":3}"#.to_string(), false),
    /// ]);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    #[must_use]
    pub fn is_replacement(&self) -> bool {
        self.kind == PatchKind::Replace
    }
}

impl PatchOp<'_> {
    /// Returns the name of the operation.
    pub(crate) fn name(&self) -> &'static str {
        match self.kind {
            PatchKind::Add => "add",
            PatchKind::Append(_) => "append",
            PatchKind::Replace => "replace",
        }
    }
}

impl fmt::Display for PatchOp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [r#"{"op":""#, self.name(), r#"","path":"#] {
            f.write_str(part)?;
        }
        write_string(f, &self.path())?;
        f.write_str(r#","value":"#)?;
        match self.appended() {
            Some(text) => write_string(f, text)?,
            None => self.value.fmt(f)?,
        }
        f.write_char('}')
    }
}

impl Tree {
    /// Returns the operations since a revision, in document order; `None` for a revision of other content.
    ///
    /// A patch consists of the growth of one string or number, if the last node was open, and the nodes after the
    /// revision. Each new node whose parent is an old node is added, with its whole subtree.
    pub(crate) fn patch_since(&self, revision: Revision) -> Option<Vec<PatchOp<'_>>> {
        let Extent { nodes, text } = self.known(revision)?;
        let mut patch = Vec::from_iter(nodes.checked_sub(1).and_then(|last| self.growth(last, text)));
        let mut node = nodes;
        while (node as usize) < self.nodes.len() {
            patch.push(PatchOp { value: PartialValue::new(self, node), kind: PatchKind::Add });
            node = self.end(node);
        }
        Some(patch)
    }

    /// Returns the growth of a string or number since its text was shown up to `shown`.
    fn growth(&self, node: NodeId, shown: u32) -> Option<PatchOp<'_>> {
        let text = self.text_range(node);
        let from = (shown as usize).checked_sub(text.start).filter(|from| *from < text.len())?;
        // Always a boundary, unless the revision was forged.
        if !self.text.is_char_boundary(shown as usize) {
            return None;
        }
        let kind = match self.nodes[node as usize].kind {
            NodeKind::String => PatchKind::Append(from),
            NodeKind::Number => PatchKind::Replace,
            _ => return None,
        };
        Some(PatchOp { value: PartialValue::new(self, node), kind })
    }
}
