//! Saved state of a stream of texts: the framer's state, and the parser of the open text.

use alloc::vec::Vec;

use super::Documents;
use crate::error::Error;
use crate::saved::{self, Kind, Owner, RestoreError};

impl Documents {
    /// Returns the stream's state between two chunks as bytes; see [`Parser::save`](crate::Parser::save).
    ///
    /// ```
    /// use jsonspigot::{Documents, Framing, Parser};
    ///
    /// let new = || Documents::new(Framing::Lines, Parser::default());
    /// let mut documents = new();
    /// documents.feed("{\"a\": 1}\n{\"a\"").check()?;
    /// let saved = documents.save()?;
    ///
    /// let mut documents = new().restore(&saved)?;
    /// assert_eq!((documents.number(), documents.offset()), (1, 13));
    /// documents.feed(": 2}\n").check()?;
    /// assert_eq!(documents.number(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::save`](crate::Parser::save), also between two texts.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(), |out| {
            self.framer.save(out);
            if self.framer.needs_reader() { self.parser.save_body(out) } else { self.parser.check_savable() }
        })
    }

    /// Resumes where a [saved](Self::save) stream was. This one is new, with the same framing, and a parser with the
    /// same patterns and choices; what it has read is forgotten.
    ///
    /// # Errors
    ///
    /// As [`Parser::restore`](crate::Parser::restore); another framing is another choice.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(), bytes, |reader| {
            self.framer.restore(reader)?;
            if self.framer.needs_reader() {
                self.parser.restore_body(reader)?;
            }
            self.framer.check(&self.parser, self.parser.is_open())
        })?;
        Ok(self)
    }

    fn owner(&self) -> Owner {
        self.parser.owner(Kind::Documents).with_choice(self.framer.framing() as u64)
    }
}
