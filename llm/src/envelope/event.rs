//! The events of an envelope: [`EnvelopeEvent`].

use alloc::borrow::Cow;

use jsonspigot::internal::owned_events;
use jsonspigot::{Error, Event};

use super::delimiter::Delimiter;
use crate::payload::{Payload, owned};

/// Something that became known about a text with payloads in it.
///
/// Every payload is reported from its [`Begin`](EnvelopeEvent::Begin) to its [`End`](EnvelopeEvent::End) before
/// anything else. What is reported by [`Text`](EnvelopeEvent::Text), `Begin`'s `open`, [`Payload::raw`] and `End`'s
/// `close`, joined in order, is the input, unless a payload passed its limit.
///
/// A callback receives an event that borrows its parts. [`into_owned`](Self::into_owned) makes it `'static`, as
/// [`Envelope::feed`](crate::Envelope::feed) returns it.
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
    /// A piece of the visible text: never empty.
    Text(Cow<'a, str>),
    /// A delimiter has opened.
    Begin {
        /// The delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The opening delimiter, as it came, with what [leads](Delimiter::led) to the JSON; empty for a bare payload,
        /// and for one that the text [begins inside](crate::EnvelopeBuilder::starts_inside).
        open: Cow<'a, str>,
        /// The offset in the input of the opening delimiter's first byte.
        offset: u64,
    },
    /// A pattern's match in a JSON payload: its begin, delta or end. Its offsets, and an error's, count from the byte
    /// after the opening delimiter.
    Match {
        /// The payload's delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A piece of a payload that is plain text: never empty.
    Fragment {
        /// The payload's delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The piece.
        text: Cow<'a, str>,
    },
    /// A payload has ended, and this is what it came to. It has a value only if it is complete; it is
    /// [truncated](crate::PayloadStatus::Truncated) where the input ended (`end-of-input`) or where it passed its limit
    /// (`limit`).
    End {
        /// The payload's delimiter.
        delimiter: Cow<'a, Delimiter>,
        /// The verdict, the text between the delimiters and, if it is complete, the value.
        payload: Payload<'a>,
        /// The closing delimiter, as it came: empty for a bare payload, cut or empty where the input ended before it
        /// did.
        close: Cow<'a, str>,
        /// The number of bytes that stood between the delimiters: more than are in [`Payload::raw`] if the payload
        /// passed its [limit](crate::EnvelopeBuilder::payload_limit).
        length: u64,
    },
}

impl EnvelopeEvent<'_> {
    /// Returns an event that owns its parts: `'static`, for channels, logs and other threads. Copies them, unless it
    /// owns them already.
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
    /// The events of one chunk, in order: what [`Envelope::feed`](crate::Envelope::feed) and
    /// [`Envelope::finish`](crate::Envelope::finish) return. The chunk has been read when this is made, and nothing is
    /// borrowed.
    EnvelopeEvents of EnvelopeEvent<'static>
}

impl EnvelopeEvents {
    /// Returns the verdict on the payloads that end among these events, for callers who need none of them.
    ///
    /// # Errors
    ///
    /// The first error of a payload among the events that are left.
    pub fn check(mut self) -> Result<(), Error> {
        let error = self.find_map(|event| match event {
            EnvelopeEvent::End { payload, .. } => payload.error().cloned(),
            _ => None,
        });
        error.map_or(Ok(()), Err)
    }
}
