//! The scripted provider: the Anthropic Messages protocol over HTTP, without a model.
//!
//! It is a server of its own, and the app knows only its base URL. It plays a few scenes (`scenes.rs`), and produces faults
//! and test answers on demand (`directives.rs`).

mod directives;
mod journal;
mod random;
mod request;
mod scenes;
mod send;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use directives::Directives;
pub use journal::{Journal, Seen};
pub use random::random_text;
use request::{Request, Turn};

/// The real service accepts 32 MB.
const MOST_BODY: usize = 32 << 20;

/// A provider that runs as a task until it is dropped.
#[derive(Debug)]
pub struct ScriptedProvider {
    address: SocketAddr,
    journal: Arc<Journal>,
    task: tokio::task::JoinHandle<io::Result<()>>,
}

impl ScriptedProvider {
    /// Starts a provider on a free port of loopback, with this pause between two fragments.
    ///
    /// # Errors
    ///
    /// Fails if no port is available.
    pub async fn start(pause: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (address, journal) = (listener.local_addr()?, Arc::<Journal>::default());
        let router = Router::new().route("/v1/messages", post(messages)).layer(DefaultBodyLimit::max(MOST_BODY));
        let router = router.with_state((journal.clone(), pause));
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, journal, task })
    }

    /// Returns the base URL.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the record of requests and answers.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Drop for ScriptedProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn messages(
    State((journal, pause)): State<(Arc<Journal>, Duration)>,
    Json(body): Json<Value>,
) -> Result<Response, StatusCode> {
    let request = Request::deserialize(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let (turn, (number, nth)) = (Turn::new(&request), journal.ask(body));
    let directives = Directives::read(turn.line, turn.round, nth);
    if let Some(status) = directives.number("status") {
        let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        let error = json!({"type": "api_error", "message": "the message asked for this status"});
        return Ok((status.unwrap_or_default(), Json(json!({"type": "error", "error": error}))).into_response());
    }
    let frames = send::frames(scenes::answer(&turn, &directives), number, &directives);
    let pause = directives.number("slow").map_or(pause, |slow| Duration::from_millis(slow as u64));
    let body = send::body(frames, pause, directives, journal);
    Ok(([(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")], body).into_response())
}
