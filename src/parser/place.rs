//! The place of an error: the path of the innermost open value, as far as it is known.
//!
//! While all is well nobody keeps the path of what nobody follows. So on an error it is taken from whoever has it: the
//! partial document, the tracker, or else the kept text, which is read once more up to the error. Where nobody has it,
//! the error has no path rather than that of a value around it.

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
    /// The path of the innermost open value if a follower has it.
    pub(crate) fn known_path(&self, open: OpenValues) -> Option<String> {
        match &self.tree {
            Some(tree) => Some(tree_path(tree)),
            None => self.tracker.known_path(0, open),
        }
    }

    /// The same from the kept text, which is that of the document as it came.
    #[cold]
    pub(crate) fn path_in_text(&self, retained: &Retained, fault: &Fault) -> Option<String> {
        let (text, outer) = match (retained.whole(), self.tracker.open_match()) {
            (Some(text), _) => (text.get(..usize::try_from(fault.offset).ok()?)?, Vec::new()),
            // What comes after the beginning of a match is kept, however the text is cut.
            (None, Some((start, path))) => (retained.find(start..fault.offset)?.1, path.iter().collect()),
            (None, None) => return None,
        };
        // A number ends at a byte that is no part of it.
        let after: &[u8] = if fault.kind == ErrorKind::UnexpectedByte { b" " } else { b"" };
        Some(path_of_innermost_open([text, after], &outer))
    }
}

/// The concrete path of the innermost open value of a snapshot.
fn tree_path(tree: &Tree) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut tree.innermost());
    path
}
