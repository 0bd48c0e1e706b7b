//! Saved state of a rewriter: the parser's state, and the parts of the rewriter's own state that do not follow from it.
//!
//! The open containers, the parsed strings and the open rule's value follow from the tracker. Saved in addition are:
//! the number of matches of each rule, the bytes held back, whether they may be removed, the containers with a member that
//! was passed on, the document offset of each parsed string, and captured text.

use alloc::vec::Vec;

use super::rule::RuleKind;
use super::state::{Container, OpenRule, State, TextInside};
use super::{RewriteError, Rewriter};
use crate::error::Error;
use crate::saved::{self, Impossible, Kind, Owner, Reader, RestoreError, Writer};

impl Rewriter {
    /// Returns the rewriter's state as bytes, between two chunks; see [`Parser::save`](crate::Parser::save).
    ///
    /// ```
    /// use jsonspigot::{Rewriter, Rule};
    ///
    /// let new = || Rewriter::new([("..password", Rule::redact())]);
    /// let mut out = String::new();
    /// let mut rewriter = new()?;
    /// rewriter.write(r#"{"password": "hun"#, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// let saved = rewriter.save()?;
    ///
    /// // Later, elsewhere.
    /// let mut rewriter = new()?.restore(&saved)?;
    /// rewriter.write(r#"ter2"}"#, |bytes| out.push_str(str::from_utf8(bytes).unwrap()))?;
    /// assert_eq!(out, r#"{"password": "[redacted]"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// State inside the closures of rules is not saved.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Panicked`](crate::ErrorKind::Panicked) after a panic in a sink or a closure.
    ///
    /// # Cost
    ///
    /// Linear in the size of the state: a few bytes for each open container, and the bytes held back.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(Kind::Rewriter), |out| self.save_body(out))
    }

    /// Restores a [saved](Self::save) state into a rewriter with the same patterns, rules and choices. Anything this
    /// rewriter has read is forgotten.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::restore`](crate::Parser::restore). Different rules count as different choices; of closures,
    /// only the kind is compared.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(Kind::Rewriter), bytes, |reader| self.restore_body(reader))?;
        Ok(self)
    }

    /// Returns the owner of a state of this rewriter, or of a type that contains it.
    #[doc(hidden)]
    #[must_use]
    pub fn owner(&self, kind: Kind) -> Owner {
        self.rules.iter().fold(self.parser.owner(kind).with_choice(self.choices.held_limit), |owner, rule| Owner {
            choices: owner.choices.with_digest(rule.digest()),
            ..owner
        })
    }

    /// Writes everything but the header.
    pub(crate) fn save_body(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        let State { passed, held, undecided, containers, texts, open, matches, stopped_by, is_restored: _ } =
            &self.state;
        self.parser.save_body(out)?;
        matches.iter().for_each(|count| out.number(*count));
        let (outcome, offset) = match stopped_by {
            Some(RewriteError::HeldLimit { offset }) => (HELD_LIMIT, *offset),
            Some(RewriteError::NotJson { offset }) => (NOT_JSON, *offset),
            // The parser saves this error.
            Some(RewriteError::Text(_)) | None => (RUNNING, 0),
        };
        out.byte(outcome);
        if outcome != RUNNING || !self.parser.is_open() {
            out.number(offset);
            out.number(*passed);
            return Ok(());
        }
        out.bytes(held);
        out.flag(undecided.is_some());
        for container in containers.iter().filter(|container| **container != Container::Dead) {
            out.flag(*container == Container::HasMember);
        }
        for text in texts.iter().filter(|text| !text.has_failed) {
            out.number(self.parser.offset() - text.raw.end);
        }
        out.flag(open.as_ref().is_some_and(|open| open.match_id.is_none()));
        if let Some(text) = open.as_ref().and_then(|open| open.captured.as_ref()) {
            out.bytes(text);
        }
        Ok(())
    }

    /// Restores the body written by [`save_body`](Self::save_body) into a new or reset rewriter.
    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.parser.restore_body(reader)?;
        let offset = self.parser.offset();
        for count in &mut self.state.matches {
            *count = reader.at_most(offset)?;
        }
        let outcome = reader.byte()?;
        if outcome != RUNNING || !self.parser.is_open() {
            let at = reader.place()?;
            self.state.passed = reader.at_most(offset)?;
            self.state.stopped_by = match outcome {
                RUNNING => None,
                HELD_LIMIT => Some(RewriteError::HeldLimit { offset: at }),
                NOT_JSON => Some(RewriteError::NotJson { offset: at }),
                _ => return Err(Impossible),
            };
            return Impossible::ensure(outcome != RUNNING || at == 0);
        }
        let state = &mut self.state;
        state.is_restored = true;
        state.held = reader.bytes()?.to_vec();
        state.passed = offset.checked_sub(state.held.len() as u64).ok_or(Impossible)?;
        state.undecided = reader.flag()?.then_some(state.passed);

        let tracker = &self.parser.engine.tracker;
        let concerns = |pattern: usize, kind| self.rules.get(pattern).is_some_and(|rule| rule.concerns(kind));
        let open = tracker.first_matches().find(|first| concerns(first.pattern.index(), first.kind));
        if self.choices.removes {
            // Containers inside a rewritten value do not matter.
            let outside = open.map_or(usize::MAX, |open| open.containers);
            for is_live in tracker.live_containers().take(outside) {
                state.containers.push(match is_live {
                    false => Container::Dead,
                    true if reader.flag()? => Container::HasMember,
                    true => Container::Empty,
                });
            }
        }
        let mut decided = offset;
        for (containers, level) in tracker.containers_around_strings().zip(1..) {
            let inner = self.parser.engine.inner.get(level - 1).ok_or(Impossible)?;
            if !inner.has_failed() {
                let behind = reader.at_most(offset)?;
                // An inner text cannot be ahead of the outer text.
                Impossible::ensure(behind >= offset - decided)?;
                decided = offset - behind;
            }
            let read = inner.tokenizer.offset();
            let containers = containers.min(state.containers.len());
            let (raw, has_failed) = (decided..decided, inner.has_failed());
            state.texts.push(TextInside { inside: read..read, raw, containers, has_failed });
        }
        let has_failed = tracker.level().checked_sub(1).is_some_and(|outer| state.texts[outer].has_failed);
        let is_lost = reader.flag()?;
        Impossible::ensure(if open.is_some() { !is_lost } else { has_failed || !is_lost })?;
        if is_lost {
            state.open = Some(OpenRule::rest_of_string(tracker.level(), state.passed));
        } else if let Some(open) = open {
            let rule = open.pattern.index();
            let kind = self.rules.get(rule).map(|rule| &rule.kind);
            let captured = if matches!(kind, Some(RuleKind::Map(_))) { Some(reader.bytes()?.to_vec()) } else { None };
            let len = captured.as_ref().map_or(0, Vec::len) as u64;
            Impossible::ensure(len <= self.choices.held_limit)?;
            state.open = Some(OpenRule {
                match_id: Some(open.match_id),
                rule,
                start: state.passed.checked_sub(len).ok_or(Impossible)?,
                level: open.level,
                captured,
                is_text: matches!(kind, Some(RuleKind::MapText(_))),
            });
        }
        Impossible::ensure(match state.undecided {
            Some(from) => {
                let may_remove = matches!(state.containers.last(), Some(Container::Empty | Container::HasMember));
                may_remove && state.open.is_none() && from <= decided && decided - from <= self.choices.held_limit
            }
            None => state.passed == decided,
        })
    }
}

/// The bytes that encode outcomes.
const RUNNING: u8 = 0;
const HELD_LIMIT: u8 = 1;
const NOT_JSON: u8 = 2;
