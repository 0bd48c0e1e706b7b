//! Saved state: its owner, and the reader and writer that each layer uses for its own part.
//!
//! A saved state is a header (`header.rs`) and a body. Numbers in the body are varints: seven bits per byte, the lowest
//! first, with the eighth bit set in all bytes except the last. Bytes and text follow their length. There are no tags
//! and no padding: each part is read by the code that wrote it, and any change of a part needs a new version.
//!
//! The checksum detects accidents. It does not protect against attackers, so the body is treated as hostile: each layer
//! checks what it reads, and no length may exceed the bytes that are left.

mod access;
mod error;
mod header;
mod lead;
mod parser;
mod reader;
mod writer;

use alloc::vec::Vec;

pub use self::error::RestoreError;
pub use self::reader::Reader;
use self::reader::restore_error;
pub use self::writer::Writer;
use self::writer::save_error;
pub use crate::digest::Digest;
use crate::error::Error;
pub use crate::error::Impossible;

/// More bytes than any stream has. Larger offsets are rejected, so sums of a few offsets do not overflow.
pub(crate) const FARTHEST: u64 = 1 << 60;

/// The kinds of saved state, including those of `jsonspigot-llm`.
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

/// The owner of a state: its kind, and digests of its patterns and options.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    pub kind: Kind,
    pub patterns: Digest,
    pub choices: Digest,
}

impl Owner {
    /// Returns the owner with one more option.
    pub fn with_choice(self, choice: u64) -> Self {
        Self { choices: self.choices.with(choice), ..self }
    }
}

/// Returns a state whose body is written by `write`.
pub fn save(owner: &Owner, write: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>) -> Result<Vec<u8>, Error> {
    // Enough for a parser that retains nothing.
    let mut bytes = Vec::with_capacity(128);
    header::begin(owner, &mut bytes);
    write(&mut Writer::new(&mut bytes))?;
    header::end(&mut bytes);
    Ok(bytes)
}

/// Restores a state that belongs to `owner`. `read` must read the whole body.
pub fn restore(
    owner: &Owner,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<(), Impossible>,
) -> Result<(), RestoreError> {
    let body = header::checked(owner, bytes)?;
    let mut reader = Reader::new(body);
    read(&mut reader).and_then(|()| reader.end()).map_err(|Impossible| RestoreError::Impossible)
}
