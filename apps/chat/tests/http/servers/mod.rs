//! Several servers with one Redis: any of them answers, and what one leaves behind another finishes.

mod cluster;
mod connections;
mod crash;
mod endings;
mod faults;
mod fencing;
mod hooked;
mod saved;

use std::sync::Arc;
use std::time::Duration;

use chat::assistant::Assistants;
use chat::config::{Config, Limits, Protocol, ProviderConfig};
use chat::scripted::{Options, ScriptedProvider};
use chat::server::Server;
use chat::store::Store;
use chat::wire::{Event, EventName};
use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::redis::Redis;
use crate::world::{Stream, limits, merged, post, today};

/// How long a server that is gone is waited for. Longer than a busy machine keeps one from its work.
const LEASE: Duration = Duration::from_millis(1_000);

/// A Redis, a provider, and servers.
struct Servers {
    redis: Redis,
    provider: ScriptedProvider,
    config: Config,
    servers: Vec<Option<Server>>,
    client: Client,
    change: fn(Assistants) -> Assistants,
}

impl Servers {
    async fn start(count: usize) -> Option<Self> {
        Self::start_with(count, Duration::ZERO, |assistants| assistants).await
    }

    async fn start_with(count: usize, pause: Duration, change: fn(Assistants) -> Assistants) -> Option<Self> {
        let redis = Redis::start()?;
        let provider = ScriptedProvider::start(0, Options { pause, recordings: None }).await.unwrap();
        let config = Config {
            provider: ProviderConfig {
                protocol: Protocol::Anthropic,
                base_url: provider.base_url(),
                api_key: "key".into(),
                model: "scripted".to_owned(),
            },
            database: None,
            redis: Some(redis.url().into()),
            hosts: Vec::new(),
            limits: Limits { lease: LEASE, ..limits() },
        };
        // None of a server that is gone.
        let client = Client::builder().pool_max_idle_per_host(0).build().unwrap();
        let mut new = Self { redis, provider, config, servers: Vec::new(), client, change };
        for _ in 0..count {
            let server = new.server();
            new.servers.push(Some(server));
        }
        Some(new)
    }

    fn server(&self) -> Server {
        let change = |assistants: Assistants| (self.change)(assistants.with_clock(today, &self.config.limits));
        Server::start_with(([127, 0, 0, 1], 0).into(), self.config.clone(), change).unwrap()
    }

    /// A server over a store that is not as it should be.
    fn server_over(&self, store: Arc<dyn Store>) -> Server {
        let change = |assistants: Assistants| (self.change)(assistants.with_clock(today, &self.config.limits));
        Server::start_over(([127, 0, 0, 1], 0).into(), self.config.clone(), store, change).unwrap()
    }

    /// As `kill -9` does.
    fn kill(&mut self, server: usize) {
        drop(self.servers[server].take());
    }

    fn url(&self, server: usize, path: &str) -> String {
        format!("{}{path}", self.servers[server].as_ref().expect("it runs").base_url())
    }

    async fn post(&self, server: usize, path: &str, body: Value) -> Response {
        post(&self.client, self.url(server, path), &body).await
    }

    async fn send(&self, server: usize, conversation: &str, assistant: &str, message: &str) -> Stream {
        let body = json!({"conversationId": conversation, "assistant": assistant, "message": message});
        Stream::of(self.post(server, "/api/chat/send", body).await)
    }

    async fn resume(&self, server: usize, conversation: &str, last: u64) -> Response {
        let url = self.url(server, &format!("/api/chat/stream?conversationId={conversation}"));
        self.client.get(url).header("last-event-id", last.to_string()).send().await.unwrap()
    }

    /// All that a client is told that comes back with this chunk id, over as many connections as it takes.
    async fn rest(&self, server: usize, conversation: &str, mut last: u64) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let response = self.resume(server, conversation, last).await;
            if response.status() == 204 {
                return events;
            }
            events.extend(Stream::of(response).rest().await);
            last = events.last().map_or(last, |event| event.data.chunk_id);
            if events.last().is_some_and(|event| event.event.ends_stream()) {
                return events;
            }
        }
    }
}

/// What a person sees who was told these events, in this order.
fn seen<'e>(events: impl IntoIterator<Item = &'e Event>) -> Vec<Value> {
    let message = |message: &chat::wire::Message| {
        let mut message = serde_json::to_value(message).unwrap();
        // Where it stands depends on what was taken back before it.
        message.as_object_mut().unwrap().remove("chunk_id");
        message
    };
    merged(events).messages().map(message).collect()
}

fn cuts(events: &[Event]) -> usize {
    events.iter().filter(|event| event.event == EventName::Cut).count()
}

fn last_id(events: &[Event]) -> u64 {
    events.last().map_or(0, |event| event.data.chunk_id)
}

#[tokio::test]
async fn any_server_answers_and_tells_what_another_has_told() {
    let Some(world) = Servers::start(3).await else { return };
    let told = world.send(0, "a", "finance", "What did I spend on groceries last month?").await.rest().await;
    assert_eq!(told.last().unwrap().event, EventName::Done);
    for server in 0..3 {
        for last in [0, 1, told.len() / 2, told.len() - 1] {
            assert_eq!(world.rest(server, "a", last as u64).await, told[last..], "server {server}, after {last}");
        }
        assert_eq!(world.resume(server, "a", last_id(&told)).await.status(), 204);
        assert_eq!(world.resume(server, "a", last_id(&told) + 1).await.status(), 410);
    }
    // The next turn is another server's, and knows of the first.
    let next = world.send(1, "a", "finance", "Compare my spending this month to last month").await.rest().await;
    assert_eq!((next[0].data.chunk_id, next.last().unwrap().event), (last_id(&told) + 1, EventName::Done));
    let asked = world.provider.journal().seen().requests;
    assert!(asked.last().unwrap().to_string().contains("What did I spend on groceries last month?"));
    // In its place something else is said, on a third one.
    let body = json!({"conversationId": "a", "message": "My accounts", "edits": next[0].data.chunk_id});
    let edited = Stream::of(world.post(2, "/api/chat/send", body).await).rest().await;
    assert_eq!((edited[0].event, edited.last().unwrap().event), (EventName::Cut, EventName::Done));
    let all = world.rest(0, "a", 0).await;
    assert_eq!(all, [&told[..], &edited[..]].concat().into_iter().collect::<Vec<_>>());
    assert_eq!(seen(&all), seen(told.iter().chain(&next).chain(&edited)));
    let delete = world.post(1, "/api/chat/delete", json!({"conversationId": "a"})).await;
    assert_eq!(delete.status(), 204);
    assert_eq!(world.resume(2, "a", 0).await.status(), 204);
    assert!(!world.redis.ask(&["KEYS", "*"]).contains("a\""), "nothing is left of it");
}

#[tokio::test]
async fn a_running_turn_is_read_refused_and_stopped_by_any_server() {
    let Some(world) = Servers::start(2).await else { return };
    let mut first = world.send(0, "a", "finance", "Good morning #hold").await;
    let mut told = first.until(|event| event.event == EventName::Text).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    let mut other = Stream::of(world.resume(1, "a", 1).await);
    let mut also_told = other.until(|event| event.event == EventName::Text).await;
    let body = json!({"conversationId": "a", "assistant": "finance", "message": "And?"});
    assert_eq!(world.post(1, "/api/chat/send", body).await.status(), 409);
    let stop = world.post(1, "/api/chat/stop", json!({"conversationId": "a"})).await;
    assert_eq!(stop.status(), 204);
    told.extend(first.rest().await);
    also_told.extend(other.rest().await);
    assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
    assert_eq!(told[1..], also_told);
    assert_eq!(world.rest(1, "a", 0).await, told);
    assert_eq!(world.post(1, "/api/chat/stop", json!({"conversationId": "a"})).await.status(), 409);
    let next = world.send(1, "a", "finance", "And?").await.rest().await;
    assert_eq!(next.last().unwrap().event, EventName::Done);
}

/// The provider waits for readers, wherever they are.
#[tokio::test]
async fn a_turn_is_as_fast_as_its_reader_on_another_server() {
    let Some(mut world) = Servers::start(0).await else { return };
    world.config.limits.window = 16;
    world.servers = vec![Some(world.server()), Some(world.server())];
    let first = world.send(0, "a", "finance", "#random:1:20000").await;
    let mut other = Stream::of(world.resume(1, "a", 0).await);
    drop(first);
    let told = other.rest().await;
    assert_eq!(told.last().unwrap().event, EventName::Done);
    assert!(told.len() > 100, "{}", told.len());
}
