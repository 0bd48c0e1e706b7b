//! The checks of every request: its host, its time limit, and the header that keeps responses out of caches.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONNECTION};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::refusal::Refusal;

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_state = request.uri().path().starts_with("/api/");
    let mut response = match app.hosts.check(&request) {
        Ok(()) => in_time(&app, request, next).await,
        Err(refusal) => refusal.into_response(),
    };
    // Browsers cache even errors, such as 404 and 410, without it.
    if is_state || !response.headers().contains_key(CACHE_CONTROL) {
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    }
    response
}

/// Returns the response if it begins in time. A stream may then take any time.
async fn in_time(app: &App, request: Request, next: Next) -> Response {
    let longest = app.limits.request;
    tokio::time::timeout(longest, next.run(request)).await.unwrap_or_else(|_| {
        let words = format!("The request did not arrive, or was not answered, within {} ms.", longest.as_millis());
        let refusal = Refusal::new(StatusCode::REQUEST_TIMEOUT, "too_slow", words);
        // The rest of its body may still come, and would be taken for the next request.
        ([(CONNECTION, "close")], refusal).into_response()
    })
}
