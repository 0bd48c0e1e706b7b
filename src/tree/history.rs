//! The revisions that a document knows: those of documents that had shown the same, up to there.
//!
//! A document only grows, so a revision says how far it had grown, and has a digest of what it showed then. Another document
//! that began with the same knows the revision too: a clone, one that was restored from a saved state in another process,
//! or one that has read the same text again. What a patch adds to is the same for all of them.
//!
//! The digest is a sum, of something for each node and for each word of the text. So the digest of a beginning is that of all
//! without what has come since, and to find it costs as much as the patch does.

use super::{Node, Tree};

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
    /// Returns the amount that is shown.
    pub(super) fn extent(&self) -> Extent {
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
    pub(super) fn digest_at(&self, extent: Extent) -> u64 {
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

    /// Returns true if the document has been as it was at a revision with this digest. Costs what has come since.
    pub(super) fn knows(&self, digest: u64, extent: Extent) -> bool {
        let now = self.extent();
        extent.nodes <= now.nodes && extent.text <= now.text && self.digest_at(extent) == digest
    }
}
