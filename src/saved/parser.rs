//! Saved state of a parser: a text that leads to where it is, which is read once more.

use alloc::vec::Vec;

use super::jumps::Lead;
use super::lead;
use super::verdict::{self, Listed};
use super::{Impossible, Kind, Reader, RestoreError, Writer, replay};
use crate::error::Leniency;
use crate::parser::{Engine, Outcome, Parser, ParserBuilder, Retain};
use crate::pattern::PatternSet;
use crate::saved;
use crate::tokenizer::Place;

impl Parser {
    /// The parser's state as bytes, from which [`ParserBuilder::restore`] makes a parser that goes on as if nothing had
    /// happened, in another process or on another machine: same events, ids, offsets, errors, snapshots, and patches since
    /// a [`Revision`](crate::Revision) that was taken before.
    ///
    /// Between two chunks it may be called at any time. Events of the last chunk that have not been read are not part of
    /// the state.
    ///
    /// ```
    /// use jsonspigot::{EventKind, Parser, PatternSet, Retain};
    ///
    /// let patterns = PatternSet::new(["message"])?;
    /// let builder = Parser::builder().retain(Retain::Nothing);
    /// let mut parser = builder.build(&patterns);
    /// parser.feed(r#"{"message": "Good mor"#).check()?;
    /// let saved = parser.save();
    /// assert!(saved.len() < 64);
    ///
    /// // Later, elsewhere.
    /// let mut parser = builder.restore(&patterns, &saved)?;
    /// let next = parser.feed(r#"ning"#).next().unwrap()?;
    /// assert!(matches!(next.kind, EventKind::Delta("ning")));
    /// assert_eq!(next.path.to_string(), "message");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Cost
    ///
    /// Linear in what is saved: a header of 26 bytes, a few bytes for each open container, the open key or number, the text
    /// that is [kept](Retain), the partial document if there are snapshots, and the keys of open objects if duplicates are
    /// rejected. Patterns and choices are not in it; whoever restores has to have them.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        saved::save(&self.owner(Kind::Parser), |out| self.save_body(out))
    }

    /// Writes everything but the header.
    pub(crate) fn save_body(&self, out: &mut Writer<'_>) {
        let Engine { tokenizer, followers, retained, outcome, .. } = &self.engine;
        let (outcome, stopped_by) = match outcome {
            Outcome::Open | Outcome::OpenWithStrings | Outcome::Stopped => (OPEN, None),
            Outcome::Finished | Outcome::Deviated => (FINISHED, None),
            Outcome::Failed(error) => (FAILED, Some(error)),
        };
        let keeps_all = retained.policy() == Retain::All;
        let is_plain = keeps_all && !retained.has_deviated();
        let lead = match outcome {
            _ if is_plain => Lead::default(),
            OPEN => lead::to_open(&self.engine),
            _ => lead::to_shown(&self.engine),
        };
        let form = match lead.rewritten {
            _ if is_plain && self.has_ended_number(outcome) => PLAIN_NUMBER,
            _ if is_plain => PLAIN,
            None => JUMPING,
            Some(_) => REWRITTEN,
        };
        out.byte(outcome << 2 | form);
        if tokenizer.leniency() != Leniency::NONE {
            verdict::save_deviations(&followers.deviations, out);
        }
        if let Some(error) = stopped_by {
            verdict::save_error(error, out);
        }
        if is_plain {
            return out.bytes(retained.bytes());
        }
        if form == JUMPING && keeps_all {
            out.bytes(retained.bytes());
        }
        out.bytes(&lead.text);
        if let Some((kept_at, token_at)) = lead.rewritten {
            out.number(kept_at as u64);
            out.number((token_at - kept_at) as u64);
        }
        replay::save_jumps(&lead.jumps, out);
        if outcome != FAILED {
            replay::save_counters(&self.engine, out);
        }
    }

    /// Whether a text that nothing has deviated in leads to where this parser is.
    #[cfg(feature = "envelope")]
    pub(crate) fn has_come_through(&self, text: &[u8]) -> bool {
        if self.engine.followers.deviations.first().is_some() {
            return true;
        }
        let mut again = self.clone();
        again.reset();
        let state = |parser: &Self| {
            let mut bytes = Vec::new();
            parser.save_body(&mut Writer::new(&mut bytes));
            bytes
        };
        again.feed_dyn(text, &mut |_| {}).is_ok() && state(&again) == state(self)
    }

    /// Whether the text, all of which is kept, ends with a number that has ended.
    fn has_ended_number(&self, outcome: u8) -> bool {
        let Engine { tokenizer, followers, retained, .. } = &self.engine;
        let has_ended = match (outcome, &followers.document) {
            (OPEN, _) => tokenizer.place() == Place::Done,
            (FAILED, Some(document)) => !document.has_open_atom() && document.open_leaf().is_none(),
            _ => false,
        };
        has_ended && retained.bytes().last().is_some_and(u8::is_ascii_digit)
    }

    /// Reads what [`save_body`](Self::save_body) wrote into a parser that is new, or was reset.
    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let first = reader.byte()?;
        let (outcome, form) = (first >> 2, first & 3);
        let is_lenient = self.engine.tokenizer.leniency() != Leniency::NONE;
        let listed = if is_lenient { Listed::restore(reader, &self.engine)? } else { Listed::default() };
        let error = if outcome == FAILED { Some(verdict::restore_error(reader)?) } else { None };
        // From a deviation on that is not accepted, no text is kept.
        let is_left = listed.first.is_some();
        let is_accepted = listed.count > 0 && !is_left;
        let policy = self.engine.retained.policy();
        Impossible::unless(match form {
            PLAIN | PLAIN_NUMBER => policy == Retain::All && !is_left,
            JUMPING => policy != Retain::All || is_left || is_accepted && outcome == FAILED,
            _ => policy != Retain::Nothing && is_accepted && outcome != FAILED,
        })?;
        let left = if form == JUMPING && policy == Retain::All { Some(reader.bytes()?) } else { None };
        listed.apply(&mut self.engine.followers.deviations);
        self.engine.followers.has_work_after_chunks |= listed.count > 0;
        if is_left || left.is_some() {
            self.engine.retained.set_frozen(&[]);
        }
        let text = reader.bytes()?;
        match form {
            PLAIN => self.replay(text)?,
            PLAIN_NUMBER => {
                self.replay(text)?;
                self.end_number(text.len() as u64)?;
            }
            JUMPING => self.replay_jumping(text, reader, outcome == FAILED)?,
            _ => self.replay_rewritten(text, reader)?,
        }
        Impossible::unless(listed.count > 0 || self.engine.followers.deviations.is_empty())?;
        listed.apply(&mut self.engine.followers.deviations);
        if let Some(document) = &mut self.engine.followers.document
            && is_left
            && self.engine.tokenizer.place() == Place::Done
        {
            document.fail();
        }
        match (outcome, error) {
            (OPEN, _) => {}
            (FINISHED, _) => {
                self.finish_with(|_| {}).or_else(|error| Impossible::unless(self.engine.error() == Some(&error)))?;
                Impossible::unless(matches!(self.engine.outcome, Outcome::Finished | Outcome::Deviated))?;
            }
            (_, error) => {
                let error = error.ok_or(Impossible)?;
                Impossible::unless(form == JUMPING || error.offset() == text.len() as u64)?;
                self.engine.fail_again(error);
            }
        }
        if let Some(left) = left {
            // So no value that ends later has a text.
            Impossible::unless(outcome == FAILED || left.len() as u64 <= self.engine.tokenizer.offset())?;
            self.engine.retained.set_frozen(left);
        }
        Ok(())
    }

    /// The number at the end of the text has ended, if there is one, and not only a digit of a key.
    fn end_number(&mut self, offset: u64) -> Result<(), Impossible> {
        if self.engine.tokenizer.place() != Place::Atom {
            return Ok(());
        }
        self.replay(b" ")?;
        self.engine.retained.truncate(offset);
        Impossible::unless(self.engine.tokenizer.jump(offset))
    }
}

impl ParserBuilder {
    /// A parser with these choices that goes on where a [saved](Parser::save) one was.
    ///
    /// The patterns and options must be those of the parser that was saved; otherwise this is an error. The bytes are
    /// treated as hostile: any bytes give a parser or an error, and memory is at most a small multiple of their length.
    /// But whoever can write them can make up what has been read, so protect them as you would protect the text.
    ///
    /// The new parser is independent, like a clone: it knows the [revisions](crate::Revision) that were given before it was
    /// saved, and no others but those of the same content.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, RestoreErrorKind};
    ///
    /// let builder = Parser::builder().snapshots();
    /// let patterns = PatternSet::empty();
    /// let mut parser = builder.build(&patterns);
    /// parser.feed(r#"{"say": "Hel"#).check()?;
    /// let revision = parser.revision();
    /// let saved = parser.save();
    ///
    /// let mut parser = builder.restore(&patterns, &saved)?;
    /// parser.feed("lo").check()?;
    /// let patch: Vec<String> = parser.patch_since(revision)?.map(|op| op.to_string()).collect();
    /// assert_eq!(patch, [r#"{"op":"append","path":"/say","value":"lo"}"#]);
    ///
    /// let error = Parser::builder().restore(&patterns, &saved).unwrap_err();
    /// assert_eq!(error.kind(), RestoreErrorKind::OtherChoices);
    /// let error = builder.restore(&patterns, &saved[..20]).unwrap_err();
    /// assert_eq!(error.kind(), RestoreErrorKind::Cut);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`RestoreErrorKind`](crate::RestoreErrorKind), depending on the bytes.
    ///
    /// # Cost
    ///
    /// Linear in the length of the bytes.
    pub fn restore(self, patterns: &PatternSet, bytes: &[u8]) -> Result<Parser, RestoreError> {
        let mut parser = self.build(patterns);
        saved::restore(&parser.owner(Kind::Parser), bytes, |reader| parser.restore_body(reader))?;
        Ok(parser)
    }
}

/// How outcomes are written.
const OPEN: u8 = 0;
const FINISHED: u8 = 1;
const FAILED: u8 = 2;

/// Whether what follows is all of the text, or all of it but what ends a number at its end, or another text, with jumps, or
/// one that is kept, with jumps.
const PLAIN: u8 = 0;
const PLAIN_NUMBER: u8 = 1;
const JUMPING: u8 = 2;
const REWRITTEN: u8 = 3;
