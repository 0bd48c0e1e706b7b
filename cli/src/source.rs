//! The interface of the readers of an input.

use crate::output::Output;
use crate::report::{Complaints, Failure};

/// An input that is read chunk by chunk.
pub(crate) trait Source {
    /// Reads a chunk, or the end of input, and reports everything that is known by then.
    fn read(
        &mut self,
        chunk: Option<&[u8]>,
        output: &mut dyn Output,
        complaints: &mut Complaints,
    ) -> Result<(), Failure>;

    /// Saves the whole state, and resumes from what was saved.
    fn checkpoint(&mut self) -> Result<(), Failure>;
}
