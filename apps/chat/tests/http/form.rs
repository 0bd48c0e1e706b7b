//! The form: it fills, fails and is asked for again, over HTTP.

use chat::wire::MessageType;
use serde_json::{Value, json};

use crate::world::{Turn, World, impatient, limits};

/// Returns the attempts' statuses.
fn statuses(turn: &Turn) -> Vec<String> {
    let forms = turn.props(MessageType::Form);
    forms.iter().map(|form| form["status"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_form_fills_and_is_stored() {
    let world = World::start().await;
    let turn = world.done("a", "form", "Four days around the Øresund").await;
    assert_eq!(turn.names()[..3], ["user_message", "attempt_started", "raw_chunk"]);
    let form = &turn.props(MessageType::Form)[0];
    assert_eq!((&form["status"], &form["errors"]), (&json!("complete"), &json!([])));
    let raw: Value = serde_json::from_str(form["raw"].as_str().unwrap()).unwrap();
    assert_eq!((&form["value"], &raw["title"]), (&raw, &json!("Around the Øresund in four days")));
    let stored = world.stored()[1][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&stored).unwrap(), raw);
}

#[tokio::test]
async fn a_failed_attempt_is_asked_again_with_its_errors() {
    let world = World::start().await;
    let message = "Wrong at first: four days around the Øresund";
    let turn = world.done("a", "form", message).await;
    assert_eq!(statuses(&turn), ["failed", "complete"]);
    let error = turn.props(MessageType::Form)[0]["errors"][0].clone();
    assert_eq!((&error["kind"], &error["pointer"]), (&json!("schema"), &json!("/people")));
    let prompt = world.journal().seen().requests[1]["messages"][0]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(prompt.starts_with(message) && prompt.contains("at /people: "), "{prompt}");
}

#[tokio::test]
async fn attempts_are_used_up() {
    let world = World::start().await;
    let turn = world.done("a", "form", "Never right").await;
    assert_eq!(turn.last(), &json!({"stop_reason": "given_up"}));
    assert_eq!(statuses(&turn), ["failed", "failed", "given_up"]);
    assert_eq!((world.journal().seen().count, world.stored().len()), (3, 1));
}

/// Counts no attempt if the provider fails before its first word. An answer that has begun can't be taken back, so it
/// counts.
#[tokio::test]
async fn only_an_answer_that_breaks_off_costs_an_attempt() {
    for (fault, kind) in [
        ("status:503*2", None),
        ("overloaded*2", None),
        ("cut:300*1", None),
        ("break*1", Some("provider")),
        ("hang*1", Some("provider")),
        ("cut:900*1", Some("cut_stream")),
        ("truncated*1", Some("cut_stream")),
    ] {
        let limits = if fault == "hang*1" { impatient() } else { limits() };
        let world = World::start_with(limits, |assistants| assistants).await;
        let turn = world.done("a", "form", &format!("A weekend in Rome #{fault}")).await;
        assert_eq!(turn.props(MessageType::Form)[0]["errors"][0]["kind"].as_str(), kind, "{fault}");
        assert_eq!(statuses(&turn).len() > 1, kind.is_some(), "{fault}");
        assert_eq!(statuses(&turn).pop().unwrap(), "complete");
        world.journal().wait_for(|seen| seen.open == 0).await;
    }
}

/// Fails the turn if the provider fails to the last. Only the model can give up a form.
#[tokio::test]
async fn a_provider_that_fails_to_the_last_is_an_error() {
    for (fault, kind, requests, attempts) in [
        ("status:503", "provider_failed", 3, 0),
        ("overloaded", "provider_error", 3, 0),
        ("break", "provider_error", 3, 3),
        ("cut:900", "provider_cut", 3, 3),
        ("status:401", "provider_refused", 1, 0),
    ] {
        let world = World::start().await;
        let turn = world.turn("a", "form", &format!("A weekend in Rome #{fault}")).await;
        assert_eq!((turn.error(), world.journal().seen().count), (kind, requests), "{fault}");
        let statuses = statuses(&turn);
        assert_eq!(statuses.len(), attempts, "{fault}: what the provider does is told once");
        assert!(!statuses.contains(&"filling".to_owned()), "{fault}");
        assert_eq!(world.rows().len(), 0, "{fault}");
    }
}
