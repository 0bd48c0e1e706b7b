//! The cache of key strings: records repeat theirs, and a `str` that is there already costs a fifth of a new one, and has
//! its hash. There is one for the process, so short texts find the keys of earlier ones.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::prelude::*;
use pyo3::types::PyString;

const SLOTS: usize = 1024;
/// Longer keys are rarely names of fields.
const LONGEST: usize = 64;

/// By hash; a key takes the place of another one with the same.
type Slots = [Option<(u64, Py<PyString>)>; SLOTS];

static CACHE: Mutex<Slots> = Mutex::new([const { None }; SLOTS]);

/// The cache while a value is made. It is locked for the first key.
#[derive(Default)]
pub(crate) struct Keys(Option<Option<MutexGuard<'static, Slots>>>);

impl Keys {
    /// Locks the cache. If it is locked already, by another thread or by a caller of a finalizer that makes a value, then
    /// strings are made without it.
    fn lock() -> Option<MutexGuard<'static, Slots>> {
        match CACHE.try_lock() {
            Ok(slots) => Some(slots),
            Err(TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    #[inline]
    pub(crate) fn get<'py>(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if key.is_empty() || key.len() > LONGEST {
            return PyString::new(py, key);
        }
        let Some(slots) = self.0.get_or_insert_with(Self::lock) else { return PyString::new(py, key) };
        let hash = hash(key.as_bytes());
        let slot = &mut slots[(hash >> 32) as usize % SLOTS];
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

/// Hashes eight bytes at a time: good enough for a cache, in which a collision costs a string.
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
