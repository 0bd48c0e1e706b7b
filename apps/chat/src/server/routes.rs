//! The server's routes.

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::Deserialize;
use serde_json::json;

use super::App;
use super::hosts::guard;
use super::refusal::Refusal;
use super::replay::Replay;
use crate::conversation::{Answers, Assistant, Conversation, Said};
use crate::page;
use crate::store::{self, Begun};

/// The scripted model's name.
const SCRIPTED: &str = "scripted";

/// The longest name of a conversation.
const MOST_NAME: usize = 64;

pub(super) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/api/chat/send", post(send))
        .route("/api/chat/stream", get(stream))
        .route("/api/chat/stop", post(stop))
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

/// A request's body, which is JSON.
type Body<T> = Result<Json<T>, JsonRejection>;

/// A conversation's name.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match (1..=MOST_NAME).contains(&name.len()) && name.bytes().all(is_plain) {
            true => Ok(Self(name)),
            false => Err("a conversation's name has 1 to 64 letters, digits, `-` and `_`"),
        }
    }
}

/// A request to send a message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
struct Send {
    conversation_id: Name,
    message: String,
    /// The assistant; by default the conversation's own.
    assistant: Option<Assistant>,
    /// The options that were chosen for the shopping assistant's questions.
    answers: Option<Answers>,
}

/// A request that names a conversation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
struct Of {
    conversation_id: Name,
}

/// A request for a conversation's stream.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Resume {
    conversation_id: Name,
    last_chunk_id: Option<u64>,
}

/// A form that the person has changed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct Check {
    form: serde_json::Value,
}

/// Begins a turn and streams it.
async fn send(State(app): State<Arc<App>>, body: Body<Send>) -> Result<Response, Refusal> {
    let Json(Send { conversation_id: Name(conversation_id), message, assistant, answers }) = body?;
    if message.trim().is_empty() {
        return Err(Refusal::invalid("The message is empty."));
    }
    let store::State { conversation, last } = app.store.load(&conversation_id).await?;
    let before = conversation.unwrap_or_else(|| Conversation::new(assistant.unwrap_or_default()));
    if assistant.is_some_and(|asked| asked != before.assistant) {
        return Err(Refusal::invalid("Another assistant answers in this conversation."));
    }
    let begun = Begun {
        before,
        said: Said { text: message, answers: answers.unwrap_or_default() },
        today: (app.assistants.today)(),
    };
    let running = app.store.begin(&conversation_id, begun, last + 1).await?.ok_or_else(Refusal::busy)?;
    app.spawn(running);
    Ok(Replay::of_turn(app, conversation_id, last).into_response())
}

/// Resumes a stream after the client's last chunk id, given in the query or in the header `Last-Event-ID`.
async fn stream(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    query: Result<Query<Resume>, QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(Resume { conversation_id: Name(conversation_id), last_chunk_id }) = query?;
    // A browser that reconnects keeps the address and sends the header, so the header is newer.
    let last = match headers.get("last-event-id") {
        Some(id) => {
            let id = id.to_str().ok().and_then(|id| id.parse().ok());
            Some(id.ok_or_else(|| Refusal::invalid("The header `Last-Event-ID` is not a chunk id."))?)
        }
        None => last_chunk_id,
    };
    let replay = Replay::after(app, conversation_id, last.unwrap_or_default()).await?;
    Ok(replay.map_or_else(|| StatusCode::NO_CONTENT.into_response(), Replay::into_response))
}

/// Ends a turn, whichever server runs it, and waits for its end. Nothing of it is saved.
async fn stop(State(app): State<Arc<App>>, body: Body<Of>) -> Result<StatusCode, Refusal> {
    let Json(Of { conversation_id: Name(id) }) = body?;
    let running = async || Ok::<_, Refusal>(app.store.read(&id, u64::MAX - 1).await?.running);
    let first = running().await?;
    let is_running = if let Some(first) = first { app.store.stop(&id, first).await? } else { false };
    if !is_running {
        return Err(Refusal::new(StatusCode::CONFLICT, "not_running", "There is no answer on its way."));
    }
    app.hub.nudge(&id);
    while running().await? == first {
        app.hub.told(&id, u64::MAX - 1).await;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Checks a form that the person has changed by its schema.
async fn check(State(app): State<Arc<App>>, body: Body<Check>) -> Result<Json<serde_json::Value>, Refusal> {
    let Json(Check { form }) = body?;
    let errors = app.assistants.form.schema().check(&form).err().unwrap_or_default();
    Ok(Json(json!({"errors": errors})))
}

/// Returns which model answers.
async fn about(State(app): State<Arc<App>>) -> Json<serde_json::Value> {
    let model = &app.model;
    Json(json!({"model": model, "isScripted": model == SCRIPTED}))
}
