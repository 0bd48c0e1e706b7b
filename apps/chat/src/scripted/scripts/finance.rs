//! The model behind the finance assistant: no tool, one, two at once, a tool after a tool, a tool that refuses.

use serde_json::{Value, json};

use crate::scripted::turn::{Block, Turn, object, text, tool};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    match turn.round {
        1 => first(turn),
        2 if turn.says(&["most"]) => after_the_accounts(turn),
        _ => vec![text(retell(turn))],
    }
}

fn first(turn: &Turn<'_>) -> Vec<Block> {
    let october = ("2026-10-01", "2026-10-31");
    match () {
        () if turn.says(&["most", "account"]) => {
            vec![text("I look at your accounts first. "), tool("list_accounts", "")]
        }
        () if turn.says(&["compare"]) => vec![
            text("I compare the two months. "),
            summary(("2026-09-01", "2026-09-30"), category(turn), None),
            summary(october, category(turn), None),
        ],
        () if turn.says(&["backwards"]) => {
            vec![text("From the end to the beginning, then. "), summary((october.1, october.0), None, None)]
        }
        () if turn.says(&["spend", "spent"]) => {
            vec![text("Let me look that up for you… 📊 "), summary(october, category(turn), None)]
        }
        () => vec![text(format!(
            "You said “{}”. I can list your accounts, and tell what you spent in a month: no tool was needed for that. \
             Ask away! 👋",
            turn.text
        ))],
    }
}

fn summary((from, to): (&str, &str), category: Option<&str>, account: Option<&str>) -> Block {
    let mut members = vec![("from", json!(from)), ("to", json!(to))];
    members.extend(category.map(|category| ("category", json!(category))));
    members.extend(account.map(|account| ("account", json!(account))));
    tool("get_spending_summary", object(&members))
}

fn category(turn: &Turn<'_>) -> Option<&'static str> {
    ["groceries", "restaurants", "travel", "rent"].into_iter().find(|category| turn.says(&[category]))
}

/// The second tool needs what the first has given.
fn after_the_accounts(turn: &Turn<'_>) -> Vec<Block> {
    let accounts = turn.results.first().and_then(|(_, content, _)| serde_json::from_str::<Value>(content).ok());
    let fullest = accounts.as_ref().and_then(|accounts| {
        let accounts = accounts["accounts"].as_array()?;
        accounts.iter().max_by_key(|account| account["balance_cents"].as_i64())?["id"].as_str()
    });
    match fullest {
        Some(account) => vec![
            text(format!("Your fullest account is {account}. ")),
            summary(("2026-10-01", "2026-10-31"), None, Some(account)),
        ],
        None => vec![text(retell(turn))],
    }
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
    let euros = result["total_cents"].as_i64().unwrap_or_default() as f64 / 100.0;
    format!(
        "From {} to {} you spent €{euros:.2}.",
        result["from"].as_str().unwrap_or("?"),
        result["to"].as_str().unwrap_or("?")
    )
}
