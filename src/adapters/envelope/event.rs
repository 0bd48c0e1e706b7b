//! What an envelope tells: [`EnvelopeEvent`], and the verdict on a payload, [`Payload`].

use super::mark::Mark;
use crate::error::Error;
use crate::event::{CompleteValue, Event};

/// Something that became known about a text with payloads in it. Borrowed; it lives as long as the callback.
///
/// Every payload is told from its [`Begin`](EnvelopeEvent::Begin) to its [`End`](EnvelopeEvent::End) before anything
/// else is. What is told by [`Text`](EnvelopeEvent::Text), `Begin`'s `open`, [`Payload::raw`] and [`Payload::close`],
/// joined in order, is the input, unless a payload passed its limit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EnvelopeEvent<'a> {
    /// A piece of the visible text: never empty.
    Text(&'a str),
    /// A mark has opened.
    Begin {
        /// Which.
        mark: &'a Mark,
        /// The opening mark, as it came; empty for a bare payload.
        open: &'a str,
        /// Where in the input: the opening mark's first byte.
        offset: u64,
    },
    /// A pattern's match in a JSON payload: its begin, delta or end. Its offsets, and an error's, count from the byte
    /// behind the opening mark.
    Match {
        /// Which mark's payload.
        mark: &'a Mark,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A piece of a payload that is plain text: never empty.
    Fragment {
        /// Which mark's payload.
        mark: &'a Mark,
        /// The piece.
        text: &'a str,
    },
    /// The payload has ended, for better or worse.
    End(Payload<'a>),
}

/// What a payload came to.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    pub(super) mark: &'a Mark,
    pub(super) status: PayloadStatus,
    pub(super) raw: &'a str,
    pub(super) length: u64,
    pub(super) close: &'a str,
    pub(super) value: Option<CompleteValue<'a>>,
    pub(super) error: Option<&'a Error>,
}

impl<'a> Payload<'a> {
    /// The mark that it stood behind.
    #[must_use]
    pub fn mark(&self) -> &'a Mark {
        self.mark
    }

    /// The verdict.
    #[must_use]
    pub fn status(&self) -> PayloadStatus {
        self.status
    }

    /// All that stood between the marks, as it came, white space too; up to the
    /// [payload limit](super::EnvelopeBuilder::payload_limit).
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// How many bytes stood between the marks: more than are in [`raw`](Self::raw) if the payload passed its limit.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The closing mark, as it came: empty for a bare payload, cut or empty where the input ended before it did.
    #[must_use]
    pub fn close(&self) -> &'a str {
        self.close
    }

    /// The value, if the payload is complete.
    #[must_use]
    pub fn value(&self) -> Option<CompleteValue<'a>> {
        self.value
    }

    /// What is wrong: kind, offset and path; for all but complete, empty and raw payloads.
    #[must_use]
    pub fn error(&self) -> Option<&'a Error> {
        self.error
    }
}

/// The verdicts on a payload. Only the first has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PayloadStatus {
    /// `<!--context {"a":1} -->`: one whole JSON value. Also if the input ended before the closing mark did, unless
    /// more digits might have followed.
    Complete,
    /// `<!--context -->`: nothing but white space where JSON could have stood.
    Empty,
    /// `<!--context {"a":` and the input ends; or the payload passed its limit. Plain text is truncated where its
    /// closing mark is missing.
    Truncated,
    /// `<!--context {a:1} -->`: not JSON, from the error's offset on.
    Malformed,
    /// `<!--context {} {} -->`: a whole value with more behind it.
    Trailing,
    /// `<think>Hm.</think>`: plain text, and it is whole.
    Raw,
}

impl PayloadStatus {
    /// The status in lower case, as the command line prints it: `complete`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Empty => "empty",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Trailing => "trailing",
            Self::Raw => "raw",
        }
    }
}
