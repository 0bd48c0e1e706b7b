//! The tool loop: no tool, one tool, several at once, one after another, and tools that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{Turn, World, limits};

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

#[tokio::test]
async fn no_tool() {
    for assistant in ["finance", "restaurant"] {
        let world = World::start().await;
        let turn = world.turn("a", assistant, "Good morning").await;
        turn.assert_done();
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
    let turn = world.turn("a", "finance", "My accounts?").await;
    turn.assert_done();
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
    let turn = world.turn("a", "finance", "What did I spend on groceries last month?").await;
    turn.assert_done();
    let input = json!({"from": "2026-09-01", "to": "2026-09-30", "category": "groceries"});
    let result = json!({"from": "2026-09-01", "to": "2026-09-30", "category": "groceries", "transactions": 2, "total_cents": 11_600, "currency": "EUR"});
    let id = "toolu_0001";
    let raw = r#"{"from": "2026-09-01", "to": "2026-09-30", "category": "groceries"}"#;
    assert_eq!(
        cards(&turn),
        [
            json!({"id": id, "name": "get_spending_summary", "input": input, "raw": cards(&turn)[0]["raw"], "status": "done", "result": result})
        ]
    );
    let runs = cards(&turn)[0]["raw"].as_array().unwrap().clone();
    assert_eq!(runs.iter().map(|run| run["text"].as_str().unwrap()).collect::<String>(), raw);
    assert_eq!(runs[1], json!({"text": "\"2026-09-01\"", "goes": "shown", "path": "/input/from"}));
    // The dates came in pieces.
    let pieces = turn.events.iter().filter(|event| event.data.delta_path.as_deref() == Some("/input/from"));
    assert!(pieces.count() >= 3);
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
    world.turn("a", "finance", "Compare my spending this month to last month").await.assert_done();
    assert_eq!(world.journal().seen().requests.last().unwrap()["messages"].as_array().unwrap().len(), 7);
    assert_eq!(world.journal().seen().refusals, [""; 0]);
}

#[tokio::test]
async fn two_tools_at_once() {
    let world = World::start().await;
    let turn = world.turn("a", "finance", "Compare my spending this month to last month").await;
    turn.assert_done();
    let totals: Vec<_> = cards(&turn).iter().map(|card| card["result"]["total_cents"].clone()).collect();
    assert_eq!(totals, [176_150, 128_500]);
    assert_eq!(
        turn.text(),
        "Let me compare the two months. From 1 October 2026 to 31 October 2026 you spent €1,761.50. \
         From 1 September 2026 to 30 September 2026 you spent €1,285.00."
    );
    let results = turn.events.iter().filter(|event| event.event == EventName::ToolResult);
    // Each is a thread of one block, from its first chunk on.
    let mut threads: Vec<_> = results.map(|event| event.data.thread_id.clone().unwrap()).collect();
    threads.sort_unstable();
    assert_eq!(threads, ["toolu_0001", "toolu_0001", "toolu_0002", "toolu_0002"]);
    let blocks: Vec<_> = turn.merged(MessageType::ToolResult).iter().map(|it| it.block_id.clone().unwrap()).collect();
    assert_eq!(blocks, ["b1.3", "b1.3"]);

    let message = r#"Both #tool:find_restaurants:{"cuisine":"thai"} #tool:find_restaurants:{"cuisine":"italian","date":"2026-12-24"}"#;
    let turn = world.turn("b", "restaurant", message).await;
    turn.assert_done();
    let found: Vec<_> =
        cards(&turn).iter().map(|card| card["result"]["restaurants"].as_array().unwrap().len()).collect();
    assert_eq!(found, [1, 2]);
}

#[tokio::test]
async fn a_tools_own_error_goes_to_the_model() {
    let world = World::start().await;
    for (conversation, assistant, message, error) in [
        (
            "a",
            "finance",
            r#"#tool:get_spending_summary:{"from":"2026-10-31","to":"2026-10-01"}"#,
            "the first day, 2026-10-31, is behind the last, 2026-10-01",
        ),
        (
            "b",
            "restaurant",
            r#"#tool:book_table:{"restaurant":"Sakura","date":"2026-11-07","time":"19:30","party":12}"#,
            "Sakura has no table for 12, at most for 6",
        ),
    ] {
        let turn = world.turn(conversation, assistant, message).await;
        turn.assert_done();
        let card = &cards(&turn)[0];
        assert_eq!((&card["status"], &card["error"]), (&json!("failed"), &json!(error)));
        assert!(turn.text().contains(error), "{}", turn.text());
        let sent = world.journal().seen().requests.last().unwrap()["messages"][2]["content"][0].clone();
        assert_eq!((&sent["is_error"], &sent["content"]), (&json!(true), &json!(error)));
    }
}

#[tokio::test]
async fn a_tool_after_a_tool() {
    let world = World::start().await;
    let turn = world.turn("a", "finance", "Which account did I spend most from?").await;
    turn.assert_done();
    let names: Vec<_> = cards(&turn).iter().map(|card| card["name"].clone()).collect();
    let summary = "get_spending_summary";
    assert_eq!(names, ["list_accounts", summary, summary, summary]);
    let accounts: Vec<_> = cards(&turn)[1..].iter().map(|card| card["input"]["account"].clone()).collect();
    assert_eq!(accounts, ["giro", "savings", "card"]);
    // The model, the tool, the model, the tools, the model: five blocks.
    let blocks: Vec<_> = turn.merged(MessageType::Text).iter().map(|message| message.block_id.clone()).collect();
    assert_eq!(blocks, ["b1.2", "b1.4", "b1.6"].map(|block| Some(block.to_owned())));
    let ran: Vec<_> = turn.merged(MessageType::ToolResult).iter().map(|it| it.block_id.clone().unwrap()).collect();
    assert_eq!(ran, ["b1.3", "b1.5", "b1.5", "b1.5"]);
    // The fullest account is another one.
    let answer = "You spent most from Giro: €1,073.00 from 1 October 2026 to 31 October 2026.";
    assert!(turn.text().ends_with(answer), "{}", turn.text());

    let turn = world.turn("b", "restaurant", "Find an Italian place and book it").await;
    turn.assert_done();
    assert_eq!(cards(&turn)[1]["result"]["restaurant"], "Napoli");
    assert!(turn.text().ends_with("Your table at Napoli is booked: 31 October 2026 at 19:30, for 2."));
}

/// Returns a toolbox of tools that fail.
fn odd_tools(runs: &Arc<AtomicUsize>) -> impl FnOnce(Assistants) -> Assistants {
    let runs = runs.clone();
    let any = json!({"type": "object"});
    let count = Tool::new("count", "Counts.", any.clone(), move |_: Value| {
        let runs = runs.clone();
        async move { Ok(json!(runs.fetch_add(1, Ordering::Relaxed) + 1)) }
    });
    let panic = Tool::new("panic", "Panics.", any.clone(), |_: Value| async { panic!("as asked") });
    let hang = Tool::new("hang", "Hangs.", any, |_: Value| std::future::pending());
    move |assistants| Assistants {
        finance: Toolbox::new(vec![count, panic, hang], Duration::from_millis(200)),
        ..assistants
    }
}

#[tokio::test]
async fn tools_fail_alone() {
    let runs = Arc::default();
    let world = World::start_with(limits(), odd_tools(&runs)).await;
    let started = std::time::Instant::now();
    let message = "All #tool:panic #tool:hang #tool:count #tool:hang #tool:none";
    let turn = world.turn("a", "finance", message).await;
    turn.assert_done();
    let outcomes: Vec<_> = cards(&turn).iter().map(|card| (card["status"].clone(), card["error"].clone())).collect();
    let failed = |error: &str| (json!("failed"), json!(error));
    assert_eq!(
        outcomes,
        [
            failed("the tool has crashed"),
            failed("the tool has not answered within 200 ms"),
            (json!("done"), Value::Null),
            failed("the tool has not answered within 200 ms"),
            failed("there is no tool named `none`"),
        ]
    );
    assert!(started.elapsed() < Duration::from_secs(5), "side by side");
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

/// Runs calls side by side: each of two tools waits for the other one.
#[tokio::test]
async fn calls_of_one_answer_run_at_the_same_time() {
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let meet = |name: &str| {
        let both = both.clone();
        Tool::new(name, "Meets the other.", json!({"type": "object"}), move |_: Value| {
            let both = both.clone();
            async move {
                both.wait().await;
                Ok(json!("met"))
            }
        })
    };
    let toolbox = Toolbox::new(vec![meet("one"), meet("other")], Duration::from_secs(5));
    let world = World::start_with(limits(), |it| Assistants { finance: toolbox, ..it }).await;
    let turn = world.turn("a", "finance", "Do #tool:one #tool:other").await;
    turn.assert_done();
    let results: Vec<_> = cards(&turn).iter().map(|card| card["result"].clone()).collect();
    assert_eq!(results, ["met", "met"]);
}

#[tokio::test]
async fn what_is_not_whole_is_never_run() {
    let runs = Arc::default();
    let world = World::start_with(limits(), odd_tools(&runs)).await;
    for (fault, words) in [("malformed", "malformed"), ("truncated", "truncated")] {
        let message = format!(r#"Do #{fault} #tool:count:{{"a":[1,2],"b":"text"}}"#);
        let turn = world.turn(fault, "finance", &message).await;
        turn.assert_done();
        let card = &cards(&turn)[0];
        assert_eq!(card["status"], "failed");
        assert!(card["error"].as_str().unwrap().contains(words), "{card}");
        assert_eq!(runs.load(Ordering::Relaxed), 0);
        // The raw text goes back to the model, marked as what it is.
        let sent = world.journal().seen().requests.last().unwrap()["messages"][1]["content"][1]["input"].clone();
        assert!(sent["INVALID_JSON"].as_str().unwrap().starts_with('{'), "{sent}");
    }
    // A key that comes twice is no input either: the second one could replace what was shown.
    let turn = world.turn("c", "finance", r#"Do #tool:count:{"a":1,"a":2}"#).await;
    assert!(cards(&turn)[0]["error"].as_str().unwrap().contains("duplicate key"), "{:?}", cards(&turn));
    let turn = world.turn("d", "finance", "Do #tool:count:[1]").await;
    assert!(cards(&turn)[0]["error"].as_str().unwrap().contains("not an object but array"), "{:?}", cards(&turn));
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_repeated_id_runs_once() {
    let runs = Arc::default();
    let world = World::start_with(limits(), odd_tools(&runs)).await;
    let turn = world.turn("a", "finance", "Do #twice #tool:count").await;
    turn.assert_done();
    assert_eq!((cards(&turn).len(), runs.load(Ordering::Relaxed)), (1, 1));
    assert_eq!(world.stored()[1].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn rounds_have_a_bound() {
    let runs = Arc::default();
    let world = World::start_with(limits(), odd_tools(&runs)).await;
    let turn = world.turn("a", "finance", "Do #forever #tool:count").await;
    assert_eq!(turn.error(), "too_many_rounds");
    assert_eq!((runs.load(Ordering::Relaxed), world.rows().len()), (limits().rounds, 0));
}

#[tokio::test]
async fn the_month_that_is_asked_for_is_looked_up() {
    let world = World::start().await;
    for (message, from, to, told) in [
        ("Show my spending summary for November 2025", "2025-11-01", "2025-11-30", "you spent €187.40."),
        ("What did I spend on groceries last month?", "2026-09-01", "2026-09-30", "you spent €116.00 on groceries."),
    ] {
        let turn = world.turn("a", "finance", message).await;
        turn.assert_done();
        let input = &cards(&turn)[0]["input"];
        assert_eq!((&input["from"], &input["to"]), (&json!(from), &json!(to)), "{message}");
        assert!(turn.text().ends_with(told), "{}", turn.text());
    }
    let requests = world.journal().seen().requests;
    assert_eq!(requests.len(), 4, "each turn's second request is like its first");
    assert!(requests.iter().all(|it| it["temperature"] == 0.3 && it["max_tokens"] == 4096), "{requests:?}");
}

#[tokio::test]
async fn a_thought_is_told_as_it_comes() {
    let world = World::start().await;
    let turn = world.turn("a", "finance", "What did I spend on groceries last month? #think").await;
    turn.assert_done();
    let thinking = turn.merged(MessageType::Thinking);
    assert_eq!(thinking[0].block_id.as_deref(), Some("b1.2"), "in the block of its answer");
    let thought = thinking[0].props["content"].as_str().unwrap().to_owned();
    assert_eq!(thought, "The user says “What did I spend on groceries last month?”. Which scene is that?");
    assert!(turn.events.iter().filter(|event| event.event == EventName::Thinking).count() > 5, "it streams");
    let next = world.turn("a", "finance", "What did I spend on groceries last month?").await;
    assert_eq!(cards(&next).len(), 1, "its call has another id");
    assert!(!json!(world.stored()).to_string().contains("Which scene"), "it is no part of what was said");
}

/// Streams the text of a tool that is a model in its own thread, beside the tools and after a loading message.
#[tokio::test]
async fn a_models_text_streams_in_a_thread_beside_tools() {
    let world = World::start().await;
    let turn = world.turn("a", "finance", "Compare travel and get advice").await;
    turn.assert_done();
    let run: Vec<_> = turn.events.iter().filter(|event| event.data.thread_id.is_some()).collect();
    let blocks: std::collections::BTreeSet<_> = run.iter().map(|event| event.data.block_id.clone()).collect();
    let threads: std::collections::BTreeSet<_> = run.iter().map(|event| event.data.thread_id.clone()).collect();
    assert_eq!((blocks.len(), threads.len()), (1, 3), "one block, two tools and a model in it");
    let of_model: Vec<_> = run.iter().filter(|event| event.data.thread_id.as_deref() == Some("toolu_0003")).collect();
    let names: Vec<_> = of_model.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(names[..3], ["tool_result", "loading", "text"], "{names:?}");
    assert_eq!(names.last(), Some(&"tool_result"));
    assert!(names.iter().filter(|name| **name == "text").count() > 5, "{names:?}");
    // In the end the loading has given way, and the model that asked has the text as its tool's result.
    let said = turn.props(MessageType::Text);
    assert!(said.iter().any(|text| text["content"].as_str().unwrap().starts_with("Set a fixed sum aside")), "{said:?}");
    assert!(turn.props(MessageType::Loading).is_empty());
    let results = turn.props(MessageType::ToolResult);
    assert!(results.iter().any(|result| result["result"]["answer"].as_str().is_some()), "{results:?}");
}
