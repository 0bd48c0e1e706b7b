//! The followers of a parser's tokens: the tracker and the document.

use alloc::boxed::Box;

use super::duplicate_keys::OpenKeys;
use super::tracker::Tracker;
use crate::error::Fault;
use crate::tree::Tree;

/// The followers of one parser's tokens.
#[derive(Clone, Debug)]
pub(crate) struct Followers {
    pub(crate) tracker: Tracker,
    /// The keys of the document's open objects, if duplicates are rejected.
    // Boxed, like the next field, because most parsers have none.
    pub(crate) open_keys: Option<Box<OpenKeys>>,
    /// The partial document, if the parser was built with snapshots.
    pub(crate) tree: Option<Box<Tree>>,
    /// True if there is work at the end of a chunk: for a document that shows open atoms, or a parser that stops at the
    /// root.
    pub(crate) has_work_after_chunks: bool,
}

impl Followers {
    pub(super) fn new(tracker: Tracker, open_keys: Option<Box<OpenKeys>>, tree: Option<Box<Tree>>) -> Self {
        let has_work_after_chunks = tree.as_deref().is_some_and(Tree::shows_open_atoms);
        Self { tracker, open_keys, tree, has_work_after_chunks }
    }

    pub(super) fn clear(&mut self) {
        self.tracker.reset();
        if let Some(keys) = &mut self.open_keys {
            keys.clear();
        }
        if let Some(tree) = &mut self.tree {
            tree.clear();
        }
    }

    /// Appends new text of the open string to the partial document.
    #[inline]
    pub(super) fn grow(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        match &mut self.tree {
            Some(tree) => tree.append(text, at),
            None => Ok(()),
        }
    }

    /// Adds the open atom, if there is one, to a partial document that shows open atoms.
    pub(super) fn show_open_atom(&mut self, text: Option<&str>) {
        let tree = self.tree.as_mut().filter(|tree| tree.shows_open_atoms());
        if let (Some(tree), Some(text)) = (tree, text) {
            tree.show_open_atom(text);
        }
    }
}
