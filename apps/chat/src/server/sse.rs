//! A stream's events as a response of server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;

use super::App;
use super::metrics::Traffic;
use super::replay::Replay;

/// How often a comment is sent when there is nothing else, so that a connection that is gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// A stream that is open, until this is dropped.
struct Open(Arc<App>);

impl Drop for Open {
    fn drop(&mut self) {
        Traffic::take(&self.0.traffic.streams);
    }
}

pub(super) fn response(app: Arc<App>, replay: Replay) -> Response {
    Traffic::add(&app.traffic.streams, 1);
    let events = stream::unfold((replay, Open(app)), async |(mut replay, open)| {
        let event = replay.next().await?;
        let sent = Event::default().event(event.event.as_str()).id(event.data.chunk_id.to_string());
        let data = serde_json::to_string(&event.data).expect("an envelope has string keys");
        Traffic::add(&open.0.traffic.sent, data.len() as u64);
        Some((Ok::<_, Infallible>(sent.data(data)), (replay, open)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
