//! Conversion to `std::io::Error`, for programs with the standard library.

use std::io;

use super::{Error, ErrorKind};

/// Wraps the error: as `UnexpectedEof` if the text is incomplete, otherwise as `InvalidData`.
///
/// ```
/// use std::io;
///
/// use jsonspigot::Parser;
///
/// fn read(mut input: impl io::Read) -> io::Result<Parser> {
///     let mut parser = Parser::default();
///     let mut buffer = [0; 4096];
///     loop {
///         match input.read(&mut buffer)? {
///             0 => break,
///             len => parser.feed(&buffer[..len]).check()?,
///         }
///     }
///     parser.finish().check()?;
///     Ok(parser)
/// }
///
/// assert_eq!(read(&b"[1, 2"[..]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
/// assert_eq!(read(&b"[1, ?"[..]).unwrap_err().kind(), io::ErrorKind::InvalidData);
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
