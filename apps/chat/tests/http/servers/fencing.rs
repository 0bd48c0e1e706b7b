//! Stores side by side: what a server may still do to a turn that is not its own any more.

use std::sync::Arc;
use std::time::Duration;

use chat::conversation::{Assistant, Conversation, Said};
use chat::store::{Begun, Input, Lease, Running, Store, StoreError, Then, Write};
use chat::wire::{Envelope, Event, EventName, MessageType};
use serde_json::json;

use super::{Behind, LEASE};
use crate::world::today;

fn event(name: EventName, chunk_id: u64) -> Event {
    Event::new(name, Envelope::whole(MessageType::Text, json!({"content": ""})).numbered(chunk_id))
}

fn begun(assistant: Assistant) -> Begun {
    Begun { before: Conversation::new(assistant), said: Said::default(), today: today() }
}

async fn begin(store: &Arc<dyn Store>, id: &str, first: u64) -> Lease {
    store.begin(id, begun(Assistant::Finance), first).await.unwrap().unwrap().lease
}

async fn end(store: &Arc<dyn Store>, lease: &Lease, chunk_id: u64) {
    let last = Write { events: &[event(EventName::Done, chunk_id)], then: Then::End, ..Write::default() };
    store.write(lease, last).await.unwrap();
}

/// Takes over everything whose lease has expired.
async fn take(store: &Arc<dyn Store>) -> Vec<Running> {
    tokio::time::sleep(LEASE + Duration::from_millis(50)).await;
    let mut taken = Vec::new();
    while let Some(one) = store.take().await.unwrap() {
        taken.push(one);
    }
    taken
}

/// Refuses the writes of a server that was paused: after a takeover, and in the next turn.
#[tokio::test]
async fn a_server_that_comes_back_has_no_effect() {
    for behind in Behind::all() {
        let store = behind.open();
        let other = if let Behind::Nothing = behind { store.clone() } else { behind.open() };
        let paused = begin(&store, "a", 1).await;
        let is_without_effect = async || {
            let before = (store.read("a", 0).await.unwrap(), store.load("a").await.unwrap().conversation);
            for then in [Then::Hold, Then::Leave, Then::End] {
                let late =
                    Write { inputs: &[Input::Run], events: &[event(EventName::Text, 7)], conversation: None, then };
                let late = store.write(&paused, late).await;
                assert!(matches!(late, Err(StoreError::Lost)), "{late:?}");
            }
            assert_eq!((store.read("a", 0).await.unwrap(), store.load("a").await.unwrap().conversation), before);
        };
        let mut taken = take(&other).await;
        let taken = taken.pop().unwrap();
        assert_eq!((taken.lease.owners, taken.inputs.len()), (2, 0));
        is_without_effect().await;
        end(&other, &taken.lease, 1).await;
        is_without_effect().await;
        let next = begin(&other, "a", 2).await;
        is_without_effect().await;
        end(&other, &next, 2).await;
        // Nor does a turn begin beside another, or with a chunk id that is used.
        assert!(other.begin("a", begun(Assistant::Form), 2).await.unwrap().is_none());
        let running = begin(&other, "a", 3).await;
        assert!(other.begin("a", begun(Assistant::Form), 3).await.unwrap().is_none());
        assert_ne!(running.token, paused.token);
        // A stop applies to one turn only.
        assert!(store.stop("a", 3).await.unwrap() && other.write(&running, Write::default()).await.unwrap());
        end(&other, &running, 3).await;
        assert!(!store.stop("a", 3).await.unwrap());
        let next = begin(&other, "a", 4).await;
        assert!(!store.stop("a", 3).await.unwrap());
        assert!(!other.write(&next, Write::default()).await.unwrap());
    }
}

#[tokio::test]
async fn a_turn_that_cannot_be_read_is_in_no_other_turns_way_and_ends() {
    let Some(mut behind) = Behind::redis() else { return };
    let (first, other) = (behind.open(), behind.open());
    for id in ["a", "b", "c"] {
        begin(&first, id, 1).await;
    }
    behind.as_redis().ask(&["HSET", "chat:{b}:turn", "begun", "?"]);
    let taken = take(&other).await;
    assert_eq!(taken.iter().map(|taken| taken.lease.id.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(other.read("b", 0).await.unwrap().running, None);
}

/// Leaves no gap in a turn of which Redis has lost the end, as after a restart without all that it had acknowledged.
#[tokio::test]
async fn a_turn_whose_end_is_lost_continues_from_what_is_left() {
    let Some(mut behind) = Behind::redis() else { return };
    let store = behind.open();
    for lost in ["inputs", "events"] {
        let lease = begin(&store, lost, 1).await;
        let step = |at: u64| event(EventName::Text, at);
        for at in 1..=2 {
            let more = Write { inputs: &[Input::Run], events: &[step(at)], ..Write::default() };
            store.write(&lease, more).await.unwrap();
        }
        let key = format!("chat:{{{lost}}}:{lost}");
        behind.as_redis().ask(&["XDEL", &key, "2-0"]);
        behind.as_redis().ask(&["XSETID", &key, "1-0"]);
        let more = Write { events: &[step(3)], ..Write::default() };
        assert!(matches!(store.write(&lease, more).await, Err(StoreError::Lost)), "{lost}");
        let taken = take(&store).await.pop().unwrap();
        let (inputs, told) = if lost == "inputs" { (1, 2) } else { (2, 1) };
        assert_eq!((taken.inputs.len(), taken.told.len()), (inputs, told), "{lost}");
        end(&store, &taken.lease, told as u64 + 1).await;
    }
}

/// Takes a turn over that is missing in the list of running turns, once its conversation is read.
#[tokio::test]
async fn a_turn_whose_hint_is_lost_is_taken_over_once_it_is_read() {
    let Some(mut behind) = Behind::redis() else { return };
    let store = behind.open();
    begin(&store, "a", 1).await;
    behind.as_redis().ask(&["DEL", "chat:running"]);
    assert_eq!(take(&store).await.len(), 0);
    assert!(!store.read("a", 0).await.unwrap().is_held);
    assert!(store.take().await.unwrap().is_some());
}
