//! A server that ends in the middle of a turn, or can't write what it has told: no chunk id is ever told for two things,
//! and every client that comes back goes on, wherever it was.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use chat::config::Limits;
use chat::wire::{Event, EventName};
use serde_json::json;
use tokio::process::{Child, Command};

use crate::world::{Stream, World, limits, merged, say, start_binary};

/// All that clients were ever told of a conversation.
#[derive(Default)]
struct Record(BTreeMap<u64, Event>);

impl Record {
    fn take(&mut self, events: &[Event]) {
        for event in events {
            let known = self.0.entry(event.data.chunk_id).or_insert_with(|| event.clone());
            assert_eq!(known, event, "an id is told for two things");
        }
    }

    fn last(&self) -> u64 {
        *self.0.last_key_value().unwrap().0
    }
}

/// A client that was told these events, and is told those when it comes back, has all of the stream.
fn check_goes_on(before: &[Event], rest: &[Event]) {
    let merger = merged(before.iter().chain(rest));
    assert_eq!(merger.last_chunk_id(), rest.last().unwrap().data.chunk_id);
}

/// The binary on a database, and a client of it.
async fn start(database: &Path) -> (Child, String) {
    start_binary([OsStr::new("--pause-ms"), "20".as_ref(), "--database".as_ref(), database.as_ref()]).await
}

async fn send(base_url: &str, message: &str) -> Stream {
    Stream::of(say(base_url, "a", "finance", message).await)
}

async fn resume(base_url: &str, last: u64) -> Vec<Event> {
    let request = reqwest::Client::new().get(format!("{base_url}/api/chat/stream?conversationId=a&lastChunkId={last}"));
    Stream::of(request.send().await.unwrap()).rest().await
}

#[tokio::test]
async fn a_server_killed_within_a_turn_tells_no_id_twice_and_every_client_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chat.sqlite3");
    let (mut app, mut base_url) = start(&database).await;
    let mut record = Record::default();
    let mut told = send(&base_url, "Good morning").await.rest().await;
    // Killed at the turn's first event, in its middle, and in the turn after that.
    for events in [1, 9, 4] {
        let mut stream = send(&base_url, "#random:1:2000").await;
        for _ in 0..events {
            told.push(stream.next().await.unwrap());
        }
        record.take(&told);
        app.kill().await.unwrap();
        (app, base_url) = start(&database).await;
        // Wherever a client was, it goes on, and hears of it.
        let mut rest = Vec::new();
        for (at, seen) in told.iter().enumerate().rev().take(20) {
            rest = resume(&base_url, seen.data.chunk_id).await;
            record.take(&rest);
            check_goes_on(&told[..=at], &rest);
            let last = &rest.last().unwrap().data;
            assert_eq!((last.props["kind"].as_str(), last.follows.is_some()), (Some("broken_off"), true));
        }
        check_goes_on(&[], &resume(&base_url, 0).await);
        told = resume(&base_url, 0).await;
        assert_eq!(told.last(), rest.last());
    }
    let before = record.last();
    let next = send(&base_url, "Thank you").await.rest().await;
    record.take(&next);
    assert_eq!((next[0].data.chunk_id, next.last().unwrap().event), (before + 1, EventName::Done));
    check_goes_on(&told, &next);
}

#[tokio::test]
async fn what_was_told_and_could_not_be_stored_is_not_told_for_something_else() {
    for is_restarted in [false, true] {
        let mut world = World::start().await;
        let mut record = Record::default();
        let mut told = world.turn("a", "finance", "Good morning").await.events;
        let mut stream = Stream::of(world.post("a", "finance", "And now? #hold").await);
        world.journal().wait_for(|seen| seen.held == 1).await;
        for change in ["INSERT", "UPDATE", "DELETE"] {
            let sql =
                format!("CREATE TRIGGER no{change} BEFORE {change} ON told BEGIN SELECT RAISE(ABORT, 'full'); END");
            world.execute(&sql);
        }
        world.journal().release();
        told.extend(stream.rest().await);
        record.take(&told);
        let broken_off = told.last().unwrap().clone();
        assert_eq!(broken_off.data.props["kind"], "broken_off", "what the store has is what is told");
        // As long as nothing can be stored, nothing is told.
        let refused = world.post("a", "finance", "Hello?").await;
        assert_eq!(refused.status(), 500);
        assert!(refused.text().await.unwrap().contains("store_failed"));
        assert_eq!(world.journal().seen().count, 2);
        if is_restarted {
            world.restart();
            let before = told.iter().position(|event| event.event == EventName::Done).unwrap();
            for last in [before + 1, before + 3, told.len() - 1] {
                let after = world.rest("a", told[last - 1].data.chunk_id).await;
                record.take(&after);
                assert_eq!(after, std::slice::from_ref(&broken_off), "of the turn only that it has ended");
                check_goes_on(&told[..last], &after);
            }
        }
        world.execute("DROP TRIGGER noINSERT; DROP TRIGGER noUPDATE; DROP TRIGGER noDELETE");
        let next = world.turn("a", "finance", "Better?").await;
        next.assert_done();
        record.take(&next.events);
        for last in [0, 2, told.len() - 3, told.len()] {
            let id = told[..last].last().map_or(0, |event| event.data.chunk_id);
            let rest = world.rest("a", id).await;
            record.take(&rest);
            check_goes_on(&told[..last], &rest);
            assert_eq!(rest.last(), next.events.last());
        }
    }
}

#[tokio::test]
async fn a_turn_that_can_not_be_reserved_does_not_begin() {
    let world = World::start().await;
    world.execute("CREATE TRIGGER no BEFORE INSERT ON told BEGIN SELECT RAISE(ABORT, 'full'); END");
    let refused = world.post("a", "finance", "Hello?").await;
    assert_eq!(refused.status(), 500);
    assert!(refused.text().await.unwrap().contains("store_failed"));
    assert_eq!((world.journal().seen().count, world.resume("a", 0).await.status().as_u16()), (0, 204));
    world.execute("DROP TRIGGER no");
    let turn = world.turn("a", "finance", "Hello?").await;
    assert_eq!(turn.events[0].data.chunk_id, 1);
}

#[tokio::test]
async fn a_turn_has_as_many_events_as_are_reserved() {
    let limits = Limits { events: 40, ..limits() };
    let world = World::start_with(limits, |assistants| assistants).await;
    let turn = world.turn("a", "finance", "#random:1:2000").await;
    assert_eq!((turn.error().as_str(), turn.events.len()), ("answer_too_long", 40));
    assert_eq!(world.turn("a", "finance", "Good morning").await.events[0].data.chunk_id, 41);
}

/// What is reserved is given back: a client sees no gap as long as nothing goes wrong with the server itself.
#[tokio::test]
async fn a_turn_that_fails_takes_no_more_ids_than_it_has_told() {
    let mut world = World::start().await;
    let mut last = 0;
    for message in ["Good morning", "Good morning #status:400", "#break Good morning", "My accounts"] {
        let turn = world.turn("a", "finance", message).await;
        assert_eq!(turn.events[0].data.chunk_id, last + 1);
        last = turn.last_chunk_id();
        world.restart();
    }
    assert_eq!(world.resume("a", last + 1).await.status(), 410);
}

/// Ended in order, a server loses nothing of what it has told.
#[tokio::test]
async fn a_server_that_is_stopped_stores_what_its_turns_have_told() {
    let mut world = World::start().await;
    let mut told = world.turn("a", "finance", "Good morning").await.events;
    let mut stream = Stream::of(world.post("a", "finance", "And now? #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    let reading = tokio::spawn(async move { stream.rest().await });
    world.stop_and_restart().await;
    told.extend(reading.await.unwrap());
    let last = &told.last().unwrap().data;
    assert_eq!((&last.props["kind"], last.chunk_id, last.follows), (&json!("broken_off"), told.len() as u64, None));
    assert_eq!(world.table("messages").len(), 2, "nothing of the turn is saved");
    for seen in 0..told.len() {
        assert_eq!(world.rest("a", seen as u64).await, told[seen..], "behind {seen}");
    }
    assert_eq!(world.turn("a", "finance", "Better?").await.events[0].data.chunk_id, told.len() as u64 + 1);
}

#[cfg(unix)]
#[tokio::test]
async fn the_binary_ends_in_order_when_the_system_asks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chat.sqlite3");
    let (mut app, base_url) = start(&database).await;
    let mut stream = send(&base_url, "#random:1:2000").await;
    let mut told = vec![stream.next().await.unwrap(), stream.next().await.unwrap()];
    let status = Command::new("kill").args(["-TERM", &app.id().unwrap().to_string()]).status().await.unwrap();
    assert!(status.success());
    told.extend(stream.rest().await);
    assert!(app.wait().await.unwrap().success());
    assert_eq!(told.last().unwrap().event, EventName::Error);
    let (_app, base_url) = start(&database).await;
    assert_eq!(resume(&base_url, 0).await, told);
}
