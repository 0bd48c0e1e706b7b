//! Stores side by side over one Redis: what a server may still do to a turn that is not its own any more.

use std::time::Duration;

use chat::conversation::{Assistant, Said};
use chat::store::{Begun, Input, Redis as Shared, Store, StoreError, Tail, Taken, Told};
use chat::wire::{Envelope, Event, EventName, MessageType};
use serde_json::json;

use crate::redis::Redis;
use crate::world::today;

pub(super) const LEASE: Duration = Duration::from_millis(300);

fn open(redis: &Redis) -> Shared {
    Shared::open(&redis.url(), LEASE).unwrap()
}

fn begun() -> Begun {
    let said = Said { text: "Hi".to_owned(), answers: Default::default() };
    Begun { token: fastrand::u64(..), assistant: Assistant::Finance, said, today: today(), cut: None }
}

fn event(name: EventName, chunk_id: u64) -> Event {
    Event::new(name, Envelope::whole(MessageType::Text, json!({"content": ""})).numbered(chunk_id))
}

fn told(first: u64, last: u64, last_word: Option<Event>) -> Told {
    Told { first_chunk_id: first, last_chunk_id: last, events: "{}".to_owned(), first_word: None, last_word }
}

pub(super) async fn begin(store: &Shared, id: &str, first: u64) {
    assert!(store.reserve(id, told(first, first + 99, None), None, begun()).await.unwrap());
}

async fn end(store: &Shared, id: &str, first: u64, last: u64) {
    store.save(id, None, told(first, last, Some(event(EventName::Done, last)))).await.unwrap();
}

/// All that can be taken over once the leases are over.
async fn take_over(store: &Shared) -> Vec<Taken> {
    tokio::time::sleep(LEASE + Duration::from_millis(50)).await;
    let mut taken = Vec::new();
    for id in store.left().await.unwrap() {
        taken.extend(store.take_over(id).await.unwrap_or_default());
    }
    taken
}

/// What is in Redis of a conversation's turn.
fn state(redis: &Redis, id: &str) -> Vec<String> {
    let key = |kind: &str| format!("chat:{{{id}}}:{kind}");
    vec![
        redis.ask(&["HMGET", &key("turn"), "token", "epoch", "first", "lease", "stop", "taken", "seen"]),
        redis.ask(&["XRANGE", &key("inputs"), "-", "+"]),
        redis.ask(&["XRANGE", &key("live:1"), "-", "+"]),
        redis.ask(&["HGETALL", &key("told")]),
    ]
}

/// A server that was paused in one turn comes back in the next, which is another server's.
#[tokio::test]
async fn a_server_that_comes_back_has_no_effect_on_a_later_turn() {
    let Some(redis) = Redis::start() else { return };
    let (paused, other) = (open(&redis), open(&redis));
    begin(&paused, "a", 1).await;
    assert_eq!(take_over(&other).await.len(), 1);
    end(&other, "a", 1, 5).await;
    begin(&other, "a", 6).await;
    let before = state(&redis, "a");
    let late = paused.put("a", &[Input::Saved], &[event(EventName::Text, 7)]).await;
    assert!(matches!(late, Err(StoreError::Lost)), "{late:?}");
    let late = paused.save("a", None, told(1, 9, Some(event(EventName::Done, 9)))).await;
    assert!(matches!(late, Err(StoreError::Lost)), "{late:?}");
    paused.leave("a").await.unwrap();
    assert_eq!(state(&redis, "a"), before);
    end(&other, "a", 6, 8).await;
}

/// After a deletion, chunk ids begin anew: the next turn is like the last in all but what it is known by.
#[tokio::test]
async fn a_server_that_comes_back_has_no_effect_after_a_deletion() {
    let Some(redis) = Redis::start() else { return };
    let (paused, other) = (open(&redis), open(&redis));
    begin(&paused, "a", 1).await;
    other.delete("a").await.unwrap();
    begin(&other, "a", 1).await;
    let before = state(&redis, "a");
    let late = paused.put("a", &[Input::Saved], &[event(EventName::Text, 2)]).await;
    assert!(matches!(late, Err(StoreError::Lost)), "{late:?}");
    let late = paused.save("a", None, told(1, 9, Some(event(EventName::Done, 9)))).await;
    assert!(matches!(late, Err(StoreError::Lost)), "{late:?}");
    paused.leave("a").await.unwrap();
    assert_eq!(state(&redis, "a"), before);
}

#[tokio::test]
async fn a_turn_that_cannot_be_read_is_in_no_other_turns_way_and_ends() {
    let Some(redis) = Redis::start() else { return };
    let (first, other) = (open(&redis), open(&redis));
    for id in ["a", "b", "c"] {
        begin(&first, id, 1).await;
    }
    redis.ask(&["HSET", "chat:{b}:turn", "begun", "?"]);
    let taken = take_over(&other).await;
    let taken: Vec<_> = taken.iter().map(|taken| taken.conversation.as_str()).collect();
    assert_eq!(taken, ["a", "c"]);
    // It may be what servers die of, too.
    redis.ask(&["HSET", "chat:{b}:turn", "epoch", "16"]);
    take_over(&other).await;
    let place = other.place("b").await.unwrap();
    assert_eq!((place.running, place.last_chunk_id), (None, 100), "what is reserved is told of it");
    assert!(!redis.ask(&["ZRANGE", "chat:running", "0", "-1"]).contains("\"b\""), "nobody takes it again");
}

#[tokio::test]
async fn an_event_that_cannot_be_read_ends_one_copy_only() {
    let Some(redis) = Redis::start() else { return };
    let store = open(&redis);
    for id in ["a", "b"] {
        begin(&store, id, 1).await;
        store.put(id, &[], &[event(EventName::Text, 1)]).await.unwrap();
    }
    redis.ask(&["XADD", "chat:{a}:live:1", "2-0", "event", "?"]);
    let tail = |id: &str| Tail { conversation: id.to_owned(), first: 1, after: 0 };
    let tails = store.tails(vec![tail("a"), tail("b")]).await.unwrap();
    assert_eq!(tails, [None, Some(vec![event(EventName::Text, 1)])]);
}

#[tokio::test]
async fn what_is_asked_of_a_turn_is_not_asked_of_the_next_one() {
    let Some(redis) = Redis::start() else { return };
    let (store, other) = (open(&redis), open(&redis));
    begin(&store, "a", 1).await;
    end(&store, "a", 1, 5).await;
    begin(&store, "a", 6).await;
    other.taken("a", 1, 9).await.unwrap();
    assert!(!other.stop("a", 1).await.unwrap());
    let standing = store.put("a", &[], &[]).await.unwrap();
    assert_eq!((standing.is_to_stop, standing.taken, standing.is_read), (false, 0, false));
    other.taken("a", 6, 9).await.unwrap();
    assert!(other.stop("a", 6).await.unwrap());
    let standing = store.put("a", &[], &[]).await.unwrap();
    assert_eq!((standing.is_to_stop, standing.taken, standing.is_read), (true, 9, true));
}
