//! Where conversations are kept, and what clients were told: what every store does, whichever it is.
//!
//! A turn, or a step of one, is saved at once or not at all.

mod input;
mod lock;
mod redis;
mod sqlite;

use std::fmt::Debug;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use std::time::Duration;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::conversation::{Assistant, Before, Conversation, Said, Turn};
use crate::wire::Event;
pub use input::Input;
pub use lock::Lock;
pub use redis::Redis;
pub use sqlite::Sqlite;

/// What a store answers, later.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// A store of conversations. Where one fails, it is as it was before.
///
/// The embedded one is a single server's. One that servers [share](Self::is_shared) also has the turns that are running:
/// what is needed to go on with them, and who does. Those functions do nothing in the embedded one.
pub trait Store: Debug + Send + Sync {
    /// A conversation, if there is one of that name.
    fn load(&self, id: &str) -> Stored<'_, Option<Conversation>>;

    /// Notes what clients will have been told of a turn if nothing more is ever noted of it, and how the conversation was
    /// before it. What is said in place of an earlier turn, `instead`, takes that one and all behind it back. `false` if the
    /// chunk ids are not free: another turn has been noted meanwhile.
    fn reserve(&self, id: &str, told: Told, instead: Option<Cut>, begun: Begun) -> Stored<'_, bool>;

    /// Saves what a turn, or a step of one, adds to the conversation, if it adds anything, with what clients were told of
    /// the turn, in the place of its reservation; all of it or nothing.
    fn save(&self, id: &str, turn: Option<Turn>, told: Told) -> Stored<'_, ()>;

    /// The turn that a chunk is of: where it begins, and how the conversation was before.
    fn turn_of(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<Cut>>;

    /// Forgets a conversation.
    fn delete(&self, id: &str) -> Stored<'_, ()>;

    /// How far a conversation's stream has come.
    fn place(&self, id: &str) -> Stored<'_, Place>;

    /// What clients were told in the first turn that goes on after this chunk id, as JSON text.
    fn told_behind(&self, id: &str, chunk_id: u64) -> Stored<'_, Option<String>>;

    /// Whether other servers use it too.
    fn is_shared(&self) -> bool {
        false
    }

    /// Stores what a turn takes in and what it tells, and holds it for this server for a while longer.
    fn put<'a>(&'a self, _id: &'a str, _inputs: &'a [Input], _events: &'a [Event]) -> Stored<'a, Standing> {
        ready(Ok(Standing::default())).boxed()
    }

    /// Holds a turn that runs on this server, known by its token, for a while longer. How it stands; nothing if another
    /// server has it, or nobody.
    fn hold<'a>(&'a self, _id: &'a str, _token: u64) -> Stored<'a, Option<Standing>> {
        ready(Ok(None)).boxed()
    }

    /// Returns some of the conversations with turns that no server holds any longer.
    fn left(&self) -> Stored<'_, Vec<String>> {
        ready(Ok(Vec::new())).boxed()
    }

    /// Takes a turn over whose server holds it no longer; nothing if another has been faster.
    fn take_over(&self, _id: String) -> Stored<'_, Option<Taken>> {
        ready(Ok(None)).boxed()
    }

    /// Holds a turn no longer: another server is to go on with it, at once if it is this one's still.
    fn leave<'a>(&'a self, _id: &'a str) -> Stored<'a, ()> {
        ready(Ok(())).boxed()
    }

    /// What has been told in running turns, or ones that have just ended; nothing if that is not to be had any
    /// more.
    fn tails(&self, _of: Vec<Tail>) -> Stored<'_, Vec<Option<Vec<Event>>>> {
        ready(Ok(Vec::new())).boxed()
    }

    /// Says how far readers here have come in a turn that another server runs, which begins with a chunk id.
    fn taken<'a>(&'a self, _id: &'a str, _first: u64, _chunk_id: u64) -> Stored<'a, ()> {
        ready(Ok(())).boxed()
    }

    /// Asks for the end of a turn that another server runs, which begins with a chunk id. `false` if it does not run.
    fn stop<'a>(&'a self, _id: &'a str, _first: u64) -> Stored<'a, bool> {
        ready(Ok(false)).boxed()
    }
}

/// What a turn begins with: all that goes into it besides its conversation and its inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// What it is known by, and no other turn: at random.
    pub token: u64,
    /// Who answers.
    pub assistant: Assistant,
    /// What was said.
    pub said: Said,
    /// What day it was.
    pub today: NaiveDate,
    /// From which chunk on it takes back what was said before.
    pub cut: Option<u64>,
}

/// How far a conversation's stream has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The last chunk id, with what is reserved; 0 if it has not begun.
    pub last_chunk_id: u64,
    /// In a store that servers share, the first chunk id of the turn that one of them is running.
    pub running: Option<u64>,
}

/// What a turn of another server's has told after a chunk id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The conversation.
    pub conversation: String,
    /// The turn's first chunk id.
    pub first: u64,
    /// The last chunk id that is known.
    pub after: u64,
}

/// How a turn stands with other servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Whether its end was asked for.
    pub is_to_stop: bool,
    /// How far the readers there have come.
    pub taken: u64,
    /// Whether there are any.
    pub is_read: bool,
}

/// A turn that another server has begun, and that is this one's now.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The conversation.
    pub conversation: String,
    /// Its first chunk id.
    pub first_chunk_id: u64,
    /// What it began with.
    pub begun: Begun,
    /// How the conversation was then.
    pub before: Conversation,
    /// What it has taken in.
    pub inputs: Vec<Input>,
    /// What it has told.
    pub told: Vec<Event>,
    /// How long ago it began.
    pub age: Duration,
    /// How many servers have had it, this one too.
    pub owners: u64,
}

/// What clients were told of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The first event's.
    pub first_chunk_id: u64,
    /// The last event's.
    pub last_chunk_id: u64,
    /// All of them, as JSON text.
    pub events: String,
    /// The first of them, if the turn takes back what was before it.
    pub first_word: Option<Event>,
    /// The last of them, if it ends the turn.
    pub last_word: Option<Event>,
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
    /// In Redis, or on the way to it.
    #[error("Redis: {0}")]
    Redis(#[from] ::redis::RedisError),
    /// In Redis there is something that can't be read.
    #[error("Redis holds what can't be read")]
    Unreadable,
    /// Another server has the turn, or nobody.
    #[error("the turn is not this server's any more")]
    Lost,
    /// Its thread can't be started.
    #[error("the store's thread can't be started: {0}")]
    Thread(std::io::Error),
    /// A job of the store was broken off.
    #[error("the store was interrupted")]
    Interrupted,
}
