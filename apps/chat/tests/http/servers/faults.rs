//! A Redis that restarts, is slow, is full, goes away, or comes back empty; and servers that end one by one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chat::wire::{Event, EventName};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{Behind, Servers, is_done, last_id, seen};
use crate::world::Stream;

/// The provider's pause between fragments: the turns take a second or two.
const PAUSE: Duration = Duration::from_millis(20);

const TURNS: [(&str, &str); 4] = [
    ("shopping", "I want chips for a party"),
    ("finance", "What did I spend on groceries last month?"),
    ("restaurant", "Book a table at Napoli for two"),
    ("form", "Wrong at first: four days around the Øresund"),
];

/// The servers' addresses.
type Addresses = Arc<Mutex<Vec<String>>>;

/// Takes a browser's way through a turn: sends, and comes back after the last chunk to whichever server answers.
async fn person(addresses: Addresses, at: usize, id: String, assistant: &str, message: &str) -> Vec<Event> {
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let body = json!({"conversationId": id, "assistant": assistant, "message": message}).to_string();
    let (mut told, mut has_begun) = (Vec::new(), false);
    for turn in 0..400 {
        let address = {
            let addresses = addresses.lock().unwrap();
            addresses[(at + turn) % addresses.len()].clone()
        };
        let request = if has_begun {
            client.get(format!("{address}/api/chat/stream?conversationId={id}&lastChunkId={}", last_id(&told)))
        } else {
            let request = client.post(format!("{address}/api/chat/send"));
            request.header("content-type", "application/json").body(body.clone())
        };
        let sent = request.send().await;
        // Without a connection nothing has been said: a balancer goes to another server.
        has_begun |= !sent.as_ref().is_err_and(reqwest::Error::is_connect);
        match sent {
            Ok(response) if response.status() == 200 => told.extend(Stream::of(response).until_broken_off().await),
            // The server died before it stored the message.
            Ok(response) if response.status() == 204 => has_begun = !told.is_empty(),
            Ok(response) => assert!(matches!(response.status().as_u16(), 408 | 409 | 500), "{response:?}"),
            Err(_) => {}
        }
        // An error of the connection is not stored.
        told.retain(|event: &Event| event.data.chunk_id > 0);
        if told.last().is_some_and(|event| event.event.ends_stream()) {
            return told;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{id} has no end: {:?}", told.last());
}

/// Servers, with turns of each kind.
struct Scene {
    world: Servers,
    addresses: Addresses,
    expected: Vec<Vec<Value>>,
    turns: Vec<JoinHandle<Vec<Event>>>,
}

impl Scene {
    /// Begins `count` turns, spread over the servers, and lets them run for a moment.
    async fn begin(servers: usize, count: usize) -> Option<Self> {
        let world = Servers::start_with(Behind::redis()?, servers, PAUSE, |assistants| assistants).await;
        let addresses = world.servers.iter().flatten().map(chat::server::Server::base_url).collect();
        let addresses: Addresses = Arc::new(Mutex::new(addresses));
        // The undisturbed result of each kind of turn.
        let undisturbed = TURNS.map(|(assistant, message)| {
            let person = person(addresses.clone(), 0, format!("undisturbed-{assistant}"), assistant, message);
            async { seen(&person.await) }
        });
        let expected = futures::future::join_all(undisturbed).await;
        let one = |number: usize| {
            let (assistant, message) = TURNS[number % TURNS.len()];
            tokio::spawn(person(addresses.clone(), number, format!("c{number}"), assistant, message))
        };
        let turns = (0..count).map(one).collect();
        tokio::time::sleep(Duration::from_millis(400)).await;
        Some(Self { world, addresses, expected, turns })
    }

    /// Replaces a server; has the old one end in order, or kills it.
    async fn replace(&mut self, server: usize, is_killed: bool) {
        let old = self.world.servers[server].take().unwrap();
        let new = self.world.server();
        self.addresses.lock().unwrap()[server] = new.base_url();
        if !is_killed {
            old.stop().await;
        }
        self.world.servers[server] = Some(new);
    }

    /// Waits for the turns: each came to what it should, and every server sends it again.
    async fn check(self) {
        for (number, turn) in self.turns.into_iter().enumerate() {
            let (told, expected) = (turn.await.unwrap(), &self.expected[number % TURNS.len()]);
            assert!(is_done(&told), "{number}: {:?}", told.last());
            assert_eq!(&seen(&told), expected, "{number}");
            for server in 0..self.world.servers.len() {
                let again = self.world.rest(server, &format!("c{number}"), 0).await;
                assert_eq!(&seen(&again), expected, "{number}, {server}");
            }
        }
    }
}

#[tokio::test]
async fn a_rolling_restart_is_an_error_to_nobody() {
    let Some(mut scene) = Scene::begin(3, 48).await else { return };
    for server in 0..3 {
        scene.replace(server, false).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    scene.check().await;
}

#[tokio::test]
async fn servers_that_are_killed_one_after_the_other_lose_nothing() {
    let Some(mut scene) = Scene::begin(3, 24).await else { return };
    for server in [0, 1, 2, 1] {
        scene.replace(server, true).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    scene.check().await;
}

/// Survives a Redis that is slow for longer than a lease, then full, and then restarted.
#[tokio::test]
async fn a_redis_that_has_trouble_loses_nothing() {
    let Some(mut scene) = Scene::begin(2, 12).await else { return };
    let redis = scene.world.behind.as_redis();
    redis.ask(&["CLIENT", "PAUSE", "1500", "ALL"]);
    redis.ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    redis.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    tokio::time::sleep(Duration::from_millis(700)).await;
    redis.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    redis.launch().unwrap();
    scene.check().await;
}

/// Ends the stream with an error while the store is away. The answer continues afterwards.
#[tokio::test]
async fn a_redis_that_is_away_ends_the_stream_and_the_answer_can_be_retried() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 1).await;
    let mut stream = world.send(0, "a", "finance", "Good morning #hold").await;
    let mut told = stream.until(|event| event.data.delta).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.behind.as_redis().kill();
    world.provider.journal().release();
    told.extend(stream.rest().await);
    let error = told.pop().unwrap();
    assert_eq!(
        (error.event, &error.data.props["kind"], error.data.chunk_id),
        (EventName::Error, &json!("store_failed"), 0)
    );
    assert_eq!(world.resume(0, "a", last_id(&told)).await.status().as_u16() / 100, 5);
    world.behind.as_redis().launch().unwrap();
    world.provider.journal().release();
    told.extend(world.rest(0, "a", last_id(&told)).await);
    assert!(is_done(&told), "{:?}", told.last());
}

#[tokio::test]
async fn a_redis_that_comes_back_empty_has_forgotten_and_says_so() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 2).await;
    let told = world.send(0, "a", "finance", "Good morning").await.rest().await;
    let mut stream = world.send(0, "a", "finance", "And now? #hold").await;
    stream.until(|event| event.event == EventName::Text).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.behind.as_redis().ask(&["FLUSHALL"]);
    world.behind.as_redis().ask(&["SCRIPT", "FLUSH"]);
    world.provider.journal().release();
    // The stream has no last event: the client comes back, and learns that the conversation is gone.
    assert!(stream.rest().await.iter().all(|event| !event.event.ends_stream()));
    for server in 0..2 {
        assert_eq!(world.resume(server, "a", last_id(&told)).await.status(), 410, "{server}");
        assert_eq!(world.resume(server, "a", 0).await.status(), 204, "{server}");
    }
    assert!(is_done(&world.send(1, "a", "finance", "Good morning").await.rest().await));
}
