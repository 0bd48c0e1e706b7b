//! `POST /api/playground`: how many of its requests are worked on at once, and how their answers leave.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::json;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::playground::{Request, run};
use crate::fields::{Fields, Unreadable};

/// How many answers are made or sent at once. With the bound of each, that is how much memory they take in all.
const MOST: usize = 8;
static PLACES: Semaphore = Semaphore::const_new(MOST);

/// An answer leaves in pieces of so many bytes, so that its place is free only when it has left.
const PIECE: usize = 64 << 10;

pub(super) async fn handle(headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    let request = match Fields::of_body(&headers, body).and_then(read) {
        Ok(request) => request,
        Err(unreadable) => return refuse(unreadable.status(), &unreadable.to_string()),
    };
    let failed = || refuse(StatusCode::INTERNAL_SERVER_ERROR, "the playground failed");
    let Ok(place) = PLACES.acquire().await else { return failed() };
    // A request's worth of work is bounded, but it is work: not on a thread that serves streams. The place goes with it,
    // as the work goes on even if nobody waits for it any more.
    let work = move || (run(&request).map(|steps| serde_json::to_vec(&steps)), place);
    match tokio::task::spawn_blocking(work).await {
        Ok((Ok(Ok(answer)), place)) => {
            ([(header::CONTENT_TYPE, "application/json")], in_pieces(answer.into(), place)).into_response()
        }
        Ok((Err(message), _)) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &message),
        Ok((Ok(Err(_)), _)) | Err(_) => failed(),
    }
}

fn read(mut fields: Fields) -> Result<Request, Unreadable> {
    let json = fields.required("json", "a string")?;
    let patterns = fields.required("patterns", "an array of strings")?;
    let chunk = fields.required("chunk", "a whole number")?;
    fields.end().map(|()| Request { json, patterns, chunk })
}

/// A body that keeps its place until its last piece has been taken.
fn in_pieces(answer: Bytes, place: SemaphorePermit<'static>) -> Body {
    Body::from_stream(stream::unfold((answer, place), async |(mut rest, place)| {
        let piece = rest.split_to(PIECE.min(rest.len()));
        (!piece.is_empty()).then_some((Ok::<_, std::convert::Infallible>(piece), (rest, place)))
    }))
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"error": {"kind": "playground", "message": message}}))).into_response()
}
