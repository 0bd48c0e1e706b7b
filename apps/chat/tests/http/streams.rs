//! Streams on their way: they grow, are joined, left and come back to, and stopped; and nothing is sent that is not stored.

use std::time::Duration;

use chat::config::Limits;
use chat::wire::{Event, EventName};

use crate::world::{Stream, World, limits, merged};

/// Sends at least five pieces of each text before the provider has sent all of it.
#[tokio::test]
async fn five_pieces_before_the_last_fragment() {
    let world = World::start().await;
    for (assistant, path, message) in [
        ("shopping", "/ask_slots/1/message", "I need a ring for my sister #hold"),
        ("shopping", "/simple_response/message", "Hello #hold"),
        ("finance", "/content", "Good morning #hold"),
        (
            "finance",
            "/input/from",
            r#"#hold #slow:1 #tool:get_spending_summary:{"from":"2026-10-01T00:00:00Z-and-more-text","to":"2026-10-31"}"#,
        ),
        ("restaurant", "/preferences/said", "I like Thai food #hold"),
        ("form", "/value/title", "Four days around the Øresund #hold"),
    ] {
        let grows = |event: &Event| event.data.delta_path.as_deref() == Some(path) && event.data.props.is_string();
        let mut stream = world.send(&format!("{assistant}{}", path.len()), assistant, message).await;
        let mut pieces = 0;
        // The last fragment is held back by the provider, so all of this comes before it.
        stream
            .until(|event| {
                assert!(!event.event.ends_stream(), "{path}: {pieces} pieces");
                pieces += usize::from(grows(event) && event.data.props != "");
                pieces == 5
            })
            .await;
        let seen = world.journal().wait_for(|seen| seen.held == 1).await;
        assert_eq!(seen.open, 1, "{path}");
        // The answer after the tool is held as well.
        for _ in 0..=usize::from(path == "/input/from") {
            world.journal().release();
        }
        stream.rest().await;
        world.journal().wait_for(|seen| seen.open == 0).await;
    }
}

#[tokio::test]
async fn what_was_missed_comes_once_from_every_chunk_id() {
    let mut world = World::start().await;
    let mut all = world.done("a", "finance", "Compare my spending this month to last month").await.events;
    all.extend(world.turn("a", "finance", "#break Good morning").await.events);
    all.extend(world.done("a", "finance", "My accounts").await.events);
    for is_restarted in [false, true] {
        for last in [0, 1, 2, 30, all.len() - 60, all.len() - 1] {
            assert_eq!(world.rest("a", last as u64).await, all[last..], "after {last}");
        }
        assert_eq!(world.resume("a", all.len() as u64).await.status(), 204);
        assert_eq!(world.resume("a", all.len() as u64 + 1).await.status(), 410);
        if !is_restarted {
            world.restart();
        }
    }
    assert_eq!(world.resume("b", 0).await.status(), 204);
    // Chunk ids continue after a restart.
    let next = world.done("a", "finance", "Thank you").await;
    assert_eq!(next.events[0].data.chunk_id, all.len() as u64 + 1);
}

/// Continues a turn with another client, or without any. Whoever comes back receives all of it.
#[tokio::test]
async fn a_running_turn_is_joined_and_survives_lost_connections() {
    for stays in [true, false] {
        let world = World::start().await;
        let mut first = world.send("a", "finance", "Good morning #hold").await;
        let mut told = first.until(|event| event.data.delta).await;
        world.until_held(1).await;
        let last = told.last().unwrap().data.chunk_id;
        let mut second = Stream::of(world.resume("a", 0).await);
        assert_eq!(second.until(|event| event.data.chunk_id == last).await, told);
        drop(first);
        let back = Stream::of(world.resume("a", last).await);
        let others = if stays { vec![second, back] } else { Vec::new() };
        world.journal().release();
        world.journal().wait_for(|seen| seen.open == 0).await;
        let rest = world.rest("a", last).await;
        for mut stream in others {
            assert_eq!(stream.rest().await, rest);
        }
        told.extend(rest);
        assert_eq!((told.last().unwrap().event, world.stored().len()), (EventName::Done, 2));
        let merger = merged(&told);
        let text = merger.messages().filter_map(|message| message.props["content"].as_str()).last().unwrap();
        assert_eq!(world.stored()[1][0]["text"], text, "what is merged is what is stored");
    }
}

#[tokio::test]
async fn what_was_shown_stays_and_nothing_is_saved() {
    for (assistant, message, messages) in [
        ("shopping", "I want chips for a party", 0),
        ("finance", "Good morning", 0),
        // Its steps are saved as they happen: here, what the person said.
        ("restaurant", "I like Thai food", 1),
        ("form", "Four days around the Øresund", 0),
    ] {
        let mut world = World::start().await;
        let mut stream = world.send("a", assistant, &format!("{message} #hold")).await;
        let mut told = stream.until(|event| event.data.delta).await;
        world.until_held(1).await;
        assert_eq!(world.stop("a").await, 204);
        told.extend(stream.rest().await);
        assert_eq!(told.last().unwrap().data.props["kind"], "stopped");
        assert_eq!((world.rows().len(), world.stored().len()), (messages, messages), "{assistant}");
        // The provider's request has ended.
        world.journal().wait_for(|seen| seen.open == 0).await;
        // A reload shows the same, also after a restart.
        assert_eq!(world.rest("a", 0).await, told);
        world.restart();
        assert_eq!(world.rest("a", 0).await, told);
        assert_eq!(world.stop("a").await, 409);
        world.done("a", assistant, "Good evening").await;
    }
}

/// Leaves a valid conversation wherever a turn is stopped: the roles alternate, and every call has one result.
#[tokio::test]
async fn stopped_at_any_event_it_is_a_conversation() {
    let world = World::start().await;
    let mut stopped = 0;
    for at in (1..60).step_by(3) {
        let conversation = format!("c{at}");
        let mut stream = world.send(&conversation, "restaurant", "Book a table at Napoli for two #slow:1").await;
        let mut count = 0;
        let is_there = |event: &Event| {
            count += 1;
            count == at || event.event.ends_stream()
        };
        stream.until(is_there).await;
        stopped += u32::from(world.stop(&conversation).await == 204);
        stream.rest().await;
        world.done(&conversation, "restaurant", "Good evening").await;
    }
    assert!(stopped > 0);
}

#[tokio::test]
async fn a_turn_that_can_not_be_saved_is_an_error_and_leaves_nothing() {
    let world = World::start().await;
    world.done("a", "shopping", "I need a ring for my sister").await;
    let before = world.rows();
    world.execute("CREATE TRIGGER refuse BEFORE INSERT ON conversations BEGIN SELECT RAISE(ABORT, 'no'); END");
    assert_eq!(world.turn("a", "shopping", "gold").await.error(), "store_failed");
    assert_eq!(world.rows(), before);
    world.execute("DROP TRIGGER refuse");
    world.done("a", "shopping", "gold").await;
    assert_eq!(world.stored().len(), 4);
}

/// Takes an answer for a whole one only if it was read to its end, not if its events can't be stored for a moment.
#[tokio::test]
async fn an_answer_whose_events_are_not_stored_is_asked_for_again() {
    let limits = Limits { lease: Duration::from_millis(400), ..limits() };
    let world = World::start_with(limits, |assistants| assistants).await;
    let mut stream = world.send("a", "finance", "Good morning #hold").await;
    world.until_held(1).await;
    world.execute("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END");
    world.journal().release();
    world.journal().wait_for(|seen| seen.open == 0).await;
    world.execute("DROP TRIGGER full");
    world.until_held(2).await;
    world.journal().release();
    let told = stream.rest().await;
    assert_eq!(told.last().unwrap().event, EventName::Done, "{:?}", told.last());
    assert!(told.iter().map(|event| event.data.chunk_id).eq(1..=told.len() as u64));
}
