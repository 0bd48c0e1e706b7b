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
#[cfg(not(target_family = "wasm"))]
use crate::tokenizer::ShortChunk;
use crate::tokenizer::ascii_text;

impl Engine {
    /// A chunk begins that the short way reads.
    #[cfg(not(target_family = "wasm"))]
    #[inline(never)]
    pub(super) fn begin_short_chunk(&mut self, chunk: &[u8], short: ShortChunk<'_>, out: &mut dyn TokenOutput) {
        let at = self.tokenizer.offset();
        let is_plain = !self.retained.keeps_text() && !out.reads_later();
        if is_plain && self.followers.tracker.begin_short_raw_chunk(short, at) {
            self.tokenizer.return_string();
        } else {
            self.begin_chunk(chunk, out);
        }
    }

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
        let has_open = if is_plain && failed_at.is_none() && tracker.end_short_raw_chunk(out) {
            tracker.has_open_raw()
        } else {
            let held = self.translator.as_deref().map_or(&[][..], Translator::held);
            tracker.end_raw_chunk(failed_at, held, out)
        };
        if has_open {
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
    pub(super) fn take_refused_piece(&mut self, chunk: &[u8], out: &mut dyn TokenOutput) -> Option<Result<(), Error>> {
        if self.translator.is_some() || self.followers.tracker.level() > DOCUMENT {
            return None;
        }
        let start = self.tokenizer.offset();
        self.tokenizer.allow_string_pieces();
        let read =
            self.take_string_piece(chunk, |tracker, text, at| tracker.delta_in(DOCUMENT, text.as_str(), at, &mut *out));
        self.tokenizer.refuse_string_pieces();
        if read.is_some() {
            self.followers.tracker.pass_raw(ascii_text(chunk), start, out);
            self.followers.tracker.keep_path_of_next();
        }
        read
    }
}
