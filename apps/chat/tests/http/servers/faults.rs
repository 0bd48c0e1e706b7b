//! A Redis that goes away, or comes back empty. `durable.rs` has the troubles that nobody notices.

use chat::wire::EventName;
use serde_json::json;

use super::{Behind, Servers, is_done, last_id};

/// Ends the stream with an error while the store is away. The answer continues afterwards.
#[tokio::test]
async fn a_redis_that_is_away_ends_the_stream_and_the_answer_can_be_retried() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 1).await;
    let mut stream = world.send(0, "a", "finance", "Good morning #hold").await;
    let mut told = stream.until(|event| event.data.delta).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.behind.as_redis().kill();
    world.provider.journal().release();
    told.extend(stream.rest().await);
    let error = told.pop().unwrap();
    assert_eq!(
        (error.event, &error.data.props["kind"], error.data.chunk_id),
        (EventName::Error, &json!("store_failed"), 0)
    );
    assert_eq!(world.resume(0, "a", last_id(&told)).await.status().as_u16() / 100, 5);
    world.behind.as_redis().launch().unwrap();
    world.provider.journal().release();
    told.extend(world.rest(0, "a", last_id(&told)).await);
    assert!(is_done(&told), "{:?}", told.last());
}

#[tokio::test]
async fn a_redis_that_comes_back_empty_has_forgotten_and_says_so() {
    let Some(behind) = Behind::redis() else { return };
    let mut world = Servers::start(behind, 2).await;
    let told = world.send(0, "a", "finance", "Good morning").await.rest().await;
    let mut stream = world.send(0, "a", "finance", "And now? #hold").await;
    stream.until(|event| event.event == EventName::Text).await;
    world.provider.journal().wait_for(|seen| seen.held == 1).await;
    world.behind.as_redis().ask(&["FLUSHALL"]);
    world.behind.as_redis().ask(&["SCRIPT", "FLUSH"]);
    world.provider.journal().release();
    // The stream has no last event: the client comes back, and learns that the conversation is gone.
    assert!(stream.rest().await.iter().all(|event| !event.event.ends_stream()));
    for server in 0..2 {
        assert_eq!(world.resume(server, "a", last_id(&told)).await.status(), 410, "{server}");
        assert_eq!(world.resume(server, "a", 0).await.status(), 204, "{server}");
    }
    assert!(is_done(&world.send(1, "a", "finance", "Good morning").await.rest().await));
}
