//! The path of an error: the path of the innermost open value, if it is known.
//!
//! Paths of values that no pattern follows are not tracked. So on an error the path is taken from the partial document,
//! the tracker, or else the kept text, which is read once more up to the error. If none of them has it, the error has
//! no path rather than an outer value's.

use alloc::string::String;
use alloc::vec::Vec;

use super::followers::Followers;
use super::retention::Retained;
use super::tracker::OpenValues;
use crate::error::{ErrorKind, Fault};
use crate::event::path_of_innermost_open;
use crate::path::write_concrete;
use crate::tree::Tree;

impl Followers {
    /// Returns the path of the innermost open value if a follower knows it.
    pub(crate) fn known_path(&self, open: OpenValues) -> Option<String> {
        match &self.tree {
            Some(tree) => Some(tree_path(tree)),
            None => self.tracker.known_path(0, open),
        }
    }

    /// Returns the path of the innermost open value from the kept text, which is the document's text as it arrived.
    #[cold]
    pub(crate) fn path_in_text(&self, retained: &Retained, fault: &Fault) -> Option<String> {
        let (text, outer) = match (retained.whole(), self.tracker.open_match()) {
            (Some(text), _) => (text.get(..usize::try_from(fault.offset).ok()?)?, Vec::new()),
            // The text of an open match is kept, wherever the chunks are cut.
            (None, Some((start, path))) => (retained.find(start..fault.offset)?.1, path.iter().collect()),
            (None, None) => return None,
        };
        // A number ends at a byte that is not part of it.
        let after: &[u8] = if fault.kind == ErrorKind::UnexpectedByte { b" " } else { b"" };
        Some(path_of_innermost_open([text, after], &outer))
    }
}

/// Returns the concrete path of the innermost open value of a snapshot.
fn tree_path(tree: &Tree) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut tree.innermost());
    path
}
