//! The scripted provider: the Anthropic Messages protocol, and OpenAI's Chat Completions, over HTTP, without a model.
//!
//! It is a server of its own and known to the app by its base URL only. What it answers depends on what the user says
//! (`scripts/`) and on the tool results that come back; it refuses what the real service refuses (`check.rs`), and can be
//! asked for faults and recorded streams by words in the message (`directives.rs`).

mod body;
mod check;
mod dates;
mod directives;
mod frames;
mod intent;
mod journal;
mod openai;
mod process;
mod random;
mod replay;
mod script;
mod scripts;
mod turn;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use body::Delivery;
use check::Refusal;
pub use directives::{Directives, Fault, FaultKind};
pub use journal::{Journal, Seen};
pub use process::{Flags, RECORDINGS, ScriptedProcess, run};
pub use random::random_text;
use turn::Turn;

/// How the provider behaves when nothing else is asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Between two fragments.
    pub pause: Duration,
    /// Where recorded streams lie.
    pub recordings: Option<PathBuf>,
}

/// The real service takes 32 MB.
const MOST_BODY: usize = 32 << 20;

/// Of how many texts it is known how often they were asked.
const MOST_ASKED: usize = 4096;

/// A provider that runs, as a task, until this is dropped.
#[derive(Debug)]
pub struct ScriptedProvider {
    address: SocketAddr,
    journal: Arc<Journal>,
    task: tokio::task::JoinHandle<io::Result<()>>,
}

impl ScriptedProvider {
    /// Starts one on a port of loopback; 0 is any free one.
    ///
    /// # Errors
    ///
    /// The port can't be had.
    pub async fn start(port: u16, options: Options) -> io::Result<Self> {
        let listener = crate::server::listen(SocketAddr::from(([127, 0, 0, 1], port)))?;
        let address = listener.local_addr()?;
        let journal = Arc::<Journal>::default();
        let task = tokio::spawn(serve(listener, options, journal.clone()));
        Ok(Self { address, journal, task })
    }

    /// The base URL, for the app.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it has seen and sent.
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
    options: Options,
    journal: Arc<Journal>,
    /// How often a text with faults has been asked.
    asked: Mutex<HashMap<String, usize>>,
    answers: AtomicU64,
}

async fn serve(listener: TcpListener, options: Options, journal: Arc<Journal>) -> io::Result<()> {
    let service = Service { options, journal, asked: Mutex::default(), answers: AtomicU64::new(0) };
    let router = Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/chat/completions", post(completions))
        .fallback(async || refuse(&Refusal { status: 404, message: "Not Found".to_owned() }, Wire::Messages))
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .with_state(Arc::new(service));
    axum::serve(listener, router).await
}

/// Which protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wire {
    Messages,
    /// Chat Completions; the stream ends with a count of tokens, if that is wanted.
    Completions {
        has_usage: bool,
    },
}

async fn messages(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    let read = check::headers(&headers).and_then(|()| check::json(&body)).map(|value| (value, Wire::Messages));
    service.respond(read, Wire::Messages)
}

async fn completions(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    let read = openai::headers(&headers).and_then(|()| check::json(&body)).and_then(|value| {
        Ok((openai::translated(&value)?, Wire::Completions { has_usage: openai::wants_usage(&value) }))
    });
    service.respond(read, Wire::Completions { has_usage: false })
}

impl Service {
    fn respond(&self, read: Result<(Value, Wire), Refusal>, wire: Wire) -> Response {
        self.journal.came();
        read.and_then(|(value, wire)| self.answer(value, wire)).unwrap_or_else(|refusal| {
            self.journal.refused(&refusal.message);
            refuse(&refusal, wire)
        })
    }

    fn answer(&self, value: Value, wire: Wire) -> Result<Response, Refusal> {
        let (request, value) = check::body(value)?;
        self.journal.accepted(value);
        let text = turn::last_text(&request);
        let invalid = |message| Refusal { status: 400, message };
        let directives = Directives::read(&text);
        let turn = Turn::new(&request, &text);
        let faults = self.faults(&text, &turn, &directives);
        if let Some(status) =
            faults.iter().find_map(|fault| if let FaultKind::Status(it) = fault { Some(*it) } else { None })
        {
            return Err(Refusal { status, message: "asked for".to_owned() });
        }
        // What would be told in the stream is a status before there is one.
        for (fault, status) in [(FaultKind::Overloaded, 529), (FaultKind::Break, 500)] {
            if !request.stream && faults.contains(&fault) {
                return Err(Refusal { status, message: "asked for".to_owned() });
            }
        }
        let frames = match &directives.replay {
            Some(_) if !request.stream => return Err(invalid("stream: a recorded stream is streamed".to_owned())),
            Some(_) if wire != Wire::Messages => {
                return Err(invalid("a recorded stream is one of the Messages protocol".to_owned()));
            }
            Some(file) if turn.round == 1 => {
                frames::of_recording(replay::frames(self.options.recordings.as_deref(), file).map_err(invalid)?)
            }
            _ => {
                let id = format!("msg_{:06}", self.answers.fetch_add(1, Ordering::Relaxed));
                let answer = script::answer(&turn, &directives, &faults);
                match (wire, request.stream) {
                    (Wire::Messages, true) => frames::of_answer(answer, &id, &faults),
                    (Wire::Messages, false) => frames::of_body(frames::of_whole(&answer, &id), &faults),
                    (Wire::Completions { has_usage }, true) => openai::of_answer(answer, &id, &faults, has_usage),
                    (Wire::Completions { .. }, false) => frames::of_body(openai::of_whole(&answer, &id), &faults),
                }
            }
        };
        let delivery = Delivery {
            pause: directives.slow.unwrap_or(self.options.pause),
            chop: directives.chop,
            cut: faults.iter().find_map(|fault| if let FaultKind::Cut(at) = fault { Some(*at) } else { None }),
            hold: directives.hold,
        };
        let body = body::body(frames, delivery, self.journal.clone().opened());
        let content_type = if request.stream { "text/event-stream; charset=utf-8" } else { "application/json" };
        Ok(respond(StatusCode::OK, content_type, body))
    }

    /// The faults that strike this request.
    fn faults(&self, text: &str, turn: &Turn<'_>, directives: &Directives) -> Vec<FaultKind> {
        if directives.faults.is_empty() {
            return Vec::new();
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() == MOST_ASKED {
            asked.clear();
        }
        let times = asked.entry(text.to_owned()).or_default();
        *times += 1;
        let strikes = |fault: &&Fault| fault.round == turn.round && fault.times.is_none_or(|most| *times <= most);
        directives.faults.iter().filter(strikes).map(|fault| fault.kind).collect()
    }
}

fn refuse(refusal: &Refusal, wire: Wire) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = match wire {
        Wire::Messages => json!({
            "type": "error", "error": {"type": refusal.kind(), "message": refusal.message}, "request_id": "req_scripted"
        }),
        Wire::Completions { .. } => openai::error(refusal),
    };
    respond(status, "application/json", Body::from(error.to_string()))
}

fn respond(status: StatusCode, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
    response
}
