//! An async stream of a parser's events, made from an async stream of chunks.
//!
//! Owns the events that have not been returned, the decision when to poll for the next chunk, and the end of the
//! stream. Depends on no runtime and no transport. The text is parsed by [`Parser::feed`] and [`Parser::finish`].
//!
//! The poll that receives a chunk also parses it, and its events stay in the parser's queue. So futures hold no data
//! that could be lost when they are dropped.

mod documents;

use alloc::boxed::Box;
use core::fmt;
use core::future::poll_fn;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::stream::{FusedStream, Stream};

pub use self::documents::DocumentStream;
use crate::error::Error;
use crate::event::Event;
use crate::parser::{Events, Parser, Unread};

/// The maximum number of chunks, and below of bytes, that one poll reads without finding an event. Without a limit, a
/// stream that is always ready would block the executor's thread as long as no pattern matches. Reading 64 KiB takes
/// tens of microseconds, so the cost of another poll, which is requested immediately, is negligible.
const CHUNKS_PER_POLL: usize = 32;
const BYTES_PER_POLL: u64 = 64 << 10;

/// A stream of events, made from a stream of chunks and a [`Parser`]. Requires the feature `stream`.
///
/// The stream of chunks yields `Result`s of any type that [`Parser::feed`] accepts. The bodies of HTTP clients and
/// servers do: `reqwest::Response::bytes_stream`, axum's `Body::into_data_stream`, `http_body_util::BodyDataStream`,
/// and `tokio_util::io::ReaderStream` around any reader. A stream of plain chunks needs `chunks.map(Ok::<_,
/// Infallible>)`.
///
/// The items are [`Event`]s that own their data. Read them with the methods of `StreamExt` from futures or tokio:
///
#[cfg_attr(not(doctest), doc = include_str!("events.md"))]
///
/// To inspect the document after each chunk, or to read events without copying them, use
/// [`next_chunk`](Self::next_chunk).
///
/// # How it ends
///
/// When the chunks end, the parser is [finished](Parser::finish) and the stream ends. It also ends after any error. It
/// then drops the stream of chunks and returns `None`.
///
/// An error in the text is the last item, after the events before it. After an error of the stream of chunks the parser
/// is *not* finished, because the text may be incomplete: [`Parser::deserialize`] fails with
/// [`ErrorKind::Incomplete`](crate::ErrorKind::Incomplete). If the transport can resume, continue with
/// [`into_parser`](Self::into_parser) and a stream of the remaining chunks. Filter out errors that lose no data, such
/// as timeouts, before they reach this stream.
///
/// # Cancellation, backpressure and fairness
///
/// Dropping a future of `next`, `try_next` or [`next_chunk`](Self::next_chunk) loses nothing, so they can be used in
/// `select!`. The next chunk is requested when all events of the last one have been returned, so a slow reader slows
/// the transport down, and at most one chunk's events are buffered. A poll that finds no event in 32 chunks or 64 KiB
/// yields to other tasks.
///
/// # Pinning
///
/// The stream of chunks need not be `Unpin`, because it is boxed. To keep ownership of it, pass `&mut` of a stream that
/// is `Unpin`, or the result of `pin!`.
#[must_use = "streams do nothing unless polled"]
pub struct ParserStream<S> {
    /// `None` once the stream has ended.
    chunks: Option<Pin<Box<S>>>,
    parser: Parser,
    /// The events of the last chunk that have not been returned.
    unread: Unread,
}

impl<S, C, E> ParserStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    /// Creates a stream of the events that `parser` reports for `chunks`.
    pub fn new(chunks: S, parser: Parser) -> Self {
        Self { chunks: Some(Box::pin(chunks)), parser, unread: Unread::default() }
    }

    /// Waits for the next chunk and returns its events, which borrow from the parser; `None` at the end. The last
    /// events are those of [`Parser::finish`].
    ///
    /// It returns once per chunk, even if the chunk has no events, so a loop over it can read snapshots, patches and
    /// typed partial values. As with [`Parser::feed`], events left in the iterator are dropped. If some events of the
    /// last chunk were read through the stream, the first call returns the others.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("next_chunk.md"))]
    ///
    /// # Errors
    ///
    /// Fails with the error of the stream of chunks. An error in the text is the last of the events.
    pub async fn next_chunk(&mut self) -> Result<Option<Events<'_>>, E> {
        if self.unread.is_empty() {
            match poll_fn(|cx| self.poll_chunk(cx)).await {
                Some(parsed) => parsed?,
                None => return Ok(None),
            }
        }
        Ok(Some(self.parser.resume(mem::take(&mut self.unread))))
    }

    /// Parses the next chunk or finishes the parser; `None` at the end. All events of the last chunk must have been
    /// returned.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(), E>>> {
        let Some(chunks) = &mut self.chunks else { return Poll::Ready(None) };
        let events = match ready!(chunks.as_mut().poll_next(cx)) {
            Some(Ok(chunk)) => self.parser.feed(chunk),
            Some(Err(error)) => {
                self.chunks = None;
                return Poll::Ready(Some(Err(error)));
            }
            None => {
                self.chunks = None;
                self.parser.finish()
            }
        };
        self.unread = events.into_unread();
        if self.unread.has_error() {
            self.chunks = None;
        }
        Poll::Ready(Some(Ok(())))
    }
}

impl<S> ParserStream<S> {
    /// Returns the parser, to be inspected between two events. It has read the whole chunk of the last event.
    #[must_use]
    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Returns the parser, to read the complete value or to continue with another stream. Drops the stream of chunks
    /// and the events that have not been returned.
    #[must_use]
    pub fn into_parser(self) -> Parser {
        self.parser
    }

    /// Returns the next event of the last chunk.
    fn next_unread<E>(&mut self) -> Option<Result<Event<'static>, ParserStreamError<E>>> {
        let mut events = self.parser.resume(mem::take(&mut self.unread));
        let next = events.next().map(|event| Ok(event?.into_owned()));
        self.unread = events.into_unread();
        next
    }
}

impl<S, C, E> Stream for ParserStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    type Item = Result<Event<'static>, ParserStreamError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(event) = this.next_unread() {
            return Poll::Ready(Some(event));
        }
        let enough = this.parser.offset().saturating_add(BYTES_PER_POLL);
        for _ in 0..CHUNKS_PER_POLL {
            match ready!(this.poll_chunk(cx)) {
                Some(Ok(())) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(ParserStreamError::Transport(error)))),
                None => return Poll::Ready(None),
            }
            if let Some(event) = this.next_unread() {
                return Poll::Ready(Some(event));
            }
            if this.parser.offset() >= enough {
                break;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S, C, E> FusedStream for ParserStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.chunks.is_none() && self.unread.is_empty()
    }
}

impl<S> fmt::Debug for ParserStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunks, parser, unread } = self;
        f.debug_struct("ParserStream")
            .field("has_ended", &chunks.is_none())
            .field("parser", parser)
            .field("unread", unread)
            .finish_non_exhaustive()
    }
}

/// The error of a [`ParserStream`]: an error in the text, or the error `E` of the stream of chunks. Requires the
/// feature `stream`.
///
/// `Display` writes the inner error. It implements [`Error`](core::error::Error) if `E` does. `Box<dyn Error>` and
/// `anyhow::Error` do not: with those, use `map_err`, or [`next_chunk`](ParserStream::next_chunk), which returns the
/// two errors separately.
///
#[cfg_attr(not(doctest), doc = include_str!("error.md"))]
// Exhaustive: there is no third source of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParserStreamError<E> {
    /// The text is invalid or incomplete.
    Text(Error),
    /// The stream of chunks failed.
    Transport(E),
}

impl<E> From<Error> for ParserStreamError<E> {
    fn from(error: Error) -> Self {
        Self::Text(error)
    }
}

impl<E: fmt::Display> fmt::Display for ParserStreamError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => error.fmt(f),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error> core::error::Error for ParserStreamError<E> {
    /// Returns the cause of the inner error, because `Display` already writes the inner error's message.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Text(error) => error.source(),
            Self::Transport(error) => error.source(),
        }
    }
}
