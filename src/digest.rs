//! Digests that identify patterns and options in saved state.

use core::fmt;

/// A 64-bit digest. Equal inputs have equal digests in every process and on every machine; collisions are unlikely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    pub const fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    /// Returns the digest as a number, to be stored in a [`Word`](crate::shared_word::Word).
    pub(crate) const fn to_bits(self) -> u64 {
        self.0
    }

    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Adds a number. Each step is a bijection, so inputs that differ in one number never collide.
    #[inline]
    pub const fn with(self, number: u64) -> Self {
        let mixed = (self.0 ^ number).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self(mixed ^ mixed >> 32)
    }

    /// Adds a size or a limit. `usize::MAX`, which stands for no limit, gives the same digest on every machine.
    pub const fn with_size(self, size: usize) -> Self {
        self.with(size_of_any_word(size as u64, usize::MAX as u64))
    }

    /// Adds the contents of another digest.
    pub const fn with_digest(self, other: Self) -> Self {
        self.with(other.0)
    }

    /// Adds bytes. Words of long inputs are spread over four digests, because each step depends on the one before it.
    #[inline]
    pub fn with_bytes(self, bytes: &[u8]) -> Self {
        let (blocks, rest) = bytes.as_chunks::<32>();
        let lanes = blocks.iter().fold([self; 4], |lanes, block| {
            let (words, _) = block.as_chunks::<8>();
            core::array::from_fn(|lane| lanes[lane].with(u64::from_le_bytes(words[lane])))
        });
        let [first, others @ ..] = lanes;
        let digest = if blocks.is_empty() { self } else { others.into_iter().fold(first, Self::with_digest) };
        let (words, rest) = rest.as_chunks::<8>();
        let digest = words.iter().fold(digest, |digest, word| digest.with(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
        digest.with(u64::from_le_bytes(last)).with(bytes.len() as u64)
    }

    pub(crate) fn folded(self) -> u32 {
        (self.0 ^ self.0 >> 32) as u32
    }
}

/// Maps a machine's largest size, `most`, to `u64::MAX`.
const fn size_of_any_word(size: u64, most: u64) -> u64 {
    if size == most { u64::MAX } else { size }
}

/// Adds the text that is written.
impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Byte by byte, so that the digest does not depend on how the text is divided into writes.
        *self = text.bytes().fold(*self, |digest, byte| digest.with(byte.into()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, size_of_any_word};

    /// Checks that an option set on a 32-bit machine, such as wasm32, has the same digest on a 64-bit one.
    #[test]
    fn sizes_are_the_same_on_machines_of_any_word_size() {
        let [narrow, wide] = [u32::MAX.into(), u64::MAX];
        assert_eq!(size_of_any_word(narrow, narrow), size_of_any_word(wide, wide));
        for size in [0, 127, narrow - 1] {
            assert_eq!(size_of_any_word(size, narrow), size_of_any_word(size, wide));
        }
        assert_ne!(size_of_any_word(narrow, wide), size_of_any_word(wide, wide), "a limit, though a large one");
        assert_eq!(Digest::new().with_size(usize::MAX), Digest::new().with(u64::MAX));
        assert_eq!(Digest::new().with_size(127), Digest::new().with(127));
    }
}
