//! Reading a document some of whose strings are read inside.
//!
//! Only strict parsers whose patterns contain `|` use this file. A lenient parser reads such strings through its
//! translator instead, and other parsers pay nothing for the feature.

use super::engine::Engine;
use super::inner_text::DOCUMENT;
use super::token_sink::{Strings, TextPiece, TokenOutput};
use crate::error::Error;

impl Engine {
    /// Reads any chunk of an open text.
    #[inline(never)]
    pub(super) fn feed_through_strings(&mut self, chunk: &[u8], out: &mut dyn TokenOutput) -> Result<(), Error> {
        let Self { tokenizer, followers, retained, inner, .. } = self;
        tokenizer.return_string();
        out.begin_chunk();
        inner.release_kept(&followers.tracker);
        if retained.keeps_text() {
            retained.append(chunk, tokenizer.offset(), followers.tracker.has_open_match_in(DOCUMENT));
        }
        followers.tracker.begin_raw_chunk(b"", chunk, tokenizer.offset());
        let strings = Some(Strings { level: DOCUMENT, deeper: inner.texts() });
        let fed = out.read(TextPiece { bytes: Some(chunk), raw: 0..0, tokenizer, followers, retained, strings });
        if self.followers.has_work_after_chunks {
            self.end_chunk(fed.as_ref().err().map(|fault| fault.offset), out);
        }
        if self.followers.tracker.level() > DOCUMENT {
            // The text inside has to see the next pieces too.
            self.tokenizer.refuse_string_pieces();
        }
        fed.map_err(|fault| self.fail_in(chunk, self.tokenizer.offset(), fault))
    }
}
