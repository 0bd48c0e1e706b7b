//! An async stream of the events of many texts.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::stream::{FusedStream, Stream};

use super::{BYTES_PER_POLL, CHUNKS_PER_POLL, ParserStreamError};
use crate::texts::{DocumentEvent, DocumentEvents, Documents};

/// A stream of the events of many texts, made from a stream of chunks and [`Documents`]. Requires the feature `stream`.
///
#[cfg_attr(not(doctest), doc = include_str!("documents.md"))]
///
/// It ends and yields to other tasks like [`ParserStream`](crate::ParserStream), and may be dropped like it. The `End`
/// event of a line reports an error in the line. An error item ends the stream.
#[must_use = "streams do nothing unless polled"]
pub struct DocumentStream<S> {
    /// `None` once the stream has ended.
    chunks: Option<Pin<Box<S>>>,
    documents: Documents,
    /// The events of the last chunk that have not been returned.
    unread: DocumentEvents,
}

impl<S, C, E> DocumentStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    /// Creates a stream of the events of the texts in `chunks`.
    pub fn new(chunks: S, documents: Documents) -> Self {
        Self { chunks: Some(Box::pin(chunks)), documents, unread: DocumentEvents::new(Vec::new()) }
    }
}

impl<S> DocumentStream<S> {
    /// Returns the documents, to be inspected between two events. They have read the whole chunk of the last event.
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Returns the documents. Drops the stream of chunks and the events that have not been returned.
    #[must_use]
    pub fn into_documents(self) -> Documents {
        self.documents
    }
}

impl<S, C, E> Stream for DocumentStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    type Item = Result<DocumentEvent<'static>, ParserStreamError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { chunks, documents, unread } = self.get_mut();
        let enough = documents.offset().saturating_add(BYTES_PER_POLL);
        for _ in 0..CHUNKS_PER_POLL {
            if let Some(event) = unread.next() {
                if event.is_err() {
                    *chunks = None;
                }
                return Poll::Ready(Some(event.map_err(ParserStreamError::Text)));
            }
            let Some(open) = chunks else { return Poll::Ready(None) };
            if documents.offset() >= enough {
                break;
            }
            *unread = match ready!(open.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => documents.feed(chunk),
                Some(Err(error)) => {
                    *chunks = None;
                    return Poll::Ready(Some(Err(ParserStreamError::Transport(error))));
                }
                None => {
                    *chunks = None;
                    documents.finish()
                }
            };
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S, C, E> FusedStream for DocumentStream<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.chunks.is_none() && self.unread.len() == 0
    }
}

impl<S> fmt::Debug for DocumentStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunks, documents, unread } = self;
        f.debug_struct("DocumentStream")
            .field("has_ended", &chunks.is_none())
            .field("documents", documents)
            .field("unread", unread)
            .finish()
    }
}
