//! UTF-8 across chunk edges (RFC 3629 §4): a sequence that has begun is a state of its own.

use core::ops::Range;
use core::str;

use ascii::{AsciiChar, AsciiStr};

/// Returns the last character boundary at or before `place`.
#[must_use]
pub fn floor_char_boundary(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// A UTF-8 sequence of which one to three bytes have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Utf8Carry {
    bytes: [u8; 4],
    len: u8,
}

/// The effect of one more byte on a sequence.
pub(crate) enum Utf8Step {
    /// The sequence is still open.
    Open,
    /// The character is complete.
    Whole,
    /// The byte is not allowed here.
    Bad,
}

impl Utf8Carry {
    /// Takes the beginning of a sequence: one to three bytes that the validator found to be incomplete but valid so
    /// far.
    pub(crate) fn begin(sequence: &[u8]) -> Self {
        let mut carry = Self { len: sequence.len() as u8, ..Self::default() };
        carry.bytes[..sequence.len()].copy_from_slice(sequence);
        carry
    }

    /// Adds one byte.
    pub(crate) fn push(&mut self, byte: u8) -> Utf8Step {
        self.bytes[self.len()] = byte;
        self.len += 1;
        match str::from_utf8(self.as_bytes()) {
            Ok(_) => Utf8Step::Whole,
            Err(error) if error.error_len().is_none() => Utf8Step::Open,
            Err(_) => Utf8Step::Bad,
        }
    }

    /// Returns the number of bytes that have arrived.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Returns the bytes that have arrived.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len()]
    }

    /// Returns the character, which must be complete.
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// Returns bytes that are known to be ASCII as text.
#[inline]
pub(crate) fn ascii_text(bytes: &[u8]) -> &str {
    // WebAssembly modules share one UTF-8 check, to stay small.
    if cfg!(target_arch = "wasm32") {
        str::from_utf8(bytes).unwrap_or_default()
    } else {
        AsciiStr::from_ascii(bytes).map_or("", AsciiStr::as_str)
    }
}

/// The number of bytes that are compared or checked at once.
pub(crate) const BLOCK: usize = 16;

/// A block that is all ASCII.
pub(crate) type AsciiBlock = [AsciiChar; BLOCK];

pub(crate) const NO_TEXT: AsciiBlock = [AsciiChar::Null; BLOCK];

/// Returns a block if it is all ASCII. Checking a whole block is faster than checking a part of variable length.
#[inline(always)]
pub(super) fn ascii_block(block: &[u8; BLOCK]) -> Option<&AsciiBlock> {
    AsciiStr::from_ascii(block).ok()?.as_slice().first_chunk()
}

/// Returns a part of a block as text.
#[inline(always)]
pub(crate) fn ascii_part(block: &AsciiBlock, place: Range<usize>) -> Option<&str> {
    block.get(place).map(|part| <&AsciiStr>::from(part).as_str())
}

/// The longest valid prefix of some bytes, and the rest.
pub(crate) struct Utf8Prefix<'a> {
    pub(crate) valid: &'a str,
    pub(crate) rest: Utf8Rest<'a>,
}

/// The rest after the longest valid prefix.
pub(crate) enum Utf8Rest<'a> {
    /// Nothing.
    Empty,
    /// An incomplete sequence at the end of the bytes.
    Cut(&'a [u8]),
    /// An invalid byte, this many bytes after the valid prefix.
    Bad(usize),
}

/// Splits `bytes` after their longest valid prefix.
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
        // The validator counts the valid bytes of the sequence, but counts an invalid lead byte as 1.
        Some(_) if !(0xC2..=0xF4).contains(&rest[0]) => Utf8Rest::Bad(0),
        Some(len) => Utf8Rest::Bad(len),
    };
    Utf8Prefix { valid: str::from_utf8(valid).unwrap_or_default(), rest: rest_kind }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;
    use core::str;

    use super::{Utf8Carry, Utf8Rest, Utf8Step, floor_char_boundary, valid_prefix};
    use crate::random::Random;

    /// Returns true if bytes are UTF-8 or a prefix of it, by the standard library's validator.
    fn is_viable(bytes: &[u8]) -> bool {
        str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
    }

    /// Returns a random byte, mostly at a border of RFC 3629's table: leads, continuations and invalid bytes.
    fn byte(random: &mut Random) -> u8 {
        const BORDERS: [u8; 22] = [
            0, b'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF,
            0xF0, 0xF4, 0xF5, 0xFF,
        ];
        if random.below(5) < 4 { random.pick(&BORDERS) } else { random.below(256).to_le_bytes()[0] }
    }

    #[test]
    fn a_character_is_whole_after_each_cut() {
        // Characters at the borders, and many between them.
        let borders = [0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x1_0000, 0x10_FFFF];
        for character in borders.into_iter().chain((0x80..0x11_0000).step_by(97)).filter_map(char::from_u32) {
            let mut buffer = [0; 4];
            let text = character.encode_utf8(&mut buffer);
            for cut in 1..text.len() {
                let mut carry = Utf8Carry::begin(&text.as_bytes()[..cut]);
                for (at, byte) in text.bytes().enumerate().skip(cut) {
                    assert_eq!(carry.len(), at);
                    let is_whole = matches!(carry.push(byte), Utf8Step::Whole);
                    assert_eq!(is_whole, at + 1 == text.len(), "{character:?} cut at {cut}");
                }
                assert_eq!(carry.as_str(), &*text, "cut at {cut}");
            }
        }
    }

    /// Compares each byte after each valid prefix with the standard library's validator.
    #[test]
    fn a_byte_is_bad_where_nothing_can_follow_it() {
        let seconds = [0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF];
        for lead in 0xC2..=0xF4_u8 {
            let mut beginnings: Vec<Vec<u8>> = [[lead].to_vec()].into();
            beginnings.extend(seconds.map(|second| [lead, second].to_vec()));
            beginnings.extend(seconds.map(|second| [lead, second, 0x80].to_vec()));
            for beginning in beginnings.into_iter().filter(|bytes| str::from_utf8(bytes).is_err() && is_viable(bytes)) {
                for byte in 0..=u8::MAX {
                    let all = [&beginning[..], &[byte]].concat();
                    let mut carry = Utf8Carry::begin(&beginning);
                    match carry.push(byte) {
                        Utf8Step::Open => assert!(is_viable(&all) && str::from_utf8(&all).is_err(), "{all:x?}"),
                        Utf8Step::Whole => assert_eq!(str::from_utf8(&all), Ok(carry.as_str()), "{all:x?}"),
                        Utf8Step::Bad => assert!(!is_viable(&all), "{all:x?}"),
                    }
                }
            }
        }
    }

    /// Checks the longest valid prefix, and the first byte after which no valid text is possible.
    #[test]
    fn splits_where_utf_8_ends() {
        for seed in 0..5_000 {
            let mut random = Random::new(seed);
            let bytes: Vec<u8> = (0..random.below(12)).map(|_| byte(&mut random)).collect();
            let prefix = valid_prefix(&bytes);
            let (valid, rest) = bytes.split_at(prefix.valid.len());
            assert_eq!(str::from_utf8(valid), Ok(prefix.valid), "{bytes:x?}");
            match prefix.rest {
                Utf8Rest::Empty => assert!(rest.is_empty(), "{bytes:x?}"),
                Utf8Rest::Cut(sequence) => {
                    assert_eq!(sequence, rest, "{bytes:x?}");
                    assert!(!rest.is_empty() && is_viable(rest), "{bytes:x?}");
                }
                Utf8Rest::Bad(place) => {
                    assert!(is_viable(&rest[..place]) && !is_viable(&rest[..=place]), "{bytes:x?}");
                }
            }
        }
    }

    #[test]
    fn a_boundary_is_the_last_one_up_to_a_place() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let text: String = (0..random.below(7)).map(|_| random.pick(&['a', 'é', '€', '😀'])).collect();
            for place in 0..30 {
                let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
                let expected = ends.filter(|at| *at <= place).max();
                assert_eq!(Some(floor_char_boundary(&text, place)), expected, "{text:?} at {place}");
            }
        }
    }
}
