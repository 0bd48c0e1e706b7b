//! The store of conversations, with everything that their turns take in and send.
//!
//! A turn is one server's for as long as its [`Lease`] is renewed, which each write does. Its inputs and
//! events are stored, so another server can continue it. The embedded store and the shared one have the same operations, so
//! nothing outside this module depends on which of them is used.

mod input;
mod lock;
mod redis;
mod sqlite;

use std::fmt::Debug;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::NaiveDate;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::conversation::{Conversation, Said};
use crate::wire::Event;
pub use input::Input;
pub use lock::Lock;
pub use redis::Redis;
pub use sqlite::Sqlite;

/// The result of a store's operation.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// The number of events that [`Store::read`] returns at most.
const MOST_READ: usize = 256;

/// A store of conversations. An operation takes effect completely or not at all.
pub trait Store: Debug + Send + Sync {
    /// Reads a conversation.
    fn load<'a>(&'a self, id: &'a str) -> Stored<'a, State>;

    /// Begins a turn whose first chunk id is `first`. Returns `None` if another turn runs or has used the chunk id.
    fn begin<'a>(&'a self, id: &'a str, begun: Begun, first: u64) -> Stored<'a, Option<Running>>;

    /// Stores more of a turn, and renews its lease. Returns true if a client has asked for the turn's end.
    fn write<'a>(&'a self, lease: &'a Lease, more: Write<'a>) -> Stored<'a, bool>;

    /// Reads events after a chunk id.
    fn read<'a>(&'a self, id: &'a str, after: u64) -> Stored<'a, Tail>;

    /// Takes over a turn whose lease has expired. It is one at a time, so that none of them waits for another one while its
    /// new lease runs.
    fn take(&self) -> Stored<'_, Option<Running>>;

    /// Asks the server that runs the turn with this first chunk id to end it. Returns false if it does not run.
    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool>;
}

/// A conversation, and the length of its stream.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The conversation; `None` as long as nothing of it is saved.
    pub conversation: Option<Conversation>,
    /// The last chunk id, or 0.
    pub last: u64,
}

/// Everything that a turn depends on, besides its inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// The conversation before it.
    pub before: Conversation,
    /// The person's message.
    pub said: Said,
    /// The day of the message.
    pub today: NaiveDate,
}

/// A server's right to a turn. The store refuses its writes once another server has taken the turn over.
#[derive(Debug)]
pub struct Lease {
    /// The conversation.
    pub id: String,
    /// Random, and so different for every turn.
    pub token: String,
    /// The number of servers that have had the turn, including this one.
    pub owners: u64,
    /// The turn's first chunk id.
    pub first: u64,
    /// The number of stored inputs.
    inputs: AtomicUsize,
}

impl Lease {
    fn new(id: &str, first: u64) -> Self {
        let token = format!("{:016x}", fastrand::u64(..));
        Self { id: id.to_owned(), token, owners: 1, first, inputs: AtomicUsize::new(0) }
    }
}

/// A turn that this server is to run, from its beginning or from what others have stored of it.
#[derive(Debug)]
pub struct Running {
    /// The right to it.
    pub lease: Lease,
    /// Its beginning.
    pub begun: Begun,
    /// Its inputs so far.
    pub inputs: Vec<Input>,
    /// Its events so far.
    pub told: Vec<Event>,
    /// How long ago it began.
    pub age: Duration,
}

/// The parts of a turn that a server stores at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Write<'w> {
    /// New inputs of the turn.
    pub inputs: &'w [Input],
    /// New events of the turn.
    pub events: &'w [Event],
    /// The conversation as it is from now on, if it has changed.
    pub conversation: Option<&'w Conversation>,
    /// The owner of the turn afterwards.
    pub then: Then,
}

/// The owner of a turn after a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    /// The same server.
    #[default]
    Hold,
    /// Another server: the lease expires now.
    Leave,
    /// No server: the turn has ended.
    End,
}

/// The events after a chunk id.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// The events, or the first of many.
    pub events: Vec<Event>,
    /// The last chunk id of the conversation.
    pub last: u64,
    /// The first chunk id of the turn that runs.
    pub running: Option<u64>,
    /// Set if a server holds that turn.
    pub is_held: bool,
}

/// Milliseconds of this machine's clock.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another server has the database's file.
    #[error("another server uses it; `--database` names another file")]
    InUse,
    /// The database was written by another version of the app.
    #[error("another version of the app has written it; `--database` names another file")]
    Version,
    /// The file can't be opened.
    #[error("the file can't be opened: {0}")]
    File(#[from] std::io::Error),
    /// `SQLite` fails.
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    /// Redis fails, or can't be reached.
    #[error("Redis: {0}")]
    Redis(#[from] ::redis::RedisError),
    /// A stored value can't be read.
    #[error("what is stored can't be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// Another server has taken the turn over, or it has ended.
    #[error("the turn is not this server's any more")]
    Lost,
}

impl StoreError {
    /// Returns true if another attempt would find the same: nothing can be done with what is stored.
    fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(_) | Self::Database(rusqlite::Error::FromSqlConversionFailure(..)))
    }
}
