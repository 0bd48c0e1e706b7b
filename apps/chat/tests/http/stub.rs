//! A provider that gives each request the next of some answers, in both protocols.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use axum::routing::post;
use chat::config::Protocol;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// A provider's response. The last one of a list is repeated.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    /// Nothing comes after the body, but it does not end.
    pub(crate) stalls: bool,
}

impl Answer {
    pub(crate) fn streaming(events: &[Value]) -> Self {
        let body = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        Self { status: 200, headers: vec![("content-type", "text/event-stream".to_owned())], body, stalls: false }
    }

    fn json(status: u16, body: &Value) -> Self {
        // Over several lines, as some servers write it.
        let body = serde_json::to_string_pretty(body).unwrap();
        let headers = vec![("content-type", "application/json; charset=utf-8".to_owned())];
        Self { status, headers, body, stalls: false }
    }

    /// Returns no answer: the connection ends without a response.
    pub(crate) fn lost() -> Self {
        Self::json(0, &Value::Null)
    }

    pub(crate) fn refusing(status: u16, message: &str) -> Self {
        Self::json(status, &json!({"type": "error", "error": {"type": "x", "message": message}}))
    }

    /// Returns a streamed answer of text with this stop reason, in the protocol's format.
    pub(crate) fn text(protocol: Protocol, text: &str, reason: &str) -> Self {
        match protocol {
            Protocol::Anthropic => {
                let delta =
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
                let block =
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
                let mut events = vec![json!({"type": "message_start", "message": {"id": "m", "content": []}})];
                if !text.is_empty() {
                    events.extend([block, delta, json!({"type": "content_block_stop", "index": 0})]);
                }
                events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {}}));
                events.push(json!({"type": "message_stop"}));
                Self::streaming(&events)
            }
            Protocol::OpenAi => Self::streaming(&[
                json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]}),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
            ]),
        }
    }

    /// Returns an answer of text that does not stream.
    pub(crate) fn whole(protocol: Protocol, text: &str) -> Self {
        Self::json(
            200,
            &match protocol {
                Protocol::Anthropic => json!({"id": "m", "type": "message", "role": "assistant", "model": "m",
                    "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": {}}),
                Protocol::OpenAi => json!({"object": "chat.completion", "choices": [{"index": 0,
                    "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}),
            },
        )
    }
}

type Shared = Arc<Mutex<(VecDeque<Answer>, Vec<Value>)>>;

async fn answer(State(shared): State<Shared>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let has_key = match uri.path() {
        "/v1/messages" => header("x-api-key") == "key" && header("anthropic-version") == "2023-06-01",
        _ => header("authorization") == "Bearer key",
    };
    assert!(has_key && header("content-type") == "application/json", "{headers:?}");
    let next = {
        let (answers, asked) = &mut *shared.lock().unwrap();
        asked.push(serde_json::from_slice(&body).unwrap());
        let next = answers.pop_front().unwrap();
        if answers.is_empty() {
            answers.push_back(next.clone());
        }
        next
    };
    let Answer { status, headers, body, stalls } = next;
    // The connection goes with the task.
    assert_ne!(status, 0, "no response, as asked");
    if body.is_empty() && stalls {
        // Not even a head.
        std::future::pending::<()>().await;
    }
    let begun = futures::stream::once(async move { Ok::<_, std::convert::Infallible>(body) });
    let body =
        if stalls { Body::from_stream(begun.chain(futures::stream::pending())) } else { Body::from_stream(begun) };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}

/// A provider with these answers, until it is dropped.
pub(crate) struct Stub {
    pub(crate) base_url: String,
    shared: Shared,
    task: JoinHandle<std::io::Result<()>>,
}

impl Stub {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let shared = Shared::new(Mutex::new((answers.into_iter().collect(), Vec::new())));
        let router = Router::new().route("/v1/messages", post(answer)).route("/chat/completions", post(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let served = router.with_state(shared.clone());
        let task = tokio::spawn(async move { axum::serve(listener, served).await });
        Self { base_url, shared, task }
    }

    /// Returns the bodies of the requests.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.shared.lock().unwrap().1.clone()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}
