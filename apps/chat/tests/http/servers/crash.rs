//! A server that dies in a turn, after each thing that the turn takes in or sends: another one continues, and the person
//! sees what would have been seen without it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::store::{Begun, Input, Lease, Running, State, Store, Stored, Tail, Then, Write};
use chat::wire::{Event, EventName};
use futures::FutureExt;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Behind, Servers, cuts, is_done, last_id, seen};

/// A store that hangs after a number of writes, or in certain ones, before or after the last one takes effect.
#[derive(Debug)]
struct Crashing {
    store: Arc<dyn Store>,
    left: AtomicUsize,
    hangs_in: fn(&Write<'_>) -> bool,
    is_late: bool,
    crashed: Notify,
}

impl Crashing {
    /// Returns a store that hangs in certain writes only.
    fn within(store: &Arc<dyn Store>, is_late: bool, hangs_in: fn(&Write<'_>) -> bool) -> Arc<Self> {
        let (left, crashed) = (AtomicUsize::new(usize::MAX), Notify::new());
        Arc::new(Self { store: store.clone(), left, hangs_in, is_late, crashed })
    }
}

impl Store for Crashing {
    fn load<'a>(&'a self, id: &'a str) -> Stored<'a, State> {
        self.store.load(id)
    }

    fn begin<'a>(&'a self, id: &'a str, begun: Begun, first: u64) -> Stored<'a, Option<Running>> {
        self.store.begin(id, begun, first)
    }

    fn write<'a>(&'a self, lease: &'a Lease, more: Write<'a>) -> Stored<'a, bool> {
        async move {
            let left = match (self.hangs_in)(&more) {
                true => Ok(1),
                false => self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)),
            };
            if let Ok(2..) = left {
                return self.store.write(lease, more).await;
            }
            if left == Ok(1) && self.is_late {
                self.store.write(lease, more).await?;
            }
            self.crashed.notify_one();
            std::future::pending().await
        }
        .boxed()
    }

    fn read<'a>(&'a self, id: &'a str, after: u64) -> Stored<'a, Tail> {
        self.store.read(id, after)
    }

    fn take(&self) -> Stored<'_, Option<Running>> {
        // It takes no turn over by itself.
        async { Ok(None) }.boxed()
    }

    fn stop<'a>(&'a self, id: &'a str, first: u64) -> Stored<'a, bool> {
        self.store.stop(id, first)
    }
}

/// Has a turn answered by servers that die after one write after the other, before and after it takes effect.
async fn at_each_write(behind: Behind, assistant: &str, message: &str) {
    let world = &Servers::start(behind, 2).await;
    let told = world.at(0).done("undisturbed", assistant, message).await.events;
    let (expected, last) = (&seen(&told), &told.last().unwrap().data.props);
    let one = |writes: usize, is_late: bool| async move {
        let (what, id) = (format!("{assistant}, {writes}, {is_late}"), format!("c{writes}-{is_late}"));
        let store = Crashing::within(&world.store, is_late, |_| false);
        store.left.store(writes, Ordering::SeqCst);
        let (dying, site) = world.server_over(store.clone());
        let mut stream = site.send(&id, assistant, message).await;
        let mut told = Vec::new();
        let has_crashed = loop {
            tokio::select! {
                biased;
                event = stream.next() => match event {
                    Some(event) if event.data.chunk_id == 0 => {}
                    Some(event) => told.push(event),
                    None => break false,
                },
                () = store.crashed.notified() => break true,
            }
        };
        drop(dying);
        if has_crashed {
            told.extend(world.at(1).rest(&id, last_id(&told)).await);
        }
        assert_eq!((&seen(&told), &told.last().unwrap().data.props), (expected, last), "{what}");
        assert_eq!(&seen(&world.at(0).rest(&id, 0).await), expected, "{what}: read again");
        // The conversation is as it would be.
        world.at(0).done(&id, assistant, "Thank you").await;
        has_crashed
    };
    // All would take minutes; which ones are tried differs from run to run.
    let step = if std::env::var("JSONSPIGOT_LAWS").is_ok_and(|laws| laws == "all") { 1 } else { 20 };
    let (mut crashes, mut at) = (0, 0);
    loop {
        let mut next = || {
            at += fastrand::usize(1..=step);
            at
        };
        let writes: [usize; 6] = std::array::from_fn(|_| next());
        let both = writes.into_iter().flat_map(|writes| [one(writes, false), one(writes, true)]);
        let crashed = futures::future::join_all(both).await;
        crashes += crashed.iter().filter(|crashed| **crashed).count();
        if crashed.contains(&false) {
            break;
        }
    }
    println!("{assistant}: {crashes} crashes");
    assert!(crashes > 4, "{crashes}");
}

#[tokio::test]
async fn at_each_write_of_a_classification() {
    at_each_write(Behind::Nothing, "shopping", "I want chips for a party").await;
}

#[tokio::test]
async fn at_each_write_of_tools_side_by_side() {
    for behind in Behind::all() {
        at_each_write(behind, "finance", "Compare travel and get advice").await;
    }
}

#[tokio::test]
async fn at_each_write_of_steps() {
    for behind in Behind::all() {
        at_each_write(behind, "restaurant", "Find an Italian place and book it").await;
    }
}

#[tokio::test]
async fn at_each_write_of_a_form() {
    at_each_write(Behind::Nothing, "form", "Wrong at first: four days around the Øresund").await;
}

/// The calls that were carried out, with their keys.
static RUNS: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());

/// Returns the keys of a tool's runs.
fn runs(wanted: &str) -> Vec<String> {
    RUNS.lock().unwrap().iter().filter(|(name, _)| *name == wanted).map(|(_, key)| key.clone()).collect()
}

fn tools(mut assistants: Assistants) -> Assistants {
    let any = || json!({"type": "object"});
    let note = |name, key| RUNS.lock().unwrap().push((name, key));
    let done = Tool::keyed("done", "Is done.", any(), move |key, _: Value| {
        note("done", key);
        async { Ok(json!("done")) }
    });
    // Both hang on the server that dies.
    let keyed = Tool::keyed("keyed", "Knows its key.", any(), move |key: String, _: Value| {
        note("keyed", key.clone());
        let count = runs("keyed").iter().filter(|known| **known == key).count();
        async move { if count > 1 { Ok(json!("once")) } else { std::future::pending().await } }
    });
    let once = Tool::new("once", "Knows nothing.", any(), move |_: Value| {
        note("once", String::new());
        std::future::pending::<Result<Value, String>>()
    });
    assistants.finance = Toolbox::new(vec![done, keyed, once], Duration::from_secs(20));
    assistants
}

#[tokio::test]
async fn a_tool_whose_result_is_stored_is_not_run_again_and_another_only_with_its_key() {
    let mut world = Servers::start_with(Behind::Nothing, 2, tools).await;
    let mut stream = world.at(0).send("a", "finance", "#tool:done #tool:keyed #tool:once").await;
    let mut told = stream.until(|event| event.data.props["status"] == "done").await;
    assert_eq!(world.provider.journal().seen().count, 1);
    world.kill(0);
    told.extend(world.at(1).rest("a", last_id(&told)).await);
    assert_eq!((is_done(&told), cuts(&told)), (true, 0));
    assert_eq!(world.provider.journal().seen().count, 2, "the first answer is not asked for again");
    let (done, keyed, once) = (runs("done"), runs("keyed"), runs("once"));
    assert_eq!((done.len(), keyed.len(), once.len()), (1, 2, 1));
    assert!(keyed[0] == keyed[1] && keyed[0].starts_with("a/1/"), "{keyed:?}");
    let asked = world.provider.journal().seen().requests.last().unwrap().to_string();
    assert_eq!(asked.matches("the result was lost").count(), 1, "{asked}");
}

#[tokio::test]
async fn what_is_on_its_way_to_the_store_at_a_stop_is_not_lost() {
    for behind in Behind::all() {
        let is_redis = !matches!(behind, Behind::Nothing);
        let world = Servers::start(behind, 1).await;
        // A write to SQLite can't be broken off after it took effect.
        for is_late in [false, true].into_iter().filter(|is_late| is_redis || !is_late) {
            let is_delta =
                |more: &Write<'_>| more.then == Then::Hold && more.events.iter().any(|event| event.data.delta);
            let store = Crashing::within(&world.store, is_late, is_delta);
            let ((_server, site), id) = (world.server_over(store.clone()), format!("c{is_late}"));
            let mut stream = site.send(&id, "finance", "Good morning").await;
            store.crashed.notified().await;
            assert_eq!(site.stop(&id).await, 204);
            let told = stream.rest().await;
            assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
            assert!(told.iter().map(|event| event.data.chunk_id).eq(1..=told.len() as u64), "{told:?}");
            assert_eq!(world.at(0).rest(&id, 0).await, told);
        }
    }
}

/// Runs no tool on the next server, if the person has stopped the answer before.
#[tokio::test]
async fn a_stop_that_is_stored_counts_on_the_next_server() {
    let world = Servers::start_with(Behind::Nothing, 1, tools).await;
    let store = Crashing::within(&world.store, false, |more| more.inputs.contains(&Input::Run));
    let (dying, site) = world.server_over(store.clone());
    let mut stream = site.send("stopped", "finance", "#tool:done").await;
    let told = stream.until(|event| event.event == EventName::ToolStart).await;
    store.crashed.notified().await;
    assert!(world.store.stop("stopped", 1).await.unwrap());
    drop(dying);
    let rest = world.at(0).rest("stopped", last_id(&told)).await;
    assert_eq!(rest.last().unwrap().data.props["kind"], "stopped");
    assert!(runs("done").iter().all(|key| !key.starts_with("stopped/")), "{:?}", runs("done"));
}

/// Asks the provider again after a crash in the middle of an answer. Takes back what was shown of it, and says so.
#[tokio::test]
async fn an_answer_that_has_begun_is_asked_for_again() {
    let mut world = Servers::start(Behind::Nothing, 2).await;
    let (_stream, mut told) = world.held("Good morning").await;
    world.kill(0);
    // Both answers are held.
    world.provider.journal().release();
    world.provider.journal().release();
    told.extend(world.at(1).rest("a", last_id(&told)).await);
    assert_eq!((is_done(&told), cuts(&told), world.provider.journal().seen().count), (true, 1, 2));
    let says_so = |event: &&Event| event.data.props["message"].as_str().is_some_and(|words| words.contains("is gone"));
    assert_eq!(told.iter().filter(says_so).count(), 1);
    assert_eq!(seen(&told).iter().filter(|message| message["type"] == "text").count(), 1);
}

/// Ends a turn that another version of the server has taken over and would continue differently.
#[tokio::test]
async fn what_was_sent_stays_if_another_version_sends_something_else() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 1).await;
    let _held = world.held("Good morning").await;
    world.kill(0);
    let redis = world.behind.as_redis();
    let begun = "local begun = string.gsub(redis.call('HGET', KEYS[1], 'begun'), 'morning', 'night') \
                 return redis.call('HSET', KEYS[1], 'begun', begun)";
    redis.ask(&["EVAL", begun, "1", "chat:{a}:turn"]);
    world.servers[0] = Some(world.server_over(world.store.clone()));
    let told = world.at(0).rest("a", 0).await;
    assert_eq!(told.last().unwrap().data.props["kind"], "broken_off", "{:?}", told.last());
    assert_eq!(told[0].data.props["content"], "Good morning #hold");
    assert_eq!(world.at(0).rest("a", 0).await, told);
}
