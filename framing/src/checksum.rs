//! CRC-32, the checksum of Amazon's messages and of saved states.

/// Returns the CRC-32 of the joined parts.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn crc32(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

#[cfg(target_arch = "wasm32")]
pub(crate) use self::without_tables as crc32;

/// Returns the CRC-32 of the joined parts, without the 16 KiB of tables that make crc32fast fast: WebAssembly is downloaded.
#[cfg(any(target_arch = "wasm32", test))]
pub(crate) fn without_tables(parts: &[&[u8]]) -> u32 {
    let mut sum = u32::MAX;
    for byte in parts.iter().copied().flatten() {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{crc32, without_tables};

    #[test]
    fn both_are_the_same() {
        let bytes: [u8; 700] = core::array::from_fn(|place| (place * place) as u8);
        for len in 0..bytes.len() {
            let (one, other) = bytes.split_at(len);
            assert_eq!(crc32(&[one]), without_tables(&[one]));
            assert_eq!(crc32(&[one, other]), without_tables(&[&bytes]));
        }
    }
}
