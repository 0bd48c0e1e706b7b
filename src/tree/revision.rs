//! Revisions of a document, and the check that a document knows a revision.
//!
//! A document only grows, so a revision records how far it had grown and a digest of its content then. Every other
//! document that began with the same content knows the revision too: a clone, one restored from a saved state in
//! another process, or one that has read the same text again. The base of a patch is the same for all of them.
//!
//! The digest is a sum with one term for each node and each word of the text. So the digest of a prefix is the total
//! minus the terms added since, which costs as much as the patch does. The total is
//! brought up to date after each chunk, unless little is new.

use core::ops::Range;

use super::{Node, Tree};

/// The content of a snapshot at one moment, to be compared with a later one. Always 20 bytes.
///
/// Two revisions are equal if and only if the same values were shown and the same of them had closed. So a revision is
/// known to every parser whose document began with that content: the parser that returned it, a clone, a parser that
/// was [restored](crate::Parser::restore) in another process, or one that has read the same text again. Any other
/// parser rejects it. The default is the revision of an empty document, which every parser knows.
///
/// Contents are compared by a 64-bit digest, which is not keyed. Texts crafted to collide may do so, and then a patch
/// is applied to a copy that it does not fit. Other texts do not collide in practice.
///
/// A snapshot changes only by growing and closing: [`has_changed_since`](crate::Parser::has_changed_since) reports
/// whether it has changed, and [`patch_since`](crate::Parser::patch_since) returns the changes. A value that has only
/// closed adds nothing to a patch.
///
/// ```
/// use jsonspigot::Parser;
///
/// let mut parser = Parser::builder().snapshots().build();
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
    /// A digest of the content.
    digest: u64,
    extent: Extent,
    /// The number of values that had closed.
    closed: u32,
}

/// Saved state.
impl Revision {
    /// Returns the revision as bytes, to be stored with a [saved](crate::Parser::save) parser. In another process, they
    /// restore a revision that the restored parser knows.
    ///
    /// ```
    /// use jsonspigot::{Parser, Revision};
    ///
    /// let new = || Parser::builder().snapshots().build();
    /// let mut parser = new();
    /// parser.feed("[true, ").check()?;
    /// let (state, seen) = (parser.save()?, parser.revision().to_bytes());
    ///
    /// let mut parser = new().restore(&state)?;
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

    /// Restores the revision from its [bytes](Self::to_bytes). Forged bytes give a revision that no parser knows, or
    /// one whose patch is meaningless.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        let word = |place: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[place + byte]));
        let digest = u64::from(word(0)) | u64::from(word(4)) << 32;
        Self { digest, extent: Extent { nodes: word(8), text: word(12) }, closed: word(16) }
    }
}

/// The size of a document: its nodes and its text. Neither ever shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Extent {
    pub(super) nodes: u32,
    pub(super) text: u32,
}

const WORD: u32 = 8;

/// The number of new nodes, or of new words of text, that are added to the sum together. A revision reads fewer again.
const FEW: u32 = 16;

/// Mixes a word with its position, so that other orders of the same words have other sums.
#[inline]
fn mixed(word: u64, place: u32) -> u64 {
    let mixed = (word ^ u64::from(place).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

fn of_node(node: &Node, place: u32) -> u64 {
    let places = u64::from(node.place) << 32 | u64::from(node.text);
    let kind = u64::from(node.parent) << 32 | (node.kind as u64) << 8 | u64::from(node.is_member());
    // Differs from the term of any word.
    mixed(mixed(places, place) ^ kind, !place)
}

impl Tree {
    pub(crate) fn revision(&self) -> Revision {
        let extent = self.extent();
        Revision { digest: self.digest_at(extent), extent, closed: self.closed }
    }

    /// Returns true if a value was shown or closed since. True for a revision of another document.
    pub(crate) fn has_changed_since(&self, revision: Revision) -> bool {
        // The digest takes the longest, and is rarely needed.
        let extent = self.extent();
        (revision.extent, revision.closed) != (extent, self.closed) || revision.digest != self.digest_at(extent)
    }

    /// Returns the size of the document.
    fn extent(&self) -> Extent {
        Extent { nodes: self.nodes.len() as u32, text: self.shown }
    }

    /// Adds the new nodes and whole words to the sum, once there are a few. Called at the end of each chunk.
    #[inline]
    pub(crate) fn settle(&mut self) {
        let (nodes, words) = self.summed;
        if self.nodes.len() as u32 - nodes >= FEW || self.shown / WORD - words >= FEW {
            self.add_new();
        }
    }

    // Not inlined, to keep its callers small.
    #[inline(never)]
    fn add_new(&mut self) {
        let (nodes, words) = (self.nodes.len() as u32, self.shown / WORD);
        self.sum = self.sum.wrapping_add(self.sum_of(self.summed.0..nodes, self.summed.1..words));
        self.summed = (nodes, words);
    }

    /// Returns the sum of these nodes and whole words.
    fn sum_of(&self, nodes: Range<u32>, words: Range<u32>) -> u64 {
        #[cfg(test)]
        self.read.fetch_add(nodes.len() + words.len(), core::sync::atomic::Ordering::Relaxed);
        let of_nodes = self.nodes[nodes.start as usize..nodes.end as usize].iter().zip(nodes);
        let of_words = self.text.as_bytes()[(words.start * WORD) as usize..(words.end * WORD) as usize].as_chunks();
        let of_words = of_words.0.iter().zip(words);
        let sum = of_nodes.fold(0, |sum: u64, (node, place)| sum.wrapping_add(of_node(node, place)));
        of_words.fold(sum, |sum, (word, place)| sum.wrapping_add(mixed(u64::from_le_bytes(*word), place)))
    }

    /// Returns the digest of the document when it had this size. The cost is linear in its growth since then.
    fn digest_at(&self, extent: Extent) -> u64 {
        let (nodes, words) = (self.nodes.len() as u32, self.shown / WORD);
        let whole = extent.text / WORD;
        let new = self.sum_of(self.summed.0..nodes, self.summed.1..words);
        let sum = self.sum.wrapping_add(new).wrapping_sub(self.sum_of(extent.nodes..nodes, whole..words));
        let rest = &self.text.as_bytes()[(whole * WORD) as usize..extent.text as usize];
        let mut word = [0; WORD as usize];
        word.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
        if rest.is_empty() { sum } else { sum.wrapping_add(mixed(u64::from_le_bytes(word), whole)) }
    }

    /// Returns the document's size at a revision, if it ever had that content. The cost is linear in its growth since
    /// then.
    pub(super) fn known(&self, Revision { digest, extent, .. }: Revision) -> Option<Extent> {
        let now = self.extent();
        let is_known = extent.nodes <= now.nodes && extent.text <= now.text && self.digest_at(extent) == digest;
        is_known.then_some(extent)
    }
}

#[cfg(all(test, target_has_atomic = "64"))]
mod tests {
    use alloc::string::ToString;
    use core::sync::atomic::Ordering;

    use super::{FEW, Revision};
    use crate::tokenizer::ValueKind::{Array, Object};
    use crate::tree::Tree;

    /// Adds the next values of a text.
    type Step = fn(&mut Tree, usize);

    fn member(tree: &mut Tree, key: &str) {
        tree.key(key, 0).unwrap();
        tree.end_atom("null", 0).unwrap();
    }

    /// Revisions and patches after each token read each node and each word of text at most twice, and a few again, for all
    /// kinds of tokens and any size of the document before the first revision.
    #[test]
    fn revisions_cost_the_same_for_all_kinds_of_values() {
        const STEPS: usize = 1000;
        let kinds: [(&str, Step); 12] = [
            ("numbers", |tree, _| tree.end_atom("12", 0).unwrap()),
            ("literals", |tree, _| tree.end_atom("true", 0).unwrap()),
            ("empty strings", |tree, _| {
                tree.begin_string(0).unwrap();
                tree.end_string();
            }),
            ("pieces of strings", |tree, step| match step % 10 {
                0 => tree.begin_string(0).unwrap(),
                9 => tree.end_string(),
                _ => tree.append("piece", 0).unwrap(),
            }),
            ("open strings", |tree, _| tree.begin_string(0).unwrap()),
            ("empty containers", |tree, _| {
                tree.begin_container(Array, 0).unwrap();
                tree.end_container();
            }),
            ("nested containers", |tree, step| match step % 200 {
                0..100 => tree.begin_container(Array, 0).unwrap(),
                _ => tree.end_container(),
            }),
            ("members", |tree, step| match step {
                0 => tree.begin_container(Object, 0).unwrap(),
                _ => member(tree, &step.to_string()),
            }),
            ("equal keys", |tree, step| match step {
                0 => tree.begin_container(Object, 0).unwrap(),
                _ => member(tree, "key"),
            }),
            ("objects", |tree, step| match step % 3 {
                0 => tree.begin_container(Object, 0).unwrap(),
                1 => member(tree, "key"),
                _ => tree.end_container(),
            }),
            ("an open number", |tree, step| tree.show_open_atom(&"1".repeat(step + 1))),
            ("white space", |_, _| ()),
        ];
        for before in [0, 100 * STEPS] {
            for (kind, step) in kinds {
                let mut tree = Tree::new().with_open_atoms();
                tree.begin_container(Array, 0).unwrap();
                (0..before).for_each(|_| tree.end_atom("7", 0).unwrap());
                let mut seen = Revision::default();
                for place in 0..STEPS {
                    step(&mut tree, place);
                    tree.settle();
                    // More than once, as several clients of one parser ask.
                    for _ in 0..3 {
                        assert!(tree.has_changed_since(Revision::default()), "{kind}");
                    }
                    let patch = tree.patch_since(seen).unwrap();
                    assert!(patch.len() <= 1, "{kind}: {patch:?}");
                    seen = tree.revision();
                    assert!(!tree.has_changed_since(seen), "{kind}");
                }
                let size = tree.nodes.len() + tree.text.len().div_ceil(8);
                let read = tree.read.load(Ordering::Relaxed);
                // Each step asks six times, each time for fewer new nodes and words than these.
                let few = STEPS * 6 * 2 * FEW as usize;
                assert!(read <= 2 * size + few, "{kind} after {before} values: {read} read for {size}");
                assert!(read >= size - 1, "the work is counted");
            }
        }
    }

    /// A parser that knows a revision by its content reads only the changes since then.
    #[test]
    fn revisions_of_another_parser_cost_what_has_come_since() {
        let mut trees = [Tree::new(), Tree::new()];
        for tree in &mut trees {
            tree.begin_container(Array, 0).unwrap();
            (0..10_000).for_each(|_| tree.end_atom("7", 0).unwrap());
            tree.settle();
        }
        let [one, other] = &mut trees;
        for _ in 0..100 {
            let seen = one.revision();
            for tree in [&mut *one, &mut *other] {
                tree.end_atom("1", 0).unwrap();
                tree.settle();
            }
            assert_eq!([&*one, other].map(|tree| tree.patch_since(seen).unwrap().len()), [1, 1]);
        }
        for tree in &trees {
            let (size, read) = (tree.nodes.len() + tree.text.len() / 8, tree.read.load(Ordering::Relaxed));
            assert!(read <= size + 400 + 100 * 3 * FEW as usize, "{read} read for {size}");
        }
    }
}
