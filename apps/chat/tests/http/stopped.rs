//! Stopped turns: what was shown is saved and marked, the results of tools are known, and the conversation continues.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::wire::{Event, MessageType};
use serde_json::{Value, json};

use crate::world::{Stream, World, limits, merged};

/// The model's note about a stopped answer.
const NOTE: &str = "(The answer before this message was stopped before its end.)";

async fn stop(world: &World, conversation: &str) {
    assert_eq!(world.ask("/api/chat/stop", &json!({"conversationId": conversation})).await.status(), 204);
}

/// Returns the stored messages as roles and blocks.
fn stored(world: &World) -> Vec<(String, Vec<Value>)> {
    let message = |row: String| {
        let mut cells = row.splitn(4, " | ").skip(2).map(str::to_owned);
        let role = cells.next().unwrap().trim_matches('"').to_owned();
        (role, serde_json::from_str(&cells.next().unwrap()).unwrap())
    };
    world.table("messages").into_iter().map(message).collect()
}

/// Returns the texts of an answer on the screen.
fn seen(events: &[Event]) -> String {
    let merger = merged(events);
    let mut texts = Vec::new();
    for message in merger.messages() {
        match message.message_type {
            MessageType::Text => texts.push(message.props["content"].clone()),
            MessageType::Ask => {
                texts.push(message.props["simple_response"]["message"].clone());
                let slots = message.props["ask_slots"].as_array().cloned().unwrap_or_default();
                texts.extend(slots.into_iter().map(|slot| slot["message"].clone()));
            }
            MessageType::Form => texts.push(message.props["raw"].clone()),
            _ => {}
        }
    }
    let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

#[tokio::test]
async fn what_was_shown_is_saved_and_marked() {
    for (assistant, message) in [
        ("shopping", "I want chips for a party #hold"),
        ("shopping", "Hello there #hold"),
        ("finance", "Good morning #hold"),
        ("restaurant", "I like Thai food #hold"),
        ("form", "Four days around the Øresund #hold"),
    ] {
        let mut world = World::start().await;
        let mut stream = Stream::of(world.post("a", assistant, message).await);
        let mut told = Vec::new();
        while seen(&told).len() < 12 {
            told.push(stream.next().await.unwrap());
        }
        stop(&world, "a").await;
        told.extend(stream.rest().await);
        assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
        let shown = seen(&told);
        let expected = vec![
            ("user".to_owned(), vec![json!({"type": "text", "text": message})]),
            ("assistant".to_owned(), vec![json!({"type": "text", "text": shown}), json!({"type": "stopped"})]),
        ];
        assert_eq!(stored(&world), expected, "{message}");
        // The provider's request has ended, and the session is as it was.
        world.journal().wait_for(|seen| seen.open == 0).await;
        assert_eq!(world.table("sessions").len(), 0);
        // A reload shows it, also after a restart.
        assert_eq!(world.rest("a", 0).await, told);
        world.restart();
        assert_eq!(world.rest("a", 0).await, told);
        // The next turn knows of it, in words that the provider takes.
        world.turn("a", assistant, "Good evening").await.assert_done();
        assert_eq!(stored(&world)[..2], expected, "{message}");
        assert_eq!(stored(&world).len(), 4);
        let seen = world.journal().seen();
        assert_eq!(seen.refusals, [""; 0]);
        if assistant != "form" {
            let messages = &seen.requests.last().unwrap()["messages"];
            assert_eq!(messages[1], json!({"role": "assistant", "content": [{"type": "text", "text": shown}]}));
            let texts = json!([{"type": "text", "text": NOTE}, {"type": "text", "text": "Good evening"}]);
            assert_eq!(messages[2], json!({"role": "user", "content": texts}));
        }
    }
}

#[tokio::test]
async fn a_turn_that_is_stopped_before_its_first_word_is_known() {
    let world = World::start().await;
    let mut stream = Stream::of(world.post("a", "finance", "Good morning #slow:10000").await);
    world.journal().wait_for(|seen| seen.open == 1).await;
    stop(&world, "a").await;
    let told = stream.rest().await;
    assert_eq!((told.last().unwrap().data.props["kind"].as_str(), seen(&told).as_str()), (Some("stopped"), ""));
    let text = json!({"type": "text", "text": "Good morning #slow:10000"});
    let expected =
        [("user".to_owned(), vec![text.clone()]), ("assistant".to_owned(), vec![json!({"type": "stopped"})])];
    assert_eq!(stored(&world), expected);
    world.turn("a", "finance", "Good evening").await.assert_done();
    let messages = world.journal().seen().requests.last().unwrap()["messages"].clone();
    let texts = json!([text, {"type": "text", "text": NOTE}, {"type": "text", "text": "Good evening"}]);
    assert_eq!(messages, json!([{"role": "user", "content": texts}]));
}

/// Returns a fast tool and one that never ends. Each counts its runs.
fn fast_and_slow(count: &Arc<AtomicUsize>) -> Toolbox {
    let tool = |name: &str, is_slow: bool| {
        let count = count.clone();
        Tool::new(name, "Counts.", json!({"type": "object"}), move |_: Value| {
            let count = count.clone();
            async move {
                count.fetch_add(1, Ordering::Relaxed);
                if is_slow {
                    std::future::pending::<()>().await;
                }
                Ok(json!({"number": 42}))
            }
        })
    };
    Toolbox::new(vec![tool("fast", false), tool("slow", true)], limits().tool)
}

#[tokio::test]
async fn a_tool_that_was_done_has_its_result_and_one_that_ran_is_not_run_again() {
    for assistant in ["finance", "restaurant"] {
        let count = Arc::default();
        let toolbox = fast_and_slow(&count);
        let change =
            |assistants: Assistants| Assistants { finance: toolbox.clone(), restaurant: toolbox, ..assistants };
        let world = World::start_with(limits(), change).await;
        let mut stream = Stream::of(world.post("a", assistant, "Do #tool:fast #tool:slow").await);
        // The fast one has its result.
        stream.until(|event| event.data.props["status"] == "done").await;
        stop(&world, "a").await;
        let told = stream.rest().await;
        assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
        let all = stored(&world);
        let roles: Vec<&str> = all.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["user", "assistant", "user", "assistant"], "{assistant}");
        let calls: Vec<&Value> = all[1].1.iter().filter(|block| block["type"] == "tool_use").collect();
        let [fast, slow] = &all[2].1[..] else { panic!("{:?}", all[2]) };
        assert_eq!([&fast["tool_use_id"], &slow["tool_use_id"]], [&calls[0]["id"], &calls[1]["id"]]);
        assert_eq!((&fast["content"], fast.get("is_error")), (&json!("{\"number\":42}"), None));
        assert!(slow["content"].as_str().unwrap().contains("do not repeat it"), "{slow}");
        assert_eq!((&slow["is_error"], &all[3].1), (&json!(true), &vec![json!({"type": "stopped"})]));
        world.turn("a", assistant, "Good evening").await.assert_done();
        assert_eq!((world.journal().seen().refusals, count.load(Ordering::Relaxed)), (Vec::<String>::new(), 2));
    }
}

#[tokio::test]
async fn a_booking_before_the_stop_is_not_made_again() {
    let world = World::start().await;
    let mut stream = Stream::of(world.post("a", "restaurant", "Book a table at Napoli for two #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    world.journal().release();
    // The booking is made; its confirmation is being written.
    world.journal().wait_for(|seen| seen.count == 2 && seen.held == 1).await;
    stop(&world, "a").await;
    assert_eq!(stream.rest().await.last().unwrap().data.props["kind"], "stopped");
    let all = stored(&world);
    assert_eq!((all.len(), &all[2].1[0]["type"]), (4, &json!("tool_result")), "each step once: {all:?}");
    assert_eq!(all[3].1.last(), Some(&json!({"type": "stopped"})));
    let turn = world.turn("a", "restaurant", "Book a table at Napoli for two").await;
    turn.assert_done();
    let bookings = stored(&world).into_iter().flat_map(|(_, blocks)| blocks);
    assert_eq!(bookings.filter(|block| block["name"] == "book_table").count(), 1, "{}", turn.text());
    assert_eq!(world.journal().seen().refusals, [""; 0]);
}

/// Leaves a valid conversation wherever a turn is stopped: the roles alternate, and every call has one result.
#[tokio::test]
async fn stopped_at_any_event_it_is_a_conversation() {
    let world = World::start().await;
    for at in (1..60).step_by(3) {
        let conversation = format!("c{at}");
        let mut stream =
            Stream::of(world.post(&conversation, "restaurant", "Book a table at Napoli for two #slow:1").await);
        let mut count = 0;
        stream
            .until(|event| {
                count += 1;
                count == at || event.event.ends_stream()
            })
            .await;
        let response = world.ask("/api/chat/stop", &json!({"conversationId": conversation})).await;
        assert!([204, 409].contains(&response.status().as_u16()));
        stream.rest().await;
        world.turn(&conversation, "restaurant", "Good evening").await.assert_done();
        assert_eq!(world.journal().seen().refusals, [""; 0], "at {at}");
    }
    assert!(world.table("messages").iter().any(|row| row.contains("stopped")));
}
