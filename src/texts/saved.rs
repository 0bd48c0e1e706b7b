//! Saved state of a stream of texts: the framer's state, and the parser of the open text.

use alloc::vec::Vec;

use super::{Documents, Framing};
use crate::parser::Parser;
use crate::saved::{self, Impossible, Kind, Owner, Reader, RestoreError, Writer};

impl Documents {
    /// Returns the stream's state between two chunks as bytes; see [`Parser::save`].
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
        saved::save(&Self::owner(self.framer.framing(), &self.parser), |out| self.save_body(out))
    }

    /// Restores a [saved](Self::save) stream. `parser` is a new parser with the patterns and options of the saved one.
    ///
    /// # Errors
    ///
    /// Fails like [`ParserBuilder::restore`](crate::ParserBuilder::restore), and with [`RestoreError::OtherChoices`] if
    /// the framing differs.
    pub fn restore(framing: Framing, parser: Parser, bytes: &[u8]) -> Result<Self, RestoreError> {
        let mut new = Self::new(framing, parser);
        saved::restore(&Self::owner(framing, &new.parser), bytes, |reader| new.restore_body(reader))?;
        Ok(new)
    }

    fn owner(framing: Framing, parser: &Parser) -> Owner {
        parser.owner(Kind::Documents).with_choice(framing as u64)
    }

    fn save_body(&self, out: &mut Writer<'_>) {
        self.framer.save(out);
        if self.framer.needs_reader() {
            self.parser.save_body(out);
        }
    }

    fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.framer.restore(reader)?;
        if self.framer.needs_reader() {
            self.parser.restore_body(reader)?;
        }
        self.framer.check(&self.parser, self.parser.is_open())
    }
}
