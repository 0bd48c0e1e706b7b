//! Saved state of a text that is inside a deviation.
//!
//! Where the deviation began is not saved: that follows from how far it has come.

use super::{Lenient, Step, Word, words};
use crate::error::{DeviationKind, Leniency};
use crate::saved::{Impossible, Reader, Writer};
use crate::tokenizer::saved::is_between;
use crate::tokenizer::{Position, State, Tokenizer};

impl Step {
    /// Those without a number, and those with one.
    const ALL: [Self; 11] = [
        Self::Slash,
        Self::LineComment,
        Self::BlockComment,
        Self::BlockCommentStar,
        Self::NoneOrNan,
        Self::Word,
        Self::BareKey,
        Self::Mark(1),
        Self::Mark(2),
        Self::LoneLow(1),
        Self::LoneLow(2),
    ];
}

impl Tokenizer {
    /// Writes what is only known of a text inside a deviation.
    #[cold]
    pub(in crate::tokenizer) fn save_lenient(&self, out: &mut Writer<'_>) {
        let Some(lenient) = &self.lenient else { return };
        out.byte(Step::ALL.iter().position(|step| *step == lenient.step).unwrap_or_default() as u8);
        match lenient.step {
            Step::Word => {
                lenient.word.save(out);
                out.flag(lenient.at + lenient.word.len() < self.offset);
            }
            Step::BareKey | Step::LoneLow(_) => self.save_string(out),
            _ => out.byte(self.interrupted as u8),
        }
    }

    #[cold]
    pub(in crate::tokenizer) fn restore_lenient(
        &mut self,
        reader: &mut Reader<'_>,
        allowed: Leniency,
    ) -> Result<(), Impossible> {
        let step = reader.choice(&Step::ALL)?;
        if !matches!(step, Step::Word | Step::BareKey | Step::LoneLow(_)) {
            self.interrupted = reader.choice(&State::ALL)?;
        }
        let mut lenient = Lenient { allowed, step, ..Lenient::default() };
        let begins_value = matches!(self.interrupted, State::Value | State::FirstElement);
        let is_possible = match step {
            Step::Mark(_) => {
                allowed.allows(DeviationKind::ByteOrderMark)
                    && self.interrupted == State::Value
                    && self.nest.depth() == 0
            }
            Step::Slash | Step::LineComment | Step::BlockComment | Step::BlockCommentStar => {
                allowed.allows(DeviationKind::Comments) && is_between(self.interrupted)
            }
            Step::NoneOrNan => {
                let is_allowed = |kind| allowed.allows(kind);
                begins_value && (is_allowed(DeviationKind::PythonLiterals) || is_allowed(DeviationKind::NonFinite))
            }
            Step::Word => true,
            Step::BareKey => allowed.allows(DeviationKind::BareKeys),
            Step::LoneLow(_) => allowed.allows(DeviationKind::LoneSurrogates),
        };
        Impossible::unless(is_possible)?;
        let read = match step {
            Step::Mark(read) => u64::from(read),
            Step::Slash | Step::NoneOrNan => 1,
            Step::LineComment => 1,
            Step::BlockComment => 2,
            Step::BlockCommentStar => 3,
            Step::Word => {
                lenient.word = Word::restore(reader, allowed)?;
                let has_sign = reader.flag()?;
                Impossible::unless(!has_sign || lenient.word.is_infinity())?;
                lenient.word.len() + u64::from(has_sign)
            }
            Step::BareKey => {
                self.restore_string(reader)?;
                let is_name = !self.scratch.is_empty() && self.scratch.bytes().all(words::is_of_name);
                let is_followed_name = is_name && !self.scratch.starts_with(|first: char| first.is_ascii_digit());
                Impossible::unless(self.string.is_key() && (self.scratch.is_empty() || is_followed_name))?;
                self.scratch.len().max(1) as u64
            }
            Step::LoneLow(missing) => {
                self.restore_string(reader)?;
                6 - u64::from(missing)
            }
        };
        lenient.at = self.offset.checked_sub(read).ok_or(Impossible)?;
        // A mark is at the beginning, and everything in a string after its quote.
        let is_at_place = match step {
            Step::Mark(_) => lenient.at == 0,
            Step::LoneLow(_) => lenient.at > 0,
            _ => true,
        };
        self.lenient = Some(alloc::boxed::Box::new(lenient));
        Impossible::unless(is_at_place)
    }

    /// What is open inside a deviation.
    #[cold]
    pub(in crate::tokenizer) fn lenient_position(&self) -> Position {
        let Some(lenient) = &self.lenient else { return Position::Between };
        match lenient.step {
            Step::Word => Position::Atom(lenient.word.kind()),
            Step::BareKey => Position::Key,
            Step::LoneLow(_) if self.string.is_key() => Position::Key,
            Step::LoneLow(_) => Position::String,
            _ => self.position_in(self.interrupted),
        }
    }

    #[cold]
    pub(in crate::tokenizer) fn is_in_bare_key(&self) -> bool {
        self.lenient.as_ref().is_some_and(|lenient| lenient.step == Step::BareKey)
    }

    /// Whether another one has come as far in the same deviation, or in the same beginning of one.
    #[cold]
    pub(in crate::tokenizer) fn is_in_same_deviation(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (&self.lenient, &other.lenient) else { return false };
        own.step == others.step
            && match own.step {
                // As far from its beginning, too: there may be a sign.
                Step::Word => own.word.is_at(others.word) && self.offset - own.at == other.offset - others.at,
                Step::BareKey | Step::LoneLow(_) => true,
                _ => self.interrupted == other.interrupted,
            }
    }

    /// Whether somebody follows the word.
    #[cold]
    pub(in crate::tokenizer) fn follow_word(&mut self, is_followed: bool) {
        if let Some(lenient) = &mut self.lenient {
            lenient.word.follow(is_followed);
        }
    }
}
