//! The restaurant's steps, saved as they happen, so that nothing is booked twice; and its notes, which the person never sees.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::wire::{EventName, MessageType};
use serde_json::{Value, json};

use crate::world::{World, limits, saying};

const BOOK: &str = "Book a table at Napoli for two";

/// Starts a world whose bookings are counted.
async fn counting() -> (World, Arc<AtomicUsize>) {
    let bookings = Arc::new(AtomicUsize::new(0));
    let counted = bookings.clone();
    let find = Tool::new("find_restaurants", "Finds.", json!({"type": "object"}), |_: Value| async { Ok(json!({})) });
    let book = Tool::new("book_table", "Books a table.", json!({"type": "object"}), move |input: Value| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(input) }
    });
    let toolbox = Toolbox::new(vec![find, book], limits().tool);
    (World::start_with(limits(), |it| Assistants { restaurant: toolbox, ..it }).await, bookings)
}

fn roles(world: &World) -> Vec<Value> {
    world.saved("a")["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect()
}

#[tokio::test]
async fn a_turn_that_fails_after_a_booking_does_not_book_again() {
    for fault in ["status:400@2", "break@2", "a stop"] {
        let (world, bookings) = counting().await;
        if fault == "a stop" {
            let mut stream = world.send("a", "restaurant", &format!("{BOOK} #hold")).await;
            world.until_held(1).await;
            world.journal().release();
            // The booking is made; its confirmation is being written.
            world.until_held(2).await;
            assert_eq!(world.stop("a").await, 204);
            assert_eq!(stream.rest().await.last().unwrap().data.props["kind"], "stopped");
        } else {
            let turn = world.turn("a", "restaurant", &format!("{BOOK} #{fault}")).await;
            assert!(turn.error().starts_with("provider_"), "{fault}");
        }
        assert_eq!(roles(&world), ["user", "assistant", "user"], "what was said, the call, and its result");
        let again = world.done("a", "restaurant", BOOK).await;
        assert_eq!(bookings.load(Ordering::Relaxed), 1, "{fault}");
        assert_eq!(
            again.text(),
            "Your table at Napoli has been booked already: 31 October 2026 at 19:30, for 2. I have not booked again."
        );
    }
}

#[tokio::test]
async fn each_step_is_saved_as_it_happens() {
    let world = World::start().await;
    let mut stream = world.send("a", "restaurant", &format!("{BOOK} #hold")).await;
    // The first answer's last fragment is with the provider: what the person said is saved.
    world.until_held(1).await;
    assert_eq!(roles(&world), ["user"]);
    world.journal().release();
    world.until_held(2).await;
    assert_eq!(roles(&world), ["user", "assistant", "user"]);
    world.journal().release();
    assert_eq!(stream.rest().await.last().unwrap().event, EventName::Done);
    assert_eq!(roles(&world), ["user", "assistant", "user", "assistant"]);
}

/// Makes a call only once if its result was lost: it may have been carried out.
#[tokio::test]
async fn a_call_whose_result_was_lost_is_not_made_again() {
    let (world, bookings) = counting().await;
    world.turn("a", "restaurant", &format!("{BOOK} #break@2")).await;
    world.execute("UPDATE conversations SET conversation = json_remove(conversation, '$.messages[2]')");
    let turn = world.done("a", "restaurant", BOOK).await;
    assert!(turn.text().starts_with("I do not know what became of your table"), "{}", turn.text());
    assert_eq!((bookings.load(Ordering::Relaxed), turn.props(MessageType::ToolCall).len()), (1, 0));
    let last = world.journal().seen().requests.last().unwrap()["messages"][2]["content"][0].clone();
    assert_eq!((&last["type"], &last["is_error"]), (&json!("tool_result"), &json!(true)), "{last}");
    world.done("a", "restaurant", "Good evening").await;
}

#[tokio::test]
async fn the_context_is_streamed_and_stored_but_never_seen() {
    let mut world = World::start().await;
    let turn = world.done("a", "restaurant", "I like Thai food #chop:1").await;
    let visible = "Thai food, noted. I keep it in mind for your next table.";
    let mut seen = String::new();
    for piece in turn.events.iter().filter(|event| event.event == EventName::Text) {
        seen += piece.data.props.as_str().unwrap_or_default();
        assert!(visible.starts_with(&seen), "{seen}");
    }
    assert_eq!((turn.text().as_str(), seen.as_str()), (visible, visible));
    let known = json!({"preferences": {"cuisine": "thai", "said": "I like Thai food"}});
    assert_eq!(turn.props(MessageType::Context)[0]["preferences"], known["preferences"]);
    assert!(turn.count(EventName::Context) > 10, "it streams");
    assert_eq!(world.saved("a")["context"], known);
    assert!(!json!(world.stored()).to_string().contains("context"), "the stored text is what was seen");

    // What is learnt adds up, also behind a tool and after a restart, and the prompt has it.
    world.restart();
    let turn = world.done("a", "restaurant", "Find an Italian place for Saturday").await;
    assert_eq!(turn.text(), "Let me have a look. I found 2: Napoli and Osteria \"da Nonna\". Shall I book a table?");
    let stored = world.saved("a")["context"].clone();
    let known = json!({"cuisine": "italian", "said": "I like Thai food"});
    assert_eq!(stored["preferences"], known, "the newest of each name, and all the others");
    assert_eq!(stored["restaurants"].as_array().unwrap().len(), 2);
    let system = world.journal().seen().requests[1]["system"].as_str().unwrap().to_owned();
    assert!(system.contains(r#""said":"I like Thai food""#), "{system}");
}

/// Models write neither the mark as it is asked of them, nor always a whole note.
#[tokio::test]
async fn a_note_is_hidden_however_it_is_written() {
    let world = World::start().await;
    let thai = json!({"preferences": {"cuisine": "thai"}});
    for (number, (text, visible, error)) in [
        (r#"Noted! <!--  Context {} --> <!-- not --> hidden <3"#, "Noted!  <!-- not --> hidden <3", None),
        ("Noted! <!--\nCONTEXT {} --> <!-- not --> hidden <3", "Noted!  <!-- not --> hidden <3", None),
        (
            r#"Badly. <!--context {"preferences": {"cuisine": Dave}} -->Sorry!"#,
            "Badly. Sorry!",
            Some("the context is malformed"),
        ),
        (r#"Odd. <!--context {"preferences": "for Dave"} -->"#, "Odd. ", Some("the context is not valid")),
        (r#"Too soon. <!--context {"preferences": {"cuisine": "thai"#, "Too soon. ", Some("the context is truncated")),
    ]
    .into_iter()
    .enumerate()
    {
        let conversation = format!("c{number}");
        let turn = world.done(&conversation, "restaurant", &saying(&text.replace("{}", &thai.to_string()))).await;
        assert_eq!(turn.text(), visible);
        let shown = &turn.props(MessageType::Context)[0];
        assert_eq!(shown["error"].as_str(), error, "{shown}");
        let expected = if error.is_some() { json!({}) } else { thai.clone() };
        assert_eq!(world.saved(&conversation)["context"], expected, "a broken note is not stored");
    }
}
