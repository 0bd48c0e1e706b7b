//! Providers of which nothing comes, or half of it: whatever the assistant, the turn ends in an error and saves nothing.

use std::time::Duration;

use chat::config::{Limits, Protocol};

use crate::stub::{Answer, Stub};
use crate::world::{Turn, World, impatient, limits};

const ASSISTANTS: [&str; 4] = ["shopping", "finance", "restaurant", "form"];

/// Checks that each assistant's turn ends in an error of this kind, and that nothing of it is saved.
async fn check_each_turn_fails(status: u16, body: &str, limits: Limits, kind: &str) -> Vec<Turn> {
    let stalled = Answer { status, headers: Vec::new(), body: body.to_owned(), stalls: true };
    let provider = Stub::start([stalled]).await;
    let world = World::at(Protocol::Anthropic, provider.base_url.clone(), limits).await;
    let mut turns = Vec::new();
    for assistant in ASSISTANTS {
        let turn = tokio::time::timeout(Duration::from_secs(20), world.turn(assistant, assistant, "Good morning"));
        let turn = turn.await.expect("the turn ends");
        assert_eq!(turn.error(), kind, "{assistant}");
        // The restaurant's steps are saved as they happen.
        let rows: Vec<_> = world.rows().into_iter().filter(|row| row[0] != "restaurant").collect();
        assert!(rows.is_empty(), "{assistant}: {rows:?}");
        turns.push(turn);
    }
    turns
}

#[tokio::test]
async fn a_provider_that_says_nothing_is_an_error_and_saves_nothing() {
    check_each_turn_fails(200, "", impatient(), "provider_silent").await;
}

#[tokio::test]
async fn an_error_whose_body_stalls_is_told_with_what_has_come() {
    for (body, words) in [
        (r#"{"type": "error", "error": {"message": "half a rea"#, "status 500: half a rea"),
        ("Bad gate", "status 500: Bad gate"),
        (" ", "status 500: it gives no reason"),
    ] {
        let limits = Limits { refusal: Duration::from_millis(100), ..limits() };
        for turn in check_each_turn_fails(500, body, limits, "provider_failed").await {
            let told = turn.events.last().unwrap().data.props["message"].as_str().unwrap().to_owned();
            assert!(told.ends_with(words), "{told}");
        }
    }
}

/// Limits the length of a turn whose provider never ends.
#[tokio::test]
async fn a_turn_that_does_not_end_is_ended() {
    let limits = Limits { longest: Duration::from_millis(500), ..limits() };
    let world = World::start_with(limits, |assistants| assistants).await;
    let turn = world.turn("a", "finance", "#slow:20 #random:1:100000").await;
    assert_eq!((turn.error().as_str(), world.rows().len()), ("too_slow", 0));
    let closed = world.journal().wait_for(|seen| seen.open == 0);
    tokio::time::timeout(Duration::from_secs(5), closed).await.expect("the provider's connection is closed");
}
