//! The parts of a body: frames, and damage to the framing itself.

use alloc::borrow::Cow;
use core::error::Error;
use core::fmt;

/// One event of a body, or damage to the framing.
///
/// ```
/// use jsonspigot_framing::{Frame, Frames};
///
/// let mut frames = Frames::with_limit(10);
/// let body = b"data: {}\n\ndata: \xFF\n\nerror: no\n\ndata: [1, 2, 3, 4]\n\n";
/// let found: Vec<_> = frames.feed(body).collect();
/// let exception = Frame::Exception(r#"{"error":"no"}"#.into());
/// assert_eq!(found, [Frame::Text("{}".into()), Frame::Unreadable("\u{fffd}".into()), exception, Frame::TooLong]);
/// ```
///
/// A callback receives a frame that borrows its text. [`into_owned`](Self::into_owned) makes the frame `'static`, for
/// channels and other threads. Iterators return owned frames.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Frame<'a> {
    /// The text of one event. It need not be JSON: `[DONE]` is an event too.
    Text(Cow<'a, str>),
    /// The text of an event that the framing marks as an error. It must not be ignored, even if its name is unknown.
    Exception(Cow<'a, str>),
    /// Text that may have been an event but can't be read: it is not JSON, not UTF-8, or was damaged in transit.
    /// Invalid UTF-8 is replaced by U+FFFD.
    Unreadable(Cow<'a, str>),
    /// An event that was longer than the limit and was skipped.
    TooLong,
    /// The framing itself is damaged. The part of the event that can be shown is reported before, as
    /// [`Unreadable`](Self::Unreadable).
    Damaged(Damage),
}

impl Frame<'_> {
    /// Returns a frame that owns its text. Copies the text unless the frame already owns it.
    #[must_use]
    pub fn into_owned(self) -> Frame<'static> {
        let owned = |text: Cow<'_, str>| text.into_owned().into();
        match self {
            Self::Text(text) => Frame::Text(owned(text)),
            Self::Exception(text) => Frame::Exception(owned(text)),
            Self::Unreadable(text) => Frame::Unreadable(owned(text)),
            Self::TooLong => Frame::TooLong,
            Self::Damaged(damage) => Frame::Damaged(damage),
        }
    }
}

/// A fault in the framing itself. `start` is the offset in the body of the message's first byte.
///
/// ```
/// use jsonspigot_framing::{Damage, Frame, Frames};
///
/// let mut frames = Frames::new();
/// assert_eq!(frames.feed(r#"[{"n":1},"#).count(), 1);
/// let rest: Vec<_> = frames.finish().collect();
/// assert_eq!(rest, [Frame::Unreadable("[".into()), Frame::Damaged(Damage::OpenArray)]);
/// assert_eq!(Damage::OpenArray.to_string(), "incomplete: the input ends inside an array of events");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Damage {
    /// The body ends inside an array of events: `[{},`.
    OpenArray,
    /// The body ends inside a message.
    OpenMessage {
        /// The offset of the message.
        start: u64,
    },
    /// The lengths of a message do not match their checksum, so the rest of the body can't be read.
    WrongLengths {
        /// The offset of the message.
        start: u64,
    },
    /// The lengths of a message match their checksum but contradict each other, so the rest of the body can't be read.
    InconsistentLengths {
        /// The offset of the message.
        start: u64,
    },
    /// A message does not match its checksum. The next one is read.
    WrongMessage {
        /// The offset of the message.
        start: u64,
    },
    /// A message matches its checksum, but its headers are invalid. The next one is read.
    InvalidHeaders {
        /// The offset of the message.
        start: u64,
    },
    /// A callback panicked in an earlier call. The rest of that chunk is lost, and nothing more of the body is read.
    Panicked,
}

impl Damage {
    /// Returns the name of the kind of damage: `incomplete` if the body was cut, `panicked`, or `damaged-message`.
    ///
    /// ```
    /// use jsonspigot_framing::Damage;
    ///
    /// assert_eq!(Damage::OpenMessage { start: 0 }.name(), "incomplete");
    /// assert_eq!(Damage::WrongMessage { start: 0 }.name(), "damaged-message");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenArray | Self::OpenMessage { .. } => "incomplete",
            Self::Panicked => "panicked",
            _ => "damaged-message",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name())?;
        match self {
            Self::OpenArray => f.write_str("the input ends inside an array of events"),
            Self::OpenMessage { start } => write!(f, "the input ends inside the message at byte {start}"),
            Self::WrongLengths { start } => write!(
                f,
                "the lengths of the message at byte {start} do not match their checksum; the rest of the input can't be read"
            ),
            Self::InconsistentLengths { start } => write!(
                f,
                "the lengths of the message at byte {start} are inconsistent; the rest of the input can't be read"
            ),
            Self::WrongMessage { start } => write!(f, "the message at byte {start} does not match its checksum"),
            Self::InvalidHeaders { start } => write!(f, "the message at byte {start} has invalid headers"),
            Self::Panicked => f.write_str("a callback panicked; the rest of the input is not read"),
        }
    }
}

impl Error for Damage {}
