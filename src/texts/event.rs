//! The events of a stream of JSON texts.

use crate::error::Error;
use crate::event::{CompleteValue, Event};
use crate::parser::Parser;

/// An event reported by [`Documents`](super::Documents).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DocumentEvent<'a> {
    /// An event of a document's parser. Its offset counts from the document's first byte.
    Match {
        /// The document's number, from 0.
        document: u64,
        /// The parser's event.
        event: Event<'a>,
    },
    /// The end of a document, with or without an error.
    End(EndedDocument<'a>),
}

/// A document that has ended, with its position and its result.
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
    /// Returns the document's number, from 0. Documents with errors are numbered too.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the offset in the stream of the document's first byte, which may be white space at the start of a line.
    /// The offsets of events and errors count from there.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the document's length in bytes, white space included. After an error, it is the number of bytes before
    /// the bad one.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.parser.offset()
    }

    /// Returns the document's error, if there is one.
    #[must_use]
    pub fn error(&self) -> Option<&'a Error> {
        self.parser.error()
    }

    /// Returns the complete value with its original text.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::complete`].
    pub fn complete(&self) -> Result<CompleteValue<'a>, Error> {
        self.parser.complete()
    }

    /// Deserializes the complete value with serde_json.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::deserialize`].
    pub fn deserialize<T: serde::Deserialize<'a>>(&self) -> Result<T, Error> {
        self.parser.deserialize()
    }

    /// Returns the parser that has read the document, for its last snapshot, its text or its deviations.
    #[must_use]
    pub fn parser(&self) -> &'a Parser {
        self.parser
    }
}
