//! The scripted provider: the Anthropic Messages protocol over HTTP, without a model.
//!
//! It is a server of its own, and the app knows only its base URL. It plays a few scenes (`scenes.rs`), refuses requests
//! that the real service refuses (`request.rs`), and produces faults and test answers on demand (`directives.rs`).

mod directives;
mod journal;
mod random;
mod request;
mod scenes;
mod send;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::post;
use serde_json::json;
use tokio::net::TcpListener;

use directives::Directives;
use journal::OpenStream;
pub use journal::{Journal, Seen};
pub use random::random_text;
use request::{Refusal, Request, Turn};

/// The number of requests, and of refusals, that the journal keeps.
const MOST_REQUESTS: usize = 64;

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
        let address = listener.local_addr()?;
        let journal = Arc::<Journal>::default();
        let task = tokio::spawn(serve(listener, pause, journal.clone()));
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

struct Service {
    pause: Duration,
    journal: Arc<Journal>,
    /// The number of requests with each text that may have directives.
    asked: Mutex<HashMap<String, usize>>,
    answers: AtomicU64,
}

async fn serve(listener: TcpListener, pause: Duration, journal: Arc<Journal>) -> io::Result<()> {
    let service = Service { pause, journal, asked: Mutex::default(), answers: AtomicU64::new(0) };
    let router = Router::new()
        .route("/v1/messages", post(messages))
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .with_state(Arc::new(service));
    axum::serve(listener, router).await
}

async fn messages(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    service.journal.note(|seen| seen.count += 1);
    service.answer(&headers, &body).unwrap_or_else(|refusal| {
        service.journal.note(|seen| keep(&mut seen.refusals, refusal.message.clone()));
        let error = json!({"type": refusal.kind(), "message": refusal.message});
        let body = json!({"type": "error", "error": error, "request_id": "req_scripted"}).to_string();
        respond(StatusCode::from_u16(refusal.status).unwrap_or_default(), "application/json", Body::from(body))
    })
}

impl Service {
    fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Result<Response, Refusal> {
        let (request, value) = Request::read(headers, body)?;
        self.journal.note(|seen| keep(&mut seen.requests, value));
        let turn = Turn::new(&request);
        let directives = Directives::read(&turn.line, turn.round, self.nth(&turn.line));
        if let Some(status) = directives.number("status").and_then(|status| u16::try_from(status).ok()) {
            return Err(Refusal { status, message: "the message asked for this status".to_owned() });
        }
        let id = format!("msg_{:06}", self.answers.fetch_add(1, Ordering::Relaxed));
        let frames = send::frames(scenes::answer(&turn, &directives), &id, &directives);
        let slow = directives.number("slow").map(|slow| Duration::from_millis(slow as u64));
        let open = OpenStream::of(self.journal.clone());
        let body = send::body(frames, slow.unwrap_or(self.pause), &directives, open);
        Ok(respond(StatusCode::OK, "text/event-stream; charset=utf-8", body))
    }

    /// Counts the requests with this text, if it may have directives.
    fn nth(&self, line: &str) -> usize {
        if !line.contains('#') {
            return 1;
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let times = asked.entry(line.to_owned()).or_default();
        *times += 1;
        *times
    }
}

/// Appends to a list, which keeps the newest ones.
fn keep<T>(list: &mut Vec<T>, new: T) {
    let old = list.len().saturating_sub(MOST_REQUESTS - 1);
    list.drain(..old);
    list.push(new);
}

fn respond(status: StatusCode, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
    response
}
