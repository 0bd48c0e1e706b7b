//! A turn that is to begin: it has its conversation, but nothing of it may be told yet.
//!
//! No chunk id is ever told twice, whatever happens to the server in between: killed in the middle of a turn, or with a
//! disk on which nothing can be written any more. So all ids that a turn may need, and one more, are reserved in the store
//! before the first is told. The reservation is the record of what was told, as it would have to be if the server ended
//! there: an error that says so, numbered after all the others. A turn that comes to its end puts its own record in that
//! place, and gives the ids that it has not used back. Otherwise the reservation stays: it is what everybody is told of the
//! turn's end, now and later, and the next turn begins after it.

use std::sync::Arc;

use serde_json::json;

use super::publisher::{Publisher, Shared};
use super::{Channel, Log, Reader};
use crate::config::Limits;
use crate::store::Told;
use crate::wire::{Envelope, Event, EventName, MessageType};

/// A conversation's next turn. Dropped, it leaves no trace.
#[derive(Debug)]
pub struct Claim {
    channel: Arc<Channel>,
    is_open: bool,
    /// The last chunk id before it.
    last: u64,
    /// From where on it takes back what was said before it.
    cut: Option<u64>,
    limits: Limits,
}

impl Claim {
    pub(super) fn new(channel: Arc<Channel>, last: u64, limits: Limits) -> Self {
        Self { channel, is_open: false, last, cut: None, limits }
    }

    /// The same turn, in the place of all that was said from a chunk on.
    #[must_use]
    pub fn instead_of(mut self, from: Option<u64>) -> Self {
        self.cut = from;
        self
    }

    /// What a turn that takes others back says first.
    fn cut(&self) -> Option<Event> {
        let from = self.cut?;
        let whole = Envelope::whole(MessageType::Cut, json!({"from": from})).following(from - 1);
        Some(Event::new(EventName::Cut, whole))
    }

    /// What has to be in the store before the turn is opened.
    #[must_use]
    pub fn reservation(&self) -> Told {
        let last_word = self.broken_off();
        let (first_chunk_id, last_chunk_id) = (self.last + 1, last_word.data.chunk_id);
        let first_word = self.cut().map(|cut| Event { data: cut.data.numbered(first_chunk_id), ..cut });
        let log = match self.cut() {
            None => Log::lost(last_word),
            Some(cut) => {
                let mut log = Log::behind(self.last);
                log.push(cut);
                log.push_numbered(last_word);
                log
            }
        };
        Told { first_chunk_id, last_chunk_id, events: log.to_json(), first_word, last_word: None }
    }

    /// What is told last of a turn of which nothing else is in the store.
    fn broken_off(&self) -> Event {
        let props = json!({"kind": "broken_off", "message": "the answer was broken off by the server"});
        let reserved = self.last + self.limits.events as u64 + 1;
        let before = self.last + u64::from(self.cut.is_some());
        let whole = Envelope::whole(MessageType::Error, props).numbered(reserved).following(before);
        Event::new(EventName::Error, whole)
    }

    /// Opens the turn, once what it needs is reserved. In a store that servers share, the turn is told there too.
    #[must_use]
    pub fn open(mut self, shared: Option<Shared>) -> (Publisher, Reader) {
        self.is_open = true;
        let reader = Reader::new(self.channel.clone(), self.last);
        if let Some(cut) = self.cut() {
            self.channel.state.send_modify(|state| state.log.push(cut));
        }
        (self.publisher(shared), reader)
    }

    /// Opens a turn that was another server's. What was told of it is there already.
    pub(crate) fn reopen(mut self, shared: Shared) -> Publisher {
        self.is_open = true;
        self.publisher(Some(shared))
    }

    fn publisher(&self, shared: Option<Shared>) -> Publisher {
        Publisher::new(self.channel.clone(), &self.limits, self.last, self.cut(), self.broken_off(), shared)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.is_open {
            self.channel.state.send_modify(|state| state.is_running = false);
        }
    }
}
