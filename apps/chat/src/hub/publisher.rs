//! A turn's side of its conversation's channel: events in, no faster than somebody reads them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::{Channel, Log, State};
use crate::config::Limits;
use crate::store::Told;
use crate::wire::Event;

/// Publishes one turn. Dropped without its [last word](Self::end), it says what the store has of the turn: that it was broken
/// off.
#[derive(Debug)]
pub struct Publisher {
    channel: Arc<Channel>,
    state: watch::Receiver<State>,
    unread: Duration,
    most_bytes: usize,
    grace: Duration,
    first: u64,
    /// The last word, with its number, if there is no other.
    reserved: Option<Event>,
    /// The number of the last word at most.
    last: u64,
}

/// Why an event can't be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// Nobody has read for too long.
    #[error("the client has stopped reading")]
    Stalled,
    /// The turn has grown too long.
    #[error("the answer is longer than is kept")]
    TooLong,
}

impl Publisher {
    pub(super) fn new(channel: Arc<Channel>, limits: &Limits, reserved: Event) -> Self {
        let state = channel.state.subscribe();
        let first = channel.state.borrow().log.head() + 1;
        Self {
            channel,
            state,
            unread: limits.unread,
            most_bytes: limits.turn,
            grace: limits.grace,
            first,
            last: reserved.data.chunk_id - 1,
            reserved: Some(reserved),
        }
    }

    /// The chunk id of the turn's first event.
    #[must_use]
    pub fn first_chunk_id(&self) -> u64 {
        self.first
    }

    /// What the turn has told, and this last word, for the store.
    #[must_use]
    pub fn told(&self, last_word: &Event) -> Told {
        let log = &self.channel.state.borrow().log;
        let (first_chunk_id, last_chunk_id) = (log.first(), log.head() + 1);
        Told { first_chunk_id, last_chunk_id, events: log.to_json_with(last_word) }
    }

    /// What the turn has told so far, for the store: if nothing more is ever noted of it, this is all there is, and then
    /// that it was broken off.
    #[must_use]
    pub fn told_so_far(&mut self) -> Option<Told> {
        let log = &self.channel.state.borrow().log;
        let reserved = self.reserved.as_mut()?;
        reserved.data.follows = Some(log.head());
        let (first_chunk_id, last_chunk_id) = (log.first(), reserved.data.chunk_id);
        Some(Told { first_chunk_id, last_chunk_id, events: log.to_json_with(reserved) })
    }

    /// Publishes an event, once the readers are close enough.
    ///
    /// # Errors
    ///
    /// Nobody reads any more, or the turn is too long.
    pub async fn send(&mut self, event: Event) -> Result<(), Unread> {
        let waited = tokio::time::timeout(self.unread, self.state.wait_for(State::has_room)).await;
        // The channel lives as long as this does, so waiting can't fail.
        let (bytes, head) =
            waited.map_err(|_| Unread::Stalled)?.map_or((0, 0), |state| (state.log.bytes(), state.log.head()));
        // One of the reserved chunk ids is left for the last word.
        let is_too_long = bytes > self.most_bytes || head + 2 > self.last;
        if is_too_long {
            return Err(Unread::TooLong);
        }
        self.channel.state.send_modify(|state| state.log.push(event));
        Ok(())
    }

    /// Publishes the turn's last word: `done` or `error`.
    pub fn end(mut self, event: Event) {
        self.reserved = None;
        self.publish_last(|log| log.push(event));
    }

    /// Waits until there has been no reader for as long as the grace is.
    pub fn abandoned(&self) -> impl Future<Output = ()> + Send + 'static {
        let (mut state, grace) = (self.channel.state.subscribe(), self.grace);
        async move {
            loop {
                let _ = state.wait_for(|state| state.readers == 0).await;
                let came_back = state.wait_for(|state| state.readers > 0);
                if tokio::time::timeout(grace, came_back).await.is_err() {
                    return;
                }
            }
        }
    }

    /// Waits until somebody asks for the turn's end.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut state = self.channel.state.subscribe();
        async move {
            // The turn has the channel as long as it waits for this.
            let _ = state.wait_for(|state| state.is_to_stop).await;
        }
    }

    fn publish_last(&self, push: impl FnOnce(&mut Log)) {
        self.channel.state.send_modify(|state| {
            push(&mut state.log);
            state.is_running = false;
            state.since = Instant::now();
        });
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        if let Some(reserved) = self.reserved.take() {
            self.publish_last(|log| log.push_numbered(reserved));
        }
    }
}
