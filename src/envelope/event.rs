//! What an envelope tells: [`EnvelopeEvent`], and the verdict on a payload, [`Payload`].

use super::delimiter::Delimiter;
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
    /// A delimiter has opened.
    Begin {
        /// Which.
        delimiter: &'a Delimiter,
        /// The opening delimiter, as it came; empty for a bare payload.
        open: &'a str,
        /// Where in the input: the opening delimiter's first byte.
        offset: u64,
    },
    /// A pattern's match in a JSON payload: its begin, delta or end. Its offsets, and an error's, count from the byte
    /// behind the opening delimiter.
    Match {
        /// Which delimiter's payload.
        delimiter: &'a Delimiter,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A piece of a payload that is plain text: never empty.
    Fragment {
        /// Which delimiter's payload.
        delimiter: &'a Delimiter,
        /// The piece.
        text: &'a str,
    },
    /// The payload has ended, for better or worse.
    End(Payload<'a>),
}

/// What a payload came to.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    pub(super) delimiter: &'a Delimiter,
    pub(super) status: PayloadStatus,
    pub(super) raw: &'a str,
    pub(super) length: u64,
    pub(super) close: &'a str,
    pub(super) value: Option<CompleteValue<'a>>,
    pub(super) error: Option<&'a Error>,
}

impl<'a> Payload<'a> {
    /// The delimiter that it stood behind.
    #[must_use]
    pub fn delimiter(&self) -> &'a Delimiter {
        self.delimiter
    }

    /// The verdict.
    #[must_use]
    pub fn status(&self) -> PayloadStatus {
        self.status
    }

    /// All that stood between the delimiters, as it came, white space too; up to the
    /// [payload limit](super::EnvelopeBuilder::payload_limit).
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// How many bytes stood between the delimiters: more than are in [`raw`](Self::raw) if the payload passed its limit.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The closing delimiter, as it came: empty for a bare payload, cut or empty where the input ended before it did.
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
    /// `<!--context {"a":1} -->`: one whole JSON value. Also if the input ended before the closing delimiter did, unless
    /// more digits might have followed.
    Complete,
    /// `<!--context -->`: nothing but white space where JSON could have stood.
    Empty,
    /// `<!--context {"a":` and the input ends; or the payload passed its limit. Plain text is truncated where its
    /// closing delimiter is missing.
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
