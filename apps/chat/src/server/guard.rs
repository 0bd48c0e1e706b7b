//! The check of each request's host, and the header that keeps responses out of caches.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_state = request.uri().path().starts_with("/api/");
    let mut response = match app.hosts.check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    // Browsers cache even errors, such as 404 and 410, without it.
    if is_state || !response.headers().contains_key(CACHE_CONTROL) {
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    }
    response
}
