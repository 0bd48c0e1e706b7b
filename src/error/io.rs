//! Conversion to `std::io::Error` and reading from `std::io::Read`, for programs with the standard library.

use std::io;

use super::{Error, ErrorKind};

/// Wraps the error: as `UnexpectedEof` if the text is incomplete, otherwise as `InvalidData`.
///
/// ```
/// use std::io;
///
/// use jsonspigot::Parser;
///
/// let read = |text: &[u8]| Parser::default().read_with(text, |_| {}).map_err(|error| error.kind());
/// assert_eq!(read(b"[1, 2"), Err(io::ErrorKind::UnexpectedEof));
/// assert_eq!(read(b"[1, ?"), Err(io::ErrorKind::InvalidData));
/// ```
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::Incomplete => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

/// Calls `feed` for each chunk until the end of input.
pub(crate) fn read_chunks(
    mut reader: impl io::Read,
    mut feed: impl FnMut(&[u8]) -> Result<(), Error>,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        match read_chunk(&mut reader, &mut buffer)? {
            [] => return Ok(()),
            chunk => feed(chunk)?,
        }
    }
}

/// Reads the next chunk; an empty one at the end of input. A read that is interrupted is retried.
pub(crate) fn read_chunk<'a>(reader: &mut impl io::Read, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
    buffer.resize(64 << 10, 0);
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return Ok(&buffer[..read?]),
        }
    }
}
