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
