//! Owned events of a stream of JSON texts. They are serialized as the command prints them.

use alloc::string::{String, ToString};

use super::event::{DocumentEvent, EndedDocument};
use crate::error::Error;
use crate::event::{Line, Member, OwnedEvent, deserialize_whole, lines, owned_events};

/// A [`DocumentEvent`] that owns its data and is `'static + Send`, returned by
/// [`Documents::feed`](super::Documents::feed).
///
/// ```
/// use jsonspigot::{Documents, Framing, OwnedDocumentEvent, Parser, PatternSet};
///
/// let mut documents = Documents::new(Framing::Lines, Parser::new(&PatternSet::empty()));
/// let mut sum = 0;
/// for event in documents.feed("[1, 2]\n[3]\n[4").chain(documents.finish()) {
///     if let OwnedDocumentEvent::End(document) = event? {
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
pub enum OwnedDocumentEvent {
    /// [`DocumentEvent::Match`].
    Match {
        /// The document's number, from 0.
        document: u64,
        /// The parser's event.
        event: OwnedEvent,
    },
    /// [`DocumentEvent::End`].
    End(OwnedEndedDocument),
}

/// An [`EndedDocument`] that owns its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedEndedDocument {
    number: u64,
    start: u64,
    byte_count: u64,
    error: Option<Error>,
    value: Result<String, Error>,
}

impl OwnedEndedDocument {
    /// Returns the document's number, from 0. Documents with errors are numbered too.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the offset in the stream of the document's first byte; see [`EndedDocument::start`].
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the document's length in bytes; see [`EndedDocument::byte_count`].
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.byte_count
    }

    /// Returns the document's error, if there is one.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// Returns the complete value as JSON text on one line, with its original numbers and escapes.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::complete`](crate::Parser::complete).
    pub fn value(&self) -> Result<&str, Error> {
        self.value.as_deref().map_err(Clone::clone)
    }

    /// Deserializes the complete value with serde_json.
    ///
    /// # Errors
    ///
    /// Fails like [`value`](Self::value), and like [`CompleteValue::deserialize`](crate::CompleteValue::deserialize) if
    /// the value is not a `T`. The error's position then refers to the text that `value` returns.
    pub fn deserialize<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Error> {
        deserialize_whole(self.value()?)
    }
}

impl EndedDocument<'_> {
    /// Copies the document's result, so that it can be stored and sent to another thread. Copies the value's text, if
    /// it was retained.
    #[must_use]
    pub fn to_owned(&self) -> OwnedEndedDocument {
        OwnedEndedDocument {
            number: self.number(),
            start: self.start(),
            byte_count: self.byte_count(),
            error: self.error().cloned(),
            value: self.complete().map(|value| value.to_string()),
        }
    }
}

impl DocumentEvent<'_> {
    /// Copies the event, so that it can be stored and sent to another thread. Copies the path and the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedDocumentEvent {
        match *self {
            Self::Match { document, event } => OwnedDocumentEvent::Match { document, event: event.to_owned() },
            Self::End(ended) => OwnedDocumentEvent::End(ended.to_owned()),
        }
    }
}

lines!(OwnedDocumentEvent);

impl OwnedDocumentEvent {
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
            None => line.put("bytes", ended.byte_count()).put_some("value", ended.value().ok().map(Member::Json)),
        };
        line
    }
}

owned_events! {
    /// An iterator over the events of one chunk, in order, with an error last. Returned by
    /// [`Documents::feed`](super::Documents::feed) and [`Documents::finish`](super::Documents::finish). The chunk has
    /// already been read, and nothing is borrowed.
    DocumentEvents of Result<OwnedDocumentEvent, Error>
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
