//! The outcome of a text with an end of its own: a tool call's input, or the payload of an envelope.
//!
//! Owns the verdict's names, [`PayloadStatus`], and what comes with each, [`Payload`]. The module that reads the text
//! decides which verdict it is.

mod alike;
mod owned;
mod serialize;
mod values;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use jsonspigot::{CompleteValue, Deviation, Error, Parser};

pub(crate) use self::alike::{are_alike, is_validated};
pub use self::owned::OwnedPayload;
pub(crate) use self::serialize::{put_payload, put_wrong};
use self::values::values_of;

/// The outcome of a tool call's input, or of an envelope's payload: the verdict, the text and, if complete, the value.
///
/// ```
/// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
/// use jsonspigot::{ErrorKind, PatternSet};
///
/// let mut calls = ToolCalls::new(&PatternSet::default());
/// let mut ended = 0;
/// let mut on_event = |event: CallEvent<'_>| {
///     if let CallEvent::End { input, .. } = event {
///         assert_eq!(input.status(), PayloadStatus::Truncated { reason: "max_tokens" });
///         assert!(input.value().is_none(), "what was cut is never handed out");
///         assert_eq!(input.raw(), r#"{"path": "a", "content": "half of i"#);
///         assert_eq!(input.error().unwrap().kind(), ErrorKind::Incomplete);
///         ended += 1;
///     }
/// };
/// calls.start_with(0, CallStart::new("write_file"), &mut on_event);
/// calls.delta_with(0, r#"{"path": "a", "content": "half of i"#, &mut on_event);
/// calls.finish_with(Some("max_tokens"), &mut on_event);
/// assert_eq!(ended, 1);
/// ```
#[derive(Clone)]
pub struct Payload<'a> {
    pub(crate) status: PayloadStatus<'a>,
    pub(crate) raw: &'a str,
    pub(crate) value: Option<CompleteValue<'a>>,
    pub(crate) error: Option<&'a Error>,
    /// The parser that has read it, if one has.
    pub(crate) parser: Option<&'a Parser>,
}

impl<'a> Payload<'a> {
    /// The verdict.
    #[must_use]
    pub fn status(&self) -> PayloadStatus<'a> {
        self.status
    }

    /// The text as it came, including what follows the first bad byte. A call's fragments, joined, are this text; that
    /// of a payload is everything between its delimiters, up to its limit.
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The value, if it is complete or [accepted](PayloadStatus::Accepted). An empty tool call has one too: `{}`.
    #[must_use]
    pub fn value(&self) -> Option<&CompleteValue<'a>> {
        self.value.as_ref()
    }

    /// The values of a trailing input that is nothing but whole values, two or more, in their order, each as its JSON
    /// text; otherwise none. Each is within the limits of its parser, and has no key twice if that is refused. Servers
    /// put several calls into one, or send one several times; which it is, only you can tell.
    ///
    /// # Cost
    ///
    /// Reads the text each time.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    /// use jsonspigot::PatternSet;
    ///
    /// let mut calls = ToolCalls::new(&PatternSet::default());
    /// let mut ended = 0;
    /// let mut on_event = |event: CallEvent<'_>| {
    ///     if let CallEvent::End { input, .. } = event {
    ///         assert_eq!(input.status(), PayloadStatus::Trailing);
    ///         assert_eq!(input.values(), [r#"{"id":1}"#, r#"{"id":2}"#]);
    ///         assert!(!input.is_repeated());
    ///         ended += 1;
    ///     }
    /// };
    /// calls.start_with(0, CallStart::new("show"), &mut on_event);
    /// calls.delta_with(0, r#"{"id":1}{"id":2}"#, &mut on_event);
    /// calls.finish_with(Some("tool_calls"), &mut on_event);
    /// assert_eq!(ended, 1);
    /// ```
    #[must_use]
    pub fn values(&self) -> Vec<&'a str> {
        self.places_of_values().into_iter().filter_map(|place| self.raw.get(place)).collect()
    }

    fn places_of_values(&self) -> Vec<Range<usize>> {
        let parser = self.parser.filter(|_| self.status == PayloadStatus::Trailing);
        parser.map(|parser| values_of(self.raw, parser)).unwrap_or_default()
    }

    /// Returns true if the [`values`](Self::values) are all equal, as far as servers keep what they repeat: members in
    /// any order, and numbers that are the same double.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        are_all_alike(&self.values())
    }

    /// Returns the places in which the text deviates from JSON and was read on nevertheless: the first
    /// [`Deviation::LIST_LIMIT`] places, in order. Empty unless its parser is
    /// [lenient](jsonspigot::ParserBuilder::lenient).
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    /// use jsonspigot::{Leniency, Parser};
    ///
    /// let parser = Parser::builder().lenient(Leniency::MODEL_OUTPUT).accept_deviations();
    /// let mut calls = ToolCalls::builder().parser(parser).build();
    /// let mut ended = 0;
    /// let mut on_event = |event: CallEvent<'_>| {
    ///     if let CallEvent::End { input, .. } = event {
    ///         assert_eq!(input.status(), PayloadStatus::Accepted);
    ///         assert_eq!((input.raw(), input.value().unwrap().text()), (r#"{"a": [1,]}"#, r#"{"a": [1]}"#));
    ///         assert_eq!(input.deviations()[0].offset(), 9);
    ///         ended += 1;
    ///     }
    /// };
    /// calls.start_with(0, CallStart::new("show"), &mut on_event);
    /// calls.delta_with(0, r#"{"a": [1,]}"#, &mut on_event);
    /// calls.finish_with(Some("tool_calls"), &mut on_event);
    /// assert_eq!(ended, 1);
    /// ```
    #[must_use]
    pub fn deviations(&self) -> &'a [Deviation] {
        self.parser.map_or(&[], Parser::deviations)
    }

    /// Returns the number of deviations, listed or not.
    #[must_use]
    pub fn deviation_count(&self) -> u64 {
        self.parser.map_or(0, Parser::deviation_count)
    }

    /// Returns the error of the JSON: kind, offset and path, for malformed, trailing and truncated text.
    #[must_use]
    pub fn error(&self) -> Option<&'a Error> {
        self.error
    }
}

/// Returns true if there are several, and all are alike.
fn are_all_alike(values: &[&str]) -> bool {
    values.len() > 1 && values.iter().all(|value| are_alike(values[0], value))
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload")
            .field("status", &self.status)
            .field("raw", &self.raw)
            .field("value", &self.value)
            .field("error", &self.error)
            .field("deviations", &self.deviations())
            .finish()
    }
}

/// The verdict on a [`Payload`]. Only a complete one, an accepted one and an empty tool call have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PayloadStatus<'a> {
    /// One complete JSON value and nothing else; `null` is one too.
    Complete,
    /// One value that is JSON but for the deviations that the parser was built to
    /// [accept](jsonspigot::ParserBuilder::accept_deviations), and nothing else. The value is that of the strict JSON
    /// text it stands for; [`Payload::deviations`] says what was wrong. Never [`Complete`](Self::Complete), so that
    /// code which acts on complete values alone does not act on a guess.
    Accepted,
    /// No text at all, or only white space between delimiters, and it ended as it should.
    Empty,
    /// It ended too early. There is no value, however much has arrived.
    Truncated {
        /// The reason. The provider's word for the end of a message (`max_tokens`, `length`, …), what
        /// [`finish`](crate::calls::ToolCalls::finish) was given, or one of these:
        ///
        /// | reason | what happened |
        /// |---|---|
        /// | `end-of-input` | the input ended, and nothing had said that the text was complete |
        /// | `incomplete` | the end was announced, but the JSON was not complete |
        /// | `limit` | a limit of the calls or the envelope was exceeded |
        /// | `superseded` | another message began |
        /// | `bad-frame` | an event that could not be read arrived while the call was open |
        /// | `unplaced` | a fragment that names no call, or an unknown one, may have been part of it |
        /// | `mismatch` | the input was repeated, and the two differ |
        /// | `mixed` | the input came both as text and as values by path |
        reason: &'a str,
    },
    /// Not JSON, from the error's offset on; or refused there by the parser's limits or its policy on duplicate keys.
    Malformed,
    /// A complete value with more text after it.
    Trailing,
    /// Not JSON by nature (a patch, a query, code, a thought): the raw text is all there is, and it is complete.
    Raw,
}

impl PayloadStatus<'_> {
    /// The status in lower case, as the command line prints it: `complete`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Accepted => "accepted",
            Self::Empty => "empty",
            Self::Truncated { .. } => "truncated",
            Self::Malformed => "malformed",
            Self::Trailing => "trailing",
            Self::Raw => "raw",
        }
    }
}

impl fmt::Display for PayloadStatus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
