//! A chunk, and where plain text in strings stops in it, found for 64 bytes at once.
//!
//! Special bytes are the quote, the backslash and the control characters (RFC 8259 §7). One bit of a word marks each of
//! 64 bytes that is special or not ASCII. Most strings are shorter, so one word serves several of them, and the end of
//! each is found by a shift and a count. The end of a shorter chunk is marked by a bit too, so it needs no branch of
//! its own. The word does not distinguish bytes inside quotes from bytes outside, so it is used only inside a string.

use alloc::string::String;
use core::hint::select_unpredictable;
use core::ops::Range;

use super::utf8::{AsciiBlock, BLOCK, ascii_block, ascii_part, ascii_text};

/// The number of bytes in a window: one per bit of a word.
const WINDOW: usize = u64::BITS as usize;

/// A chunk, and the stops in the window that was searched last.
pub(crate) struct Stops<'a> {
    chunk: &'a [u8],
    /// The index of the window's first byte.
    at: usize,
    /// One bit for each byte that is not plain ASCII, and for the chunk's end if it is in the window.
    stops: u64,
    /// The chunk padded with zeros, if it is shorter than a block.
    block: [u8; BLOCK],
}

impl<'a> Stops<'a> {
    /// Searches the chunk's first window.
    #[inline(always)]
    pub(crate) fn of(chunk: &'a [u8]) -> Self {
        let (stops, block) = match *chunk {
            // Some models send single bytes.
            [byte] => (u64::from(STOPS_IN_ONE[usize::from(byte)]), u128::from(byte)),
            _ => first_window(chunk),
        };
        Self { chunk, at: 0, stops, block: block.to_le_bytes() }
    }

    #[inline(always)]
    pub(crate) fn chunk(&self) -> &'a [u8] {
        self.chunk
    }

    /// Returns true if the whole chunk is plain ASCII and fits into one window. Valid only before another window is
    /// searched.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.stops.trailing_zeros() as usize == self.chunk.len()
    }

    /// Returns the text of a plain chunk.
    #[inline(always)]
    pub(crate) fn plain_text(&self) -> &str {
        self.text(0..self.chunk.len())
    }

    /// Returns the chunk padded with zeros, if it is shorter than a block and ASCII.
    #[inline(always)]
    pub(crate) fn block(&self) -> Option<&AsciiBlock> {
        if self.chunk.len() < BLOCK { ascii_block(&self.block) } else { None }
    }

    /// Appends the text of a plain chunk. A short one is copied as a whole block and then truncated: copying a fixed
    /// number of bytes takes two instructions, copying a variable number a call.
    #[inline(always)]
    pub(crate) fn push_plain_to(&self, text: &mut String) {
        let end = text.len() + self.chunk.len();
        match self.block().and_then(|block| ascii_part(block, 0..BLOCK)) {
            Some(block) => text.push_str(block),
            None => text.push_str(self.plain_text()),
        }
        text.truncate(end);
    }

    /// Returns the text in a range that was found to be ASCII.
    #[inline(always)]
    pub(super) fn text(&self, place: Range<usize>) -> &str {
        match self.block().and_then(|block| ascii_part(block, place.clone())) {
            Some(text) => text,
            None => self.long_text(place),
        }
    }

    /// Returns the ASCII text in a range of a longer chunk, or of one that is not all ASCII.
    #[inline(never)]
    fn long_text(&self, place: Range<usize>) -> &str {
        ascii_text(&self.chunk[place])
    }

    /// Returns the first stop at or after `from`, or the chunk's length.
    #[inline(always)]
    pub(super) fn next(&mut self, from: usize) -> usize {
        let place = from.wrapping_sub(self.at);
        let rest = if place < WINDOW { self.stops >> place } else { 0 };
        if rest != 0 { from + rest.trailing_zeros() as usize } else { self.search(from) }
    }

    /// Returns the closing quote of a string if it is plain ASCII from `from` on, at most `most` bytes long, and not
    /// cut.
    #[inline(always)]
    pub(super) fn plain_end(&mut self, from: usize, most: u64) -> Option<usize> {
        let end = self.next(from);
        (self.chunk.get(end) == Some(&b'"') && (end - from) as u64 <= most).then_some(end)
    }

    /// Returns the first special byte at or after `from`, or the chunk's length, and whether the bytes before it are
    /// ASCII.
    #[inline(always)]
    pub(super) fn run(&mut self, from: usize) -> (usize, bool) {
        let stop = self.next(from);
        let is_ascii = self.chunk.get(stop).is_none_or(u8::is_ascii);
        (if is_ascii { stop } else { self.special(stop) }, is_ascii)
    }

    /// Returns the result of [`Self::run`], with an end of at most `within`.
    #[inline(always)]
    pub(super) fn run_within(&mut self, from: usize, within: usize) -> (usize, bool) {
        let run = self.run(from);
        if run.0 <= within { run } else { self.cut(from, within) }
    }

    #[cold]
    #[inline(never)]
    fn cut(&self, from: usize, within: usize) -> (usize, bool) {
        let end = within.max(from);
        (end, self.chunk[from..end].is_ascii())
    }

    /// Returns the first special byte at or after `from`, past bytes that are not ASCII, or the chunk's length.
    #[inline(never)]
    fn special(&self, mut from: usize) -> usize {
        while let Some(block) = self.chunk[from..].first_chunk::<BLOCK>() {
            // Bytes that are not ASCII are treated as letters.
            let special = stops_in(&block.map(|byte| if byte.is_ascii() { byte } else { b'a' }));
            if special != 0 {
                return from + special.trailing_zeros() as usize;
            }
            from += BLOCK;
        }
        self.chunk[from..].iter().position(|&byte| is_special(byte)).map_or(self.chunk.len(), |place| from + place)
    }

    /// Returns the next stop after the window, or the chunk's length.
    #[inline(never)]
    fn search(&mut self, mut from: usize) -> usize {
        if from.wrapping_sub(self.at) < WINDOW {
            // The window has no more stops.
            from = self.at + WINDOW;
        }
        while from < self.chunk.len() {
            self.move_to(from);
            let rest = self.stops >> (from - self.at);
            if rest != 0 {
                return from + rest.trailing_zeros() as usize;
            }
            from = self.at + WINDOW;
        }
        self.chunk.len()
    }

    /// Moves the window so that it contains `place` and does not exceed the chunk.
    #[inline(always)]
    fn move_to(&mut self, place: usize) {
        if let Some(window) = self.chunk[place..].first_chunk::<WINDOW>() {
            (self.at, self.stops) = (place, bits(window));
        } else if let Some(window) = self.chunk.last_chunk::<WINDOW>() {
            (self.at, self.stops) = (self.chunk.len() - WINDOW, bits(window));
        }
    }
}

/// Returns the stops in the first window of a chunk, and the chunk if it is shorter than a block.
// Not inlined, to keep the code that feeds chunks small.
#[inline(never)]
fn first_window(chunk: &[u8]) -> (u64, u128) {
    let len = chunk.len();
    if len == 0 {
        (0, 0)
    } else if len < BLOCK {
        let block = padded(chunk);
        (u64::from(stops_in(&block.to_le_bytes())) | 1 << len, block)
    } else if let Some(window) = chunk.first_chunk::<WINDOW>() {
        (bits(window), 0)
    } else {
        (bits(chunk) | 1 << len, 0)
    }
}

/// Returns true if a byte must be escaped inside quotes.
const fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// The stops in a chunk of one byte: the byte, if it is a stop, and the chunk's end.
static STOPS_IN_ONE: [u8; 256] = {
    let mut stops = [0b11; 256];
    let mut byte = 0;
    while byte < 0x80 {
        if !is_special(byte) {
            stops[byte as usize] = 0b10;
        }
        byte += 1;
    }
    stops
};

/// Returns one bit for each stop in `bytes`, from a block up to a window long. The last block may overlap the previous
/// one.
#[inline(always)]
fn bits(bytes: &[u8]) -> u64 {
    let (blocks, _) = bytes.as_chunks();
    let last = bytes.last_chunk().map_or(0, |block| u64::from(stops_in(block)) << (bytes.len() - BLOCK));
    blocks.iter().enumerate().fold(last, |bits, (place, block)| bits | u64::from(stops_in(block)) << (BLOCK * place))
}

/// Returns one bit for each byte of a block that is special or not ASCII.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn stops_in(block: &[u8; BLOCK]) -> u16 {
    use safe_arch::{
        bitor_m128i, cmp_eq_mask_i8_m128i, cmp_lt_mask_i8_m128i, load_unaligned_m128i, move_mask_i8_m128i,
        set_splat_i8_m128i,
    };
    let block = load_unaligned_m128i(block);
    let is = |byte: u8| cmp_eq_mask_i8_m128i(block, set_splat_i8_m128i(byte as i8));
    // Bytes are signed here, so bytes past ASCII are less than a space, like control characters.
    let is_other = cmp_lt_mask_i8_m128i(block, set_splat_i8_m128i(b' ' as i8));
    move_mask_i8_m128i(bitor_m128i(bitor_m128i(is(b'"'), is(b'\\')), is_other)) as u16
}

#[cfg(not(target_arch = "x86_64"))]
use self::words::stops_in;

/// `stops_in` by words of eight bytes, for processors without vector code above.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;

    #[inline(always)]
    pub(super) fn stops_in(block: &[u8; super::BLOCK]) -> u16 {
        let (words, _) = block.as_chunks();
        words.iter().rev().fold(0, |bits, word| bits << 8 | stops_in_word(u64::from_le_bytes(*word)))
    }

    /// Returns one bit for each stop in a word.
    #[inline(always)]
    fn stops_in_word(word: u64) -> u16 {
        // Seven bits each, so no sum carries into the next byte.
        let low = word & !HIGH;
        let is_not = |byte: u8| (low ^ (ONES * u64::from(byte))) + !HIGH;
        let is_no_control = low + ONES * u64::from(0x80 - b' ');
        let is_plain = is_not(b'"') & is_not(b'\\') & is_no_control & !word;
        // The multiplication collects one bit of each byte in the highest byte.
        let is_stop = (!is_plain & HIGH) >> 7;
        (is_stop.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
    }
}

/// Returns `bytes`, shorter than a block and not empty, padded with zeros.
///
/// The length of a model's token is unpredictable, and a wrong prediction costs about twenty instructions. So one to
/// seven bytes are loaded without a branch on their number: both the first and last four bytes, which may overlap, and
/// up to three single bytes are loaded, and one of the two is selected. Eight or more bytes are loaded as the first and
/// last eight. The last bytes are then shifted into place.
#[inline(always)]
fn padded(bytes: &[u8]) -> u128 {
    const NOTHING: &[u8; 4] = &[0; 4];
    let len = bytes.len();
    let bits = 8 * len as u32;
    let (low, high) = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last).unbounded_shr(128 - bits))
    } else {
        let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return 0 };
        let few = u32::from_le_bytes([first, bytes[len / 2], last, 0]);
        // The compiler turns a selection of values into a branch, unless the addresses to load them from are selected
        // too.
        let are_four = len >= 4;
        let head = select_unpredictable(are_four, bytes.first_chunk().unwrap_or(NOTHING), NOTHING);
        let tail = select_unpredictable(are_four, bytes.last_chunk().unwrap_or(NOTHING), NOTHING);
        let head = u64::from(select_unpredictable(are_four, u32::from_le_bytes(*head), few));
        let tail = u64::from(u32::from_le_bytes(*tail));
        // The tail is shifted up by 0 to 24 bits. Fewer than four bytes have no tail, but may contain a byte more than
        // once.
        ((head | tail << (bits & 31)) & (u64::MAX >> (64 - bits)), 0)
    };
    u128::from(low) | u128::from(high) << 64
}

/// Returns the length of the text before the first byte that must be escaped inside quotes.
pub(crate) fn plain_len(text: &str) -> usize {
    Stops::of(text.as_bytes()).run(0).0
}

/// Returns the length of the string that `text` begins with, including its quotes.
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

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{BLOCK, Stops, padded, stops_in, words};
    use crate::random::Random;

    /// Bytes that end a run, neighbours of such bytes, and bytes that are not ASCII.
    const BYTES: [u8; 14] = [0, 0x01, 0x1F, b' ', b'!', b'"', b'#', b'[', b'\\', b']', 0x7F, 0x80, 0xA2, 0xFF];

    /// Returns true if a byte must be escaped in a string (RFC 8259 §7).
    fn is_special(byte: u8) -> bool {
        matches!(byte, 0..=0x1F | b'"' | b'\\')
    }

    /// Checks the runs from several places, in order, with one `Stops` value.
    fn check_runs(bytes: &[u8], starts: impl IntoIterator<Item = usize>) {
        let mut stops = Stops::of(bytes);
        for start in starts {
            let (end, is_ascii) = stops.run(start);
            let len = bytes[start..].iter().take_while(|byte| !is_special(**byte)).count();
            assert_eq!(end, start + len, "{bytes:?} from {start}");
            assert_eq!(is_ascii, bytes[start..start + len].is_ascii(), "{bytes:?} from {start}");
        }
    }

    /// Tests each byte at each place of texts around the lengths of a block and a window, searched from near and far.
    #[test]
    fn one_byte_is_seen_wherever_it_stands() {
        for len in (0..=35).chain([47, 48, 49, 63, 64, 65, 66, 127, 128, 130]) {
            let plain = vec![b'a'; len];
            check_runs(&plain, [0, len]);
            for at in 0..len {
                for byte in BYTES {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    check_runs(&bytes, [0, at / 2, at, at + 1, len]);
                    check_runs(&bytes, [at + 1]);
                }
            }
        }
    }

    /// Tests each byte at each place of each length. The other bytes all differ, so each must be in its place.
    #[test]
    fn each_byte_of_a_block_is_known_wherever_it_stands() {
        for len in 1..BLOCK {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut block = [0; BLOCK];
                    (0..len).for_each(|place| block[place] = b'a' + place as u8);
                    block[at] = byte;
                    assert_eq!(padded(&block[..len]).to_le_bytes(), block);
                    let stops = block.map(|byte| !byte.is_ascii() || is_special(byte));
                    let stops = (0..).zip(stops).fold(0, |bits, (place, is_stop)| bits | u16::from(is_stop) << place);
                    assert_eq!([stops_in(&block), words::stops_in(&block)], [stops; 2], "{block:?}");
                    check_plain(&block[..len]);
                }
            }
        }
        [0, 16, 17, 63, 64, 65, 66].into_iter().for_each(|len| check_plain(&vec![b'a'; len]));
    }

    fn check_plain(bytes: &[u8]) {
        let stops = Stops::of(bytes);
        let is_plain =
            (1..=64).contains(&bytes.len()) && bytes.iter().all(|&byte| byte.is_ascii() && !is_special(byte));
        assert_eq!(stops.is_plain(), is_plain, "{bytes:?}");
        if is_plain {
            let mut text = String::from("é");
            stops.push_plain_to(&mut text);
            assert_eq!(text.strip_prefix('é'), Some(stops.plain_text()));
            assert_eq!(stops.plain_text().as_bytes(), bytes);
        }
    }

    #[test]
    fn runs_are_those_of_a_reading_byte_by_byte() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let len = random.below(200);
            let bytes: Vec<u8> =
                (0..len).map(|_| if random.below(20) < 19 { b'a' } else { random.pick(&BYTES) }).collect();
            let mut starts: Vec<usize> = (0..4).map(|_| random.below(len + 1)).collect();
            starts.sort_unstable();
            check_runs(&bytes, starts);
        }
    }
}
