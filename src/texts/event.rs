//! The events of a stream of JSON texts.

use crate::error::Error;
use crate::event::{CompleteValue, Event};
use crate::parser::Parser;

/// An event reported by [`Documents`](super::Documents).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DocumentEvent<'a> {
    /// Something became known about a value that a pattern selects; its offset counts from the document's first byte.
    Match {
        /// The document's number, from 0.
        document: u64,
        /// The event, as of a text alone.
        event: Event<'a>,
    },
    /// A document has ended, well or with an error.
    End(EndedDocument<'a>),
}

/// A document that has ended: its position and its outcome.
///
/// ```
/// use jsonspigot::{DocumentEvent, Documents, Framing, Parser, PatternSet};
/// #[derive(serde::Deserialize)]
/// struct Record {
///     id: u64,
/// }
///
/// let mut documents = Documents::new(Framing::Lines, Parser::new(&PatternSet::empty()));
/// let mut seen = Vec::new();
/// documents.feed_with("{\"id\": 1}\n{\"id\": tru}\n{\"id\": 3}\n", |event| {
///     if let DocumentEvent::End(ended) = event {
///         let id = ended.deserialize::<Record>().map(|record| record.id);
///         seen.push((ended.number(), ended.start(), id.map_err(|error| error.to_string())));
///     }
/// })?;
/// let error = "invalid literal: expected `true` at line 1 column 11 (byte 10) in id".to_owned();
/// assert_eq!(seen, [(0, 0, Ok(1)), (1, 10, Err(error)), (2, 22, Ok(3))]);
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EndedDocument<'a> {
    pub(super) number: u64,
    pub(super) start: u64,
    pub(super) parser: &'a Parser,
}

impl<'a> EndedDocument<'a> {
    /// The document's number, from 0; documents with errors are numbered too.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The offset in the stream of the document's first byte, white space at a line's beginning included. What events
    /// and errors call an offset counts from there.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the number of its bytes, white space included; after an error, how many there are before the bad one.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.parser.offset()
    }

    /// Returns its error, if there is one.
    #[must_use]
    pub fn error(&self) -> Option<&'a Error> {
        self.parser.error()
    }

    /// The complete value as it was spelt.
    ///
    /// # Errors
    ///
    /// Those of [`Parser::complete`].
    pub fn complete(&self) -> Result<CompleteValue<'a>, Error> {
        self.parser.complete()
    }

    /// The complete value, read strictly with serde_json.
    ///
    /// # Errors
    ///
    /// Those of [`Parser::deserialize`].
    pub fn deserialize<T: serde::Deserialize<'a>>(&self) -> Result<T, Error> {
        self.parser.deserialize()
    }

    /// The parser that has read it, for everything else: its last snapshot, its text, its deviations.
    #[must_use]
    pub fn parser(&self) -> &'a Parser {
        self.parser
    }
}
