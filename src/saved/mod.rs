//! Saved state: the bytes around it, and the reader and the writer that each layer uses for its own part.
//!
//! A saved state is a header and a body.
//!
//! | bytes | in the header |
//! |---|---|
//! | 4 | `jsp\x1A` |
//! | 1 | the version of the format |
//! | 1 | what was saved: [`Kind`] |
//! | 4 | digest of the patterns |
//! | 4 | digest of the choices |
//! | 8 | length of the body |
//! | 4 | checksum of all other bytes but the first five |
//!
//! Numbers in the header are little-endian. In the body they are varints: seven bits a byte, the lowest first, the eighth
//! bit set in all bytes but the last. Bytes and text come after their length. There are no tags and no padding: whoever
//! writes a part knows how to read it, and a change of any part is a new version.
//!
//! The checksum finds accidents. It is no protection against people, so the body is read as hostile: each layer checks
//! what it reads, and the length of everything is that of bytes that are there.

mod choices;
mod error;
mod jumps;
mod lead;
mod parser;
mod reader;
mod replay;
mod verdict;
mod writer;

use alloc::vec::Vec;

pub use self::error::RestoreError;
pub use self::reader::{Impossible, Reader};
pub use self::verdict::{restore_error, save_error};
pub use self::writer::Writer;
pub use crate::digest::Digest;

const MAGIC: [u8; 4] = *b"jsp\x1A";

const VERSION: u8 = 2;

const HEADER: usize = 26;

/// More bytes than any stream has: a place beyond it is impossible, and sums of a few places below it do not overflow.
pub(crate) const FARTHEST: u64 = 1 << 60;

/// The kinds of saved state, those of `jsonspigot-llm` among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Parser = 1,
    Documents = 2,
    ToolCalls = 3,
    ProviderStream = 4,
    Envelope = 5,
    Rewriter = 6,
    DocumentRewriter = 7,
    CallRewriter = 8,
}

/// The owner of a state: the patterns and choices of whoever saved it.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    pub kind: Kind,
    pub patterns: Digest,
    pub choices: Digest,
}

impl Owner {
    /// The same with one more choice.
    pub fn with_choice(self, choice: u64) -> Self {
        Self { choices: self.choices.with(choice), ..self }
    }
}

/// A state, of which `write` writes the body.
pub fn save(owner: &Owner, write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    // A parser that keeps nothing saves to less.
    let mut bytes = Vec::with_capacity(128);
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&MAGIC);
    [header[4], header[5]] = [VERSION, owner.kind as u8];
    header[6..10].copy_from_slice(&owner.patterns.folded().to_le_bytes());
    header[10..14].copy_from_slice(&owner.choices.folded().to_le_bytes());
    bytes.extend_from_slice(&header);
    write(&mut Writer::new(&mut bytes));
    let body = (bytes.len() - HEADER) as u64;
    if let Some((header, body_bytes)) = bytes.split_first_chunk_mut::<HEADER>() {
        header[14..22].copy_from_slice(&body.to_le_bytes());
        let checksum = checksum(header, body_bytes);
        header[22..].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

/// Reads a state that belongs to `owner`; `read` reads the body, all of it.
pub fn restore(
    owner: &Owner,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<(), Impossible>,
) -> Result<(), RestoreError> {
    let body = body(owner, bytes)?;
    let mut reader = Reader::new(body);
    read(&mut reader).and_then(|()| reader.end()).map_err(|Impossible| RestoreError::Impossible)
}

fn body<'a>(owner: &Owner, bytes: &'a [u8]) -> Result<&'a [u8], RestoreError> {
    let magic = bytes.len().min(MAGIC.len());
    if bytes[..magic] != MAGIC[..magic] {
        return Err(RestoreError::NotSavedState);
    }
    if bytes.get(MAGIC.len()).is_some_and(|version| *version != VERSION) {
        return Err(RestoreError::OtherVersion);
    }
    let Some((header, body)) = bytes.split_first_chunk::<HEADER>() else { return Err(RestoreError::Cut) };
    let word = |place: usize| header[place..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let len = u64::from(word(14)) | u64::from(word(18)) << 32;
    // Whether the length is right is not known before the checksum is, but a longer state has surely lost its end.
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

fn checksum(header: &[u8; HEADER], body: &[u8]) -> u32 {
    Digest::new().with_bytes(&header[5..22]).with_bytes(body).folded()
}
