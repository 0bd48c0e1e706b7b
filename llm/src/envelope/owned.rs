//! Events of an envelope that own their parts.

use alloc::borrow::ToOwned;
use alloc::string::String;

use jsonspigot::internal::owned_events;
use jsonspigot::{Error, Event};

use super::delimiter::Delimiter;
use super::event::EnvelopeEvent;
use crate::payload::OwnedPayload;

/// An [`EnvelopeEvent`] that owns its parts: `'static + Send`, as [`Envelope::feed`](crate::Envelope::feed) returns
/// them.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{Delimiter, Envelope, OwnedEnvelopeEvent};
///
/// let mut envelope = Envelope::new([Delimiter::fence("json")?], &PatternSet::default());
/// let (mut shown, mut sums) = (String::new(), Vec::new());
/// for event in envelope.feed("Here:\n```json\n{\"sum\": 3}\n```\nDone.").chain(envelope.finish()) {
///     match event {
///         OwnedEnvelopeEvent::Text(text) => shown.push_str(&text),
///         OwnedEnvelopeEvent::End { payload, .. } => {
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
pub enum OwnedEnvelopeEvent {
    /// [`EnvelopeEvent::Text`].
    Text(String),
    /// [`EnvelopeEvent::Begin`].
    Begin {
        /// Which delimiter has opened.
        delimiter: Delimiter,
        /// The opening delimiter, as it came.
        open: String,
        /// The place in the input.
        offset: u64,
    },
    /// [`EnvelopeEvent::Match`].
    Match {
        /// Which delimiter's payload.
        delimiter: Delimiter,
        /// The parser's event.
        event: Event<'static>,
    },
    /// [`EnvelopeEvent::Fragment`].
    Fragment {
        /// Which delimiter's payload.
        delimiter: Delimiter,
        /// The piece.
        text: String,
    },
    /// [`EnvelopeEvent::End`].
    End {
        /// Which delimiter's payload.
        delimiter: Delimiter,
        /// The verdict, the text between the delimiters and, if it is complete, the value.
        payload: OwnedPayload,
        /// The closing delimiter, as it came.
        close: String,
        /// The number of bytes between the delimiters.
        length: u64,
    },
}

impl EnvelopeEvent<'_> {
    /// A copy that can be kept and sent to another thread. Costs the delimiter's spelling and the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedEnvelopeEvent {
        match self.clone() {
            Self::Text(text) => OwnedEnvelopeEvent::Text(text.to_owned()),
            Self::Begin { delimiter, open, offset } => {
                OwnedEnvelopeEvent::Begin { delimiter: delimiter.clone(), open: open.to_owned(), offset }
            }
            Self::Match { delimiter, event } => {
                OwnedEnvelopeEvent::Match { delimiter: delimiter.clone(), event: event.into_owned() }
            }
            Self::Fragment { delimiter, text } => {
                OwnedEnvelopeEvent::Fragment { delimiter: delimiter.clone(), text: text.to_owned() }
            }
            Self::End { delimiter, payload, close, length } => OwnedEnvelopeEvent::End {
                delimiter: delimiter.clone(),
                payload: payload.to_owned(),
                close: close.to_owned(),
                length,
            },
        }
    }
}

owned_events! {
    /// The events of one chunk, in order: what [`Envelope::feed`](crate::Envelope::feed) and
    /// [`Envelope::finish`](crate::Envelope::finish) return. The chunk has been read when this is made, and nothing is
    /// borrowed.
    EnvelopeEvents of OwnedEnvelopeEvent
}

impl EnvelopeEvents {
    /// Returns the verdict on the payloads that end among these events, for callers who need none of them.
    ///
    /// # Errors
    ///
    /// The first error of a payload among the events that are left.
    pub fn check(mut self) -> Result<(), Error> {
        let error = self.find_map(|event| match event {
            OwnedEnvelopeEvent::End { payload, .. } => payload.error().cloned(),
            _ => None,
        });
        error.map_or(Ok(()), Err)
    }
}
