//! Auto traits of the public types, for threads and channels.

use jsonspigot::{Deviation, Error, Event, Parser, ParserBuilder, Pattern, PatternError, PatternSet};

fn is_send_sync_clone<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}

#[test]
fn public_types_are_send_sync_clone_debug() {
    is_send_sync_clone::<Parser>();
    is_send_sync_clone::<ParserBuilder>();
    is_send_sync_clone::<PatternSet>();
    is_send_sync_clone::<Pattern>();
    is_send_sync_clone::<PatternError>();
    is_send_sync_clone::<Error>();
    is_send_sync_clone::<Deviation>();
    is_send_sync_clone::<Event<'static>>();
}

/// Checks that a stream of events is as `Send` and `Sync` as the stream of chunks, and always `Unpin`; so are its
/// errors and futures.
#[cfg(feature = "stream")]
#[test]
fn streams_are_what_their_chunks_are() {
    use std::future::Future;
    use std::marker::PhantomPinned;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use futures::stream::{self, BoxStream, Stream, StreamExt};
    use jsonspigot::{ParserStream, ParserStreamError};

    type Chunk = std::io::Result<Vec<u8>>;
    type Boxed = BoxStream<'static, Chunk>;

    #[allow(dead_code)]
    struct Pinned(PhantomPinned);

    impl Stream for Pinned {
        type Item = Chunk;

        fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Chunk>> {
            Poll::Ready(None)
        }
    }

    fn is_sync<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    fn is_send<T: Send + Unpin + 'static>() {}
    fn is_send_future<F: Future + Send>(_: F) {}

    is_sync::<ParserStream<stream::Empty<Chunk>>>();
    is_sync::<ParserStream<Pinned>>();
    is_send::<ParserStream<Boxed>>();
    is_sync::<ParserStreamError<std::io::Error>>();
    is_send_sync_clone::<ParserStreamError<std::fmt::Error>>();

    let mut events = ParserStream::new(stream::empty::<Chunk>().boxed(), Parser::default());
    is_send_future(events.next());
    is_send_future(events.next_chunk());
}
