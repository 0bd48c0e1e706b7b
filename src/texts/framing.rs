//! The ways to separate the texts of a stream.

use crate::names::names;

/// The way to separate the texts of a stream.
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
    /// JSON Lines, also known as NDJSON: a line feed ends a text. A line with an error costs that line only. Lines
    /// that are empty or only white space are not texts, and are not numbered; the last line needs no line feed.
    Lines,
    /// One text after the other, with or without white space between: `{}{}`, `1 2`, `"a""b"`.
    ///
    /// An object, array or string ends with its last byte. A number or literal is followed by white space, by `"` or a
    /// bracket, or by the end of input; `12-3` and `nulltrue` are errors, as with serde_json's `StreamDeserializer`.
    /// Where the next text begins is not known after an error, so it ends the stream.
    Concatenated,
    /// JSON text sequences (RFC 7464): each text comes after a record separator, U+001E, and ends before the next one.
    /// A text with an error costs that text only.
    ///
    /// A number or literal must be followed by white space, usually a line feed, or it may have been cut off and is
    /// incomplete (section 2.4). Texts without content are passed over; bytes before the first separator are an error.
    Sequence,
}

impl Framing {
    /// The byte that ends a text, if there is one that can't be in a text.
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
