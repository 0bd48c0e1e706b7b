//! The events of an envelope: [`EnvelopeEvent`].

use jsonspigot::Event;

use super::delimiter::Delimiter;
use crate::payload::Payload;

/// Something that became known about a text with payloads in it. Borrowed; it lives as long as the callback.
///
/// Every payload is reported from its [`Begin`](EnvelopeEvent::Begin) to its [`End`](EnvelopeEvent::End) before
/// anything else. What is reported by [`Text`](EnvelopeEvent::Text), `Begin`'s `open`, [`Payload::raw`] and `End`'s
/// `close`, joined in order, is the input, unless a payload passed its limit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EnvelopeEvent<'a> {
    /// A piece of the visible text: never empty.
    Text(&'a str),
    /// A delimiter has opened.
    Begin {
        /// The delimiter.
        delimiter: &'a Delimiter,
        /// The opening delimiter, as it came, with what [leads](Delimiter::led) to the JSON; empty for a bare payload,
        /// and for one that the text [begins inside](crate::EnvelopeBuilder::starts_inside).
        open: &'a str,
        /// The offset in the input of the opening delimiter's first byte.
        offset: u64,
    },
    /// A pattern's match in a JSON payload: its begin, delta or end. Its offsets, and an error's, count from the byte
    /// after the opening delimiter.
    Match {
        /// The payload's delimiter.
        delimiter: &'a Delimiter,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A piece of a payload that is plain text: never empty.
    Fragment {
        /// The payload's delimiter.
        delimiter: &'a Delimiter,
        /// The piece.
        text: &'a str,
    },
    /// A payload has ended, and this is what it came to. It has a value only if it is complete; it is
    /// [truncated](crate::PayloadStatus::Truncated) where the input ended (`end-of-input`) or where it passed its limit
    /// (`limit`).
    End {
        /// The payload's delimiter.
        delimiter: &'a Delimiter,
        /// The verdict, the text between the delimiters and, if it is complete, the value.
        payload: Payload<'a>,
        /// The closing delimiter, as it came: empty for a bare payload, cut or empty where the input ended before it
        /// did.
        close: &'a str,
        /// The number of bytes that stood between the delimiters: more than are in [`Payload::raw`] if the payload
        /// passed its [limit](crate::EnvelopeBuilder::payload_limit).
        length: u64,
    },
}
