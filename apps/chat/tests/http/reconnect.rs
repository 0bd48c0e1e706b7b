//! A client that comes back with its last chunk id receives what it missed, once, from the store or still to come.

use chat::wire::Event;

use crate::world::{Stream, World, merged};

async fn rest(stream: &mut Stream) -> Vec<Event> {
    stream.until(|event| event.event.ends_stream()).await
}

#[tokio::test]
async fn what_was_missed_comes_once_from_every_chunk_id() {
    let mut world = World::start().await;
    let mut all = world.turn("a", "finance", "Compare my spending this month to last month").await.events;
    all.extend(world.turn("a", "finance", "#break Good morning").await.events);
    all.extend(world.turn("a", "finance", "My accounts").await.events);
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
    let next = world.turn("a", "finance", "Thank you").await;
    assert_eq!(next.events[0].data.chunk_id, all.len() as u64 + 1);
}

#[tokio::test]
async fn a_running_turn_is_joined_and_survives_a_lost_connection() {
    let world = World::start().await;
    world.turn("a", "finance", "My accounts").await.assert_done();
    let mut first = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    let begun = first.until(|event| event.data.delta).await;
    world.journal().wait_for(|seen| seen.held == 1).await;
    let last = begun.last().unwrap().data.chunk_id;
    // A second client joins from the very beginning while the first is there; then the first one's connection is lost.
    let mut second = Stream::of(world.resume("a", 0).await);
    let joined = second.until(|event| event.data.chunk_id == last).await;
    assert_eq!(joined.len() as u64, last);
    drop(first);
    let mut back = Stream::of(world.resume("a", last).await);
    world.journal().release();
    let (one, other) = (rest(&mut back).await, rest(&mut second).await);
    assert_eq!(one, other);
    assert_eq!(one[0].data.chunk_id, last + 1);
    let merger = merged(joined.iter().chain(&one));
    let text = merger.messages().filter_map(|message| message.props["content"].as_str()).last().unwrap().to_owned();
    assert!(world.stored().last().unwrap()[0]["text"] == text, "what is merged is what is stored");
}

/// Continues a turn without a client. A client that comes back later receives all of it.
#[tokio::test]
async fn a_turn_continues_without_a_client() {
    let world = World::start().await;
    let mut first = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    let mut told = first.until(|event| event.data.delta).await;
    world.journal().wait_for(|seen| seen.held == 1).await;
    drop(first);
    world.journal().release();
    world.journal().wait_for(|seen| seen.open == 0).await;
    told.extend(world.rest("a", told.len() as u64).await);
    assert_eq!(told.last().unwrap().event.as_str(), "done");
    assert_eq!((world.rest("a", 0).await, world.stored().len()), (told, 2));
}
