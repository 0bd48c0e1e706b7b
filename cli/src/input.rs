//! Cuts the input into chunks: one for each read, or one for every N bytes.

use std::io::{self, Read};
use std::num::NonZeroUsize;

/// The number of bytes that one read asks for.
const READ_SIZE: usize = 64 << 10;

/// The chunks of an input, each returned as soon as its bytes are there.
pub(crate) struct Chunks<R> {
    source: R,
    /// The length of each chunk but the last; `None` for one chunk per read.
    len: Option<NonZeroUsize>,
    buffer: Vec<u8>,
    /// The part of the buffer that was read but not returned yet.
    start: usize,
    end: usize,
    is_at_end: bool,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(source: R, len: Option<NonZeroUsize>) -> Self {
        Self { source, len, buffer: vec![0; READ_SIZE], start: 0, end: 0, is_at_end: false }
    }

    /// Returns the next chunk, which is never empty; `None` at the end of input.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let len = loop {
            let waiting = self.end - self.start;
            match self.len.map(NonZeroUsize::get) {
                Some(len) if waiting >= len => break len,
                None if waiting > 0 => break waiting,
                _ if self.is_at_end => break waiting,
                _ => self.read()?,
            }
        };
        let chunk = self.start..self.start + len;
        self.start = chunk.end;
        Ok((len > 0).then(|| &self.buffer[chunk]))
    }

    /// Reads the bytes that are there, and appends them to the waiting ones. The buffer grows only with bytes that have
    /// arrived.
    fn read(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        let len = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.end += len;
        self.is_at_end = len == 0;
        Ok(())
    }
}
