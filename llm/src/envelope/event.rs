//! The events of an envelope: [`EnvelopeEvent`].

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;

use jsonspigot::internal::{Line, Member, lines, owned_events};
use jsonspigot::{Error, Event};

use super::delimiter::Delimiter;
use crate::payload::{Payload, owned};

/// An event of an [`Envelope`](crate::Envelope): a piece of visible text, or a part of a payload.
///
/// Every payload is reported from its [`Begin`](EnvelopeEvent::Begin) to its [`End`](EnvelopeEvent::End) before
/// anything else. The texts of [`Text`](EnvelopeEvent::Text), `Begin`'s `open`, [`Payload::raw`] and `End`'s `close`,
/// joined in order, equal the input unless a payload exceeded its limit.
///
/// A callback receives an event that borrows its parts. [`into_owned`](Self::into_owned) makes it `'static`, like the
/// events that [`Envelope::feed`](crate::Envelope::feed) returns.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
///
/// let mut envelope = Envelope::new([Delimiter::fence("json")?], &PatternSet::default());
/// let (mut shown, mut sums) = (String::new(), Vec::new());
/// for event in envelope.feed("Here:\n```json\n{\"sum\": 3}\n```\nDone.").chain(envelope.finish()) {
///     match event {
///         EnvelopeEvent::Text(text) => shown.push_str(&text),
///         EnvelopeEvent::End { payload, .. } => {
///             let value: std::collections::BTreeMap<String, u64> = payload.deserialize()?;
///             sums.push(value["sum"]);
///         }
///         _ => {}
///     }
/// }
/// assert_eq!((shown.as_str(), sums), ("Here:\n\nDone.", vec![3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopeEvent<'a> {
    /// A piece of the visible text; never empty.
    Text(Cow<'a, str>),
    /// An opening delimiter: a payload begins.
    Begin {
        /// The delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The opening delimiter as it was received, with the text that [leads](Delimiter::led) to the JSON. Empty for
        /// a bare payload and for a payload that the input [starts inside](crate::EnvelopeBuilder::starts_inside).
        open: Cow<'a, str>,
        /// The offset in the input of the opening delimiter's first byte.
        offset: u64,
    },
    /// A pattern's match in a JSON payload: its begin, delta or end. Offsets of events and errors count from the byte
    /// after the opening delimiter.
    Match {
        /// The payload's delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A piece of a payload that is plain text; never empty.
    Fragment {
        /// The payload's delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The piece.
        text: Cow<'a, str>,
    },
    /// The end of a payload. The payload has a value only if it is complete or accepted. It is
    /// [truncated](crate::PayloadStatus::Truncated) if the input ended first (`end-of-input`) or the payload exceeded
    /// its limit (`limit`).
    End {
        /// The payload's delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The status, the text between the delimiters and, if there is one, the value.
        payload: Payload<'a>,
        /// The closing delimiter as it was received. Empty for a bare payload and for a missing delimiter, and
        /// incomplete if the input ended inside the delimiter.
        close: Cow<'a, str>,
        /// The number of bytes between the delimiters. [`Payload::raw`] is shorter if the payload exceeded its
        /// [limit](crate::EnvelopeBuilder::payload_limit).
        length: u64,
    },
}

impl EnvelopeEvent<'_> {
    /// Returns an event that owns its parts and is `'static`, for channels, logs and other threads. Copies borrowed
    /// parts.
    #[must_use]
    pub fn into_owned(self) -> EnvelopeEvent<'static> {
        let named = |delimiter: Cow<'_, Delimiter>| Cow::Owned(delimiter.into_owned());
        match self {
            Self::Text(text) => EnvelopeEvent::Text(owned(text)),
            Self::Begin { delimiter, open, offset } => {
                EnvelopeEvent::Begin { delimiter: named(delimiter), open: owned(open), offset }
            }
            Self::Match { delimiter, event } => {
                EnvelopeEvent::Match { delimiter: named(delimiter), event: event.into_owned() }
            }
            Self::Fragment { delimiter, text } => {
                EnvelopeEvent::Fragment { delimiter: named(delimiter), text: owned(text) }
            }
            Self::End { delimiter, payload, close, length } => EnvelopeEvent::End {
                delimiter: named(delimiter),
                payload: payload.into_owned(),
                close: owned(close),
                length,
            },
        }
    }
}

owned_events! {
    /// An iterator over the events of one chunk, in order, returned by [`Envelope::feed`](crate::Envelope::feed) and
    /// [`Envelope::finish`](crate::Envelope::finish). The chunk has already been read, and nothing is borrowed.
    EnvelopeEvents of EnvelopeEvent<'static>
}

impl EnvelopeEvents {
    /// Checks the payloads that end in these events, for callers that do not need the events.
    ///
    /// # Errors
    ///
    /// Returns the first error of a payload in the remaining events.
    pub fn check(mut self) -> Result<(), Error> {
        let error = self.find_map(|event| match event {
            EnvelopeEvent::End { payload, .. } => payload.error().cloned(),
            _ => None,
        });
        error.map_or(Ok(()), Err)
    }
}

lines!(EnvelopeEvent<'_>);

impl EnvelopeEvent<'_> {
    fn line(&self) -> Line<'_> {
        self.line_in(None)
    }

    /// Returns the event's line, with the numbers of its answer and block if `place` has them.
    pub(crate) fn line_in(&self, place: Option<(u64, u64)>) -> Line<'_> {
        let (mut line, delimiter) = match self {
            Self::Text(_) => (Line::new("text"), None),
            Self::Begin { delimiter, .. } => (Line::new("payload-start"), Some(delimiter)),
            Self::Match { delimiter, event } => (event.line(), Some(delimiter)),
            Self::Fragment { delimiter, .. } => (Line::new("fragment"), Some(delimiter)),
            Self::End { delimiter, .. } => (Line::new("payload"), Some(delimiter)),
        };
        match self {
            Self::Text(text) | Self::Fragment { text, .. } => {
                line.put("text", &**text);
            }
            Self::Begin { open, offset, .. } => {
                line.put("open", &**open).put("offset", *offset);
            }
            Self::End { payload, close, .. } => {
                payload.put_value(&mut line);
                payload.put_values(&mut line);
                // The error names the end of input or the limit, so no reason is needed.
                payload.put_error(&mut line, None);
                line.put("close", &**close);
            }
            Self::Match { .. } => {}
        }
        let mut around: Vec<(_, Member<'_>)> =
            delimiter.map(|delimiter| ("mark", delimiter.to_string().into())).into_iter().collect();
        if let Some((choice, block)) = place {
            around.extend([("block", block.into()), ("choice", choice.into())]);
        }
        line.of(around)
    }
}
