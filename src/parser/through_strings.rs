//! Reading a document some of whose strings are read inside.
//!
//! Only parsers whose patterns have a `|` come here. They have a sink of their own, [`OuterSink`], so that all others pay
//! nothing, not even a test, for what they don't use.

use core::ops::Range;

use super::engine::Engine;
use super::followers::TokenSink;
use super::inner_text::{InnerTexts, Place};
use super::output::{LeveledOutput, Output};
use crate::error::{Deviation, Error, Fault};
use crate::tokenizer::{Interest, Sink, ValueKind};

/// The level of the document; the texts in its strings have level 1.
const DOCUMENT: usize = 0;

/// The followers of the document's tokens, and the texts in its strings.
struct OuterSink<'a, 'o> {
    outer: TokenSink<'a, dyn LeveledOutput + 'o>,
    inner: &'a mut InnerTexts,
}

impl Engine {
    /// Reads any chunk of an open text.
    #[inline(never)]
    pub(super) fn feed_through_strings(&mut self, chunk: &[u8], out: &mut dyn LeveledOutput) -> Result<(), Error> {
        let Self { tokenizer, followers, retained, inner: Some(inner), .. } = self else { return Ok(()) };
        out.begin_chunk();
        inner.release_kept(followers.tracker.level());
        if retained.keeps_text() {
            retained.append(chunk, tokenizer.offset(), followers.tracker.has_open_match_in_document());
        }
        let outer = TokenSink { followers, retained, out };
        let fed = tokenizer.feed(chunk, &mut (&mut OuterSink { outer, inner } as &mut dyn Sink));
        if self.followers.has_work_after_chunks {
            self.end_chunk();
        }
        if self.followers.tracker.level() > DOCUMENT {
            // The text inside has to see the next pieces too.
            self.tokenizer.refuse_string_pieces();
        }
        fed.map_err(|fault| self.fail_in(chunk, fault))
    }
}

impl OuterSink<'_, '_> {
    /// The followers, for an output whose levels they don't know.
    fn document(&mut self) -> TokenSink<'_, dyn Output + '_> {
        let TokenSink { followers, retained, out } = &mut self.outer;
        TokenSink { followers, retained, out: &mut **out }
    }

    /// Whether the open string is read inside.
    fn is_inside(&self) -> bool {
        self.outer.followers.tracker.level() > DOCUMENT
    }

    /// The place of the tokens of the text in the open string.
    fn inside(&mut self) -> (&mut InnerTexts, Place<'_>) {
        let has_deviated = self.outer.followers.deviations.first().is_some();
        let TokenSink { followers, out, .. } = &mut self.outer;
        let place = Place { level: DOCUMENT + 1, tracker: &mut followers.tracker, out: &mut **out, has_deviated };
        (self.inner, place)
    }
}

impl Sink for OuterSink<'_, '_> {
    fn begin_container(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.document().begin_container(kind, at)
    }

    fn end_container(&mut self, kind: ValueKind, end: u64) {
        self.document().end_container(kind, end);
    }

    fn key(&mut self, key: &str, quote: u64) -> Result<Interest, Fault> {
        self.document().key(key, quote)
    }

    fn begin_string(&mut self, at: u64) -> Result<Interest, Fault> {
        let interest = self.document().begin_string(at)?;
        if self.outer.followers.tracker.enter_string(at) {
            self.inner.begin();
            return Ok(Interest::Follow);
        }
        Ok(interest)
    }

    /// The string's own delta comes before what its text tells.
    fn text(&mut self, text: &str, at: u64) -> Result<(), Fault> {
        if !self.is_inside() {
            return self.document().text(text, at);
        }
        let TokenSink { followers, out, .. } = &mut self.outer;
        followers.tracker.delta_of_entered(DOCUMENT, text, at, &mut **out);
        followers.grow(text, at)?;
        let (inner, place) = self.inside();
        if let Some(inner) = inner.first() {
            inner.read(text, place);
        }
        Ok(())
    }

    /// What is shown for a deviation is read inside too: the text goes on as a person sees it.
    fn deviation(&mut self, fault: &Fault, deviation: Deviation) {
        self.document().deviation(fault, deviation);
    }

    fn rewrite(&mut self, range: Range<u64>, with: &str, chunk_at: u64) {
        self.document().rewrite(range, with, chunk_at);
    }

    fn drop_comma(&mut self, bracket: u64, chunk_at: u64) {
        self.document().drop_comma(bracket, chunk_at);
    }

    fn number_is_null(&mut self) {
        self.document().number_is_null();
    }

    /// The end of the text comes before that of the string.
    fn end_string(&mut self, end: u64) {
        if !self.is_inside() {
            return self.document().end_string(end);
        }
        let (inner, place) = self.inside();
        if let Some(inner) = inner.first() {
            inner.finish(place);
        }
        self.document().end_entered_string(end);
    }

    fn begin_atom(&mut self, kind: ValueKind, at: u64) -> Result<Interest, Fault> {
        self.document().begin_atom(kind, at)
    }

    fn end_atom(&mut self, text: &str, end: u64) -> Result<(), Fault> {
        self.document().end_atom(text, end)
    }
}
