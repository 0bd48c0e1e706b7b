//! What a client missed, once and in order: first from the store, turn by turn, then from the turn that is kept or running.

use std::sync::Arc;

use super::{App, together};
use crate::hub::{Log, Reader};
use crate::store::StoreError;
use crate::wire::Event;

/// A stream after a chunk id.
#[derive(Debug)]
pub(super) struct Replay {
    app: Arc<App>,
    conversation: String,
    /// The last chunk id that was given.
    last: u64,
    /// Up to here the store has it.
    stored: u64,
    turn: Option<Log>,
    live: Option<Reader>,
}

/// What there is after a chunk id.
#[derive(Debug)]
pub(super) enum Rest {
    Events(Replay),
    /// The client has all, and no turn is running.
    Nothing,
    /// The client knows of more than there is.
    Unknown,
}

impl Replay {
    pub(super) async fn behind(app: Arc<App>, conversation: String, last: u64) -> Result<Rest, StoreError> {
        // The store first: a turn that begins in between has reserved what it has not told, and must be found running; one
        // that ends in between is kept for a while.
        let place = app.store.place(&conversation).await?;
        let stored = place.last_chunk_id;
        let live = if app.store.is_shared() {
            together::join(&app, &conversation, last, place).await?
        } else {
            app.hub.join(&conversation, last)
        };
        if last > live.as_ref().map_or(stored, Reader::head) {
            return Ok(Rest::Unknown);
        }
        let stored = live.as_ref().map_or(stored, Reader::last_chunk_id);
        if last == stored && live.as_ref().is_none_or(|live| !live.has_more()) {
            return Ok(Rest::Nothing);
        }
        Ok(Rest::Events(Self { app, conversation, last, stored, turn: None, live }))
    }

    /// A turn that has just begun.
    pub(super) fn live(app: Arc<App>, conversation: String, reader: Reader) -> Self {
        let last = reader.last_chunk_id();
        Self { app, conversation, last, stored: last, turn: None, live: Some(reader) }
    }

    /// The next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Event> {
        let mut event =
            if self.last < self.stored { self.next_stored().await? } else { self.live.as_mut()?.next().await? };
        let before = std::mem::replace(&mut self.last, event.data.chunk_id);
        // Whatever has become of the chunks between, this client is not to wait for them.
        if event.data.chunk_id > before + 1 && event.data.follows.is_none_or(|follows| follows > before) {
            event.data.follows = Some(before);
        }
        Some(event)
    }

    async fn next_stored(&mut self) -> Option<Event> {
        if self.turn.as_ref().is_none_or(|turn| turn.head() <= self.last) {
            self.turn = self.read_turn().await;
        }
        self.turn.as_ref()?.after(self.last)
    }

    async fn read_turn(&self) -> Option<Log> {
        let told = self.app.store.told_behind(&self.conversation, self.last).await;
        let log = told.map(|told| told.map(|told| Log::from_json(&told)).transpose());
        log.inspect_err(|error| tracing::error!(%error, "the store failed"))
            .ok()?
            .inspect_err(|error| tracing::error!(%error, "the store holds what can't be read"))
            .ok()?
    }
}
