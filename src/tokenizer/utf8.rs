//! UTF-8 across chunk edges (RFC 3629 §4): a sequence that has begun is a state of its own.

use core::str;

use ascii::AsciiStr;

/// The last boundary of a character at or before a place.
pub(crate) fn floor_char_boundary(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// A UTF-8 sequence of which one to three bytes have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Utf8Carry {
    bytes: [u8; 4],
    len: u8,
}

/// What one more byte did to a sequence.
pub(crate) enum Utf8Step {
    /// The sequence is still open.
    Open,
    /// The character is complete.
    Whole,
    /// The byte is not allowed here.
    Bad,
}

impl Utf8Carry {
    /// Takes over the beginning of a sequence: one to three bytes that the validator found viable.
    pub(crate) fn begin(sequence: &[u8]) -> Self {
        let mut carry = Self::default();
        for &byte in sequence {
            carry.bytes[usize::from(carry.len)] = byte;
            carry.len += 1;
        }
        carry
    }

    /// Adds one byte, if it can continue the sequence.
    pub(crate) fn push(&mut self, byte: u8) -> Utf8Step {
        let fits = match (self.len, self.bytes[0]) {
            // RFC 3629 §4: these leads narrow their second byte (overlong forms, surrogates, past U+10FFFF).
            (1, 0xE0) => (0xA0..=0xBF).contains(&byte),
            (1, 0xED) => (0x80..=0x9F).contains(&byte),
            (1, 0xF0) => (0x90..=0xBF).contains(&byte),
            (1, 0xF4) => (0x80..=0x8F).contains(&byte),
            _ => (0x80..=0xBF).contains(&byte),
        };
        if !fits {
            return Utf8Step::Bad;
        }
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
        let whole = match self.bytes[0] {
            0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
        };
        if self.len == whole { Utf8Step::Whole } else { Utf8Step::Open }
    }

    /// How many bytes have arrived.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The character, once it is complete.
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

/// Bytes that are known to be ASCII, as text.
#[inline]
pub(crate) fn ascii_text(bytes: &[u8]) -> &str {
    AsciiStr::from_ascii(bytes).map_or("", AsciiStr::as_str)
}

/// The longest valid beginning of `bytes`, and what follows it.
pub(crate) struct Utf8Prefix<'a> {
    pub(crate) valid: &'a str,
    pub(crate) rest: Utf8Rest<'a>,
}

/// What follows the longest valid beginning.
pub(crate) enum Utf8Rest<'a> {
    /// Nothing.
    Empty,
    /// A viable sequence with which the bytes end.
    Cut(&'a [u8]),
    /// A byte that is not allowed where it is, this many bytes after the valid ones.
    Bad(usize),
}

impl<'a> Utf8Prefix<'a> {
    /// Bytes that are known to be ASCII.
    #[inline]
    pub(crate) fn ascii(bytes: &'a [u8]) -> Self {
        Self { valid: ascii_text(bytes), rest: Utf8Rest::Empty }
    }
}

/// Splits `bytes` at the first place where they stop being UTF-8.
#[inline]
pub(crate) fn valid_prefix(bytes: &[u8]) -> Utf8Prefix<'_> {
    match str::from_utf8(bytes) {
        Ok(valid) => Utf8Prefix { valid, rest: Utf8Rest::Empty },
        Err(error) => split_at_error(bytes, error),
    }
}

#[cold]
fn split_at_error(bytes: &[u8], error: str::Utf8Error) -> Utf8Prefix<'_> {
    let (valid, rest) = bytes.split_at(error.valid_up_to());
    let rest_kind = match error.error_len() {
        None => Utf8Rest::Cut(rest),
        // The validator counts the bytes that were fine so far; only a lead byte that is bad by itself counts as the
        // bad one.
        Some(_) if !(0xC2..=0xF4).contains(&rest[0]) => Utf8Rest::Bad(0),
        Some(len) => Utf8Rest::Bad(len),
    };
    Utf8Prefix { valid: str::from_utf8(valid).unwrap_or_default(), rest: rest_kind }
}
