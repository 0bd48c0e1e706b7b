//! The embedded store: conversations, their messages, context and session, in `SQLite`.
//!
//! A turn, or a step of one, is saved in one transaction or not at all. What is stored as JSON is always whole.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use futures::FutureExt;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot};

use super::{Begun, Cut, Place, Store, StoreError, Stored, Told};
use crate::conversation::{Assistant, Before, Conversation, Session, Turn};
use crate::provider::Message;

/// The database, with the thread that owns its connection.
#[derive(Debug)]
pub struct Sqlite {
    jobs: mpsc::Sender<Job>,
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// How many jobs may wait before whoever has one more waits too.
const MOST_JOBS: usize = 64;

/// The shape of what is stored.
const VERSION: i64 = 2;

impl Sqlite {
    /// Opens a database's file, or one in memory, and makes the tables it lacks.
    ///
    /// # Errors
    ///
    /// The file can't be opened, or is no database.
    pub fn open(path: Option<&Path>) -> Result<Self, StoreError> {
        let mut connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A turn is told to be stored, and chunk ids are told that were reserved: neither may be lost with the power.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let version = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?;
        if version < 1 {
            // A session of another shape is forgotten: what it asked is asked anew.
            connection.execute_batch("DROP TABLE IF EXISTS sessions")?;
        }
        connection.execute_batch(include_str!("schema.sql"))?;
        if version < VERSION {
            let has = "SELECT 1 FROM pragma_table_info('told') WHERE name = 'before'";
            if !connection.prepare(has)?.exists([])? {
                connection.execute_batch("ALTER TABLE told ADD COLUMN before TEXT")?;
            }
            connection.pragma_update(None, "user_version", VERSION)?;
        }
        let (jobs, mut waiting) = mpsc::channel::<Job>(MOST_JOBS);
        // One thread for all jobs: they would wait for each other anyway. It ends with the last clone of the store.
        std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                while let Some(job) = waiting.blocking_recv() {
                    // A panic rolls its transaction back, and its sender hears of it.
                    let _ = catch_unwind(AssertUnwindSafe(|| job(&mut connection)));
                }
            })
            .map_err(StoreError::Thread)?;
        Ok(Self { jobs })
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move |connection: &mut Connection| {
            // Whoever has asked may be gone.
            let _ = sender.send(work(connection));
        });
        self.jobs.send(job).await.map_err(|_| StoreError::Interrupted)?;
        Ok(receiver.await.map_err(|_| StoreError::Interrupted)??)
    }
}

impl Store for Sqlite {
    fn load(&self, id: &str) -> Stored<'_, Option<Conversation>> {
        let id = id.to_owned();
        self.with(move |connection| load(connection, &id)).boxed()
    }

    fn reserve(&self, id: &str, told: Told, instead: Option<Cut>, _begun: Begun) -> Stored<'_, bool> {
        let id = id.to_owned();
        self.with(move |connection| {
            let transaction = connection.transaction()?;
            let before = match &instead {
                Some(Cut { before, .. }) => before.clone(),
                None => load(&transaction, &id)?.as_ref().map(Before::from).unwrap_or_default(),
            };
            let sql = "INSERT INTO told (conversation_id, first_chunk_id, last_chunk_id, events, before) \
                       SELECT ?1, ?2, ?3, ?4, ?5 \
                       WHERE NOT EXISTS (SELECT 1 FROM told WHERE conversation_id = ?1 AND last_chunk_id >= ?2)";
            let (first, last) = (signed(told.first_chunk_id), signed(told.last_chunk_id));
            let row = params![id, first, last, told.events, text(&before)?];
            if transaction.prepare_cached(sql)?.execute(row)? != 1 {
                return Ok(false);
            }
            if let Some(cut) = &instead {
                take_back(&transaction, &id, cut, first)?;
            }
            transaction.commit()?;
            Ok(true)
        })
        .boxed()
    }

    fn save(&self, id: &str, turn: Option<Turn>, told: Told) -> Stored<'_, ()> {
        let id = id.to_owned();
        self.with(move |connection| {
            let transaction = connection.transaction()?;
            turn.map_or(Ok(()), |turn| save(&transaction, &id, &turn))?;
            note(&transaction, &id, &told)?;
            transaction.commit()
        })
        .boxed()
    }

    fn turn_of(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<Cut>> {
        let id = id.to_owned();
        self.with(move |connection| {
            let sql = "SELECT first_chunk_id, before FROM told WHERE conversation_id = ?1 AND ?2 BETWEEN first_chunk_id \
                       AND last_chunk_id AND before IS NOT NULL";
            let cut = |row: &Row<'_>| {
                Ok(Cut { from: row.get::<_, i64>(0)?.unsigned_abs(), before: json(row, 1)? })
            };
            connection.prepare_cached(sql)?.query_row(params![id, signed(chunk_id)], cut).optional()
        })
        .boxed()
    }

    fn delete(&self, id: &str) -> Stored<'_, ()> {
        let id = id.to_owned();
        self.with(move |connection| {
            let transaction = connection.transaction()?;
            for sql in [
                "messages WHERE conversation_id",
                "sessions WHERE conversation_id",
                "told WHERE conversation_id",
                "conversations WHERE id",
            ] {
                transaction.execute(&format!("DELETE FROM {sql} = ?1"), [&id])?;
            }
            transaction.commit()
        })
        .boxed()
    }

    fn place(&self, id: &str) -> Stored<'_, Place> {
        let id = id.to_owned();
        self.with(move |connection| {
            let sql = "SELECT MAX(last_chunk_id) FROM told WHERE conversation_id = ?1";
            let last = connection.prepare_cached(sql)?.query_row([&id], |row| row.get::<_, Option<i64>>(0))?;
            Ok(Place { last_chunk_id: last.unwrap_or_default().unsigned_abs(), running: None })
        })
        .boxed()
    }

    fn told_behind(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<String>> {
        let id = id.to_owned();
        self.with(move |connection| {
            let sql = "SELECT events FROM told WHERE conversation_id = ?1 AND last_chunk_id > ?2 \
                       ORDER BY last_chunk_id LIMIT 1";
            connection.prepare_cached(sql)?.query_row(params![id, signed(chunk_id)], |row| row.get(0)).optional()
        })
        .boxed()
    }
}

fn load(connection: &Connection, id: &str) -> rusqlite::Result<Option<Conversation>> {
    let sql = "SELECT assistant, context FROM conversations WHERE id = ?1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([id], |row| Ok((json::<Assistant>(row, 0)?, optional_json(row, 1)?)))
        .optional()?;
    let Some((assistant, context)) = found else { return Ok(None) };
    let sql = "SELECT role, content FROM messages WHERE conversation_id = ?1 ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    let message = |row: &Row<'_>| Ok(Message { role: json(row, 0)?, content: json(row, 1)? });
    let messages = statement.query_map([id], message)?.collect::<rusqlite::Result<_>>()?;
    let sql = "SELECT intent_l1, intent_l2, intent_l3, is_product_related, domain, product_intent, \
               contextual_questions, assessment FROM sessions WHERE conversation_id = ?1";
    let session = connection.prepare_cached(sql)?.query_row([id], session).optional()?;
    Ok(Some(Conversation { assistant, messages, context: context.unwrap_or_default(), session }))
}

fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        intent_l1: row.get(0)?,
        intent_l2: row.get(1)?,
        intent_l3: row.get(2)?,
        is_product_related: row.get(3)?,
        domain: row.get(4)?,
        product_intent: row.get(5)?,
        contextual_questions: json(row, 6)?,
        assessment: json(row, 7)?,
    })
}

fn save(transaction: &Transaction<'_>, id: &str, turn: &Turn) -> rusqlite::Result<()> {
    let sql = "INSERT INTO conversations (id, assistant) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";
    transaction.prepare_cached(sql)?.execute(params![id, text(&turn.assistant)?])?;
    if let Some(context) = &turn.context {
        let sql = "UPDATE conversations SET context = ?2 WHERE id = ?1";
        transaction.prepare_cached(sql)?.execute(params![id, text(context)?])?;
    }
    let sql = "INSERT INTO messages (conversation_id, position, role, content) \
               SELECT ?1, COUNT(*), ?2, ?3 FROM messages WHERE conversation_id = ?1";
    let mut insert = transaction.prepare_cached(sql)?;
    for message in &turn.messages {
        insert.execute(params![id, text(&message.role)?, text(&message.content)?])?;
    }
    turn.session.as_ref().map_or(Ok(()), |session| save_session(transaction, id, session))
}

fn save_session(transaction: &Transaction<'_>, id: &str, session: &Session) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    transaction.prepare_cached(sql)?.execute(params![
        id,
        session.intent_l1,
        session.intent_l2,
        session.intent_l3,
        session.is_product_related,
        session.domain,
        session.product_intent,
        text(&session.contextual_questions)?,
        text(&session.assessment)?,
    ])?;
    Ok(())
}

/// Takes back what was said from a turn on, up to the turn that is told instead.
fn take_back(transaction: &Transaction<'_>, id: &str, cut: &Cut, instead: i64) -> rusqlite::Result<()> {
    let Before { messages, context, session } = &cut.before;
    let sql = "DELETE FROM told WHERE conversation_id = ?1 AND first_chunk_id BETWEEN ?2 AND ?3 - 1";
    transaction.execute(sql, params![id, signed(cut.from), instead])?;
    let sql = "DELETE FROM messages WHERE conversation_id = ?1 AND position >= ?2";
    transaction.execute(sql, params![id, signed(*messages as u64)])?;
    transaction.execute("UPDATE conversations SET context = ?2 WHERE id = ?1", params![id, text(context)?])?;
    match session {
        Some(session) => save_session(transaction, id, session),
        None => transaction.execute("DELETE FROM sessions WHERE conversation_id = ?1", [id]).map(|_| ()),
    }
}

fn note(connection: &Connection, id: &str, told: &Told) -> rusqlite::Result<()> {
    // The first chunk id is the reservation's; its last one is not before.
    let sql = "UPDATE told SET last_chunk_id = ?3, events = ?4 \
               WHERE conversation_id = ?1 AND first_chunk_id = ?2 AND last_chunk_id >= ?3";
    let (first, last) = (signed(told.first_chunk_id), signed(told.last_chunk_id));
    match connection.prepare_cached(sql)?.execute(params![id, first, last, told.events])? {
        1 => Ok(()),
        changed => Err(rusqlite::Error::StatementChangedRows(changed)),
    }
}

/// `SQLite` has no other integers. No stream is that long.
fn signed(chunk_id: u64) -> i64 {
    i64::try_from(chunk_id).unwrap_or(i64::MAX)
}

fn text(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

fn optional_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    if row.get_ref(column)?.data_type() == Type::Null { Ok(None) } else { json(row, column).map(Some) }
}
