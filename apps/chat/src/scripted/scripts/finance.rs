//! The model behind the finance assistant: no tool, one, two at once, a tool after a tool, a tool that refuses.

use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use crate::scripted::dates::{self, Span, Toward};
use crate::scripted::intent::{changes_mind, elsewhere, ends};
use crate::scripted::turn::{Block, Turn, object, text, tool};
use crate::words::{money, named, words};

pub(in crate::scripted) fn answer(turn: &Turn<'_>) -> Vec<Block> {
    match turn.round {
        1 => first(turn),
        2 if asks_where_most_went(turn) => after_the_accounts(turn),
        3 if asks_where_most_went(turn) => vec![text(the_most(turn))],
        _ => vec![text(retell(turn))],
    }
}

fn first(turn: &Turn<'_>) -> Vec<Block> {
    let today = dates::today(turn.system);
    let span = span(turn);
    let asks_what_was_spent = turn.says("spend|spent");
    // Money is not moved here, and what is not counted has no sum.
    let is_beyond = turn.has("pay|send|transfer|invest|buy|cancel") || asks_what_was_spent && is_unknown(turn);
    match &span {
        Some(Err(none)) => vec![text(format!("{none} {SUGGESTIONS}"))],
        _ if ends(&turn.text) => vec![text(format!("All right, I have stopped. Nothing was changed. {SUGGESTIONS}"))],
        _ if is_beyond => vec![beyond(turn)],
        _ if turn.has("most|account|accounts|balance|broke|credit card") || turn.has("money") && turn.has("have") => {
            vec![text("Let me look at your accounts first. "), tool("list_accounts", "")]
        }
        _ if turn.has("compare|vs|versus") && categories(turn).count() > 1 => {
            let sums = categories(turn).map(|category| summary(days(turn), Some(category), None));
            [text("Let me compare them. ")].into_iter().chain(sums).chain(adviser(turn)).collect()
        }
        _ if turn.has("compare|vs|versus") => {
            let (from, to) = month_of(today);
            let before = from.pred_opt().map_or((from, to), month_of);
            let sums = [before, (from, to)].map(|month| summary(month, category(turn), None));
            [text("Let me compare the two months. ")].into_iter().chain(sums).chain(adviser(turn)).collect()
        }
        _ if turn.has("backwards") => {
            let (from, to) = days(turn);
            vec![text("From the end to the beginning, then. "), summary((to, from), None, None)]
        }
        _ if asks_what_was_spent || category(turn).is_some() || span.is_some() || adviser(turn).is_some() => {
            let (from, to) = days(turn);
            let lead = match changes_mind(&turn.text) && !turn.earlier.is_empty() {
                true => {
                    let (on, from, to) =
                        (category(turn).unwrap_or("everything"), dates::in_words(from), dates::in_words(to));
                    format!("Changed: {on} from {from} to {to}. ")
                }
                false => "Let me look that up for you… 📊 ".to_owned(),
            };
            let looked = [text(lead), summary((from, to), category(turn), None)];
            looked.into_iter().chain(adviser(turn)).collect()
        }
        _ => vec![beyond(turn)],
    }
}

fn asks_where_most_went(turn: &Turn<'_>) -> bool {
    turn.has("most") && turn.says("spend|spent")
}

const SUGGESTIONS: &str = "What would you like to know? <!--context {\"suggestions\": [\"What did I spend on \
                           groceries?\", \"Compare travel and get advice\", \"My accounts\"]} -->";

fn beyond(turn: &Turn<'_>) -> Block {
    let can = "I can list your accounts, and tell what you spent in a month on groceries, restaurants, travel or rent, and \
               ask for advice on it. 👋";
    text(format!("{} {SUGGESTIONS}", elsewhere(&turn.text, can)))
}

/// What the colleague says who is asked for advice.
pub(in crate::scripted) fn advise(turn: &Turn<'_>) -> Vec<Block> {
    let on = category(turn).unwrap_or("everything");
    vec![text(format!(
        "You ask about {on}: set aside a sum for it at the beginning of the month, and look at it each week. What is left at \
         the end goes to your savings."
    ))]
}

/// The question for the colleague, if advice is wanted.
fn adviser(turn: &Turn<'_>) -> Option<Block> {
    let is_wanted = turn.has("advice|advise|tip|tips|save|saving");
    is_wanted.then(|| tool("ask_adviser", object(&[("question", json!(turn.text))])))
}

/// The days that are meant: the last 31, if none are named.
fn days(turn: &Turn<'_>) -> (NaiveDate, NaiveDate) {
    let today = dates::today(turn.system);
    span(turn).and_then(Result::ok).unwrap_or((today - Days::new(30), today))
}

/// The days that are named: the month before is that before the days that were named last, and another category is meant
/// in the same days.
fn span(turn: &Turn<'_>) -> Option<Span> {
    let named = |text: &String| dates::span(text, dates::today(turn.system), Toward::Past);
    named(&turn.text).or_else(|| {
        let (from, to) = turn.earlier.iter().rev().filter_map(named).find_map(Result::ok)?;
        match () {
            () if turn.has("month before|previous month") => month_of(from).0.pred_opt().map(|day| Ok(month_of(day))),
            () if changes_mind(&turn.text) && !named_categories(&turn.text).is_empty() => Some(Ok((from, to))),
            () => None,
        }
    })
}

/// The first and the last day of a day's month.
fn month_of(day: NaiveDate) -> (NaiveDate, NaiveDate) {
    let span = dates::span("this month", day, Toward::Past).and_then(Result::ok);
    span.unwrap_or((day, day))
}

/// Whether what was spent on something is asked for that is not counted by itself.
fn is_unknown(turn: &Turn<'_>) -> bool {
    let words = words(&turn.text);
    let on = words.iter().position(|word| word == "on").and_then(|at| words.get(at + 1));
    on.is_some() && category(turn).is_none() && span(turn).is_none()
}

fn summary((from, to): (NaiveDate, NaiveDate), category: Option<&str>, account: Option<&str>) -> Block {
    let mut members = vec![("from", json!(from)), ("to", json!(to))];
    members.extend(category.map(|category| ("category", json!(category))));
    members.extend(account.map(|account| ("account", json!(account))));
    tool("get_spending_summary", object(&members))
}

fn category(turn: &Turn<'_>) -> Option<&'static str> {
    categories(turn).next()
}

/// What the person speaks of: what they name, or, where a text only goes on, what they named last.
fn categories(turn: &Turn<'_>) -> impl Iterator<Item = &'static str> {
    let goes_on = changes_mind(&turn.text) && !turn.has("total|everything|all")
        || ["and ", "what about "].iter().any(|words| turn.text.to_lowercase().starts_with(words));
    let goes_on = goes_on && span(turn).is_some();
    let texts = turn.earlier.iter().rev().filter(|_| goes_on);
    let mut named = [&turn.text].into_iter().chain(texts).map(|text| named_categories(text));
    named.find(|named| !named.is_empty()).unwrap_or_default().into_iter()
}

fn named_categories(text: &str) -> Vec<&'static str> {
    let (food, meals) = ("groceries|grocery|food|supermarket", "restaurants|restaurant|eating out");
    named(text, &[("groceries", food), ("restaurants", meals), ("travel", "travel|trips|flights"), ("rent", "rent")])
}

/// The next tools need what the first has given: what was spent from each account.
fn after_the_accounts(turn: &Turn<'_>) -> Vec<Block> {
    let accounts = turn.results.first().and_then(|(_, content, _)| serde_json::from_str::<Value>(content).ok());
    let accounts = accounts.as_ref().and_then(|accounts| accounts["accounts"].as_array());
    let ids: Vec<&str> = accounts.into_iter().flatten().filter_map(|account| account["id"].as_str()).collect();
    if ids.is_empty() {
        return vec![text(retell(turn))];
    }
    let month = days(turn);
    let looked = text(format!("You have {} accounts; let me see what was spent from each. ", ids.len()));
    [looked].into_iter().chain(ids.iter().map(|id| summary(month, category(turn), Some(id)))).collect()
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
        Some((name, (_, result))) => {
            let [from, to, sum] = spent(result);
            format!("You spent most from {name}: {sum} from {from} to {to}.")
        }
        None => retell(turn),
    }
}

/// A sum's days, and the sum, in words.
fn spent(result: &Value) -> [String; 3] {
    let day = |name: &str| dates::told(result[name].as_str().unwrap_or("?"));
    let cents = result["total_cents"].as_i64().unwrap_or_default();
    [day("from"), day("to"), money(cents, result["currency"].as_str().unwrap_or_default())]
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
    if result["answer"].is_string() {
        return "A colleague's advice is on its own card.".to_owned();
    }
    if let Some(accounts) = result["accounts"].as_array() {
        let told = accounts.iter().map(|account| {
            let (name, cents) = (account["name"].as_str().unwrap_or("?"), account["balance_cents"].as_i64());
            format!("{name} with {}", money(cents.unwrap_or_default(), result["currency"].as_str().unwrap_or_default()))
        });
        return format!("You have {} accounts: {}.", accounts.len(), told.collect::<Vec<_>>().join(", "));
    }
    let ([from, to, sum], category) = (spent(&result), result["category"].as_str());
    format!("From {from} to {to} you spent {sum}{}.", category.map(|it| format!(" on {it}")).unwrap_or_default())
}
