//! The scenes: what the scripted model answers to a few lines. Everything else gets one honest sentence and the lines.
//!
//! A line has to match as a whole, so nothing that is stored depends on a guess at what a text means.

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::{Value, json};

use super::directives::{Directives, Fault};
use super::random::random_text;
use super::request::{ToolResult, Turn};
use crate::assistant::money;

/// A part of an answer.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    Tool { id: String, name: String, input: String },
}

/// An answer, and the reason why it stops.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: &'static str,
    /// Whether the last block is sent without its end.
    pub(super) is_cut: bool,
}

/// Returns the answer to a request, with the faults that the message asks for.
pub(super) fn answer(turn: &Turn<'_>, directives: &Directives, faults: &[Fault]) -> Answer {
    let mut blocks = blocks(turn, directives);
    if directives.think && turn.forced.is_none() && turn.round == 1 {
        blocks.insert(0, Block::Thinking(format!("The user says “{}”. Which scene is that?", turn.text)));
    }
    let mut number = turn.calls;
    for block in &mut blocks {
        if let Block::Tool { id, .. } = block {
            number += 1;
            *id = format!("toolu_{number:04}");
        }
    }
    let has_calls = blocks.iter().any(|block| matches!(block, Block::Tool { .. }));
    let stop_reason = if has_calls { "tool_use" } else { "end_turn" };
    let mut answer = Answer { blocks, stop_reason, is_cut: false };
    faults.iter().for_each(|fault| answer.apply(*fault));
    answer
}

impl Answer {
    fn apply(&mut self, fault: Fault) {
        match (fault, self.blocks.last_mut()) {
            (Fault::Malformed, Some(Block::Tool { input, .. })) => {
                *input = format!(r#"{{"note": Dave, {}"#, input.trim_start_matches('{'));
            }
            (Fault::Truncated, Some(Block::Tool { input: text, .. } | Block::Text(text))) => {
                let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
                text.truncate(half);
                (self.stop_reason, self.is_cut) = ("max_tokens", true);
            }
            (Fault::Twice, Some(call @ Block::Tool { .. })) => {
                let again = call.clone();
                self.blocks.push(again);
            }
            _ => {}
        }
    }
}

fn blocks(turn: &Turn<'_>, directives: &Directives) -> Vec<Block> {
    if let Some((seed, length)) = directives.random {
        return vec![text(random_text(seed, length))];
    }
    if let Some(words) = &directives.say {
        return vec![text(words)];
    }
    if !directives.tools.is_empty() && (turn.round == 1 || directives.forever) {
        let calls = directives.tools.iter().map(|(name, input)| tool(name, input));
        return [text("Let me see. ")].into_iter().chain(calls).collect();
    }
    match () {
        () if turn.forced.is_some() => vec![tool("classify_and_assess", &classify(turn))],
        () if !directives.tools.is_empty() => vec![text(retell(&turn.results))],
        () if turn.has_tool("get_spending_summary") => finance(turn),
        () if turn.has_tool("find_restaurants") => restaurant(turn),
        () if turn.system.contains("adviser on spending") => vec![text(ADVICE)],
        () if turn.system.contains("JSON Schema") => vec![text(form(turn))],
        () => vec![text(recall(turn))],
    }
}

/// What the model says to a line that is in no scene.
const HONEST: &str = "I am a scripted model and know a few scenes only. Try one of these:";

const ADVICE: &str = "Set a fixed sum aside at the beginning of the month, and look at it each week. What is left at the \
                      end goes to your savings.";

fn text(text: impl Into<String>) -> Block {
    Block::Text(text.into())
}

fn tool(name: &str, input: &str) -> Block {
    Block::Tool { id: String::new(), name: name.to_owned(), input: input.to_owned() }
}

fn call(name: &str, members: &[(&str, Value)]) -> Block {
    tool(name, &object(members))
}

/// Writes a JSON object with its members in this order.
fn object(members: &[(&str, Value)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!(r#""{name}": {value}"#)).collect();
    format!("{{{}}}", members.join(", "))
}

/// Writes a note that the person does not see.
fn note(value: &Value) -> String {
    format!("<!--context {value} -->")
}

fn honest(lines: &[&str]) -> Block {
    text(format!("{HONEST}{}", note(&json!({"suggestions": lines}))))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn in_words(day: &Value) -> String {
    let day = day.as_str().and_then(|day| day.parse::<NaiveDate>().ok());
    day.map(|day| day.format("%-d %B %Y").to_string()).unwrap_or_default()
}

fn retell(results: &[ToolResult<'_>]) -> String {
    let told = results
        .iter()
        .map(|(name, content, is_error)| format!("{name} {}: {content}", if *is_error { "failed" } else { "says" }));
    told.collect::<Vec<_>>().join(". ")
}

const SHOPPING: [&str; 4] =
    ["I want chips for a party", "I need a ring for my sister", "Show me a lamp", "What did I tell you?"];

/// The forced call's input. Fields that a person reads come first, so that the first question streams at once.
fn classify(turn: &Turn<'_>) -> String {
    let in_prompt = |name: &str| turn.system.lines().find_map(|line| line.strip_prefix(name)).map(json);
    let session = in_prompt("Session: ").unwrap_or_default();
    let questions = session["contextual_questions"].as_object();
    let is_option = |option: &Value| option.as_str().is_some_and(|option| turn.is(option));
    let names_option = |question: &Value| question["options"].as_array().is_some_and(|all| all.iter().any(is_option));
    let is_answer = in_prompt("Answers: ").is_some() || questions.is_some_and(|all| all.values().any(names_option));
    let slot = |name: &str, message: &str, options: [&str; 3]| json!({"slot_name": format!("ASK_USER_{name}"), "message": message, "options": options});
    let (mut route, mut strategy, mut slots, mut words) = ("product", "es_fetch", Vec::new(), None);
    let (category, reasoning) = match () {
        () if is_answer => {
            let query = session["assessment"]["original_query"].as_str().map(Directives::without).unwrap_or_default();
            let of = |line: &str| query.starts_with(line);
            let category = match () {
                () if of(SHOPPING[0]) => "chips_and_crisps",
                () if of(SHOPPING[1]) => "ring",
                () => "",
            };
            (category, "This answers a question that is open.")
        }
        () if turn.is(SHOPPING[0]) => {
            slots = vec![
                slot("BUDGET", "Great! What's your budget range for chips?", ["Under ₹50", "₹50–150", "Over ₹150"]),
                slot("PREFERENCES", "What flavor are you in the mood for?", ["Spicy", "Classic salted", "Tangy"]),
            ];
            ("chips_and_crisps", "Chips for a party: the budget and the flavor are missing.")
        }
        () if turn.is(SHOPPING[1]) => {
            slots = vec![
                slot("METAL", "Great choice! Which metal should the ring be of?", ["Gold", "Silver", "Rosé"]),
                slot("SIZE", "And which size does she wear? 💍", ["6", "7", "8"]),
            ];
            ("ring", "A ring as a present: the metal and the size are missing.")
        }
        () if turn.is(SHOPPING[2]) => ("lamp", "Nothing is missing to look for a lamp."),
        () if turn.is(SHOPPING[3]) => {
            strategy = "memory_only";
            ("", "The answer is in the conversation.")
        }
        () if turn.is("Where is my order?") => {
            (route, strategy) = ("support", "none");
            words = Some(("support", "I am a scripted model and see no orders. Try one of these:"));
            ("", "This is about an order, and no order is known here.")
        }
        () => {
            (route, strategy, words) = ("general", "none", Some(("bot_identity", HONEST)));
            ("", "This line is in none of the scenes.")
        }
    };
    let response = words.map(|(kind, words)| json!({"message": words, "suggestions": SHOPPING, "response_type": kind}));
    let fetch: &[&str] = if strategy == "es_fetch" && slots.is_empty() { &["search_products"] } else { &[] };
    let domain = if category == "chips_and_crisps" { json!("f_and_b") } else { session["domain"].clone() };
    object(&[
        ("ask_slots", json!(slots)),
        ("simple_response", json!(response)),
        ("reasoning", json!(reasoning)),
        ("route", json!(route)),
        ("data_strategy", json!(strategy)),
        ("is_follow_up", json!(is_answer)),
        ("follow_up_confidence", json!("high")),
        ("domain", if domain.is_null() { json!("other") } else { domain }),
        ("category", json!(Some(category).filter(|category| !category.is_empty()))),
        ("subcategories", json!(["internal-subcategory"])),
        ("product_intent", if route == "product" { json!("show_me_options") } else { Value::Null }),
        ("fetch_functions", json!(fetch)),
    ])
}

/// The second call of `memory_only`, over the stored conversation.
fn recall(turn: &Turn<'_>) -> String {
    let said: Vec<String> = turn.earlier.iter().map(|text| format!("“{text}”")).collect();
    match said.as_slice() {
        [] => "You have not told me anything before this.".to_owned(),
        said => format!("Before this you told me: {}.", said.join(", then ")),
    }
}

const FINANCE: [&str; 4] = [
    "What did I spend on groceries last month?",
    "Compare my spending this month to last month",
    "Compare travel and get advice",
    "Which account did I spend most from?",
];

fn finance(turn: &Turn<'_>) -> Vec<Block> {
    let today = turn.today();
    let first = today.with_day(1).unwrap_or(today);
    let (before, last_month) = (first - Days::new(1), |day: NaiveDate| (day.with_day(1).unwrap_or(day), day));
    let sum = |(from, to): (NaiveDate, NaiveDate), more: &[(&str, Value)]| {
        call("get_spending_summary", &[&[("from", json!(from)), ("to", json!(to))], more].concat())
    };
    let asks_most = turn.is(FINANCE[3]);
    match turn.round {
        2 if asks_most => {
            let accounts = turn.results.first().map(|(_, content, _)| json(content)).unwrap_or_default();
            let accounts = accounts["accounts"].as_array().cloned().unwrap_or_default();
            let looked = text(format!("You have {} accounts; let me see what was spent from each. ", accounts.len()));
            let sums = accounts
                .iter()
                .map(|account| sum((today - Days::new(30), today), &[("account", account["id"].clone())]));
            return [looked].into_iter().chain(sums).collect();
        }
        2.. => return vec![text(spent(&turn.results))],
        _ => {}
    }
    match () {
        () if turn.is(FINANCE[0]) => {
            vec![text("Let me look that up. 📊 "), sum(last_month(before), &[("category", json!("groceries"))])]
        }
        () if turn.is(FINANCE[1]) => {
            vec![text("Let me compare the two months. "), sum((first, today), &[]), sum(last_month(before), &[])]
        }
        () if turn.is(FINANCE[2]) => {
            let travel = [("category", json!("travel"))];
            let question = call("ask_adviser", &[("question", json!("How can I spend less on travel?"))]);
            let sums = [sum((first, today), &travel), sum(last_month(before), &travel), question];
            [text("Let me compare, and ask a colleague. ")].into_iter().chain(sums).collect()
        }
        () if asks_most || turn.is("My accounts") => {
            vec![text("Let me look at your accounts first. "), tool("list_accounts", "")]
        }
        () if turn.is("Show my spending summary for November 2025") => {
            let november = NaiveDate::from_ymd_opt(2025, 11, 30).unwrap_or_default();
            vec![text("Let me look that up. "), sum(last_month(november), &[])]
        }
        () => vec![honest(&FINANCE)],
    }
}

/// Tells the results of the finance tools.
fn spent(results: &[ToolResult<'_>]) -> String {
    let accounts = results.iter().map(|(_, content, _)| json(content)).find(|result| result["accounts"].is_array());
    let mut sums = Vec::new();
    let mut told = Vec::new();
    for (name, content, is_error) in results {
        let result = json(content);
        let cents = |value: &Value| money(value.as_i64().unwrap_or_default(), "EUR");
        if *is_error {
            told.push(format!("{name} failed: {content}."));
        } else if result["answer"].is_string() {
            told.push("My colleague's advice is on its card.".to_owned());
        } else if let Some(accounts) = result["accounts"].as_array() {
            let accounts = accounts
                .iter()
                .map(|it| format!("{} with {}", it["name"].as_str().unwrap_or("?"), cents(&it["balance_cents"])));
            let accounts: Vec<_> = accounts.collect();
            told.push(format!("You have {} accounts: {}.", accounts.len(), accounts.join(", ")));
        } else {
            let (from, to, sum) = (in_words(&result["from"]), in_words(&result["to"]), cents(&result["total_cents"]));
            let on = result["category"].as_str().map(|category| format!(" on {category}")).unwrap_or_default();
            sums.push((result["total_cents"].as_i64(), format!("{sum} from {from} to {to}")));
            told.push(format!("From {from} to {to} you spent {sum}{on}."));
        }
    }
    let accounts = accounts.as_ref().and_then(|accounts| accounts["accounts"].as_array());
    match accounts.filter(|accounts| accounts.len() == sums.len()).map(|accounts| accounts.iter().zip(&sums)) {
        Some(all) => match all.max_by_key(|(_, (cents, _))| *cents) {
            Some((account, (_, sum))) => {
                format!("You spent most from {}: {sum}.", account["name"].as_str().unwrap_or("?"))
            }
            None => told.join(" "),
        },
        None => told.join(" "),
    }
}

const RESTAURANT: [&str; 4] = [
    "Find an Italian place for Saturday",
    "Book a table at Napoli for two",
    "I like Thai food",
    "Find an Italian place and book it",
];

fn restaurant(turn: &Turn<'_>) -> Vec<Block> {
    let today = turn.today();
    let to_saturday = (7 + Weekday::Sat.num_days_from_monday() - today.weekday().num_days_from_monday()) % 7;
    let saturday = today + Days::new(to_saturday.into());
    let book = |restaurant: &Value| {
        let members = [("date", json!(saturday)), ("time", json!("19:30")), ("party", json!(2))];
        call("book_table", &[&[("restaurant", restaurant.clone())], &members[..]].concat())
    };
    if let Some((name, content, is_error)) = turn.results.last() {
        let result = json(content);
        let found = result["restaurants"].as_array().filter(|_| !is_error);
        return match (found, *name) {
            (Some(found), _) if turn.is(RESTAURANT[3]) => {
                let name = &found[0]["name"];
                let context = note(&json!({"restaurants": found}));
                vec![text(format!("{} it is. {context}", name.as_str().unwrap_or("?"))), book(name)]
            }
            (Some(found), _) => {
                let names: Vec<&str> = found.iter().filter_map(|one| one["name"].as_str()).collect();
                let context = note(&json!({"preferences": {"cuisine": "italian"}, "restaurants": found}));
                let next = note(&json!({"suggestions": [RESTAURANT[1]]}));
                let found = format!("I found {}: {}.", names.len(), names.join(" and "));
                vec![text(format!("{found} {context}Shall I book a table?{next}"))]
            }
            (None, "book_table") if !is_error => vec![text(booked(&result, "is booked"))],
            (None, _) => vec![text(retell(&turn.results))],
        };
    }
    match () {
        () if turn.is(RESTAURANT[0]) || turn.is(RESTAURANT[3]) => {
            let members = [("cuisine", json!("italian")), ("date", json!(saturday))];
            vec![text("Let me have a look. "), call("find_restaurants", &members)]
        }
        () if turn.is(RESTAURANT[1]) => match turn.unanswered.iter().find(|(name, ..)| *name == "book_table") {
            Some((_, content, true)) => vec![text(format!("I do not know what became of your table: {content}"))],
            Some((_, content, false)) => {
                vec![text(format!("{} I have not booked again.", booked(&json(content), "has been booked already")))]
            }
            None => vec![text("I ask for a table. "), book(&json!("Napoli"))],
        },
        () if turn.is(RESTAURANT[2]) => {
            let context = note(&json!({"preferences": {"cuisine": "thai", "said": turn.text}}));
            let next = note(&json!({"suggestions": [RESTAURANT[0]]}));
            vec![text(format!("Thai food, noted. {context}I keep it in mind for your next table.{next}"))]
        }
        () => vec![honest(&RESTAURANT)],
    }
}

fn booked(table: &Value, how: &str) -> String {
    let (name, time) = (table["restaurant"].as_str().unwrap_or("?"), table["time"].as_str().unwrap_or("?"));
    let party = table["party"].as_u64().unwrap_or_default();
    format!("Your table at {name} {how}: {} at {time}, for {party}.", in_words(&table["date"]))
}

const FORM: [&str; 3] =
    ["Four days around the Øresund", "A weekend in Rome", "Wrong at first: four days around the Øresund"];

/// The form's JSON. Its second attempt is right if the line asks for a wrong first one.
fn form(turn: &Turn<'_>) -> String {
    let (line, errors) = turn.text.split_once(" Your last answer could not be used").unwrap_or((&turn.text, ""));
    let is = |other: &str| line.eq_ignore_ascii_case(other);
    let plans: &[(&str, &str)] = match () {
        () if FORM[1..2].iter().any(|other| is(other)) => &[
            ("Trastevere", "Arrive at noon, cross the river, and have dinner where it is loud."),
            ("Centro", "The Pantheon before nine, then coffee; the train leaves at four."),
        ],
        () if FORM.iter().any(|other| is(other)) || is("Never right") => &[
            ("København", "Walk along the harbour to Nyhavn, and see the city from the Round Tower."),
            ("Helsingør", "Take the train along the coast, and look at “Hamlet's” castle."),
            ("Lund", "Cross by ferry; the cathedral's clock plays at noon and at three."),
            ("Malmö", "Swim at the bathhouse, then take the bridge home."),
        ],
        () => return object(&[("reply", json!(HONEST)), ("suggestions", json!(FORM))]),
    };
    let is_wrong = is("Never right") || is(FORM[2]) && errors.is_empty();
    let days: Vec<Value> = plans.iter().map(|(place, plan)| json!({"place": place, "plan": plan})).collect();
    let title = if plans.len() == 2 { "A weekend in Rome" } else { "Around the Øresund in four days" };
    object(&[
        ("title", json!(title)),
        ("start", json!(turn.today() + Days::new(14))),
        ("people", if is_wrong { json!("many") } else { json!(2) }),
        ("days", json!(days)),
    ])
}
