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
use serde_json::{Value, json};

use crate::redis::{Cluster, Redis};
use crate::world::{Site, Stream, config, limits, merged, today};

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
    servers: Vec<Option<(Server, Site)>>,
    change: fn(Assistants) -> Assistants,
}

impl Servers {
    async fn start(behind: Behind, count: usize) -> Self {
        Self::start_with(behind, count, |assistants| assistants).await
    }

    async fn start_with(behind: Behind, count: usize, change: fn(Assistants) -> Assistants) -> Self {
        let provider = ScriptedProvider::start(Duration::ZERO).await.unwrap();
        let config = config(provider.base_url(), Limits { lease: LEASE, ..limits() });
        let store = behind.open();
        let mut new = Self { behind, store, provider, config, servers: Vec::new(), change };
        for _ in 0..count {
            let server = new.server_over(new.store.clone());
            new.servers.push(Some(server));
        }
        new
    }

    fn server_over(&self, store: Arc<dyn Store>) -> (Server, Site) {
        let change = |assistants: Assistants| (self.change)(assistants.with_clock(today, &self.config.limits));
        let server = Server::start_over(([127, 0, 0, 1], 0).into(), self.config.clone(), store, change).unwrap();
        let site = Site::at(server.base_url());
        (server, site)
    }

    /// Returns a client of a server.
    fn at(&self, server: usize) -> &Site {
        &self.servers[server].as_ref().expect("it runs").1
    }

    /// Ends a server as `kill -9` does.
    fn kill(&mut self, server: usize) {
        drop(self.servers[server].take());
    }

    /// Sends a message to the first server, whose answer the provider holds back before its last fragment. Reads up to the
    /// first change of a message.
    async fn held(&self, message: &str) -> (Stream, Vec<Event>) {
        let mut stream = self.at(0).send("a", "finance", &format!("{message} #hold")).await;
        let told = stream.until(|event| event.data.delta).await;
        self.provider.journal().wait_for(|seen| seen.held == 1).await;
        (stream, told)
    }
}

/// Returns what a person sees who received these events.
fn seen<'e>(events: impl IntoIterator<Item = &'e Event>) -> Vec<Value> {
    // A message's chunk id depends on what was taken back before.
    merged(events).messages().map(|message| json!(message.clone().numbered(0))).collect()
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
        let told = world.at(0).done("a", "finance", "What did I spend on groceries last month?").await.events;
        for server in 0..3 {
            for last in [0, 1, told.len() / 2, told.len() - 1] {
                let rest = world.at(server).rest("a", last as u64).await;
                assert_eq!(rest, told[last..], "server {server}, after {last}");
            }
            assert_eq!(world.at(server).resume("a", last_id(&told)).await.status(), 204);
            assert_eq!(world.at(server).resume("a", last_id(&told) + 1).await.status(), 410);
        }
        // The next turn is another server's, and knows of the first.
        let next = world.at(1).done("a", "finance", "Compare my spending this month to last month").await.events;
        assert_eq!(next[0].data.chunk_id, last_id(&told) + 1);
        let asked = world.provider.journal().seen().requests;
        assert!(asked.last().unwrap().to_string().contains("What did I spend on groceries last month?"));
        for id in ["b", "c", "d"] {
            world.at(0).done(id, "finance", "Good morning").await;
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
    let (mut first, mut told) = world.held("Good morning").await;
    let mut other = Stream::of(world.at(1).resume("a", 1).await);
    let mut also_told = other.until(|event| event.data.delta).await;
    assert_eq!(world.at(1).post("a", "finance", "And?").await.status(), 409);
    assert_eq!(world.at(1).stop("a").await, 204);
    told.extend(first.rest().await);
    also_told.extend(other.rest().await);
    assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
    assert_eq!(told[1..], also_told);
    assert_eq!(world.at(1).rest("a", 0).await, told);
    assert_eq!(world.at(1).stop("a").await, 409);
    world.at(1).done("a", "finance", "And?").await;
}
