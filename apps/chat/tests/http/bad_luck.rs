//! Providers that refuse, fail, break off or fall silent.

use chat::config::Limits;

use crate::world::{World, impatient, limits};

#[tokio::test]
async fn what_may_pass_is_tried_twice_more() {
    for fault in ["status:429", "status:500", "status:503", "status:529", "overloaded"] {
        let world = World::start().await;
        let turn = world.turn("a", "finance", &format!("Good morning #{fault}*2")).await;
        turn.assert_done();
        assert_eq!(
            (turn.names(), world.journal().seen().count),
            (vec!["user_message", "text", "context", "text", "done"], 3),
            "{fault}"
        );

        let world = World::start().await;
        let turn = world.turn("a", "finance", &format!("Good morning #{fault}")).await;
        let kind = match fault {
            "status:429" => "provider_busy",
            "status:529" => "provider_overloaded",
            "overloaded" => "provider_error",
            _ => "provider_failed",
        };
        assert_eq!((turn.error().as_str(), world.journal().seen().count), (kind, 3), "{fault}");
        assert_eq!((turn.names(), world.rows().len()), (vec!["user_message", "error"], 0), "{fault}");
    }
}

#[tokio::test]
async fn behind_the_first_word_nothing_is_tried_again() {
    for fault in ["break", "break@2", "cut:900"] {
        let world = World::start().await;
        let turn = world.turn("a", "finance", &format!("My accounts #{fault}")).await;
        assert!(["provider_cut", "provider_error"].contains(&turn.error().as_str()));
        assert_eq!(world.journal().seen().count, if fault == "break@2" { 2 } else { 1 }, "{fault}");
        assert_eq!(world.rows().len(), 0, "{fault}");
    }
}

/// Tries the second request of a turn again like the first: what was shown before belongs to another answer.
#[tokio::test]
async fn a_second_request_is_tried_again_before_its_first_word() {
    for fault in ["status:429", "status:529", "overloaded", "cut:300"] {
        let world = World::start().await;
        let (first, second) = (format!("My accounts #{fault}*2@2"), format!("My accounts #{fault}@2"));
        let turn = world.turn("a", "finance", &first).await;
        turn.assert_done();
        assert!(
            turn.text().ends_with(
                "You have 3 accounts: Giro with €1,842.50, Savings with €12,500.00, Credit card with −€319.99."
            ),
            "{fault}: {}",
            turn.text()
        );
        assert_eq!(turn.events.iter().filter(|event| event.event.as_str() == "tool_start").count(), 1);
        let before = world.journal().seen().count;
        let turn = world.turn("a", "finance", &second).await;
        assert!(turn.error().starts_with("provider_"), "{fault}");
        assert_eq!(world.journal().seen().count - before, 4, "{fault}: once, and three times");
    }
}

/// Checks that a fault leaves the stored rows of three assistants as they were, and that the conversation can continue.
async fn check_faults_save_nothing(limits: Limits, faults: &[(&str, &str)]) {
    let world = World::start_with(limits, |assistants| assistants).await;
    world.turn("s", "shopping", "I need a ring for my sister").await.assert_done();
    world.turn("f", "finance", "My accounts").await.assert_done();
    world.turn("r", "restaurant", "I like Thai food").await.assert_done();
    let before: Vec<_> = world.rows().into_iter().filter(|row| row[0] != "r").collect();
    let turns = [
        ("s", "shopping", "gold"),
        ("f", "finance", "Compare my spending this month to last month"),
        ("r", "restaurant", "Find an Italian place for Saturday"),
    ];
    for (fault, kind) in faults {
        for (conversation, assistant, message) in turns {
            if conversation == "s" && fault.ends_with("@2") {
                continue; // its turn has one round
            }
            let turn = world.turn(conversation, assistant, &format!("{message} #{fault}")).await;
            assert_eq!(turn.error(), *kind, "{assistant} {fault}");
            // The restaurant's steps are saved as they happen; of the others nothing.
            let rows: Vec<_> = world.rows().into_iter().filter(|row| row[0] != "r").collect();
            assert_eq!(rows, before, "{assistant} {fault}");
        }
    }
    assert_eq!(world.journal().seen().refusals, [""; 0]);
    for (conversation, assistant, message) in turns {
        world.turn(conversation, assistant, message).await.assert_done();
    }
}

#[tokio::test]
async fn a_cut_stream_leaves_everything_as_it_was() {
    let cuts = ["cut:700", "cut:1200", "cut:2500", "cut:1200@2"].map(|cut| (cut, "provider_cut"));
    check_faults_save_nothing(limits(), &cuts).await;
    check_faults_save_nothing(limits(), &[("break", "provider_error"), ("break@2", "provider_error")]).await;
}

#[tokio::test]
async fn a_silent_provider_leaves_everything_as_it_was() {
    check_faults_save_nothing(impatient(), &[("hang", "provider_silent"), ("hang@2", "provider_silent")]).await;
}

#[tokio::test]
async fn a_bad_frame_is_passed_over() {
    let world = World::start().await;
    let turn = world.turn("a", "finance", "Good morning #garbage").await;
    turn.assert_done();
    assert!(turn.text().starts_with("I am a scripted model"));
}
