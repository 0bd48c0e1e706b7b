//! Turns whose server is told to end, whose program has changed, or whose keys must be nobody else's.

use std::sync::Mutex;
use std::time::Duration;

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::wire::EventName;
use serde_json::{Value, json};

use super::{Servers, last_id};

/// By whom each tool was run: the keys, or nothing of one that has none.
static RUNS: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());

fn runs(wanted: &str) -> Vec<String> {
    RUNS.lock().unwrap().iter().filter(|(name, _)| *name == wanted).map(|(_, key)| key.clone()).collect()
}

fn tools(mut assistants: Assistants) -> Assistants {
    let any = || json!({"type": "object"});
    let key = Tool::keyed("key", "Knows its key.", any(), |key: String, _: Value| {
        RUNS.lock().unwrap().push(("key", key));
        async { Ok(json!("done")) }
    });
    let slow = Tool::new("slow", "Books something.", any(), |_: Value| {
        RUNS.lock().unwrap().push(("slow", String::new()));
        async {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
            Ok(json!("booked"))
        }
    });
    assistants.finance = Toolbox::new(vec![key, slow], Duration::from_secs(20));
    assistants
}

#[tokio::test]
async fn a_server_that_is_told_to_end_waits_for_a_tool_that_cannot_be_repeated() {
    let Some(mut world) = Servers::start_with(2, Duration::ZERO, tools).await else { return };
    let mut stream = world.send(0, "a", "finance", "#tool:slow").await;
    let mut told = stream.until(|event| event.data.props["status"] == "running").await;
    while runs("slow").is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    world.servers[0].take().unwrap().stop().await;
    told.extend(world.rest(1, "a", last_id(&told)).await);
    assert_eq!(told.last().unwrap().event, EventName::Done);
    let result = told.iter().find(|event| event.data.props["status"] == "done").expect("it is not lost");
    assert_eq!((&result.data.props["result"], runs("slow").len()), (&json!("booked"), 1));
}

/// As if another version of the server had taken the turn over.
#[tokio::test]
async fn what_was_told_stays_told_if_another_version_tells_something_else() {
    let Some(mut world) = Servers::start(2).await else { return };
    let mut stream = world.send(0, "a", "finance", "Good morning #hold").await;
    stream.until(|event| event.event == EventName::Text && event.data.delta).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.kill(0);
    let client = redis::Client::open(world.redis.url()).unwrap();
    let mut connection = client.get_connection().unwrap();
    let live = "chat:{a}:live:1";
    let mut all = redis::cmd("XRANGE");
    let all: Vec<(String, (String, String))> = all.arg(live).arg("-").arg("+").query(&mut connection).unwrap();
    redis::cmd("DEL").arg(live).exec(&mut connection).unwrap();
    let mut changed = 0;
    for (id, (field, text)) in all {
        let other = text.replace("Good morning #hold", "Good night");
        changed += usize::from(other != text);
        redis::cmd("XADD").arg(live).arg(id).arg(field).arg(other).exec(&mut connection).unwrap();
    }
    assert_eq!(changed, 1);
    // All that anybody may have been told of it.
    let mut other = crate::world::Stream::of(world.resume(1, "a", 0).await);
    let told = other.rest().await;
    assert_eq!(told.last().unwrap().data.props["kind"], "broken_off", "{:?}", told.last());
    let again = world.rest(1, "a", 0).await;
    world.servers[1] = Some(world.server());
    assert_eq!(again, told);
    assert_eq!(world.rest(1, "a", 0).await, told, "from the store");
}

#[tokio::test]
async fn a_key_never_comes_twice_even_after_a_deletion() {
    let Some(world) = Servers::start_with(1, Duration::ZERO, tools).await else { return };
    for _ in 0..2 {
        let told = world.send(0, "a", "finance", "#tool:key").await.rest().await;
        assert_eq!((told[0].data.chunk_id, told.last().unwrap().event), (1, EventName::Done));
        world.post(0, "/api/chat/delete", json!({"conversationId": "a"})).await;
    }
    let keys = runs("key");
    assert!(keys.len() == 2 && keys[0] != keys[1], "{keys:?}");
}
