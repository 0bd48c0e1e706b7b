//! Events of a stream of JSON texts that own their parts.

use alloc::string::{String, ToString};

use super::event::{DocumentEvent, EndedDocument};
use crate::error::Error;
use crate::event::owned_events;
use crate::event::{OwnedEvent, deserialize_whole};

/// A [`DocumentEvent`] that owns its parts: `'static + Send`, as [`Documents::feed`](super::Documents::feed) returns
/// them.
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

/// An [`EndedDocument`] that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedEndedDocument {
    number: u64,
    start: u64,
    byte_count: u64,
    error: Option<Error>,
    value: Result<String, Error>,
}

impl OwnedEndedDocument {
    /// The document's number, from 0; documents with errors are numbered too.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The offset in the stream of the document's first byte; see [`EndedDocument::start`].
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The number of its bytes; see [`EndedDocument::byte_count`].
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.byte_count
    }

    /// The error in it, if there is one.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// The complete value's JSON text on one line, numbers and escapes as they were spelt.
    ///
    /// # Errors
    ///
    /// Those of [`Parser::complete`](crate::Parser::complete).
    pub fn value(&self) -> Result<&str, Error> {
        self.value.as_deref().map_err(Clone::clone)
    }

    /// The complete value, read strictly with serde_json.
    ///
    /// # Errors
    ///
    /// Those of [`value`](Self::value), and if it is not a `T` those of
    /// [`CompleteValue::deserialize`](crate::CompleteValue::deserialize), with places in `value`.
    pub fn deserialize<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Error> {
        deserialize_whole(self.value()?)
    }
}

impl EndedDocument<'_> {
    /// A copy that can be kept and sent to another thread. Costs the value's text, if that was kept.
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
    /// A copy that can be kept and sent to another thread. Costs the path and the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedDocumentEvent {
        match *self {
            Self::Match { document, event } => OwnedDocumentEvent::Match { document, event: event.to_owned() },
            Self::End(ended) => OwnedDocumentEvent::End(ended.to_owned()),
        }
    }
}

owned_events! {
    /// The events of one chunk, in order, an error last: what [`Documents::feed`](super::Documents::feed) and
    /// [`Documents::finish`](super::Documents::finish) return. The chunk has been read when this is made, and nothing
    /// is borrowed.
    DocumentEvents of Result<OwnedDocumentEvent, Error>
}

impl DocumentEvents {
    /// The verdict on the stream, for callers who need none of its events. What is wrong with a single line or record
    /// is not an error of the stream.
    ///
    /// # Errors
    ///
    /// The error that the iterator has not returned yet. It comes last, so there is at most one.
    pub fn check(mut self) -> Result<(), Error> {
        self.next_back().map_or(Ok(()), |last| last.map(|_| ()))
    }
}
