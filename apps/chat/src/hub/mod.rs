//! Where a turn's events meet the clients that read them: one channel a conversation.
//!
//! Owns who may publish (one turn at a time), who reads from where, and how far a turn may run ahead of its readers.
//! The events themselves and their numbers are `log.rs`'s.

mod claim;
mod interrupt;
mod log;
mod publisher;
mod reader;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::config::Limits;
use crate::store::{Standing, Tail};
use crate::wire::Event;
pub use claim::Claim;
pub(crate) use interrupt::interrupt;
pub use interrupt::{Interrupt, Interrupts};
pub(crate) use log::Log;
pub use publisher::{Publisher, Shared, Unread};
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
    /// What the turn is known by in a store that servers share, once it is open; 0 before.
    token: u64,
    is_running: bool,
    /// Whether another server runs it, and what is here is a copy.
    is_copy: bool,
    /// Whether another server has taken it over from this one.
    is_lost: bool,
    /// Whether somebody reads it on another server.
    is_read_elsewhere: bool,
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
            token: 0,
            is_running: false,
            is_copy: false,
            is_lost: false,
            is_read_elsewhere: false,
            is_to_stop: false,
            readers: 0,
            taken: head,
            window,
            since: Instant::now(),
        }
    }

    fn is_read(&self) -> bool {
        self.readers > 0 || self.is_read_elsewhere
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
        let window = window(&self.limits);
        let channel =
            channels.entry(conversation.to_owned()).or_insert_with(|| Arc::new(Channel::behind(stored, window)));
        let mut head = None;
        channel.state.send_if_modified(|state| {
            // Whether another server has the conversation is for the store to say.
            if state.is_running && !state.is_copy {
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
            let is_own = state.is_running && !state.is_copy;
            first = is_own.then(|| state.log.first());
            state.is_to_stop |= is_own;
            is_own
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

    /// A turn of another server's that is running, for readers here: a copy, which is [fed](Self::feed). What is kept here
    /// of the same turn stays.
    pub(crate) fn copy(&self, conversation: &str, first: u64) {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|_, channel| !channel.is_stale());
        let (new, window) = (|| Arc::new(Channel::behind(first - 1, window(&self.limits))), window(&self.limits));
        let channel = channels.entry(conversation.to_owned()).or_insert_with(new);
        channel.state.send_if_modified(|state| {
            let is_here = state.log.first() == first && (state.is_running || state.log.is_over());
            if !is_here {
                let copy = State {
                    is_running: true,
                    is_copy: true,
                    readers: state.readers,
                    ..State::behind(first - 1, window)
                };
                *state = copy;
            }
            !is_here
        });
    }

    /// The conversations with a turn that runs here, and what it is known by.
    pub(crate) fn own(&self) -> Vec<(String, u64)> {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let own = channels.iter().filter_map(|(conversation, channel)| {
            let state = channel.state.borrow();
            // One that has not begun yet is not this server's yet.
            let is_own = state.is_running && !state.is_copy && state.token != 0;
            is_own.then(|| (conversation.clone(), state.token))
        });
        own.collect()
    }

    /// The copies that are still to grow.
    pub(crate) fn copies(&self) -> Vec<Copy> {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let copies = channels.iter().filter_map(|(conversation, channel)| {
            let state = channel.state.borrow();
            let taken = (state.readers > 0).then_some(state.taken);
            let (first, after) = (state.log.first(), state.log.head());
            let tail = Tail { conversation: conversation.clone(), first, after };
            (state.is_running && state.is_copy).then_some(Copy { tail, taken })
        });
        copies.collect()
    }

    /// What has been told since in a turn of which a copy is here; nothing if it is not to be had any more.
    pub(crate) fn feed(&self, conversation: &str, told: Option<Vec<Event>>) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(channel) = channels.get(conversation) else { return };
        channel.state.send_if_modified(|state| {
            if !state.is_copy || !state.is_running {
                return false;
            }
            let Some(events) = told else {
                (state.is_running, state.since) = (false, Instant::now());
                return true;
            };
            let before = state.log.head();
            for event in events.into_iter().filter(|event| event.data.chunk_id > before) {
                if event.event.ends_stream() {
                    (state.is_running, state.since) = (false, Instant::now());
                }
                state.log.push_numbered(event);
            }
            state.log.head() > before
        });
    }

    /// What the store says of a turn that runs here, known by its token; nothing if it does so no longer. If it is over
    /// meanwhile, that is not said of the next one.
    pub(crate) fn hear(&self, conversation: &str, token: u64, standing: Option<&Standing>) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(conversation) {
            channel.hear(token, standing);
        }
    }

    /// Takes another server's turn over, of which this has been told.
    pub(crate) fn take_over(&self, conversation: &str, first: u64, told: Vec<Event>) -> Claim {
        self.copy(conversation, first);
        self.feed(conversation, Some(told));
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let window = window(&self.limits);
        let channel = channels.get(conversation).cloned();
        let channel = channel.unwrap_or_else(|| Arc::new(Channel::behind(first - 1, window)));
        channel.state.send_modify(|state| {
            (state.is_copy, state.is_lost, state.is_running, state.taken) = (false, false, true, state.log.head());
        });
        Claim::new(channel, first - 1, self.limits.clone())
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

fn window(limits: &Limits) -> u64 {
    limits.window as u64
}

/// A copy of another server's turn.
#[derive(Debug)]
pub(crate) struct Copy {
    /// What is still to come.
    pub(crate) tail: Tail,
    /// The last chunk id that a reader here has taken, if there is a reader.
    pub(crate) taken: Option<u64>,
}

impl Channel {
    fn hear(&self, token: u64, standing: Option<&Standing>) {
        self.state.send_if_modified(|state| {
            if !state.is_running || state.is_copy || state.token != token {
                return false;
            }
            let Some(standing) = standing else {
                state.is_lost = true;
                return true;
            };
            let before = (state.taken, state.is_to_stop, state.is_read_elsewhere);
            state.taken = state.taken.max(standing.taken.min(state.log.head()));
            state.is_to_stop |= standing.is_to_stop;
            state.is_read_elsewhere = standing.is_read;
            before != (state.taken, state.is_to_stop, state.is_read_elsewhere)
        });
    }

    fn behind(head: u64, window: u64) -> Self {
        Self { state: watch::Sender::new(State::behind(head, window)) }
    }

    fn is_stale(&self) -> bool {
        let state = self.state.borrow();
        (!state.is_running || state.is_copy) && state.readers == 0 && state.since.elapsed() > KEPT
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::Sqlite;

    #[test]
    fn what_is_said_of_a_turn_is_not_said_of_the_next_one() {
        let hub = Hub::new(Limits::default());
        let store: Arc<dyn crate::store::Store> = Arc::new(Sqlite::open(None).unwrap());
        let (interrupts, _interrupted) = tokio::sync::mpsc::unbounded_channel();
        let open = |token| {
            let shared = Shared::new(store.clone(), "a".to_owned(), token, interrupts.clone());
            hub.claim("a", 0).unwrap().open(Some(shared))
        };
        let (first, _reader) = open(1);
        assert_eq!(hub.own(), [("a".to_owned(), 1)]);
        first.leave(false);
        let (second, _reader) = open(2);
        let is_told = |of: u64, standing: Option<&Standing>| {
            hub.hear("a", of, standing);
            let channel = hub.channels.lock().unwrap()["a"].clone();
            let state = channel.state.borrow();
            (state.is_lost, state.is_to_stop)
        };
        let stop = Standing { is_to_stop: true, ..Standing::default() };
        assert_eq!((is_told(1, None), is_told(1, Some(&stop))), ((false, false), (false, false)));
        assert_eq!((is_told(2, Some(&stop)), is_told(2, None)), ((false, true), (true, true)));
        second.leave(false);
    }
}
