//! The model behind the restaurant assistant: its text carries the hidden context.

use serde_json::{Value, json};

use crate::scripted::dates::{self, Span, Toward};
use crate::scripted::intent::{changes_mind, elsewhere, ends};
use crate::scripted::turn::{Block, Turn, object, text, tool};
use crate::words::{has, has_any, named, number};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    if turn.round == 2 && turn.says("and book") {
        return book_the_first(turn);
    }
    if turn.round > 1 {
        return vec![text(after_tools(turn))];
    }
    let books = books(turn);
    if books && let Some(known) = booked_before(turn) {
        return vec![text(known)];
    }
    let (day, changed, cuisine) = (day(turn), changed(turn), cuisine_in(&turn.text));
    match () {
        () if ends(&turn.text) => vec![text(format!("All right, I have stopped. {}{SUGGESTIONS}", stays(turn)))],
        () if let Err(none) = &day => vec![text(format!("{none} {SUGGESTIONS}"))],
        () if books && !turn.says("and book") => match restaurant(turn) {
            Some(restaurant) => vec![text(format!("{changed}I ask for a table. ")), book(turn, &restaurant)],
            None => vec![text(format!("{changed}At which restaurant? I can look for one first. {SUGGESTIONS}"))],
        },
        () if turn.has("hate|dislike|don't like|not") && !turn.says("i like") && cuisine.is_some() => {
            vec![text(format!(
                "Noted: not {}. <!--context {} --> {SUGGESTIONS}",
                cuisine.unwrap_or_default(),
                json!({"preferences": {"dislikes": cuisine}})
            ))]
        }
        () if turn.has("dinner|lunch|find|eat|starving|hungry")
            || cuisine.is_some() && !turn.says("like")
            || !changed.is_empty() =>
        {
            let cuisine = latest(turn, cuisine_in).unwrap_or("japanese");
            let members = [("cuisine", json!(cuisine)), ("date", json!(day.unwrap_or_default()))];
            vec![text(format!("{changed}Let me have a look. ")), tool("find_restaurants", object(&members))]
        }
        () if changes_mind(&turn.text) && names_some(turn) && open(turn).is_empty() && !stays(turn).is_empty() => {
            vec![text(format!("{}I can book another one. {SUGGESTIONS}", stays(turn)))]
        }
        () if turn.says("broken") => {
            vec![text("This is noted badly. <!--context {\"preferences\": {\"cuisine\": Dave}} -->Sorry!")]
        }
        () if turn.says("half") => {
            vec![text("It ends too soon. <!--context {\"preferences\": {\"cuisine\": \"thai")]
        }
        () if turn.has("like") => {
            let mut preferences = json!({"said": turn.text, "mark": "a --> b"});
            // What is liked in part is kept in the person's words alone.
            let cuisine = cuisine.filter(|_| !turn.has("not"));
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
        () => {
            let can = "I find Japanese, Italian and Thai restaurants, and book tables there. 🍜";
            vec![text(format!("{} {SUGGESTIONS}", elsewhere(&turn.text, can)))]
        }
    }
}

const SUGGESTIONS: &str = r#"What would you like? <!--context {"suggestions": ["Find an Italian place for dinner", "Book a table at Napoli for four"]} -->"#;

/// What the person has said for what is going on: since the last table, or since they ended what went on before.
fn open<'t>(turn: &'t Turn<'_>) -> &'t [String] {
    let booked = turn.given.iter().rev().find(|(_, name, ..)| *name == "book_table").map_or(0, |(texts, ..)| *texts);
    let ended = turn.earlier.iter().rposition(|text| ends(text)).map_or(0, |at| at + 1);
    &turn.earlier[booked.max(ended).min(turn.earlier.len())..]
}

/// What a text says of something, or else the last one before it.
fn latest<T>(turn: &Turn<'_>, said: impl Fn(&str) -> Option<T>) -> Option<T> {
    said(&turn.text).or_else(|| open(turn).iter().rev().find_map(|text| said(text)))
}

/// Whether a table is asked for: now, or before, if this is a part of that.
fn books(turn: &Turn<'_>) -> bool {
    let asks = |text: &str| has_any(text, "book|reserve|table") && !has(text, "cancel");
    let is_yes = turn.has("yes|yeah|sure|ok|please do|go ahead")
        && turn.answered.as_ref().is_some_and(|answered| answered.contains("Shall I book"));
    asks(&turn.text) || is_yes || names_some(turn) && open(turn).iter().any(|text| asks(text))
}

/// Whether a text names a part of what a table is booked by.
fn names_some(turn: &Turn<'_>) -> bool {
    let text = &turn.text;
    party(text).is_some() || time(text).is_some() || restaurant_in(text).is_some() || day_in(turn, text).is_some()
}

/// What a text changes of what was said before, in words.
fn changed(turn: &Turn<'_>) -> String {
    if !changes_mind(&turn.text) {
        return String::new();
    }
    let people = |text: &str| party(text).map(|party| party.to_string());
    let day = |text: &str| day_in(turn, text)?.ok().map(|(day, _)| dates::in_words(day));
    let changes = [change(turn, "", day), change(turn, "", time), change(turn, " people", people)];
    let changes: Vec<String> = changes.into_iter().flatten().collect();
    if changes.is_empty() { String::new() } else { format!("Changed: {}. ", changes.join(", ")) }
}

fn change(turn: &Turn<'_>, unit: &str, part: impl Fn(&str) -> Option<String>) -> Option<String> {
    let before = open(turn).iter().rev().find_map(|text| part(text))?;
    part(&turn.text).filter(|now| *now != before).map(|now| format!("{now}{unit} instead of {before}"))
}

/// The table that was booked, which nobody can take back here; nothing if there is none.
fn stays(turn: &Turn<'_>) -> String {
    let tables = turn.given.iter().rev().filter(|(_, name, _, is_error)| *name == "book_table" && !is_error);
    let table = tables.filter_map(|(_, _, content, _)| serde_json::from_str::<Value>(content).ok()).next();
    let table = table.as_ref().and_then(|table| Some((table["restaurant"].as_str()?, table["date"].as_str()?)));
    table.map_or(String::new(), |(restaurant, date)| {
        let date = dates::told(date);
        format!("Your table at {restaurant} stays booked for {date}: a scripted model can't cancel or change it. ")
    })
}

fn day_in(turn: &Turn<'_>, text: &str) -> Option<Span> {
    dates::span(text, dates::today(turn.system), Toward::Future)
}

/// The day that is meant: the one that was named last, or today.
fn day(turn: &Turn<'_>) -> Result<String, String> {
    let today = dates::today(turn.system);
    let named = |text: &String| day_in(turn, text);
    let before =
        || turn.earlier.iter().rev().filter_map(named).find(|span| matches!(span, Ok((day, _)) if *day >= today));
    let (day, _) = named(&turn.text).or_else(before).unwrap_or(Ok((today, today)))?;
    if day < today { Err(format!("{} is over.", dates::in_words(day))) } else { Ok(day.to_string()) }
}

fn restaurant_in(text: &str) -> Option<&'static str> {
    let (hoshi, osteria) = (("Hoshi ⭐", "hoshi"), ("Osteria \"da Nonna\"", "osteria"));
    let all = [("Sakura", "sakura"), hoshi, ("Napoli", "napoli"), osteria, ("Baan", "baan")];
    named(text, &all).first().copied()
}

/// The restaurant that is named, or the first that was found, or the second if that is said.
fn restaurant(turn: &Turn<'_>) -> Option<String> {
    let known =
        turn.system.split_once("Known so far: ").and_then(|(_, known)| serde_json::from_str::<Value>(known).ok());
    let found = known.as_ref().and_then(|known| known["restaurants"].as_array());
    let at = match () {
        () if turn.has("second|other|2nd") => 1,
        () if turn.has("third|3rd") => 2,
        () => 0,
    };
    let found = found.and_then(|found| found.get(at).or(found.last())?["name"].as_str());
    latest(turn, restaurant_in).or(found).map(str::to_owned)
}

/// How many are coming: the number behind “for” or “make it”, or before “people”.
fn party(text: &str) -> Option<usize> {
    let text = text.to_lowercase();
    // What has a colon in it is a time, and no number.
    let said: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let is_beside = |at: usize| {
        at > 0 && ["for", "it"].contains(&said[at - 1])
            || said.get(at + 1).is_some_and(|next| ["people", "persons", "guests", "of"].contains(next))
    };
    (0..said.len()).filter(|&at| is_beside(at)).find_map(|at| number(said[at]))
}

/// When: `20:00`, `8pm`, or `at 8`.
fn time(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', '!', '?'])).collect();
    let hour = |hour: &str| hour.parse::<u32>().ok().filter(|hour| (1..=11).contains(hour));
    let time = |(at, word): (usize, &&str)| {
        let is_clock = word.len() == 5 && chrono::NaiveTime::parse_from_str(word, "%H:%M").is_ok();
        let after_at = || hour(word).filter(|_| at > 0 && words[at - 1] == "at");
        let evening = word.strip_suffix("pm").and_then(hour).or_else(after_at);
        evening.map(|hour| format!("{}:00", hour + 12)).or_else(|| is_clock.then(|| (*word).to_owned()))
    };
    words.iter().enumerate().find_map(time)
}

/// What has become of a booking in a turn that came to no answer: it is not to be made again.
fn booked_before(turn: &Turn<'_>) -> Option<String> {
    let (_, content, is_error) = turn.unanswered.iter().find(|(name, ..)| *name == "book_table")?;
    if *is_error {
        return Some(format!("I do not know what became of your table, so I have not booked again: {content}"));
    }
    let result: Value = serde_json::from_str(content).ok()?;
    let (restaurant, date) = (result["restaurant"].as_str()?, dates::told(result["date"].as_str()?));
    Some(format!("Your table at {restaurant} has been booked for {date} already, so I have not booked again."))
}

fn book(turn: &Turn<'_>, restaurant: &str) -> Block {
    let members = [
        ("restaurant", json!(restaurant)),
        ("date", json!(day(turn).unwrap_or_default())),
        ("time", json!(latest(turn, time).unwrap_or_else(|| "19:30".to_owned()))),
        ("party", json!(latest(turn, party).unwrap_or(2))),
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

fn cuisine_in(text: &str) -> Option<&'static str> {
    let italian = ("italian", "italian|pizza|pasta");
    named(text, &[("japanese", "japanese|sushi|ramen"), italian, ("thai", "thai|curry")]).first().copied()
}

fn after_tools(turn: &Turn<'_>) -> String {
    let Some((_, content, false)) = turn.results.last() else {
        return format!("That did not work: {}. {SUGGESTIONS}", turn.retell_results());
    };
    let Ok(result) = serde_json::from_str::<Value>(content) else { return turn.retell_results() };
    if let Some(found) = result["restaurants"].as_array() {
        let names: Vec<&str> = found.iter().filter_map(|one| one["name"].as_str()).collect();
        let context = match cuisine_in(&turn.text) {
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
        dates::told(result["date"].as_str().unwrap_or("?"))
    )
}
