//! Open values of the tree, as they can be looked at from outside.

use super::{NOTHING, PartialValue, Tree};
use crate::tokenizer::ValueKind;

impl Tree {
    /// The key whose value does not show yet, or nothing.
    pub(crate) fn pending_key(&self) -> &str {
        self.text.get(self.shown as usize..).unwrap_or_default()
    }

    /// Returns true if the root, a container, has not ended.
    pub(crate) fn has_open_container(&self) -> bool {
        self.open != NOTHING
    }

    /// The open string, or the atom that is shown while it is open.
    pub(crate) fn open_leaf(&self) -> Option<PartialValue<'_>> {
        let last = self.nodes.len().checked_sub(1)? as u32;
        let leaf = PartialValue::new(self, last);
        // The root of a text that has failed is open again, whatever it is.
        let is_leaf = self.is_atom_shown() || leaf.kind() == ValueKind::String;
        (is_leaf && !leaf.is_complete()).then_some(leaf)
    }

    /// Returns true if an atom has begun and not ended.
    pub(crate) fn has_open_atom(&self) -> bool {
        self.has_open_atom
    }
}
