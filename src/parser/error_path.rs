//! The path of an error: the path of the innermost open value, if it is known.
//!
//! Paths of values that no pattern follows are not tracked. So on an error the path is taken from the partial document,
//! the tracker, or else the kept text, which is read once more up to the error. If none of them has it, the error has
//! no path rather than an outer value's.

use alloc::string::String;
use alloc::vec::Vec;

use super::retention::Retained;
use super::text::{DOCUMENT, Text};
use super::tracker::{OpenValues, Tracker};
use crate::error::{ErrorKind, Fault};
use crate::event::path_of_innermost_open;
use crate::path::write_concrete;
use crate::tree::Tree;

/// Returns the path of the document's innermost open value at a fault. `is_original` says whether the kept text is the
/// text as it arrived.
#[cold]
pub(crate) fn innermost_path(
    document: &Text,
    tracker: &Tracker,
    tree: Option<&Tree>,
    fault: &Fault,
    is_original: bool,
) -> Option<String> {
    if let Some(tree) = tree {
        return Some(tree_path(tree));
    }
    let known = tracker.known_path(DOCUMENT, OpenValues::of(&document.tokenizer, fault));
    known.or_else(|| if is_original { path_in_text(tracker, &document.kept, fault) } else { None })
}

/// Returns the path of the innermost open value from the kept text, which is read once more.
fn path_in_text(tracker: &Tracker, kept: &Retained, fault: &Fault) -> Option<String> {
    let (text, outer) = match (kept.whole(), tracker.open_match()) {
        (Some(text), _) => (text.get(..usize::try_from(fault.offset).ok()?)?, Vec::new()),
        // The text of an open match is kept, wherever the chunks are cut.
        (None, Some((start, segments))) => {
            let len = usize::try_from(fault.offset.checked_sub(start)?).ok()?;
            (kept.text_from(start)?.get(..len)?, segments.collect())
        }
        (None, None) => return None,
    };
    // A number ends at a byte that is not part of it.
    let is_between_tokens = matches!(fault.kind, ErrorKind::UnexpectedByte | ErrorKind::BlankLimit);
    let after: &[u8] = if is_between_tokens { b" " } else { b"" };
    Some(path_of_innermost_open([text, after], &outer))
}

/// Returns the concrete path of the innermost open value of a snapshot.
fn tree_path(tree: &Tree) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut tree.innermost());
    path
}
