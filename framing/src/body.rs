//! Turns an async stream of a body's chunks into an async stream of the provider's events.
//!
//! Independent of runtime and transport. The poll that takes a chunk out of its stream also reads it, so no data is
//! lost when a future is dropped.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::stream::{FusedStream, Stream};
use jsonspigot_llm::{ProviderStream, StreamEvent};

use crate::frame::Frame;
use crate::frames::Frames;

/// The largest number of chunks that one poll reads in search of an event. Without a bound, a stream that is always
/// ready would keep the executor's thread for as long as nothing is reported.
const CHUNKS_PER_POLL: usize = 32;

/// The body of a provider's response as a stream of its events, made from a stream of chunks and a [`ProviderStream`].
/// Requires the feature `stream`.
///
/// The stream of chunks yields `Result`s of bytes, as do the bodies of HTTP clients and servers:
/// `reqwest::Response::bytes_stream`, axum's `Body::into_data_stream`, `http_body_util::BodyDataStream`, and
/// `tokio_util::io::ReaderStream` around any reader. [`Frames`] detects the format (server-sent events, lines, an
/// array, Amazon's event stream).
///
/// ```
/// use std::borrow::Cow;
///
/// use futures::{TryStreamExt, stream};
/// use jsonspigot::PatternSet;
/// use jsonspigot_framing::ProviderBody;
/// use jsonspigot_llm::{CallEvent, ProviderStream, StreamEvent, ToolCalls};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let chunks = [
///     r#"data: {"choices":[{"delta":{"content":"I look.","tool_calls":[{"id":"call_1","function":{"name":"weather","argum"#,
///     "ents\":\"{\\\"city\\\": \\\"Oslo\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
/// ];
/// let chunks = stream::iter(chunks.map(Ok::<_, std::io::Error>));
/// let stream = ProviderStream::detecting(ToolCalls::new(&PatternSet::new(["city"])?));
/// let mut body = ProviderBody::new(chunks, stream);
/// let mut seen = Vec::new();
/// while let Some(event) = body.try_next().await? {
///     match event {
///         StreamEvent::Text { text, .. } => seen.push(text.into_owned()),
///         StreamEvent::Call(CallEvent::Start { call }) => seen.extend(call.name.map(Cow::into_owned)),
///         StreamEvent::Call(CallEvent::Match { event, .. }) => seen.extend(event.delta().map(str::to_owned)),
///         StreamEvent::Call(CallEvent::End { input, .. }) => seen.push(input.status().to_string()),
///         _ => {}
///     }
/// }
/// body.stream().verdict()?; // everything that the provider sent was reported and has ended
/// assert_eq!(seen, ["I look.", "weather", "Oslo", "complete"]);
/// # Ok(())
/// # }
/// ```
///
/// # How it ends
///
/// When the chunks end, the provider's stream is [finished](ProviderStream::finish), and its last events are yielded.
/// An error of the chunks' stream is yielded last. The provider's stream is then *not* finished, so that you can resume
/// where the transport broke off, or end it with a reason: `body.into_stream().cut("connection lost")`.
///
/// Dropping a future of `next` loses nothing. The next chunk is polled once all events of the last one have been taken.
#[must_use = "streams do nothing unless polled"]
pub struct ProviderBody<S> {
    /// `None` once it has ended.
    chunks: Option<Pin<Box<S>>>,
    frames: Frames,
    stream: ProviderStream,
    /// The events that have not been taken.
    events: VecDeque<StreamEvent<'static>>,
}

impl<S> ProviderBody<S> {
    /// Creates a stream of the events that `stream` reports for the chunks.
    pub fn new(chunks: S, stream: ProviderStream) -> Self {
        Self::with_frames(chunks, Frames::new(), stream)
    }

    /// Like [`new`](Self::new), with frames that have another [limit](Frames::with_limit) or were restored.
    pub fn with_frames(chunks: S, frames: Frames, stream: ProviderStream) -> Self {
        Self { chunks: Some(Box::pin(chunks)), frames, stream, events: VecDeque::new() }
    }

    /// Returns the provider's stream, for access to its verdict, its message or the parsers of its open calls. It has
    /// read the whole chunk that the last event came from.
    #[must_use]
    pub fn stream(&self) -> &ProviderStream {
        &self.stream
    }

    /// Returns the provider's stream, at any time. Drops the chunks' stream and the events that have not been taken.
    #[must_use]
    pub fn into_stream(self) -> ProviderStream {
        self.stream
    }

    fn read(&mut self, feed: impl FnOnce(&mut Frames, &mut dyn FnMut(Frame<'_>))) {
        let Self { frames, stream, events, .. } = self;
        feed(frames, &mut |frame| frame.push_to(stream, |event| events.push_back(event.into_owned())));
    }
}

impl<S, C, E> Stream for ProviderBody<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    type Item = Result<StreamEvent<'static>, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        for _ in 0..CHUNKS_PER_POLL {
            if let Some(event) = this.events.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(chunks) = &mut this.chunks else { return Poll::Ready(None) };
            match ready!(chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => this.read(|frames, on_frame| frames.feed_with(chunk, on_frame)),
                Some(Err(error)) => {
                    this.chunks = None;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    this.chunks = None;
                    this.read(|frames, on_frame| frames.finish_with(on_frame));
                    this.events.extend(this.stream.finish());
                }
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<S, C, E> FusedStream for ProviderBody<S>
where
    S: Stream<Item = Result<C, E>>,
    C: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.chunks.is_none() && self.events.is_empty()
    }
}

impl<S> fmt::Debug for ProviderBody<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunks, frames, stream, events } = self;
        f.debug_struct("ProviderBody")
            .field("has_ended", &chunks.is_none())
            .field("frames", frames)
            .field("stream", stream)
            .field("events", events)
            .finish_non_exhaustive()
    }
}
