//! The outcome of a delimited text: a tool call's input, or the payload of an envelope.
//!
//! Owns the names of the verdicts, [`PayloadStatus`], and the data of each, [`Payload`]. The module that reads the text
//! decides the verdict.

mod alike;
mod serialize;
mod values;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use jsonspigot::{CompleteValue, Deviation, Error, ErrorKind, Parser};
use serde::Deserialize;

pub(crate) use self::alike::{are_alike, is_validated};
use self::values::values_of;

/// The outcome of a tool call's input, or of an envelope's payload: the verdict, the text and, if complete, the value.
///
/// ```
/// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
/// use jsonspigot::ErrorKind;
///
/// let mut calls = ToolCalls::default();
/// calls.start(0, CallStart::new("write_file")).check()?;
/// calls.delta(0, r#"{"path": "a", "content": "half of i"#).check()?;
/// for event in calls.end_message("max_tokens") {
///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
///     assert_eq!(input.status(), PayloadStatus::Truncated { reason: "max_tokens" });
///     assert!(input.value().is_none(), "what was cut is never handed out");
///     assert_eq!(input.raw(), r#"{"path": "a", "content": "half of i"#);
///     assert_eq!(input.error().unwrap().kind(), ErrorKind::Incomplete);
/// }
/// # Ok::<(), jsonspigot_llm::CallError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Payload<'a> {
    status: PayloadStatus<'static>,
    /// The reason of a truncated payload, which may be owned.
    reason: Cow<'a, str>,
    raw: Cow<'a, str>,
    value: Option<CompleteValue<'a>>,
    error: Option<Cow<'a, Error>>,
    /// Boxed because few payloads have any.
    oddities: Option<Box<Oddities<'a>>>,
}

/// The properties of a text that is not exactly one JSON value.
#[derive(Clone, PartialEq, Eq)]
struct Oddities<'a> {
    deviations: Cow<'a, [Deviation]>,
    deviation_count: u64,
    /// The ranges of the values in a trailing input that consists of whole values.
    values: Vec<Range<usize>>,
}

impl<'a> Payload<'a> {
    /// Returns the payload of a text; `parser` is the parser that has read it, if any.
    pub(crate) fn new(
        status: PayloadStatus<'a>,
        raw: &'a str,
        value: Option<CompleteValue<'a>>,
        error: Option<&'a Error>,
        parser: Option<&'a Parser>,
    ) -> Self {
        let oddities = parser.and_then(|parser| {
            let is_trailing = status == PayloadStatus::Trailing;
            let (deviations, deviation_count) = (parser.deviations().into(), parser.deviation_count());
            let values = if is_trailing { values_of(raw, parser) } else { Vec::new() };
            let has_any = deviation_count > 0 || !values.is_empty();
            has_any.then(|| Box::new(Oddities { deviations, deviation_count, values }))
        });
        let reason = if let PayloadStatus::Truncated { reason } = status { reason } else { "" };
        let (status, error) = (status.with_reason(""), error.map(Cow::Borrowed));
        Self { status, reason: reason.into(), raw: raw.into(), value, error, oddities }
    }

    /// Returns the payload with the status `truncated` and without its value.
    #[cfg(all(feature = "providers", feature = "envelope"))]
    pub(crate) fn truncated(self, reason: &'static str) -> Self {
        Self { status: PayloadStatus::Truncated { reason: "" }, reason: reason.into(), value: None, ..self }
    }

    /// Returns a payload that owns its parts: `'static`, for channels and other threads. Copies the text and the value
    /// unless it already owns them.
    #[must_use]
    pub fn into_owned(self) -> Payload<'static> {
        let Self { status, reason, raw, value, error, oddities } = self;
        Payload {
            status,
            reason: owned(reason),
            raw: owned(raw),
            value: value.map(CompleteValue::into_owned),
            error: error.map(|error| Cow::Owned(error.into_owned())),
            oddities: oddities.map(|oddities| {
                let Oddities { deviations, deviation_count, values } = *oddities;
                Box::new(Oddities { deviations: deviations.into_owned().into(), deviation_count, values })
            }),
        }
    }

    /// Returns the verdict.
    #[must_use]
    pub fn status(&self) -> PayloadStatus<'_> {
        self.status.with_reason(&self.reason)
    }

    /// Returns the text as it was received, including everything after the first bad byte. For a call this is its
    /// fragments, joined. For an envelope's payload it is everything between the delimiters, up to the limit.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the value if it is complete or [accepted](PayloadStatus::Accepted). The value of an empty tool call is
    /// `{}`.
    #[must_use]
    pub fn value(&self) -> Option<&CompleteValue<'a>> {
        self.value.as_ref()
    }

    /// Deserializes the [value](Self::value) strictly with serde_json.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, ToolCalls};
    ///
    /// let mut calls = ToolCalls::default();
    /// calls.start(0, CallStart::new("move")).check()?;
    /// calls.delta(0, r#"{"x": 1, "y": 2.50}"#).check()?;
    /// for event in calls.end_message("tool_calls") {
    ///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///     let point: std::collections::BTreeMap<String, f64> = input.deserialize()?;
    ///     assert_eq!(point["y"], 2.5);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no value, fails with the [error](Self::error) of the text or with an error that names the status.
    /// Otherwise fails like [`CompleteValue::deserialize`].
    pub fn deserialize<'d, T: Deserialize<'d>>(&'d self) -> Result<T, Error> {
        match &self.value {
            Some(value) => value.deserialize(),
            None => Err(self.error().cloned().unwrap_or_else(|| self.without_value())),
        }
    }

    /// Returns the error for a text that has no value although nothing is wrong with it.
    fn without_value(&self) -> Error {
        let status = self.status();
        let kind = if status == PayloadStatus::Raw { ErrorKind::Data } else { ErrorKind::Incomplete };
        let reason = match status {
            PayloadStatus::Truncated { reason } => format!(" ({reason})"),
            _ => String::new(),
        };
        Error::without_place(kind, "$", &format!("expected a value, but the text is {status}{reason}"))
    }

    /// Returns the values of a trailing input that consists of two or more whole values and nothing else, in order,
    /// each as its JSON text. Otherwise returns an empty list.
    ///
    /// Each value is within the parser's limits and follows its policy on duplicate keys. Some servers merge several
    /// calls into one, others send one call several times; only the caller can decide between the two.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    ///
    /// let mut calls = ToolCalls::default();
    /// calls.start(0, CallStart::new("show")).check()?;
    /// calls.delta(0, r#"{"id":1}{"id":2}"#).check()?;
    /// for event in calls.end_message("tool_calls") {
    ///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///     assert_eq!((input.status(), input.is_repeated()), (PayloadStatus::Trailing, false));
    ///     assert_eq!(input.values(), [r#"{"id":1}"#, r#"{"id":2}"#]);
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    #[must_use]
    pub fn values(&self) -> Vec<&str> {
        let places = self.oddities.iter().flat_map(|oddities| &oddities.values);
        places.filter_map(|place| self.raw.get(place.clone())).collect()
    }

    /// Returns true if there are several [`values`](Self::values) and all are equal. Members may be in any order, and
    /// numbers are compared as doubles, since servers that repeat a value may rewrite both. Linear in the input.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        let values = self.values();
        // It is read once for each of the others.
        let shortest = values.iter().min_by_key(|value| value.len());
        values.len() > 1 && shortest.is_some_and(|shortest| values.iter().all(|value| are_alike(shortest, value)))
    }

    /// Returns the deviations from JSON that the parser tolerated in this text, in order: the first
    /// [`Deviation::LIST_LIMIT`] of them. Empty unless the parser is [lenient](jsonspigot::ParserBuilder::lenient).
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    /// use jsonspigot::{Leniency, Parser};
    ///
    /// let parser = Parser::builder().lenient(Leniency::MODEL_OUTPUT).accept_deviations();
    /// let mut calls = ToolCalls::builder().parser(parser).build();
    /// calls.start(0, CallStart::new("show")).check()?;
    /// calls.delta(0, r#"{"a": [1,]}"#).check()?;
    /// for event in calls.end_message("tool_calls") {
    ///     let CallEvent::End { input, .. } = event else { panic!("one call is open") };
    ///     assert_eq!(input.status(), PayloadStatus::Accepted);
    ///     assert_eq!((input.raw(), input.value().unwrap().text()), (r#"{"a": [1,]}"#, r#"{"a": [1]}"#));
    ///     assert_eq!(input.deviations()[0].offset(), 9);
    /// }
    /// # Ok::<(), jsonspigot_llm::CallError>(())
    /// ```
    #[must_use]
    pub fn deviations(&self) -> &[Deviation] {
        self.oddities.as_ref().map_or(&[], |oddities| &oddities.deviations)
    }

    /// Returns the number of deviations, including those that are not listed.
    #[must_use]
    pub fn deviation_count(&self) -> u64 {
        self.oddities.as_ref().map_or(0, |oddities| oddities.deviation_count)
    }

    /// Returns the JSON error of a malformed, trailing or truncated text, with its kind, offset and path.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_deref()
    }
}

/// Returns a text that owns its bytes.
pub(crate) fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    text.into_owned().into()
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload")
            .field("status", &self.status())
            .field("raw", &self.raw)
            .field("value", &self.value)
            .field("error", &self.error)
            .field("deviations", &self.deviations())
            .finish()
    }
}

/// The verdict on a [`Payload`]. Only a complete or accepted payload and an empty tool call have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PayloadStatus<'a> {
    /// One complete JSON value and nothing else. `null` is a value too.
    Complete,
    /// One value and nothing else, with deviations from JSON that the parser was built to
    /// [accept](jsonspigot::ParserBuilder::accept_deviations). The value is that of the equivalent strict JSON text,
    /// and [`Payload::deviations`] lists the deviations. Distinct from [`Complete`](Self::Complete), so that code which
    /// acts only on complete values never acts on a guess.
    Accepted,
    /// No text, or only white space between delimiters, with a regular end.
    Empty,
    /// Ended too early. There is no value, however much has arrived.
    Truncated {
        /// The reason: the one that the provider gave for the end of the message (`max_tokens`, `length`, …), the one
        /// passed to [`cut`](crate::calls::ToolCalls::cut), or one of these:
        ///
        /// | reason | what happened |
        /// |---|---|
        /// | `end-of-input` | the input ended before anything reported that the text was complete |
        /// | `incomplete` | the end was reported, but the JSON was not complete |
        /// | `limit` | a limit of the calls or the envelope was exceeded |
        /// | `superseded` | another message began |
        /// | `bad-frame` | an event that could not be read arrived while the call was open |
        /// | `unknown-part` | a part of unknown meaning, which may belong to the input, was left out |
        /// | `unplaced` | a fragment for an unknown or unnamed call may belong to the input |
        /// | `mismatch` | the input was repeated, and the two differ |
        /// | `mixed` | the input arrived both as text and as values by path |
        /// | `no-name` | the call never received a name |
        /// | `aborted` | the provider reported that the message was aborted |
        /// | `panicked` | a callback panicked while the call was open |
        reason: &'a str,
    },
    /// Not JSON from the error's offset on, or refused there by the parser's limits or its policy on duplicate keys.
    Malformed,
    /// A complete value with more text after it.
    Trailing,
    /// Not JSON by nature, such as a patch, a query, code or a thought. The raw text is complete.
    Raw,
}

impl PayloadStatus<'_> {
    /// Returns the status with this reason, if it has one.
    fn with_reason(self, reason: &str) -> PayloadStatus<'_> {
        match self {
            Self::Complete => PayloadStatus::Complete,
            Self::Accepted => PayloadStatus::Accepted,
            Self::Empty => PayloadStatus::Empty,
            Self::Truncated { .. } => PayloadStatus::Truncated { reason },
            Self::Malformed => PayloadStatus::Malformed,
            Self::Trailing => PayloadStatus::Trailing,
            Self::Raw => PayloadStatus::Raw,
        }
    }

    /// Returns the status in lower case, as the command line prints it: `complete`.
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
