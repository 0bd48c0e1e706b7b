//! The binary killed, or told to end, at random moments of each assistant's turn: everything that was sent or saved is
//! shown, nothing twice, and the answers continue.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use chat::provider::{Message, Role};
use chat::wire::{Event, EventName, MessageType};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::world::{Stream, merged, say, start_binary};

/// The number of kills, and the milliseconds within which they come: a little longer than the longest turn takes.
const MOMENTS: u64 = 12;
const LONGEST: u64 = 1_000;

const TURNS: [(&str, &str); 4] = [
    ("shopping", "I want chips for a party"),
    ("finance", "Compare my spending this month to last month"),
    ("restaurant", "Book a table at Napoli for two"),
    ("form", "Wrong at first: four days around the Øresund"),
];

async fn start(database: &Path, pause_ms: &str) -> (Child, String) {
    start_binary(database, pause_ms, &[], Stdio::null()).await
}

/// Begins a turn of each assistant, and reads until the connections break.
async fn begin(base_url: &str) -> Vec<JoinHandle<Vec<Event>>> {
    let mut reading = Vec::new();
    for (assistant, message) in TURNS {
        let stream = Stream::of(say(base_url, assistant, assistant, message).await);
        reading.push(tokio::spawn(stream.until_broken_off()));
    }
    reading
}

/// Returns everything that a tab receives that has seen nothing.
async fn reload(base_url: &str, assistant: &str) -> Vec<Event> {
    let response = reqwest::get(format!("{base_url}/api/chat/stream?conversationId={assistant}")).await.unwrap();
    Stream::of(response).rest().await
}

/// Returns the stored messages' blocks, with their roles.
fn stored(database: &Path, assistant: &str) -> Vec<(Role, Value)> {
    let connection = rusqlite::Connection::open(database).unwrap();
    let sql = "SELECT message FROM messages WHERE conversation_id = ?1 ORDER BY position";
    let mut statement = connection.prepare(sql).unwrap();
    let mut blocks = Vec::new();
    for message in statement.query_map([assistant], |row| row.get::<_, String>(0)).unwrap() {
        let Message { role, content } = serde_json::from_str(&message.unwrap()).unwrap();
        blocks.extend(content.into_iter().map(|block| (role, json!(block))));
    }
    blocks
}

/// Checks that everything that is stored is shown, each thing once.
fn check_shown(told: &[Event], stored: &[(Role, Value)], what: &str) {
    let merger = merged(told);
    let shown = |wanted: MessageType| merger.messages().filter(move |message| message.message_type == wanted);
    for (role, block) in stored {
        let count = match block["type"].as_str().unwrap() {
            "text" if *role == Role::User => {
                shown(MessageType::User).filter(|it| it.props["content"] == block["text"]).count()
            }
            "tool_use" => shown(MessageType::ToolCall).filter(|it| it.props["id"] == block["id"]).count(),
            "tool_result" => shown(MessageType::ToolResult).filter(|it| it.props["id"] == block["tool_use_id"]).count(),
            _ => continue,
        };
        assert_eq!(count, 1, "{what}: {block}");
    }
}

#[tokio::test]
async fn killed_at_any_moment_it_shows_what_was_saved_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut unfinished = 0;
    for moment in 0..MOMENTS {
        let database = folder.path().join(format!("{moment}.sqlite3"));
        let (mut app, base_url) = start(&database, "10").await;
        let reading = begin(&base_url).await;
        tokio::time::sleep(Duration::from_millis(moment * LONGEST / MOMENTS + fastrand::u64(..LONGEST / MOMENTS)))
            .await;
        if cfg!(unix) && moment % 2 == 1 {
            let end = Command::new("kill").args(["-TERM", &app.id().unwrap().to_string()]).status();
            assert!(end.await.unwrap().success() && app.wait().await.unwrap().success());
        } else {
            app.kill().await.unwrap();
        }
        let sent = futures::future::join_all(reading).await;
        let before = TURNS.map(|(assistant, _)| stored(&database, assistant));
        let (_app, base_url) = start(&database, "0").await;
        for (((assistant, _), before), sent) in TURNS.into_iter().zip(before).zip(sent) {
            let what = format!("{assistant}, moment {moment}");
            let told = reload(&base_url, assistant).await;
            assert_eq!(told.last().unwrap().event, EventName::Done, "{what}");
            let sent = sent.unwrap();
            assert_eq!(told[..sent.len()], sent, "{what}: what was sent stays, with its numbers");
            let after = stored(&database, assistant);
            assert_eq!(after[..before.len()], before, "{what}: what was saved stays");
            check_shown(&told, &after, &what);
            unfinished += u64::from(after.len() > before.len());
            let bookings = after.iter().filter(|(_, block)| block["name"] == "book_table").count();
            assert_eq!(bookings, usize::from(assistant == "restaurant"), "{what}: nothing is booked twice");
            let next = Stream::of(say(&base_url, assistant, assistant, "Thank you").await).rest().await;
            assert_eq!(next.last().unwrap().event, EventName::Done, "{what}");
        }
    }
    println!("{unfinished} of {} turns were unfinished", 4 * MOMENTS);
    assert!(unfinished >= MOMENTS, "{unfinished} were unfinished");
}
