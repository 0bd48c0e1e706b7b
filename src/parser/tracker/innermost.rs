//! The path of the innermost open value, for errors. The tracker knows it if a pattern follows the value.

use alloc::string::String;

use super::{Frame, Tracker};
use crate::error::{ErrorKind, Fault};
use crate::path::{NodeId, ROOT, Segments, write_concrete};
use crate::tokenizer::Tokenizer;

/// The innermost open value, as the tokenizer knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenValues {
    /// The number of open containers.
    depth: usize,
    /// True if a string or atom is open.
    has_leaf: bool,
}

impl OpenValues {
    /// Returns the innermost open value at the place of a fault.
    #[cold]
    pub(crate) fn of(tokenizer: &Tokenizer, fault: &Fault) -> Self {
        Self { depth: tokenizer.nest().depth(), has_leaf: is_in_leaf(fault.kind, tokenizer.is_in_leaf()) }
    }
}

/// Returns true if an error is inside a string or atom. `is_open` says whether one seems to be open.
pub(crate) fn is_in_leaf(kind: ErrorKind, is_open: bool) -> bool {
    use ErrorKind::{
        Data, DepthLimit, DuplicateKey, InvalidLiteral, InvalidNumber, KeyLimit, NumberLimit, TrailingBytes,
        UnexpectedByte,
    };
    match kind {
        // The tokenizer may read these tokens in one step, without entering a state for them.
        InvalidNumber | InvalidLiteral | NumberLimit | Data => true,
        UnexpectedByte | TrailingBytes | DuplicateKey | KeyLimit | DepthLimit => false,
        _ => is_open,
    }
}

impl Tracker {
    /// Returns the concrete path of the innermost open value in the text of a level, if a pattern follows the value.
    /// Other values have no node of their own.
    pub(in crate::parser) fn known_path(&self, level: usize, open: OpenValues) -> Option<String> {
        let node = self.known_innermost(level, open)?;
        let mut path = String::new();
        // Writing to a string cannot fail.
        let _ = write_concrete(&mut path, &mut self.paths.segments_within_text(node));
        Some(path)
    }

    fn known_innermost(&self, level: usize, open: OpenValues) -> Option<NodeId> {
        if let Some(string) = self.entered.get(level) {
            return self.frames.get(string.frame).map(|frame| frame.node);
        }
        if self.leaf.is_some() {
            return Some(self.node);
        }
        let from = level.checked_sub(1).and_then(|outer| self.entered.get(outer)).map_or(0, |string| string.frame + 1);
        if self.frames.len() <= from {
            return Some(ROOT);
        }
        match open {
            OpenValues { depth: 1, has_leaf: false } => Some(ROOT),
            OpenValues { has_leaf: true, .. } => None,
            OpenValues { depth, .. } => {
                let is_known = |frame: &&Frame| frame.is_live || frame.is_selected;
                let innermost = self.frames.last().filter(|_| self.frames.len() == from + depth);
                innermost.filter(is_known).map(|frame| frame.node)
            }
        }
    }

    /// Returns the start and the path of the innermost open container that a pattern selects.
    pub(in crate::parser) fn open_match(&self) -> Option<(u64, Segments<'_>)> {
        let frame = self.frames.iter().rfind(|frame| frame.is_selected)?;
        Some((self.selected.last()?.start, self.paths.segments(frame.node)))
    }
}
