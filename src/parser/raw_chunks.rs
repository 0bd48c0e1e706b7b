//! Reading chunks out of which open values are reported as they come.
//!
//! Such a parser reads as any other. Only where a chunk begins and ends it does more, which `Followers` knows. A piece
//! of a string is new text of all that is open: the string is lent, so that its pieces come even if nobody follows it.
//! If it is a key, or is itself reported, its pieces are refused, and read here.

use super::engine::Engine;
use super::inner_text::DOCUMENT;
use super::token_sink::TokenOutput;
use super::translator::Translator;
use crate::error::Error;
use crate::tokenizer::Stops;

impl Engine {
    /// A chunk begins, or what is left of one.
    #[inline(never)]
    pub(super) fn begin_raw_chunk(&mut self, chunk: &[u8], out: &mut dyn TokenOutput) {
        self.tokenizer.return_string();
        out.begin_chunk();
        self.followers.tracker.begin_raw_chunk(b"", chunk, self.tokenizer.offset());
    }

    /// A chunk ends, or the bad byte in it has come.
    #[inline(never)]
    pub(super) fn end_raw_chunk(&mut self, failed_at: Option<u64>, out: &mut dyn TokenOutput) {
        let tracker = &mut self.followers.tracker;
        let is_plain = self.translator.is_none() && tracker.level() == DOCUMENT;
        let held = self.translator.as_deref().map_or(&[][..], Translator::held);
        if tracker.end_raw_chunk(failed_at, held, out) {
            // The next pieces are new text of all that is open, too. Where the string itself is reported, there is more
            // to it.
            if !(is_plain && !tracker.has_leaf() && self.tokenizer.lend_string()) {
                tracker.keep_path_of_next();
                self.tokenizer.refuse_string_pieces();
            }
        }
    }

    /// Reads a piece of the open string that is refused only because values are open which are reported as they come:
    /// it is new text of all of them.
    #[inline(never)]
    pub(super) fn take_refused_piece(
        &mut self,
        chunk: &Stops<'_>,
        out: &mut dyn TokenOutput,
    ) -> Option<Result<(), Error>> {
        if self.translator.is_some() || self.followers.tracker.level() > DOCUMENT {
            return None;
        }
        let start = self.tokenizer.offset();
        self.tokenizer.allow_string_pieces();
        let read = self.take_string_piece(chunk, |tracker, _, text, at| {
            tracker.delta_in(DOCUMENT, text, at, &mut *out);
        });
        self.tokenizer.refuse_string_pieces();
        if read.is_some() {
            self.followers.tracker.pass_raw(chunk.plain_text(), start, out);
            self.followers.tracker.keep_path_of_next();
        }
        read
    }
}
