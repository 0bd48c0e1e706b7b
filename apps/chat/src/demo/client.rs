//! The clients: each has one conversation, comes back when its connection breaks, and notes what a person sees.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Bytes;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use sse_core::{SseDecoder, SseEvent};

use super::{Tally, count};
use crate::wire::{Envelope, Merger, MessageType};

/// Before a client comes back.
const PAUSE: Duration = Duration::from_millis(100);

/// Who is asked what, and how many bookings that makes. The conversations take turns at them.
const SAID: [(&str, &str, usize); 5] = [
    ("finance", "#random:", 0),
    ("restaurant", "Find italian dinner and book", 1),
    ("finance", "Compare travel and get advice", 0),
    ("shopping", "I want chips for a party", 0),
    ("form", "Wrong at first: four days around the Øresund", 0),
];

/// How long a random text is.
const CHARACTERS: usize = 600;

/// What a person sees in the end: the messages, and how the stream ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    messages: Vec<Value>,
    last_word: Value,
}

/// Clients of one address.
#[derive(Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    base_url: String,
    tally: Arc<Tally>,
}

/// The name of a conversation.
pub(super) fn name(number: usize) -> String {
    format!("demo-{number}")
}

/// How many bookings a conversation makes.
pub(super) fn bookings(number: usize) -> usize {
    SAID[number % SAID.len()].2
}

/// A stream as far as it has come.
#[derive(Default)]
struct Stream {
    merger: Merger,
    last_word: Option<Value>,
}

impl Client {
    pub(super) fn new(base_url: &str, tally: Arc<Tally>) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build()?;
        Ok(Self { http, base_url: base_url.to_owned(), tally })
    }

    /// Has a conversation, over as many connections as it takes.
    pub(super) async fn converse(&self, number: usize) -> Seen {
        self.tally.open.fetch_add(1, Ordering::Relaxed);
        let (mut stream, mut has_begun) = (Stream::default(), false);
        let last_word = loop {
            match if has_begun { self.come_back(number, &stream).await } else { self.send(number).await } {
                // Whoever hears nothing does not know whether it has begun.
                Err(_) | Ok(None) if !has_begun => {
                    has_begun = matches!(self.come_back(number, &stream).await, Ok(Some(_)));
                }
                Ok(Some(response)) => {
                    has_begun = true;
                    stream.read(response, &self.tally).await;
                }
                _ => {}
            }
            if let Some(last_word) = stream.last_word.take() {
                break last_word;
            }
            count(&self.tally.breaks);
            tokio::time::sleep(PAUSE).await;
        };
        self.tally.open.fetch_sub(1, Ordering::Relaxed);
        count(&self.tally.answered);
        let messages = stream.merger.messages().map(|message| {
            let mut message = json!(message);
            // Where it stands depends on what was taken back before it.
            message.as_object_mut().map(|message| message.remove("chunk_id"));
            message
        });
        Seen { messages: messages.collect(), last_word }
    }

    async fn send(&self, number: usize) -> reqwest::Result<Option<Response>> {
        let (assistant, said, _) = SAID[number % SAID.len()];
        let message = match said.ends_with(':') {
            true => format!("{said}{number}:{CHARACTERS}"),
            false => said.to_owned(),
        };
        let body = json!({"conversationId": name(number), "assistant": assistant, "message": message}).to_string();
        let request =
            self.http.post(format!("{}/api/chat/send", self.base_url)).header("content-type", "application/json");
        Ok(Some(request.body(body).send().await?).filter(|response| response.status() == StatusCode::OK))
    }

    async fn come_back(&self, number: usize, stream: &Stream) -> reqwest::Result<Option<Response>> {
        let url = format!("{}/api/chat/stream?conversationId={}", self.base_url, name(number));
        let request = self.http.get(url).header("last-event-id", stream.merger.last_chunk_id().to_string());
        Ok(Some(request.send().await?).filter(|response| response.status() == StatusCode::OK))
    }
}

impl Stream {
    /// Reads until the connection ends.
    async fn read(&mut self, mut response: Response, tally: &Tally) {
        let mut decoder = SseDecoder::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            let mut chunk: Bytes = chunk;
            while let Some(Ok(event)) = decoder.next(&mut chunk) {
                let SseEvent::Message(message) = event else { continue };
                let Ok(envelope) = serde_json::from_str::<Envelope>(&message.data) else { continue };
                if envelope.message_type == MessageType::Cut {
                    count(&tally.cuts);
                }
                if message.event == "done" || message.event == "error" {
                    self.last_word = Some(envelope.props.clone());
                }
                if let Err(error) = self.merger.apply(envelope) {
                    tracing::error!(%error, "what is told can't be merged");
                }
            }
        }
    }
}
