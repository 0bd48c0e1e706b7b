//! The open values of the tree, for the parser and saved state.

use super::{NOTHING, PartialValue, Tree};
use crate::tokenizer::ValueKind;

impl Tree {
    /// Returns the key whose value is not shown yet, or an empty string.
    pub(crate) fn pending_key(&self) -> &str {
        self.text.get(self.shown as usize..).unwrap_or_default()
    }

    /// Returns true if the root is an open container.
    pub(crate) fn has_open_container(&self) -> bool {
        self.open != NOTHING
    }

    /// Returns the open string, or the open atom if it is shown.
    pub(crate) fn open_leaf(&self) -> Option<PartialValue<'_>> {
        let last = self.nodes.len().checked_sub(1)? as u32;
        let leaf = PartialValue::new(self, last);
        // The root of a failed text is open again, even if it is not a string or atom.
        let is_leaf = self.is_atom_shown() || leaf.kind() == ValueKind::String;
        (is_leaf && !leaf.is_complete()).then_some(leaf)
    }

    /// Returns true if an atom is open.
    pub(crate) fn has_open_atom(&self) -> bool {
        self.has_open_atom
    }
}
