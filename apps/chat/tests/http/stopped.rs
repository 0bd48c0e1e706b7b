//! Stopped turns: what was shown stays on the page, nothing is saved, and the conversation continues.

use serde_json::json;

use crate::world::{Stream, World};

async fn stop(world: &World, conversation: &str) -> u16 {
    world.ask("/api/chat/stop", &json!({"conversationId": conversation})).await.status().as_u16()
}

#[tokio::test]
async fn what_was_shown_stays_and_nothing_is_saved() {
    for (assistant, message, rows) in [
        ("shopping", "I want chips for a party", 0),
        ("finance", "Good morning", 0),
        // Its steps are saved as they happen: the conversation, and what the person said.
        ("restaurant", "I like Thai food", 2),
        ("form", "Four days around the Øresund", 0),
    ] {
        let mut world = World::start().await;
        let mut stream = Stream::of(world.post("a", assistant, &format!("{message} #hold")).await);
        let mut told = stream.until(|event| event.data.delta).await;
        world.journal().wait_for(|seen| seen.held == 1).await;
        assert_eq!(stop(&world, "a").await, 204);
        told.extend(stream.rest().await);
        assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
        assert_eq!(world.rows().len(), rows, "{assistant}");
        // The provider's request has ended.
        world.journal().wait_for(|seen| seen.open == 0).await;
        // A reload shows the same, also after a restart.
        assert_eq!(world.rest("a", 0).await, told);
        world.restart();
        assert_eq!(world.rest("a", 0).await, told);
        assert_eq!(stop(&world, "a").await, 409);
        world.turn("a", assistant, "Good evening").await.assert_done();
        assert_eq!(world.journal().seen().refusals, [""; 0]);
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
    assert_eq!(stop(&world, "a").await, 204);
    assert_eq!(stream.rest().await.last().unwrap().data.props["kind"], "stopped");
    assert_eq!(world.stored().len(), 3, "what was said, the call, and its result");
    let turn = world.turn("a", "restaurant", "Book a table at Napoli for two").await;
    turn.assert_done();
    assert!(turn.text().ends_with("I have not booked again."), "{}", turn.text());
    assert_eq!(world.journal().seen().refusals, [""; 0]);
}

/// Leaves a valid conversation wherever a turn is stopped: the roles alternate, and every call has one result.
#[tokio::test]
async fn stopped_at_any_event_it_is_a_conversation() {
    let world = World::start().await;
    let mut stopped = 0;
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
        stopped += u32::from(stop(&world, &conversation).await == 204);
        stream.rest().await;
        world.turn(&conversation, "restaurant", "Good evening").await.assert_done();
        assert_eq!(world.journal().seen().refusals, [""; 0], "at {at}");
    }
    assert!(stopped > 0);
}
