//! The model behind the form: JSON as text, right, or wrong first and right when told what was wrong.

use serde_json::json;

use crate::scripted::turn::{Block, Turn, object, text};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    let is_told = turn.text.contains("Your last answer could not be used");
    let said = turn.text.split(" Your last answer").next().unwrap_or_default();
    let people = if turn.says(&["never"]) || (turn.says(&["wrong"]) && !is_told) { json!("many") } else { json!(4) };
    let form = object(&[
        ("title", json!(format!("Trip: {said}"))),
        ("start", json!("2026-12-24")),
        ("people", people),
        (
            "days",
            json!([{"place": "København", "plan": "Walk to Nørrebro"}, {"place": "Malmö", "plan": "Take the \"bridge\""}]),
        ),
    ]);
    vec![text(form)]
}
