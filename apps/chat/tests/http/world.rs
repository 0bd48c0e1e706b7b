//! A whole world for each test: the scripted provider, the server and a database, on free ports; and what a client sees.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use chat::assistant::Assistants;
use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::{Journal, ScriptedProvider};
use chat::server::Server;
use chat::wire::{Event, EventName, MessageType};
use chrono::NaiveDate;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::merge::{Merger, Message};
use crate::sse::Events;

pub(crate) struct World {
    pub(crate) provider: ScriptedProvider,
    pub(crate) server: Option<Server>,
    pub(crate) client: Client,
    config: Config,
    _folder: TempDir,
}

/// Returns limits that no test waits for, and no busy machine exceeds. A test of one of them has its own.
pub(crate) fn limits() -> Limits {
    let long = Duration::from_secs(20);
    Limits { silence: long, tool: long, retry_pause: Duration::from_millis(2), ..Limits::default() }
}

/// Returns the configuration of a server that asks the provider at this address.
pub(crate) fn config(base_url: String, limits: Limits) -> Config {
    let (protocol, api_key, model) = (Protocol::Anthropic, "key".into(), "scripted".to_owned());
    let provider = ProviderConfig { protocol, base_url, api_key, model };
    Config { provider, database: None, redis: None, hosts: vec!["chat.example".to_owned()], limits }
}

/// Returns the day in all worlds.
pub(crate) fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 10, 31).unwrap()
}

/// Returns limits for a provider that falls silent.
pub(crate) fn impatient() -> Limits {
    Limits { silence: Duration::from_millis(300), ..limits() }
}

/// Starts the binary on a free port, with this database and pause, only these variables, and its log here. Returns its
/// address, too.
pub(crate) async fn start_binary(
    database: &Path,
    pause_ms: &str,
    variables: &[(&str, &str)],
    log: Stdio,
) -> (Child, String) {
    let mut app = Command::new(env!("CARGO_BIN_EXE_chat"))
        .args(["--port", "0", "--pause-ms", pause_ms, "--database"])
        .arg(database)
        .env_clear()
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(app.stdout.take().unwrap()).lines();
    (app, lines.next_line().await.unwrap().unwrap())
}

/// Returns a message to which the scripted model answers with this text.
pub(crate) fn saying(text: &str) -> String {
    format!("#say:{}", json!(text).to_string().trim_matches('"').replace(' ', "\\u0020"))
}

/// Sends a request with a JSON body.
pub(crate) async fn post(client: &Client, url: String, body: &Value) -> Response {
    client.post(url).header("content-type", "application/json").body(body.to_string()).send().await.unwrap()
}

/// Says something to the server at this address.
pub(crate) async fn say(base_url: &str, conversation: &str, assistant: &str, message: &str) -> Response {
    let body = json!({"conversationId": conversation, "assistant": assistant, "message": message});
    post(&Client::new(), format!("{base_url}/api/chat/send"), &body).await
}

/// Merges events as a client does. Fails if the client would wait for others.
pub(crate) fn merged<'e>(events: impl IntoIterator<Item = &'e Event>) -> Merger {
    let mut merger = Merger::default();
    for event in events {
        merger.apply(event.data.clone());
    }
    assert!(!merger.has_gap(), "it waits for nothing");
    merger
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::start_with(limits(), |assistants| assistants).await
    }

    /// Starts a world whose provider is another one, at this address.
    pub(crate) async fn at(protocol: Protocol, base_url: String, limits: Limits) -> Self {
        Self::build(Some((protocol, base_url)), limits, |assistants| assistants).await
    }

    pub(crate) async fn start_with(limits: Limits, change: impl FnOnce(Assistants) -> Assistants) -> Self {
        Self::build(None, limits, change).await
    }

    async fn build(
        other: Option<(Protocol, String)>,
        limits: Limits,
        change: impl FnOnce(Assistants) -> Assistants,
    ) -> Self {
        let provider = ScriptedProvider::start(Duration::ZERO).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let database = Some(folder.path().join("chat.sqlite3"));
        let mut config = Config { database, ..config(provider.base_url(), limits) };
        if let Some(other) = other {
            (config.provider.protocol, config.provider.base_url) = other;
        }
        let change = |assistants: Assistants| change(assistants.with_clock(today, &config.limits));
        let server = Server::start(([127, 0, 0, 1], 0).into(), config.clone(), change).unwrap();
        Self { provider, server: Some(server), client: Client::new(), config, _folder: folder }
    }

    /// Restarts the server on its database.
    pub(crate) fn restart(&mut self) {
        drop(self.server.take());
        let change = |assistants: Assistants| assistants.with_clock(today, &self.config.limits);
        self.server = Some(Server::start(([127, 0, 0, 1], 0).into(), self.config.clone(), change).unwrap());
    }

    pub(crate) fn journal(&self) -> &Journal {
        self.provider.journal()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.as_ref().unwrap().base_url())
    }

    pub(crate) async fn post(&self, conversation: &str, assistant: &str, message: &str) -> Response {
        say(&self.url(""), conversation, assistant, message).await
    }

    /// Asks another thing of the chat's addresses.
    pub(crate) async fn ask(&self, path: &str, body: &Value) -> Response {
        post(&self.client, self.url(path), body).await
    }

    /// Sends a message and reads the whole turn.
    pub(crate) async fn turn(&self, conversation: &str, assistant: &str, message: &str) -> Turn {
        Turn::read(self.post(conversation, assistant, message).await).await
    }

    pub(crate) async fn resume(&self, conversation: &str, last: u64) -> Response {
        let url = self.url(&format!("/api/chat/stream?conversationId={conversation}"));
        self.client.get(url).header("last-event-id", last.to_string()).send().await.unwrap()
    }

    /// Returns all events that a client receives that comes back with this chunk id.
    pub(crate) async fn rest(&self, conversation: &str, last: u64) -> Vec<Event> {
        let response = self.resume(conversation, last).await;
        if response.status() == 204 { Vec::new() } else { Stream::of(response).rest().await }
    }

    /// Returns every row that a turn may save, as an array. The stream's events are not among them.
    pub(crate) fn rows(&self) -> Vec<Value> {
        self.json(
            "SELECT json_array(id, assistant, context, session) FROM conversations
             UNION ALL SELECT json_array(conversation_id, position, message) FROM messages",
        )
    }

    /// Returns the values of a query of JSON texts.
    pub(crate) fn json(&self, sql: &str) -> Vec<Value> {
        let connection = rusqlite::Connection::open(self.config.database.as_ref().unwrap()).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(|text| serde_json::from_str(&text.unwrap()).unwrap()).collect()
    }

    /// Returns the number of events that are stored.
    pub(crate) fn events(&self) -> usize {
        self.json("SELECT event FROM events").len()
    }

    /// Returns the content of each stored message.
    pub(crate) fn stored(&self) -> Vec<Value> {
        self.json("SELECT json_extract(message, '$.content') FROM messages ORDER BY conversation_id, position")
    }

    pub(crate) fn execute(&self, sql: &str) {
        rusqlite::Connection::open(self.config.database.as_ref().unwrap()).unwrap().execute_batch(sql).unwrap();
    }
}

/// A stream as it arrives.
pub(crate) struct Stream {
    response: Response,
    decoder: Events,
    ready: Vec<Event>,
    pub(crate) raw: Vec<u8>,
}

impl Stream {
    pub(crate) fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
        Self { response, decoder: Events::default(), ready: Vec::new(), raw: Vec::new() }
    }

    /// Returns the next event; `None` at the end of the body.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        while self.ready.is_empty() {
            let chunk = tokio::time::timeout(Duration::from_secs(60), self.response.chunk());
            let chunk = chunk.await.expect("the server goes on").expect("the body is whole")?;
            self.take(&chunk);
        }
        Some(self.ready.remove(0))
    }

    fn take(&mut self, chunk: &[u8]) {
        self.raw.extend_from_slice(chunk);
        self.ready.extend(self.decoder.push(chunk));
    }

    /// Reads all events until the body ends or breaks off.
    pub(crate) async fn until_broken_off(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            while !self.ready.is_empty() {
                events.push(self.ready.remove(0));
            }
            let chunk = tokio::time::timeout(Duration::from_secs(60), self.response.chunk());
            let Ok(Some(chunk)) = chunk.await.expect("the server goes on") else { return events };
            self.take(&chunk);
        }
    }

    /// Reads all events until the end of the body.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    pub(crate) async fn until(&mut self, mut is_wanted: impl FnMut(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.expect("the stream goes on");
            let is_last = is_wanted(&event);
            events.push(event);
            if is_last {
                return events;
            }
        }
    }
}

/// The events of a turn, or after a chunk id.
pub(crate) struct Turn {
    pub(crate) raw: String,
    pub(crate) events: Vec<Event>,
    merger: Merger,
}

impl Turn {
    /// Reads a stream to its end: numbered without gaps, mergeable without refusal, and ended by its last word alone.
    pub(crate) async fn read(response: Response) -> Self {
        let mut stream = Stream::of(response);
        let events = stream.rest().await;
        let first = events[0].data.chunk_id;
        let mut merger = Merger::default();
        for (number, event) in (1..).zip(&events) {
            assert_eq!(event.data.chunk_id, first + number - 1, "no gap, nothing twice");
            merger.apply(event.data.clone().numbered(number));
        }
        assert!(events.last().unwrap().event.ends_stream());
        Self { raw: String::from_utf8(stream.raw).unwrap(), events, merger }
    }

    /// Returns the events' names without `loading` and repetitions.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let is_aside = |name| matches!(name, EventName::Loading | EventName::ClassificationRaw);
        let told = self.events.iter().filter(|event| !is_aside(event.event));
        let mut names: Vec<_> = told.map(|event| event.event.as_str()).collect();
        names.dedup();
        names
    }

    /// Returns the merged messages of a type, in order.
    pub(crate) fn merged(&self, message_type: MessageType) -> Vec<&Message> {
        self.merger.messages().filter(|message| message.message_type == message_type).collect()
    }

    pub(crate) fn props(&self, message_type: MessageType) -> Vec<Value> {
        self.merged(message_type).into_iter().map(|message| message.props.clone()).collect()
    }

    /// Returns all visible text, joined.
    pub(crate) fn text(&self) -> String {
        self.props(MessageType::Text).iter().map(|props| props["content"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the kind of the error that ends the turn.
    pub(crate) fn error(&self) -> String {
        let last = self.events.last().unwrap();
        assert_eq!(last.event, EventName::Error, "{:?}", self.names());
        assert!(!last.data.props["message"].as_str().unwrap().is_empty());
        last.data.props["kind"].as_str().unwrap().to_owned()
    }

    pub(crate) fn assert_done(&self) {
        let last = self.events.last().unwrap();
        assert_eq!(last.event, EventName::Done, "{:?}", last.data.props);
    }
}
