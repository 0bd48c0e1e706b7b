//! A whole world for each test: the scripted provider, the server and a database, on free ports; and what a client sees.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Deref;
use std::time::Duration;

use chat::assistant::Assistants;
use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::{Journal, ScriptedProvider};
use chat::server::Server;
use chat::wire::{Envelope, Event, EventName, MessageType};
use chrono::NaiveDate;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::merge::Merger;
use crate::sse::Events;

/// Returns limits that no test waits for, and no busy machine exceeds. A test of one of them has its own.
pub(crate) fn limits() -> Limits {
    let long = Duration::from_secs(20);
    Limits { silence: long, tool: long, retry_pause: Duration::from_millis(2), ..Limits::default() }
}

/// Returns limits for a provider that falls silent.
pub(crate) fn impatient() -> Limits {
    Limits { silence: Duration::from_millis(300), ..limits() }
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

/// Returns a message to which the scripted model answers with this text.
pub(crate) fn saying(text: &str) -> String {
    format!("#say:{}", json!(text).to_string().trim_matches('"').replace(' ', "\\u0020"))
}

/// Merges events as a client does.
pub(crate) fn merged<'e>(events: impl IntoIterator<Item = &'e Event>) -> Merger {
    let mut merger = Merger::default();
    events.into_iter().for_each(|event| merger.apply(event.data.clone()));
    merger
}

/// A client of the server at an address. It uses each connection once, so none leads to a server that is gone.
pub(crate) struct Site {
    pub(crate) base_url: String,
    pub(crate) client: Client,
}

impl Site {
    pub(crate) fn at(base_url: String) -> Self {
        Self { base_url, client: Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap() }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// Sends a JSON body to one of the chat's addresses.
    pub(crate) async fn ask(&self, path: &str, body: &Value) -> Response {
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        request.body(body.to_string()).send().await.unwrap()
    }

    /// Sends a message.
    pub(crate) async fn post(&self, conversation: &str, assistant: &str, message: &str) -> Response {
        let body = json!({"conversationId": conversation, "assistant": assistant, "message": message});
        self.ask("/api/chat/send", &body).await
    }

    /// Sends a message, whose answer is to be read event by event.
    pub(crate) async fn send(&self, conversation: &str, assistant: &str, message: &str) -> Stream {
        Stream::of(self.post(conversation, assistant, message).await)
    }

    /// Sends a message and reads the whole turn.
    pub(crate) async fn turn(&self, conversation: &str, assistant: &str, message: &str) -> Turn {
        Turn::read(self.post(conversation, assistant, message).await).await
    }

    /// Sends a message whose turn ends without an error, and reads the turn.
    pub(crate) async fn done(&self, conversation: &str, assistant: &str, message: &str) -> Turn {
        let turn = self.turn(conversation, assistant, message).await;
        let last = turn.events.last().unwrap();
        assert_eq!(last.event, EventName::Done, "{message}: {:?}", last.data.props);
        turn
    }

    /// Stops a conversation's turn, and returns the status of the response.
    pub(crate) async fn stop(&self, conversation: &str) -> u16 {
        self.ask("/api/chat/stop", &json!({"conversationId": conversation})).await.status().as_u16()
    }

    /// Comes back with a chunk id.
    pub(crate) async fn resume(&self, conversation: &str, last: u64) -> Response {
        let url = self.url(&format!("/api/chat/stream?conversationId={conversation}"));
        self.client.get(url).header("last-event-id", last.to_string()).send().await.unwrap()
    }

    /// Returns all events after a chunk id. Comes back after an error of the connection, too: on a busy machine, a turn may
    /// be without a server for longer than a reader waits.
    pub(crate) async fn rest(&self, conversation: &str, last: u64) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let response = self.resume(conversation, events.last().map_or(last, |event| event.data.chunk_id)).await;
            if response.status() == 204 {
                return events;
            }
            events.extend(Stream::of(response).rest().await);
            if events.last().is_none_or(|event| event.data.chunk_id > 0) {
                return events;
            }
            events.pop();
        }
    }
}

/// The programs of a test.
pub(crate) struct World {
    pub(crate) provider: ScriptedProvider,
    server: Option<Server>,
    site: Site,
    config: Config,
    _folder: TempDir,
}

impl Deref for World {
    type Target = Site;

    fn deref(&self) -> &Site {
        &self.site
    }
}

/// Checks that a real provider would have refused none of the requests.
impl Drop for World {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.journal().seen().requests.iter().for_each(check);
        }
    }
}

/// Checks that a conversation is valid: the roles alternate, the user has the last word, and each call has one result, at the
/// beginning of the next message.
fn check(request: &Value) {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (mut ids, mut open) = (BTreeSet::new(), BTreeSet::new());
    let messages = list(&request["messages"]);
    assert_eq!(messages.len() % 2, 1, "{request}");
    for (message, role) in messages.iter().zip(["user", "assistant"].into_iter().cycle()) {
        let blocks = list(&message["content"]);
        assert!(message["role"] == role && !blocks.is_empty(), "{request}");
        let of = |name: &str, id: &str| -> Vec<Value> {
            blocks.iter().filter(|block| block["type"] == name).map(|block| block[id].clone()).collect()
        };
        let (calls, results) = (of("tool_use", "id"), of("tool_result", "tool_use_id"));
        assert!(blocks[..results.len()].iter().all(|block| block["type"] == "tool_result"), "{request}");
        let answered: BTreeSet<String> = results.iter().map(ToString::to_string).collect();
        assert!(answered == open && results.len() == open.len(), "{request}");
        open = calls.iter().map(ToString::to_string).collect();
        assert!(calls.is_empty() || role == "assistant", "{request}");
        assert!(calls.iter().all(|id| ids.insert(id.to_string())), "an id comes twice: {request}");
    }
    let forced = &request["tool_choice"]["name"];
    assert!(forced.is_null() || list(&request["tools"]).iter().any(|tool| tool["name"] == *forced), "{request}");
    assert!(request["stream"] == true && request["max_tokens"].is_u64() && request["model"].is_string(), "{request}");
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::start_with(limits(), |assistants| assistants).await
    }

    pub(crate) async fn start_with(limits: Limits, change: impl FnOnce(Assistants) -> Assistants) -> Self {
        Self::build(None, limits, change).await
    }

    /// Starts a world whose provider is another one, at this address.
    pub(crate) async fn at(protocol: Protocol, base_url: String, limits: Limits) -> Self {
        Self::build(Some((protocol, base_url)), limits, |assistants| assistants).await
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
        let (server, site) = serve(&config, change);
        Self { provider, server: Some(server), site, config, _folder: folder }
    }

    /// Restarts the server on its database.
    pub(crate) fn restart(&mut self) {
        drop(self.server.take());
        let (server, site) = serve(&self.config, |assistants| assistants);
        (self.server, self.site) = (Some(server), site);
    }

    pub(crate) fn journal(&self) -> &Journal {
        self.provider.journal()
    }

    /// Waits until the provider holds a fragment back, in its nth request.
    pub(crate) async fn until_held(&self, count: usize) {
        let held = self.journal().wait_for(|seen| seen.count == count && seen.held == 1);
        tokio::time::timeout(Duration::from_secs(60), held).await.expect("it is asked, and holds a fragment back");
    }

    /// Returns each conversation that is saved, with its name.
    pub(crate) fn rows(&self) -> Vec<Value> {
        self.json("SELECT json_array(id, json(conversation)) FROM conversations ORDER BY id")
    }

    /// Returns a conversation as it is saved.
    pub(crate) fn saved(&self, conversation: &str) -> Value {
        self.rows().into_iter().find(|row| row[0] == conversation).map(|row| row[1].clone()).unwrap_or_default()
    }

    /// Returns the content of each saved message.
    pub(crate) fn stored(&self) -> Vec<Value> {
        let rows = self.rows();
        let messages = rows.iter().filter_map(|row| row[1]["messages"].as_array()).flatten();
        messages.map(|message| message["content"].clone()).collect()
    }

    /// Returns the values of a query of JSON texts.
    fn json(&self, sql: &str) -> Vec<Value> {
        let connection = rusqlite::Connection::open(self.config.database.as_ref().unwrap()).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(|text| serde_json::from_str(&text.unwrap()).unwrap()).collect()
    }

    /// Returns the number of events that are stored.
    pub(crate) fn events(&self) -> usize {
        self.json("SELECT event FROM events").len()
    }

    pub(crate) fn execute(&self, sql: &str) {
        rusqlite::Connection::open(self.config.database.as_ref().unwrap()).unwrap().execute_batch(sql).unwrap();
    }
}

fn serve(config: &Config, change: impl FnOnce(Assistants) -> Assistants) -> (Server, Site) {
    let change = |assistants: Assistants| change(assistants.with_clock(today, &config.limits));
    let server = Server::start(([127, 0, 0, 1], 0).into(), config.clone(), change).unwrap();
    let site = Site::at(server.base_url());
    (server, site)
}

/// A stream as it arrives.
pub(crate) struct Stream {
    response: Response,
    decoder: Events,
    ready: VecDeque<Event>,
    raw: Vec<u8>,
}

impl Stream {
    pub(crate) fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
        Self { response, decoder: Events::default(), ready: VecDeque::new(), raw: Vec::new() }
    }

    /// Returns the next event; `None` at the end of the body.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        while self.ready.is_empty() {
            let chunk = tokio::time::timeout(Duration::from_secs(60), self.response.chunk());
            let chunk = chunk.await.expect("the server goes on").expect("the body is whole")?;
            self.raw.extend_from_slice(&chunk);
            self.ready.extend(self.decoder.push(&chunk));
        }
        self.ready.pop_front()
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

    /// Returns the number of events with this name.
    pub(crate) fn count(&self, name: EventName) -> usize {
        self.events.iter().filter(|event| event.event == name).count()
    }

    /// Returns the pieces of text that are sent for a path.
    pub(crate) fn pieces(&self, path: &str) -> Vec<&str> {
        let of_path = self.events.iter().filter(|event| event.data.delta_path.as_deref() == Some(path));
        of_path.filter_map(|event| event.data.props.as_str()).collect()
    }

    /// Returns the merged messages of a type, in order.
    pub(crate) fn merged(&self, message_type: MessageType) -> Vec<&Envelope> {
        self.merger.messages().filter(|message| message.message_type == message_type).collect()
    }

    pub(crate) fn props(&self, message_type: MessageType) -> Vec<Value> {
        self.merged(message_type).into_iter().map(|message| message.props.clone()).collect()
    }

    /// Returns all visible text, joined.
    pub(crate) fn text(&self) -> String {
        self.props(MessageType::Text).iter().map(|props| props["content"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the props of the last event.
    pub(crate) fn last(&self) -> &Value {
        &self.events.last().unwrap().data.props
    }

    /// Returns the kind of the error that ends the turn.
    pub(crate) fn error(&self) -> &str {
        assert_eq!(self.events.last().unwrap().event, EventName::Error, "{:?}", self.names());
        assert!(!self.last()["message"].as_str().unwrap().is_empty());
        self.last()["kind"].as_str().unwrap()
    }
}
