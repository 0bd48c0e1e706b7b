//! The events of a stream of JSON texts. They are serialized as the command prints them.

use crate::error::Error;
use crate::event::{CompleteValue, Event, Line, Member, lines, owned_events};
use crate::parser::Parser;

/// An event reported by [`Documents`](super::Documents). It borrows from the parser; [`into_owned`](Self::into_owned)
/// makes it `'static`.
///
/// ```
/// use jsonspigot::{DocumentEvent, Documents, Framing, Parser};
///
/// let mut documents = Documents::new(Framing::Lines, Parser::default());
/// let mut sum = 0;
/// for event in documents.feed("[1, 2]\n[3]\n[4").chain(documents.finish()) {
///     if let DocumentEvent::End(document) = event? {
///         match document.deserialize::<Vec<u64>>() {
///             Ok(numbers) => sum += numbers.iter().sum::<u64>(),
///             Err(error) => assert_eq!((document.number(), error.kind().name()), (2, "incomplete")),
///         }
///     }
/// }
/// assert_eq!(sum, 6);
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl DocumentEvent<'_> {
    /// Returns an event that owns its data: `'static`, for channels, logs and other threads. Copies the path and the
    /// text or value.
    #[must_use]
    pub fn into_owned(self) -> DocumentEvent<'static> {
        match self {
            Self::Match { document, event } => DocumentEvent::Match { document, event: event.into_owned() },
            Self::End(ended) => DocumentEvent::End(ended.into_owned()),
        }
    }

    /// Returns the event's members.
    fn line(&self) -> Line<'_> {
        let ended = match self {
            Self::Match { document, event } => return event.line().of([("document", (*document).into())]),
            Self::End(ended) => ended,
        };
        let mut line = Line::new(if ended.error().is_some() { "error" } else { "document" });
        line.put("document", ended.number());
        match ended.error() {
            Some(error) => line.put_error(error),
            // A value whose text was not retained is omitted.
            None => line.put("bytes", ended.byte_count()).put_some("value", ended.text().map(Member::Json)),
        };
        line
    }
}

lines!(DocumentEvent<'_>);

/// A document that has ended, with its position and its result.
///
/// ```
/// use jsonspigot::{DocumentEvent, Documents, Framing, Parser};
/// #[derive(serde::Deserialize)]
/// struct Record {
///     id: u64,
/// }
///
/// let mut documents = Documents::new(Framing::Lines, Parser::default());
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
#[derive(Clone, Debug)]
pub struct EndedDocument<'a> {
    number: u64,
    start: u64,
    line: u64,
    result: Ending<'a>,
}

/// The result of a document: in its parser, or copied from it.
#[derive(Clone, Debug)]
enum Ending<'a> {
    Parser(&'a Parser),
    /// The value has the white space around it, because errors count from the document's first byte.
    Own {
        byte_count: u64,
        error: Option<Error>,
        value: Result<CompleteValue<'static>, Error>,
    },
}

impl<'a> EndedDocument<'a> {
    pub(super) fn new(number: u64, start: u64, line: u64, parser: &'a Parser) -> Self {
        Self { number, start, line, result: Ending::Parser(parser) }
    }

    /// Returns a result that owns its data. Copies the document's text, if it was retained.
    #[must_use]
    pub fn into_owned(self) -> EndedDocument<'static> {
        let Self { number, start, line, result } = self;
        let result = match result {
            Ending::Parser(parser) => Ending::Own {
                byte_count: parser.offset(),
                error: parser.error().cloned(),
                value: parser.whole().map(CompleteValue::into_owned),
            },
            Ending::Own { byte_count, error, value } => Ending::Own { byte_count, error, value },
        };
        EndedDocument { number, start, line, result }
    }

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

    /// Returns the line of the stream on which the document begins, from 1. Every line feed of the stream counts.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the document's length in bytes, white space included. After an error, it is the number of bytes before
    /// the bad one.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        match &self.result {
            Ending::Parser(parser) => parser.offset(),
            Ending::Own { byte_count, .. } => *byte_count,
        }
    }

    /// Returns the document's error, if there is one.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        match &self.result {
            Ending::Parser(parser) => parser.error(),
            Ending::Own { error, .. } => error.as_ref(),
        }
    }

    /// Returns the complete value with its original text.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::complete`].
    pub fn complete(&self) -> Result<CompleteValue<'_>, Error> {
        match &self.result {
            Ending::Parser(parser) => parser.complete(),
            Ending::Own { value, .. } => value.as_ref().map(CompleteValue::trimmed).map_err(Clone::clone),
        }
    }

    /// Deserializes the complete value with serde_json.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::deserialize`].
    pub fn deserialize<'s, T: serde::Deserialize<'s>>(&'s self) -> Result<T, Error> {
        match &self.result {
            Ending::Parser(parser) => parser.deserialize(),
            Ending::Own { value, .. } => value.as_ref().map_err(Clone::clone)?.deserialize(),
        }
    }

    /// Returns the parser that has read the document, for its last snapshot, its text or its deviations; `None` if the
    /// event owns its data.
    #[must_use]
    pub fn parser(&self) -> Option<&'a Parser> {
        if let Ending::Parser(parser) = self.result { Some(parser) } else { None }
    }

    /// Returns the text of the value, if it is complete and was retained.
    fn text(&self) -> Option<&str> {
        match &self.result {
            Ending::Parser(parser) => parser.complete_text(),
            Ending::Own { value, .. } => value.as_ref().ok().map(|value| value.text().trim_ascii()),
        }
    }
}

impl PartialEq for EndedDocument<'_> {
    fn eq(&self, other: &Self) -> bool {
        let place = |ended: &EndedDocument<'_>| (ended.number, ended.start, ended.line, ended.byte_count());
        place(self) == place(other) && self.error() == other.error() && self.complete() == other.complete()
    }
}

impl Eq for EndedDocument<'_> {}

owned_events! {
    /// An iterator over the events of one chunk, in order, with an error last. Returned by
    /// [`Documents::feed`](super::Documents::feed) and [`Documents::finish`](super::Documents::finish). The chunk has
    /// already been read, and nothing is borrowed.
    DocumentEvents of Result<DocumentEvent<'static>, Error>
}

impl DocumentEvents {
    /// Discards the events and fails if the stream has failed. An error in a single line or record is not an error of
    /// the stream.
    ///
    /// # Errors
    ///
    /// Fails with the error that the iterator has not returned yet. There is at most one, at the end.
    pub fn check(mut self) -> Result<(), Error> {
        self.next_back().map_or(Ok(()), |last| last.map(|_| ()))
    }
}
