//! The header of a saved state, which identifies it and detects changed or missing bytes.
//!
//! | bytes | |
//! |---|---|
//! | 4 | `jsp\x1A` |
//! | 1 | the version of the format |
//! | 1 | the [`Kind`](super::Kind) of state |
//! | 4 | digest of the patterns |
//! | 4 | digest of the choices |
//! | 8 | length of the body |
//! | 4 | checksum of all other bytes except the first five |
//!
//! Numbers are little-endian.

use alloc::vec::Vec;

use super::{Digest, Owner, RestoreError};

const MAGIC: [u8; 4] = *b"jsp\x1A";

const VERSION: u8 = 4;

const LEN: usize = 26;

/// Writes a header without the length and the checksum.
pub(super) fn begin(owner: &Owner, bytes: &mut Vec<u8>) {
    let mut header = [0; LEN];
    header[..4].copy_from_slice(&MAGIC);
    [header[4], header[5]] = [VERSION, owner.kind as u8];
    header[6..10].copy_from_slice(&owner.patterns.folded().to_le_bytes());
    header[10..14].copy_from_slice(&owner.choices.folded().to_le_bytes());
    bytes.extend_from_slice(&header);
}

/// Sets the length and the checksum after the body was written.
pub(super) fn end(bytes: &mut [u8]) {
    if let Some((header, body)) = bytes.split_first_chunk_mut::<LEN>() {
        header[14..22].copy_from_slice(&(body.len() as u64).to_le_bytes());
        let checksum = checksum(header, body);
        header[22..].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Returns the body of a state after checking that it belongs to `owner` and is unchanged.
pub(super) fn checked<'a>(owner: &Owner, bytes: &'a [u8]) -> Result<&'a [u8], RestoreError> {
    let magic = bytes.len().min(MAGIC.len());
    if bytes[..magic] != MAGIC[..magic] {
        return Err(RestoreError::NotSavedState);
    }
    if bytes.get(MAGIC.len()).is_some_and(|version| *version != VERSION) {
        return Err(RestoreError::OtherVersion);
    }
    let Some((header, body)) = bytes.split_first_chunk::<LEN>() else { return Err(RestoreError::Cut) };
    let word = |place: usize| header[place..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let len = u64::from(word(14)) | u64::from(word(18)) << 32;
    // The length is not trusted before the checksum matches, but if fewer bytes follow, the end is missing.
    if (body.len() as u64) < len {
        return Err(RestoreError::Cut);
    }
    if body.len() as u64 != len || word(22) != checksum(header, body) {
        return Err(RestoreError::Changed);
    }
    if header[5] != owner.kind as u8 {
        return Err(RestoreError::OtherKind);
    }
    if word(6) != owner.patterns.folded() {
        return Err(RestoreError::OtherPatterns);
    }
    if word(10) != owner.choices.folded() {
        return Err(RestoreError::OtherChoices);
    }
    Ok(body)
}

fn checksum(header: &[u8; LEN], body: &[u8]) -> u32 {
    Digest::new().with_bytes(&header[5..22]).with_bytes(body).folded()
}
