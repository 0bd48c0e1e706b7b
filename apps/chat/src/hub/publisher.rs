//! A turn's side of its conversation's channel: events in, no faster than somebody reads them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use serde_json::json;

use super::interrupt::{Interrupt, Interrupts, interrupt};
use super::{Channel, Log, State};
use crate::config::Limits;
use crate::store::{Store, StoreError, Told};
use crate::wire::{Envelope, Event, EventName, MessageType};

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
    /// What a turn that takes others back says first.
    cut: Option<Event>,
    shared: Option<Shared>,
    /// The last word, with its number, if there is no other.
    reserved: Option<Event>,
    /// The number of the last word at most.
    last: u64,
}

/// A store that servers share, where a turn is told before it is told here.
#[derive(Debug)]
pub struct Shared {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The conversation.
    pub conversation: String,
    /// What the turn is known by there.
    pub token: u64,
    /// Whoever runs the turn.
    pub interrupts: Interrupts,
    log: Option<Log>,
    /// The last chunk id that was told by then.
    told: u64,
    /// What is to be told, once it is certain that it counts.
    held: Vec<Event>,
    /// Whether something else was told before. That of an answer which is asked for again may be.
    has_diverged: bool,
}

impl Shared {
    /// A conversation of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, conversation: String, token: u64, interrupts: Interrupts) -> Self {
        Self { store, conversation, token, interrupts, log: None, told: 0, held: Vec::new(), has_diverged: false }
    }
}

/// How often the store is asked how far readers on other servers have come, if a turn waits for them.
const LOOK: Duration = Duration::from_millis(50);

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
    pub(super) fn new(
        channel: Arc<Channel>,
        limits: &Limits,
        before: u64,
        cut: Option<Event>,
        reserved: Event,
        shared: Option<Shared>,
    ) -> Self {
        let token = shared.as_ref().map_or(0, |shared| shared.token);
        channel.state.send_modify(|state| state.token = token);
        let state = channel.state.subscribe();
        let first = before + 1 + u64::from(cut.is_some());
        let mut new = Self {
            channel,
            state,
            unread: limits.unread,
            most_bytes: limits.turn,
            grace: limits.grace,
            first,
            cut,
            shared,
            last: reserved.data.chunk_id - 1,
            reserved: Some(reserved),
        };
        new.begin();
        new
    }

    /// Begins the turn anew: what is told from here on, and was told before, is not told again.
    pub(crate) fn begin(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        let mut log = Log::behind(self.first - 1 - u64::from(self.cut.is_some()));
        if let Some(cut) = &self.cut {
            log.push(cut.clone());
        }
        (shared.log, shared.told) = (Some(log), self.channel.state.borrow().log.head());
        shared.held.clear();
        shared.has_diverged = false;
    }

    /// Runs this on the turn's log: in a store that servers share, on that of what counts, without what was taken back;
    /// unless the turn ends before it has come as far again as it was told, or what it tells now is something else.
    fn with_log<T>(&self, work: impl FnOnce(&Log) -> T) -> T {
        match &self.shared {
            Some(Shared { log: Some(log), told, has_diverged: false, .. }) if log.head() >= *told => work(log),
            _ => work(&self.channel.state.borrow().log),
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
        self.with_log(|log| {
            let (first_chunk_id, last_chunk_id) = (log.first(), log.head() + 1);
            let last_word = Event { data: last_word.data.clone().numbered(last_chunk_id), ..last_word.clone() };
            let events = log.to_json_with(&last_word);
            Told { first_chunk_id, last_chunk_id, events, first_word: None, last_word: Some(last_word) }
        })
    }

    /// What the turn has told so far, for the store: if nothing more is ever noted of it, this is all there is, and then
    /// that it was broken off.
    #[must_use]
    pub fn told_so_far(&mut self) -> Option<Told> {
        let mut reserved = self.reserved.take()?;
        let told = self.with_log(|log| {
            reserved.data.follows = Some(log.head());
            let (first_chunk_id, last_chunk_id) = (log.first(), reserved.data.chunk_id);
            Told {
                first_chunk_id,
                last_chunk_id,
                events: log.to_json_with(&reserved),
                first_word: None,
                last_word: None,
            }
        });
        self.reserved = Some(reserved);
        Some(told)
    }

    /// Publishes events, once the readers are close enough.
    ///
    /// # Errors
    ///
    /// Nobody reads any more, or the turn is too long.
    pub async fn send(&mut self, events: Vec<Event>) -> Result<(), Unread> {
        if self.shared.is_some() {
            self.repeat(events)?;
            return self.flush().await;
        }
        for event in events {
            self.send_one(event).await?;
        }
        Ok(())
    }

    /// Takes events of a turn that is run again. What was told before is only compared; the rest is told once it is certain
    /// that it counts: with the next that is [sent](Self::send).
    ///
    /// # Errors
    ///
    /// The turn is too long.
    pub fn repeat(&mut self, events: Vec<Event>) -> Result<(), Unread> {
        let Some(Shared { log: Some(log), told, held, has_diverged, .. }) = &mut self.shared else { return Ok(()) };
        for event in events {
            // One of the reserved chunk ids is left for the last word.
            if log.bytes() > self.most_bytes || log.head() + 2 > self.last {
                return Err(Unread::TooLong);
            }
            log.push(event);
            let Some(event) = log.after(log.head() - 1) else { continue };
            if event.data.chunk_id > *told {
                held.push(event);
            } else {
                let told = self.channel.state.borrow().log.after(event.data.chunk_id - 1);
                *has_diverged |= told.is_none_or(|told| told != event);
            }
        }
        Ok(())
    }

    /// Publishes what has been held back.
    async fn flush(&mut self) -> Result<(), Unread> {
        let Some(Shared { held, has_diverged, interrupts, .. }) = &mut self.shared else { return Ok(()) };
        if *has_diverged {
            return interrupt(interrupts, Interrupt::Diverged).await;
        }
        let events = std::mem::take(held);
        if events.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        while !self.channel.state.borrow().has_room() {
            if start.elapsed() > self.unread {
                return Err(Unread::Stalled);
            }
            let _ = tokio::time::timeout(LOOK, self.state.wait_for(State::has_room)).await;
            self.put(&[]).await;
        }
        self.put(&events).await;
        self.channel.state.send_modify(|state| events.into_iter().for_each(|event| state.log.push_numbered(event)));
        Ok(())
    }

    /// Tells events where other servers find them.
    async fn put(&self, events: &[Event]) {
        let Some(Shared { store, conversation, token, interrupts, .. }) = &self.shared else { return };
        match store.put(conversation, &[], events).await {
            Ok(standing) => self.channel.hear(*token, Some(&standing)),
            Err(error) => {
                if !matches!(error, StoreError::Lost) {
                    tracing::error!(%error, "the store failed");
                }
                interrupt::<()>(interrupts, Interrupt::Lost).await;
            }
        }
    }

    /// Takes back what was told from here on, up to this chunk. `false` if that is nothing.
    pub(crate) fn take_back(&mut self, chunk_id: u64) -> bool {
        let Some(Shared { log: Some(log), told, held, .. }) = &mut self.shared else { return false };
        let last = log.head();
        if last >= chunk_id {
            return false;
        }
        let whole = Envelope::whole(MessageType::Cut, json!({"from": last + 1})).numbered(chunk_id + 1).following(last);
        let cut = Event::new(EventName::Cut, whole);
        log.push_numbered(cut.clone());
        if chunk_id + 1 > *told {
            held.push(cut);
        }
        true
    }

    /// Leaves the turn to other servers. Its readers here go on with a copy, if there is to be one.
    pub(crate) fn leave(mut self, is_copied: bool) {
        self.give_up(is_copied);
    }

    fn give_up(&mut self, is_copied: bool) {
        self.reserved = None;
        self.channel.state.send_modify(|state| {
            (state.is_copy, state.is_lost, state.is_running, state.since) =
                (is_copied, false, is_copied, Instant::now());
        });
    }

    /// Waits until another server has taken the turn over.
    pub(crate) fn lost(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut state = self.channel.state.subscribe();
        async move {
            let _ = state.wait_for(|state| state.is_lost).await;
        }
    }

    async fn send_one(&mut self, event: Event) -> Result<(), Unread> {
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
        let number = self.with_log(Log::head) + 1;
        self.publish_last(|log| log.push_numbered(Event { data: event.data.numbered(number), ..event }));
    }

    /// Waits until there has been no reader for as long as the grace is.
    pub fn abandoned(&self) -> impl Future<Output = ()> + Send + 'static {
        let (mut state, grace) = (self.channel.state.subscribe(), self.grace);
        async move {
            loop {
                let _ = state.wait_for(|state| !state.is_read()).await;
                let came_back = state.wait_for(State::is_read);
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
        if self.shared.is_some() && self.reserved.is_some() {
            // Another server goes on with it.
            self.give_up(true);
        }
        if let Some(reserved) = self.reserved.take() {
            self.publish_last(|log| log.push_numbered(reserved));
        }
    }
}
