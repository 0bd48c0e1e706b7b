//! Feeds the parsers that need more than the tokenizer: parsers with a translator, with a pattern `outer | inner`, or
//! with a pattern `raw:…`.

use super::engine::Engine;
use super::raw::RawOutput;
use super::text::DOCUMENT;
use super::token_sink::TokenOutput;
use super::translator::{StrictReader, Translator};
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
        let (translator, document, mut parts) = self.parts(out);
        if stopped_by.is_none() {
            document.kept.take_back(translator.as_deref().map_or(0, |translator| translator.held().len()));
            parts.release(document);
        }
        let read = match translator {
            Some(translator) => translator.feed(document, &mut parts, chunk, stopped_by),
            None => parts.read(document, Some(chunk), false),
        };
        self.settle_tree();
        self.mark_deviation();
        if self.tracker.level() > DOCUMENT {
            // The inner text has to read the next pieces too.
            self.document.tokenizer.refuse_string_pieces();
        }
        read.map_err(|fault| self.fail(&fault))
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
        let at = self.document.tokenizer.offset().saturating_sub((bytes.len() - chunk.chunk().len()) as u64);
        let mut out = RawOutput::new(&mut raw, out, &bytes, at);
        let read = self.feed_open(chunk.chunk(), &mut out, None);
        match (self.stopped_by(), self.translator.as_deref()) {
            (Some(error), _) => out.end_at(error.offset()),
            (None, Some(translator)) => out.hold_back(translator.held()),
            (None, None) => {}
        }
        out.end_piece(&self.tracker);
        if raw.has_open() {
            // The next pieces are new text of these values too.
            self.document.tokenizer.refuse_string_pieces();
        }
        self.raw = Some(raw);
        read
    }

    /// Reads a chunk if it is a piece of the open string that was refused only because of raw deltas.
    #[inline(always)]
    fn take_raw_piece(&mut self, chunk: &Stops<'_>, out: &mut dyn TokenOutput) -> Option<Result<(), Error>> {
        let is_refused = self.document.tokenizer.refuses_string_pieces() && self.translator.is_none();
        if !is_refused || self.tracker.level() > DOCUMENT {
            return None;
        }
        let mut raw = self.raw.take_if(|raw| raw.has_open())?;
        let at = self.document.tokenizer.offset();
        self.document.tokenizer.allow_string_pieces();
        let read = self.take_string_piece(chunk, |tracker, at| {
            let text = chunk.plain_text();
            tracker.delta(text, at, &mut RawOutput::new(&mut raw, out, chunk.chunk(), at));
            Some(text)
        });
        self.document.tokenizer.refuse_string_pieces();
        if read.is_some() {
            raw.pass(chunk.plain_text(), at, &self.tracker, out);
        }
        self.raw = Some(raw);
        read
    }
}
