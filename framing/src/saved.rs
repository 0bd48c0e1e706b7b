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
//! Numbers are little-endian. The packages for Python and JavaScript write the same format. The checksum ties the
//! framing's section to the reader's state and detects damage, but does not authenticate. So the bytes are not trusted:
//! no length may exceed the bytes that are there, and each part checks what it reads.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use jsonspigot::{Error, RestoreError};

use crate::checksum::crc32;

const MAGIC: [u8; 4] = *b"jsf\x1A";
const VERSION: u8 = 1;
const ADDED: Range<usize> = 5..13;
const STATE: Range<usize> = 13..21;
const CHECKSUM: Range<usize> = 21..25;
const HEADER: usize = CHECKSUM.end;

/// The largest number in a saved state. No stream has as many bytes, and a sum of a few such numbers does not overflow.
const FARTHEST: u64 = 1 << 60;

/// Returns a reader's state with the framing's section, which `write` writes.
pub(crate) fn with_added(
    state: &[u8],
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; HEADER];
    write(&mut Writer(&mut bytes))?;
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

/// A saved state, split into its parts.
pub(crate) struct Saved<'a> {
    /// The reader's state.
    pub(crate) state: &'a [u8],
    added: Option<&'a [u8]>,
}

impl<'a> Saved<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Self, RestoreError> {
        // Without the start of the header, all of it is the reader's state.
        if !bytes.starts_with(&MAGIC[..3]) {
            return Ok(Self { state: bytes, added: None });
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
        let (added, state) = usize::try_from(added)
            .ok()
            .and_then(|added| body.split_at_checked(added))
            .ok_or(RestoreError::Impossible)?;
        Ok(Self { state, added: Some(added) })
    }

    /// Reads the whole section of the framing with `read`. Returns `None` if the state has no such section.
    pub(crate) fn added<T>(
        &self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, RestoreError>,
    ) -> Result<Option<T>, RestoreError> {
        let Some(rest) = self.added else { return Ok(None) };
        let mut reader = Reader { rest };
        let part = read(&mut reader)?;
        possible(reader.rest.is_empty())?;
        Ok(Some(part))
    }
}

/// Fails unless some body leads to the state.
pub(crate) fn possible(is_possible: bool) -> Result<(), RestoreError> {
    if is_possible { Ok(()) } else { Err(RestoreError::Impossible) }
}

/// A writer of the framing's section.
pub(crate) struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    pub(crate) fn flag(&mut self, flag: bool) {
        self.0.push(flag.into());
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// A reader of the framing's section, which is not trusted.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn flag(&mut self) -> Result<bool, RestoreError> {
        let (flag, rest) = self.rest.split_first().ok_or(RestoreError::Impossible)?;
        self.rest = rest;
        possible(*flag < 2)?;
        Ok(*flag == 1)
    }

    /// Reads a number of bytes or lines. Fails if it is larger than in any stream.
    pub(crate) fn number(&mut self) -> Result<u64, RestoreError> {
        let (number, rest) = self.rest.split_first_chunk().ok_or(RestoreError::Impossible)?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number)).filter(|number| *number <= FARTHEST).ok_or(RestoreError::Impossible)
    }

    pub(crate) fn size(&mut self) -> Result<usize, RestoreError> {
        usize::try_from(self.number()?).map_err(|_| RestoreError::Impossible)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], RestoreError> {
        let len = self.size()?;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(RestoreError::Impossible)?;
        self.rest = rest;
        Ok(bytes)
    }
}
