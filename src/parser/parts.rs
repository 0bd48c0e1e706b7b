//! The parts of a parser that read its document.

use alloc::string::String;

use super::error_path::innermost_path;
use super::text::{DOCUMENT, Text};
use super::token_sink::{TextPiece, TokenOutput};
use super::tracker::Tracker;
use super::translator::StrictReader;
use crate::error::Fault;
use crate::tree::Tree;

/// Everything that reads the document: the texts in its strings, and what follows their tokens.
pub(crate) struct Parts<'a> {
    pub(super) inner: &'a mut [Text],
    pub(super) tracker: &'a mut Tracker,
    pub(super) tree: Option<&'a mut Tree>,
    pub(super) out: &'a mut dyn TokenOutput,
}

impl Parts<'_> {
    /// Begins a chunk: drops the text that no open match needs.
    pub(super) fn release(&mut self, document: &mut Text) {
        let texts = core::iter::once(document).chain(self.inner.iter_mut());
        for (text, level) in texts.zip(DOCUMENT..) {
            text.kept.release(self.tracker.outermost_position(level));
        }
    }
}

impl StrictReader for Parts<'_> {
    fn read(&mut self, document: &mut Text, piece: Option<&[u8]>, is_replacement: bool) -> Result<(), Fault> {
        let Self { inner, tracker, tree, out } = self;
        let piece = document.piece(piece, tracker, tree.as_deref_mut(), DOCUMENT, inner);
        out.read(&mut TextPiece { is_replacement, ..piece })
    }

    fn path(&mut self, document: &Text, fault: &Fault) -> Option<String> {
        innermost_path(document, self.tracker, self.tree.as_deref(), fault, true)
    }

    fn begin_null(&mut self) {
        self.tracker.leaf_is_null();
    }

    fn freeze(&mut self) {
        self.inner.iter_mut().for_each(|text| text.kept.freeze());
    }
}
