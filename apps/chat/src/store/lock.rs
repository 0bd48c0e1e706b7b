//! One server for each database.
//!
//! A second server on the same file would take over turns that are still running. The lock is `SQLite`'s own, on an empty
//! database beside the file, so programs that only read the file are not shut out.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::StoreError;

/// The right to a database's file. Released when it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    _beside: Connection,
}

impl Lock {
    /// Locks a database.
    ///
    /// # Errors
    ///
    /// Fails if another server has the lock, or the file can't be created.
    pub fn of(database: &Path) -> Result<Self, StoreError> {
        File::options().append(true).create(true).open(database)?;
        // A file has one lock, whatever links lead to it.
        let mut beside = OsString::from(fs::canonicalize(database)?);
        beside.push(".lock");
        let beside = Connection::open(beside)?;
        beside.busy_timeout(std::time::Duration::ZERO)?;
        match beside.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE") {
            Ok(()) => Ok(Self { _beside: beside }),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Err(StoreError::InUse),
            Err(error) => Err(error.into()),
        }
    }
}
