//! Providers of which nothing comes, or half of it: whatever the assistant, the turn ends in an error and saves nothing.

use std::time::Duration;

use chat::config::Limits;

use crate::loopback::Loopback;
use crate::world::{World, impatient, limits};

pub(crate) const ASSISTANTS: [&str; 4] = ["shopping", "finance", "restaurant", "form"];

/// Each assistant's turn ends in an error of this kind, and nothing of it is saved.
async fn check_each_turn_fails(provider: &Loopback, limits: Limits, kind: &str) -> Vec<crate::world::Turn> {
    let world = World::at(provider.base_url.clone(), limits).await;
    let mut turns = Vec::new();
    for assistant in ASSISTANTS {
        let turn = tokio::time::timeout(Duration::from_secs(20), world.turn(assistant, assistant, "Good morning"));
        let turn = turn.await.expect("the turn ends");
        assert_eq!(turn.error(), kind, "{assistant}");
        assert_eq!(world.rows(), [""; 0], "{assistant}");
        turns.push(turn);
    }
    turns
}

#[tokio::test]
async fn a_refusal_is_an_error_and_saves_nothing() {
    for (status, kind) in [(401, "provider_refused"), (429, "provider_busy"), (500, "provider_failed")] {
        let provider = Loopback::refusing(status, "not today").await;
        for turn in check_each_turn_fails(&provider, limits(), kind).await {
            let words = turn.events.last().unwrap().data.props["message"].as_str().unwrap().to_owned();
            assert!(words.contains("not today") && words.contains(&status.to_string()), "{words}");
        }
    }
}

#[tokio::test]
async fn a_provider_that_says_nothing_is_an_error_and_saves_nothing() {
    let mute = Loopback::saying("").await;
    check_each_turn_fails(&mute, impatient(), "provider_silent").await;
}
