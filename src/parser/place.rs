//! Where an error is: the path of the innermost open value, as far as it is known.
//!
//! While all is well nobody keeps the path of what nobody follows. So on an error it is taken from whoever has it: the
//! partial document, the tracker, or else the kept text, which is read once more up to the error. Where nobody has it, the
//! error has no path rather than that of a value around it.

use alloc::string::String;
use alloc::vec::Vec;

use super::engine::Engine;
use super::followers::Followers;
use super::retention::Retained;
use super::tracker::Tracker;
use crate::document::Document;
use crate::error::{ErrorKind, Fault};
use crate::event::path_of_innermost_open;
use crate::path::write_concrete;
use crate::tokenizer::Tokenizer;

/// What the tokenizer knows of the innermost open value.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenValues {
    /// How many containers are open.
    pub(super) depth: usize,
    /// Whether a string or an atom is.
    pub(super) has_leaf: bool,
}

impl OpenValues {
    /// What is open where a fault is.
    pub(super) fn of(tokenizer: &Tokenizer, fault: &Fault) -> Self {
        use ErrorKind::{
            DepthLimit, DuplicateKey, InvalidLiteral, InvalidNumber, KeyLimit, NumberLimit, TrailingBytes,
        };
        let has_leaf = match fault.kind {
            // The tokenizer may have come to them in one step, and not have noted its state.
            InvalidNumber | InvalidLiteral | NumberLimit => true,
            ErrorKind::UnexpectedByte | TrailingBytes | DuplicateKey | KeyLimit | DepthLimit => false,
            _ => tokenizer.is_in_leaf(),
        };
        Self { depth: tokenizer.nest().depth(), has_leaf }
    }
}

impl Engine {
    /// The concrete path of the innermost open value where a fault is.
    #[cold]
    pub(super) fn path_of(&self, fault: &Fault) -> Option<String> {
        let open = OpenValues::of(&self.tokenizer, fault);
        let followers = &self.followers;
        followers.known_path(Some(open)).or_else(|| followers.path_in_text(&self.retained, fault))
    }
}

impl Followers {
    /// The path of the innermost open value if a follower has it; while a token is passed on, what is open is not asked.
    pub(super) fn known_path(&self, open: Option<OpenValues>) -> Option<String> {
        match &self.document {
            Some(document) => Some(document_path(document)),
            None => self.tracker.known_path(0, open),
        }
    }

    /// The same from the kept text, if all of it up to the fault is JSON.
    #[cold]
    pub(super) fn path_in_text(&self, retained: &Retained, fault: &Fault) -> Option<String> {
        if !self.deviations.is_empty() {
            return None;
        }
        let (text, outer) = match (retained.whole(), self.tracker.open_match()) {
            (Some(text), _) => (text.get(..usize::try_from(fault.offset).ok()?)?, Vec::new()),
            // What comes after the beginning of a match is kept, however the text is cut.
            (None, Some((start, path))) => (retained.slice(start..fault.offset)?, path.iter().collect()),
            (None, None) => return None,
        };
        Some(path_of_innermost_open(before_closed_atom(text, fault.kind), &outer))
    }
}

impl Tracker {
    /// The concrete path, within the text of a level, of the innermost open value there, if it is followed.
    pub(super) fn known_path(&self, level: usize, open: Option<OpenValues>) -> Option<String> {
        let node = self.known_innermost(level, open)?;
        let mut path = String::new();
        // Writing to a string cannot fail.
        let _ = write_concrete(&mut path, &mut self.paths().path(node).within_text());
        Some(path)
    }
}

/// The concrete path of the innermost open value of a snapshot.
fn document_path(document: &Document) -> String {
    let mut path = String::new();
    // Writing to a string cannot fail.
    let _ = write_concrete(&mut path, &mut document.innermost());
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
