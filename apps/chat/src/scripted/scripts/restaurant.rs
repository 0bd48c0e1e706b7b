//! The model behind the restaurant assistant: its text carries the hidden context.

use serde_json::{Value, json};

use crate::scripted::script::{Block, Turn, object, text, tool};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    if turn.round > 1 {
        return vec![text(after_tools(turn))];
    }
    match () {
        () if turn.says(&["book"]) => vec![
            text("I ask for a table. "),
            tool(
                "book_table",
                object(&[
                    ("restaurant", json!(if turn.says(&["napoli"]) { "Napoli" } else { "Sakura" })),
                    ("date", json!("2026-12-24")),
                    ("time", json!("19:30")),
                    ("party", json!(if turn.says(&["twelve"]) { 12 } else { 2 })),
                ]),
            ),
        ],
        () if turn.says(&["dinner", "find", "eat"]) => vec![
            text("I have a look round. "),
            tool("find_restaurants", object(&[("cuisine", json!(cuisine(turn))), ("date", json!("2026-12-24"))])),
        ],
        () if turn.says(&["broken"]) => {
            vec![text("This is noted badly. <!--context {\"preferences\": {\"cuisine\": Dave}} -->Sorry!")]
        }
        () if turn.says(&["half"]) => {
            vec![text("It ends too soon. <!--context {\"preferences\": {\"cuisine\": \"thai")]
        }
        () if turn.says(&["like"]) => vec![text(format!(
            "Noted! <!--context {} --> I will <!-- not --> forget: {}. <3",
            json!({"preferences": {"cuisine": cuisine(turn), "said": turn.text, "mark": "a --> b"}}),
            cuisine(turn)
        ))],
        () => vec![text(format!("You said “{}”. I find tables; no tool was needed for that. 🍜", turn.text))],
    }
}

fn cuisine(turn: &Turn<'_>) -> &'static str {
    ["japanese", "italian", "thai"].into_iter().find(|cuisine| turn.says(&[cuisine])).unwrap_or("japanese")
}

fn after_tools(turn: &Turn<'_>) -> String {
    let Some((_, content, false)) = turn.results.last() else {
        return format!("That did not work: {}", turn.retell_results());
    };
    let Ok(result) = serde_json::from_str::<Value>(content) else { return turn.retell_results() };
    if let Some(found) = result["restaurants"].as_array() {
        let names: Vec<&str> = found.iter().filter_map(|one| one["name"].as_str()).collect();
        let context = json!({"preferences": {"cuisine": cuisine(turn)}, "restaurants": found});
        return format!(
            "I found {}: {}. <!--context {context} -->Shall I book a table?",
            names.len(),
            names.join(", ")
        );
    }
    format!(
        "Your table at {} is booked for {}.",
        result["restaurant"].as_str().unwrap_or("?"),
        result["date"].as_str().unwrap_or("?")
    )
}
