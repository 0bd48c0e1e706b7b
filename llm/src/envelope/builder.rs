//! An envelope's choices.

use alloc::string::String;
use alloc::vec::Vec;

use jsonspigot::{Parser, ParserBuilder, PatternSet, Retain};

use super::opening::{Opening, first_bytes};
use super::payload::OpenPayload;
use super::{Delimiter, Envelope, State};
use crate::saved::History;

/// The choices an [`Envelope`] is built with; each has a default.
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
    /// Sets how JSON payloads are parsed; default a parser that keeps the text of open matches.
    ///
    /// With one that [goes on past deviations](ParserBuilder::lenient), a payload goes on to the end of its JSON,
    /// including closing delimiters in strings and comments; it is malformed all the same, unless they are
    /// [accepted](ParserBuilder::accept_deviations). Then all of its text is kept. The builder's own patterns are
    /// ignored; use those of [`build`](Self::build).
    pub fn parser(self, parser: ParserBuilder) -> Self {
        Self { parser, ..self }
    }

    /// Sets how many bytes of visible text may be held back because they may become a delimiter; default 4096.
    ///
    /// Text that is still undecided at the limit is text: a delimiter with that much white space in it or text after
    /// it, or a bare payload whose first key or element is that long, is not found.
    pub fn hold_limit(self, bytes: usize) -> Self {
        Self { hold_limit: bytes, ..self }
    }

    /// Sets how many bytes may be between two delimiters; default 16 MiB. A longer payload is truncated.
    ///
    /// Its raw text is kept up to the limit. Its closing delimiter is still looked for, and plain text is reported to
    /// its end.
    pub fn payload_limit(self, bytes: u64) -> Self {
        Self { payload_limit: bytes, ..self }
    }

    /// The text begins inside a payload of the first delimiter, whose opening came before it, as `…</think>answer` does
    /// of a model that was made to think. Its [begin](crate::EnvelopeEvent::Begin) has no text that opens.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let think = Delimiter::tag("think")?.raw();
    /// let mut envelope = Envelope::builder().starts_inside().build([think], &PatternSet::default());
    /// let mut shown = String::new();
    /// envelope.feed_with("Well, 1 < 2.</think>Yes.", |event| {
    ///     if let EnvelopeEvent::Text(text) = event {
    ///         shown.push_str(&text);
    ///     }
    /// });
    /// assert_eq!(shown, "Yes.");
    /// # Ok::<(), jsonspigot_llm::DelimiterError>(())
    /// ```
    pub fn starts_inside(self) -> Self {
        Self { starts_inside: true, ..self }
    }

    /// Buffers what is fed from the chunk on in which the open payload began, up to `limit` bytes, so that the envelope
    /// can be [saved](Envelope::save). Past the limit it is read as before, and saving fails until the payload has
    /// ended. [`SAVE_LIMIT`](crate::SAVE_LIMIT) is a good one; `usize::MAX` stands for none. It is not part of a state.
    pub fn saveable(self, limit: usize) -> Self {
        Self { history: History::new(limit), ..self }
    }

    /// The envelope, which looks for these delimiters and follows these patterns in every JSON payload.
    #[must_use]
    pub fn build(self, delimiters: impl IntoIterator<Item = Delimiter>, patterns: &PatternSet) -> Envelope {
        let mut envelope = Envelope {
            delimiters: delimiters.into_iter().collect(),
            first_bytes: Vec::new(),
            starts_inside: false,
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
        envelope.first_bytes.extend(envelope.delimiters.iter().flat_map(first_bytes));
        // A bare payload has nothing before it.
        envelope.starts_inside =
            self.starts_inside && envelope.delimiters.first().is_some_and(|first| !first.is_bare());
        envelope.reset();
        envelope
    }
}
