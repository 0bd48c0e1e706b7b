//! Saved state of a parser: a text that leads to where it is, which is read once more.

use alloc::vec::Vec;

use super::jumps::Lead;
use super::lead;
use super::verdict::{self, Listed};
use super::{Impossible, Kind, Reader, RestoreError, Writer, replay};
use crate::parser::{Engine, Outcome, Parser, ParserBuilder, Retain};
use crate::pattern::PatternSet;
use crate::saved;
use crate::tokenizer::Place;

impl Parser {
    /// The parser's state as bytes, from which [`ParserBuilder::restore`] makes a parser that goes on as if nothing had
    /// happened, in another process or on another machine: same events, ids, offsets, errors, snapshots, and patches
    /// since a [`Revision`](crate::Revision) that was taken before.
    ///
    /// Between two chunks it may be called at any time. Events of the last chunk that have not been read are not part
    /// of the state.
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
    /// Linear in what is saved: a header of 26 bytes, a few bytes for each open container, the open key or number, the
    /// text that is [kept](Retain), the partial document if there are snapshots, and the keys of open objects if
    /// duplicates are rejected. Patterns and choices are not in it; whoever restores has to have them.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        saved::save(&self.owner(Kind::Parser), |out| self.save_body(out))
    }

    /// Writes everything but the header.
    pub(crate) fn save_body(&self, out: &mut Writer<'_>) {
        let Engine { retained, outcome, translator, .. } = &self.engine;
        let (outcome, stopped_by) = match outcome {
            Outcome::Open | Outcome::OpenOtherwise | Outcome::Stopped => (OPEN, None),
            Outcome::Finished => (FINISHED, None),
            Outcome::Failed(error) => (FAILED, Some(error)),
        };
        let keeps_all = retained.policy() == Retain::All;
        let is_plain = keeps_all && !self.engine.has_deviated();
        let lead = match outcome {
            _ if is_plain => Lead { ends_number: self.has_ended_number(outcome), ..Lead::default() },
            OPEN => lead::to_open(&self.engine),
            _ => lead::to_shown(&self.engine),
        };
        // What is kept is not in the lead if no more of it is kept, or if it ends before what is shown.
        let is_apart = keeps_all && !is_plain && self.engine.error().is_some();
        let form = if is_plain { PLAIN } else { JUMPING };
        out.byte(outcome << 2 | form << 1 | u8::from(lead.ends_number));
        if let Some(translator) = translator.as_deref() {
            verdict::save_deviations(translator.deviations(), out);
            if form == JUMPING {
                out.flag(translator.is_awake());
            }
            if form == JUMPING && outcome == OPEN {
                translator.place().into_iter().for_each(|byte| out.byte(byte));
            }
        }
        if let Some(error) = stopped_by {
            verdict::save_error(error, out);
        }
        if is_plain {
            return out.bytes(retained.bytes());
        }
        if is_apart {
            out.bytes(retained.bytes());
        }
        out.bytes(&lead.text);
        replay::save_jumps(&lead.jumps, out);
        if outcome != FAILED {
            replay::save_counters(&self.engine, out);
        }
        if let Some(raw) = self.engine.raw.as_ref().filter(|_| outcome == OPEN && self.engine.may_hold_raw()) {
            // Nothing of a comment is in the text that leads here.
            out.bytes(raw.held());
        }
    }

    /// Returns true if the text, all of which is kept, ends with a number that has ended.
    fn has_ended_number(&self, outcome: u8) -> bool {
        let Engine { tokenizer, followers, retained, .. } = &self.engine;
        let has_ended = match (outcome, &followers.tree) {
            (OPEN, _) => tokenizer.place() == Place::Done,
            (FAILED, Some(tree)) => !tree.has_open_atom() && tree.open_leaf().is_none(),
            _ => false,
        };
        has_ended && retained.bytes().last().is_some_and(u8::is_ascii_digit)
    }

    /// Reads what [`save_body`](Self::save_body) wrote into a parser that is new, or was reset.
    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let first = reader.byte()?;
        let (outcome, form, ends_number) = (first >> 2, first >> 1 & 1, first & 1 != 0);
        let policy = self.engine.retained.policy();
        let (listed, place) = self.restore_translator(reader, form == JUMPING, outcome == OPEN)?;
        let error = if outcome == FAILED { Some(verdict::restore_error(reader)?) } else { None };
        let (is_verdict, has_deviated) = (listed.first.is_some(), listed.count > 0);
        let has_error = is_verdict || outcome == FAILED;
        Impossible::unless(match form {
            PLAIN => policy == Retain::All && !has_deviated,
            _ => policy != Retain::All || has_deviated,
        })?;
        let is_apart = form == JUMPING && policy == Retain::All && has_error;
        let apart = if is_apart { Some(reader.bytes()?) } else { None };
        if is_verdict || is_apart {
            self.engine.retained.freeze();
            self.engine.inner.freeze();
        }
        let text = reader.bytes()?;
        if form == PLAIN {
            self.replay(text)?;
            // A parser that stops at the root may have left some of it.
            Impossible::unless(self.engine.tokenizer.offset() == text.len() as u64)?;
            if ends_number {
                // What follows any other number is kept.
                Impossible::unless(outcome == FAILED || self.engine.tokenizer.is_in_root_number())?;
                self.end_number()?;
            }
        } else {
            self.replay_jumping(text, reader, ends_number)?;
        }
        if let Some(translator) = &mut self.engine.translator {
            // Nothing in the text that leads there deviates.
            Impossible::unless(translator.deviations().count() == listed.count)?;
            if let Some(place) = place {
                Impossible::unless(translator.go_on(&mut self.engine.tokenizer, place))?;
                self.engine.retained.keep(translator.held());
            }
        }
        if form == JUMPING && outcome != FAILED {
            self.restore_counters(reader)?;
            // Deviations come before what is read next.
            let newest = self.engine.translator.as_deref().map_or(0, |translator| translator.deviations().newest());
            Impossible::unless(newest <= self.engine.tokenizer.offset() && self.has_counted_elements())?;
        }
        if form == JUMPING && outcome == OPEN && self.engine.may_hold_raw() {
            let (held, end) = (reader.bytes()?, self.engine.tokenizer.offset());
            Impossible::unless(self.engine.raw.as_mut().is_some_and(|raw| raw.restore_held(held, end)))?;
        }
        self.engine.mark_deviation();
        match (outcome, error) {
            (OPEN, _) => {}
            (FINISHED, _) => {
                self.finish_with(|_| {}).or_else(|error| Impossible::unless(self.engine.error() == Some(&error)))?;
                Impossible::unless(matches!(self.engine.outcome, Outcome::Finished))?;
            }
            (_, error) => {
                let error = error.ok_or(Impossible)?;
                Impossible::unless(form == JUMPING || error.offset() == text.len() as u64)?;
                self.engine.fail_again(error);
            }
        }
        if let Some(apart) = apart {
            // So no value that ends later has a text.
            Impossible::unless(outcome == FAILED || apart.len() as u64 <= self.engine.tokenizer.offset())?;
            self.engine.retained.set_frozen(apart);
        }
        Ok(())
    }

    /// Reads what a translator has gone past; returns it with the translator's place, if that does not come with the
    /// text.
    fn restore_translator(
        &mut self,
        reader: &mut Reader<'_>,
        is_jumping: bool,
        is_open: bool,
    ) -> Result<(Listed, Option<[u8; 3]>), Impossible> {
        let Engine { inner, outcome, raw, translator, .. } = &mut self.engine;
        let Some(translator) = translator.as_deref_mut() else { return Ok((Listed::default(), None)) };
        let listed = Listed::restore(reader, translator)?;
        listed.apply(translator.deviations_mut());
        if is_jumping && reader.flag()? {
            translator.wake_up();
        }
        // It sleeps until something deviates.
        Impossible::unless(translator.is_awake() || listed.count == 0)?;
        *outcome = Outcome::open(raw.is_some(), inner, Some(translator));
        let mut byte = || reader.byte();
        let place = if is_jumping && is_open { Some([byte()?, byte()?, byte()?]) } else { None };
        Ok((listed, place))
    }
}

impl ParserBuilder {
    /// A parser with these choices that goes on where a [saved](Parser::save) one was.
    ///
    /// The patterns and options must be those of the parser that was saved; otherwise this is an error. The bytes are
    /// treated as hostile: any bytes give a parser or an error, and memory is at most a small multiple of their length.
    /// But whoever can write them can make up what has been read, so protect them as you would protect the text.
    ///
    /// The new parser is independent, like a clone: it knows the [revisions](crate::Revision) that were given before it
    /// was saved, and no others but those of the same content.
    ///
    /// ```
    /// use jsonspigot::{Parser, PatternSet, RestoreError};
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
    /// let patch: Vec<String> = parser.patch_since(revision)?.iter().map(ToString::to_string).collect();
    /// assert_eq!(patch, [r#"{"op":"append","path":"/say","value":"lo"}"#]);
    ///
    /// let error = Parser::builder().restore(&patterns, &saved).unwrap_err();
    /// assert_eq!(error, RestoreError::OtherChoices);
    /// let error = builder.restore(&patterns, &saved[..20]).unwrap_err();
    /// assert_eq!(error, RestoreError::Cut);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Any [`RestoreError`](crate::RestoreError), depending on the bytes.
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

/// The bytes that stand for outcomes.
const OPEN: u8 = 0;
const FINISHED: u8 = 1;
const FAILED: u8 = 2;

/// The kind of text that follows: all that was read, or another one, with jumps. The lowest bit says that a number at
/// its end has ended.
const PLAIN: u8 = 0;
const JUMPING: u8 = 1;
