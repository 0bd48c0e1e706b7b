//! Reading a stream of texts from `std::io::Read`, for programs with the standard library.

use std::collections::VecDeque;
use std::{error, fmt, io};

use serde::de::DeserializeOwned;

use super::{DocumentEvent, Documents};
use crate::error::{Error, read_chunk, read_chunks};

impl Documents {
    /// Reads to the end of input, calls `on_event` for each event, and [finishes](Self::finish) the stream; see
    /// [`Parser::read_with`](crate::Parser::read_with).
    ///
    /// # Errors
    ///
    /// Fails with an error of the reader, after which the stream can continue with another reader, or like
    /// [`feed_with`](Self::feed_with). A read that is interrupted is retried.
    pub fn read_with(&mut self, reader: impl io::Read, mut on_event: impl FnMut(DocumentEvent<'_>)) -> io::Result<()> {
        read_chunks(reader, |chunk| self.feed_with(chunk, &mut on_event))?;
        Ok(self.finish_with(on_event)?)
    }

    /// Returns an iterator over the values of all documents that a reader has: one item for each document, in order. With
    /// [`Framing::Lines`] and [`Framing::Sequence`] it continues after a document that has an error or is not a `T`.
    ///
    /// The message of a document's error has its number and [line](super::EndedDocument::line), and its
    /// [source](error::Error::source) is the [`Error`]. An error of the reader is returned as it is, and ends the
    /// iterator.
    ///
    /// ```
    /// use jsonspigot::{Documents, Framing, Parser};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Line { id: u64 }
    ///
    /// let file = std::io::Cursor::new("{\"id\": 1}\n\n{\"id\": tru}\n{\"id\": 3}\n");
    /// let documents = Documents::new(Framing::Lines, Parser::default());
    /// let (mut sum, mut bad) = (0, Vec::new());
    /// for line in documents.values::<Line, _>(file) {
    ///     match line {
    ///         Ok(line) => sum += line.id,
    ///         Err(error) => bad.push(error.to_string()),
    ///     }
    /// }
    /// assert_eq!(sum, 4);
    /// let message = "document 1, from line 3: invalid literal: expected `true` at line 1 column 11 (byte 10) in id";
    /// assert_eq!(bad, [message]);
    /// ```
    ///
    /// The parser must [retain](crate::Retain::All) the text, as it does by default.
    ///
    /// # Cost
    ///
    /// Linear in the stream. The values of one chunk of at most 64 KiB are held at a time.
    ///
    /// [`Framing::Lines`]: crate::Framing::Lines
    /// [`Framing::Sequence`]: crate::Framing::Sequence
    pub fn values<T: DeserializeOwned, R: io::Read>(self, reader: R) -> DocumentValues<T, R> {
        DocumentValues { documents: self, reader: Some(reader), buffer: Vec::new(), values: VecDeque::new() }
    }
}

/// An iterator over the values of the documents that a reader has; see [`Documents::values`].
#[derive(Debug)]
pub struct DocumentValues<T, R> {
    documents: Documents,
    /// `None` after the end of the stream.
    reader: Option<R>,
    buffer: Vec<u8>,
    /// The values of the last chunk.
    values: VecDeque<io::Result<T>>,
}

impl<T: DeserializeOwned, R: io::Read> Iterator for DocumentValues<T, R> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { documents, reader: open, buffer, values } = self;
        while values.is_empty() {
            let reader = open.as_mut()?;
            let on_event = |event: DocumentEvent<'_>| {
                let DocumentEvent::End(ended) = event else { return };
                let of_document = |error| DocumentError { number: ended.number(), line: ended.line(), error }.into();
                values.push_back(ended.deserialize().map_err(of_document));
            };
            let (read, is_last) = match read_chunk(reader, buffer) {
                Ok([]) => (documents.finish_with(on_event).map_err(io::Error::from), true),
                Ok(chunk) => (documents.feed_with(chunk, on_event).map_err(io::Error::from), false),
                Err(error) => (Err(error), true),
            };
            if is_last || read.is_err() {
                *open = None;
            }
            // A document's error that ends the stream was reported with the document.
            if let (Err(error), None | Some(Ok(_))) = (read, values.back()) {
                values.push_back(Err(error));
            }
        }
        values.pop_front()
    }
}

/// The error of a document, inside an [`io::Error`].
#[derive(Debug)]
struct DocumentError {
    number: u64,
    line: u64,
    error: Error,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "document {}, from line {}: {}", self.number, self.line, self.error)
    }
}

impl error::Error for DocumentError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<DocumentError> for io::Error {
    fn from(error: DocumentError) -> Self {
        Self::new(io::Error::from(error.error.clone()).kind(), error)
    }
}
