//! The reader of a body: passes its bytes to the reader of its format, once that is known, and saves its state.

use alloc::boxed::Box;
use alloc::vec::Vec;

use jsonspigot::internal::{Interrupted, unless_interrupted};
use jsonspigot::{Error, RestoreError};

use crate::amazon::Messages;
use crate::detection::{Format, Undecided};
use crate::frame::{Damage, Frame};
use crate::queue::{FrameIter, Queue};
use crate::saved::{Reader, Saved, Writer, with_added};
use crate::sse::Sse;
use crate::texts::Texts;

/// A reader that splits a body into frames, wherever its chunks are cut.
///
/// The first bytes after any white space or byte order mark decide between three formats. JSON texts start with a
/// brace, or a bracket and a brace. Amazon's event stream starts with two lengths and their checksum. Anything else is
/// read as server-sent events. Preceding lines, such as a program's notices or a response's headers, are buffered up to
/// 16 KiB. They end where a line starts with a brace or is a field or a comment of server-sent events.
///
/// - **Server-sent events**: an event's `data` is a frame. Data lines are joined by line feeds, as the HTML standard
///   requires ([section
///   9.2.6](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)), unless the
///   first one is a JSON object by itself, since some servers omit the blank lines. An [exception](Frame::Exception) is
///   reported for a field `error`, for an event of that name whose data is not marked as an error, and for a JSON
///   object in lines that are not fields. Other lines that the standard ignores are [unreadable](Frame::Unreadable) if
///   they may have content: data under a misspelt name, and a page or a sentence in lines that are not fields.
/// - **JSON texts**: each is a frame, on one line or several. Any other line is a frame of its own. If the first
///   element of an array is an object, each element is a frame as soon as it closes.
/// - **Amazon's event stream**: each message is a frame, with its payload wrapped in the event's name:
///   `{"messageStop":{…}}`. Nothing is used before its checksum has been verified.
///
/// ```
/// use jsonspigot_framing::{Frame, Frames};
///
/// for body in ["data: {\"n\":1}\n\ndata: [2]\n\n", "{\"n\":1}\n[2]\n", "[{\"n\":1}, [2]]"] {
///     let (mut frames, mut found) = (Frames::new(), Vec::new());
///     for chunk in body.as_bytes().chunks(3) {
///         found.extend(frames.feed(chunk).map(Frame::to_owned));
///     }
///     found.extend(frames.finish().map(Frame::to_owned));
///     assert_eq!(found, [Frame::Text("{\"n\":1}").to_owned(), Frame::Text("[2]").to_owned()]);
/// }
/// ```
///
/// # Cost
///
/// Linear in the body, for chunks of any size. Memory is that of the open event, which is at most the
/// [limit](Self::with_limit), and of one chunk's frames if they are read from the iterator.
#[derive(Clone, Debug)]
pub struct Frames {
    state: State,
    limit: usize,
    queue: Queue,
}

#[derive(Clone, Debug)]
enum State {
    Undecided(Undecided),
    Sse(Sse),
    Texts(Box<Texts>),
    Messages(Messages),
    /// A callback panicked, so the position in the body is unknown. True once that was reported.
    Panicked(bool),
}

impl Interrupted for Frames {
    fn interrupt(&mut self) {
        self.state = State::Panicked(false);
    }
}

/// The default of the largest number of bytes of text that an event may have.
pub(crate) const LIMIT: usize = 32 << 20;

impl Default for Frames {
    fn default() -> Self {
        Self::new()
    }
}

impl Frames {
    /// Creates a reader of events of at most 32 MiB, which is also the default of `CallLimits` in the crate
    /// `jsonspigot-llm`.
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// assert_eq!(Frames::new().feed("data: {}\n\n").next(), Some(Frame::Text("{}")));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// Creates a reader of events of at most `limit` bytes of text. A longer event is skipped and reported as
    /// [`Frame::TooLong`].
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// let mut frames = Frames::with_limit(7);
    /// let found: Vec<_> = frames.feed("{\"n\":1}\n{\"n\":12}\n{\"n\":3}\n").collect();
    /// assert_eq!(found, [Frame::Text("{\"n\":1}"), Frame::TooLong, Frame::Text("{\"n\":3}")]);
    /// ```
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { state: State::Undecided(Undecided::new(limit)), limit, queue: Queue::default() }
    }

    /// Returns the largest number of bytes of text that an event may have.
    ///
    /// ```
    /// use jsonspigot_framing::Frames;
    ///
    /// assert_eq!(Frames::new().limit(), 32 << 20);
    /// ```
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Reads a chunk and returns the frames that end in it.
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// let mut frames = Frames::new();
    /// assert_eq!(frames.feed("data: {}\n").next(), None);
    /// assert_eq!(frames.feed("\ndata: ").collect::<Vec<_>>(), [Frame::Text("{}")]);
    /// ```
    ///
    /// The whole chunk is read at once, even if no frame is taken out of the iterator.
    pub fn feed(&mut self, chunk: impl AsRef<[u8]>) -> FrameIter<'_> {
        self.queued(|frames, on_frame| frames.read(chunk.as_ref(), on_frame))
    }

    /// Reads a chunk and calls `on_frame` for each frame that ends in it. Unlike [`feed`](Self::feed), it copies no
    /// text.
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// Frames::new().feed_with("data: {}\n\n", |frame| assert_eq!(frame, Frame::Text("{}")));
    /// ```
    ///
    /// If the callback panics and the panic is caught, the next call reports [`Damage::Panicked`], and nothing more of
    /// the body is read.
    pub fn feed_with(&mut self, chunk: impl AsRef<[u8]>, mut on_frame: impl FnMut(Frame<'_>)) {
        unless_interrupted(self, |frames| frames.read(chunk.as_ref(), &mut on_frame));
    }

    /// Ends the body and returns the frames that are left, since servers may omit the last blank line, and files the
    /// last line feed. Anything else that is still open was cut off.
    ///
    /// A second call returns nothing. Feed nothing afterwards: another body needs new `Frames`.
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// let mut frames = Frames::new();
    /// assert_eq!(frames.feed("data: {}").next(), None);
    /// assert_eq!(frames.finish().next(), Some(Frame::Text("{}")));
    /// assert_eq!(frames.finish().next(), None);
    /// ```
    pub fn finish(&mut self) -> FrameIter<'_> {
        self.queued(|frames, on_frame| frames.end(on_frame))
    }

    /// Ends the body and calls `on_frame` for each frame that is left. See [`finish`](Self::finish).
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// let mut frames = Frames::new();
    /// frames.feed_with("{\"n\":1}", |_| unreachable!("the line may go on"));
    /// frames.finish_with(|frame| assert_eq!(frame, Frame::Text("{\"n\":1}")));
    /// ```
    pub fn finish_with(&mut self, mut on_frame: impl FnMut(Frame<'_>)) {
        unless_interrupted(self, |frames| frames.end(&mut on_frame));
    }

    /// Returns the reader's state as bytes, together with `state`, the state of the reader of the events. `state` may
    /// be any bytes, even none; it is returned unchanged as long as no byte of the body has been read.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, SAVE_LIMIT, ToolCalls};
    /// use jsonspigot_framing::{Frame, Frames};
    ///
    /// let calls = || ToolCalls::default();
    /// let new_stream = || ProviderStream::new(Provider::OpenaiChat, calls()).saveable(SAVE_LIMIT);
    /// let (mut frames, stream) = (Frames::new(), new_stream());
    /// assert_eq!(frames.feed("data: {\"cho").next(), None);
    /// let saved = frames.save_with(stream.save()?)?;
    ///
    /// // In another process:
    /// let (mut frames, _stream) = Frames::new().restore_with(&saved, |state| new_stream().restore(state))?;
    /// assert_eq!(frames.feed("ices\":[]}\n\n").next(), Some(Frame::Text("{\"choices\":[]}")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Never fails. The type is that of the other `save` methods.
    ///
    /// # Cost
    ///
    /// A copy of the state and of the open event.
    pub fn save_with(&self, state: impl AsRef<[u8]>) -> Result<Vec<u8>, Error> {
        let state = state.as_ref();
        if self.is_new() { Ok(state.to_vec()) } else { with_added(state, |out| self.state.save(out)) }
    }

    /// Resumes where [`save_with`](Self::save_with) saved, with the limit of `self`. `restore_state` receives the state
    /// that was saved with it. See [`save_with`](Self::save_with) for an example.
    ///
    /// # Errors
    ///
    /// Fails if `restore_state`, which is called first, fails; if the bytes are not a saved state; or if no body leads
    /// to the state under this limit. Forged bytes are refused, or can do no more than a body can.
    pub fn restore_with<T>(
        self,
        saved: &[u8],
        restore_state: impl FnOnce(&[u8]) -> Result<T, RestoreError>,
    ) -> Result<(Self, T), RestoreError> {
        let saved = Saved::of(saved)?;
        let state = restore_state(saved.state)?;
        let restored = saved.added(|reader| State::restore(reader, self.limit))?;
        let frames = Self::with_limit(self.limit);
        let frames = match restored {
            Some(state) => Self { state, ..frames },
            None => frames,
        };
        Ok((frames, state))
    }

    fn is_new(&self) -> bool {
        matches!(&self.state, State::Undecided(undecided) if undecided.is_new())
    }

    /// Queues the frames of `read` and returns them.
    fn queued(&mut self, read: impl FnOnce(&mut Self, &mut dyn FnMut(Frame<'_>))) -> FrameIter<'_> {
        let mut queue = core::mem::take(&mut self.queue);
        queue.clear();
        read(self, &mut |frame| queue.push(frame));
        self.queue = queue;
        self.queue.iter()
    }

    fn read(&mut self, chunk: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        let mut rest = chunk;
        while let (State::Undecided(undecided), Some((byte, behind))) = (&mut self.state, rest.split_first()) {
            match undecided.look(*byte) {
                Some(format) => {
                    let (first, sse) = undecided.take();
                    self.state = match format {
                        Format::Sse => State::Sse(sse),
                        Format::Texts => State::Texts(Box::new(Texts::new(self.limit))),
                        Format::Array => State::Texts(Box::new(Texts::in_array(self.limit))),
                        Format::Messages => State::Messages(Messages::new(self.limit)),
                    };
                    self.pass_on(&first, on_frame);
                }
                None => rest = behind,
            }
        }
        self.pass_on(rest, on_frame);
    }

    fn pass_on(&mut self, piece: &[u8], on_frame: &mut dyn FnMut(Frame<'_>)) {
        match &mut self.state {
            State::Undecided(_) => {}
            State::Sse(sse) => sse.feed(piece, on_frame),
            State::Texts(texts) => texts.feed(piece, on_frame),
            State::Messages(messages) => messages.feed(piece, on_frame),
            State::Panicked(true) => {}
            State::Panicked(is_reported) => {
                *is_reported = true;
                on_frame(Frame::Damaged(Damage::Panicked));
            }
        }
    }

    fn end(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        match &mut self.state {
            State::Undecided(undecided) => undecided.finish(on_frame),
            State::Sse(sse) => sse.finish(on_frame),
            State::Texts(texts) => texts.finish(on_frame),
            State::Messages(messages) => messages.finish(on_frame),
            State::Panicked(true) => {}
            State::Panicked(is_reported) => {
                *is_reported = true;
                on_frame(Frame::Damaged(Damage::Panicked));
            }
        }
    }
}

impl State {
    fn save(&self, out: &mut Writer<'_>) -> Result<(), Error> {
        match self {
            Self::Undecided(undecided) => {
                out.number(0);
                undecided.save(out);
            }
            Self::Sse(sse) => {
                out.number(1);
                sse.save(out);
            }
            Self::Texts(texts) => {
                out.number(2);
                texts.save(out)?;
            }
            Self::Messages(messages) => {
                out.number(3);
                messages.save(out);
            }
            Self::Panicked(is_reported) => {
                out.number(4);
                out.flag(*is_reported);
            }
        }
        Ok(())
    }

    fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, RestoreError> {
        Ok(match reader.number()? {
            0 => Self::Undecided(Undecided::restore(reader, limit)?),
            1 => Self::Sse(Sse::restore(reader, limit)?),
            2 => Self::Texts(Box::new(Texts::restore(reader, limit)?)),
            3 => Self::Messages(Messages::restore(reader, limit)?),
            4 => Self::Panicked(reader.flag()?),
            _ => return Err(RestoreError::Impossible),
        })
    }
}
