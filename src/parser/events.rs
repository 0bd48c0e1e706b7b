//! The iterator form of a chunk's events: reads the queue of one chunk.

use core::iter::FusedIterator;

use super::Parser;
use crate::error::Error;
use crate::event::Event;

/// The events of one chunk, in the order of the bytes that caused them; an error comes last.
///
/// Returned by [`Parser::feed`] and [`Parser::finish`]. The events borrow from the parser, not from this iterator, so
/// they can be collected.
#[derive(Debug)]
#[must_use = "an error is among the events; `check` asks for it alone"]
pub struct Events<'a> {
    parser: &'a Parser,
    unread: Unread,
}

/// The remaining events of a chunk, also for code that cannot keep the iterator, which borrows the parser.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    /// The chunk's offset if it was only a piece of the open string. The parser still knows everything about its events
    /// except the text, so they need no entries in the queue.
    piece: Option<u64>,
    /// The index of the next event, and the index after the last one.
    next: usize,
    end: usize,
    error: Option<Error>,
}

impl<'a> Events<'a> {
    #[inline]
    pub(super) fn new(parser: &'a Parser, piece: Option<u64>, end: usize, error: Option<Error>) -> Self {
        Self { parser, unread: Unread { piece, next: 0, end, error } }
    }

    /// Returns the chunk's error, if it has one. For callers that need no events, only the result, a snapshot or a
    /// patch.
    ///
    /// ```
    /// use jsonspigot::{ErrorKind, Parser};
    ///
    /// let mut parser = Parser::default();
    /// parser.feed(r#"{"route": "ask"#).check()?;
    /// assert_eq!(parser.finish().check().unwrap_err().kind(), ErrorKind::Incomplete);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// Costs nothing: the chunk has been parsed, and the remaining events are dropped unread.
    ///
    /// # Errors
    ///
    /// The error that the iterator has not returned yet. It comes last, so there is at most one.
    #[inline]
    pub fn check(self) -> Result<(), Error> {
        self.unread.error.map_or(Ok(()), Err)
    }

    /// Returns the parser, for queries between two events. It has already read the whole chunk.
    #[must_use]
    pub fn parser(&self) -> &'a Parser {
        self.parser
    }
}

#[cfg(feature = "stream")]
impl Unread {
    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.end && self.error.is_none()
    }

    /// Returns true if the last item is an error.
    pub(crate) fn has_error(&self) -> bool {
        self.error.is_some()
    }
}

#[cfg(feature = "stream")]
impl Events<'_> {
    /// Releases the parser. [`Parser::resume`] continues where this iterator was, until the next chunk is fed.
    pub(crate) fn into_unread(self) -> Unread {
        self.unread
    }
}

#[cfg(feature = "stream")]
impl Parser {
    /// Returns the remaining events of the last chunk.
    pub(crate) fn resume(&self, unread: Unread) -> Events<'_> {
        Events { parser: self, unread }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Event<'a>, Error>;

    // Always inlined: most chunks have no event, and the others have one.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Unread { piece, next, end, error } = &mut self.unread;
        if next == end {
            return error.take().map(Err);
        }
        let place = *next;
        *next += 1;
        let Parser { engine, queue } = self.parser;
        match *piece {
            Some(offset) => {
                let len = (engine.document.tokenizer.offset() - offset) as usize;
                engine.tracker.delta_event(place, queue.piece(len), offset).map(Ok)
            }
            None => self.parser.queued_event(place).map(Ok),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let Unread { next, end, error, .. } = &self.unread;
        let left = end - next + usize::from(error.is_some());
        (left, Some(left))
    }
}

impl ExactSizeIterator for Events<'_> {}

impl FusedIterator for Events<'_> {}

impl Parser {
    /// Returns an event of the last chunk that was fed for the iterator, if it was more than a piece.
    // Never inlined, so that what is inlined for a piece stays small.
    #[inline(never)]
    fn queued_event(&self, place: usize) -> Option<Event<'_>> {
        let Self { engine, queue } = self;
        let tracker = &engine.tracker;
        let kept = |level, place| match level {
            0 => engine.document.kept.at(place),
            _ => engine.inner.get(level - 1)?.kept.at(place),
        };
        queue.event(place, tracker.paths(), kept)
    }
}
