//! The parts of a parser that read its text.

use super::text::{DOCUMENT, Text};
use super::token_sink::TextPiece;
use super::tracker::Tracker;
use crate::tree::Tree;

/// Everything that reads the document: itself, the texts in its strings, and what follows their tokens.
pub(crate) struct Parts<'a> {
    pub(crate) document: &'a mut Text,
    pub(crate) inner: &'a mut [Text],
    pub(crate) tracker: &'a mut Tracker,
    pub(crate) tree: Option<&'a mut Tree>,
}

impl Parts<'_> {
    /// Begins a chunk: drops the text that no open match needs.
    pub(crate) fn release(&mut self) {
        let texts = core::iter::once(&mut *self.document).chain(self.inner.iter_mut());
        for (text, level) in texts.zip(DOCUMENT..) {
            text.kept.release(self.tracker.outermost_position(level));
        }
    }

    /// Returns strict JSON that is put in place of other text of the document.
    pub(crate) fn replacement<'p>(&'p mut self, bytes: &'p [u8]) -> TextPiece<'p> {
        TextPiece { is_replacement: true, ..self.piece(Some(bytes)) }
    }

    /// Returns the next piece of the document, or its end if `bytes` is `None`.
    pub(crate) fn piece<'p>(&'p mut self, bytes: Option<&'p [u8]>) -> TextPiece<'p> {
        let Self { document, inner, tracker, tree } = self;
        document.piece(bytes, tracker, tree.as_deref_mut(), DOCUMENT, inner)
    }
}
