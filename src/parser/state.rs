//! A parser's state: the core that both doors drive, and its outcome, which is how far the text has come.

use super::engine::{Engine, Following};
use super::output::Output;
use super::retention::Retained;
use super::tracker::Tracker;
use crate::error::{Error, ErrorKind, Fault};
use crate::tokenizer::Tokenizer;

/// All of a parser but the door: what both doors drive.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) tokenizer: Tokenizer,
    pub(super) engine: Engine,
    pub(super) retained: Retained,
    pub(super) outcome: Outcome,
}

/// How far the text has come.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Open,
    Finished,
    Failed(Error),
}

impl Core {
    /// Takes in a chunk if it is a piece of the open string.
    #[inline]
    pub(super) fn take_string_piece(&mut self, chunk: &[u8]) -> bool {
        let is_piece = self.tokenizer.is_string_piece(chunk);
        if is_piece {
            if self.retained.keeps_text() {
                self.retained.append(chunk, self.tokenizer.offset(), self.engine.tracker.has_open_match());
            }
            self.tokenizer.take_string_piece(chunk);
        }
        is_piece
    }

    /// Tells the text of a piece to whoever follows the open string: this begins and ends no value, so nothing else has
    /// to know.
    // Always inlined, with its caller's closure: mostly it finds that nobody follows the string.
    #[inline(always)]
    pub(super) fn tell_string_piece(
        &mut self,
        piece: &[u8],
        tell: impl FnOnce(&mut Tracker, &str, u64),
    ) -> Result<(), Error> {
        if !self.tokenizer.is_string_followed() {
            return Ok(());
        }
        let Some((text, at)) = self.tokenizer.value_text(piece) else { return Ok(()) };
        tell(&mut self.engine.tracker, text, at);
        self.engine.grow(text, at).map_err(|fault| self.fail(&fault))
    }

    #[inline(never)]
    pub(super) fn feed_any<O: Output>(&mut self, chunk: &[u8], out: &mut O) -> Result<(), Error> {
        self.engine.tracker.release_paths();
        if !matches!(self.outcome, Outcome::Open) {
            return self.feed_closed(chunk);
        }
        if self.retained.keeps_text() {
            self.retained.append(chunk, self.tokenizer.offset(), self.engine.tracker.has_open_match());
        }
        let Self { tokenizer, engine, retained, .. } = self;
        let fed = tokenizer.feed(chunk, &mut Following { engine, retained, out });
        if let Some(first) = self.engine.deviations.first() {
            self.retained.freeze(first.offset());
        }
        fed.map_err(|fault| self.fail(&fault))
    }

    /// A chunk behind the end: nothing more is told.
    #[cold]
    fn feed_closed(&self, chunk: &[u8]) -> Result<(), Error> {
        match &self.outcome {
            Outcome::Failed(error) => Err(error.clone()),
            Outcome::Finished if !chunk.is_empty() => {
                let expected = "expected no bytes behind a finished text";
                Err(self.error(&Fault::new(ErrorKind::Finished, self.tokenizer.offset(), expected)))
            }
            Outcome::Finished | Outcome::Open => Ok(()),
        }
    }

    pub(super) fn finish<O: Output>(&mut self, out: &mut O) -> Result<(), Error> {
        match &self.outcome {
            Outcome::Failed(error) => return Err(error.clone()),
            Outcome::Finished => return Ok(()),
            Outcome::Open => {}
        }
        let Self { tokenizer, engine, retained, .. } = self;
        let finished = tokenizer.finish(&mut Following { engine, retained, out });
        finished.map_err(|fault| self.fail(&fault))?;
        if let Some(first) = self.engine.deviations.first().cloned() {
            return Err(self.fail_by(first));
        }
        self.outcome = Outcome::Finished;
        self.tokenizer.close();
        Ok(())
    }

    /// The text has failed: of several things that are wrong, by the first.
    #[cold]
    pub(super) fn fail(&mut self, fault: &Fault) -> Error {
        let error = self.engine.deviations.first().cloned().unwrap_or_else(|| self.error(fault));
        self.fail_by(error)
    }

    /// Remembers an error for good.
    #[cold]
    fn fail_by(&mut self, error: Error) -> Error {
        self.retained.truncate(error.offset());
        if let Some(document) = &mut self.engine.document {
            document.fail();
        }
        self.outcome = Outcome::Failed(error.clone());
        self.tokenizer.close();
        error
    }

    /// Adds to a fault what only the parser knows.
    pub(super) fn error(&self, fault: &Fault) -> Error {
        let (line, column) = self.tokenizer.line_and_column(fault.offset);
        Error::new(fault, line, column, &self.engine.path())
    }
}
