//! A turn's way to its readers: numbers events, stores them, and then says so.

use std::sync::Arc;

use serde_json::json;

use super::Signals;
use super::interrupt::{Interrupt, Interrupts, interrupt};
use crate::conversation::Turn;
use crate::store::{Lease, Store, StoreError, Then, Write};
use crate::wire::{Envelope, Event, EventName, MessageType};

/// The events of a turn.
#[derive(Debug)]
pub struct Publisher {
    store: Arc<dyn Store>,
    lease: Arc<Lease>,
    signals: Arc<Signals>,
    interrupts: Interrupts,
    /// The turn's events that other servers have sent. A run on the stored inputs repeats them.
    told: Vec<Event>,
    /// Set if the run has produced another event than was sent.
    has_diverged: bool,
    /// Events that are numbered, but not yet stored.
    held: Vec<Event>,
    /// The last chunk id.
    last: u64,
}

impl Publisher {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        lease: Arc<Lease>,
        signals: Arc<Signals>,
        interrupts: Interrupts,
        told: Vec<Event>,
    ) -> Self {
        let (held, last) = (Vec::new(), lease.first - 1);
        Self { store, lease, signals, interrupts, told, has_diverged: false, held, last }
    }

    /// Returns the turn's first chunk id.
    #[must_use]
    pub fn first_chunk_id(&self) -> u64 {
        self.lease.first
    }

    /// Stores events and sends them to the readers. Events that were sent before are compared.
    pub async fn send(&mut self, events: Vec<Event>) {
        events.into_iter().for_each(|event| self.number(event));
        if self.has_diverged {
            return interrupt(&self.interrupts, Interrupt::Diverged).await;
        }
        if self.held.is_empty() {
            return;
        }
        // If this is dropped meanwhile, the events are sent with the turn's last one.
        match self.store.write(&self.lease, Write { events: &self.held, ..Write::default() }).await {
            Ok(is_to_stop) => {
                self.held.clear();
                self.signals.told.send_replace(self.last);
                if is_to_stop {
                    interrupt::<()>(&self.interrupts, Interrupt::Stopped).await;
                }
            }
            Err(error) => {
                tracing::error!(%error, "a turn's events can't be stored");
                interrupt::<()>(&self.interrupts, Interrupt::Lost).await;
            }
        }
    }

    fn number(&mut self, mut event: Event) {
        let place = usize::try_from(self.last + 1 - self.lease.first).unwrap_or(usize::MAX);
        self.last += 1;
        event.data.chunk_id = self.last;
        match self.told.get(place) {
            Some(told) => self.has_diverged |= *told != event,
            None => self.held.push(event),
        }
    }

    /// Returns the last chunk that another server has sent, if this run has not repeated it.
    pub(crate) fn ahead(&self) -> Option<u64> {
        let told = self.lease.first - 1 + self.told.len() as u64;
        (told > self.last).then_some(told)
    }

    /// Takes back what was sent from here on, up to this chunk.
    pub(crate) async fn take_back(&mut self, chunk_id: u64) {
        let cut = Envelope::whole(MessageType::Cut, json!({"from": self.last + 1}));
        self.last = chunk_id;
        self.send(vec![Event::new(EventName::Cut, cut)]).await;
    }

    /// Saves the end of the turn, with its last event, and sends that.
    pub(crate) async fn end(&mut self, turn: Option<Turn>, mut event: Event) -> Result<(), StoreError> {
        if self.has_diverged {
            self.held.clear();
            self.last = self.lease.first - 1 + self.told.len() as u64;
        }
        // If the turn ends before it has repeated everything, what was sent stays.
        self.last = self.ahead().unwrap_or(self.last);
        event.data.chunk_id = self.last + 1;
        let events: Vec<Event> = self.held.iter().cloned().chain([event]).collect();
        let last = Write { inputs: &[], events: &events, turn: turn.as_ref(), then: Then::End };
        self.store.write(&self.lease, last).await?;
        self.signals.told.send_replace(self.last + 1);
        Ok(())
    }
}
