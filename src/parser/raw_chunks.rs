//! Reading chunks out of which open values are reported as they come.
//!
//! Such a parser reads as any other. Only where a chunk begins and ends it does more, which `Followers` knows; and a piece
//! of a string, which others take without asking anybody, is refused while such a value is open, and read here.

use super::engine::Engine;
use super::inner_text::DOCUMENT;
use super::output::Output;
use crate::error::Error;

impl Engine {
    /// A chunk begins, or what is left of one.
    #[cold]
    pub(super) fn begin_raw_chunk(&mut self, chunk: &[u8], out: &mut dyn Output) {
        let (offset, is_first) = (self.tokenizer.offset(), out.begin_chunk());
        self.followers.tracker.begin_raw_chunk(b"", chunk, offset, is_first);
    }

    /// Reads a piece of the open string that is refused only because values are open which are reported as they come: it is
    /// new text of all of them.
    #[inline(never)]
    pub(super) fn take_refused_piece<O: Output + ?Sized>(
        &mut self,
        chunk: &[u8],
        out: &mut O,
    ) -> Option<Result<(), Error>> {
        if self.translator.is_some() || self.followers.tracker.level() > DOCUMENT {
            return None;
        }
        let start = self.tokenizer.offset();
        self.tokenizer.allow_string_pieces();
        let read =
            self.take_string_piece(chunk, |tracker, text, at| tracker.delta_in(DOCUMENT, text.as_str(), at, &mut *out));
        self.tokenizer.refuse_string_pieces();
        if read.is_some() {
            self.followers.tracker.pass_raw(chunk, start, out);
        }
        read
    }
}
