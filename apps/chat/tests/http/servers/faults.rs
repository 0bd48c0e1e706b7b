//! A Redis that goes away, or comes back empty. `durable.rs` has the troubles that nobody notices.

use chat::wire::EventName;
use serde_json::json;

use super::{Behind, Servers, is_done, last_id};

/// Ends the stream with an error while the store is away. The answer continues afterwards.
#[tokio::test]
async fn a_redis_that_is_away_ends_the_stream_and_the_answer_can_be_retried() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 1).await;
    let (mut stream, mut told) = world.held("Good morning").await;
    world.behind.as_redis().kill();
    world.provider.journal().release();
    told.extend(stream.rest().await);
    let error = told.pop().unwrap();
    assert_eq!(
        (error.event, &error.data.props["kind"], error.data.chunk_id),
        (EventName::Error, &json!("store_failed"), 0)
    );
    for refused in [world.at(0).resume("a", last_id(&told)).await, world.at(0).post("b", "finance", "Hello?").await] {
        assert_eq!(refused.status(), 500);
        assert!(refused.text().await.unwrap().contains("store_failed"));
    }
    world.behind.as_redis().launch().unwrap();
    world.provider.journal().release();
    told.extend(world.at(0).rest("a", last_id(&told)).await);
    assert!(is_done(&told), "{:?}", told.last());
    assert!(told.iter().map(|event| event.data.chunk_id).eq(1..=told.len() as u64), "{told:?}");
    assert_eq!(world.at(0).resume("b", 0).await.status(), 204, "that turn has not begun");
}

#[tokio::test]
async fn a_redis_that_comes_back_empty_has_forgotten_and_says_so() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 2).await;
    let told = world.at(0).done("a", "finance", "Good morning").await.events;
    let (mut stream, _) = world.held("And now?").await;
    world.behind.as_redis().ask(&["FLUSHALL"]);
    world.behind.as_redis().ask(&["SCRIPT", "FLUSH"]);
    world.provider.journal().release();
    // The stream has no last event: the client comes back, and learns that the conversation is gone.
    assert!(stream.rest().await.iter().all(|event| !event.event.ends_stream()));
    for server in 0..2 {
        assert_eq!(world.at(server).resume("a", last_id(&told)).await.status(), 410, "{server}");
        assert_eq!(world.at(server).resume("a", 0).await.status(), 204, "{server}");
    }
    world.at(1).done("a", "finance", "Good morning").await;
}
