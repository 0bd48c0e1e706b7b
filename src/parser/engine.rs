//! The engine: everything of a parser except the form in which its events come out. It gives chunks to the tokenizer
//! and the tokenizer's tokens to the followers, keeps the text, and knows the outcome: open, finished or failed.

use alloc::boxed::Box;

use super::followers::{Followers, TokenSink};
use super::inner_text::InnerTexts;
use super::output::{LeveledOutput, Output};
use super::retention::Retained;
use super::tracker::{OpenValues, Tracker};
use crate::error::{DeviationKind, Error, ErrorKind, Fault};
#[cfg(target_arch = "wasm32")]
use crate::tokenizer::Sink;
use crate::tokenizer::{PieceText, StringPiece, Tokenizer};

/// What the iterator and the callback form both drive.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) followers: Followers,
    pub(crate) retained: Retained,
    pub(crate) outcome: Outcome,
    /// The texts inside strings, if a pattern leads into one.
    pub(crate) inner: Option<Box<InnerTexts>>,
    /// Whether the bytes after the root are left to the caller.
    pub(crate) stops_at_root: bool,
}

/// How far the text has come.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Open,
    /// Open, and some strings are read inside. This is an outcome of its own so that a chunk without such strings takes no
    /// test more.
    OpenWithStrings,
    /// Open, but the root has ended, and nothing after it is read.
    Stopped,
    Finished,
    /// Read to its end; a complete text, apart from its deviations, which are not accepted.
    Deviated,
    /// With what stopped the parser; a deviation may have come before it.
    Failed(Error),
}

impl Outcome {
    /// Before the end, for a parser that has texts inside strings or none.
    pub(super) fn open(inner: &Option<Box<InnerTexts>>) -> Self {
        if inner.is_some() { Self::OpenWithStrings } else { Self::Open }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open | Self::OpenWithStrings | Self::Stopped)
    }
}

impl Engine {
    /// Reads a chunk if it is a piece of the open string, and passes its text to whatever follows the string: such a
    /// chunk begins and ends no value, so nothing else has to know. Returns `None` if it is anything else.
    // Always inlined, with its caller's closure: mostly it finds that nobody follows the string.
    #[inline(always)]
    pub(super) fn take_string_piece(
        &mut self,
        chunk: &[u8],
        tell: impl FnOnce(&mut Tracker, PieceText<'_>, u64),
    ) -> Option<Result<(), Error>> {
        let Self { tokenizer, followers, retained, .. } = self;
        let piece = tokenizer.take_string_piece(chunk, |at| {
            if retained.keeps_text() {
                retained.append_piece(chunk, at, followers.tracker.has_open_match());
            }
        })?;
        let StringPiece::Text(text, at) = piece else { return Some(Ok(())) };
        tell(&mut self.followers.tracker, text, at);
        Some(self.followers.grow(text.as_str(), at).map_err(|fault| self.fail(&fault)))
    }

    /// Reads any chunk.
    #[inline(never)]
    pub(super) fn feed_any<O: LeveledOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<(), Error> {
        self.followers.tracker.release_paths();
        if !matches!(self.outcome, Outcome::Open) {
            return self.feed_otherwise(chunk, out);
        }
        if self.retained.keeps_text() {
            self.retained.append(chunk, self.tokenizer.offset(), self.followers.tracker.has_open_match());
        }
        let Self { tokenizer, followers, retained, .. } = self;
        // A small module has the tokenizer and its followers once, as texts inside strings need them.
        #[cfg(target_arch = "wasm32")]
        let out = out as &mut dyn Output;
        let sink = &mut TokenSink { followers, retained, out };
        #[cfg(target_arch = "wasm32")]
        let sink = &mut (sink as &mut dyn Sink);
        let fed = tokenizer.feed(chunk, sink);
        if self.followers.has_work_after_chunks {
            self.end_chunk();
        }
        fed.map_err(|fault| self.fail_in(chunk, fault))
    }

    /// Reads a chunk up to the end of the root value; returns how many bytes that took.
    pub(super) fn feed_value<O: LeveledOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<usize, Error> {
        self.tokenizer.stop_after_root(true);
        let fed = self.feed_windows(chunk, out);
        self.tokenizer.stop_after_root(false);
        fed.inspect(|_| self.retained.truncate(self.tokenizer.offset()))
    }

    fn feed_windows<O: LeveledOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<usize, Error> {
        let start = self.tokenizer.offset();
        let mut taken = 0;
        // Text is kept before it is read, and how much of the chunk will be read is not known. So it is read in windows,
        // short ones at first: then what is kept in vain is never longer than what is read, but for the first.
        let mut window = 256;
        while taken < chunk.len() && !self.tokenizer.is_done() {
            let rest = &chunk[taken..];
            self.feed_any(&rest[..window.min(rest.len())], out)?;
            taken = (self.tokenizer.offset() - start) as usize;
            window *= 2;
        }
        Ok(taken)
    }

    /// What only some parsers do at a chunk's end, or at the bad byte in it, decided by one test, so that the others pay
    /// for one only.
    #[cold]
    pub(super) fn end_chunk(&mut self) {
        self.retained.copy_to(u64::MAX);
        self.followers.end_chunk(self.tokenizer.open_atom());
        if self.stops_at_root && self.tokenizer.is_done() {
            // What was kept before it was read.
            self.retained.truncate(self.tokenizer.offset());
            self.outcome = Outcome::Stopped;
        }
    }

    /// Whether to read no further than the root, from the beginning of a text on.
    pub(super) fn stop_at_root(&mut self, stops: bool) {
        self.stops_at_root = stops;
        self.tokenizer.stop_after_root(stops);
        self.followers.has_work_after_chunks |= stops;
    }

    /// A chunk of a text whose strings are read inside; or one after the end: nothing more is told.
    #[inline(never)]
    fn feed_otherwise(&mut self, chunk: &[u8], out: &mut dyn LeveledOutput) -> Result<(), Error> {
        if matches!(self.outcome, Outcome::OpenWithStrings) {
            return self.feed_through_strings(chunk, out);
        }
        if matches!(self.outcome, Outcome::Stopped) {
            return Ok(());
        }
        self.verdict()?;
        if chunk.is_empty() {
            return Ok(());
        }
        Err(self.error_of_call(ErrorKind::Finished, "expected no bytes after a finished text"))
    }

    /// No string is open at the end of a text, so none is read inside.
    pub(super) fn finish<O: Output>(&mut self, out: &mut O) -> Result<(), Error> {
        if self.outcome.is_open() {
            let Self { tokenizer, followers, retained, .. } = self;
            #[cfg(target_arch = "wasm32")]
            let out = out as &mut dyn Output;
            let sink = &mut TokenSink { followers, retained, out };
            #[cfg(target_arch = "wasm32")]
            let sink = &mut (sink as &mut dyn Sink);
            let finished = tokenizer.finish(sink);
            finished.map_err(|fault| self.fail(&fault))?;
            if self.followers.has_work_after_chunks {
                self.followers.end_chunk(None);
            }
            self.outcome =
                if self.followers.deviations.first().is_none() { Outcome::Finished } else { Outcome::Deviated };
            self.tokenizer.close();
        }
        self.verdict()
    }

    /// What is wrong with the text so far: the first thing, if there are several.
    pub(crate) fn error(&self) -> Option<&Error> {
        self.followers.deviations.first().or(self.stopped_by())
    }

    pub(super) fn stopped_by(&self) -> Option<&Error> {
        match &self.outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Open | Outcome::OpenWithStrings | Outcome::Stopped | Outcome::Finished | Outcome::Deviated => None,
        }
    }

    /// The same, once nothing more is read.
    pub(super) fn final_error(&self) -> Option<&Error> {
        self.error().filter(|_| !self.outcome.is_open())
    }

    pub(super) fn verdict(&self) -> Result<(), Error> {
        self.final_error().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The text has failed in a chunk, for good.
    #[cold]
    pub(super) fn fail_in(&mut self, chunk: &[u8], mut fault: Fault) -> Error {
        let is_at_beginning = fault.kind == ErrorKind::UnexpectedByte && self.tokenizer.nest().depth() == 0;
        let place = fault.offset.checked_sub(self.tokenizer.offset()).filter(|_| is_at_beginning);
        let first = place.and_then(|place| chunk.get(usize::try_from(place).ok()?));
        // A lenient reader has seen more of the mark, or the chunk's end, before it knows that it is none.
        if let Some(&first) = first
            && !self.tokenizer.allows(DeviationKind::ByteOrderMark)
            && let Some(expected) = instead_of_a_text(first)
        {
            fault = Fault::new(fault.kind, fault.offset, expected);
        }
        self.fail(&fault)
    }

    /// The text has failed, for good.
    #[cold]
    pub(super) fn fail(&mut self, fault: &Fault) -> Error {
        let stopped_by = self.locate(fault);
        let error = self.followers.deviations.first().unwrap_or(&stopped_by).clone();
        self.fail_again(stopped_by);
        error
    }

    /// The text has failed like this before.
    pub(crate) fn fail_again(&mut self, stopped_by: Error) {
        self.retained.truncate(stopped_by.offset());
        if let Some(document) = &mut self.followers.document {
            document.fail();
        }
        self.tokenizer.close();
        self.outcome = Outcome::Failed(stopped_by);
    }

    /// Adds what only the parser knows to a fault.
    fn locate(&self, fault: &Fault) -> Error {
        let (line, column) = self.tokenizer.line_and_column(fault.offset);
        let known = self.followers.known_path(Some(OpenValues::of(&self.tokenizer, fault)));
        let path = known.or_else(|| self.followers.path_in_text(&self.retained, fault));
        Error::new(fault, line, column, path.as_deref())
    }

    /// An error about a call rather than a byte. Its place is that of the text: after the last byte that was read, or
    /// where the text failed.
    #[cold]
    pub(super) fn error_of_call(&self, kind: ErrorKind, expected: &'static str) -> Error {
        match self.final_error() {
            // More lines may have arrived since then, so its place can't be counted again.
            Some(error) => error.in_its_place(kind, expected),
            None => self.locate(&Fault::new(kind, self.tokenizer.offset(), expected)),
        }
    }
}

/// What a text that is no JSON may be, by its first byte: no more is known of it, wherever it is cut.
fn instead_of_a_text(first: u8) -> Option<&'static str> {
    Some(match first {
        0xEF => "expected a value, and this may be a byte order mark",
        b'<' => "expected a value, and this may be HTML or XML",
        b'd' => "expected a value, and this may be `data:`, a line of server-sent events",
        _ => return None,
    })
}
