//! The translator's place between two chunks, as three bytes; and which strict readers it can stand in front of.

use super::state::{Lenient, Step};
use super::words;
use crate::error::DeviationKind;
use crate::tokenizer::{Place, State, Tokenizer};

/// The steps, by the byte that stands for them. A word's place and how much of it has come are the two bytes after it.
const STEPS: [Step; 12] = [
    Step::Strict,
    Step::Slash,
    Step::LineComment,
    Step::BlockComment,
    Step::BlockCommentStar,
    Step::NoneOrNan,
    Step::BareKey,
    Step::Mark(1),
    Step::Mark(2),
    Step::LoneLow(1),
    Step::LoneLow(2),
    Step::Word(0, 0),
];
const SINGLE_QUOTED: u8 = 0x80;

impl Lenient {
    pub(super) fn as_bytes(&self) -> [u8; 3] {
        let (step, word, matched) = match self.step {
            Step::Word(word, matched) => (Step::Word(0, 0), word, matched),
            step => (step, 0, 0),
        };
        let step = STEPS.iter().position(|known| *known == step).unwrap_or_default() as u8;
        [step | if self.is_single_quoted { SINGLE_QUOTED } else { 0 }, word, matched]
    }

    /// Returns whether this translator can be there, in front of a strict reader that has come so far.
    pub(super) fn set_place(&mut self, tokenizer: &Tokenizer, [step, word, matched]: [u8; 3]) -> bool {
        let Some(known) = STEPS.get(usize::from(step & !SINGLE_QUOTED)) else { return false };
        let was_idle = self.step == Step::Strict;
        self.is_single_quoted = step & SINGLE_QUOTED != 0;
        self.step = if let Step::Word(..) = known { Step::Word(word, matched) } else { *known };
        let read = match self.step {
            Step::Mark(read) => u64::from(read),
            Step::LoneLow(missing) => 6 - u64::from(missing),
            Step::Slash | Step::NoneOrNan => 1,
            _ => 0,
        };
        let Some(at) = tokenizer.offset().checked_sub(read) else { return false };
        self.at = at;
        let is_quoted = !self.is_single_quoted || self.allows(DeviationKind::SingleQuotes) && tokenizer.is_in_string();
        let may_sleep = self.step == Step::Strict && !self.is_single_quoted;
        was_idle && is_quoted && (self.is_awake || may_sleep) && self.is_possible(tokenizer)
    }

    fn allows(&self, kind: DeviationKind) -> bool {
        self.allowed.allows(kind)
    }

    fn is_possible(&self, tokenizer: &Tokenizer) -> bool {
        let (place, state) = (tokenizer.place(), tokenizer.state());
        let is_between = !matches!(place, Place::Key | Place::String | Place::Atom | Place::Closed);
        match self.step {
            Step::Strict => true,
            Step::Mark(_) => self.allows(DeviationKind::ByteOrderMark) && tokenizer.is_before_root() && self.at == 0,
            Step::Slash | Step::LineComment | Step::BlockComment | Step::BlockCommentStar => {
                self.allows(DeviationKind::Comments) && is_between
            }
            Step::NoneOrNan => {
                matches!(state, State::Value | State::FirstElement)
                    && (self.allows(DeviationKind::PythonLiterals) || self.allows(DeviationKind::NonFinite))
            }
            Step::Word(word, matched) => {
                words::may_have_matched(word, matched, self.allowed)
                    && words::text(word).is_some_and(|text| tokenizer.has_begun_literal(text))
            }
            Step::BareKey => {
                let begins_with_digit = tokenizer.open_key().starts_with(|first: char| first.is_ascii_digit());
                self.allows(DeviationKind::BareKeys)
                    && (place, state) == (Place::Key, State::String)
                    && !begins_with_digit
                    && tokenizer.open_key().bytes().all(words::is_of_name)
            }
            Step::LoneLow(_) => self.allows(DeviationKind::LoneSurrogates) && state == State::String && self.at > 0,
        }
    }
}
