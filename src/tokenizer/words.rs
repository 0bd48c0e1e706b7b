//! A chunk of up to sixteen bytes in two words, for which no branch asks how many there are.
//!
//! The length of a model's token can't be guessed, and a wrong guess costs as much as twenty instructions. So one to
//! eight bytes are loaded by the same instructions: the first and the last four, which may overlap, or up to three
//! single ones, and one of the two is chosen as a value is, not by a jump. In the same way nine and more are the first
//! and the last eight. That is enough to look at all of them at once; where each must be in its place, they are shifted
//! there. Text is made of all the bytes and then cut.

use alloc::string::String;
use core::hint::select_unpredictable;

use ascii::{AsciiChar, AsciiStr};

use super::scan;

/// One to sixteen bytes, not in their places. A chunk of another length has no words: all are zero.
#[derive(Clone, Copy, Default)]
pub(super) struct Words {
    low: u64,
    high: u64,
}

impl Words {
    #[inline(always)]
    pub(super) fn of(chunk: &[u8]) -> Self {
        const NOTHING: &[u8; 4] = &[0; 4];
        let len = chunk.len();
        if len > 8 {
            return match (chunk.first_chunk(), chunk.last_chunk()) {
                (Some(first), Some(last)) if len <= 16 => {
                    Self { low: u64::from_le_bytes(*first), high: u64::from_le_bytes(*last) }
                }
                _ => Self::default(),
            };
        }
        let (Some(&first), Some(&last)) = (chunk.first(), chunk.last()) else { return Self::default() };
        let few = u32::from_le_bytes([first, chunk[len / 2], last, b' ']);
        // The compiler makes a jump of a choice between values, unless the places to load them from are chosen as well.
        let are_four = len >= 4;
        let head = select_unpredictable(are_four, chunk.first_chunk().unwrap_or(NOTHING), NOTHING);
        let tail = select_unpredictable(are_four, chunk.last_chunk().unwrap_or(NOTHING), NOTHING);
        let head = u64::from(select_unpredictable(are_four, u32::from_le_bytes(*head), few));
        let tail = u64::from(select_unpredictable(are_four, u32::from_le_bytes(*tail), few));
        let low = head | tail << 32;
        Self { low, high: low }
    }

    /// Returns true if all bytes are ASCII, and stand for themselves inside a string.
    #[inline(always)]
    pub(super) fn are_plain(self) -> bool {
        scan::are_plain_ascii(self.to_bytes())
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.low) | u128::from(self.high) << 64).to_le_bytes()
    }

    #[inline(always)]
    fn in_order(self, len: usize) -> Self {
        let bits = 8 * len as u32;
        if len > 8 {
            return Self { low: self.low, high: self.high.wrapping_shr(bits.wrapping_neg()) };
        }
        // Of four and more, the tail belongs 0 to 32 bits further up than the head. Of fewer, it comes behind the last
        // one.
        let (head, tail) = (self.low & u64::from(u32::MAX), self.low >> 32);
        Self { low: head | tail.wrapping_shl(bits ^ 32), high: 0 }
    }

    /// The bytes in their places, and anything behind them that is ASCII if they are.
    #[inline(always)]
    pub(super) fn ordered(self, len: usize) -> [u8; 16] {
        self.in_order(len).to_bytes()
    }

    /// The same with zeros behind them, if they are fewer than sixteen.
    #[inline(always)]
    pub(super) fn padded(self, len: usize) -> [u8; 16] {
        let mut words = self.in_order(len);
        if len <= 8 {
            words.low &= u64::MAX.wrapping_shr((8 * len as u32).wrapping_neg());
        }
        words.to_bytes()
    }
}

/// Returns true if 1 to 16 bytes are ASCII, and stand for themselves inside a string.
#[inline]
pub(crate) fn is_short_plain_ascii(bytes: &[u8]) -> bool {
    Words::of(bytes).are_plain()
}

/// Text that lies inside a string of the document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PieceText<'a> {
    /// One character, which nobody has to copy.
    Character(&'static str),
    Characters(ShortText<'a>),
}

impl<'a> PieceText<'a> {
    #[inline(always)]
    pub(crate) fn as_str(self) -> &'a str {
        match self {
            Self::Character(text) => text,
            Self::Characters(text) => text.as_str(),
        }
    }
}

/// Up to sixteen ASCII characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortText<'a> {
    /// These, and any others behind them.
    characters: &'a [AsciiChar; 16],
    len: usize,
}

impl<'a> ShortText<'a> {
    /// The first of some bytes, if all are ASCII.
    #[inline(always)]
    pub(crate) fn new(bytes: &'a [u8; 16], len: usize) -> Option<Self> {
        let characters = AsciiStr::from_ascii(bytes).ok()?.as_slice().first_chunk()?;
        (len <= 16).then_some(Self { characters, len })
    }

    #[inline(always)]
    pub(crate) fn characters(self) -> &'a [AsciiChar; 16] {
        self.characters
    }

    #[inline(always)]
    pub(crate) fn as_str(self) -> &'a str {
        ascii_beginning(self.characters, self.len)
    }

    /// Appends it. More is copied and then cut, since a copy of eight or sixteen characters takes one instruction or
    /// two, and a copy of any number a call.
    #[inline(always)]
    pub(crate) fn push_to(self, text: &mut String) {
        let end = text.len() + self.len;
        text.push_str(ascii_beginning(self.characters, 16));
        text.truncate(end);
    }
}

/// The first of some characters.
#[inline(always)]
pub(crate) fn ascii_beginning(characters: &[AsciiChar; 16], len: usize) -> &str {
    characters.get(..len).map_or("", |characters| <&AsciiStr>::from(characters).as_str())
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::{ShortText, Words};

    /// RFC 8259 section 7: what stands for itself in a string, and is ASCII.
    fn is_plain(byte: u8) -> bool {
        byte.is_ascii() && !matches!(byte, 0..=0x1F | b'"' | b'\\')
    }

    /// Each byte at each place of each length: all are different, so that each must be in its place.
    #[test]
    fn each_byte_is_known_wherever_it_stands() {
        for len in 0..=20 {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut chunk: [u8; 20] = core::array::from_fn(|place| b'a' + place as u8);
                    chunk[at] = byte;
                    check(&chunk[..len]);
                }
            }
            check(&b"abcdefghijklmnopqrst"[..len]);
        }
    }

    fn check(chunk: &[u8]) {
        let (words, len) = (Words::of(chunk), chunk.len());
        let is_short = (1..=16).contains(&len);
        assert_eq!(words.are_plain(), is_short && chunk.iter().all(|&byte| is_plain(byte)), "{chunk:?}");
        if (1..16).contains(&len) {
            let mut padded = [0; 16];
            padded[..len].copy_from_slice(chunk);
            assert_eq!(words.padded(len), padded, "{chunk:?}");
        }
        if is_short && chunk.is_ascii() {
            let bytes = words.ordered(len);
            let text = ShortText::new(&bytes, len).expect("what is behind is ASCII too");
            assert_eq!(text.as_str().as_bytes(), chunk);
            let mut pushed = String::from("é");
            text.push_to(&mut pushed);
            assert_eq!(pushed.strip_prefix('é'), Some(text.as_str()));
        }
    }
}
