//! The page: its files, embedded in the binary. Knows nothing of conversations.

mod assets;
mod call;
mod code;

use axum::Router;
use axum::routing::get;

/// Returns the routes of the page at `/` and of its files.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/", get(assets::index)).route("/{file}", get(assets::file))
}
