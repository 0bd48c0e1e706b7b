//! A stream's events as a response of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;

use super::replay::Replay;

/// How often a comment is sent when there is nothing else, so that a lost connection is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

pub(super) fn response(replay: Replay) -> Response {
    let events = stream::unfold(replay, async |mut replay| {
        let event = replay.next().await?;
        let sent = Event::default().event(event.event.as_str());
        let sent = if event.data.chunk_id > 0 { sent.id(event.data.chunk_id.to_string()) } else { sent };
        let data = serde_json::to_string(&event.data).expect("an envelope has string keys");
        Some((Ok::<_, Infallible>(sent.data(data)), replay))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
