//! The store: a turn is saved in one piece or not at all, and a conversation is deleted with all that is stored of it.

use serde_json::json;

use crate::world::World;

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
    assert_eq!(world.table("messages").len(), 4);
}

#[tokio::test]
async fn a_conversation_is_deleted_with_all_that_is_stored_of_it() {
    let world = World::start().await;
    for id in ["a", "b"] {
        world.turn(id, "shopping", "I want chips for a party").await.assert_done();
    }
    assert_eq!(world.ask("/api/chat/delete", &json!({"conversationId": "a"})).await.status(), 204);
    for table in ["conversations", "messages", "events"] {
        let rows = world.table(table);
        assert!(!rows.is_empty() && rows.iter().all(|row| row.starts_with("b |")), "{table}: {rows:?}");
    }
    assert!(world.rest("a", 0).await.is_empty());
    world.turn("a", "finance", "My accounts").await.assert_done();
}
