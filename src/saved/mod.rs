//! Saved state: what is saved, by whom, and the reader and the writer that each layer uses for its own part.
//!
//! A saved state is a header (`header.rs`) and a body. In the body numbers are varints: seven bits a byte, the lowest
//! first, the eighth bit set in all bytes but the last. Bytes and text come after their length. There are no tags and
//! no padding: whoever writes a part knows how to read it, and a change of any part is a new version.
//!
//! The checksum finds accidents. It is no protection against people, so the body is read as hostile: each layer checks
//! what it reads, and the length of everything is that of bytes that are there.

mod error;
mod header;
mod lead;
mod parser;
mod reader;
mod view;
mod writer;

use alloc::vec::Vec;

pub use self::error::RestoreError;
pub use self::reader::{Reader, restore_error};
pub use self::writer::{Writer, save_error};
pub use crate::digest::Digest;
use crate::error::Error;
pub use crate::error::Impossible;

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

/// Returns a state, of which `write` writes the body.
pub fn save(owner: &Owner, write: impl FnOnce(&mut Writer<'_>) -> Result<(), Error>) -> Result<Vec<u8>, Error> {
    // A parser that retains nothing saves to less.
    let mut bytes = Vec::with_capacity(128);
    header::begin(owner, &mut bytes);
    write(&mut Writer::new(&mut bytes))?;
    header::end(&mut bytes);
    Ok(bytes)
}

/// Reads a state that belongs to `owner`; `read` reads the body, all of it.
pub fn restore(
    owner: &Owner,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<(), Impossible>,
) -> Result<(), RestoreError> {
    let body = header::checked(owner, bytes)?;
    let mut reader = Reader::new(body);
    read(&mut reader).and_then(|()| reader.end()).map_err(|Impossible| RestoreError::Impossible)
}
