//! The parser between two async streams: chunks come in, events go out.
//!
//! Owns what is between them: which of a chunk's events have been taken, when the next chunk is asked for, and when it
//! is over. Knows no runtime and no transport. The parsing itself is [`Parser::feed`] and [`Parser::finish`].
//!
//! A chunk is parsed by the same poll that takes it out of the stream, and its events stay in the parser's own queue,
//! one place of which is kept here. So there is nothing that a future could hold and take with it when it is dropped.

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
use crate::event::OwnedEvent;
use crate::parser::{Events, Parser, Unread};

/// The bounds of one poll that finds no event: chunks, and bytes. Without a bound, a stream that is always ready
/// would keep the executor's thread for as long as no pattern matches. Reading 64 KiB takes tens of microseconds,
/// against which the other poll, which is asked for at once, costs next to nothing.
const CHUNKS_PER_POLL: usize = 32;
const BYTES_PER_POLL: u64 = 64 << 10;

/// A stream of events, made of a stream of chunks and a [`Parser`]. With the feature `stream`.
///
/// The stream's items are `Result`s of anything that [`Parser::feed`] takes, as the bodies of HTTP clients and servers
/// give it: `reqwest::Response::bytes_stream`, axum's `Body::into_data_stream`, `http_body_util::BodyDataStream`, or
/// `tokio_util::io::ReaderStream` around any reader. If yours gives plain chunks, `chunks.map(Ok::<_, Infallible>)`
/// fits.
///
/// Events come as [`OwnedEvent`]s, through the methods of futures' or tokio's `StreamExt`:
///
#[cfg_attr(not(doctest), doc = include_str!("events.md"))]
///
/// To look at the document after each chunk, or to read events without copying them, use
/// [`next_chunk`](Self::next_chunk).
///
/// # How it ends
///
/// When the chunks end, the parser is [finished](Parser::finish). After that, and after any error, the stream has
/// ended: it drops the chunks' stream and gives `None` from then on.
///
/// An error in the text comes last, after the events before it. After an error of the chunks' stream the parser is
/// *not* finished, since nothing says that the text was complete: [`Parser::deserialize`] gives
/// [`ErrorKind::Incomplete`](crate::ErrorKind::Incomplete). If you can go on where the transport broke off, do so with
/// [`into_parser`](Self::into_parser) and the stream that has the rest. If an error loses nothing (a timeout, say),
/// keep it from getting here.
///
/// # Cancellation, backpressure and fairness
///
/// Dropping a future of `next`, `try_next` or [`next_chunk`](Self::next_chunk) loses nothing, so they can be used in
/// `select!`. The next chunk is asked for when all events of the last one have been taken, so a slow reader slows the
/// transport down, and no more than one chunk's events are ever held. A poll that finds no event in 32 chunks or 64 KiB
/// lets other tasks run before it goes on.
///
/// # Pinning
///
/// Any stream will do, whether or not it is `Unpin`: it is put into a box once. To keep your stream, pass `&mut` of one
/// that is `Unpin`, or what `pin!` makes.
#[must_use = "streams do nothing unless polled"]
pub struct ParserStream<S> {
    /// `None` once it has ended.
    chunks: Option<Pin<Box<S>>>,
    parser: Parser,
    /// The events of the last chunk that have not been taken.
    unread: Unread,
}

impl<S, C, E> ParserStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    /// A stream of the events that the parser finds in the chunks.
    pub fn new(chunks: S, parser: Parser) -> Self {
        Self { chunks: Some(Box::pin(chunks)), parser, unread: Unread::default() }
    }

    /// Waits for the next chunk and returns its events, borrowed; `None` at the end. The last events are those of
    /// [`Parser::finish`].
    ///
    /// Every chunk gives an answer, whether or not it has events, so this is the loop for snapshots, patches and typed
    /// looks. As with [`Parser::feed`], the events that you leave in the iterator are dropped. Those that remain of a
    /// chunk that was read through the stream in part are returned first.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("next_chunk.md"))]
    ///
    /// # Errors
    ///
    /// The error of the chunks' stream. One in the text is the last of the events.
    pub async fn next_chunk(&mut self) -> Result<Option<Events<'_>>, E> {
        if self.unread.is_empty() {
            match poll_fn(|cx| self.poll_chunk(cx)).await {
                Some(parsed) => parsed?,
                None => return Ok(None),
            }
        }
        Ok(Some(self.parser.resume(mem::take(&mut self.unread))))
    }

    /// Parses the next chunk, or finishes; nothing of the last chunk may be unread. `None` at the end.
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
    /// The parser, to be looked at between two events. It has read the whole chunk that the last event came from.
    #[must_use]
    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    /// The parser back, at any time: with the complete value at the end, or to go on with another stream. Drops the
    /// chunks' stream, and the events of the last chunk that have not been taken.
    #[must_use]
    pub fn into_parser(self) -> Parser {
        self.parser
    }

    /// Takes one event of the last chunk.
    fn next_unread<E>(&mut self) -> Option<Result<OwnedEvent, ParserStreamError<E>>> {
        let mut events = self.parser.resume(mem::take(&mut self.unread));
        let next = events.next().map(|event| Ok(event?.to_owned()));
        self.unread = events.into_unread();
        next
    }
}

impl<S, C, E> Stream for ParserStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    type Item = Result<OwnedEvent, ParserStreamError<E>>;

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

/// The reason why a [`ParserStream`] broke off: the text, or the stream that brought it, which has an error type `E` of
/// its own. With the feature `stream`.
///
/// It shows as the error inside it, and is an [`Error`](core::error::Error) if `E` is one. `Box<dyn Error>` and
/// `anyhow::Error` are not: with those, use [`next_chunk`](ParserStream::next_chunk), which returns each of the two
/// errors as it is, or `map_err`.
///
#[cfg_attr(not(doctest), doc = include_str!("error.md"))]
// Not `non_exhaustive`: there is no third thing that could break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParserStreamError<E> {
    /// The text is not valid, or incomplete.
    Text(Error),
    /// The chunks' stream gave an error.
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
    /// Returns the cause of the error inside, whose message is the one that is shown.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Text(error) => error.source(),
            Self::Transport(error) => error.source(),
        }
    }
}
