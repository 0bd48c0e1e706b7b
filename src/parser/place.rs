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
        Some(path_of_innermost_open(before_closed_atom(text, fault.kind), &outer))
    }
}

/// The concrete path of the innermost open value of a snapshot.
fn tree_path(tree: &Tree) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut tree.innermost());
    path
}

/// The text without an atom at its end that the fault has found closed: a literal that is whole, a number before a byte
/// that is no part of it. Inside quotes, what is left is still inside them.
fn before_closed_atom(text: &[u8], kind: ErrorKind) -> &[u8] {
    let literal = [&b"true"[..], b"false", b"null"].into_iter().find_map(|literal| text.strip_suffix(literal));
    let is_number = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let number = if kind == ErrorKind::UnexpectedByte { text.iter().rev().take_while(is_number).count() } else { 0 };
    literal.unwrap_or(&text[..text.len() - number])
}
