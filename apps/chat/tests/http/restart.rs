//! A server that ends in the middle of a turn, or can't write: no chunk id is ever sent for two things, and the answer
//! continues when the server is back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use chat::config::Limits;
use chat::wire::{Event, EventName};
use tokio::process::{Child, Command};

use crate::world::{Stream, World, limits, merged, say, start_binary};

/// Everything that clients were ever sent of a conversation.
#[derive(Default)]
struct Record(BTreeMap<u64, Event>);

impl Record {
    /// Adds events. Fails if one has the chunk id of another one, or is missing.
    fn take(&mut self, events: &[Event]) {
        for event in events {
            let known = self.0.entry(event.data.chunk_id).or_insert_with(|| event.clone());
            assert_eq!(known, event, "an id is sent for two things");
        }
        let last = *self.0.last_key_value().unwrap().0;
        assert_eq!(self.0.len() as u64, last, "nothing is missing");
    }
}

/// Starts the binary on a database.
async fn start(database: &Path) -> (Child, String) {
    start_binary([OsStr::new("--pause-ms"), "20".as_ref(), "--database".as_ref(), database.as_ref()]).await
}

async fn resume(base_url: &str, last: u64) -> Vec<Event> {
    let request = reqwest::Client::new().get(format!("{base_url}/api/chat/stream?conversationId=a&lastChunkId={last}"));
    Stream::of(request.send().await.unwrap()).rest().await
}

/// Killed at the turn's first event, in its middle, and in the turn after that; then ended by the system.
#[cfg(unix)]
#[tokio::test]
async fn a_server_that_ends_within_a_turn_sends_no_id_twice_and_continues_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chat.sqlite3");
    let (mut app, mut base_url) = start(&database).await;
    let mut record = Record::default();
    let mut last = 0;
    for (events, is_killed) in [(1, true), (9, true), (4, true), (7, false)] {
        let mut stream = Stream::of(say(&base_url, "a", "finance", "#random:1:200").await);
        let mut told = Vec::new();
        for _ in 0..events {
            told.push(stream.next().await.unwrap());
        }
        if is_killed {
            app.kill().await.unwrap();
        } else {
            let end = Command::new("kill").args(["-TERM", &app.id().unwrap().to_string()]).status();
            assert!(end.await.unwrap().success() && app.wait().await.unwrap().success());
            // The connection ends in order.
            told.extend(stream.rest().await);
        }
        record.take(&told);
        (app, base_url) = start(&database).await;
        let mut clients: Vec<_> = told.iter().map(|event| event.data.chunk_id).collect();
        clients.extend([0, last]);
        for client in clients {
            let rest = resume(&base_url, client).await;
            record.take(&rest);
            assert_eq!(rest.last().unwrap().event, EventName::Done, "{events} events, after {client}");
        }
        last = *record.0.last_key_value().unwrap().0;
    }
    let merger = merged(record.0.values());
    let texts = merger.messages().filter(|message| message.props["content"].is_string());
    assert_eq!(texts.filter(|message| message.props["content"] == *chat::scripted::random_text(1, 200)).count(), 4);
}

/// Sends no event that can't be stored. The stream ends with an error, and the answer continues afterwards.
#[tokio::test]
async fn a_store_that_is_lost_ends_the_stream_and_the_answer_can_be_retried() {
    let world =
        World::start_with(Limits { lease: Duration::from_millis(400), ..limits() }, |assistants| assistants).await;
    let mut stream = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    world.execute(
        "CREATE TRIGGER events BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END;
         CREATE TRIGGER inputs BEFORE INSERT ON inputs BEGIN SELECT RAISE(ABORT, 'full'); END;
         CREATE TRIGGER running BEFORE INSERT ON running BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    world.journal().release();
    let mut told = stream.rest().await;
    let error = told.pop().unwrap();
    assert_eq!(
        (error.event, &error.data.props["kind"], error.data.chunk_id),
        (EventName::Error, &"store_failed".into(), 0)
    );
    let refused = world.post("b", "finance", "Hello?").await;
    assert_eq!(refused.status(), 500);
    assert!(refused.text().await.unwrap().contains("store_failed"));
    assert_eq!(world.resume("b", 0).await.status(), 204, "that turn has not begun");

    world.execute("DROP TRIGGER events; DROP TRIGGER inputs; DROP TRIGGER running");
    world.journal().release();
    let rest = world.rest("a", told.last().unwrap().data.chunk_id).await;
    let mut record = Record::default();
    record.take(&told);
    record.take(&rest);
    assert_eq!(rest.last().unwrap().event, EventName::Done);
    assert_eq!(world.turn("b", "finance", "Hello?").await.events[0].data.chunk_id, 1);
}

#[tokio::test]
async fn a_turn_has_a_longest_length() {
    let world = World::start_with(Limits { turn: 20_000, ..limits() }, |assistants| assistants).await;
    let turn = world.turn("a", "finance", "#random:1:20000").await;
    assert_eq!((turn.error().as_str(), turn.events.len() < 200), ("answer_too_long", true));
    world.turn("a", "finance", "Good morning").await.assert_done();
}
