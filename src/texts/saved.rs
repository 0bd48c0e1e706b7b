//! Saved state of a stream of texts: where it is between and in them, and the parser of the open one.

use alloc::vec::Vec;

use super::{Documents, Framing, State};
use crate::parser::Parser;
use crate::saved::{self, Impossible, Kind, Owner, Reader, RestoreError, Writer};

/// By their places in the declaration.
const STATES: [State; 7] = [
    State::Between,
    State::Blank,
    State::Open,
    State::AfterAtom,
    State::AfterAtomAndSlash,
    State::Refused,
    State::Closed,
];

impl Documents {
    /// The stream's state as bytes, between two chunks; see [`Parser::save`].
    ///
    /// ```
    /// use jsonspigot::{Documents, Framing, Parser, PatternSet};
    ///
    /// let new_parser = || Parser::new(&PatternSet::empty());
    /// let mut documents = Documents::new(Framing::Lines, new_parser());
    /// documents.feed("{\"a\": 1}\n{\"a\"").check()?;
    /// let saved = documents.save();
    ///
    /// let mut documents = Documents::restore(Framing::Lines, new_parser(), &saved)?;
    /// assert_eq!((documents.number(), documents.offset()), (1, 13));
    /// documents.feed(": 2}\n").check()?;
    /// assert_eq!(documents.number(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        saved::save(&Self::owner(self.framing, &self.parser), |out| self.save_body(out))
    }

    /// The stream that was [saved](Self::save). `parser` is a new one, with the patterns and choices of the one in it.
    ///
    /// # Errors
    ///
    /// As [`ParserBuilder::restore`](crate::ParserBuilder::restore); another framing is another choice.
    pub fn restore(framing: Framing, parser: Parser, bytes: &[u8]) -> Result<Self, RestoreError> {
        let mut new = Self::new(framing, parser);
        saved::restore(&Self::owner(framing, &new.parser), bytes, |reader| new.restore_body(reader))?;
        Ok(new)
    }

    fn owner(framing: Framing, parser: &Parser) -> Owner {
        parser.owner(Kind::Documents).with_choice(framing as u64)
    }

    fn save_body(&self, out: &mut Writer<'_>) {
        out.byte(self.state as u8);
        [self.number, self.start, self.offset].into_iter().for_each(|number| out.number(number));
        out.flag(self.is_atom);
        out.byte(self.last);
        if has_parser(self.state) {
            self.parser.save_body(out);
        }
    }

    fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state = reader.choice(&STATES)?;
        (self.number, self.start, self.offset) = (reader.place()?, reader.place()?, reader.place()?);
        self.is_atom = reader.flag()?;
        self.last = reader.byte()?;
        if has_parser(self.state) {
            self.parser.restore_body(reader)?;
        }
        let Self { parser, framing, .. } = &*self;
        let is_concatenated = *framing == Framing::Concatenated;
        let is_possible = match self.state {
            State::Between | State::Closed => true,
            State::Refused => !is_concatenated,
            State::Blank => !is_concatenated && parser.is_before_root(),
            State::Open => parser.is_open(),
            State::AfterAtom => is_concatenated && parser.is_open() && parser.has_root_ended(),
            State::AfterAtomAndSlash => {
                let after_slash = self.offset > 0 && parser.goes_past_comments();
                is_concatenated && parser.is_open() && parser.has_root_ended() && after_slash
            }
        };
        // Each text takes a byte at least, apart from the one that is refused for its first byte; and a slash that may
        // begin a comment is one more.
        let most = match self.state {
            State::Refused | State::Closed => Some(self.offset + 1),
            State::Between | State::Blank => Some(self.offset),
            State::Open | State::AfterAtom => self.offset.checked_sub(1),
            State::AfterAtomAndSlash => self.offset.checked_sub(2),
        };
        let is_in_stream = most.is_some_and(|most| self.number <= most) && self.start <= self.offset;
        let read = self.start + parser.offset();
        let is_in_document = match self.state {
            State::Between | State::Refused => true,
            State::Blank | State::Open | State::AfterAtom => read == self.offset,
            State::AfterAtomAndSlash => read + 1 == self.offset,
            // The parser has white space at most, or has ended.
            State::Closed => !parser.is_open() || parser.is_before_root() && read <= self.offset,
        };
        Impossible::unless(is_possible && is_in_stream && is_in_document)
    }
}

/// Returns true if something may still be asked of the parser, or fed to it.
fn has_parser(state: State) -> bool {
    !matches!(state, State::Between | State::Refused)
}
