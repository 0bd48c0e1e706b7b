//! Atoms in the arena. They are added when they end or, if the builder asked for it, shown while they are still open: a
//! number as its longest prefix that is itself a number, a literal from its first letter on.
//!
//! A number's text only grows at its end, and so does its longest prefix that is a JSON number, which lacks at most the
//! signs, point and letter after the last digit. So an open atom is a node like an open string's: the last one, with
//! text to which the next chunk appends. It is shown at the end of a chunk, not byte by byte.
//!
//! A reader parses all of a number's text each time it grows, so the shown part of a long number grows by doubling.

use super::{NodeKind, Tree, too_large};
use crate::error::Fault;

impl NodeKind {
    /// Returns the kind of the atom with this text.
    #[inline]
    fn of_atom(text: &str) -> Self {
        match text {
            "null" => Self::Null,
            "false" => Self::False,
            "true" => Self::True,
            _ => Self::Number,
        }
    }
}

/// An open number longer than this grows by doubling. Numbers meant for people are shorter.
const GROWS_BY_DOUBLING: usize = 1024;

/// Returns the part of an open number that is shown. It depends only on the text, so every chunking shows the same.
fn stepped(text: &str) -> &str {
    let step = if text.len() <= GROWS_BY_DOUBLING { text.len() } else { 1 << text.len().ilog2() };
    text.get(..step).unwrap_or(text)
}

/// The [node limit](Tree::node_limit) while an open atom is shown. No value can follow before the atom ends.
const NO_NODES: u32 = 0;

impl Tree {
    #[inline]
    pub(crate) fn begin_atom(&mut self) {
        self.has_open_atom = true;
    }

    // Always inlined: each kind of sink calls it once. With a single kind, the compiler inlines it anyway.
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.has_open_atom = false;
        let kind = NodeKind::of_atom(text);
        let has_room = (self.nodes.len() as u32) < self.node_limit;
        if !has_room || kind == NodeKind::Number && text.len() > self.room() {
            return self.end_atom_in_its_place(text, end);
        }
        self.push_within_limit(kind);
        self.close_last();
        if kind == NodeKind::Number {
            self.text.push_str(text);
            self.shown = self.text.len() as u32;
        }
        Ok(())
    }

    /// Enables showing open atoms.
    pub(crate) fn with_open_atoms(self) -> Self {
        Self { shows_open_atoms: true, ..self }
    }

    /// Returns true if an atom that is open at the end of a chunk is shown.
    pub(crate) fn shows_open_atoms(&self) -> bool {
        self.shows_open_atoms
    }

    /// Shows the open atom. `text` is the part of a number that has arrived, or the whole text of a literal, which its
    /// first letter determines.
    pub(crate) fn show_open_atom(&mut self, text: &str) {
        self.show_atom(stepped(text));
    }

    fn show_atom(&mut self, text: &str) {
        let kind = NodeKind::of_atom(text);
        let known = self.known_of_number(kind, text).len();
        if !self.is_atom_shown() {
            // Without room nothing is shown. The end of the atom then reports the error.
            if kind == NodeKind::Number && known == 0 || self.push(kind, 0).is_err() {
                return;
            }
            self.node_limit = NO_NODES;
        }
        let new = text.get(self.atom_text_len()..known).unwrap_or_default();
        self.text.push_str(new);
        self.shown = self.text.len() as u32;
    }

    /// Ends an atom that is already shown, or one for which there is no room.
    #[cold]
    fn end_atom_in_its_place(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        if self.shows_open_atoms {
            self.show_atom(text);
        }
        let is_number = NodeKind::of_atom(text) == NodeKind::Number;
        if !self.is_atom_shown() || is_number && self.atom_text_len() < text.len() {
            return Err(too_large(end));
        }
        self.node_limit = self.limit;
        self.close_last();
        Ok(())
    }

    /// Returns true if the last node is an open atom.
    pub(super) fn is_atom_shown(&self) -> bool {
        self.node_limit == NO_NODES
    }

    /// Returns the length of the shown part of the open number.
    fn atom_text_len(&self) -> usize {
        if self.is_atom_shown() { self.text.len() - self.atom_text_start() } else { 0 }
    }

    /// Returns the position at which the text of the open atom begins, or would begin.
    fn atom_text_start(&self) -> usize {
        let shown = self.nodes.last().filter(|_| self.is_atom_shown());
        shown.map_or(self.text.len(), |node| node.text as usize)
    }

    /// Returns the longest prefix of a number that is itself a number and for which there is room. Empty for a literal,
    /// which has no text.
    fn known_of_number<'t>(&self, kind: NodeKind, text: &'t str) -> &'t str {
        if kind != NodeKind::Number {
            return "";
        }
        let room = self.limit as usize - self.atom_text_start();
        let fitting = text.get(..room).unwrap_or(text);
        // Constant time: at most two characters of a number are not followed by a digit.
        fitting.trim_end_matches(|character: char| !character.is_ascii_digit())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::super::PartialValue;
    use super::*;
    use crate::tokenizer::ValueKind;

    fn in_array(limit: u32) -> Tree {
        let mut tree = Tree::with_limit(limit).with_open_atoms();
        tree.begin_container(ValueKind::Array, 0).unwrap();
        tree.begin_atom();
        tree
    }

    /// Shows the text in two pieces or at once, after `digits` one-digit numbers that take up room; then ends it.
    fn shown(digits: usize, limit: u32, text: &str, cut: Option<usize>) -> (String, Option<u64>) {
        let mut tree = in_array(limit + digits as u32);
        for _ in 0..digits {
            tree.end_atom("7", 0).unwrap();
            tree.begin_atom();
        }
        if let Some(cut) = cut {
            tree.show_open_atom(&text[..cut]);
        }
        let fault = tree.end_atom(text, 77).err();
        let shown = tree.view().unwrap();
        assert_eq!(shown.index(digits).is_some_and(PartialValue::is_complete), fault.is_none());
        (shown.to_string().replace("7,", "").replace('7', ""), fault.map(|fault| fault.offset))
    }

    #[test]
    fn the_limit_bites_at_the_end_and_the_same_is_shown_for_every_cut() {
        let text = "-12.5e+20";
        for (limit, expected) in [(1, "[]"), (2, "[-1]"), (3, "[-12]"), (4, "[-12]"), (7, "[-12.5]"), (8, "[-12.5e+2]")]
        {
            for cut in core::iter::once(None).chain((1..text.len()).map(Some)) {
                for digits in 0..3 {
                    let shown = shown(digits, limit, text, cut);
                    assert_eq!(shown, (expected.to_string(), Some(77)), "{digits} {limit} {cut:?}");
                }
            }
        }
        for cut in 1..text.len() {
            assert_eq!(shown(0, 9, text, Some(cut)), ("[-12.5e+20]".to_string(), None));
        }
    }

    /// The shown part of a number that arrives digit by digit grows by doubling, and is complete at the end.
    #[test]
    fn a_long_number_grows_by_doubling() {
        let digits = "7".repeat(5000);
        let mut tree = in_array(10_000);
        let mut lengths = alloc::vec![0];
        for end in 1..=digits.len() {
            tree.show_open_atom(&digits[..end]);
            let shown = tree.atom_text_len();
            if lengths.last() != Some(&shown) {
                lengths.push(shown);
            }
        }
        let expected: alloc::vec::Vec<usize> = (0..=1024).chain([2048, 4096]).collect();
        assert_eq!(lengths, expected);
        tree.end_atom(&digits, 5001).unwrap();
        assert_eq!(tree.view().unwrap().to_string(), format!("[{digits}]"));
        // A step may end inside a fraction or exponent.
        for (text, known) in [(format!("{}.5", "1".repeat(1024)), 1024), (format!("{}e+5", "1".repeat(1023)), 1023)] {
            let mut tree = in_array(10_000);
            tree.show_open_atom(&text);
            assert_eq!(tree.atom_text_len(), known);
        }
    }

    #[test]
    fn too_many_nodes_are_an_error_at_the_atoms_end() {
        let mut tree = in_array(2);
        tree.show_open_atom("true");
        assert_eq!(tree.view().unwrap().to_string(), "[true]");
        tree.end_atom("true", 5).unwrap();
        tree.begin_atom();
        tree.show_open_atom("null");
        assert_eq!(tree.view().unwrap().to_string(), "[true]", "no room for it");
        assert_eq!(tree.end_atom("null", 10).unwrap_err().offset, 10);
    }
}
