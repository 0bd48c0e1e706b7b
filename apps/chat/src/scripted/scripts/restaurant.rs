//! The model behind the restaurant assistant: its text carries the hidden context.

use serde_json::{Value, json};

use crate::scripted::turn::{Block, Turn, object, text, tool};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    if turn.round == 2 && turn.says(&["and book"]) {
        return book_the_first(turn);
    }
    if turn.round > 1 {
        return vec![text(after_tools(turn))];
    }
    if turn.says(&["book"])
        && let Some(known) = booked_before(turn)
    {
        return vec![text(known)];
    }
    match () {
        () if turn.says(&["book"]) && !turn.says(&["and book"]) => {
            vec![text("I ask for a table. "), book(turn, if turn.says(&["napoli"]) { "Napoli" } else { "Sakura" })]
        }
        () if turn.says(&["dinner", "find", "eat"]) => vec![
            text("Let me have a look. "),
            tool("find_restaurants", object(&[("cuisine", json!(cuisine(turn))), ("date", json!("2026-12-24"))])),
        ],
        () if turn.says(&["broken"]) => {
            vec![text("This is noted badly. <!--context {\"preferences\": {\"cuisine\": Dave}} -->Sorry!")]
        }
        () if turn.says(&["half"]) => {
            vec![text("It ends too soon. <!--context {\"preferences\": {\"cuisine\": \"thai")]
        }
        () if turn.says(&["like"]) => vec![text(format!(
            "Noted! <!--{} {} --> I will <!-- not --> forget: {}. <3",
            mark(turn),
            json!({"preferences": {"cuisine": cuisine(turn), "said": turn.text, "mark": "a --> b"}}),
            cuisine(turn)
        ))],
        () => vec![text(format!("You said “{}”. I find tables; no tool was needed for that. 🍜", turn.text))],
    }
}

/// What has become of a booking in a turn that came to no answer: it is not to be made again.
fn booked_before(turn: &Turn<'_>) -> Option<String> {
    let (_, content, is_error) = turn.unanswered.iter().find(|(name, ..)| *name == "book_table")?;
    if *is_error {
        return Some(format!("I do not know what became of your table, so I have not booked again: {content}"));
    }
    let result: Value = serde_json::from_str(content).ok()?;
    let (restaurant, date) = (result["restaurant"].as_str()?, result["date"].as_str()?);
    Some(format!("Your table at {restaurant} has been booked for {date} already, so I have not booked again."))
}

fn book(turn: &Turn<'_>, restaurant: &str) -> Block {
    let members = [
        ("restaurant", json!(restaurant)),
        ("date", json!("2026-12-24")),
        ("time", json!("19:30")),
        ("party", json!(if turn.says(&["twelve"]) { 12 } else { 2 })),
    ];
    tool("book_table", object(&members))
}

/// The second tool needs what the first has given.
fn book_the_first(turn: &Turn<'_>) -> Vec<Block> {
    let found = turn.results.first().and_then(|(_, content, _)| serde_json::from_str::<Value>(content).ok());
    match found.as_ref().and_then(|found| found["restaurants"][0]["name"].as_str()) {
        Some(name) => vec![text(format!("{name} it is. ")), book(turn, name)],
        None => vec![text(after_tools(turn))],
    }
}

/// The hidden context's mark; real models do not always spell it as they are asked to.
fn mark(turn: &Turn<'_>) -> &'static str {
    let spelt = ["  Context", "\nCONTEXT"];
    spelt.into_iter().find(|mark| turn.text.ends_with(mark.trim())).unwrap_or("context")
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
