//! Revisions, and which of them a document knows: those of documents that had shown the same, up to there.
//!
//! A document only grows, so a revision says how far it had grown, and has a digest of what it showed then. Another document
//! that began with the same knows the revision too: a clone, one that was restored from a saved state in another process,
//! or one that has read the same text again. What a patch adds to is the same for all of them.
//!
//! The digest is a sum, of something for each node and for each word of the text. So the digest of a beginning is that of all
//! without what has come since, and to find it costs as much as the patch does.

use core::sync::atomic::Ordering;

use super::{Node, Tree};

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

/// The amount of a document that is shown: its nodes and its text, of which neither ever shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Extent {
    pub(super) nodes: u32,
    pub(super) text: u32,
}

/// The sum so far: of so many nodes, and of so many words of text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    nodes: u32,
    words: u32,
    sum: u64,
}

const WORD: u32 = 8;

/// Mixes a word with its place, so that no other order of the same words has the same sum.
#[inline]
fn mixed(word: u64, place: u32) -> u64 {
    let mixed = (word ^ u64::from(place).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

fn of_node(node: &Node, place: u32) -> u64 {
    let places = u64::from(node.place) << 32 | u64::from(node.text);
    let kind = u64::from(node.parent) << 32 | (node.kind as u64) << 8 | u64::from(node.is_member());
    // Never that of a word.
    mixed(mixed(places, place) ^ kind, !place)
}

impl Tree {
    pub(crate) fn revision(&self) -> Revision {
        let extent = self.extent();
        self.is_summed.store(true, Ordering::Relaxed);
        Revision { digest: self.digest_at(extent), extent, closed: self.closed }
    }

    /// Returns true if anything has been shown or has closed since. True for a revision of another document.
    pub(crate) fn has_changed_since(&self, revision: Revision) -> bool {
        // The digest last, as it costs what is new.
        revision.extent != self.extent() || revision.closed != self.closed || revision != self.revision()
    }

    /// Returns the amount that is shown.
    fn extent(&self) -> Extent {
        Extent { nodes: self.nodes.len() as u32, text: self.shown }
    }

    #[inline]
    fn of_word(&self, place: u32) -> u64 {
        let from = (place * WORD) as usize;
        let word = self.text.as_bytes().get(from..).and_then(<[u8]>::first_chunk);
        mixed(word.map_or(0, |word| u64::from_le_bytes(*word)), place)
    }

    /// Adds what has come to the sum: no more than it has to be, as every revision adds what is missing.
    // Not inlined: `append` stays small, and few chunks pay for it.
    #[cold]
    #[inline(never)]
    pub(super) fn sum_up(&mut self) {
        *self.is_summed.get_mut() = false;
        let Sum { mut nodes, mut words, mut sum } = self.sum;
        while words < self.shown / WORD {
            sum = sum.wrapping_add(self.of_word(words));
            words += 1;
        }
        while let Some(node) = self.nodes.get(nodes as usize) {
            sum = sum.wrapping_add(of_node(node, nodes));
            nodes += 1;
        }
        self.sum = Sum { nodes, words, sum };
    }

    /// The digest of what was shown when the document had grown so far.
    fn digest_at(&self, extent: Extent) -> u64 {
        let Sum { nodes, words, mut sum } = self.sum;
        let last = extent.text / WORD;
        for place in words..last {
            sum = sum.wrapping_add(self.of_word(place));
        }
        for place in last..words {
            sum = sum.wrapping_sub(self.of_word(place));
        }
        for place in nodes.min(extent.nodes)..nodes.max(extent.nodes) {
            let node = self.nodes.get(place as usize).map_or(0, |node| of_node(node, place));
            sum = if place >= nodes { sum.wrapping_add(node) } else { sum.wrapping_sub(node) };
        }
        let rest = self.text.as_bytes().get((last * WORD) as usize..extent.text as usize).unwrap_or_default();
        let mut word = [0; WORD as usize];
        word.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
        if rest.is_empty() { sum } else { sum.wrapping_add(mixed(u64::from_le_bytes(word), last)) }
    }

    /// How far the document had grown at a revision, if it has ever been as it was then. Costs what has come since.
    pub(super) fn known(&self, Revision { digest, extent, .. }: Revision) -> Option<Extent> {
        let now = self.extent();
        let is_known = extent.nodes <= now.nodes && extent.text <= now.text && self.digest_at(extent) == digest;
        is_known.then_some(extent)
    }
}
