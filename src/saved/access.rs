//! Access to a parser's fields for saving and restoring. No other file of this folder looks inside a parser.

use super::{Digest, Impossible, Kind, Owner, Reader, Writer};
use crate::error::{Error, ErrorKind};
use crate::parser::{
    DOCUMENT, DuplicateKeySets, Engine, FirstMatch, Outcome, Parser, Retain, Text, Tracker, Translator,
};
use crate::tokenizer::{Limits, Place, Progress, Tokenizer};
use crate::tree::Tree;

/// The outcomes open, finished and failed, as they are saved.
pub(super) const OPEN: u8 = 0;
pub(super) const FINISHED: u8 = 1;
pub(super) const FAILED: u8 = 2;

/// Saving.
impl Parser {
    /// Returns the owner of a state of this parser, or of a type that contains it.
    #[doc(hidden)]
    pub fn owner(&self, kind: Kind) -> Owner {
        Owner { kind, patterns: self.patterns().digest(), choices: self.choices() }
    }

    /// Returns the digest of the options, which does not depend on the machine's word size.
    #[doc(hidden)]
    pub fn choices(&self) -> Digest {
        let Engine { document, tree, translator, stops_at_root, .. } = &self.engine;
        let Limits { depth, key, string, number, blank, total } = *document.tokenizer.limits();
        let snapshots = tree.as_ref().map_or(0, |tree| 1 + u64::from(tree.shows_open_atoms()));
        let (leniency, accepts) = translator
            .as_deref()
            .map_or((0, false), |translator| (translator.allowed().bits(), translator.deviations().are_accepted()));
        // Each small option has its own bits.
        let small = document.kept.policy() as u64
            | u64::from(document.open_keys.is_some()) << 2
            | snapshots << 3
            | u64::from(accepts) << 5
            | u64::from(*stops_at_root) << 6
            | leniency << 8;
        [key, string, number, blank, total, small].into_iter().fold(Digest::new().with_size(depth), Digest::with)
    }

    /// Fails if this parser cannot be saved.
    pub(crate) fn check_savable(&self) -> Result<(), Error> {
        if let Some(error) = self.stopped_by().filter(|error| error.kind() == ErrorKind::Panicked) {
            return Err(error.clone());
        }
        if self.is_lenient() && self.original().is_none() {
            let expected = "expected a lenient parser that retains all of its text";
            return Err(self.error_of_call(ErrorKind::NotRetained, expected));
        }
        Ok(())
    }

    pub(super) fn outcome(&self) -> (u8, Option<&Error>) {
        match &self.engine.outcome {
            Outcome::Open | Outcome::OpenSlow => (OPEN, None),
            Outcome::Finished => (FINISHED, None),
            Outcome::Failed(error) => (FAILED, Some(error)),
        }
    }

    /// Returns the original text, if all of it is retained.
    pub(super) fn original(&self) -> Option<&[u8]> {
        self.engine.document.kept.original()
    }

    /// Returns true if the retained text ends with a number that was ended by a byte that is not retained: one left to
    /// the caller, or the bad byte. In the latter case the text may also end with a digit of a key.
    pub(super) fn has_ended_number(&self) -> bool {
        let has_ended = match (self.outcome().0, self.tree()) {
            // A comment may end with a digit too.
            (OPEN, _) => {
                self.place() == Place::Done && self.engine.translator.as_deref().is_none_or(Translator::is_idle)
            }
            // A lenient parser retains the bad byte.
            (FAILED, Some(tree)) => !self.is_lenient() && !tree.has_open_atom() && tree.open_leaf().is_none(),
            _ => false,
        };
        has_ended && self.original().and_then(<[u8]>::last).is_some_and(u8::is_ascii_digit)
    }

    /// Returns the text of a level.
    pub(super) fn level(&self, number: usize) -> Level<'_> {
        let Engine { document, inner, tracker, tree, .. } = &self.engine;
        let inner = number.checked_sub(1).and_then(|place| inner.get(place));
        let tree = if number == DOCUMENT { tree.as_deref() } else { None };
        let has_failed = inner.is_some_and(Text::has_failed);
        Level { parser: self, number, tracker, text: inner.unwrap_or(document), tree, has_failed }
    }

    /// Returns the levels whose texts are open.
    fn levels(&self) -> impl Iterator<Item = Level<'_>> {
        let levels = (0..=self.engine.tracker.level()).map(|number| self.level(number));
        levels.filter(|level| !level.has_failed)
    }

    /// Writes the counters of the open texts.
    pub(super) fn save_counters(&self, out: &mut Writer<'_>) {
        out.number(self.engine.tracker.next_match());
        for level in self.levels() {
            let Progress { offset, lines, line_start, len } = level.text.tokenizer.progress();
            out.number(lines);
            out.number(offset.saturating_sub(line_start));
            out.number(len);
        }
    }
}

/// The text of a level.
#[derive(Clone, Copy)]
pub(super) struct Level<'a> {
    pub(super) parser: &'a Parser,
    pub(super) number: usize,
    pub(super) tracker: &'a Tracker,
    pub(super) text: &'a Text,
    /// The partial document, if there is one and this is the document.
    pub(super) tree: Option<&'a Tree>,
    pub(super) has_failed: bool,
}

impl<'a> Level<'a> {
    /// Returns the retained text from the beginning of the outermost open match.
    pub(super) fn retained_from(self, outermost: u64) -> Option<&'a [u8]> {
        self.text.kept.text_from(outermost)
    }

    pub(super) fn tokenizer(self) -> &'a Tokenizer {
        &self.text.tokenizer
    }

    pub(super) fn keys(self) -> Option<&'a DuplicateKeySets> {
        self.text.open_keys.as_deref()
    }
}

/// Restoring.
impl Parser {
    pub(super) fn place(&self) -> Place {
        self.engine.document.tokenizer.place()
    }

    /// Returns the offset of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.engine.document.tokenizer.offset()
    }

    /// Restores the error of a parser after its text was read again.
    pub(super) fn restore_failed(&mut self, error: Error, text: &[u8]) -> Result<(), Impossible> {
        if self.is_lenient() && self.is_open() && error.offset() < self.position() {
            // The parser held back bytes until the text ended, and failed at the first of them.
            let _ = self.finish_with(|_| {});
        }
        let is_possible = match self.stopped_by() {
            Some(own) => own.offset() == error.offset(),
            None => self.original().is_none() || error.offset() == text.len() as u64,
        };
        Impossible::ensure(is_possible && error.kind() != ErrorKind::Panicked)?;
        self.engine.fail_again(error);
        Ok(())
    }

    pub(super) fn limits(&self) -> Limits {
        *self.engine.document.tokenizer.limits()
    }

    /// Sets the limits of all texts.
    pub(super) fn set_limits(&mut self, limits: Limits) {
        self.engine.document.tokenizer.set_limits(limits);
        // The text of a string that is shown is saved completely, and may have exceeded a limit.
        if self.tree().is_none() {
            self.engine.inner.iter_mut().for_each(|text| text.tokenizer.set_limits(limits));
        }
    }

    /// Returns true if the text of an open match is retained that may have been read without limits. The length of an
    /// open atom is among the counters, and shown text is always read within limits.
    pub(super) fn retains_match(&self) -> bool {
        let Engine { document, tracker, tree, .. } = &self.engine;
        let is_open = |open: FirstMatch| !open.kind.is_atom() && (tree.is_none() || open.level == DOCUMENT);
        document.kept.policy() == Retain::Matches && tracker.first_matches().any(is_open)
    }

    /// Returns true if the text of a level, or of one around it, is retained for an open match. Then nothing was left
    /// out of it, and it gives the right counters.
    fn is_retained(&self, level: usize) -> bool {
        let tracker = &self.engine.tracker;
        self.engine.document.kept.policy() == Retain::Matches
            && (0..=level).any(|level| tracker.has_open_match_in(level))
    }

    /// Fails unless all open selected values of a level began before `offset`.
    fn check_begun_before(&self, level: usize, offset: u64) -> Result<(), Impossible> {
        Impossible::ensure(self.engine.tracker.newest_start(level).is_none_or(|start| start < offset))
    }

    /// Returns an open text.
    fn open_text(&mut self, level: usize) -> Option<&mut Text> {
        let Engine { document, inner, .. } = &mut self.engine;
        if level == DOCUMENT {
            return Some(document);
        }
        inner.get_mut(level - 1).filter(|text| !text.has_failed())
    }

    /// Sets the offset of the next byte of a level's text.
    pub(super) fn set_offset(&mut self, level: usize, offset: u64) -> Result<(), Impossible> {
        let is_open = level <= self.engine.tracker.level();
        Impossible::ensure(is_open && !self.is_retained(level))?;
        self.check_begun_before(level, offset)?;
        let text = self.open_text(level).ok_or(Impossible)?;
        text.tokenizer.set_offset(offset)?;
        // The text read next is retained from here on.
        text.kept.begin_at(offset);
        Ok(())
    }

    /// Sets the id of the next match.
    pub(super) fn set_next_match(&mut self, next_match: u64) -> Result<(), Impossible> {
        let tracker = &self.engine.tracker;
        Impossible::ensure(next_match == tracker.next_match() || !self.is_retained(tracker.level()))?;
        self.engine.tracker.set_next_match(next_match)
    }

    /// Sets the index of the next element of the innermost array.
    pub(super) fn set_next_index(&mut self, next_index: u64) -> Result<(), Impossible> {
        let level = self.engine.tracker.level();
        // All elements of an array that is shown are read again; those of others are left out behind its bracket.
        let (is_retained, level) = (self.is_retained(level), self.level(level));
        Impossible::ensure(!is_retained && level.tree.is_none() && level.tokenizer().place() == Place::First)?;
        self.engine.tracker.set_next_index(next_index)
    }

    /// Reads the counters of the open texts.
    pub(super) fn restore_counters(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.set_next_match(reader.place()?)?;
        for number in 0..=self.engine.tracker.level() {
            let Some(Text { tokenizer, .. }) = self.open_text(number) else { continue };
            let offset = tokenizer.offset();
            let (lines, column, len) = (reader.place()?, reader.at_most(offset)?, reader.at_most(offset)?);
            tokenizer.resume(Progress { offset, lines, line_start: offset - column, len })?;
            self.check_begun_before(number, offset)?;
        }
        // The next index of an array without elements is 0.
        Impossible::ensure(self.levels().filter(|level| level.tokenizer().place() == Place::First).all(|level| {
            level.tracker.open_containers(level.number).last().is_none_or(|container| container.next_index == 0)
        }))
    }
}
