//! A payload that owns its parts.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use jsonspigot::internal::deserialize_whole;
use jsonspigot::{Deviation, Error, ErrorKind};

use super::are_all_alike;
use super::{Payload, PayloadStatus};

/// A [`Payload`] that owns its parts: `'static + Send`, with all that the borrowed one has.
///
/// ```
/// use jsonspigot_llm::{CallStart, OwnedCallEvent, PayloadStatus, ToolCalls};
/// use jsonspigot::PatternSet;
///
/// let mut calls = ToolCalls::new(&PatternSet::default());
/// let _ = calls.start(0, CallStart::new("move"));
/// let _ = calls.delta(0, r#"{"x": 1, "y": 2.50}"#);
/// let input = calls.finish(Some("tool_calls")).find_map(|event| match event {
///     OwnedCallEvent::End { input, .. } => Some(input),
///     _ => None,
/// });
/// let input = input.expect("the call has ended");
/// assert_eq!((input.status(), input.value()), (PayloadStatus::Complete, Some(r#"{"x":1,"y":2.50}"#)));
/// let point: std::collections::BTreeMap<String, f64> = input.deserialize()?;
/// assert_eq!(point["y"], 2.5);
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPayload {
    /// Its reason is in `reason`.
    status: PayloadStatus<'static>,
    reason: Option<String>,
    raw: String,
    value: Option<String>,
    error: Option<Error>,
    deviations: Vec<Deviation>,
    deviation_count: u64,
    /// The places in the text of the values that it has.
    values: Vec<Range<usize>>,
}

impl Payload<'_> {
    /// A copy that can be kept and sent to another thread. Costs the text and, if there is one, the value's text.
    #[must_use]
    pub fn to_owned(&self) -> OwnedPayload {
        let (status, reason) = match self.status {
            PayloadStatus::Truncated { reason } => (PayloadStatus::Truncated { reason: "" }, Some(reason.to_owned())),
            PayloadStatus::Complete => (PayloadStatus::Complete, None),
            PayloadStatus::Accepted => (PayloadStatus::Accepted, None),
            PayloadStatus::Empty => (PayloadStatus::Empty, None),
            PayloadStatus::Malformed => (PayloadStatus::Malformed, None),
            PayloadStatus::Trailing => (PayloadStatus::Trailing, None),
            PayloadStatus::Raw => (PayloadStatus::Raw, None),
        };
        OwnedPayload {
            status,
            reason,
            raw: self.raw.to_owned(),
            value: self.value().map(ToString::to_string),
            error: self.error.cloned(),
            deviations: self.deviations().to_vec(),
            deviation_count: self.deviation_count(),
            values: self.places_of_values(),
        }
    }
}

impl OwnedPayload {
    /// The verdict.
    #[must_use]
    pub fn status(&self) -> PayloadStatus<'_> {
        match &self.reason {
            Some(reason) => PayloadStatus::Truncated { reason },
            None => self.status,
        }
    }

    /// The text as it came; see [`Payload::raw`].
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The value's JSON text on one line, numbers and escapes as they were spelt, if it is complete or
    /// [accepted](PayloadStatus::Accepted). An empty tool call has one too: `{}`.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// The value, read strictly with serde_json.
    ///
    /// # Errors
    ///
    /// If there is no value, what is wrong with the text, or else its status; otherwise those of
    /// [`CompleteValue::deserialize`](jsonspigot::CompleteValue::deserialize), with places in [`value`](Self::value).
    pub fn deserialize<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, Error> {
        match &self.value {
            Some(value) => deserialize_whole(value),
            None => Err(self.error.clone().unwrap_or_else(|| self.without_value())),
        }
    }

    /// The error where nothing is wrong with the text by itself.
    fn without_value(&self) -> Error {
        let kind = if self.status == PayloadStatus::Raw { ErrorKind::Data } else { ErrorKind::Incomplete };
        let status = self.status;
        let reason = self.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        Error::without_place(kind, "$", &format!("expected a value, but the text is {status}{reason}"))
    }

    /// The values of a trailing input that is nothing but whole values; see [`Payload::values`].
    #[must_use]
    pub fn values(&self) -> Vec<&str> {
        self.values.iter().filter_map(|place| self.raw.get(place.clone())).collect()
    }

    /// Returns true if the [`values`](Self::values) are all equal; see [`Payload::is_repeated`].
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        are_all_alike(&self.values())
    }

    /// The places where the text deviates from JSON and was read on nevertheless; see [`Payload::deviations`].
    #[must_use]
    pub fn deviations(&self) -> &[Deviation] {
        &self.deviations
    }

    /// The number of deviations, listed or not.
    #[must_use]
    pub fn deviation_count(&self) -> u64 {
        self.deviation_count
    }

    /// The error in the JSON, for malformed, trailing and truncated text.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }
}
