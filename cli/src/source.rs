//! What the bytes of an input are read as: the interface of the three ways.

use crate::output::Output;
use crate::report::Failure;

/// An input that is read chunk by chunk.
pub(crate) trait Source {
    /// Reads a chunk and tells all that can be known by now.
    fn feed(&mut self, chunk: &[u8], output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure>;

    /// The end of input.
    fn finish(&mut self, output: &mut dyn Output, complaints: &mut Complaints) -> Result<(), Failure>;
}

/// What is wrong with parts of an input whose rest goes on: each a line for standard error.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    lines: Vec<String>,
}

impl Complaints {
    pub(crate) fn push(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Takes out what has come since the last time.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }
}
