//! The model behind the form: JSON as text, right, or wrong first and right when told what was wrong.

use chrono::Days;
use serde_json::{Value, json};

use crate::scripted::dates::{self, Toward};
use crate::scripted::turn::{Block, Turn, clipped, object, quoted, text};
use crate::words::{has, number, words};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    let is_told = turn.text.contains("Your last answer could not be used");
    let said = turn.text.split(" Your last answer").next().unwrap_or_default();
    let people =
        if turn.says(&["never"]) || (turn.says(&["wrong"]) && !is_told) { json!("many") } else { json!(people(said)) };
    let today = dates::today(turn.system);
    let (start, none) = match dates::span(said, today, Toward::Future) {
        Some(Ok((day, _))) => (day, String::new()),
        Some(Err(none)) => (today + Days::new(7), format!(" ({none})")),
        None => (today + Days::new(7), String::new()),
    };
    let (title, days) = match is_trip(turn, said) {
        true => (format!("Trip: {}{none}", clipped(said)), plan(said)),
        // A form is all it can give: what it can do stands in there, with two trips to choose from.
        false => (
            format!("I am a scripted model that plans trips, and {} names none{none}", quoted(said)),
            vec![
                json!({"place": "København", "plan": "Say “Four days around the Øresund”"}),
                json!({"place": "Roma", "plan": "Say “A weekend in Roma for two”"}),
            ],
        ),
    };
    let form = object(&[("title", json!(title)), ("start", json!(start)), ("people", people), ("days", json!(days))]);
    vec![text(form)]
}

/// The number before one of these words.
fn count(said: &str, of: &[&str]) -> Option<usize> {
    let words = words(said);
    let at = words.iter().position(|word| of.contains(&word.as_str()))?;
    number(words.get(at.checked_sub(1)?)?)
}

/// A place by itself: “no, Lisbon”.
fn only_place(said: &str) -> Option<String> {
    let mut left: Vec<&str> = said.split([' ', ',', '.', '!', '?']).filter(|word| !word.is_empty()).collect();
    left.retain(|word| !["no", "not", "rather", "then", "ok", "actually"].contains(&word.to_lowercase().as_str()));
    let is_name = |word: &&str| word.chars().next().is_some_and(char::is_uppercase) && word.len() > 2;
    (!left.is_empty() && left.len() <= 2 && left.iter().all(is_name)).then(|| left.join(" "))
}

fn is_trip(turn: &Turn<'_>, said: &str) -> bool {
    place(said).is_some()
        || turn.has(&[
            "trip",
            "day",
            "days",
            "weekend",
            "week",
            "holiday",
            "vacation",
            "honeymoon",
            "hike",
            "tour",
            "start",
            "people",
        ])
        || turn.says(&["wrong", "right"])
}

/// Who comes: everybody the form has room for.
fn people(said: &str) -> usize {
    let with = if ["wife", "husband", "friend", "partner"].iter().any(|who| has(said, who)) { 2 } else { 4 };
    let words = words(said);
    // “for two”, but not “for two days”.
    let party = words.windows(2).find(|pair| pair[0] == "for").and_then(|pair| number(&pair[1]));
    let party = party.filter(|_| !has(said, "days") && !has(said, "weeks"));
    let alone = ["just me", "alone", "only me", "solo"].iter().any(|who| has(said, who)).then_some(1);
    let children = count(said, &["kid", "kids", "child", "children", "baby", "babies"]);
    let children =
        children.or(["a kid", "a child", "a baby"].iter().any(|who| has(said, who)).then_some(1)).unwrap_or(0);
    let adults = count(said, &["people", "persons", "of", "friends", "adults"]).or(party).or(alone);
    adults.map_or(with, |adults| adults + children).clamp(1, 20)
}

/// Where to: the name behind a preposition.
fn place(said: &str) -> Option<String> {
    const WAYS: [&str; 11] = ["in", "to", "around", "at", "near", "the", "den", "nach", "a", "à", "woche"];
    let words: Vec<&str> = said.split_whitespace().collect();
    let is_name = |word: &&&str| word.starts_with(char::is_uppercase) && word.len() > 2;
    let names = (1..words.len()).filter(|&at| WAYS.contains(&words[at - 1].to_lowercase().as_str()));
    let names = names.map(|at| words[at..].iter().take_while(is_name).copied().collect::<Vec<_>>().join(" "));
    let names = names.map(|name| name.split([',', '.', '!', '?']).next().unwrap_or_default().to_owned());
    names.into_iter().find(|name| !name.is_empty()).or_else(|| only_place(said))
}

/// A day after the other.
fn plan(said: &str) -> Vec<Value> {
    const WEEKS: [&str; 4] = ["week", "weeks", "woche", "wochen"];
    let few = if WEEKS.iter().any(|week| has(said, week)) { 7 * count(said, &WEEKS).unwrap_or(1) } else { 2 };
    let nights = count(said, &["nights", "night"]).map(|nights| nights + 1);
    let days = count(said, &["days", "day"]).or(nights).unwrap_or(few).clamp(1, 14);
    let Some(place) = place(said).filter(|place| place != "Øresund") else {
        let round = [("København", "Walk to Nørrebro"), ("Malmö", "Take the \"bridge\"")];
        return (0..days).map(|day| json!({"place": round[day % 2].0, "plan": round[day % 2].1})).collect();
    };
    let plans =
        ["Arrive, and walk around", "The museum, then a long dinner", "Out of town, and back", "Nothing at all"];
    (0..days).map(|day| json!({"place": place, "plan": plans[day % plans.len()]})).collect()
}
