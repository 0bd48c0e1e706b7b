//! The response to a request that gets no stream: a status, and the reason in JSON.

use std::error::Error;

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::provider::innermost;
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

impl From<JsonRejection> for Refusal {
    fn from(rejection: JsonRejection) -> Self {
        let unsupported = "The request has to be JSON, with the content type application/json.";
        match rejection.status() {
            status @ StatusCode::PAYLOAD_TOO_LARGE => Self::new(status, "too_large", "The request is too long."),
            status @ StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::new(status, "unsupported_media_type", unsupported),
            StatusCode::UNPROCESSABLE_ENTITY => Self::invalid(unreadable(&rejection)),
            status => Self::new(status, "invalid_json", unreadable(&rejection)),
        }
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(unreadable(&rejection))
    }
}

fn unreadable(rejection: &dyn Error) -> String {
    format!("The request can't be read: {}.", innermost(rejection))
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"error": {"kind": self.kind, "message": self.message}}))).into_response()
    }
}
