//! The store: a turn is saved in one piece or not at all, and nothing is sent that is not stored.

use std::time::Duration;

use chat::config::Limits;
use chat::wire::EventName;

use crate::world::{Stream, World, limits};

#[tokio::test]
async fn a_turn_that_can_not_be_saved_is_an_error_and_leaves_nothing() {
    let world = World::start().await;
    world.turn("a", "shopping", "I need a ring for my sister").await.assert_done();
    let before = world.rows();
    // The last of the turn's messages can't be written.
    world.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON messages WHEN NEW.position = 3 BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    let turn = world.turn("a", "shopping", "gold").await;
    assert_eq!(turn.error(), "store_failed");
    assert_eq!(world.rows(), before);
    world.execute("DROP TRIGGER refuse");
    world.turn("a", "shopping", "gold").await.assert_done();
    assert_eq!(world.stored().len(), 4);
}

/// Sends no event that can't be stored. The stream ends with an error, and the answer continues afterwards.
#[tokio::test]
async fn a_store_that_is_lost_ends_the_stream_and_the_answer_can_be_retried() {
    let world =
        World::start_with(Limits { lease: Duration::from_millis(400), ..limits() }, |assistants| assistants).await;
    let mut stream = Stream::of(world.post("a", "finance", "Good morning #hold").await);
    world.journal().wait_for(|seen| seen.held == 1).await;
    world.execute(
        "CREATE TRIGGER events BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END;
         CREATE TRIGGER inputs BEFORE INSERT ON inputs BEGIN SELECT RAISE(ABORT, 'full'); END;
         CREATE TRIGGER running BEFORE INSERT ON running BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    world.journal().release();
    let mut told = stream.rest().await;
    let error = told.pop().unwrap();
    assert_eq!(
        (error.event, &error.data.props["kind"], error.data.chunk_id),
        (EventName::Error, &"store_failed".into(), 0)
    );
    let refused = world.post("b", "finance", "Hello?").await;
    assert_eq!(refused.status(), 500);
    assert!(refused.text().await.unwrap().contains("store_failed"));
    assert_eq!(world.resume("b", 0).await.status(), 204, "that turn has not begun");

    world.execute("DROP TRIGGER events; DROP TRIGGER inputs; DROP TRIGGER running");
    world.journal().release();
    let rest = world.rest("a", told.last().unwrap().data.chunk_id).await;
    assert_eq!(rest.last().unwrap().event, EventName::Done);
    assert!(told.iter().chain(&rest).map(|event| event.data.chunk_id).eq(1..=(told.len() + rest.len()) as u64));
    assert_eq!(world.turn("b", "finance", "Hello?").await.events[0].data.chunk_id, 1);
}
