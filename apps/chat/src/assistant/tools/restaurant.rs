//! The restaurant assistant's tools, over a few made-up restaurants: `find_restaurants` and `book_table`.

use std::future::ready;

use chrono::{NaiveDate, NaiveTime};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Tool, ToolOutcome};

/// Name, cuisine, seats at one table at most.
const RESTAURANTS: [(&str, &str, u32); 5] = [
    ("Sakura", "japanese", 6),
    ("Hoshi ⭐", "japanese", 4),
    ("Napoli", "italian", 8),
    ("Osteria \"da Nonna\"", "italian", 2),
    ("Baan", "thai", 10),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    cuisine: String,
    date: Option<NaiveDate>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Booking {
    restaurant: String,
    date: NaiveDate,
    #[serde(deserialize_with = "hours_and_minutes")]
    time: NaiveTime,
    party: u32,
}

/// Creates the tools. A booking is made up.
#[must_use]
pub fn tools() -> Vec<Tool> {
    tools_with(|_key, booking| ready(Ok(booking)))
}

/// Creates the tools; `make` makes a booking for which there is a table, once for each key.
pub fn tools_with<F, R>(make: F) -> Vec<Tool>
where
    F: Fn(String, Value) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = ToolOutcome> + Send + 'static,
{
    let (string, date) = (json!({"type": "string"}), json!({"type": "string", "format": "date"}));
    vec![
        Tool::new(
            "find_restaurants",
            "Finds restaurants of a cuisine that are open on a day.",
            json!({
                "type": "object",
                "properties": {"cuisine": string, "date": date},
                "required": ["cuisine"],
                "additionalProperties": false,
            }),
            |search| async move { Ok(find(&search)) },
        )
        .repeatable(),
        Tool::keyed(
            "book_table",
            "Books a table.",
            json!({
                "type": "object",
                "properties": {
                    "restaurant": string,
                    "date": date,
                    "time": {"type": "string", "description": "as in 19:30"},
                    "party": {"type": "integer", "minimum": 1},
                },
                "required": ["restaurant", "date", "time", "party"],
                "additionalProperties": false,
            }),
            move |key, booking| {
                let make = make.clone();
                async move { make(key, book(&booking)?).await }
            },
        ),
    ]
}

fn find(Search { cuisine, date }: &Search) -> Value {
    let found = RESTAURANTS.iter().filter(|(_, kind, _)| kind == cuisine);
    let found: Vec<Value> =
        found.map(|(name, kind, seats)| json!({"name": name, "cuisine": kind, "seats": seats})).collect();
    json!({"date": date, "restaurants": found})
}

fn book(Booking { restaurant, date, time, party }: &Booking) -> ToolOutcome {
    let (name, _, seats) = RESTAURANTS
        .iter()
        .find(|(name, ..)| name == restaurant)
        .ok_or_else(|| format!("there is no restaurant `{restaurant}`"))?;
    if party > seats {
        return Err(format!("{name} has no table for {party}, at most for {seats}"));
    }
    Ok(json!({"restaurant": name, "date": date, "time": time.format("%H:%M").to_string(), "party": party}))
}

fn hours_and_minutes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<NaiveTime, D::Error> {
    let text = String::deserialize(deserializer)?;
    NaiveTime::parse_from_str(&text, "%H:%M").map_err(serde::de::Error::custom)
}
