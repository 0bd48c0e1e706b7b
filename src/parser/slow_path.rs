//! Feeds the parsers that need more than the tokenizer: parsers with a translator, with a pattern `outer | inner`, or
//! with a pattern `raw:…`.

use super::engine::Engine;
use super::inner_text::{DOCUMENT, Parts};
use super::raw::RawOutput;
use super::token_sink::{Strings, TextPiece, TokenOutput};
use super::translator::Translator;
use crate::error::{Error, Fault};
use crate::tokenizer::Stops;

impl Engine {
    /// Reads any chunk of an open text, or, after a fault, the rest of the chunk in which the strict reader stopped.
    pub(super) fn feed_open(
        &mut self,
        chunk: &[u8],
        out: &mut dyn TokenOutput,
        stopped_by: Option<Fault>,
    ) -> Result<(), Error> {
        let start = self.tokenizer.offset();
        let Self { tokenizer, followers, retained, inner, translator, .. } = self;
        let parts = Parts { tokenizer, followers, retained, inner };
        let read = parts.read(translator.as_deref_mut(), chunk, out, stopped_by);
        if self.followers.has_work_after_chunks {
            self.end_chunk();
        }
        self.mark_deviation();
        if self.followers.tracker.level() > DOCUMENT {
            // The inner text has to read the next pieces too.
            self.tokenizer.refuse_string_pieces();
        }
        read.map_err(|fault| self.fail_in(chunk, start, fault))
    }

    /// Reads any chunk of an open text, and reports raw deltas.
    #[inline(never)]
    pub(super) fn feed_raw(&mut self, chunk: &mut Stops<'_>, out: &mut dyn TokenOutput) -> Result<(), Error> {
        if let Some(read) = self.take_raw_piece(chunk, out) {
            return read;
        }
        let Some(mut raw) = self.raw.take() else { return Ok(()) };
        let held = self.translator.as_deref().map_or(&[][..], Translator::held);
        let bytes = raw.join(held, chunk.chunk());
        let at = self.tokenizer.offset().saturating_sub((bytes.len() - chunk.chunk().len()) as u64);
        let mut out = RawOutput::new(&mut raw, out, &bytes, at);
        let read = self.feed_open(chunk.chunk(), &mut out, None);
        match (self.stopped_by(), self.translator.as_deref()) {
            (Some(error), _) => out.end_at(error.offset()),
            (None, Some(translator)) => out.hold_back(translator.held()),
            (None, None) => {}
        }
        out.end_piece(&self.followers.tracker);
        if raw.has_open() {
            // The next pieces are new text of these values too.
            self.tokenizer.refuse_string_pieces();
        }
        self.raw = Some(raw);
        read
    }

    /// Reads a chunk if it is a piece of the open string that was refused only because of raw deltas.
    #[inline(always)]
    fn take_raw_piece(&mut self, chunk: &Stops<'_>, out: &mut dyn TokenOutput) -> Option<Result<(), Error>> {
        let is_refused = self.tokenizer.refuses_string_pieces() && self.translator.is_none();
        if !is_refused || self.followers.tracker.level() > DOCUMENT {
            return None;
        }
        let mut raw = self.raw.take_if(|raw| raw.has_open())?;
        let start = self.tokenizer.offset();
        self.tokenizer.allow_string_pieces();
        let read = self.take_string_piece(chunk, |tracker, text, at| {
            tracker.delta(text, at, &mut RawOutput::new(&mut raw, out, chunk.chunk(), at));
        });
        self.tokenizer.refuse_string_pieces();
        if read.is_some() {
            raw.pass(chunk.plain_text(), start, &self.followers.tracker, out);
        }
        self.raw = Some(raw);
        read
    }
}

impl Parts<'_> {
    /// Reads a chunk with the translator, if there is one.
    fn read(
        self,
        translator: Option<&mut (dyn Translator + 'static)>,
        chunk: &[u8],
        out: &mut dyn TokenOutput,
        stopped_by: Option<Fault>,
    ) -> Result<(), Fault> {
        if let Some(translator) = translator {
            return translator.feed(self, chunk, out, stopped_by);
        }
        let Self { tokenizer, followers, retained, inner } = self;
        inner.release_kept(&followers.tracker);
        if retained.keeps_text() {
            retained.append(chunk, tokenizer.offset(), followers.tracker.has_open_match_in(DOCUMENT));
        }
        let strings = Some(Strings { level: DOCUMENT, deeper: inner.texts() });
        out.read(&mut TextPiece { bytes: Some(chunk), raw: 0..0, tokenizer, followers, retained, strings })
    }
}
