//! Saved state of a parser: a text that leads to the state when it is read again.

use alloc::vec::Vec;

use super::access::{FAILED, OPEN};
use super::lead::{self, KEPT, LEVEL, MATCH, NEXT_INDEX, OFFSET};
use super::{FARTHEST, Impossible, Kind, Reader, RestoreError, Writer, restore_error, save_error};
use crate::error::Error;
use crate::parser::{DOCUMENT, Parser};
use crate::saved;
use crate::tokenizer::{Limits, Place};

impl Parser {
    /// Returns the parser's state as bytes. [`restore`](Self::restore) resumes from them as if nothing had happened, in
    /// another process or on another machine: with the same events, ids, offsets, errors, snapshots, and patches since
    /// an earlier [`Revision`](crate::Revision).
    /// It may be called between any two chunks. Events of the last chunk that have not been read are not part of the
    /// state.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, Retain};
    ///
    /// let patterns = PatternSet::new(["message"])?;
    /// let new = || Parser::builder().retain(Retain::Nothing).patterns(&patterns).build();
    /// let mut parser = new();
    /// parser.feed(r#"{"message": "Good mor"#).check()?;
    /// let saved = parser.save()?;
    /// assert!(saved.len() < 64);
    ///
    /// // Later, elsewhere.
    /// let mut parser = new().restore(&saved)?;
    /// let next = parser.feed(r#"ning"#).next().unwrap()?;
    /// assert_eq!(next.delta(), Some("ning"));
    /// assert_eq!(next.path.to_string(), "message");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRetained`](crate::ErrorKind::NotRetained) if the parser is [lenient](crate::ParserBuilder::lenient) and
    /// does not retain all its text, because only the original text leads to its state.
    /// [`Panicked`](crate::ErrorKind::Panicked) after a panic in a callback.
    ///
    /// # Cost
    ///
    /// Linear in the size of the state: a header of 26 bytes, a few bytes for each open container, the open key or
    /// number, the [retained](crate::Retain) text, the partial document if there are snapshots, and the keys of open
    /// objects if duplicates are rejected. Patterns and options are not saved; the program that restores the state must
    /// have them.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(Kind::Parser), |out| self.save_body(out))
    }

    /// Restores a [saved](Self::save) parser. This parser must be built with the same patterns and options; anything it
    /// has read is discarded.
    ///
    /// The bytes are treated as hostile: any bytes give a parser or an error, and memory use is at most a small
    /// multiple of their length. But anyone who can write a saved state can forge the parser's input, so protect it
    /// like the text itself.
    ///
    /// ```
    /// use jsonspigot::{Parser, RestoreError};
    ///
    /// let new = || Parser::default();
    /// let mut parser = new();
    /// parser.feed("[1, 2").check()?;
    /// let saved = parser.save()?;
    /// assert_eq!(new().restore(&saved)?.text()?, b"[1, 2");
    ///
    /// assert_eq!(new().restore(&saved[..20]).unwrap_err(), RestoreError::Cut);
    /// let other = Parser::builder().snapshots().build();
    /// let error = other.restore(&saved).unwrap_err();
    /// assert_eq!(error.to_string(), "other choices: the state was saved with different options");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`RestoreError`], depending on the bytes. The cost is linear in their length.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(Kind::Parser), bytes, |reader| self.restore_body(reader))?;
        Ok(self)
    }

    /// Writes everything but the header.
    pub(crate) fn save_body(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        self.check_savable()?;
        let (outcome, error) = self.outcome();
        out.byte(outcome | if self.has_ended_number() { AFTER_NUMBER } else { 0 });
        if let Some(error) = error {
            save_error(error, out);
        }
        if let Some(text) = self.original() {
            out.bytes(text);
            return Ok(());
        }
        lead::to(self).save(out);
        if outcome != FAILED {
            self.save_counters(out);
        }
        Ok(())
    }

    /// Restores the body written by [`save_body`](Self::save_body) into a new or reset parser.
    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let first = reader.byte()?;
        let (outcome, is_after_number) = (first & !AFTER_NUMBER, first & AFTER_NUMBER != 0);
        let error = if outcome == FAILED { Some(restore_error(reader)?) } else { None };
        let text = reader.bytes()?;
        if self.original().is_some() {
            let is_read = match self.replay(text) {
                // A parser that stops at the root may have left part of the text unread.
                Ok(()) => self.position() == text.len() as u64,
                // A lenient parser retains the byte at which it failed.
                Err(Impossible) => outcome == FAILED && self.is_lenient(),
            };
            Impossible::ensure(is_read)?;
        } else {
            let is_checked = self.replay_jumping(text, reader)?;
            if outcome != FAILED {
                Impossible::ensure(is_checked || !self.retains_match())?;
                self.restore_counters(reader)?;
            }
        }
        if is_after_number {
            self.end_number(outcome)?;
        }
        match error {
            None if outcome == OPEN => Ok(()),
            None => {
                let finished = self.finish_with(|_| {});
                finished.or_else(|error| Impossible::ensure(self.error() == Some(&error)))?;
                Impossible::ensure(self.outcome().0 == outcome)
            }
            Some(error) => self.restore_failed(error, text),
        }
    }

    /// Ends the number at the end of the text.
    fn end_number(&mut self, outcome: u8) -> Result<(), Impossible> {
        Impossible::ensure(self.original().is_some())?;
        if outcome == FAILED {
            Impossible::ensure(!self.is_lenient())?;
            // It may be a digit of a key.
            return if self.place() == Place::Atom { self.replay_blank() } else { Ok(()) };
        }
        Impossible::ensure(self.is_in_root_number())?;
        // The space ends the number and is not read.
        Impossible::ensure(self.feed_value_with(b" ", |_| {}) == Ok(0))
    }

    /// Reads a text again, without events.
    fn replay(&mut self, text: &[u8]) -> Result<(), Impossible> {
        self.feed_dyn(text, &mut |_| {}).map_err(|_| Impossible)
    }

    /// Reads a space, which may have been the one too many.
    fn replay_blank(&mut self) -> Result<(), Impossible> {
        let limits = self.limits();
        self.set_limits(Limits { blank: u64::MAX, ..limits });
        let read = self.replay(b" ");
        self.set_limits(limits);
        read
    }

    /// Reads a text with jumps. Returns true if all retained text was checked against the limits.
    fn replay_jumping(&mut self, text: &[u8], reader: &mut Reader<'_>) -> Result<bool, Impossible> {
        // The original text was within the limits, but this one may be longer, except for keys and numbers, and where
        // text is shown or retained. Values and keys in the omitted text are short.
        let limits = self.limits();
        let (key, number) = (limits.key.max(self.level(DOCUMENT).unused_key().len() as u64), limits.number.max(1));
        let within = Limits { total: u64::MAX, ..limits };
        let shown = Limits { blank: u64::MAX, ..within };
        let other = Limits { key, number, string: u64::MAX, ..shown };
        self.set_limits(if self.has_snapshots() { shown } else { other });
        let mut is_checked = false;
        let mut rest = text;
        for _ in 0..reader.count()? {
            let (piece, behind) = rest.split_at(reader.at_most(rest.len() as u64)? as usize);
            self.replay(piece)?;
            rest = behind;
            let kind = reader.number()?;
            let level = usize::try_from(kind >> LEVEL).map_err(|_| Impossible)?;
            match kind & ((1 << LEVEL) - 1) {
                OFFSET => self.set_offset(level, reader.at_most(limits.total.min(FARTHEST))?)?,
                MATCH => {
                    self.set_offset(level, reader.at_most(limits.total.min(FARTHEST))?)?;
                    self.set_next_match(reader.place()?)?;
                }
                NEXT_INDEX => self.set_next_index(reader.place()?)?,
                KEPT => {
                    Impossible::ensure(!self.retains_match())?;
                    self.set_limits(within);
                    is_checked = true;
                }
                _ => return Err(Impossible),
            }
        }
        self.replay(rest)?;
        self.set_limits(limits);
        Ok(is_checked)
    }
}

/// Added to the outcome if the text ends with a number that has ended.
const AFTER_NUMBER: u8 = 4;
