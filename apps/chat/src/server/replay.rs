//! A conversation's events for one client, each once and in order, whichever server sends them.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::json;

use super::App;
use super::refusal::Refusal;
use crate::store::Tail;
use crate::wire::{Envelope, Event, EventName, MessageType};

/// How often a comment is sent when there is nothing else, so that a lost connection is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// The events after a chunk id.
#[derive(Debug)]
pub(super) struct Replay {
    app: Arc<App>,
    id: String,
    after: u64,
    ready: VecDeque<Event>,
    /// Set if the stream ends with the end of one turn.
    is_one_turn: bool,
    is_over: bool,
    /// Since when no server has held the turn.
    unheld: Option<Instant>,
}

impl Replay {
    /// Returns the events of a turn that has just begun.
    pub(super) fn of_turn(app: Arc<App>, id: String, after: u64) -> Self {
        Self { app, id, after, ready: VecDeque::new(), is_one_turn: true, is_over: false, unheld: None }
    }

    /// Returns what there is after a chunk id, or `None` if the client has all of it and no turn is running. Refuses a chunk
    /// id that has not been used.
    pub(super) async fn after(app: Arc<App>, id: String, after: u64) -> Result<Option<Self>, Refusal> {
        let Tail { events, last, running, .. } = app.store.read(&id, after).await?;
        if after > last {
            return Err(Refusal::new(StatusCode::GONE, "gone", "The conversation's stream has not come that far."));
        }
        if events.is_empty() && running.is_none() {
            return Ok(None);
        }
        Ok(Some(Self { ready: events.into(), is_one_turn: false, ..Self::of_turn(app, id, after) }))
    }

    /// Returns the events as a response of server-sent events.
    pub(super) fn into_response(self) -> Response {
        let events = stream::unfold(self, async |mut replay| {
            let event = replay.next().await?;
            let sent = sse::Event::default().event(event.event.as_str());
            let sent = if event.data.chunk_id > 0 { sent.id(event.data.chunk_id.to_string()) } else { sent };
            let data = serde_json::to_string(&event.data).expect("an envelope has string keys");
            Some((Ok::<_, Infallible>(sent.data(data)), replay))
        });
        Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
    }

    /// Returns the next event, or `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        while !self.is_over {
            if let Some(event) = self.ready.pop_front() {
                self.after = event.data.chunk_id;
                self.is_over = self.is_one_turn && event.event.ends_stream();
                return Some(event);
            }
            match self.app.store.read(&self.id, self.after).await {
                Ok(tail) if !tail.events.is_empty() => (self.ready, self.unheld) = (tail.events.into(), None),
                Ok(tail) if tail.running.is_none() => return None,
                Ok(tail) => {
                    let is_here = self.app.hub.told(&self.id, self.after).await;
                    if !is_here && self.app.stopping.is_cancelled() {
                        return None;
                    }
                    self.unheld = if tail.is_held { None } else { self.unheld.or_else(|| Some(Instant::now())) };
                    // A server that can write would have taken the turn over.
                    if self.unheld.is_some_and(|since| since.elapsed() > 3 * self.app.limits.lease) {
                        return Some(self.fail());
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "a stream can't be read");
                    return Some(self.fail());
                }
            }
        }
        None
    }

    /// Ends this stream. The event has no chunk id, as it is stored nowhere: the client can come back after the last one.
    fn fail(&mut self) -> Event {
        self.is_over = true;
        let props =
            json!({"kind": "store_failed", "message": "The answer can't be read or stored just now. Try again."});
        Event::new(EventName::Error, Envelope::whole(MessageType::Error, props))
    }
}
