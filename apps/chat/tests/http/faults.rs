//! Providers that refuse, fail, break off or fall silent.

use std::time::Duration;

use chat::config::Limits;
use chat::wire::EventName;

use crate::world::{World, impatient, limits};

/// Tries the first and the second request of a turn alike: what was shown before belongs to another answer.
#[tokio::test]
async fn before_its_first_word_an_answer_is_asked_for_twice_more() {
    for (fault, kind) in [
        ("status:429", "provider_busy"),
        ("status:500", "provider_failed"),
        ("status:503", "provider_failed"),
        ("status:529", "provider_overloaded"),
        ("overloaded", "provider_error"),
        ("cut:300", "provider_cut"),
    ] {
        for round in 1..=2 {
            let world = World::start().await;
            let turn = world.done("a", "finance", &format!("My accounts #{fault}*2@{round}")).await;
            assert!(turn.text().ends_with("Credit card with −€319.99."), "{fault}: {}", turn.text());
            assert_eq!((turn.count(EventName::ToolStart), world.journal().seen().count), (1, 4), "{fault}");
            let requests = world.journal().seen().requests;
            assert_eq!(requests[round - 1], requests[round], "the same is asked");
            let turn = world.turn("b", "finance", &format!("My accounts #{fault}@{round}")).await;
            assert_eq!((turn.error(), world.journal().seen().count), (kind, 6 + round), "{fault}");
            assert!(world.rows().iter().all(|row| row[0] == "a"), "{fault}");
        }
    }
}

#[tokio::test]
async fn after_its_first_word_an_answer_is_asked_for_once_and_nothing_is_saved() {
    let cut = ["cut:700", "cut:1200", "cut:2500", "cut:1200@2"].map(|fault| (fault, "provider_cut"));
    let broken = ["break", "break@2"].map(|fault| (fault, "provider_error"));
    let silent = ["hang", "hang@2"].map(|fault| (fault, "provider_silent"));
    for (limits, faults) in [(limits(), &cut[..]), (limits(), &broken), (impatient(), &silent)] {
        let world = World::start_with(limits, |assistants| assistants).await;
        world.done("s", "shopping", "I need a ring for my sister").await;
        world.done("f", "finance", "My accounts").await;
        world.done("r", "restaurant", "I like Thai food").await;
        // The restaurant's steps are saved as they happen.
        let rows = || world.rows().into_iter().filter(|row| row[0] != "r").collect::<Vec<_>>();
        let before = rows();
        let turns = [
            ("s", "shopping", "gold"),
            ("f", "finance", "Compare my spending this month to last month"),
            ("r", "restaurant", "Find an Italian place for Saturday"),
        ];
        for (fault, kind) in faults {
            let round = 1 + usize::from(fault.ends_with("@2"));
            // The shopping assistant's turn has one round.
            for (conversation, assistant, message) in &turns[round - 1..] {
                let count = world.journal().seen().count;
                let turn = world.turn(conversation, assistant, &format!("{message} #{fault}")).await;
                assert_eq!(turn.error(), *kind, "{assistant} {fault}");
                assert_eq!(
                    (rows(), world.journal().seen().count),
                    (before.clone(), count + round),
                    "{assistant} {fault}"
                );
            }
        }
        for (conversation, assistant, message) in turns {
            world.done(conversation, assistant, message).await;
        }
    }
}

/// Limits the length of a turn whose provider never ends.
#[tokio::test]
async fn a_turn_that_does_not_end_is_ended() {
    let limits = Limits { longest: Duration::from_millis(500), ..limits() };
    let world = World::start_with(limits, |assistants| assistants).await;
    let turn = world.turn("a", "finance", "#slow:20 #random:1:100000").await;
    assert_eq!((turn.error(), world.rows().len()), ("too_slow", 0));
    let closed = world.journal().wait_for(|seen| seen.open == 0);
    tokio::time::timeout(Duration::from_secs(5), closed).await.expect("the provider's connection is closed");
}
