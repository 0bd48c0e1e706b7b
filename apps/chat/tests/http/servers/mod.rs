//! Several servers with one store: any of them answers, and another one finishes what a server leaves behind.

mod crash;
mod faults;
mod fencing;

use std::sync::Arc;
use std::time::Duration;

use chat::assistant::Assistants;
use chat::config::{Config, Limits};
use chat::scripted::ScriptedProvider;
use chat::server::Server;
use chat::store::{Redis as Shared, Sqlite, Store};
use chat::wire::{Event, EventName};
use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::redis::{Cluster, Redis};
use crate::world::{Stream, config, limits, merged, post, today};

/// How long a server that is gone is waited for. Longer than a busy machine keeps one from its work.
const LEASE: Duration = Duration::from_millis(1_000);

/// The programs that a store needs.
enum Behind {
    Nothing,
    Redis(Redis),
    Cluster(Cluster),
}

impl Behind {
    /// Returns each kind of store that can be started here.
    fn all() -> Vec<Self> {
        let (redis, cluster) = (Redis::start().map(Self::Redis), Cluster::start().map(Self::Cluster));
        [Some(Self::Nothing), redis, cluster].into_iter().flatten().collect()
    }

    fn redis() -> Option<Self> {
        Redis::start().map(Self::Redis)
    }

    fn open(&self) -> Arc<dyn Store> {
        match self {
            Self::Nothing => Arc::new(Sqlite::open(None, LEASE).unwrap()),
            Self::Redis(redis) => Arc::new(Shared::open(&redis.url(), LEASE).unwrap()),
            Self::Cluster(cluster) => Arc::new(Shared::open(&cluster.url(), LEASE).unwrap()),
        }
    }

    fn as_redis(&mut self) -> &mut Redis {
        let Self::Redis(redis) = self else { panic!("it is another store") };
        redis
    }
}

/// A store, a provider, and servers.
struct Servers {
    behind: Behind,
    /// The store of the servers that are in order.
    store: Arc<dyn Store>,
    provider: ScriptedProvider,
    config: Config,
    servers: Vec<Option<Server>>,
    client: Client,
    change: fn(Assistants) -> Assistants,
}

impl Servers {
    async fn start(behind: Behind, count: usize) -> Self {
        Self::start_with(behind, count, |assistants| assistants).await
    }

    async fn start_with(behind: Behind, count: usize, change: fn(Assistants) -> Assistants) -> Self {
        let provider = ScriptedProvider::start(Duration::ZERO).await.unwrap();
        let config = config(provider.base_url(), Limits { lease: LEASE, ..limits() });
        // No connection to a server that is gone is used again.
        let client = Client::builder().pool_max_idle_per_host(0).build().unwrap();
        let store = behind.open();
        let mut new = Self { behind, store, provider, config, servers: Vec::new(), client, change };
        for _ in 0..count {
            let server = new.server();
            new.servers.push(Some(server));
        }
        new
    }

    fn server(&self) -> Server {
        self.server_over(self.store.clone())
    }

    fn server_over(&self, store: Arc<dyn Store>) -> Server {
        let change = |assistants: Assistants| (self.change)(assistants.with_clock(today, &self.config.limits));
        Server::start_over(([127, 0, 0, 1], 0).into(), self.config.clone(), store, change).unwrap()
    }

    /// Ends a server as `kill -9` does.
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

    /// Returns everything that a client receives that comes back with this chunk id, and again after an error of the
    /// connection: on a busy machine, a turn may be without a server for longer than a reader waits.
    async fn rest(&self, server: usize, conversation: &str, last: u64) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let response = self.resume(server, conversation, events.last().map_or(last, |_| last_id(&events))).await;
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

/// Returns what a person sees who received these events.
fn seen<'e>(events: impl IntoIterator<Item = &'e Event>) -> Vec<Value> {
    let message = |message: &crate::merge::Message| {
        let mut message = serde_json::to_value(message).unwrap();
        // It depends on what was taken back before.
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

fn is_done(events: &[Event]) -> bool {
    events.last().is_some_and(|event| event.event == EventName::Done)
}

#[tokio::test]
async fn any_server_answers_and_sends_what_another_has_sent() {
    for behind in Behind::all() {
        let world = Servers::start(behind, 3).await;
        let told = world.send(0, "a", "finance", "What did I spend on groceries last month?").await.rest().await;
        assert!(is_done(&told));
        for server in 0..3 {
            for last in [0, 1, told.len() / 2, told.len() - 1] {
                assert_eq!(world.rest(server, "a", last as u64).await, told[last..], "server {server}, after {last}");
            }
            assert_eq!(world.resume(server, "a", last_id(&told)).await.status(), 204);
            assert_eq!(world.resume(server, "a", last_id(&told) + 1).await.status(), 410);
        }
        // The next turn is another server's, and knows of the first.
        let next = world.send(1, "a", "finance", "Compare my spending this month to last month").await.rest().await;
        assert_eq!((next[0].data.chunk_id, is_done(&next)), (last_id(&told) + 1, true));
        let asked = world.provider.journal().seen().requests;
        assert!(asked.last().unwrap().to_string().contains("What did I spend on groceries last month?"));
        for id in ["b", "c", "d"] {
            assert!(is_done(&world.send(0, id, "finance", "Good morning").await.rest().await));
        }
        if let Behind::Cluster(cluster) = &world.behind {
            let sizes: Vec<String> = cluster.0.iter().map(|node| node.ask(&["DBSIZE"])).collect();
            assert!(sizes.iter().filter(|size| *size != "int(0)").count() >= 2, "{sizes:?}");
        }
    }
}

#[tokio::test]
async fn a_running_turn_is_read_refused_and_stopped_by_any_server() {
    let Some(behind) = Behind::redis() else { return };
    let world = Servers::start(behind, 2).await;
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
    assert!(is_done(&world.send(1, "a", "finance", "And?").await.rest().await));
}
