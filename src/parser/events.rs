//! The first door's iterator: reads the queue of one chunk.

use core::iter::FusedIterator;

use super::Parser;
use crate::error::Error;
use crate::event::Event;

/// The events of one chunk, in the order of the bytes that caused them; an error comes last.
///
/// Made by [`Parser::feed`] and [`Parser::finish`]. The events borrow from the parser, not from this iterator, so they
/// can be collected.
#[derive(Debug)]
#[must_use = "an error is among the events"]
pub struct Events<'a> {
    parser: &'a Parser,
    next: usize,
    error: Option<Error>,
}

impl<'a> Events<'a> {
    pub(super) fn new(parser: &'a Parser, error: Option<Error>) -> Self {
        Self { parser, next: 0, error }
    }

    /// The parser, to be asked between two events; it has already read the whole chunk.
    #[must_use]
    pub fn parser(&self) -> &'a Parser {
        self.parser
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Event<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Parser { core, queue } = self.parser;
        match queue.event(self.next, core.engine.tracker.paths(), |range| core.retained.slice(range)) {
            Some(event) => {
                self.next += 1;
                Some(Ok(event))
            }
            None => self.error.take().map(Err),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.parser.queue.len() - self.next + usize::from(self.error.is_some());
        (left, Some(left))
    }
}

impl ExactSizeIterator for Events<'_> {}

impl FusedIterator for Events<'_> {}
