//! Chunks that can be fed: text, or anything with bytes in it.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::lone_surrogate;

/// A chunk of this size or more is parsed without the GIL: getting it back from a busy thread may take milliseconds.
pub(crate) const LARGE: usize = 256 << 10;

pub(crate) enum Chunk<'a> {
    Borrowed(&'a [u8]),
    /// A copy of bytes that may change while the GIL is released.
    Copied(Vec<u8>),
}

impl<'a> Chunk<'a> {
    /// `offset` is where the chunk begins, for an error that names the place.
    #[inline]
    pub(crate) fn of(chunk: &'a Bound<'_, PyAny>, offset: impl FnOnce() -> u64) -> PyResult<Self> {
        if let Ok(text) = chunk.cast::<PyString>() {
            return match text.to_str() {
                Ok(text) => Ok(Self::Borrowed(text.as_bytes())),
                Err(error) => Err(lone_surrogate(chunk.py(), error, offset())),
            };
        }
        Self::of_bytes(chunk, "a chunk is str,")
    }

    /// Reads bytes that are not text; `what` are the first words of the error for anything else.
    pub(crate) fn of_bytes(bytes: &'a Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if let Ok(bytes) = bytes.cast::<PyBytes>() {
            return Ok(Self::Borrowed(bytes.as_bytes()));
        }
        match PyBuffer::<u8>::get(bytes) {
            Ok(buffer) => Ok(Self::Copied(buffer.to_vec(bytes.py())?)),
            Err(_) => {
                let name = bytes.get_type().name()?;
                Err(PyTypeError::new_err(format!(
                    "{what} bytes, bytearray or a contiguous memoryview of bytes, not {name}"
                )))
            }
        }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Copied(bytes) => bytes,
        }
    }
}
