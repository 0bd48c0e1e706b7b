//! The tool loop: no tool, one tool, several at once, one after another, and tools that fail.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{Turn, World, limits};

const GROCERIES: &str = "What did I spend on groceries last month?";
const COMPARE: &str = "Compare my spending this month to last month";

/// Returns the calls, each with its result.
fn cards(turn: &Turn) -> Vec<Value> {
    let mut cards = turn.props(MessageType::ToolCall);
    for result in turn.props(MessageType::ToolResult) {
        let card = cards.iter_mut().find(|card| card["id"] == result["id"]).unwrap();
        assert_eq!(card["status"], "called");
        card.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
    }
    cards
}

/// Returns one member of each card.
fn all(turn: &Turn, pointer: &str) -> Vec<Value> {
    cards(turn).iter().map(|card| card.pointer(pointer).cloned().unwrap_or_default()).collect()
}

fn blocks(turn: &Turn, message_type: MessageType) -> Vec<String> {
    turn.merged(message_type).iter().map(|message| message.block_id.clone().unwrap()).collect()
}

#[tokio::test]
async fn no_tool() {
    for assistant in ["finance", "restaurant"] {
        let world = World::start().await;
        let turn = world.done("a", assistant, "Good morning").await;
        assert_eq!(turn.names(), ["user_message", "text", "context", "text", "done"]);
        assert_eq!(turn.events[1].event, EventName::Loading);
        assert_eq!(turn.merged(MessageType::Loading).len(), 0, "it has given way to the text");
        assert!(turn.text().starts_with("I am a scripted model"));
        assert_eq!(world.stored()[1], json!([{"type": "text", "text": turn.text()}]));
    }
}

#[tokio::test]
async fn one_tool_without_input() {
    let world = World::start().await;
    let turn = world.done("a", "finance", "My accounts?").await;
    assert_eq!(turn.names(), ["user_message", "text", "tool_start", "tool_input", "tool_result", "text", "done"]);
    let card = &cards(&turn)[0];
    assert_eq!((&card["name"], &card["input"], &card["status"]), (&json!("list_accounts"), &json!({}), &json!("done")));
    assert_eq!(
        turn.text(),
        "Let me look at your accounts first. You have 3 accounts: Giro with €1,842.50, Savings with €12,500.00, Credit card with −€319.99."
    );
    assert_eq!(world.stored()[1][1]["input"], json!({}));
}

#[tokio::test]
async fn dates_in_the_input_are_told_as_they_come_and_stored_whole() {
    let mut world = World::start().await;
    let turn = world.done("a", "finance", GROCERIES).await;
    let input = json!({"from": "2026-09-01", "to": "2026-09-30", "category": "groceries"});
    let result = json!({"from": "2026-09-01", "to": "2026-09-30", "category": "groceries", "transactions": 2, "total_cents": 11_600, "currency": "EUR"});
    let id = "toolu_0001";
    let raw = r#"{"from": "2026-09-01", "to": "2026-09-30", "category": "groceries"}"#;
    let runs = cards(&turn)[0]["raw"].clone();
    assert_eq!(
        cards(&turn),
        [
            json!({"id": id, "name": "get_spending_summary", "input": input, "raw": runs, "status": "done", "result": result})
        ]
    );
    assert_eq!(runs.as_array().unwrap().iter().map(|run| run["text"].as_str().unwrap()).collect::<String>(), raw);
    assert_eq!(runs[1], json!({"text": "\"2026-09-01\"", "goes": "shown", "path": "/input/from"}));
    assert!(turn.pieces("/input/from").len() >= 3, "the dates came in pieces");
    assert_eq!(
        turn.text(),
        "Let me look that up. 📊 From 1 September 2026 to 30 September 2026 you spent €116.00 on groceries."
    );
    // The text before the tool, the call with its whole input, its result, the answer.
    assert_eq!(
        world.stored()[1],
        json!([
            {"type": "text", "text": "Let me look that up. 📊 "},
            {"type": "tool_use", "id": id, "name": "get_spending_summary", "input": input}
        ])
    );
    assert_eq!(world.stored()[2][0]["tool_use_id"], id);
    assert_eq!(serde_json::from_str::<Value>(world.stored()[2][0]["content"].as_str().unwrap()).unwrap(), result);
    // The conversation continues after a restart: the provider would refuse a call without its result.
    world.restart();
    world.done("a", "finance", COMPARE).await;
    assert_eq!(world.journal().seen().requests.last().unwrap()["messages"].as_array().unwrap().len(), 7);
}

#[tokio::test]
async fn two_tools_at_once() {
    let world = World::start().await;
    let turn = world.done("a", "finance", COMPARE).await;
    assert_eq!(all(&turn, "/result/total_cents"), [176_150, 128_500]);
    assert_eq!(
        turn.text(),
        "Let me compare the two months. From 1 October 2026 to 31 October 2026 you spent €1,761.50. \
         From 1 September 2026 to 30 September 2026 you spent €1,285.00."
    );
    // Each is a thread of one block, from its first chunk on.
    let results = turn.events.iter().filter(|event| event.event == EventName::ToolResult);
    let mut threads: Vec<_> = results.map(|event| event.data.thread_id.clone().unwrap()).collect();
    threads.sort_unstable();
    assert_eq!(threads, ["toolu_0001", "toolu_0001", "toolu_0002", "toolu_0002"]);
    assert_eq!(blocks(&turn, MessageType::ToolResult), ["b1.3", "b1.3"]);
}

#[tokio::test]
async fn a_tool_after_a_tool() {
    let world = World::start().await;
    let turn = world.done("a", "finance", "Which account did I spend most from?").await;
    let summary = "get_spending_summary";
    assert_eq!(all(&turn, "/name"), ["list_accounts", summary, summary, summary]);
    assert_eq!(all(&turn, "/input/account")[1..], ["giro", "savings", "card"]);
    // The model, the tool, the model, the tools, the model: five blocks.
    assert_eq!(blocks(&turn, MessageType::Text), ["b1.2", "b1.4", "b1.6"]);
    assert_eq!(blocks(&turn, MessageType::ToolResult), ["b1.3", "b1.5", "b1.5", "b1.5"]);
    // The fullest account is another one.
    let answer = "You spent most from Giro: €1,073.00 from 1 October 2026 to 31 October 2026.";
    assert!(turn.text().ends_with(answer), "{}", turn.text());

    let turn = world.done("b", "restaurant", "Find an Italian place and book it").await;
    assert_eq!(cards(&turn)[1]["result"]["restaurant"], "Napoli");
    assert!(turn.text().ends_with("Your table at Napoli is booked: 31 October 2026 at 19:30, for 2."));
}

#[tokio::test]
async fn a_tools_own_error_goes_to_the_model() {
    let world = World::start().await;
    for (assistant, message, error) in [
        (
            "finance",
            r#"#tool:get_spending_summary:{"from":"2026-10-31","to":"2026-10-01"}"#,
            "the first day, 2026-10-31, is behind the last, 2026-10-01",
        ),
        (
            "restaurant",
            r#"#tool:book_table:{"restaurant":"Sakura","date":"2026-11-07","time":"19:30","party":12}"#,
            "Sakura has no table for 12, at most for 6",
        ),
    ] {
        let turn = world.done(assistant, assistant, message).await;
        assert_eq!((all(&turn, "/status"), all(&turn, "/error")), (vec![json!("failed")], vec![json!(error)]));
        assert!(turn.text().contains(error), "{}", turn.text());
        let sent = world.journal().seen().requests.last().unwrap()["messages"][2]["content"][0].clone();
        assert_eq!((&sent["is_error"], &sent["content"]), (&json!(true), &json!(error)));
    }
}

/// Starts a world with tools that count their runs, fail, or wait for another one.
async fn odd_tools() -> (World, Arc<AtomicUsize>) {
    let (runs, both) = (Arc::new(AtomicUsize::new(0)), Arc::new(tokio::sync::Barrier::new(2)));
    let any = json!({"type": "object"});
    let counted = runs.clone();
    let count = Tool::new("count", "Counts.", any.clone(), move |_: Value| {
        let count = counted.fetch_add(1, Ordering::Relaxed) + 1;
        async move { Ok(json!(count)) }
    });
    let panic = Tool::new("panic", "Panics.", any.clone(), |_: Value| async { panic!("as asked") });
    let hang = Tool::new("hang", "Hangs.", any.clone(), |_: Value| std::future::pending());
    let meet = Tool::new("meet", "Meets another one.", any, move |_: Value| {
        let both = both.clone();
        async move {
            both.wait().await;
            Ok(json!("met"))
        }
    });
    let finance = Toolbox::new(vec![count, panic, hang, meet], Duration::from_millis(500));
    (World::start_with(limits(), |it| Assistants { finance, ..it }).await, runs)
}

#[tokio::test]
async fn calls_of_one_answer_run_at_the_same_time_and_fail_alone() {
    let (world, runs) = odd_tools().await;
    let started = Instant::now();
    let message = "All #tool:panic #tool:meet #tool:hang #tool:count #tool:meet #tool:none";
    let turn = world.done("a", "finance", message).await;
    assert_eq!(all(&turn, "/status"), ["failed", "done", "failed", "done", "done", "failed"]);
    assert_eq!(all(&turn, "/result"), [Value::Null, json!("met"), Value::Null, json!(1), json!("met"), Value::Null]);
    let (crash, late) = (json!("the tool has crashed"), json!("the tool has not answered within 500 ms"));
    let none = json!("there is no tool named `none`");
    assert_eq!(all(&turn, "/error"), [crash, Value::Null, late, Value::Null, Value::Null, none]);
    assert!(started.elapsed() < Duration::from_secs(5), "side by side");
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn what_is_not_whole_is_never_run() {
    let (world, runs) = odd_tools().await;
    for (message, error, raw) in [
        (r#"#malformed #tool:count:{"a":[1,2],"b":"text"}"#, "malformed", "{"),
        (r#"#truncated #tool:count:{"a":[1,2],"b":"text"}"#, "truncated", "{"),
        // A key that comes twice is no input either: the second one could replace what was shown.
        (r#"#tool:count:{"a":1,"a":2}"#, "duplicate key", "{"),
        ("#tool:count:[1]", "not an object but array", "["),
    ] {
        let turn = world.done(error.split(' ').next().unwrap(), "finance", message).await;
        let card = &cards(&turn)[0];
        assert_eq!((&card["status"], runs.load(Ordering::Relaxed)), (&json!("failed"), 0));
        assert!(card["error"].as_str().unwrap().contains(error), "{card}");
        // The raw text goes back to the model, marked as what it is.
        let sent = world.journal().seen().requests.last().unwrap()["messages"][1]["content"][1]["input"].clone();
        assert!(sent["INVALID_JSON"].as_str().unwrap().starts_with(raw), "{sent}");
    }
}

#[tokio::test]
async fn a_repeated_id_runs_once() {
    let (world, runs) = odd_tools().await;
    let turn = world.done("a", "finance", "Do #twice #tool:count").await;
    assert_eq!((cards(&turn).len(), runs.load(Ordering::Relaxed)), (1, 1));
    assert_eq!(world.stored()[1].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn rounds_have_a_bound() {
    let (world, runs) = odd_tools().await;
    assert_eq!(world.turn("a", "finance", "Do #forever #tool:count").await.error(), "too_many_rounds");
    assert_eq!((runs.load(Ordering::Relaxed), world.rows().len()), (limits().rounds, 0));
}

#[tokio::test]
async fn the_month_that_is_asked_for_is_looked_up() {
    let world = World::start().await;
    let turn = world.done("a", "finance", "Show my spending summary for November 2025").await;
    assert_eq!(cards(&turn)[0]["input"], json!({"from": "2025-11-01", "to": "2025-11-30"}));
    assert!(turn.text().ends_with("you spent €187.40."), "{}", turn.text());
    let requests = world.journal().seen().requests;
    assert_eq!(requests.len(), 2, "the second request is like the first");
    assert!(requests.iter().all(|it| it["temperature"] == 0.3 && it["max_tokens"] == 4096), "{requests:?}");
}

#[tokio::test]
async fn a_thought_is_told_as_it_comes() {
    let world = World::start().await;
    let turn = world.done("a", "finance", &format!("{GROCERIES} #think")).await;
    assert_eq!(blocks(&turn, MessageType::Thinking), ["b1.2"], "in the block of its answer");
    let thought = format!("The user says “{GROCERIES}”. Which scene is that?");
    assert_eq!(turn.props(MessageType::Thinking), [json!({"content": thought})]);
    assert!(turn.count(EventName::Thinking) > 5, "it streams");
    let next = world.done("a", "finance", GROCERIES).await;
    assert_eq!(cards(&next).len(), 1, "its call has another id");
    assert!(!json!(world.stored()).to_string().contains("Which scene"), "it is no part of what was said");
}

/// Streams the text of a tool that is a model in its own thread, beside the tools and after a loading message.
#[tokio::test]
async fn a_models_text_streams_in_a_thread_beside_tools() {
    let world = World::start().await;
    let turn = world.done("a", "finance", "Compare travel and get advice").await;
    let run: Vec<_> = turn.events.iter().filter(|event| event.data.thread_id.is_some()).collect();
    let blocks: BTreeSet<_> = run.iter().map(|event| &event.data.block_id).collect();
    let threads: BTreeSet<_> = run.iter().map(|event| &event.data.thread_id).collect();
    assert_eq!((blocks.len(), threads.len()), (1, 3), "one block, two tools and a model in it");
    let of_model = run.iter().filter(|event| event.data.thread_id.as_deref() == Some("toolu_0003"));
    let names: Vec<_> = of_model.map(|event| event.event.as_str()).collect();
    assert_eq!(names[..3], ["tool_result", "loading", "text"], "{names:?}");
    assert_eq!(names.last(), Some(&"tool_result"));
    assert!(names.iter().filter(|name| **name == "text").count() > 5, "{names:?}");
    // In the end the loading has given way, and the model that asked has the text as its tool's result.
    assert!(turn.text().contains("Set a fixed sum aside"), "{}", turn.text());
    assert!(turn.props(MessageType::Loading).is_empty());
    assert!(all(&turn, "/result/answer")[2].as_str().unwrap().starts_with("Set a fixed sum aside"));
}
