//! The server's routes.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use serde_json::json;

use super::guard::guard;
use super::refusal::Refusal;
use super::replay::{Replay, Rest};
use super::{App, sse, turn};
use crate::conversation::{Answers, Assistant, Conversation, Said};
use crate::fields::{Fields, Unreadable};
use crate::page;
use crate::store::{self, Begun};

/// The scripted model's name.
const SCRIPTED: &str = "scripted";

/// The field with a conversation's name.
const CONVERSATION: &str = "conversationId";

/// The longest name of a conversation.
const MOST_NAME: usize = 64;

pub(super) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/chat/send", post(send))
        .route("/api/chat/stream", get(stream))
        .route("/api/chat/stop", post(stop))
        .route("/api/chat/delete", post(delete))
        .route("/api/chat/check", post(check))
        .route("/api/about", get(about))
        .merge(page::routes())
        .fallback(async || Refusal::new(StatusCode::NOT_FOUND, "not_found", "There is nothing at this address."))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "This address takes no such request.")
        })
        .layer(DefaultBodyLimit::max(app.limits.body))
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// A request to send a message.
struct Send {
    conversation_id: String,
    message: String,
    /// The assistant; by default the conversation's own.
    assistant: Option<Assistant>,
    /// The options that were chosen for the shopping assistant's questions.
    answers: Answers,
}

impl Send {
    fn read(mut fields: Fields) -> Result<Self, Unreadable> {
        let read = Self {
            conversation_id: fields.required(CONVERSATION, "a string")?,
            message: fields.required("message", "a string")?,
            assistant: fields.optional("assistant", "`shopping`, `finance`, `restaurant` or `form`")?,
            answers: fields.optional("answers", "an object whose members are arrays of strings")?.unwrap_or_default(),
        };
        fields.end().map(|()| read)
    }
}

/// Begins a turn and streams it.
async fn send(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let Send { conversation_id, message, assistant, answers } = Send::read(Fields::of_body(&headers, body)?)?;
    check_name(&conversation_id)?;
    if message.trim().is_empty() {
        return Err(Refusal::invalid("The message is empty."));
    }
    let store::State { conversation, last } = app.store.load(&conversation_id).await?;
    let before = conversation.unwrap_or_else(|| Conversation::new(assistant.unwrap_or_default()));
    if assistant.is_some_and(|asked| asked != before.assistant) {
        return Err(Refusal::invalid("Another assistant answers in this conversation."));
    }
    let begun = Begun { before, said: Said { text: message, answers }, today: (app.assistants.today)() };
    let running = app.store.begin(&conversation_id, begun, last + 1).await?.ok_or_else(Refusal::busy)?;
    app.turns.spawn(turn::run(app.clone(), running));
    Ok(sse::response(Replay::of_turn(app, conversation_id, last)))
}

/// Resumes a stream after the client's last chunk id, given in the query or in the header `Last-Event-ID`.
async fn stream(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    query: Result<Query<Vec<(String, String)>>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(query) = query.map_err(|_| Refusal::invalid("The address's query can't be read."))?;
    let mut fields = Fields::of_query(query);
    let conversation_id: String = fields.required(CONVERSATION, "a string")?;
    let last_chunk_id = fields.optional::<String>("lastChunkId", "a string")?.map(|id| chunk_id(&id)).transpose()?;
    fields.end()?;
    check_name(&conversation_id)?;
    // A browser that reconnects keeps the address and sends the header, so the header is newer.
    let last = match headers.get("last-event-id") {
        Some(id) => Some(chunk_id(id.to_str().unwrap_or_default())?),
        None => last_chunk_id,
    };
    match Replay::after(app.clone(), conversation_id, last.unwrap_or_default()).await? {
        Rest::Events(replay) => Ok(sse::response(replay)),
        Rest::Nothing => Ok(StatusCode::NO_CONTENT.into_response()),
        Rest::Unknown => {
            Err(Refusal::new(StatusCode::GONE, "gone", "The conversation's stream has not come that far."))
        }
    }
}

/// Ends a turn. The text shown so far is saved as a stopped answer.
async fn stop(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<StatusCode, Refusal> {
    let conversation_id = only_name(&headers, body)?;
    let nothing = || Refusal::new(StatusCode::CONFLICT, "not_running", "There is no answer on its way.");
    // The turn is saved before the response.
    if end_turn(&app, &conversation_id).await? { Ok(StatusCode::NO_CONTENT) } else { Err(nothing()) }
}

/// Ends a turn, whichever server runs it, and waits for its end. Returns false if none runs.
async fn end_turn(app: &App, conversation_id: &str) -> Result<bool, Refusal> {
    let Some(first) = app.store.read(conversation_id, u64::MAX - 1).await?.running else { return Ok(false) };
    if !app.store.stop(conversation_id, first).await? {
        return Ok(false);
    }
    app.hub.nudge(conversation_id);
    while app.store.read(conversation_id, u64::MAX - 1).await?.running == Some(first) {
        app.hub.told(conversation_id, u64::MAX - 1).await;
    }
    Ok(true)
}

/// Deletes a conversation. A running turn ends first.
async fn delete(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<StatusCode, Refusal> {
    let conversation_id = only_name(&headers, body)?;
    end_turn(&app, &conversation_id).await?;
    app.store.delete(&conversation_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks a form that the person has changed by its schema.
async fn check(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<impl IntoResponse, Refusal> {
    let mut fields = Fields::of_body(&headers, body)?;
    let form: serde_json::Value = fields.required("form", "an object")?;
    fields.end()?;
    let errors = app.assistants.form.schema().check(&form).err().unwrap_or_default();
    Ok(([(CONTENT_TYPE, "application/json")], json!({"errors": errors}).to_string()))
}

/// The name of a conversation, where a request has nothing else to say.
fn only_name(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<String, Refusal> {
    let mut fields = Fields::of_body(headers, body)?;
    let name: String = fields.required(CONVERSATION, "a string")?;
    fields.end()?;
    check_name(&name)?;
    Ok(name)
}

/// Returns which model answers.
async fn about(State(app): State<Arc<App>>) -> impl IntoResponse {
    let model = &app.model;
    let about = json!({"model": model, "isScripted": model == SCRIPTED});
    ([(CONTENT_TYPE, "application/json")], about.to_string())
}

fn check_name(name: &str) -> Result<(), Refusal> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() || name.len() > MOST_NAME || !name.bytes().all(is_plain) {
        return Err(Refusal::invalid("A conversation's name has 1 to 64 letters, digits, `-` and `_`."));
    }
    Ok(())
}

fn chunk_id(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| Refusal::invalid("A chunk id is a whole number, as the stream's events have it."))
}
