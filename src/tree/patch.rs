//! The changes since a revision: the operations that bring a copy up to date.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::history::Extent;
use super::print::write_string;
use super::{NodeId, NodeKind, PartialValue, Tree};
use crate::path::write_pointer_token;

/// The content of a snapshot at a moment, to be compared with a later one: 20 bytes, whatever is shown.
///
/// A revision is content: two are equal if and only if the same values were shown and the same of them had closed. So it
/// is known to every parser whose document began with that content: the one that gave it, a clone, one that was
/// [restored](crate::ParserBuilder::restore) in another process, or one that has read the same text again. Any other parser
/// refuses it. The default is the moment before anything is shown, which every parser knows.
///
/// The content is compared by a digest of 64 bits, which is not keyed: texts that were made up for it may collide, and
/// then a patch is applied to a copy that it does not fit. Other texts do not, in practice.
///
/// A snapshot changes only by growing and closing: [`has_changed_since`](crate::Parser::has_changed_since) says whether
/// it has, and [`patch_since`](crate::Parser::patch_since) returns what is new. A value that has only closed adds
/// nothing to a patch.
///
/// ```
/// use jsonspigot::{Parser, PatternSet};
///
/// let mut parser = Parser::builder().snapshots().build(&PatternSet::empty());
/// parser.feed(r#"{"say": "Hel"#).check()?;
/// let revision = parser.revision();
/// assert!(!parser.has_changed_since(revision));
/// parser.feed(r#"lo", "to": ["all"#).check()?;
/// let ops: Vec<String> = parser.patch_since(revision)?.iter().map(ToString::to_string).collect();
/// assert_eq!(ops, [
///     r#"{"op":"append","path":"/say","value":"lo"}"#,
///     r#"{"op":"add","path":"/to","value":["all"]}"#,
/// ]);
///
/// let revision = parser.revision();
/// parser.feed(r#""]"#).check()?;
/// assert!(parser.has_changed_since(revision), "two values have closed");
/// assert_eq!(parser.patch_since(revision)?.len(), 0, "but a copy prints the same");
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Revision {
    /// A digest of what was shown.
    digest: u64,
    extent: Extent,
    /// The number of values that had closed.
    closed: u32,
}

/// Saved state.
impl Revision {
    /// The revision as bytes, to be kept beside a [saved](crate::Parser::save) parser: in another process too, they give a
    /// revision that the restored parser knows.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, Revision};
    ///
    /// let builder = Parser::builder().snapshots();
    /// let mut parser = builder.build(&PatternSet::empty());
    /// parser.feed("[true, ").check()?;
    /// let (state, seen) = (parser.save(), parser.revision().to_bytes());
    ///
    /// let mut parser = builder.restore(&PatternSet::empty(), &state)?;
    /// parser.feed("null").check()?;
    /// let ops: Vec<String> = parser.patch_since(Revision::from_bytes(seen))?.iter().map(ToString::to_string).collect();
    /// assert_eq!(ops, [r#"{"op":"add","path":"/1","value":null}"#]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_bytes(self) -> [u8; 20] {
        let Self { digest, extent: Extent { nodes, text }, closed } = self;
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&digest.to_le_bytes());
        for (to, word) in bytes[8..].chunks_exact_mut(4).zip([nodes, text, closed]) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The revision that gave these [bytes](Self::to_bytes). Bytes that were made up give one that no parser knows, or one
    /// whose patch means nothing.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        let word = |place: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[place + byte]));
        let digest = u64::from(word(0)) | u64::from(word(4)) << 32;
        Self { digest, extent: Extent { nodes: word(8), text: word(12) }, closed: word(16) }
    }
}

/// One operation of a patch: RFC 6902's `add`, or an `append` of text to a string.
///
/// `Display` and `Serialize` print `{"op":"add","path":"/a/0","value":…}` and
/// `{"op":"append","path":"/a/0","value":"…"}`, paths as RFC 6901 pointers. An `add` of an element names its index,
/// which is the array's length; an `add` of a member replaces an earlier one of the same name, as the RFC says.
///
/// If the parser was built with [`provisional`](crate::ParserBuilder::provisional), a number may be shown before it has
/// ended. Where such a number has grown since the revision, the operation is RFC 6902's `replace`:
/// `{"op":"replace","path":"/a/0","value":12}`. It is always the first one of a patch, and the only one of its kind.
/// A number that has ended as it was shown needs no operation.
#[derive(Clone, Copy, Debug)]
pub struct PatchOp<'a> {
    value: PartialValue<'a>,
    kind: PatchKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchKind {
    Add,
    /// Text is added to a string; where it begins in the string's.
    Append(usize),
    /// A number has become longer.
    Replace,
}

impl PatchKind {
    fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Append(_) => "append",
            Self::Replace => "replace",
        }
    }
}

impl<'a> PatchOp<'a> {
    /// The RFC 6901 pointer of the value that is added, replaced or grows; empty for the root.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for segment in self.value.tree.segments(self.value.node) {
            // Writing to a string cannot fail.
            let _ = write_pointer_token(&mut path, segment);
        }
        path
    }

    /// The value as it is now: the one added, or the string or number that has grown.
    #[must_use]
    pub fn value(&self) -> PartialValue<'a> {
        self.value
    }

    /// The text that an append adds; nothing for any other operation.
    #[must_use]
    pub fn appended(&self) -> Option<&'a str> {
        match self.kind {
            PatchKind::Append(from) => Some(&self.value.as_str()?[from..]),
            PatchKind::Add | PatchKind::Replace => None,
        }
    }

    /// Returns true if the value takes the place of the one that is there: of a number that was still open when it was
    /// shown.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet};
    ///
    /// let mut parser = Parser::builder().provisional().build(&PatternSet::empty());
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

impl fmt::Display for PatchOp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [r#"{"op":""#, self.kind.name(), r#"","path":"#] {
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

impl Serialize for PatchOp<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("op", self.kind.name())?;
        map.serialize_entry("path", &self.path())?;
        match self.appended() {
            Some(text) => map.serialize_entry("value", text)?,
            None => map.serialize_entry("value", &self.value)?,
        }
        map.end()
    }
}

impl Tree {
    pub(crate) fn revision(&self) -> Revision {
        let extent = self.extent();
        self.is_summed.store(true, core::sync::atomic::Ordering::Relaxed);
        Revision { digest: self.digest_at(extent), extent, closed: self.closed }
    }

    /// Returns true if anything has been shown or has closed since. True for a revision of another document.
    pub(crate) fn has_changed_since(&self, revision: Revision) -> bool {
        // The digest last, as it costs what is new.
        revision.extent != self.extent() || revision.closed != self.closed || revision != self.revision()
    }

    /// The operations since a revision, in document order; nothing since a revision of other content.
    ///
    /// The news is the growth of one string or number, if the last node was an open one, and the nodes after the
    /// revision. Each of them whose parent is an old node is added, with everything in it.
    pub(crate) fn patch_since(&self, revision: Revision) -> Option<Vec<PatchOp<'_>>> {
        let Revision { digest, extent: Extent { nodes, text }, .. } = revision;
        if !self.knows(digest, revision.extent) {
            return None;
        }
        let mut patch = Vec::from_iter(nodes.checked_sub(1).and_then(|last| self.growth(last, text)));
        let mut node = nodes;
        while (node as usize) < self.nodes.len() {
            patch.push(PatchOp { value: PartialValue::new(self, node), kind: PatchKind::Add });
            node = self.end(node);
        }
        Some(patch)
    }

    /// Returns the text that a string or number has gained since its text was shown up to `shown`.
    fn growth(&self, node: NodeId, shown: u32) -> Option<PatchOp<'_>> {
        let text = self.text_range(node);
        let from = (shown as usize).checked_sub(text.start).filter(|from| *from < text.len())?;
        // It is one, unless somebody made up the revision.
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
