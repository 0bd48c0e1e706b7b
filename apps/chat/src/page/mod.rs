//! The page: its files, embedded in the binary, and Markdown as a tree of elements, which it asks the server for. Knows
//! nothing of conversations.

mod assets;
mod call;
mod markdown;

use axum::Router;
use axum::routing::{get, post};

pub use self::markdown::{Node, format};

/// The page at `/`, its files beside it, and `POST /api/markdown`.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(assets::index))
        .route("/{file}", get(assets::file))
        .route("/api/markdown", post(markdown::handle))
}
