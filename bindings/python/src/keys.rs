//! A parser's cache of key strings: records repeat theirs, and a `str` that is there already costs a fifth of a new one,
//! and has its hash.

use pyo3::prelude::*;
use pyo3::types::PyString;

const SLOTS: usize = 256;
/// Longer keys are rarely names of fields.
const LONGEST: usize = 64;

#[derive(Default)]
pub(crate) struct Keys {
    /// By hash; a key takes the place of another one with the same.
    slots: Vec<Option<(u64, Py<PyString>)>>,
}

impl Keys {
    #[inline]
    pub(crate) fn get<'py>(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if key.is_empty() || key.len() > LONGEST {
            return PyString::new(py, key);
        }
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, || None);
        }
        let hash = hash(key.as_bytes());
        let slot = &mut self.slots[(hash >> 32) as usize % SLOTS];
        match slot {
            Some((found, string)) if *found == hash && string.bind(py).to_str().is_ok_and(|known| known == key) => {
                string.bind(py).clone()
            }
            _ => {
                let string = PyString::new(py, key);
                *slot = Some((hash, string.clone().unbind()));
                string
            }
        }
    }
}

/// Eight bytes at a time; good enough for a cache, in which a collision costs a string.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    for piece in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..piece.len()].copy_from_slice(piece);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        hash ^= hash >> 29;
    }
    hash.wrapping_mul(FACTOR)
}
