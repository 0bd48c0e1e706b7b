//! One server a database: whoever has the lock on the file beside it.
//!
//! A server keeps the turns that are running in its memory. A second one on the same file would know nothing of them, and
//! would tell chunk ids that are taken. `SQLite`'s own locks would shut out everybody who only looks.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;

use fs4::{FileExt, TryLockError};

use super::StoreError;

/// The right to a database's file. It is given back when this is dropped, or the process ends, however it does.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes it.
    ///
    /// # Errors
    ///
    /// Another server has it, or there can't be such a file.
    pub fn of(database: &Path) -> Result<Self, StoreError> {
        File::options().append(true).create(true).open(database)?;
        // One file has one lock, whatever links lead to it.
        let mut beside = OsString::from(fs::canonicalize(database)?);
        beside.push(".lock");
        let file = File::options().append(true).create(true).open(&beside)?;
        match FileExt::try_lock(&file) {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}
