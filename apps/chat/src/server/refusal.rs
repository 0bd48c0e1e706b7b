//! The response to a request that gets no stream: a status, and the reason in JSON.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::fields::Unreadable;
use crate::store::StoreError;

/// A request that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    status: StatusCode,
    kind: &'static str,
    message: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into() }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", message)
    }

    pub(super) fn busy() -> Self {
        Self::new(StatusCode::CONFLICT, "busy", "an answer to this conversation is still on its way")
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "store_failed", "The conversation can't be read or stored.")
    }
}

impl From<Unreadable> for Refusal {
    fn from(unreadable: Unreadable) -> Self {
        let (status, kind) = unreadable.status();
        Self::new(status, kind, unreadable.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({"error": {"kind": self.kind, "message": self.message}}).to_string();
        (self.status, [(CONTENT_TYPE, "application/json")], body).into_response()
    }
}
