//! The reader of a body: passes its bytes to the reader of its format, once that is known, and saves its state.

use alloc::boxed::Box;
use alloc::vec::Vec;

use jsonspigot::internal::{Interrupted, owned_events, unless_interrupted};
use jsonspigot::{Error, RestoreError};

use crate::amazon::Messages;
use crate::detection::{Format, Undecided};
use crate::frame::{Damage, Frame};
use crate::saved::{Impossible, Reader, Writer, restore_with, with_added};
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
///         found.extend(frames.feed(chunk));
///     }
///     found.extend(frames.finish());
///     assert_eq!(found, [Frame::Text("{\"n\":1}".into()), Frame::Text("[2]".into())]);
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

owned_events! {
    /// The frames of one chunk, in order, returned by [`Frames::feed`] and [`Frames::finish`]. The chunk has already been
    /// read, and nothing is borrowed.
    FrameIter of Frame<'static>
}

impl Frames {
    /// Creates a reader of events of at most 32 MiB, which is also the default of `CallLimits` in the crate
    /// `jsonspigot-llm`.
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
    /// assert_eq!(found, [Frame::Text("{\"n\":1}".into()), Frame::TooLong, Frame::Text("{\"n\":3}".into())]);
    /// ```
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { state: State::Undecided(Undecided::new(limit)), limit }
    }

    /// Returns the largest number of bytes of text that an event may have.
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
    /// assert_eq!(frames.feed("\ndata: ").collect::<Vec<_>>(), [Frame::Text("{}".into())]);
    /// ```
    ///
    /// The whole chunk is read at once, even if no frame is taken out of the iterator.
    pub fn feed(&mut self, chunk: impl AsRef<[u8]>) -> FrameIter {
        let mut frames = Vec::new();
        self.read(chunk.as_ref(), &mut |frame| frames.push(frame.into_owned()));
        FrameIter::new(frames)
    }

    /// Reads a chunk and calls `on_frame` for each frame that ends in it. Unlike [`feed`](Self::feed), it copies no
    /// text.
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
    /// assert_eq!(frames.finish().next(), Some(Frame::Text("{}".into())));
    /// assert_eq!(frames.finish().next(), None);
    /// ```
    pub fn finish(&mut self) -> FrameIter {
        let mut frames = Vec::new();
        self.end(&mut |frame| frames.push(frame.into_owned()));
        FrameIter::new(frames)
    }

    /// Ends the body and calls `on_frame` for each frame that is left. See [`finish`](Self::finish).
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
    /// assert_eq!(frames.feed("ices\":[]}\n\n").next(), Some(Frame::Text("{\"choices\":[]}".into())));
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
        let mut new = Self::with_limit(self.limit);
        let (state, beside) = restore_with(saved, restore_state, |reader| State::restore(reader, self.limit))?;
        if let Some(state) = state {
            new.state = state;
        }
        Ok((new, beside))
    }

    fn is_new(&self) -> bool {
        matches!(&self.state, State::Undecided(undecided) if undecided.is_new())
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
                out.byte(0);
                undecided.save(out);
            }
            Self::Sse(sse) => {
                out.byte(1);
                sse.save(out);
            }
            Self::Texts(texts) => {
                out.byte(2);
                texts.save(out)?;
            }
            Self::Messages(messages) => {
                out.byte(3);
                messages.save(out);
            }
            Self::Panicked(is_reported) => {
                out.byte(4);
                out.flag(*is_reported);
            }
        }
        Ok(())
    }

    fn restore(reader: &mut Reader<'_>, limit: usize) -> Result<Self, Impossible> {
        Ok(match reader.byte()? {
            0 => Self::Undecided(Undecided::restore(reader, limit)?),
            1 => Self::Sse(Sse::restore(reader, limit)?),
            2 => Self::Texts(Box::new(Texts::restore(reader, limit)?)),
            3 => Self::Messages(Messages::restore(reader, limit)?),
            4 => Self::Panicked(reader.flag()?),
            _ => return Err(Impossible),
        })
    }
}
