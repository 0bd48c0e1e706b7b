//! The interface of the four ways to read the bytes of an input.

use crate::output::Output;
use crate::report::{Complaints, Failure};

/// An input that is read chunk by chunk.
pub(crate) trait Source {
    /// Reads a chunk and reports all that can be known by now.
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure>;

    /// Saves the whole state, and goes on from what was saved.
    fn checkpoint(&mut self) -> Result<(), Failure>;

    /// The end of input.
    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure>;
}
