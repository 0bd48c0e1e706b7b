//! The model behind the restaurant assistant: its text carries the hidden context.

use serde_json::{Value, json};

use crate::scripted::dates::{self, Toward};
use crate::scripted::turn::{Block, Turn, object, quoted, text, tool};
use crate::words::{names, number, words};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    if turn.round == 2 && turn.says(&["and book"]) {
        return book_the_first(turn);
    }
    if turn.round > 1 {
        return vec![text(after_tools(turn))];
    }
    let books = turn.has(&["book", "reserve", "table"]) && !turn.has(&["cancel"]);
    if books && let Some(known) = booked_before(turn) {
        return vec![text(known)];
    }
    let day = day(turn);
    match () {
        () if let Err(none) = &day => vec![text(format!("{none} {SUGGESTIONS}"))],
        () if books && !turn.says(&["and book"]) => match restaurant(turn) {
            Some(restaurant) => vec![text("I ask for a table. "), book(turn, &restaurant)],
            None => vec![text(format!("At which restaurant? I can look for one first. {SUGGESTIONS}"))],
        },
        () if turn.has(&["hate", "dislike", "don't like", "not"])
            && !turn.says(&["i like"])
            && cuisine(turn).is_some() =>
        {
            vec![text(format!(
                "Noted: not {}. <!--context {} --> {SUGGESTIONS}",
                cuisine(turn).unwrap_or_default(),
                json!({"preferences": {"dislikes": cuisine(turn)}})
            ))]
        }
        () if turn.has(&["dinner", "lunch", "find", "eat", "starving", "hungry"])
            || cuisine(turn).is_some() && !turn.says(&["like"]) =>
        {
            vec![
                text("Let me have a look. "),
                tool(
                    "find_restaurants",
                    object(&[
                        ("cuisine", json!(cuisine(turn).unwrap_or("japanese"))),
                        ("date", json!(day.unwrap_or_default())),
                    ]),
                ),
            ]
        }
        () if turn.says(&["broken"]) => {
            vec![text("This is noted badly. <!--context {\"preferences\": {\"cuisine\": Dave}} -->Sorry!")]
        }
        () if turn.says(&["half"]) => {
            vec![text("It ends too soon. <!--context {\"preferences\": {\"cuisine\": \"thai")]
        }
        () if turn.has(&["like"]) => {
            let mut preferences = json!({"said": turn.text, "mark": "a --> b"});
            // What is liked in part is kept in the person's words alone.
            let cuisine = cuisine(turn).filter(|_| !turn.has(&["not"]));
            if let Some(cuisine) = cuisine {
                preferences["cuisine"] = json!(cuisine);
            }
            vec![text(format!(
                "Noted! <!--{} {} --> I will <!-- not --> forget: {}. <3",
                mark(turn),
                json!({"preferences": preferences}),
                cuisine.unwrap_or(&turn.text)
            ))]
        }
        () => vec![text(format!(
            "You said {}. I am a scripted model: I find Japanese, Italian and Thai restaurants, and book tables there. \
             🍜 {SUGGESTIONS}",
            quoted(&turn.text)
        ))],
    }
}

const SUGGESTIONS: &str = r#"What would you like? <!--context {"suggestions": ["Find an Italian place for dinner", "Book a table at Napoli for four"]} -->"#;

/// The day that is meant: the one that was named last, or today.
fn day(turn: &Turn<'_>) -> Result<String, String> {
    let today = dates::today(turn.system);
    let named = |text: &String| dates::span(text, today, Toward::Future);
    let before =
        || turn.earlier.iter().rev().filter_map(named).find(|span| matches!(span, Ok((day, _)) if *day >= today));
    let (day, _) = named(&turn.text).or_else(before).unwrap_or(Ok((today, today)))?;
    if day < today { Err(format!("{day} is over.")) } else { Ok(day.to_string()) }
}

/// The restaurant that is named, or the first that was found, or the second if that is said.
fn restaurant(turn: &Turn<'_>) -> Option<String> {
    let names = [
        ("sakura", "Sakura"),
        ("hoshi", "Hoshi ⭐"),
        ("napoli", "Napoli"),
        ("osteria", "Osteria \"da Nonna\""),
        ("baan", "Baan"),
    ];
    let known =
        turn.system.split_once("Known so far: ").and_then(|(_, known)| serde_json::from_str::<Value>(known).ok());
    let found = known.as_ref().and_then(|known| known["restaurants"].as_array());
    let at = match () {
        () if turn.has(&["second", "other", "2nd"]) => 1,
        () if turn.has(&["third", "3rd"]) => 2,
        () => 0,
    };
    let found = found.and_then(|found| found.get(at).or(found.last())?["name"].as_str());
    let named = names.iter().find(|(word, _)| turn.has(&[word])).map(|(_, name)| *name);
    named.or(found).map(str::to_owned)
}

/// How many are coming: the number behind “for”, or before “people”.
fn party(turn: &Turn<'_>) -> usize {
    let said = words(&turn.text);
    let is_beside = |at: usize| {
        at > 0 && said[at - 1] == "for"
            || said.get(at + 1).is_some_and(|next| ["people", "persons", "guests", "of"].contains(&next.as_str()))
    };
    (0..said.len()).filter(|&at| is_beside(at)).find_map(|at| number(&said[at])).unwrap_or(2)
}

/// When: `20:00`, `8pm`, or half past seven.
fn time(turn: &Turn<'_>) -> String {
    let words = turn.text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', '!', '?']).to_lowercase());
    let time = |word: String| {
        let hour =
            word.strip_suffix("pm").and_then(|hour| hour.parse::<u32>().ok()).filter(|hour| (1..=11).contains(hour));
        let is_clock = word.len() == 5 && chrono::NaiveTime::parse_from_str(&word, "%H:%M").is_ok();
        hour.map(|hour| format!("{}:00", hour + 12)).or_else(|| is_clock.then_some(word))
    };
    words.filter_map(time).next().unwrap_or_else(|| "19:30".to_owned())
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
        ("date", json!(day(turn).unwrap_or_default())),
        ("time", json!(time(turn))),
        ("party", json!(party(turn))),
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

fn cuisine(turn: &Turn<'_>) -> Option<&'static str> {
    let cuisines: [(_, &[&str]); 3] = [
        ("japanese", &["japanese", "sushi", "ramen"]),
        ("italian", &["italian", "pizza", "pasta"]),
        ("thai", &["thai", "curry"]),
    ];
    cuisines.into_iter().find(|(_, words)| words.iter().any(|word| names(&turn.text, word))).map(|(cuisine, _)| cuisine)
}

fn after_tools(turn: &Turn<'_>) -> String {
    let Some((_, content, false)) = turn.results.last() else {
        return format!("That did not work: {}. {SUGGESTIONS}", turn.retell_results());
    };
    let Ok(result) = serde_json::from_str::<Value>(content) else { return turn.retell_results() };
    if let Some(found) = result["restaurants"].as_array() {
        let names: Vec<&str> = found.iter().filter_map(|one| one["name"].as_str()).collect();
        let context = match cuisine(turn) {
            Some(cuisine) => json!({"preferences": {"cuisine": cuisine}, "restaurants": found}),
            None => json!({"restaurants": found}),
        };
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
