//! What one server counts: as `OpenMetrics` text at `/metrics`, and as a line of its log.
//!
//! Eight numbers without labels: their text is shorter than the use of a crate for it.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use super::App;

/// How often there is a line, if there is something new to say.
const LINE: Duration = Duration::from_secs(60);

/// What is sent to clients, and what begins here.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// Turns that began here.
    pub(super) turns: AtomicU64,
    /// Streams to clients that are open.
    pub(super) streams: AtomicU64,
    /// Bytes of events that were sent.
    pub(super) sent: AtomicU64,
}

impl Traffic {
    pub(super) fn add(counter: &AtomicU64, more: u64) {
        counter.fetch_add(more, Relaxed);
    }

    pub(super) fn take(counter: &AtomicU64) {
        counter.fetch_sub(1, Relaxed);
    }
}

/// A number: its name, whether it only grows, what it is, and its value.
type Metric = (&'static str, bool, &'static str, u64);

fn metrics(app: &App) -> [Metric; 8] {
    let (counts, of) = (app.store.counts(), |counter: &AtomicU64| counter.load(Relaxed));
    [
        ("open_turns", false, "Turns that run here", app.hub.running()),
        ("open_streams", false, "Streams to clients", of(&app.traffic.streams)),
        ("lag_events", false, "Events told here that no reader has taken yet", app.hub.lag()),
        ("turns", true, "Turns that began here", of(&app.traffic.turns)),
        ("claims", true, "Turns taken over from other servers", counts.claims),
        ("refused_commits", true, "Writes refused, as another server has the turn", counts.refused),
        ("stored_bytes", true, "Bytes written to Redis", counts.bytes),
        ("sent_bytes", true, "Bytes of events sent to clients", of(&app.traffic.sent)),
    ]
}

/// `GET /metrics`.
pub(super) async fn serve(State(app): State<Arc<App>>) -> impl IntoResponse {
    let mut text = String::new();
    for (name, grows, help, value) in metrics(&app) {
        let (kind, suffix) = if grows { ("counter", "_total") } else { ("gauge", "") };
        let lines = format!("# HELP chat_{name} {help}.\n# TYPE chat_{name} {kind}\nchat_{name}{suffix} {value}\n");
        text.push_str(&lines);
    }
    text.push_str("# EOF\n");
    ([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
}

/// Logs a line now and then, until dropped.
pub(super) async fn log(app: &App) {
    let mut before = metrics(app);
    loop {
        tokio::time::sleep(LINE).await;
        let now = metrics(app);
        if now == before {
            continue;
        }
        let mut line = String::new();
        for (name, _, _, value) in now {
            let _ = write!(line, " {name}={value}");
        }
        tracing::info!("counters:{line}");
        before = now;
    }
}
