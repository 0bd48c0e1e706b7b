//! Finding the next byte that matters inside a string, many at a time.
//!
//! Special are the quote, the backslash and the control characters (RFC 8259 §7). Words of eight bytes are
//! looked at with the usual borrow trick: subtracting one from each byte borrows into its high bit just where the
//! byte was zero. A borrow can only spoil *higher* bytes, and the lowest flagged byte is the one asked for.

const LOW: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
const SPACES: u64 = u64::from_le_bytes([b' '; 8]);

/// The bytes up to the next special one.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// Where the first special byte stands, or the length of what was searched.
    pub(crate) end: usize,
    /// Whether every byte before `end` is ASCII.
    pub(crate) is_ascii: bool,
}

/// Whether a string's run ends at this byte.
#[inline]
const fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Whether a byte stands for itself inside a string: ASCII, and not special.
#[inline]
pub(crate) fn is_plain_ascii(byte: u8) -> bool {
    PLAIN_ASCII[usize::from(byte)]
}

static PLAIN_ASCII: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte < 0x80 {
        plain[byte as usize] = !is_special(byte);
        byte += 1;
    }
    plain
};

/// Searches `bytes[start..]` for the first special byte.
#[inline]
pub(crate) fn run(bytes: &[u8], start: usize) -> Run {
    let mut seen = 0u64;
    let mut end = start;
    // Four words at a time as long as none holds a special byte, then word by word to the place.
    while let Some((words, _)) = bytes.get(end..).and_then(|rest| rest.first_chunk::<32>()).map(|b| b.as_chunks::<8>())
    {
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at]));
        if special_bytes(a) | special_bytes(b) | special_bytes(c) | special_bytes(d) != 0 {
            break;
        }
        seen |= a | b | c | d;
        end += 32;
    }
    while let Some(word) = bytes.get(end..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        let special = special_bytes(word);
        if special != 0 {
            let before = special.trailing_zeros() / 8;
            seen |= word & !(u64::MAX << (8 * before));
            return Run { end: end + before as usize, is_ascii: seen & HIGH == 0 };
        }
        seen |= word;
        end += 8;
    }
    while let Some(&byte) = bytes.get(end) {
        if is_special(byte) {
            break;
        }
        seen |= u64::from(byte);
        end += 1;
    }
    Run { end, is_ascii: seen & HIGH == 0 }
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
