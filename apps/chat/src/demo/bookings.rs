//! Whoever takes the restaurant's bookings: a server that makes each once, by its key, and counts what it has really made.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::Client;
use serde_json::Value;

use crate::assistant::ToolOutcome;

/// The header with a booking's key.
const KEY: &str = "idempotency-key";

/// Between a booking and its answer: in this time servers die, and leave it open whether there was one.
const SLOW: Duration = Duration::from_millis(500);

/// The bookings so far.
#[derive(Clone, Debug)]
pub(super) struct Bookings {
    url: String,
    book: Arc<Mutex<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    keys: HashSet<String>,
    /// How many were made for each conversation.
    made: HashMap<String, usize>,
    repeated: usize,
}

impl Bookings {
    /// Starts to take them on a port of loopback, as long as the runtime runs.
    ///
    /// # Errors
    ///
    /// It can't listen.
    pub(super) fn start() -> io::Result<Self> {
        let listener = crate::server::listen(([127, 0, 0, 1], 0).into())?;
        let new = Self { url: format!("http://{}", listener.local_addr()?), book: Arc::default() };
        let router = Router::new().route("/", post(take)).with_state(new.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(new)
    }

    pub(super) fn url(&self) -> String {
        self.url.clone()
    }

    /// How many were made for a conversation.
    pub(super) fn of(&self, conversation: &str) -> usize {
        self.book().made.get(conversation).copied().unwrap_or_default()
    }

    /// How many were made.
    pub(super) fn made(&self) -> usize {
        self.book().made.values().sum()
    }

    /// How often one was asked for that had been made.
    pub(super) fn repeated(&self) -> usize {
        self.book().repeated
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn take(State(bookings): State<Bookings>, headers: HeaderMap) -> StatusCode {
    let Some(key) = headers.get(KEY).and_then(|key| key.to_str().ok()) else { return StatusCode::BAD_REQUEST };
    {
        let mut book = bookings.book();
        if book.keys.insert(key.to_owned()) {
            let conversation = key.split('/').next().unwrap_or_default().to_owned();
            *book.made.entry(conversation).or_default() += 1;
        } else {
            book.repeated += 1;
        }
    }
    tokio::time::sleep(SLOW).await;
    StatusCode::NO_CONTENT
}

/// Has the restaurant's bookings made at an address: each is posted there with its key.
pub fn book_at(
    url: String,
) -> impl Fn(String, Value) -> BoxFuture<'static, ToolOutcome> + Clone + Send + Sync + 'static {
    let client = Client::builder().no_proxy().build().map_err(|error| error.to_string());
    move |key, booking| {
        let (client, url) = (client.clone(), url.clone());
        async move {
            let request = client?.post(url).header(KEY, key).body(booking.to_string());
            let answer = request.send().await.and_then(reqwest::Response::error_for_status);
            answer.map(|_| booking).map_err(|error| format!("the table can't be booked: {error}"))
        }
        .boxed()
    }
}
