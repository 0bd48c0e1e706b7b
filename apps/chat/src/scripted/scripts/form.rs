//! The model behind the form: JSON as text, right, or wrong first and right when told what was wrong.

use chrono::{Datelike, Days, NaiveDate};
use serde_json::{Value, json};

use crate::scripted::dates::{self, Toward};
use crate::scripted::intent::{changes_mind, elsewhere, ends};
use crate::scripted::turn::{Block, Turn, clipped, object, text};
use crate::words::{denies, has, has_any, number, words};

/// What a form is of, and what it is filled with where nobody has said it.
const TRIP: &str = "Trip: ";

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    let is_told = turn.text.contains("Your last answer could not be used");
    let said = turn.text.split(" Your last answer").next().unwrap_or_default();
    let is_wrong = (turn.has("never") && turn.has("right")) || turn.says("wrong") && !is_told;
    let today = dates::today(turn.system);
    let (day, none) = match dates::span(said, today, Toward::Future) {
        Some(Ok(days)) => (Some(days), String::new()),
        Some(Err(none)) => (None, format!(" ({none})")),
        None => (None, String::new()),
    };
    let before = turn.answered.as_ref().and_then(|form| serde_json::from_str::<Value>(form).ok());
    let before = before.filter(|form| form["title"].as_str().is_some_and(|title| title.starts_with(TRIP)));
    let names_some = day.is_some() || people(said).is_some() || day_count(said).is_some() || !none.is_empty();
    let is_change = changes_mind(said) || only_place(said).is_some();
    let mut form = match before {
        _ if ends(said) => suggestions("All right, that trip is off. I am a scripted model that plans trips"),
        Some(form) if is_change && place(said).is_some() || place(said).is_none() && names_some => {
            changed(form, said, day, &none)
        }
        _ if is_trip(turn, said) => json!({
            "title": format!("{TRIP}{}{none}", clipped(said)),
            "start": day.map(|(day, _)| day),
            "people": people(said).unwrap_or(4),
            "days": plan(place(said), day_count(said).unwrap_or(2)),
        }),
        // A form is all it can give: what it can do stands in there.
        _ => suggestions(&format!("{}{none}", elsewhere(said, "I plan trips."))),
    };
    if form["start"].is_null() {
        form["start"] = json!(today + Days::new(7));
    }
    if is_wrong {
        form["people"] = json!("many");
    }
    let members = ["title", "start", "people", "days"].map(|name| (name, form[name].take()));
    vec![text(object(&members))]
}

/// A form that plans nothing: two trips to choose from.
fn suggestions(title: &str) -> Value {
    let days = [("København", "Say “Four days around the Øresund”"), ("Roma", "Say “A weekend in Roma for two”")];
    let days = days.map(|(place, plan)| json!({"place": place, "plan": plan}));
    json!({"title": title, "people": 4, "days": days})
}

/// The last form with what the person says now, which its title tells.
fn changed(mut form: Value, said: &str, day: Option<(NaiveDate, NaiveDate)>, none: &str) -> Value {
    let mut changes = Vec::new();
    let mut change = |now: String, unit: &str, before: String| {
        if now != before {
            changes.push(format!("{now}{unit} instead of {before}"));
        }
    };
    if let Some((day, last)) = day {
        let before = form["start"].as_str().and_then(|day| day.parse::<NaiveDate>().ok()).unwrap_or(day);
        // Of a month alone the day stays.
        let is_month = day.day() == 1 && last.day() >= 28;
        let day = if is_month { day.with_day(before.day()).unwrap_or(last) } else { day };
        change(dates::in_words(day), "", dates::in_words(before));
        form["start"] = json!(day);
    }
    if let Some(people) = people(said) {
        change(people.to_string(), " people", form["people"].to_string());
        form["people"] = json!(people);
    }
    let days = form["days"].as_array().map_or(0, Vec::len);
    let before = form["days"][0]["place"].as_str().unwrap_or_default().to_owned();
    let (count, place) = (day_count(said).unwrap_or(days), place(said).unwrap_or_else(|| before.clone()));
    if count != days || place != before {
        change(count.to_string(), " days", days.to_string());
        change(place.clone(), "", before);
        form["days"] = json!(plan(Some(place), count));
    }
    let told =
        if changes.is_empty() { "nothing to change".to_owned() } else { format!("changed: {}", changes.join(", ")) };
    let title = form["title"].as_str().unwrap_or_default();
    form["title"] = json!(format!("{} ({told}){none}", title.split(" (").next().unwrap_or_default()));
    form
}

/// The number before one of these words.
fn count(said: &str, of: &str) -> Option<usize> {
    let words = words(said);
    let at = words.iter().position(|word| has_any(word, of))?;
    number(words.get(at.checked_sub(1)?)?)
}

/// A place by itself: “no, Lisbon”.
fn only_place(said: &str) -> Option<String> {
    let mut left: Vec<&str> = said.split([' ', ',', '.', '!', '?']).filter(|word| !word.is_empty()).collect();
    let beside = "no|not|rather|then|ok|actually|sorry|wait|instead|make|it|meant";
    left.retain(|word| !has_any(word, beside) && !denies(said, word));
    let is_name = |word: &&str| word.chars().next().is_some_and(char::is_uppercase) && word.len() > 2;
    (!left.is_empty() && left.len() <= 2 && left.iter().all(is_name)).then(|| left.join(" "))
}

fn is_trip(turn: &Turn<'_>, said: &str) -> bool {
    place(said).is_some()
        || turn.has("trip|day|days|weekend|week|holiday|vacation|honeymoon|hike|tour|start|people")
        || turn.says("wrong|right")
}

/// Who comes, as far as the form has room for them.
fn people(said: &str) -> Option<usize> {
    let words = words(said);
    // “with my sister”, but not “with my sisters”.
    let is_one =
        |it: &[String]| it[0] == "with" && ["my", "a", "the"].contains(&it[1].as_str()) && !it[2].ends_with('s');
    let is_couple = words.windows(3).any(is_one) || has_any(said, "wife|husband|partner|friend");
    let with = is_couple.then_some(2);
    // “for two”, but not “for two days”.
    let party = words.windows(2).find(|pair| pair[0] == "for").and_then(|pair| number(&pair[1]));
    let party = party.filter(|_| !has(said, "days") && !has(said, "weeks"));
    let alone = has_any(said, "just me|alone|only me|solo").then_some(1);
    let children = count(said, "kid|kids|child|children|baby|babies");
    let children = children.or(has_any(said, "a kid|a child|a baby").then_some(1));
    let adults = count(said, "people|persons|of|friends|adults").or(party).or(alone);
    let all = adults.map(|adults| adults + children.unwrap_or(0));
    all.or(with).or(children.map(|_| 4)).map(|people| people.clamp(1, 20))
}

/// Where to: the name behind a preposition.
fn place(said: &str) -> Option<String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let is_name = |word: &&&str| word.starts_with(char::is_uppercase) && word.len() > 2;
    let names = (1..words.len()).filter(|&at| has_any(words[at - 1], "in|to|around|at|near|the|den|nach|a|à|woche"));
    let names = names.map(|at| words[at..].iter().take_while(is_name).copied().collect::<Vec<_>>().join(" "));
    let names = names.map(|name| name.split([',', '.', '!', '?']).next().unwrap_or_default().to_owned());
    names.into_iter().chain(only_place(said)).find(|name| !name.is_empty() && !dates::is_in_calendar(name))
}

/// How many days are named.
fn day_count(said: &str) -> Option<usize> {
    const WEEKS: &str = "week|weeks|woche|wochen";
    let weeks = || has_any(said, WEEKS).then(|| 7 * count(said, WEEKS).unwrap_or(1));
    let nights = || count(said, "nights|night").map(|nights| nights + 1);
    let days = count(said, "days|day").or_else(nights).or_else(weeks);
    days.map(|days| days.clamp(1, 14))
}

/// A day after the other.
fn plan(place: Option<String>, days: usize) -> Vec<Value> {
    let round = [("København", "Walk to Nørrebro"), ("Malmö", "Take the \"bridge\"")];
    let Some(place) = place.filter(|place| place != "Øresund" && place != round[0].0) else {
        return (0..days).map(|day| json!({"place": round[day % 2].0, "plan": round[day % 2].1})).collect();
    };
    let plans =
        ["Arrive, and walk around", "The museum, then a long dinner", "Out of town, and back", "Nothing at all"];
    (0..days).map(|day| json!({"place": place, "plan": plans[day % plans.len()]})).collect()
}
