//! Finding the next byte that matters inside a string, many at a time.
//!
//! Special bytes are the quote, the backslash and the control characters (RFC 8259 §7). Blocks of sixteen bytes are
//! compared at once where the machine can do that. Words of eight bytes are searched with the usual borrow trick:
//! subtracting one from each byte borrows into its high bit if the byte was zero. A borrow can also flag *higher*
//! bytes, but the lowest flagged byte, which is the one that is wanted, is always right.

const LOW: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
const SPACES: u64 = u64::from_le_bytes([b' '; 8]);

/// The bytes up to the next special one.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// The place of the first special byte, or the length of what was searched.
    pub(crate) end: usize,
    /// True if every byte before `end` is ASCII.
    pub(crate) is_ascii: bool,
}

/// Returns true if a string's run ends at this byte.
#[inline]
const fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

/// The bytes that stand for themselves inside a string: ASCII, and not special.
static PLAIN_ASCII: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte < 0x80 {
        plain[byte as usize] = !is_special(byte);
        byte += 1;
    }
    plain
};

/// Returns true if a byte is one of those.
#[inline(always)]
pub(super) fn is_plain_ascii(byte: u8) -> bool {
    PLAIN_ASCII[usize::from(byte)]
}

/// The same for each of sixteen.
#[inline(always)]
pub(super) fn are_plain_ascii(bytes: [u8; 16]) -> bool {
    // WebAssembly has no time to gain here.
    #[cfg(target_family = "wasm")]
    return bytes.iter().all(|&byte| is_plain_ascii(byte));
    #[cfg(not(target_family = "wasm"))]
    return not_plain_ascii(&bytes) == 0;
}

/// Returns the length of the text that stands for itself between quotes, up to the first byte that has to be escaped.
pub(crate) fn plain_len(text: &str) -> usize {
    run(text.as_bytes(), 0).end
}

/// The length of the string that `text` begins with, quotes included.
#[must_use]
pub fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return text.len().min(at + 1),
            Some(_) => at += 1,
        }
    }
}

/// Searches `bytes[start..]` for the first special byte.
#[inline]
pub(crate) fn run(bytes: &[u8], start: usize) -> Run {
    // What is left of a model's chunk is usually a few bytes.
    if bytes.len() < start + 8 { short_run(bytes, start) } else { long_run(bytes, start) }
}

/// The same, byte by byte.
#[inline]
fn short_run(bytes: &[u8], start: usize) -> Run {
    let (mut end, mut seen) = (start, 0);
    while let Some(&byte) = bytes.get(end) {
        if is_special(byte) {
            break;
        }
        seen |= byte;
        end += 1;
    }
    Run { end, is_ascii: seen.is_ascii() }
}

/// The same for 8 bytes at least, by blocks and words. The last one overlaps the one before it: what was seen once may
/// be seen again.
#[inline(never)]
fn long_run(bytes: &[u8], start: usize) -> Run {
    let text = bytes.get(start..).unwrap_or_default();
    let (end, is_ascii) = blocks::search(text).unwrap_or_else(|| search_by_words(text));
    Run { end: start + end, is_ascii }
}

/// Returns the place of the first special byte, or the length of the text, and whether all before it is ASCII.
fn search_by_words(text: &[u8]) -> (usize, bool) {
    let (mut at, mut seen) = (0, 0);
    let last = text.len().saturating_sub(8);
    while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*bytes);
        let special = special_bytes(word);
        if special != 0 {
            let before = special.trailing_zeros() / 8;
            seen |= word & !(u64::MAX << (8 * before));
            return (at + before as usize, seen & HIGH == 0);
        }
        seen |= word;
        if at == last {
            break;
        }
        at = (at + 8).min(last);
    }
    (text.len(), seen & HIGH == 0)
}

#[cfg(not(target_family = "wasm"))]
pub(super) use self::blocks::{not_plain_ascii, special_in_block};

/// Searching by blocks of 16 bytes, where that is one instruction.
#[cfg(not(target_family = "wasm"))]
mod blocks {
    use wide::{CmpEq, CmpLt, i8x16};

    /// The same as [`search_by_words`](super::search_by_words), if the text has 16 bytes.
    #[inline]
    pub(super) fn search(text: &[u8]) -> Option<(usize, bool)> {
        let (mut at, mut not_ascii) = (0, 0);
        let last = text.len().checked_sub(16)?;
        loop {
            let block = i8x16::new(text.get(at..)?.first_chunk::<16>()?.map(|byte| byte as i8));
            // Bit by bit, as for the bytes: the sign is the high bit.
            let signs = block.move_mask();
            let special = special(block).move_mask();
            if special != 0 {
                let before = special.trailing_zeros();
                not_ascii |= signs & !(-1 << before);
                return Some((at + before as usize, not_ascii == 0));
            }
            not_ascii |= signs;
            if at == last {
                return Some((text.len(), not_ascii == 0));
            }
            at = (at + 16).min(last);
        }
    }

    /// One bit for each byte of a block that is special, or past ASCII.
    #[inline(always)]
    pub(in crate::tokenizer) fn not_plain_ascii(block: &[u8; 16]) -> u16 {
        let block = i8x16::new(block.map(|byte| byte as i8));
        let is = |byte: u8| block.cmp_eq(i8x16::splat(byte as i8));
        // Bytes are signed here: what is past ASCII is less than a blank, as control characters are.
        (is(b'"') | is(b'\\') | block.cmp_lt(i8x16::splat(b' ' as i8))).move_mask() as u16
    }

    /// One bit for each special byte of a block.
    #[inline(always)]
    pub(in crate::tokenizer) fn special_in_block(block: &[u8; 16]) -> u16 {
        special(i8x16::new(block.map(|byte| byte as i8))).move_mask() as u16
    }

    /// All bits of each special byte.
    #[inline(always)]
    fn special(block: i8x16) -> i8x16 {
        let is = |byte: u8| block.cmp_eq(i8x16::splat(byte as i8));
        // Bytes are signed here, so that what is past ASCII would be the least without its sign turned.
        let flipped = |byte: u8| i8x16::splat((byte ^ 0x80) as i8);
        let is_control = (block ^ i8x16::splat(i8::MIN)).cmp_lt(flipped(b' '));
        is(b'"') | is(b'\\') | is_control
    }
}

/// WebAssembly compares byte by byte unless it is built with its vectors.
#[cfg(target_family = "wasm")]
mod blocks {
    pub(super) fn search(_: &[u8]) -> Option<(usize, bool)> {
        None
    }
}

/// The high bit of the lowest special byte of `word` is set, and of none below it.
#[inline]
fn special_bytes(word: u64) -> u64 {
    let quote = (word ^ QUOTES).wrapping_sub(LOW);
    let backslash = (word ^ BACKSLASHES).wrapping_sub(LOW);
    let control = word.wrapping_sub(SPACES);
    // The high bit of a byte that had it before says nothing: no special byte is past ASCII.
    (quote | backslash | control) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::run;
    use crate::random::Random;

    /// Bytes that end a run, that nearly do, and what is not ASCII.
    const BYTES: [u8; 14] = [0, 0x01, 0x1F, b' ', b'!', b'"', b'#', b'[', b'\\', b']', 0x7F, 0x80, 0xA2, 0xFF];

    /// RFC 8259 section 7: what can't stand for itself in a string.
    fn is_special(byte: u8) -> bool {
        matches!(byte, 0..=0x1F | b'"' | b'\\')
    }

    fn check_run(bytes: &[u8], start: usize) {
        let found = run(bytes, start);
        let len = bytes[start..].iter().take_while(|byte| !is_special(**byte)).count();
        assert_eq!(found.end, start + len, "{bytes:?} from {start}");
        assert_eq!(found.is_ascii, bytes[start..start + len].is_ascii(), "{bytes:?} from {start}");
    }

    /// Each byte at each place of each length, in words and blocks and what is left of them.
    #[test]
    fn one_byte_is_seen_wherever_it_stands() {
        for len in 0..=75 {
            let plain = vec![b'a'; len];
            check_run(&plain, 0);
            for at in 0..len {
                for byte in BYTES {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    [0, 1, at / 2, at, at + 1].into_iter().for_each(|start| check_run(&bytes, start));
                }
            }
        }
    }

    #[test]
    fn runs_are_those_of_a_reading_byte_by_byte() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let len = random.below(120);
            let bytes: Vec<u8> =
                (0..len).map(|_| if random.below(10) < 9 { b'a' } else { random.pick(&BYTES) }).collect();
            check_run(&bytes, random.below(len + 1));
        }
    }
}
