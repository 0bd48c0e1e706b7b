//! Where a turn's events meet the clients that read them: one channel a conversation.
//!
//! Owns who may publish (one turn at a time), who reads from where, and how far a turn may run ahead of its readers.
//! The events themselves and their numbers are `log.rs`'s.

mod claim;
mod log;
mod publisher;
mod reader;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::config::Limits;
pub use claim::Claim;
pub(crate) use log::Log;
pub use publisher::{Publisher, Unread};
pub use reader::Reader;

/// How long a turn that is over is kept for clients that come back. Afterwards it is read from the store.
const KEPT: Duration = Duration::from_secs(10);

/// All conversations that have a turn, or had one a while ago.
#[derive(Debug)]
pub struct Hub {
    channels: Mutex<HashMap<String, Arc<Channel>>>,
    limits: Limits,
}

/// A conversation's channel.
#[derive(Debug)]
struct Channel {
    state: watch::Sender<State>,
}

#[derive(Debug)]
struct State {
    log: Log,
    is_running: bool,
    /// Whether somebody has asked for the turn's end.
    is_to_stop: bool,
    readers: usize,
    /// The highest chunk id that a reader has taken.
    taken: u64,
    /// How far the turn may run ahead of it.
    window: u64,
    since: Instant,
}

impl State {
    fn behind(head: u64, window: u64) -> Self {
        Self {
            log: Log::behind(head),
            is_running: false,
            is_to_stop: false,
            readers: 0,
            taken: head,
            window,
            since: Instant::now(),
        }
    }

    fn has_room(&self) -> bool {
        self.log.head() - self.taken < self.window
    }
}

/// A conversation has a turn already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an answer to this conversation is still on its way")]
pub struct Busy;

impl Hub {
    /// An empty hub.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { channels: Mutex::default(), limits }
    }

    /// Claims a conversation for a turn. `stored` is the last chunk id of it in the store, told or reserved.
    ///
    /// # Errors
    ///
    /// The conversation has a turn.
    pub fn claim(&self, conversation: &str, stored: u64) -> Result<Claim, Busy> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|_, channel| !channel.is_stale());
        let window = self.limits.window as u64;
        let channel =
            channels.entry(conversation.to_owned()).or_insert_with(|| Arc::new(Channel::behind(stored, window)));
        let mut head = None;
        channel.state.send_if_modified(|state| {
            if state.is_running {
                return false;
            }
            let last = state.log.head().max(stored);
            *state = State { is_running: true, readers: state.readers, ..State::behind(last, window) };
            head = Some(last);
            true
        });
        Ok(Claim::new(channel.clone(), head.ok_or(Busy)?, self.limits.clone()))
    }

    /// Asks a conversation's turn to end, and gives what waits until it has. `None` if none is running.
    pub fn stop(&self, conversation: &str) -> Option<impl Future<Output = ()> + Send + use<>> {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = channels.get(conversation)?.clone();
        let mut first = None;
        channel.state.send_if_modified(|state| {
            first = state.is_running.then(|| state.log.first());
            state.is_to_stop = state.is_running;
            state.is_running
        });
        let first = first?;
        Some(async move {
            let mut state = channel.state.subscribe();
            // The channel is here as long as this waits; a turn that has begun since is another one.
            let _ = state.wait_for(|state| !state.is_running || state.log.first() != first).await;
        })
    }

    /// Forgets what is kept here of a conversation.
    pub fn forget(&self, conversation: &str) {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner).remove(conversation);
    }

    /// A conversation's turn that is kept here, for a client whose last chunk id is `last`: a reader that goes on from
    /// there, or from the turn's beginning if what comes before is in the store only.
    pub fn join(&self, conversation: &str, last: u64) -> Option<Reader> {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = channels.get(conversation)?;
        let first = channel.state.borrow().log.first();
        Some(Reader::new(channel.clone(), last.max(first - 1)))
    }
}

impl Channel {
    fn behind(head: u64, window: u64) -> Self {
        Self { state: watch::Sender::new(State::behind(head, window)) }
    }

    fn is_stale(&self) -> bool {
        let state = self.state.borrow();
        !state.is_running && state.readers == 0 && state.since.elapsed() > KEPT
    }
}
