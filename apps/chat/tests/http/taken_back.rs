//! Edited messages, which replace everything after them, and deleted conversations.

use chat::wire::{EventName, MessageType};
use serde_json::json;

use crate::world::{World, merged};

/// Replaces an edited message and everything after it: for the model, in the store, and for clients that come back.
#[tokio::test]
async fn what_is_edited_takes_back_what_followed() {
    let world = World::start().await;
    for line in ["I want chips for a party", "Spicy", "Over ₹150"] {
        world.turn("a", "shopping", line).await.assert_done();
    }
    let all = world.rest("a", 0).await;
    let users: Vec<u64> =
        all.iter().filter(|event| event.event == EventName::UserMessage).map(|event| event.data.chunk_id).collect();
    let last = all.last().unwrap().data.chunk_id;
    let body = json!({"conversationId": "a", "message": "Tangy", "edits": users[1]});
    let told = world.ask("/api/chat/send", &body).await;
    assert_eq!(told.status(), 200);
    told.text().await.unwrap();
    let again = world.rest("a", 0).await;
    let cut = again.iter().find(|event| event.event == EventName::Cut).unwrap();
    let before = users[1] - 1;
    assert_eq!(
        (cut.data.chunk_id, cut.data.follows, &cut.data.props),
        (last + 1, Some(before), &json!({"from": users[1]}))
    );
    assert_eq!(again.iter().filter(|event| event.event == EventName::UserMessage).count(), 2);
    // Clients that had received all, some, or nothing of it show the same.
    for seen in [0, before, users[2], last] {
        let rest = world.rest("a", seen).await;
        let merger = merged(all.iter().filter(|event| event.data.chunk_id <= seen).chain(&rest));
        let said: Vec<_> = merger
            .messages()
            .filter(|it| it.message_type == MessageType::User)
            .map(|it| it.props["content"].clone())
            .collect();
        assert_eq!(
            (said, merger.has_gap()),
            (vec![json!("I want chips for a party"), json!("Tangy")], false),
            "{seen}"
        );
    }
    // The edited message is edited again. In between, a client has seen nothing, or any part of what came before.
    let user = again.iter().rfind(|event| event.event == EventName::UserMessage).unwrap().data.chunk_id;
    let body = json!({"conversationId": "a", "message": "Tangy", "edits": user});
    let told = world.ask("/api/chat/send", &body).await;
    assert_eq!(told.status(), 200);
    told.text().await.unwrap();
    let newest = again.last().unwrap().data.chunk_id;
    for seen in [0, 1, before, before + 1, users[2], last, last + 1, user, newest - 1, newest] {
        let seen_of = if seen > last { &again } else { &all };
        let rest = world.rest("a", seen).await;
        let merger = merged(seen_of.iter().filter(|event| event.data.chunk_id <= seen).chain(&rest));
        let said = merger.messages().filter(|it| it.message_type == MessageType::User);
        let said: Vec<_> = said.map(|it| it.props["content"].clone()).collect();
        assert_eq!(said, ["I want chips for a party", "Tangy"], "{seen}");
    }
    let turn = world.turn("a", "shopping", "Over ₹150").await;
    assert_eq!(turn.props(MessageType::Products)[0]["items"][0]["name"], "Lime & Tamarind Box");
    for edits in [json!(99_999), json!("x"), json!(-1)] {
        let body = json!({"conversationId": "a", "message": "x", "edits": edits});
        assert_eq!(world.ask("/api/chat/send", &body).await.status(), 422, "{edits}");
    }
}

#[tokio::test]
async fn a_conversation_is_deleted_with_all_that_is_stored_of_it() {
    let world = World::start().await;
    for id in ["a", "b"] {
        world.turn(id, "shopping", "I want chips for a party").await.assert_done();
    }
    assert_eq!(world.ask("/api/chat/delete", &json!({"conversationId": "a"})).await.status(), 204);
    for table in ["conversations", "messages", "sessions", "events", "turns"] {
        let rows = world.table(table);
        assert!(!rows.is_empty() && rows.iter().all(|row| row.starts_with("b |")), "{table}: {rows:?}");
    }
    assert!(world.rest("a", 0).await.is_empty());
    world.turn("a", "finance", "My accounts").await.assert_done();
}
