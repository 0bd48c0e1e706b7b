//! The page: its files, embedded in the binary, and what it asks the server for: the playground's steps, and Markdown as
//! a tree of elements. Knows nothing of conversations.

mod assets;
mod markdown;
mod playground;
mod requests;
mod room;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

pub use self::markdown::{Node, format};
pub use self::playground::{MAX_TEXT, Request, Step, Steps, run};
pub use self::room::{MAX_ANSWER, MAX_ITEMS};

/// The playground's requests: its text with every character escaped, and the patterns.
const MOST_BODY: usize = 8 * MAX_TEXT;

/// The page at `/`, its files beside it, `POST /api/playground` and `POST /api/markdown`.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(assets::index))
        .route("/{file}", get(assets::file))
        .route("/api/markdown", post(markdown::handle))
        .route("/api/playground", post(requests::handle).layer(DefaultBodyLimit::max(MOST_BODY)))
}
