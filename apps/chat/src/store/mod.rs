//! Where conversations are kept, and what clients were told: what every store does, whichever it is.
//!
//! A turn, or a step of one, is saved at once or not at all.

mod lock;
mod sqlite;

use std::fmt::Debug;

use futures::future::BoxFuture;

use crate::conversation::{Before, Conversation, Turn};
pub use lock::Lock;
pub use sqlite::Sqlite;

/// What a store answers, later.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// A store of conversations. Where one fails, it is as it was before.
pub trait Store: Debug + Send + Sync {
    /// A conversation, if there is one of that name.
    fn load(&self, id: &str) -> Stored<'_, Option<Conversation>>;

    /// Notes what clients will have been told of a turn if nothing more is ever noted of it, and how the conversation was
    /// before it. What is said in place of an earlier turn, `instead`, takes that one and all behind it back. `false` if the
    /// chunk ids are not free: another turn has been noted meanwhile.
    fn reserve(&self, id: &str, told: Told, instead: Option<Cut>) -> Stored<'_, bool>;

    /// Saves what a turn, or a step of one, adds to the conversation, if it adds anything, with what clients were told of
    /// the turn, in the place of its reservation; all of it or nothing.
    fn save(&self, id: &str, turn: Option<Turn>, told: Told) -> Stored<'_, ()>;

    /// The turn that a chunk is of: where it begins, and how the conversation was before.
    fn turn_of(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<Cut>>;

    /// Forgets a conversation.
    fn delete(&self, id: &str) -> Stored<'_, ()>;

    /// How far a conversation's stream has come, with what is reserved; 0 if it has not begun.
    fn last_chunk_id(&self, id: &str) -> Stored<'_, u64>;

    /// What clients were told in the first turn that goes on after this chunk id, as JSON text.
    fn told_behind(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<String>>;
}

/// What clients were told of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The first event's.
    pub first_chunk_id: u64,
    /// The last event's.
    pub last_chunk_id: u64,
    /// All of them, as JSON text.
    pub events: String,
}

/// Where a conversation is cut: all that was said from this chunk on is taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The first chunk of the turn that is taken back.
    pub from: u64,
    /// What the conversation is then.
    pub before: Before,
}

/// The store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another server has it.
    #[error("another server uses it; `--database` names another file")]
    InUse,
    /// Its file can't be had.
    #[error("the file can't be had: {0}")]
    File(#[from] std::io::Error),
    /// In the database.
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    /// Its thread can't be started.
    #[error("the store's thread can't be started: {0}")]
    Thread(std::io::Error),
    /// A job of the store was broken off.
    #[error("the store was interrupted")]
    Interrupted,
}
