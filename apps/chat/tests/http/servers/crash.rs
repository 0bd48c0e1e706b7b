//! A server that dies in a turn, after each thing that the turn takes in or tells: another goes on, and the person sees
//! what would have been seen without it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::conversation::Conversation;
use chat::store::{Redis, StoreError, Stored};
use chat::wire::{Event, EventName};
use futures::FutureExt;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::hooked::{Hook, Hooked};
use super::{Servers, cuts, last_id, seen};
use crate::world::{self, say};

/// How often a Redis is away that is.
const AWAY: usize = 3;

/// The server hangs after so many writes of a turn, and is then killed by the test.
#[derive(Debug)]
struct Crashing {
    left: AtomicUsize,
    /// How often conversations can still be asked for until that works again; it works while it is more than `AWAY`.
    away: AtomicUsize,
    /// Whether the last write is still made.
    is_late: bool,
    crashed: Arc<Notify>,
}

impl Hook for Crashing {
    fn write<'a, T: Send + 'a>(&'a self, _id: &str, write: Stored<'a, T>) -> Stored<'a, T> {
        async move {
            let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            match left {
                Ok(2..) => write.await,
                last => {
                    if last == Ok(1) && self.is_late {
                        write.await?;
                    }
                    self.crashed.notify_one();
                    std::future::pending().await
                }
            }
        }
        .boxed()
    }

    fn load<'a>(&'a self, load: Stored<'a, Option<Conversation>>) -> Stored<'a, Option<Conversation>> {
        match self.away.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |away| away.checked_sub(1)) {
            Ok(1..=AWAY) => {
                let error = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
                futures::future::ready(Err(StoreError::Redis(error.into()))).boxed()
            }
            _ => load,
        }
    }
}

/// Lets a turn be answered by a server that dies after each of its writes, before and after it takes effect; gives how
/// often it did.
async fn at_each_write(assistant: &str, message: &str) -> usize {
    let Some(world) = Servers::start(2).await else { return 0 };
    let expected = world.send(0, "undisturbed", assistant, message).await.rest().await;
    let last_word = expected.last().unwrap().clone();
    let expected = seen(&expected);
    let world = &world;
    let one = |writes: usize, is_late: bool| {
        let expected = &expected;
        let last_word = &last_word;
        async move {
            let what = format!("{assistant}, {writes}, {is_late}");
            let conversation = format!("c{writes}-{is_late}");
            let crashed = Arc::new(Notify::new());
            let store = Redis::open(&world.redis.url(), world.config.limits.lease).unwrap();
            let (left, notify) = (AtomicUsize::new(writes), crashed.clone());
            let hook = Crashing { left, away: AtomicUsize::new(0), is_late, crashed: notify };
            let dying = world.server_over(Arc::new(Hooked { store, hook }));
            let mut stream = world::Stream::of(say(&dying.base_url(), &conversation, assistant, message).await);
            let mut told = Vec::new();
            let has_crashed = loop {
                tokio::select! {
                    biased;
                    event = stream.next() => match event {
                        Some(event) => told.push(event),
                        None => break false,
                    },
                    () = crashed.notified() => break true,
                }
            };
            if !has_crashed {
                assert_eq!(seen(&told), *expected, "{what}");
                return false;
            }
            // What it has sent may still be on its way.
            drop(dying);
            let rest = world.rest(1, &conversation, last_id(&told)).await;
            told.extend(rest);
            assert!(cuts(&told) <= 1, "{what}: it is said once");
            assert_eq!(seen(&told), *expected, "{what}");
            let again = world.rest(0, &conversation, 0).await;
            assert_eq!(seen(&again), *expected, "{what}: told again");
            let last = told.last().unwrap();
            assert_eq!((last.event, &last.data.props), (last_word.event, &last_word.data.props), "{what}");
            // The conversation is as it would be.
            let next = world.send(0, &conversation, assistant, "Thank you").await.rest().await;
            assert_eq!(next.last().unwrap().event, EventName::Done, "{what}");
            true
        }
    };
    // All would take minutes; which ones are tried differs from run to run.
    let all = std::env::var("JSONSPIGOT_LAWS").is_ok_and(|laws| laws == "all");
    let (mut crashes, mut at) = (0, 0);
    loop {
        let next = |_| {
            at += if all { 1 } else { fastrand::usize(1..=30) };
            at
        };
        let writes: Vec<usize> = (0..8).map(next).collect();
        let both = writes.into_iter().flat_map(|writes| [one(writes, false), one(writes, true)]);
        let crashed = futures::future::join_all(both).await;
        crashes += crashed.iter().filter(|crashed| **crashed).count();
        if crashed.contains(&false) {
            break;
        }
    }
    println!("{assistant}: {crashes} crashes");
    assert!(crashes > 4, "{crashes}");
    crashes
}

#[tokio::test]
async fn at_each_write_of_a_classification() {
    at_each_write("shopping", "I want chips for a party").await;
}

#[tokio::test]
async fn at_each_write_of_tools_side_by_side() {
    at_each_write("finance", "Compare travel and get advice").await;
}

#[tokio::test]
async fn at_each_write_of_steps() {
    at_each_write("restaurant", "Find an Italian place and book it").await;
}

#[tokio::test]
async fn at_each_write_of_a_form() {
    at_each_write("form", "Wrong at first: four days around the Øresund").await;
}

/// It is away as soon as a turn has begun, for longer than a request waits.
#[tokio::test]
async fn a_redis_that_is_away_when_a_turn_begins_is_waited_for() {
    let Some(world) = Servers::start(0).await else { return };
    let store = Redis::open(&world.redis.url(), world.config.limits.lease).unwrap();
    let (left, away, crashed) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(AWAY + 1), Arc::new(Notify::new()));
    let hook = Crashing { left, away, is_late: false, crashed };
    let server = world.server_over(Arc::new(Hooked { store, hook }));
    let told = world::Stream::of(say(&server.base_url(), "a", "finance", "Good morning").await).rest().await;
    assert_eq!(told.last().unwrap().event, EventName::Done, "{:?}", told.last());
}

/// How often each call was carried out, by its key.
static RUNS: std::sync::Mutex<Vec<(&str, String)>> = std::sync::Mutex::new(Vec::new());

fn tools(mut assistants: Assistants) -> Assistants {
    let any = || json!({"type": "object"});
    let note = |name, key| RUNS.lock().unwrap().push((name, key));
    let done = Tool::keyed("done", "Is done.", any(), move |key, _: Value| {
        note("done", key);
        async { Ok(json!("done")) }
    });
    // Each hangs on the server that dies.
    let keyed = Tool::keyed("keyed", "Knows its key.", any(), move |key: String, _: Value| {
        note("keyed", key.clone());
        let runs = RUNS.lock().unwrap().iter().filter(|(name, known)| *name == "keyed" && *known == key).count();
        async move { if runs > 1 { Ok(json!("once")) } else { std::future::pending().await } }
    });
    let once = Tool::new("once", "Knows nothing.", any(), move |_: Value| {
        note("once", String::new());
        std::future::pending::<Result<Value, String>>()
    });
    assistants.finance = Toolbox::new(vec![done, keyed, once], std::time::Duration::from_secs(20));
    assistants
}

#[tokio::test]
async fn a_tool_whose_result_is_stored_is_not_run_again_and_another_only_with_its_key() {
    let Some(mut world) = Servers::start_with(2, std::time::Duration::ZERO, tools).await else { return };
    let mut stream = world.send(0, "a", "finance", "#tool:done #tool:keyed #tool:once").await;
    let mut told = stream.until(|event| event.data.props["status"] == "done").await;
    assert_eq!(world.provider.journal().seen().count, 1);
    world.kill(0);
    told.extend(world.rest(1, "a", last_id(&told)).await);
    assert_eq!((told.last().unwrap().event, cuts(&told)), (EventName::Done, 0));
    assert_eq!(world.provider.journal().seen().count, 2, "the first answer is not asked for again");
    let runs = RUNS.lock().unwrap().clone();
    let keys = |wanted: &'static str| runs.iter().filter(move |(name, _)| *name == wanted).map(|(_, key)| key);
    assert_eq!((keys("done").count(), keys("keyed").count(), keys("once").count()), (1, 2, 1));
    let key: Vec<_> = keys("keyed").collect();
    assert!(key[0] == key[1] && key[0].starts_with("a/1/"), "{key:?}");
    let asked = world.provider.journal().seen().requests.last().unwrap().to_string();
    assert_eq!(asked.matches("the result was lost").count(), 1, "{asked}");
}

/// In the middle of an answer, it is asked for again. What was shown of it is taken back, and that is said.
#[tokio::test]
async fn an_answer_that_has_begun_is_asked_for_again() {
    let Some(mut world) = Servers::start(3).await else { return };
    let expected = world.send(2, "b", "finance", "Good morning").await.rest().await;
    let mut stream = world.send(0, "a", "finance", "Good morning #hold").await;
    let mut told = stream.until(|event| event.event == EventName::Text && event.data.delta).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.kill(0);
    let waiting = Stream::of_server(&world, 1, last_id(&told)).await;
    world.provider.journal().wait_for(|seen| seen.count == 3).await;
    // The one that is waited for twice: both answers are held.
    world.provider.journal().release();
    world.provider.journal().release();
    told.extend(waiting.await.unwrap());
    assert_eq!((told.last().unwrap().event, cuts(&told)), (EventName::Done, 1));
    let says_so = |event: &&Event| event.data.props["message"].as_str().is_some_and(|words| words.contains("is gone"));
    assert_eq!(told.iter().filter(says_so).count(), 1);
    let text = |messages: &[Value]| messages.iter().filter(|it| it["type"] == "text").cloned().collect::<Vec<_>>();
    assert_eq!(text(&seen(&told)).len(), text(&seen(&expected)).len());
}

struct Stream;

impl Stream {
    /// Reads the rest in the background.
    async fn of_server(world: &Servers, server: usize, last: u64) -> tokio::task::JoinHandle<Vec<Event>> {
        let response = world.resume(server, "a", last).await;
        tokio::spawn(async move { crate::world::Stream::of(response).rest().await })
    }
}
