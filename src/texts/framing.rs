//! The formats of a stream of texts.

use crate::names::names;

/// The format of a stream of texts: how they are separated.
///
/// ```
/// use jsonspigot::Framing;
///
/// assert_eq!("lines".parse(), Ok(Framing::Lines));
/// assert_eq!(Framing::Sequence.to_string(), "sequence");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framing {
    /// JSON Lines, also known as NDJSON: a line feed ends a text. An error in a line does not affect the next lines.
    /// Lines that are empty or only white space are not texts and are not numbered. The last line needs no line feed.
    Lines,
    /// One text after the other, with or without white space between them: `{}{}`, `1 2`, `"a""b"`.
    ///
    /// An object, array or string ends with its last byte. A number or literal must be followed by white space, by `"`
    /// or a bracket, or by the end of input; `12-3` and `nulltrue` are errors, as with serde_json's
    /// `StreamDeserializer`. An error ends the stream, because the start of the next text is unknown.
    Concatenated,
    /// JSON text sequences (RFC 7464): each text begins with a record separator, U+001E, and ends before the next one.
    /// An error in a text does not affect the next texts.
    ///
    /// A number or literal must be followed by white space, usually a line feed. Otherwise it is incomplete, since it
    /// may have been truncated (RFC 7464 §2.4). Empty texts are skipped. Bytes before the first separator are an error.
    Sequence,
}

impl Framing {
    /// Returns the byte that separates texts, if the framing has one.
    pub(super) fn separator(self) -> Option<u8> {
        match self {
            Self::Lines => Some(b'\n'),
            Self::Concatenated => None,
            Self::Sequence => Some(b'\x1e'),
        }
    }
}

names!(Framing {
    Lines => "lines",
    Concatenated => "concatenated",
    Sequence => "sequence",
});
