//! The finance assistant's tools, over a few made-up accounts: `list_accounts` and `get_spending_summary`.

use chrono::{Days, NaiveDate};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Tool, ToolOutcome};
use crate::assistant::Clock;

/// Of all amounts.
const CURRENCY: &str = "EUR";

/// Id, name, balance in cents.
const ACCOUNTS: [(&str, &str, i64); 3] =
    [("giro", "Giro", 184_250), ("savings", "Savings", 1_250_000), ("card", "Credit card", -31_999)];

/// Account, how many days ago, category, cents.
const SPENDINGS: [(&str, u64, &str, i64); 11] = [
    ("giro", 357, "groceries", 6_240),
    ("card", 344, "travel", 12_500),
    ("giro", 58, "groceries", 5_420),
    ("giro", 44, "groceries", 6_180),
    ("giro", 33, "rent", 95_000),
    ("card", 31, "travel", 21_900),
    ("giro", 29, "groceries", 7_305),
    ("card", 22, "restaurants", 4_850),
    ("giro", 15, "groceries", 4_995),
    ("savings", 11, "travel", 64_000),
    ("giro", 3, "rent", 95_000),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spending {
    from: NaiveDate,
    to: NaiveDate,
    category: Option<String>,
    account: Option<String>,
}

/// Creates the tools.
#[must_use]
pub fn tools(today: Clock) -> Vec<Tool> {
    let date = json!({"type": "string", "format": "date"});
    let string = json!({"type": "string"});
    vec![
        Tool::new(
            "list_accounts",
            "Lists the accounts with their balances.",
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            |Nothing {}| async { Ok(accounts()) },
        )
        .repeatable(),
        Tool::new(
            "get_spending_summary",
            "Sums up what was spent between two days, both included; of one category or account, if named.",
            json!({
                "type": "object",
                "properties": {"from": date, "to": date, "category": string, "account": string},
                "required": ["from", "to"],
                "additionalProperties": false,
            }),
            move |spending| async move { summary(&spending, today()) },
        )
        .repeatable(),
        Tool::model(
            "ask_adviser",
            "Asks a colleague for advice on what is spent; the person reads the answer.",
            "You are an adviser on spending. Answer in two sentences.",
        ),
    ]
}

fn accounts() -> Value {
    let accounts = ACCOUNTS.map(|(id, name, cents)| json!({"id": id, "name": name, "balance_cents": cents}));
    json!({"accounts": accounts, "currency": CURRENCY})
}

fn summary(Spending { from, to, category, account }: &Spending, today: NaiveDate) -> ToolOutcome {
    if from > to {
        return Err(format!("the first day, {from}, is behind the last, {to}"));
    }
    if let Some(account) = account
        && ACCOUNTS.iter().all(|(id, ..)| id != account)
    {
        return Err(format!("there is no account `{account}`"));
    }
    let is_meant = |(of, ago, kind, _): &&(&str, u64, &str, i64)| {
        (from..=to).contains(&&(today - Days::new(*ago)))
            && category.as_ref().is_none_or(|category| category == kind)
            && account.as_ref().is_none_or(|account| account == of)
    };
    let (count, total) = SPENDINGS.iter().filter(is_meant).fold((0, 0), |(n, sum), (.., cents)| (n + 1, sum + cents));
    Ok(
        json!({"from": from, "to": to, "category": category, "transactions": count, "total_cents": total, "currency": CURRENCY}),
    )
}
