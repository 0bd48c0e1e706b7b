//! The options of an envelope.

use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::{Parser, ParserBuilder, PatternSet, Retain};

use super::opening::{Opening, first_bytes};
use super::payload::OpenPayload;
use super::{Delimiter, Envelope, State};
use crate::saved::History;

/// A builder of an [`Envelope`]. Each option has a default.
///
/// ```
/// use jsonspigot_llm::{Envelope, Delimiter};
/// use jsonspigot::{DuplicateKeys, Parser, PatternSet};
///
/// let envelope = Envelope::builder()
///     .parser(Parser::builder().duplicate_keys(DuplicateKeys::Reject))
///     .hold_limit(256)
///     .payload_limit(1 << 20)
///     .build([Delimiter::bare()], &PatternSet::default());
/// assert_eq!(envelope.delimiters(), [Delimiter::bare()]);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct EnvelopeBuilder {
    parser: ParserBuilder,
    hold_limit: usize,
    payload_limit: u64,
    starts_inside: bool,
    history: History,
}

impl Default for EnvelopeBuilder {
    fn default() -> Self {
        Self {
            parser: Parser::builder().retain(Retain::Matches),
            hold_limit: 4096,
            payload_limit: 16 << 20,
            starts_inside: false,
            history: History::default(),
        }
    }
}

impl EnvelopeBuilder {
    /// Sets how JSON payloads are parsed. The default parser retains the text of open matches.
    ///
    /// With a [lenient](ParserBuilder::lenient) parser, a payload extends to the end of its JSON, past closing
    /// delimiters in strings and comments. A payload with deviations is malformed unless they are
    /// [accepted](ParserBuilder::accept_deviations); then all of its text is retained. The parser builder's own
    /// patterns are ignored. Pass patterns to [`build`](Self::build) instead.
    pub fn parser(self, parser: ParserBuilder) -> Self {
        Self { parser, ..self }
    }

    /// Sets the maximum number of bytes of visible text that are held back because they may become a delimiter. The
    /// default is 4096.
    ///
    /// At the limit, undecided text is reported as text. So a delimiter that is recognized only after that many bytes,
    /// or a bare payload whose first key or element is that long, is not found.
    pub fn hold_limit(self, bytes: usize) -> Self {
        Self { hold_limit: bytes, ..self }
    }

    /// Sets the maximum number of bytes between two delimiters. The default is 16 MiB. A longer payload is truncated.
    ///
    /// The raw text of a payload is kept up to the limit. Beyond it, the closing delimiter is still searched for, and
    /// plain text is still reported.
    pub fn payload_limit(self, bytes: u64) -> Self {
        Self { payload_limit: bytes, ..self }
    }

    /// Starts the input inside a payload of the first delimiter, whose opening precedes the input. An example is
    /// `…</think>answer` from a model whose prompt ended with `<think>`. The [`Begin`](crate::EnvelopeEvent::Begin) of
    /// that payload has an empty `open`.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let think = Delimiter::tag("think")?.raw();
    /// let mut envelope = Envelope::builder().starts_inside().build([think], &PatternSet::default());
    /// let last = envelope.feed("Well, 1 < 2.</think>Yes.").last();
    /// assert_eq!(last, Some(EnvelopeEvent::Text("Yes.".into())));
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    pub fn starts_inside(self) -> Self {
        Self { starts_inside: true, ..self }
    }

    /// Buffers up to `limit` bytes of input, from the chunk in which the open payload began, so that the envelope can
    /// be [saved](Envelope::save). If the limit is exceeded, reading continues, but saving fails until the payload has
    /// ended. [`SAVE_LIMIT`](crate::SAVE_LIMIT) is a good limit; `usize::MAX` means no limit. The limit is not part of
    /// a saved state.
    pub fn saveable(self, limit: usize) -> Self {
        Self { history: History::new(limit), ..self }
    }

    /// Builds an envelope that searches for these delimiters and applies these patterns to every JSON payload.
    #[must_use]
    pub fn build(self, delimiters: impl IntoIterator<Item = Delimiter>, patterns: &PatternSet) -> Envelope {
        let delimiters: Vec<_> = delimiters.into_iter().collect();
        // A bare payload has no opening that could precede the input.
        let has_opening = delimiters.first().is_some_and(|first| !first.is_bare());
        let mut envelope = Envelope {
            first_bytes: delimiters.iter().flat_map(first_bytes).copied().collect(),
            delimiters,
            starts_inside: self.starts_inside && has_opening,
            state: State::Text,
            held: String::new(),
            shown: String::new(),
            opening: Opening::new(self.hold_limit),
            fences: None,
            payload: OpenPayload::new(self.parser, patterns, self.payload_limit),
            offset: 0,
            hold_limit: self.hold_limit,
            history: self.history,
        };
        envelope.reset();
        envelope
    }
}
