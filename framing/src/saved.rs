//! Saved state of the framing, such as half a line or half a character, together with the state of the reader that it
//! feeds.
//!
//! The reader's state is left unchanged if the framing has nothing to save. Otherwise it follows a header and the
//! framing's section:
//!
//! | bytes | in the header |
//! |---|---|
//! | 4 | `jsf\x1A` |
//! | 1 | the version of the format |
//! | 8 | length of the framing's section |
//! | 8 | length of the reader's state |
//! | 4 | checksum (CRC-32) of all other bytes but the first five |
//!
//! Numbers in the header are little-endian; the section has those of all saved states. The packages for Python and
//! JavaScript write the same format. The checksum ties the framing's section to the reader's state and detects damage,
//! but does not authenticate. So the bytes are not trusted: no length may exceed the bytes that are there, and each part
//! checks what it reads.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

pub(crate) use jsonspigot::internal::saved::{Impossible, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use crate::checksum::crc32;

const MAGIC: [u8; 4] = *b"jsf\x1A";
const VERSION: u8 = 1;
const ADDED: Range<usize> = 5..13;
const STATE: Range<usize> = 13..21;
const CHECKSUM: Range<usize> = 21..25;
const HEADER: usize = CHECKSUM.end;

/// Returns a reader's state with the framing's section, which `write` writes.
pub(crate) fn with_added(
    state: &[u8],
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; HEADER];
    write(&mut Writer::new(&mut bytes))?;
    let added = (bytes.len() - HEADER) as u64;
    bytes.extend_from_slice(state);
    bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
    bytes[MAGIC.len()] = VERSION;
    bytes[ADDED].copy_from_slice(&added.to_le_bytes());
    bytes[STATE].copy_from_slice(&(state.len() as u64).to_le_bytes());
    let checksum = checksum(&bytes);
    bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

fn checksum(bytes: &[u8]) -> u32 {
    crc32(&[&bytes[ADDED.start..STATE.end], &bytes[HEADER..]])
}

/// Splits a saved state into the framing's section, if there is one, and the reader's state.
fn split(bytes: &[u8]) -> Result<(Option<&[u8]>, &[u8]), RestoreError> {
    // Without the start of the header, all of it is the reader's state.
    if !bytes.starts_with(&MAGIC[..3]) {
        return Ok((None, bytes));
    }
    if bytes.get(3).is_some_and(|last| *last != MAGIC[3]) {
        return Err(RestoreError::NotSavedState);
    }
    if bytes.get(MAGIC.len()).is_some_and(|version| *version != VERSION) {
        return Err(RestoreError::OtherVersion);
    }
    let Some((header, body)) = bytes.split_at_checked(HEADER) else { return Err(RestoreError::Cut) };
    let number = |place: &Range<usize>| header[place.clone()].try_into().map_or(0, u64::from_le_bytes);
    let (added, state) = (number(&ADDED), number(&STATE));
    // The lengths are not verified before the checksum is.
    let len = added.saturating_add(state);
    if (body.len() as u64) < len {
        return Err(RestoreError::Cut);
    }
    if body.len() as u64 != len || header[CHECKSUM] != checksum(bytes).to_le_bytes() {
        return Err(RestoreError::Changed);
    }
    let parts = usize::try_from(added).ok().and_then(|added| body.split_at_checked(added));
    parts.map(|(added, state)| (Some(added), state)).ok_or(RestoreError::Impossible)
}

/// Restores the reader's state, and then reads the framing's section with `read`. Returns `None` for a state without
/// such a section.
pub(crate) fn restore_with<S, T>(
    bytes: &[u8],
    restore_state: impl FnOnce(&[u8]) -> Result<T, RestoreError>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<S, Impossible>,
) -> Result<(Option<S>, T), RestoreError> {
    let (added, state) = split(bytes)?;
    let state = restore_state(state)?;
    let Some(added) = added else { return Ok((None, state)) };
    let mut reader = Reader::new(added);
    let restored = read(&mut reader).and_then(|restored| reader.end().map(|()| restored));
    restored.map(|restored| (Some(restored), state)).map_err(|Impossible| RestoreError::Impossible)
}
