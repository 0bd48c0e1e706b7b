//! The finance assistant's tools, over a few made-up accounts: `list_accounts` and `get_spending_summary`.

use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Tool, ToolOutcome};

/// Id, name, balance in cents.
const ACCOUNTS: [(&str, &str, i64); 3] =
    [("giro", "Giro", 184_250), ("savings", "Savings", 1_250_000), ("card", "Credit card", -31_999)];

/// Account, day, category, cents.
const SPENDINGS: [(&str, &str, &str, i64); 12] = [
    ("giro", "2025-11-08", "groceries", 6_240),
    ("card", "2025-11-21", "travel", 12_500),
    ("giro", "2026-09-03", "groceries", 5_420),
    ("giro", "2026-09-17", "groceries", 6_180),
    ("giro", "2026-09-28", "rent", 95_000),
    ("card", "2026-09-30", "travel", 21_900),
    ("giro", "2026-10-02", "groceries", 7_305),
    ("card", "2026-10-09", "restaurants", 4_850),
    ("giro", "2026-10-16", "groceries", 4_995),
    ("savings", "2026-10-20", "travel", 64_000),
    ("giro", "2026-10-28", "rent", 95_000),
    ("card", "2026-11-01", "restaurants", 3_300),
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

/// The tools.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let date = json!({"type": "string", "format": "date"});
    let string = json!({"type": "string"});
    vec![
        Tool::new(
            "list_accounts",
            "Lists the accounts with their balances.",
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
            |Nothing {}| async { Ok(accounts()) },
        ),
        Tool::new(
            "get_spending_summary",
            "Sums up what was spent between two days, both included; of one category or account, if named.",
            json!({
                "type": "object",
                "properties": {"from": date, "to": date, "category": string, "account": string},
                "required": ["from", "to"],
                "additionalProperties": false,
            }),
            |spending| async move { summary(&spending) },
        ),
    ]
}

fn accounts() -> Value {
    let accounts = ACCOUNTS.map(|(id, name, cents)| json!({"id": id, "name": name, "balance_cents": cents}));
    json!({"accounts": accounts})
}

fn summary(Spending { from, to, category, account }: &Spending) -> ToolOutcome {
    if from > to {
        return Err(format!("the first day, {from}, is behind the last, {to}"));
    }
    if let Some(account) = account
        && ACCOUNTS.iter().all(|(id, ..)| id != account)
    {
        return Err(format!("there is no account `{account}`"));
    }
    let is_meant = |(of, day, kind, _): &&(&str, &str, &str, i64)| {
        let day: NaiveDate = day.parse().expect("the days are days");
        (from..=to).contains(&&day)
            && category.as_ref().is_none_or(|category| category == kind)
            && account.as_ref().is_none_or(|account| account == of)
    };
    let (count, total) = SPENDINGS.iter().filter(is_meant).fold((0, 0), |(n, sum), (.., cents)| (n + 1, sum + cents));
    Ok(json!({"from": from, "to": to, "category": category, "count": count, "total_cents": total}))
}
