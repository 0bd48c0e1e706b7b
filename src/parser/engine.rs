//! The engine: everything of a parser except the form in which its events come out. It gives chunks to the tokenizer
//! and the tokenizer's tokens to the followers, keeps the text, and knows the outcome: open, finished or failed.

use alloc::boxed::Box;

use super::followers::Followers;
use super::inner_text::{InnerTexts, Parts};
use super::raw::RawDeltas;
use super::retention::Retained;
use super::token_sink::{TextPiece, TokenOutput, TokenSink};
use super::tracker::{OpenValues, Tracker};
use super::translator::Translator;
use crate::error::{DeviationKind, Error, ErrorKind, Fault};
use crate::tokenizer::{Stops, Tokenizer};

/// The parser without an output: the part that the iterator and the callback form both drive.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) followers: Followers,
    pub(crate) retained: Retained,
    pub(crate) outcome: Outcome,
    /// The texts inside strings that a pattern leads into.
    pub(crate) inner: InnerTexts,
    /// If a pattern is raw, but not while a chunk is read.
    pub(crate) raw: Option<Box<RawDeltas>>,
    /// The translator that reads on where the strict reader stops, if there is one.
    pub(crate) translator: Option<Box<dyn Translator>>,
    /// True if the bytes after the root are left to the caller.
    pub(crate) stops_at_root: bool,
}

/// The state of the text so far.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Open,
    /// Open, and some strings are read inside, a pattern is raw, or a translator reads. This is an outcome of its own so
    /// that a chunk of any other text takes no test more.
    OpenOtherwise,
    /// Open, but the root has ended, and nothing after it is read.
    Stopped,
    /// Read to its end: a complete text, unless it has deviated and that is not accepted.
    Finished,
    /// With what stopped the parser; a deviation may have come before it.
    Failed(Error),
}

impl Outcome {
    /// Before the end.
    pub(crate) fn open(has_raw: bool, inner: &InnerTexts, translator: Option<&dyn Translator>) -> Self {
        let is_translated = translator.is_some_and(Translator::is_awake);
        if !inner.is_empty() || has_raw || is_translated { Self::OpenOtherwise } else { Self::Open }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open | Self::OpenOtherwise | Self::Stopped)
    }
}

impl Engine {
    /// Reads a chunk if it is a piece of the open string, and passes its text to whatever follows the string: such a
    /// chunk begins and ends no value, so nothing else has to know. Returns `None` if it is anything else.
    // Always inlined, with its caller's closure: mostly it finds that nobody follows the string.
    #[inline(always)]
    pub(crate) fn take_string_piece(
        &mut self,
        chunk: &Stops<'_>,
        report: impl FnOnce(&mut Tracker, &str, u64),
    ) -> Option<Result<(), Error>> {
        let Self { tokenizer, followers, retained, .. } = self;
        if !tokenizer.is_string_piece(chunk) {
            return None;
        }
        let at = tokenizer.offset();
        if retained.retains() {
            retained.append_piece(chunk.chunk(), at, followers.tracker.has_open_match());
        }
        if !tokenizer.take_string_piece(chunk) {
            return Some(Ok(()));
        }
        let text = chunk.plain_text();
        report(&mut followers.tracker, text, at);
        Some(followers.grow(text, at).map_err(|fault| self.fail(&fault)))
    }

    /// Reads any chunk.
    // The two ways are functions of their own, so that a chunk of one byte pays no more than the question.
    #[inline(never)]
    pub(crate) fn feed_any<O: TokenOutput>(&mut self, chunk: &mut Stops<'_>, out: &mut O) -> Result<(), Error> {
        if self.followers.tracker.unpin_paths() {
            return self.feed_after_events(chunk, out);
        }
        self.feed_chunk(chunk, out)
    }

    /// Reads a chunk after one whose events' paths had to stay.
    #[inline(never)]
    fn feed_after_events<O: TokenOutput>(&mut self, chunk: &mut Stops<'_>, out: &mut O) -> Result<(), Error> {
        self.followers.tracker.compact_paths();
        self.feed_chunk(chunk, out)
    }

    #[inline(never)]
    fn feed_chunk<O: TokenOutput>(&mut self, chunk: &mut Stops<'_>, out: &mut O) -> Result<(), Error> {
        if !matches!(self.outcome, Outcome::Open) {
            return self.feed_otherwise(chunk, out.as_dyn());
        }
        self.keep(chunk.chunk());
        let fed = if cfg!(target_arch = "wasm32") {
            // A small module has the tokenizer and its followers once, as texts inside strings need them.
            out.as_dyn().read(&mut self.piece(Some(chunk.chunk())))
        } else {
            let Self { tokenizer, followers, retained, .. } = self;
            tokenizer.feed(chunk, &mut O::sink(TokenSink { followers, retained, out, strings: None }))
        };
        if self.followers.has_work_after_chunks {
            self.end_chunk();
        }
        fed.or_else(|fault| self.stopped(fault, chunk.chunk(), out.as_dyn()))
    }

    /// Keeps a chunk, or the rest of one, if that is wanted.
    #[inline]
    fn keep(&mut self, chunk: &[u8]) {
        if self.retained.keeps_text() {
            let has_open_match = self.followers.tracker.has_open_match();
            self.retained.append_unless_kept(chunk, self.tokenizer.offset(), has_open_match);
        }
    }

    /// Reads a chunk up to the end of the root value; returns how many bytes that took.
    pub(crate) fn feed_value<O: TokenOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<usize, Error> {
        self.tokenizer.stop_after_root(true);
        let fed = self.feed_windows(chunk, out);
        self.tokenizer.stop_after_root(self.stops_at_root);
        fed.inspect(|_| {
            if !self.is_translated() {
                self.retained.truncate(self.tokenizer.offset());
            }
        })
    }

    fn feed_windows<O: TokenOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<usize, Error> {
        let start = self.tokenizer.offset();
        let mut taken = 0;
        // Text is kept before it is read, and how much of the chunk will be read is not known. So it is read in
        // windows, short ones at first: then what is kept in vain is never longer than what is read, but for the first.
        let mut window = 256;
        while taken < chunk.len() && !self.has_root_ended() {
            let rest = &chunk[taken..];
            self.feed_any(&mut Stops::of(&rest[..window.min(rest.len())]), out)?;
            taken = (self.tokenizer.offset() - start) as usize;
            window *= 2;
        }
        Ok(taken)
    }

    /// Does the work of a few parsers at a chunk's end, decided by one test, so that the others pay for one only.
    #[cold]
    pub(super) fn end_chunk(&mut self) {
        if self.followers.tree.is_some() {
            self.followers.show_open_atom(self.tokenizer.open_atom());
        }
        if self.stops_at_root && self.has_root_ended() {
            if !self.is_translated() {
                // What was kept before it was read.
                self.retained.truncate(self.tokenizer.offset());
            }
            self.outcome = Outcome::Stopped;
        }
    }

    /// Sets that nothing is read past the root, from the beginning of a text on.
    pub(super) fn stop_at_root(&mut self, stops: bool) {
        self.stops_at_root = stops;
        self.tokenizer.stop_after_root(stops);
        self.followers.has_work_after_chunks |= stops;
    }

    /// A chunk of a text that a translator reads, or whose strings are read inside; or one after the end: nothing more
    /// is reported.
    #[inline(never)]
    fn feed_otherwise(&mut self, chunk: &mut Stops<'_>, out: &mut dyn TokenOutput) -> Result<(), Error> {
        if matches!(self.outcome, Outcome::OpenOtherwise) {
            if self.raw.is_some() {
                return self.feed_raw(chunk, out);
            }
            return self.feed_open(chunk.chunk(), out, None);
        }
        if matches!(self.outcome, Outcome::Stopped) {
            return Ok(());
        }
        self.verdict()?;
        if chunk.chunk().is_empty() {
            return Ok(());
        }
        Err(self.error_of_call(ErrorKind::Finished, "expected no bytes after a finished text"))
    }

    /// A piece of the document, no string of which is read inside; or its end.
    fn piece<'a>(&'a mut self, bytes: Option<&'a [u8]>) -> TextPiece<'a> {
        let Self { tokenizer, followers, retained, .. } = self;
        TextPiece { bytes, raw: 0..0, tokenizer, followers, retained, strings: None }
    }

    /// The strict reader has stopped in a chunk.
    #[cold]
    #[inline(never)]
    fn stopped(&mut self, fault: Fault, chunk: &[u8], out: &mut dyn TokenOutput) -> Result<(), Error> {
        if self.translator.is_none() {
            return Err(self.fail_in(chunk, self.tokenizer.offset(), fault));
        }
        self.outcome = Outcome::OpenOtherwise;
        self.feed_open(chunk, out, Some(fault))
    }

    /// Returns true if a translator has kept the text.
    pub(crate) fn is_translated(&self) -> bool {
        self.translator.as_deref().is_some_and(Translator::is_awake)
    }

    /// The root of a text that has deviated may have closed, but is not whole, unless that is accepted.
    pub(crate) fn mark_deviation(&mut self) {
        if self.deviation().is_some()
            && let Some(tree) = &mut self.followers.tree
        {
            tree.fail();
        }
    }

    /// The translator, and what it drives.
    fn translator(&mut self) -> Option<(&mut dyn Translator, Parts<'_>)> {
        let Self { tokenizer, followers, retained, inner, translator, .. } = self;
        Some((translator.as_deref_mut()?, Parts { tokenizer, followers, retained, inner }))
    }

    /// Returns true if the root value has closed, and what may follow it has not begun.
    pub(super) fn has_root_ended(&self) -> bool {
        self.tokenizer.is_done() && self.translator.as_deref().is_none_or(Translator::may_end)
    }

    /// No string is open at the end of a text, so none is read inside.
    pub(crate) fn finish<O: TokenOutput>(&mut self, out: &mut O) -> Result<(), Error> {
        if self.outcome.is_open() {
            let finished = if self.is_translated()
                && let Some((translator, parts)) = self.translator()
            {
                translator.finish(parts, out.as_dyn())
            } else {
                out.read(&mut self.piece(None))
            };
            finished.map_err(|fault| self.fail(&fault))?;
            self.end_text();
        }
        self.verdict()
    }

    fn end_text(&mut self) {
        self.mark_deviation();
        self.outcome = Outcome::Finished;
        self.tokenizer.close();
    }

    /// Returns the error of the text so far: the first one, if there are several.
    pub(crate) fn error(&self) -> Option<&Error> {
        self.deviation().or(self.stopped_by())
    }

    /// Returns the first deviation, unless deviations are accepted.
    pub(crate) fn deviation(&self) -> Option<&Error> {
        self.translator.as_deref()?.deviations().first()
    }

    /// Returns true if a translator has gone past anything.
    pub(crate) fn has_deviated(&self) -> bool {
        self.translator.as_deref().is_some_and(|translator| !translator.deviations().is_empty())
    }

    /// The error that ended the reading; a deviation may have come before it.
    pub(crate) fn stopped_by(&self) -> Option<&Error> {
        match &self.outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Open | Outcome::OpenOtherwise | Outcome::Stopped | Outcome::Finished => None,
        }
    }

    /// The same, once nothing more is read.
    pub(super) fn final_error(&self) -> Option<&Error> {
        self.error().filter(|_| !self.outcome.is_open())
    }

    pub(super) fn verdict(&self) -> Result<(), Error> {
        self.final_error().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The text has failed in a chunk that begins at an offset, for good.
    #[cold]
    pub(super) fn fail_in(&mut self, chunk: &[u8], start: u64, mut fault: Fault) -> Error {
        let is_first = fault.kind == ErrorKind::UnexpectedByte && self.tokenizer.is_before_root();
        let place = fault.offset.checked_sub(start).filter(|_| is_first);
        let first = place.and_then(|place| chunk.get(usize::try_from(place).ok()?));
        // A translator of marks has seen more of one, or the chunk's end, before it knows that it is none.
        let reads_marks = |translator: &dyn Translator| translator.allowed().allows(DeviationKind::ByteOrderMark);
        if let Some(&first) = first
            && !self.translator.as_deref().is_some_and(reads_marks)
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
        let error = self.deviation().unwrap_or(&stopped_by).clone();
        self.fail_again(stopped_by);
        error
    }

    /// The text has failed like this before.
    pub(crate) fn fail_again(&mut self, stopped_by: Error) {
        // The bad byte is read again, as it may also be a deviation.
        self.retained.truncate_original(stopped_by.offset() + 1);
        // A translator has kept nothing else.
        if !self.is_translated() {
            self.retained.truncate(stopped_by.offset());
        }
        if let Some(tree) = &mut self.followers.tree {
            tree.fail();
        }
        self.tokenizer.close();
        self.outcome = Outcome::Failed(stopped_by);
    }

    /// Adds what only the parser knows to a fault.
    fn locate(&self, fault: &Fault) -> Error {
        let (line, column) = self.tokenizer.line_and_column(fault.offset);
        let known = self.followers.known_path(OpenValues::of(&self.tokenizer, fault));
        let path = known.or_else(|| {
            let is_kept_as_it_came = !self.has_deviated();
            is_kept_as_it_came.then(|| self.followers.path_in_text(&self.retained, fault))?
        });
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

/// Names the thing that a text that is no JSON may be, by its first byte: no more is known of it, wherever it is cut.
fn instead_of_a_text(first: u8) -> Option<&'static str> {
    Some(match first {
        0xEF => "expected a value, and this may be a byte order mark",
        b'<' => "expected a value, and this may be HTML or XML",
        b'`' => "expected a value, and this may be a code fence",
        b'd' => "expected a value, and this may be `data:`, a line of server-sent events",
        _ => return None,
    })
}
