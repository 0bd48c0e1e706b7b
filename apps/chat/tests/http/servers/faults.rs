//! A Redis that restarts, is slow, is full, or comes back empty; and servers that are exchanged or killed one by one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chat::wire::{Event, EventName};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::{Servers, cuts, last_id, seen};
use crate::world::{Stream, start_binary};

/// How long the provider takes for a fragment: the turns take a second or two.
const PAUSE: Duration = Duration::from_millis(20);

const TURNS: [(&str, &str); 4] = [
    ("shopping", "I want chips for a party"),
    ("finance", "What did I spend on groceries last month?"),
    ("restaurant", "Book a table at Napoli for two"),
    ("form", "Wrong at first: four days around the Øresund"),
];

/// Where the servers are, for clients: a balancer that knows nothing else.
type Addresses = Arc<Mutex<Vec<String>>>;

/// A browser's way through a turn: it sends, and comes back after its last chunk wherever somebody answers.
async fn person(addresses: Addresses, at: usize, conversation: String, assistant: &str, message: &str) -> Vec<Event> {
    let client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    let address = |turn: usize| {
        let addresses = addresses.lock().unwrap();
        addresses[(at + turn) % addresses.len()].clone()
    };
    let body = json!({"conversationId": conversation, "assistant": assistant, "message": message}).to_string();
    let (mut told, mut has_begun) = (Vec::new(), false);
    for turn in 0..400 {
        let request = if !has_begun {
            let request = client.post(format!("{}/api/chat/send", address(turn)));
            request.header("content-type", "application/json").body(body.clone())
        } else {
            let (address, last) = (address(turn), last_id(&told));
            client.get(format!("{address}/api/chat/stream?conversationId={conversation}&lastChunkId={last}"))
        };
        let sent = request.send().await;
        // Who has not even been connected has said nothing yet: a balancer goes to another server.
        has_begun |= !sent.as_ref().is_err_and(reqwest::Error::is_connect);
        match sent {
            Ok(response) if response.status() == 200 => told.extend(Stream::of(response).until_broken_off().await),
            Ok(response) => assert!(matches!(response.status().as_u16(), 204 | 408 | 500), "{response:?}"),
            Err(_) => {}
        }
        if told.last().is_some_and(|event: &Event| event.event.ends_stream()) {
            return told;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{conversation} has no end: {:?}", told.last());
}

fn addresses(world: &Servers) -> Addresses {
    let running = world.servers.iter().flatten();
    Arc::new(Mutex::new(running.map(chat::server::Server::base_url).collect()))
}

/// Begins turns of each kind, spread over the servers.
fn begin(addresses: &Addresses, count: usize) -> Vec<(usize, JoinHandle<Vec<Event>>)> {
    let one = |number: usize| {
        let (assistant, message) = TURNS[number % TURNS.len()];
        let person = person(addresses.clone(), number, format!("c{number}"), assistant, message);
        (number, tokio::spawn(person))
    };
    (0..count).map(one).collect()
}

/// What each kind of turn comes to if nothing goes wrong.
async fn undisturbed(world: &Servers) -> Vec<Vec<Value>> {
    let addresses = addresses(world);
    let one = |(assistant, message)| {
        let (addresses, conversation) = (addresses.clone(), format!("undisturbed-{assistant}"));
        async move { seen(&person(addresses, 0, conversation, assistant, message).await) }
    };
    futures::future::join_all(TURNS.map(one)).await
}

/// Waits for turns: each came to what it should, and is told again so by every server.
async fn check(world: &Servers, expected: &[Vec<Value>], turns: Vec<(usize, JoinHandle<Vec<Event>>)>) {
    let mut taken_back = 0;
    for (number, turn) in turns {
        let told = turn.await.unwrap();
        let expected = &expected[number % TURNS.len()];
        assert_eq!(told.last().unwrap().event, EventName::Done, "{number}: {:?}", told.last());
        assert_eq!(&seen(&told), expected, "{number}");
        for server in (0..world.servers.len()).filter(|server| world.servers[*server].is_some()) {
            assert_eq!(&seen(&world.rest(server, &format!("c{number}"), 0).await), expected, "{number}, {server}");
        }
        taken_back += cuts(&told);
    }
    println!("answers that were asked for again: {taken_back}");
}

#[tokio::test]
async fn a_rolling_restart_is_an_error_to_nobody() {
    let Some(mut world) = Servers::start_with(3, PAUSE, |assistants| assistants).await else { return };
    let expected = undisturbed(&world).await;
    let addresses = addresses(&world);
    let asked = world.provider.journal().seen().count;
    let turns = begin(&addresses, 100);
    // Others have connected, or are about to.
    world.provider.journal().wait_for(|seen| seen.count > asked).await;
    for server in 0..3 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let old = world.servers[server].take().unwrap();
        let new = world.server();
        addresses.lock().unwrap()[server] = new.base_url();
        old.stop().await;
        world.servers[server] = Some(new);
    }
    check(&world, &expected, turns).await;
}

#[tokio::test]
async fn servers_that_are_killed_one_after_the_other_lose_nothing() {
    let Some(mut world) = Servers::start_with(3, PAUSE, |assistants| assistants).await else { return };
    let expected = undisturbed(&world).await;
    let addresses = addresses(&world);
    let turns = begin(&addresses, 24);
    for server in [0, 1, 2, 1] {
        tokio::time::sleep(Duration::from_millis(400)).await;
        world.kill(server);
        let new = world.server();
        addresses.lock().unwrap()[server] = new.base_url();
        world.servers[server] = Some(new);
    }
    check(&world, &expected, turns).await;
}

#[tokio::test]
async fn a_redis_that_restarts_loses_nothing() {
    let Some(mut world) = Servers::start_with(2, PAUSE, |assistants| assistants).await else { return };
    let expected = undisturbed(&world).await;
    let turns = begin(&addresses(&world), 12);
    tokio::time::sleep(Duration::from_millis(400)).await;
    world.redis.restart(Duration::from_millis(300)).await;
    check(&world, &expected, turns).await;
}

#[tokio::test]
async fn a_redis_that_is_slow_loses_nothing() {
    let Some(world) = Servers::start_with(2, PAUSE, |assistants| assistants).await else { return };
    let expected = undisturbed(&world).await;
    let turns = begin(&addresses(&world), 12);
    tokio::time::sleep(Duration::from_millis(400)).await;
    // Longer than a turn is held.
    world.redis.ask(&["CLIENT", "PAUSE", "2500", "ALL"]);
    check(&world, &expected, turns).await;
}

#[tokio::test]
async fn a_redis_that_is_full_loses_nothing() {
    let Some(world) = Servers::start_with(2, PAUSE, |assistants| assistants).await else { return };
    let expected = undisturbed(&world).await;
    let turns = begin(&addresses(&world), 12);
    tokio::time::sleep(Duration::from_millis(400)).await;
    world.redis.ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    world.redis.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    tokio::time::sleep(Duration::from_millis(2_000)).await;
    world.redis.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    check(&world, &expected, turns).await;
}

#[tokio::test]
async fn a_redis_that_comes_back_empty_has_forgotten_and_says_so() {
    let Some(world) = Servers::start(2).await else { return };
    let told = world.send(0, "a", "finance", "Good morning").await.rest().await;
    let mut stream = world.send(0, "a", "finance", "And now? #hold").await;
    let mut copy = Stream::of(world.resume(1, "a", last_id(&told)).await);
    stream.until(|event| event.event == EventName::Text).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.redis.ask(&["FLUSHALL"]);
    world.redis.ask(&["SCRIPT", "FLUSH"]);
    world.provider.journal().release();
    // Neither stream has a last word: the clients come back, and hear that it is gone.
    assert!(stream.rest().await.iter().all(|event| !event.event.ends_stream()));
    assert!(copy.rest().await.iter().all(|event| !event.event.ends_stream()));
    for server in 0..2 {
        assert_eq!(world.resume(server, "a", last_id(&told)).await.status(), 410, "{server}");
        assert_eq!(world.resume(server, "a", 0).await.status(), 204, "{server}");
    }
    let next = world.send(1, "a", "finance", "Good morning").await.rest().await;
    assert_eq!(next.last().unwrap().event, EventName::Done);
}

#[tokio::test]
async fn without_a_redis_a_server_does_not_start_and_says_why() {
    let Some(mut world) = Servers::start(0).await else { return };
    world.config.redis = Some("redis://127.0.0.1:1".into());
    let error = chat::server::Server::start(([127, 0, 0, 1], 0).into(), world.config.clone()).unwrap_err();
    assert!(error.to_string().starts_with("can't use the store: Redis: "), "{error}");
}

/// The binary, of which one is killed in the middle of an answer.
#[tokio::test]
async fn a_process_that_is_killed_is_missed_by_nobody() {
    let Some(world) = Servers::start(0).await else { return };
    let start = async || {
        let (store, provider) = (world.redis.url(), world.provider.base_url());
        let provider = ["--anthropic-base-url", &provider, "--anthropic-api-key", "key", "--model", "scripted"];
        start_binary(["--store", &store].iter().chain(&provider)).await
    };
    let (mut first, first_address) = start().await;
    let (_second, second_address) = start().await;
    let elsewhere = format!("{second_address}/api/chat/stream?conversationId=a");
    let addresses: Addresses = Arc::new(Mutex::new(vec![first_address, second_address]));
    let person = person(addresses, 0, "a".to_owned(), "finance", "Good morning #hold");
    let person = tokio::spawn(person);
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    let mut other = Stream::of(world.client.get(elsewhere).send().await.unwrap());
    other.until(|event| event.event == EventName::Text && event.data.delta).await;
    first.kill().await.unwrap();
    world.provider.journal().wait_for(|seen| seen.count == 2).await;
    world.provider.journal().release();
    world.provider.journal().release();
    let told = person.await.unwrap();
    assert_eq!(told.last().unwrap().event, EventName::Done);
    let texts = seen(&told).into_iter().filter(|message| message["type"] == "text").count();
    assert_eq!((texts, cuts(&told)), (1, 1), "it is asked for again, and shown once");
}
