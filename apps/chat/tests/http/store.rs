//! The store: a turn is saved in one piece or not at all.

use crate::world::World;

#[tokio::test]
async fn a_turn_that_can_not_be_saved_is_an_error_and_leaves_nothing() {
    let world = World::start().await;
    world.turn("a", "shopping", "I need a ring for my sister").await.assert_done();
    let before = world.rows();
    // The last of the turn's writes fails.
    world.execute("CREATE TRIGGER refuse BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END");
    let turn = world.turn("a", "shopping", "gold").await;
    assert_eq!(turn.error(), "store_failed");
    assert_eq!(world.rows(), before);
    world.execute("DROP TRIGGER refuse");
    world.turn("a", "shopping", "gold").await.assert_done();
    assert_eq!(world.table("messages").len(), 4);
}
