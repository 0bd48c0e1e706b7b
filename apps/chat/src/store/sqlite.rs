//! The embedded store, in `SQLite`. Each operation is one transaction.
//!
//! An operation takes less time than handing it to another thread, so it runs where it is called. Stored data survives
//! the end of the process; a power failure may lose the last moments.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::ready;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{
    Begun, Input, Lease, MOST_READ, Running, State, Store, StoreError, Stored, Tail, Then, Write, millis, now,
};
use crate::conversation::Conversation;
use crate::wire::Event;

/// The version of the tables.
const VERSION: i64 = 5;

/// A database.
#[derive(Debug)]
pub struct Sqlite {
    connection: Mutex<Connection>,
    lease: Duration,
}

type Result<T, E = StoreError> = std::result::Result<T, E>;

impl Sqlite {
    /// Opens a database's file, or a database in memory, and creates the tables. The turns that a server has left there
    /// can be taken over at once.
    ///
    /// # Errors
    ///
    /// Fails if the file can't be opened, is no database, or has other tables.
    pub fn open(path: Option<&Path>, lease: Duration) -> Result<Self> {
        let connection = path.map_or_else(Connection::open_in_memory, Connection::open)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        match connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))? {
            0 | VERSION => {}
            _ => return Err(StoreError::Version),
        }
        connection.execute_batch(include_str!("schema.sql"))?;
        connection.pragma_update(None, "user_version", VERSION)?;
        connection.execute("UPDATE running SET lease = 0", [])?;
        Ok(Self { connection: Mutex::new(connection), lease })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a transaction, which is rolled back if it fails.
    fn with<'a, T: Send + 'a>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Stored<'a, T> {
        let mut connection = self.lock();
        let made = || -> Result<T> {
            let transaction = connection.transaction()?;
            let made = work(&transaction)?;
            transaction.commit()?;
            Ok(made)
        };
        ready(made()).boxed()
    }

    fn until(&self) -> i64 {
        signed(now() + millis(self.lease))
    }
}

impl Store for Sqlite {
    fn load<'a>(&'a self, id: &'a str) -> Stored<'a, State> {
        self.with(|to| Ok(State { conversation: load(to, id)?, last: last(to, id)? }))
    }

    fn begin<'a>(&'a self, id: &'a str, begun: Begun, first: u64) -> Stored<'a, Option<Running>> {
        self.with(|to| {
            if running(to, id)?.is_some() || last(to, id)? + 1 != first {
                return Ok(None);
            }
            let lease = Lease::new(id, first);
            let sql = "INSERT INTO running VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, 0)";
            run(to, sql, params![id, lease.token, signed(first), text(&begun)?, signed(now()), self.until()])?;
            Ok(Some(Running { lease, begun, inputs: Vec::new(), told: Vec::new(), age: Duration::ZERO }))
        })
    }

    fn write<'a>(&'a self, lease: &'a Lease, more: Write<'a>) -> Stored<'a, bool> {
        self.with(|to| {
            let Write { inputs, events, conversation, then } = more;
            let is_to_stop = hold(to, lease, if then == Then::Leave { 0 } else { self.until() })?;
            if let Some(conversation) = conversation {
                let sql = "INSERT OR REPLACE INTO conversations VALUES (?1, ?2)";
                run(to, sql, params![lease.id, text(conversation)?])?;
            }
            take_in(to, lease, inputs)?;
            tell(to, &lease.id, events)?;
            if then == Then::End {
                end(to, &lease.id)?;
            }
            Ok(is_to_stop)
        })
    }

    fn read<'a>(&'a self, id: &'a str, after: u64) -> Stored<'a, Tail> {
        self.with(|to| {
            let sql =
                "SELECT event FROM events WHERE conversation_id = ?1 AND chunk_id > ?2 ORDER BY chunk_id LIMIT ?3";
            let mut rows = to.prepare_cached(sql)?;
            let rows = rows.query_map(params![id, signed(after), MOST_READ], |row| json(row, 0))?;
            let events = rows.collect::<rusqlite::Result<_>>()?;
            let running = running(to, id)?;
            let is_held = running.is_some_and(|(_, lease)| lease > signed(now()));
            Ok(Tail { events, last: last(to, id)?, running: running.map(|(first, _)| first), is_held })
        })
    }

    fn take(&self) -> Stored<'_, Option<Running>> {
        self.with(|to| {
            let sql = "SELECT conversation_id FROM running WHERE lease <= ?1 LIMIT 1";
            let left = to.prepare_cached(sql)?.query_row([signed(now())], |row| row.get::<_, String>(0)).optional()?;
            let Some(id) = left else { return Ok(None) };
            match take(to, &id, self.until()) {
                Err(error) if error.is_unreadable() => {
                    tracing::error!(conversation = id, %error, "a turn can't be continued");
                    end(to, &id).map(|()| None)
                }
                taken => taken.map(Some),
            }
        })
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        let sql = "UPDATE running SET is_to_stop = 1 WHERE conversation_id = ?1 AND first_chunk_id = ?2";
        self.with(|to| Ok(to.execute(sql, params![id, signed(first)])? == 1))
    }
}

fn run(to: &Connection, sql: &str, values: impl rusqlite::Params) -> Result<()> {
    to.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

fn all<T>(to: &Connection, sql: &str, id: &str, read: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>> {
    let mut rows = to.prepare_cached(sql)?;
    Ok(rows.query_map([id], |row| read(row))?.collect::<rusqlite::Result<_>>()?)
}

fn last(to: &Connection, id: &str) -> Result<u64> {
    let sql = "SELECT MAX(chunk_id) FROM events WHERE conversation_id = ?1";
    let last = to.prepare_cached(sql)?.query_row([id], |row| row.get::<_, Option<i64>>(0))?;
    Ok(last.unwrap_or_default().unsigned_abs())
}

/// Returns the first chunk id of the turn that runs, and when its lease expires.
fn running(to: &Connection, id: &str) -> Result<Option<(u64, i64)>> {
    let sql = "SELECT first_chunk_id, lease FROM running WHERE conversation_id = ?1";
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?));
    Ok(to.prepare_cached(sql)?.query_row([id], read).optional()?)
}

/// Renews a lease. Returns true if the turn is to stop, and fails if it is another server's.
fn hold(to: &Connection, lease: &Lease, until: i64) -> Result<bool> {
    let sql = "UPDATE running SET lease = ?1 WHERE conversation_id = ?2 AND token = ?3 AND owners = ?4 \
               RETURNING is_to_stop";
    let values = params![until, lease.id, lease.token, signed(lease.owners)];
    to.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?.ok_or(StoreError::Lost)
}

fn take_in(to: &Connection, lease: &Lease, inputs: &[Input]) -> Result<()> {
    for input in inputs {
        let position = lease.inputs.fetch_add(1, Ordering::Relaxed);
        run(to, "INSERT INTO inputs VALUES (?1, ?2, ?3)", params![lease.id, position, input.to_bytes()?])?;
    }
    Ok(())
}

fn tell(to: &Connection, id: &str, events: &[Event]) -> Result<()> {
    for event in events {
        let values = params![id, signed(event.data.chunk_id), text(event)?];
        run(to, "INSERT INTO events VALUES (?1, ?2, ?3)", values)?;
    }
    Ok(())
}

fn end(to: &Connection, id: &str) -> Result<()> {
    run(to, "DELETE FROM running WHERE conversation_id = ?1", [id])?;
    run(to, "DELETE FROM inputs WHERE conversation_id = ?1", [id])
}

/// Takes a turn over.
fn take(to: &Connection, id: &str, until: i64) -> Result<Running> {
    let sql = "UPDATE running SET owners = owners + 1, lease = ?2 WHERE conversation_id = ?1 \
               RETURNING token, owners, first_chunk_id, begun, at";
    let read = |row: &Row<'_>| {
        let (token, owners, first) = (row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs(), row.get::<_, i64>(2)?);
        let lease = Lease { token, owners, ..Lease::new(id, first.unsigned_abs()) };
        Ok((lease, json::<Begun>(row, 3)?, row.get::<_, i64>(4)?.unsigned_abs()))
    };
    let (lease, begun, at) = to.prepare_cached(sql)?.query_row(params![id, until], read)?;
    let stored =
        all(to, "SELECT input FROM inputs WHERE conversation_id = ?1 ORDER BY position", id, |row| row.get(0))?;
    lease.inputs.store(stored.len(), Ordering::Relaxed);
    let inputs =
        stored.iter().map(|input: &Vec<u8>| Input::from_bytes(input)).collect::<serde_json::Result<Vec<_>>>()?;
    let sql = "SELECT event FROM events WHERE conversation_id = ?1 AND chunk_id >= ?2 ORDER BY chunk_id";
    let mut rows = to.prepare_cached(sql)?;
    let told =
        rows.query_map(params![id, signed(lease.first)], |row| json(row, 0))?.collect::<rusqlite::Result<_>>()?;
    Ok(Running { lease, begun, inputs, told, age: Duration::from_millis(now().saturating_sub(at)) })
}

fn load(to: &Connection, id: &str) -> Result<Option<Conversation>> {
    let sql = "SELECT conversation FROM conversations WHERE id = ?1";
    Ok(to.prepare_cached(sql)?.query_row([id], |row| json(row, 0)).optional()?)
}

/// Converts to `SQLite`'s only integer type. No stream is that long.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn text(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}
