//! Hidden context: never in the visible text, streamed as updates, stored at the end.

use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{World, saying};

/// Returns the text on the screen after each event.
fn seen(turn: &crate::world::Turn) -> Vec<String> {
    let deltas = turn.events.iter().filter(|event| event.event == EventName::Text && event.data.props.is_string());
    let grown = deltas.scan(String::new(), |text, event| {
        text.push_str(event.data.props.as_str().unwrap());
        Some(text.clone())
    });
    grown.collect()
}

fn context(world: &World) -> Value {
    world.json("SELECT context FROM conversations").remove(0)
}

#[tokio::test]
async fn the_context_is_streamed_and_stored_but_never_seen() {
    let world = World::start().await;
    let turn = world.turn("a", "restaurant", "I like Thai food #chop:1").await;
    turn.assert_done();
    let visible = "Thai food, noted. I keep it in mind for your next table.";
    for text in seen(&turn) {
        assert!(visible.starts_with(&text), "{text}");
    }
    assert_eq!(turn.text(), visible);
    let known = json!({"preferences": {"cuisine": "thai", "said": "I like Thai food"}});
    assert_eq!(turn.props(MessageType::Context)[0]["preferences"], known["preferences"]);
    assert!(turn.events.iter().filter(|event| event.event == EventName::Context).count() > 10, "it streams");
    assert_eq!(context(&world), known);
    assert!(!json!(world.stored()).to_string().contains("context"), "the stored text is what was seen");
    // The next turn's prompt has it.
    world.turn("a", "restaurant", "Good evening").await.assert_done();
    let system = world.journal().seen().requests.last().unwrap()["system"].as_str().unwrap().to_owned();
    assert!(system.contains(r#""said":"I like Thai food""#), "{system}");
}

#[tokio::test]
async fn context_behind_a_tool_adds_to_what_is_known() {
    let mut world = World::start().await;
    world.turn("a", "restaurant", "I like Thai food").await.assert_done();
    world.restart();
    let turn = world.turn("a", "restaurant", "Find an Italian place for Saturday").await;
    turn.assert_done();
    assert_eq!(turn.text(), "Let me have a look. I found 2: Napoli and Osteria \"da Nonna\". Shall I book a table?");
    let stored = context(&world);
    let known = json!({"cuisine": "italian", "said": "I like Thai food"});
    assert_eq!(stored["preferences"], known, "the newest of each name, and all the others");
    assert_eq!(stored["restaurants"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_broken_context_is_neither_seen_nor_stored() {
    let world = World::start().await;
    for (conversation, message, visible, error) in [
        (
            "a",
            "Badly. <!--context {\"preferences\": {\"cuisine\": Dave}} -->Sorry!",
            "Badly. Sorry!",
            "the context is malformed",
        ),
        ("c", "Odd. <!--context {\"preferences\": \"for Dave\"} -->", "Odd. ", "the context is not valid"),
        ("b", "Too soon. <!--context {\"preferences\": {\"cuisine\": \"thai", "Too soon. ", "the context is truncated"),
    ] {
        let turn = world.turn(conversation, "restaurant", &saying(message)).await;
        turn.assert_done();
        assert_eq!(turn.text(), visible);
        let shown = &turn.props(MessageType::Context)[0];
        assert_eq!(shown["error"], error, "{shown}");
    }
    assert_eq!(world.json("SELECT context FROM conversations"), [json!({}), json!({}), json!({})]);
}
