//! The engine: the parser without the form in which its events are returned. It passes chunks to the tokenizer and the
//! tokenizer's tokens to the followers, keeps the text, and records the outcome: open, finished or failed.

use alloc::boxed::Box;

use super::error_path::innermost_path;
use super::output::Output;
use super::parts::Parts;
use super::raw::RawDeltas;
use super::text::{DOCUMENT, Text};
use super::token_sink::TokenOutput;
use super::tracker::Tracker;
use super::translator::{StrictReader, Translator};
use crate::error::{Error, ErrorKind, Fault};
use crate::tokenizer::Stops;
use crate::tree::Tree;

/// The parser without an output: the part that the iterator and the callback form both drive.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) document: Text,
    /// The texts inside strings that a pattern leads into, one for each level.
    pub(crate) inner: Box<[Text]>,
    pub(crate) tracker: Tracker,
    /// The partial document, if the parser was built with snapshots.
    // Boxed, because most parsers have none.
    pub(crate) tree: Option<Box<Tree>>,
    pub(crate) outcome: Outcome,
    /// Present if a pattern is raw, except while a chunk is read.
    pub(crate) raw: Option<Box<RawDeltas>>,
    /// The translator that continues where the strict reader stops, if there is one.
    pub(crate) translator: Option<Box<dyn Translator>>,
    /// True if the bytes after the root are left to the caller.
    pub(crate) stops_at_root: bool,
}

/// The state of the text so far.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Open,
    /// Open, and some strings are read inside, a pattern is raw, or a translator reads. A separate outcome, so that
    /// other texts pay for no extra branch.
    OpenSlow,
    /// Read to its end. The text is complete, unless it has a deviation that is not accepted.
    Finished,
    /// Failed with the error that stopped the parser. A deviation may have been found before it.
    Failed(Error),
}

impl Outcome {
    /// Returns the outcome of an open text.
    pub(crate) fn open(has_raw: bool, inner: &[Text], translator: Option<&dyn Translator>) -> Self {
        let is_translated = translator.is_some_and(Translator::is_awake);
        if !inner.is_empty() || has_raw || is_translated { Self::OpenSlow } else { Self::Open }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open | Self::OpenSlow)
    }
}

impl Engine {
    /// Reads a chunk if it is a piece of the open string, and passes its offset to `report`, which returns the piece's text
    /// if it has used it. Such a chunk begins and ends no value, so nothing else is affected. Returns `None` for any other
    /// chunk.
    // Always inlined, with its caller's closure: usually the string has no follower.
    #[inline(always)]
    pub(crate) fn take_string_piece<'c>(
        &mut self,
        chunk: &'c Stops<'_>,
        report: impl FnOnce(&mut Tracker, u64) -> Option<&'c str>,
    ) -> Option<Result<(), Error>> {
        let Self { document: Text { tokenizer, kept, .. }, tracker, tree, .. } = self;
        if !tokenizer.is_string_piece(chunk) {
            return None;
        }
        let at = tokenizer.offset();
        if kept.retains() {
            kept.append_piece(chunk.chunk(), tracker.has_open_match());
        }
        if !tokenizer.take_string_piece(chunk) {
            return Some(Ok(()));
        }
        let text = report(tracker, at);
        let grown = tree.as_mut().map_or(Ok(()), |tree| {
            let grown = tree.append(text.unwrap_or_else(|| chunk.plain_text()), at);
            tree.settle();
            grown
        });
        Some(grown.map_err(|fault| self.fail(&fault)))
    }

    /// Reads a chunk if it is a piece of the open string, and reports its text to `out`.
    #[inline(always)]
    pub(super) fn pass_string_piece(&mut self, chunk: &Stops<'_>, mut out: impl Output) -> Option<Result<(), Error>> {
        self.take_string_piece(chunk, |tracker, at| {
            let text = chunk.plain_text();
            tracker.delta(text, at, &mut out);
            Some(text)
        })
    }

    /// Reads any chunk.
    #[inline(never)]
    pub(crate) fn feed_any<O: TokenOutput>(&mut self, chunk: &mut Stops<'_>, out: &mut O) -> Result<(), Error> {
        self.tracker.release_event_paths();
        if !matches!(self.outcome, Outcome::Open) {
            return self.feed_slow(chunk, out.as_dyn());
        }
        if self.document.kept.keeps_matches() {
            self.document.kept.release(self.tracker.outermost_position(DOCUMENT));
        }
        let bytes = chunk.chunk();
        let Self { document, tracker, tree, .. } = self;
        let read = document.feed(chunk, tracker, tree.as_deref_mut(), out);
        self.settle_tree();
        read.or_else(|fault| self.stopped(fault, bytes, out.as_dyn()))
    }

    /// Reads a chunk up to the end of the root value. Returns the number of bytes read.
    pub(crate) fn feed_value<O: TokenOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<usize, Error> {
        self.document.tokenizer.stop_after_root(true);
        let fed = self.feed_windows(chunk, out);
        self.document.tokenizer.stop_after_root(self.stops_at_root);
        fed
    }

    fn feed_windows<O: TokenOutput>(&mut self, chunk: &[u8], out: &mut O) -> Result<usize, Error> {
        let start = self.document.tokenizer.offset();
        let mut taken = 0;
        // Translators and raw deltas look at the whole chunk first, and it is not known how much of it will be read. So
        // the chunk is read in windows that double: at most twice as much is looked at as is read, plus the first window.
        let mut window = 256;
        while taken < chunk.len() && !self.has_root_ended() {
            let rest = &chunk[taken..];
            self.feed_any(&mut Stops::of(&rest[..window.min(rest.len())]), out)?;
            taken = (self.document.tokenizer.offset() - start) as usize;
            window *= 2;
        }
        Ok(taken)
    }

    /// Ends a chunk in the partial document, if there is one, which may show the open atom.
    #[inline]
    pub(super) fn settle_tree(&mut self) {
        let Some(tree) = &mut self.tree else { return };
        if tree.shows_open_atoms()
            && let Some(text) = self.document.tokenizer.open_atom()
        {
            tree.show_open_atom(text);
        }
        tree.settle();
    }

    /// Sets whether reading stops at the root, from the beginning of a text on.
    pub(super) fn stop_at_root(&mut self, stops: bool) {
        self.stops_at_root = stops;
        self.document.tokenizer.stop_after_root(stops);
    }

    /// Reads a chunk on the slow path: with a translator, strings that are read inside or raw deltas, or after the end,
    /// where nothing more is reported.
    #[inline(never)]
    fn feed_slow(&mut self, chunk: &mut Stops<'_>, out: &mut dyn TokenOutput) -> Result<(), Error> {
        if matches!(self.outcome, Outcome::OpenSlow) {
            let read = match self.raw {
                Some(_) => self.feed_raw(chunk, out),
                None => self.feed_open(chunk.chunk(), out, None),
            };
            out.join_deltas(self.tracker.patterns());
            return read;
        }
        self.verdict()?;
        if chunk.chunk().is_empty() {
            return Ok(());
        }
        Err(self.error_of_call(ErrorKind::Finished, "expected no bytes after a finished text"))
    }

    /// Continues with the translator after the strict reader has stopped in a chunk. Fails if there is no translator.
    #[cold]
    #[inline(never)]
    fn stopped(&mut self, fault: Fault, chunk: &[u8], out: &mut dyn TokenOutput) -> Result<(), Error> {
        if self.translator.is_none() {
            return Err(self.fail(&fault));
        }
        self.outcome = Outcome::OpenSlow;
        self.feed_open(chunk, out, Some(fault))
    }

    /// Returns true if a translator keeps the text.
    pub(crate) fn is_translated(&self) -> bool {
        self.translator.as_deref().is_some_and(Translator::is_awake)
    }

    /// Marks the snapshot as incomplete if the text has a deviation that is not accepted, even if the root has closed.
    pub(crate) fn mark_deviation(&mut self) {
        if self.deviation().is_some()
            && let Some(tree) = &mut self.tree
        {
            tree.fail();
        }
    }

    /// Returns the translator, if there is one, the document, and the parts that read it.
    pub(super) fn parts<'a>(
        &'a mut self,
        out: &'a mut dyn TokenOutput,
    ) -> (Option<&'a mut (dyn Translator + 'static)>, &'a mut Text, Parts<'a>) {
        let Self { document, inner, tracker, tree, translator, .. } = self;
        (translator.as_deref_mut(), document, Parts { inner, tracker, tree: tree.as_deref_mut(), out })
    }

    /// Returns true if the root value has closed and nothing that may follow it has begun.
    pub(super) fn has_root_ended(&self) -> bool {
        self.document.tokenizer.is_done() && self.translator.as_deref().is_none_or(Translator::may_end)
    }

    /// Ends the text. No string is open at the end of a text, so none is read inside.
    pub(crate) fn finish<O: TokenOutput>(&mut self, out: &mut O) -> Result<(), Error> {
        if self.outcome.is_open() {
            let finished = match self.parts(out.as_dyn()) {
                (Some(translator), document, mut parts) => translator.finish(document, &mut parts),
                (None, document, mut parts) => parts.read(document, None, false),
            };
            finished.map_err(|fault| self.fail(&fault))?;
            self.end_text();
        }
        self.verdict()
    }

    fn end_text(&mut self) {
        self.mark_deviation();
        self.outcome = Outcome::Finished;
        self.document.tokenizer.close();
    }

    /// Returns the error of the text so far: the first one, unless a callback has panicked.
    pub(crate) fn error(&self) -> Option<&Error> {
        let stopped_by = self.stopped_by();
        let panicked = stopped_by.filter(|error| error.kind() == ErrorKind::Panicked);
        panicked.or(self.deviation()).or(stopped_by)
    }

    /// Returns the first deviation, unless deviations are accepted.
    pub(crate) fn deviation(&self) -> Option<&Error> {
        self.translator.as_deref()?.deviations().first()
    }

    /// Returns true if a translator has tolerated a deviation.
    pub(crate) fn has_deviated(&self) -> bool {
        self.translator.as_deref().is_some_and(|translator| !translator.deviations().is_empty())
    }

    /// Returns the error that stopped the parser. A deviation may have been found before it.
    pub(crate) fn stopped_by(&self) -> Option<&Error> {
        match &self.outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Open | Outcome::OpenSlow | Outcome::Finished => None,
        }
    }

    /// Returns the error of a text that is no longer open, if it has one.
    pub(super) fn final_error(&self) -> Option<&Error> {
        self.error().filter(|_| !self.outcome.is_open())
    }

    pub(super) fn verdict(&self) -> Result<(), Error> {
        self.final_error().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Fails the text permanently.
    #[cold]
    pub(super) fn fail(&mut self, fault: &Fault) -> Error {
        let stopped_by = self.locate(fault);
        let error = self.deviation().unwrap_or(&stopped_by).clone();
        self.fail_again(stopped_by);
        error
    }

    /// Puts the engine into the state of a text that failed with this error.
    pub(crate) fn fail_again(&mut self, stopped_by: Error) {
        // The bad byte is kept: it is read again, as it may also be a deviation.
        self.document.kept.truncate_original(stopped_by.offset() + 1);
        // A translator has kept nothing else.
        if !self.is_translated() {
            self.document.kept.truncate(stopped_by.offset());
        }
        if let Some(tree) = &mut self.tree {
            tree.fail();
        }
        self.document.tokenizer.close();
        self.outcome = Outcome::Failed(stopped_by);
    }

    /// Adds the line, the column and the path to a fault.
    fn locate(&self, fault: &Fault) -> Error {
        let (line, column) = self.document.tokenizer.line_and_column(fault.offset);
        let Self { document, tracker, tree, .. } = self;
        let path = innermost_path(document, tracker, tree.as_deref(), fault, !self.has_deviated());
        Error::new(fault, line, column, path.as_deref())
    }

    /// Returns an error about a call rather than a byte. Its position is after the last byte read, or where the text
    /// failed.
    #[cold]
    pub(super) fn error_of_call(&self, kind: ErrorKind, expected: &'static str) -> Error {
        match self.final_error() {
            // More lines may have arrived since then, so the position cannot be counted again.
            Some(error) => error.in_its_place(kind, expected),
            None => self.locate(&Fault::new(kind, self.document.tokenizer.offset(), expected)),
        }
    }
}
