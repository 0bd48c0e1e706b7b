//! The places where plain text in strings stops, found for 64 bytes at once.
//!
//! Most strings are shorter than a block: one mask of 64 bits serves several of them, and the end of each is a shift
//! and a count. A mask says nothing of what is inside quotes and what is not, so it is asked only from within a string.

use super::scan;

/// The block that was searched last, of one chunk.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The place of its first byte.
    at: usize,
    /// One bit for each byte that is not plain ASCII: quotes, backslashes, control characters, and what is past ASCII.
    stops: u64,
}

impl Blocks {
    /// The first stop at or after `pos`, or the chunk's length.
    #[inline(always)]
    pub(super) fn next_stop(&mut self, chunk: &[u8], pos: usize) -> usize {
        let place = pos.wrapping_sub(self.at);
        if place < 64 {
            let rest = self.stops >> place;
            if rest != 0 {
                return pos + rest.trailing_zeros() as usize;
            }
        }
        self.search(chunk, pos)
    }

    #[inline(never)]
    fn search(&mut self, chunk: &[u8], mut pos: usize) -> usize {
        while let Some(block) = chunk.get(pos..).and_then(<[u8]>::first_chunk) {
            (self.at, self.stops) = (pos, stops(block));
            if self.stops != 0 {
                return pos + self.stops.trailing_zeros() as usize;
            }
            pos += 64;
        }
        // The last bytes, fewer than 64: with what comes before them, or with blanks after them, which stop nothing.
        if let Some(last) = chunk.last_chunk() {
            (self.at, self.stops) = (chunk.len() - 64, stops(last));
        } else {
            let mut block = [b' '; 64];
            block[..chunk.len()].copy_from_slice(chunk);
            (self.at, self.stops) = (0, stops(&block));
        }
        let rest = self.stops.checked_shr((pos - self.at) as u32).unwrap_or(0);
        if rest == 0 { chunk.len() } else { pos + rest.trailing_zeros() as usize }
    }
}

#[inline(always)]
fn stops(block: &[u8; 64]) -> u64 {
    bits(block, scan::not_plain_ascii)
}

/// One bit for each of 16 to 64 bytes, by blocks of 16. The last block may overlap the one before it.
#[inline(always)]
pub(super) fn bits(bytes: &[u8], of_block: impl Fn(&[u8; 16]) -> u16) -> u64 {
    let bits_at = |block, place| u64::from(of_block(block)) << place;
    let (blocks, _) = bytes.as_chunks();
    let last = bytes.last_chunk().map_or(0, |block| bits_at(block, bytes.len() - 16));
    blocks.iter().enumerate().fold(last, |bits, (place, block)| bits | bits_at(block, 16 * place))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::Blocks;

    /// Each byte at each place of texts around the length of a block and of two, asked from near and from far.
    #[test]
    fn stops_are_found_wherever_they_stand() {
        for len in [0, 1, 15, 16, 63, 64, 65, 127, 128, 130] {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut text = vec![b'a'; len];
                    text[at] = byte;
                    let stops = !byte.is_ascii() || byte < b' ' || matches!(byte, b'"' | b'\\');
                    let mut blocks = Blocks::default();
                    for from in [0, at / 2, at, at + 1, len] {
                        let stop = if stops && from <= at { at } else { len };
                        assert_eq!(blocks.next_stop(&text, from), stop, "{byte} at {at} of {len} from {from}");
                    }
                }
            }
        }
    }
}
