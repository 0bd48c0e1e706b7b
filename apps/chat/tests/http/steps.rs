//! The restaurant's steps, saved as they happen: whatever fails after a booking, it is not made again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chat::assistant::{Assistants, Tool, Toolbox};
use chat::wire::MessageType;
use serde_json::{Value, json};

use crate::world::{Stream, World, limits, saying};

/// Returns a `book_table` that counts its bookings.
fn counting(bookings: &Arc<AtomicUsize>) -> impl FnOnce(Assistants) -> Assistants {
    let bookings = bookings.clone();
    let find = Tool::new("find_restaurants", "Finds.", json!({"type": "object"}), |_: Value| async { Ok(json!({})) });
    let book = Tool::new("book_table", "Books a table.", json!({"type": "object"}), move |input: Value| {
        let bookings = bookings.clone();
        async move {
            bookings.fetch_add(1, Ordering::Relaxed);
            Ok(input)
        }
    });
    move |assistants| Assistants { restaurant: Toolbox::new(vec![find, book], limits().tool), ..assistants }
}

fn roles(world: &World) -> Vec<Value> {
    world.json("SELECT message -> '$.role' FROM messages ORDER BY position")
}

#[tokio::test]
async fn a_turn_that_fails_after_a_booking_does_not_book_again() {
    for fault in ["status:400@2", "break@2"] {
        let bookings = Arc::default();
        let world = World::start_with(limits(), counting(&bookings)).await;
        let turn = world.turn("a", "restaurant", &format!("Book a table at Napoli for two #{fault}")).await;
        assert!(turn.error().starts_with("provider_"), "{fault}");
        assert_eq!(roles(&world), ["user", "assistant", "user"], "what was said, the call, and its result");
        let again = world.turn("a", "restaurant", "Book a table at Napoli for two").await;
        again.assert_done();
        assert_eq!(bookings.load(Ordering::Relaxed), 1, "{fault}");
        assert_eq!(
            again.text(),
            "Your table at Napoli has been booked already: 31 October 2026 at 19:30, for 2. I have not booked again."
        );
        assert_eq!(
            world.journal().seen().refusals[..],
            ["the message asked for this status"][..usize::from(fault == "status:400@2")]
        );
    }
}

#[tokio::test]
async fn each_step_is_saved_as_it_happens() {
    let world = World::start().await;
    let mut stream = Stream::of(world.post("a", "restaurant", "Book a table at Napoli for two #hold").await);
    // The first answer's last fragment is with the provider: what the person said is saved.
    world.journal().wait_for(|seen| seen.held == 1).await;
    assert_eq!(roles(&world), ["user"]);
    world.journal().release();
    // The second's.
    world.journal().wait_for(|seen| seen.count == 2 && seen.held == 1).await;
    assert_eq!(roles(&world), ["user", "assistant", "user"]);
    world.journal().release();
    let events = stream.rest().await;
    assert_eq!(events.last().unwrap().event.as_str(), "done");
    assert_eq!(roles(&world), ["user", "assistant", "user", "assistant"]);
}

/// Makes a call only once if its result was lost: it may have been carried out.
#[tokio::test]
async fn a_call_whose_result_was_lost_is_not_made_again() {
    let bookings = Arc::default();
    let world = World::start_with(limits(), counting(&bookings)).await;
    world.turn("a", "restaurant", "Book a table at Napoli for two #break@2").await;
    world.execute("DELETE FROM messages WHERE position = 2");
    let turn = world.turn("a", "restaurant", "Book a table at Napoli for two").await;
    turn.assert_done();
    assert!(turn.text().starts_with("I do not know what became of your table"), "{}", turn.text());
    assert_eq!((bookings.load(Ordering::Relaxed), turn.props(MessageType::ToolCall).len()), (1, 0));
    let last = world.journal().seen().requests.last().unwrap()["messages"][2]["content"][0].clone();
    assert_eq!((&last["type"], &last["is_error"]), (&json!("tool_result"), &json!(true)), "{last}");
    world.turn("a", "restaurant", "Good evening").await.assert_done();
}

/// Models do not write the mark as it is asked of them.
#[tokio::test]
async fn a_context_is_hidden_however_it_is_spelt() {
    let world = World::start().await;
    for (number, mark) in ["  Context", "\nCONTEXT"].into_iter().enumerate() {
        let text =
            format!("Noted! <!--{mark} {{\"preferences\": {{\"cuisine\": \"thai\"}}}} --> <!-- not --> hidden <3");
        let turn = world.turn(&format!("c{number}"), "restaurant", &saying(&text)).await;
        turn.assert_done();
        assert_eq!(turn.text(), "Noted!  <!-- not --> hidden <3");
        assert_eq!(turn.props(MessageType::Context)[0]["preferences"]["cuisine"], "thai");
    }
}
