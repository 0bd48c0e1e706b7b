//! The model behind the finance assistant: no tool, one, two at once, a tool after a tool, a tool that refuses.

use serde_json::{Value, json};

use crate::scripted::turn::{Block, Turn, object, text, tool};

/// The months' names, and their days in a year that is no leap year.
const MONTHS: [(&str, u32); 12] = [
    ("january", 31),
    ("february", 28),
    ("march", 31),
    ("april", 30),
    ("may", 31),
    ("june", 30),
    ("july", 31),
    ("august", 31),
    ("september", 30),
    ("october", 31),
    ("november", 30),
    ("december", 31),
];

/// The month that is meant if none is named, and the one before it: year and place in the list.
const OCTOBER: (u32, usize) = (2026, 9);
const SEPTEMBER: (u32, usize) = (2026, 8);

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    match turn.round {
        1 => first(turn),
        2 if turn.says(&["most"]) => after_the_accounts(turn),
        3 if turn.says(&["most"]) => vec![text(the_most(turn))],
        _ => vec![text(retell(turn))],
    }
}

fn first(turn: &Turn<'_>) -> Vec<Block> {
    let month = days(month(turn).unwrap_or(OCTOBER));
    match () {
        () if turn.says(&["most", "account"]) => {
            vec![text("I look at your accounts first. "), tool("list_accounts", "")]
        }
        () if turn.says(&["compare"]) => vec![
            text("Let me compare the two months. "),
            summary(days(SEPTEMBER), category(turn), None),
            summary(days(OCTOBER), category(turn), None),
        ],
        () if turn.says(&["backwards"]) => {
            vec![text("From the end to the beginning, then. "), summary((month.1, month.0), None, None)]
        }
        () if turn.says(&["spend", "spent"]) => {
            vec![text("Let me look that up for you… 📊 "), summary(month, category(turn), None)]
        }
        () => vec![text(format!(
            "You said “{}”. I can list your accounts, and tell what you spent in a month: no tool was needed for that. \
             Ask away! 👋",
            turn.text
        ))],
    }
}

/// The month that a text names, in the year that it names, or otherwise in the last that had it.
fn month(turn: &Turn<'_>) -> Option<(u32, usize)> {
    let text = turn.text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    // “may” is a verb more often than a month, unless a year follows.
    let is_named = |at: usize, name: &str| words[at] == name && (name != "may" || year(&words, at).is_some());
    let places =
        (0..words.len()).flat_map(|at| MONTHS.iter().enumerate().map(move |(month, (name, _))| (at, month, name)));
    let (at, month, _) = places.into_iter().find(|&(at, _, name)| is_named(at, name))?;
    let (this_year, last_month) = OCTOBER;
    Some((year(&words, at).unwrap_or(if month > last_month { this_year - 1 } else { this_year }), month))
}

/// The year behind a month's name.
fn year(words: &[&str], at: usize) -> Option<u32> {
    words.get(at + 1)?.parse().ok().filter(|year| (1900..2200).contains(year))
}

/// A month's first and last day.
fn days((year, month): (u32, usize)) -> (String, String) {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = MONTHS[month].1 + u32::from(month == 1 && is_leap);
    (format!("{year}-{:02}-01", month + 1), format!("{year}-{:02}-{last}", month + 1))
}

fn summary((from, to): (String, String), category: Option<&str>, account: Option<&str>) -> Block {
    let mut members = vec![("from", json!(from)), ("to", json!(to))];
    members.extend(category.map(|category| ("category", json!(category))));
    members.extend(account.map(|account| ("account", json!(account))));
    tool("get_spending_summary", object(&members))
}

fn category(turn: &Turn<'_>) -> Option<&'static str> {
    ["groceries", "restaurants", "travel", "rent"].into_iter().find(|category| turn.says(&[category]))
}

/// The next tools need what the first has given: what was spent from each account.
fn after_the_accounts(turn: &Turn<'_>) -> Vec<Block> {
    let accounts = turn.results.first().and_then(|(_, content, _)| serde_json::from_str::<Value>(content).ok());
    let accounts = accounts.as_ref().and_then(|accounts| accounts["accounts"].as_array());
    let ids: Vec<&str> = accounts.into_iter().flatten().filter_map(|account| account["id"].as_str()).collect();
    if ids.is_empty() {
        return vec![text(retell(turn))];
    }
    let month = days(month(turn).unwrap_or(OCTOBER));
    let looked = text(format!("You have {} accounts; I look at what was spent from each. ", ids.len()));
    [looked].into_iter().chain(ids.iter().map(|id| summary(month.clone(), category(turn), Some(id)))).collect()
}

/// Which of the accounts most was spent from.
fn the_most(turn: &Turn<'_>) -> String {
    let result = |content: &str| serde_json::from_str::<Value>(content).unwrap_or_default();
    let (mut names, mut sums) = (Vec::new(), Vec::new());
    for (_, content, _) in turn.results.iter().filter(|(.., is_error)| !is_error) {
        let result = result(content);
        match result["accounts"].as_array() {
            Some(accounts) => names.extend(accounts.iter().map(|it| it["name"].as_str().unwrap_or("?").to_owned())),
            None => sums.push((result["total_cents"].as_i64().unwrap_or_default(), result)),
        }
    }
    let most = names.iter().zip(&sums).max_by_key(|(_, (cents, _))| *cents);
    match most.filter(|_| names.len() == sums.len()) {
        Some((name, (cents, result))) => format!(
            "You spent most from {name}: {} from {} to {}.",
            euros(*cents),
            result["from"].as_str().unwrap_or("?"),
            result["to"].as_str().unwrap_or("?")
        ),
        None => retell(turn),
    }
}

fn euros(cents: i64) -> String {
    format!("€{}.{:02}", cents / 100, cents % 100)
}

fn retell(turn: &Turn<'_>) -> String {
    let told: Vec<String> =
        turn.results.iter().map(|(name, content, is_error)| one(name, content, *is_error)).collect();
    told.join(" ")
}

fn one(name: &str, content: &str, is_error: bool) -> String {
    if is_error {
        return format!("That did not work: {content}");
    }
    let Ok(result) = serde_json::from_str::<Value>(content) else { return format!("{name}: {content}") };
    if let Some(accounts) = result["accounts"].as_array() {
        let names: Vec<&str> = accounts.iter().filter_map(|account| account["name"].as_str()).collect();
        return format!("You have {} accounts: {}.", names.len(), names.join(", "));
    }
    format!(
        "From {} to {} you spent {}.",
        result["from"].as_str().unwrap_or("?"),
        result["to"].as_str().unwrap_or("?"),
        euros(result["total_cents"].as_i64().unwrap_or_default())
    )
}
