//! The parts of a body: frames, and damage to the framing itself.

use alloc::borrow::ToOwned;
use alloc::string::String;
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
/// assert_eq!(
///     found,
///     [Frame::Text("{}"), Frame::Unreadable("\u{fffd}"), Frame::Exception(r#"{"error":"no"}"#), Frame::TooLong]
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Frame<'a> {
    /// The text of one event. It need not be JSON: `[DONE]` is an event too.
    Text(&'a str),
    /// The text of an event that the framing marks as an error. It must not be ignored, even if its name is unknown.
    Exception(&'a str),
    /// Text that may have been an event but can't be read: it is not JSON, not UTF-8, or was damaged in transit.
    /// Invalid UTF-8 is replaced by U+FFFD.
    Unreadable(&'a str),
    /// An event that was longer than the limit and was skipped.
    TooLong,
    /// The framing itself is damaged. The part of the event that can be shown is reported before, as
    /// [`Unreadable`](Self::Unreadable).
    Damaged(Damage),
}

impl Frame<'_> {
    /// Returns a copy of the frame that owns its text, for channels and queues.
    ///
    /// ```
    /// use jsonspigot_framing::{Frame, OwnedFrame};
    ///
    /// assert_eq!(Frame::Text("{}").to_owned(), OwnedFrame::Text("{}".to_owned()));
    /// ```
    #[must_use]
    pub fn to_owned(self) -> OwnedFrame {
        match self {
            Self::Text(text) => OwnedFrame::Text(text.to_owned()),
            Self::Exception(text) => OwnedFrame::Exception(text.to_owned()),
            Self::Unreadable(text) => OwnedFrame::Unreadable(text.to_owned()),
            Self::TooLong => OwnedFrame::TooLong,
            Self::Damaged(damage) => OwnedFrame::Damaged(damage),
        }
    }
}

/// A [`Frame`] that borrows nothing. Returned by [`Frame::to_owned`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnedFrame {
    /// See [`Frame::Text`].
    Text(String),
    /// See [`Frame::Exception`].
    Exception(String),
    /// See [`Frame::Unreadable`].
    Unreadable(String),
    /// See [`Frame::TooLong`].
    TooLong,
    /// See [`Frame::Damaged`].
    Damaged(Damage),
}

impl OwnedFrame {
    /// Returns the frame as [`Frames`](crate::Frames) reported it.
    ///
    /// ```
    /// use jsonspigot_framing::Frame;
    ///
    /// assert_eq!(Frame::Text("{}").to_owned().as_frame(), Frame::Text("{}"));
    /// ```
    #[must_use]
    pub fn as_frame(&self) -> Frame<'_> {
        match self {
            Self::Text(text) => Frame::Text(text),
            Self::Exception(text) => Frame::Exception(text),
            Self::Unreadable(text) => Frame::Unreadable(text),
            Self::TooLong => Frame::TooLong,
            Self::Damaged(damage) => Frame::Damaged(*damage),
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
/// assert_eq!(rest, [Frame::Unreadable("["), Frame::Damaged(Damage::OpenArray)]);
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
