//! Numbers by which patterns and choices are known, in every process and on every machine.

use core::fmt;

/// A number that two different things hardly ever share. The same in every process and on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    pub const fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    /// As a number, to be kept in an atomic one.
    #[cfg(target_has_atomic = "64")]
    pub(crate) const fn to_bits(self) -> u64 {
        self.0
    }

    #[cfg(target_has_atomic = "64")]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Adds a number. A change of one of them always changes the digest, as each step can be undone.
    #[inline]
    pub const fn with(self, number: u64) -> Self {
        let mixed = (self.0 ^ number).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Self(mixed ^ mixed >> 32)
    }

    /// Adds a size or a limit of sizes. None at all is the same on machines of any word size.
    pub const fn with_size(self, size: usize) -> Self {
        self.with(size_of_any_word(size as u64, usize::MAX as u64))
    }

    /// Adds what another one was made of.
    pub const fn with_digest(self, other: Self) -> Self {
        self.with(other.0)
    }

    /// Adds bytes. The words of long ones go to four digests in turn, since each step waits for the one before it.
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

/// A size where the largest is `most`.
const fn size_of_any_word(size: u64, most: u64) -> u64 {
    if size == most { u64::MAX } else { size }
}

/// Adds text that is written.
impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Byte by byte, so that it does not matter in which pieces the text comes.
        *self = text.bytes().fold(*self, |digest, byte| digest.with(byte.into()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, size_of_any_word};

    /// A choice made on a machine of 32 bits, such as wasm32, is the same choice on one of 64.
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
