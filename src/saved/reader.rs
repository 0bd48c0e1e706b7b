//! Reads the parts of a state, none of which is trusted.

use alloc::string::String;

use super::FARTHEST;
use crate::error::{Error, ErrorKind, Impossible};

/// A reader of the bytes of a state. It never returns more than the bytes that are left.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    #[inline]
    pub fn byte(&mut self) -> Result<u8, Impossible> {
        let (&first, rest) = self.rest.split_first().ok_or(Impossible)?;
        self.rest = rest;
        Ok(first)
    }

    pub fn flag(&mut self) -> Result<bool, Impossible> {
        self.choice(&[false, true])
    }

    /// Reads the index of one of these values. Returns the value.
    pub fn choice<T: Copy>(&mut self, of: &[T]) -> Result<T, Impossible> {
        of.get(usize::from(self.byte()?)).copied().ok_or(Impossible)
    }

    pub fn number(&mut self) -> Result<u64, Impossible> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift > 63 || shift == 63 && bits > 1 {
                return Err(Impossible);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// Reads a number of at most `most`.
    pub fn at_most(&mut self, most: u64) -> Result<u64, Impossible> {
        self.number().ok().filter(|number| *number <= most).ok_or(Impossible)
    }

    /// Reads an offset in a text.
    pub fn place(&mut self) -> Result<u64, Impossible> {
        self.at_most(FARTHEST)
    }

    pub fn size(&mut self) -> Result<usize, Impossible> {
        usize::try_from(self.number()?).map_err(|_| Impossible)
    }

    /// Reads the number of parts that follow, each of at least one byte.
    pub fn count(&mut self) -> Result<usize, Impossible> {
        self.size().ok().filter(|count| *count <= self.rest.len()).ok_or(Impossible)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Impossible> {
        let len = self.count()?;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(Impossible)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<&'a str, Impossible> {
        core::str::from_utf8(self.bytes()?).map_err(|_| Impossible)
    }

    pub fn string(&mut self) -> Result<String, Impossible> {
        self.text().map(String::from)
    }

    /// Reads an optional part.
    pub fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Impossible>,
    ) -> Result<Option<T>, Impossible> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// Fails if any bytes are left.
    pub fn end(&self) -> Result<(), Impossible> {
        Impossible::ensure(self.rest.is_empty())
    }
}

/// Reads an error written by [`save_error`](super::save_error).
pub(super) fn restore_error(reader: &mut Reader<'_>) -> Result<Error, Impossible> {
    let kind = reader.choice(ErrorKind::ALL)?;
    let place = (reader.place()?, reader.place()?, reader.place()?);
    let path = Some(reader.text()?).filter(|path| !path.is_empty());
    Ok(Error::at(kind, place, path, reader.text()?))
}
