//! The scenes: what the scripted model answers to a few lines. Everything else gets one honest sentence and the lines.
//!
//! A line has to match as a whole, so nothing that is stored depends on a guess at what a text means.

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::{Value, json};

use super::directives::Directives;
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

/// Returns the answer to a request, with the faults of a model that the message asks for, and why it stops.
pub(super) fn answer(turn: &Turn<'_>, directives: &Directives) -> (Vec<Block>, &'static str) {
    let mut blocks = blocks(turn, directives);
    if directives.has("think") && !turn.forced && turn.round == 1 {
        blocks.insert(0, Block::Thinking(format!("The user says “{}”. Which scene is that?", turn.text)));
    }
    let calls = blocks.iter_mut().filter_map(|block| if let Block::Tool { id, .. } = block { Some(id) } else { None });
    let mut stop_reason = "end_turn";
    for (number, id) in (turn.calls + 1..).zip(calls) {
        (*id, stop_reason) = (format!("toolu_{number:04}"), "tool_use");
    }
    match blocks.last_mut() {
        Some(Block::Tool { input: text, .. } | Block::Text(text)) if directives.has("truncated") => {
            let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            text.truncate(half);
            stop_reason = "max_tokens";
        }
        Some(Block::Tool { input, .. }) if directives.has("malformed") => {
            *input = format!(r#"{{"note": Dave, {}"#, input.trim_start_matches('{'));
        }
        Some(call @ Block::Tool { .. }) if directives.has("twice") => {
            let again = call.clone();
            blocks.push(again);
        }
        _ => {}
    }
    (blocks, stop_reason)
}

fn blocks(turn: &Turn<'_>, directives: &Directives) -> Vec<Block> {
    if let Some((seed, length)) = directives.all("random").next().and_then(|random| random.split_once(':')) {
        return vec![text(random_text(seed.parse().unwrap_or_default(), length.parse().unwrap_or_default()))];
    }
    if let Some(words) = directives.all("say").next() {
        return vec![text(json(&format!("\"{words}\"")).as_str().unwrap_or(words))];
    }
    let calls: Vec<Block> =
        directives.all("tool").map(|call| call.split_once(':').unwrap_or((call, ""))).map(tool).collect();
    match () {
        () if !calls.is_empty() && (turn.round == 1 || directives.has("forever")) => {
            [text("Let me see. ")].into_iter().chain(calls).collect()
        }
        () if turn.forced => vec![tool(("classify_and_assess", &classify(turn)))],
        () if !calls.is_empty() => vec![text(retell(&turn.results))],
        () if turn.has_tool("get_spending_summary") => finance(turn),
        () if turn.has_tool("find_restaurants") => restaurant(turn),
        () if turn.system.contains("adviser on spending") => vec![text(ADVICE)],
        () if turn.system.contains("JSON Schema") => vec![text(form(turn))],
        // The second call of `memory_only`, over the stored conversation.
        () if turn.earlier.is_empty() => vec![text("You have not told me anything before this.")],
        () => {
            let said: Vec<String> = turn.earlier.iter().map(|text| format!("“{text}”")).collect();
            vec![text(format!("Before this you told me: {}.", said.join(", then ")))]
        }
    }
}

/// The model's reply to a line that is in no scene.
const HONEST: &str = "I am a scripted model and know a few scenes only. Try one of these:";

const ADVICE: &str = "Set a fixed sum aside at the beginning of the month, and look at it each week. What is left at the \
                      end goes to your savings.";

fn text(text: impl Into<String>) -> Block {
    Block::Text(text.into())
}

fn tool((name, input): (&str, &str)) -> Block {
    Block::Tool { id: String::new(), name: name.to_owned(), input: input.to_owned() }
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
    let told = |(name, content, is_error): &ToolResult<'_>| {
        format!("{name} {}: {content}", if *is_error { "failed" } else { "says" })
    };
    results.iter().map(told).collect::<Vec<_>>().join(". ")
}

/// A question: its slot without `ASK_USER_`, its words and its options.
type Slot = (&'static str, &'static str, [&'static str; 3]);

/// The shop's lines, each with its category, the model's reasoning and its questions.
const SHOPPING: [(&str, &str, &str, &[Slot]); 3] = [
    (
        "I want chips for a party",
        "chips_and_crisps",
        "Chips for a party: the budget and the flavor are missing.",
        &[
            ("BUDGET", "Great! What's your budget range for chips?", ["Under ₹50", "₹50–150", "Over ₹150"]),
            ("PREFERENCES", "What flavor are you in the mood for?", ["Spicy", "Classic salted", "Tangy"]),
        ],
    ),
    (
        "I need a ring for my sister",
        "ring",
        "A ring as a present: the metal and the size are missing.",
        &[
            ("METAL", "Great choice! Which metal should the ring be of?", ["Gold", "Silver", "Rosé"]),
            ("SIZE", "And which size does she wear? 💍", ["6", "7", "8"]),
        ],
    ),
    ("Show me a lamp", "lamp", "Nothing is missing to look for a lamp.", &[]),
];

const RECALL: &str = "What did I tell you?";

/// Returns the forced call's input. Fields that a person reads come first, so that the first question streams at once.
fn classify(turn: &Turn<'_>) -> String {
    let in_prompt = |name: &str| turn.system.lines().find_map(|line| line.strip_prefix(name)).map(json);
    let session = in_prompt("Session: ").unwrap_or_default();
    let options = session["contextual_questions"].as_object().into_iter().flat_map(serde_json::Map::values);
    let mut options = options.filter_map(|question| question["options"].as_array()).flatten();
    let is_option = options.any(|option| option.as_str().is_some_and(|option| turn.is(option)));
    let is_answer = is_option || in_prompt("Answers: ").is_some();
    let query = session["assessment"]["original_query"].as_str().map(Directives::without).unwrap_or_default();
    let is_it = |line: &str| if is_answer { query.starts_with(line) } else { turn.is(line) };
    let scene = SHOPPING.iter().find(|(line, ..)| is_it(line));
    let (route, strategy, reasoning, words) = match scene {
        _ if is_answer => ("product", "es_fetch", "This answers a question that is open.", None),
        Some((_, _, reasoning, _)) => ("product", "es_fetch", *reasoning, None),
        None if turn.is(RECALL) => ("product", "memory_only", "The answer is in the conversation.", None),
        None if turn.is("Where is my order?") => {
            let words = "I am a scripted model and see no orders. Try one of these:";
            ("support", "none", "This is about an order, and no order is known here.", Some(("support", words)))
        }
        None => ("general", "none", "This line is in none of the scenes.", Some(("bot_identity", HONEST))),
    };
    let slots = scene.map_or(&[][..], |(.., slots)| slots).iter().filter(|_| !is_answer);
    let slot = |(name, words, options): &Slot| json!({"message": words, "options": options, "slot_name": format!("ASK_USER_{name}")});
    let slots: Vec<Value> = slots.map(slot).collect();
    let lines: Vec<&str> = SHOPPING.iter().map(|(line, ..)| *line).chain([RECALL]).collect();
    let response = words.map(|(kind, words)| json!({"message": words, "suggestions": lines, "response_type": kind}));
    let fetch: &[&str] = if strategy == "es_fetch" && slots.is_empty() { &["search_products"] } else { &[] };
    let category = scene.map(|(_, category, ..)| *category);
    let domain = if category == Some("chips_and_crisps") { "f_and_b" } else { "other" };
    object(&[
        ("ask_slots", json!(slots)),
        ("simple_response", json!(response)),
        ("reasoning", json!(reasoning)),
        ("route", json!(route)),
        ("data_strategy", json!(strategy)),
        ("is_follow_up", json!(is_answer)),
        ("follow_up_confidence", json!("high")),
        ("domain", json!(domain)),
        ("category", json!(category)),
        ("subcategories", json!(["internal-subcategory"])),
        ("product_intent", if route == "product" { json!("show_me_options") } else { Value::Null }),
        ("fetch_functions", json!(fetch)),
    ])
}

const FINANCE: [&str; 4] = [
    "What did I spend on groceries last month?",
    "Compare my spending this month to last month",
    "Compare travel and get advice",
    "Which account did I spend most from?",
];

fn finance(turn: &Turn<'_>) -> Vec<Block> {
    let today = turn.today();
    let month = |day: NaiveDate| (day.with_day(1).unwrap_or(day), day);
    let (this_month, last_month) = (month(today), month(month(today).0 - Days::new(1)));
    let sum = |(from, to): (NaiveDate, NaiveDate), more: &[(&str, Value)]| {
        tool(("get_spending_summary", &object(&[&[("from", json!(from)), ("to", json!(to))], more].concat())))
    };
    let results: Vec<Value> = turn.results.iter().map(|(_, content, _)| json(content)).collect();
    let accounts = results.first().and_then(|first| first["accounts"].as_array()).map_or(&[][..], Vec::as_slice);
    let scene = FINANCE.iter().position(|line| turn.is(line));
    match (turn.round, scene) {
        (2, Some(3)) => {
            let looked = text(format!("You have {} accounts; let me see what was spent from each. ", accounts.len()));
            let days = (today - Days::new(30), today);
            let sums = accounts.iter().map(|account| sum(days, &[("account", account["id"].clone())]));
            [looked].into_iter().chain(sums).collect()
        }
        (3, Some(3)) => {
            let most = accounts.iter().zip(&results[1..]).max_by_key(|(_, spent)| spent["total_cents"].as_i64());
            let words = most.map(|(account, spent)| {
                let (name, [sum, from, to]) = (account["name"].as_str().unwrap_or("?"), sum_in_words(spent));
                format!("You spent most from {name}: {sum} from {from} to {to}.")
            });
            vec![text(words.unwrap_or_default())]
        }
        (2.., _) => vec![text(turn.results.iter().map(told).collect::<Vec<_>>().join(" "))],
        (_, Some(0)) => {
            vec![text("Let me look that up. 📊 "), sum(last_month, &[("category", json!("groceries"))])]
        }
        (_, Some(1)) => vec![text("Let me compare the two months. "), sum(this_month, &[]), sum(last_month, &[])],
        (_, Some(2)) => {
            let travel = [("category", json!("travel"))];
            let question = tool(("ask_adviser", r#"{"question": "How can I spend less on travel?"}"#));
            let told = text("Let me compare, and ask a colleague. ");
            vec![told, sum(this_month, &travel), sum(last_month, &travel), question]
        }
        (_, scene) if scene.is_some() || turn.is("My accounts") => {
            vec![text("Let me look at your accounts first. "), tool(("list_accounts", ""))]
        }
        _ if turn.is("Show my spending summary for November 2025") => {
            let november = NaiveDate::from_ymd_opt(2025, 11, 30).unwrap_or_default();
            vec![text("Let me look that up. "), sum(month(november), &[])]
        }
        _ => vec![honest(&FINANCE)],
    }
}

/// Puts the result of a finance tool into words.
fn told((tool, content, is_error): &ToolResult<'_>) -> String {
    let result = json(content);
    if *is_error {
        return format!("{tool} failed: {content}.");
    }
    if result["answer"].is_string() {
        return "My colleague's advice is on its card.".to_owned();
    }
    let Some(accounts) = result["accounts"].as_array() else {
        let [sum, from, to] = sum_in_words(&result);
        let on = result["category"].as_str().map(|category| format!(" on {category}")).unwrap_or_default();
        return format!("From {from} to {to} you spent {sum}{on}.");
    };
    let account = |it: &Value| format!("{} with {}", it["name"].as_str().unwrap_or("?"), euros(&it["balance_cents"]));
    let all: Vec<String> = accounts.iter().map(account).collect();
    format!("You have {} accounts: {}.", all.len(), all.join(", "))
}

fn euros(cents: &Value) -> String {
    money(cents.as_i64().unwrap_or_default(), "EUR")
}

/// Returns what was spent, and the first and the last day.
fn sum_in_words(spent: &Value) -> [String; 3] {
    [euros(&spent["total_cents"]), in_words(&spent["from"]), in_words(&spent["to"])]
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
    let book = |restaurant: Value| {
        let members =
            [("restaurant", restaurant), ("date", json!(saturday)), ("time", json!("19:30")), ("party", json!(2))];
        tool(("book_table", &object(&members)))
    };
    let suggesting = |line: &str| note(&json!({"suggestions": [line]}));
    if let Some((name, content, is_error)) = turn.results.last() {
        let result = json(content);
        return match result["restaurants"].as_array().filter(|_| !is_error) {
            Some(found) if turn.is(RESTAURANT[3]) => {
                let name = &found[0]["name"];
                let context = note(&json!({"restaurants": found}));
                vec![text(format!("{} it is. {context}", name.as_str().unwrap_or("?"))), book(name.clone())]
            }
            Some(found) => {
                let names: Vec<&str> = found.iter().filter_map(|one| one["name"].as_str()).collect();
                let context = note(&json!({"preferences": {"cuisine": "italian"}, "restaurants": found}));
                let (found, next) = (names.join(" and "), suggesting(RESTAURANT[1]));
                vec![text(format!("I found {}: {found}. {context}Shall I book a table?{next}", names.len()))]
            }
            None if *name == "book_table" && !is_error => vec![text(booked(&result, "is booked"))],
            None => vec![text(retell(&turn.results))],
        };
    }
    match () {
        () if turn.is(RESTAURANT[0]) || turn.is(RESTAURANT[3]) => {
            let input = object(&[("cuisine", json!("italian")), ("date", json!(saturday))]);
            vec![text("Let me have a look. "), tool(("find_restaurants", &input))]
        }
        () if turn.is(RESTAURANT[1]) => match turn.unanswered.iter().find(|(name, ..)| *name == "book_table") {
            Some((_, content, true)) => vec![text(format!("I do not know what became of your table: {content}"))],
            Some((_, content, false)) => {
                vec![text(format!("{} I have not booked again.", booked(&json(content), "has been booked already")))]
            }
            None => vec![text("I ask for a table. "), book(json!("Napoli"))],
        },
        () if turn.is(RESTAURANT[2]) => {
            let context = note(&json!({"preferences": {"cuisine": "thai", "said": turn.text}}));
            let next = suggesting(RESTAURANT[0]);
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

/// Returns the form's JSON. The second attempt is right if the line asks for a wrong first one.
fn form(turn: &Turn<'_>) -> String {
    let (line, errors) = turn.text.split_once(" Your last answer could not be used").unwrap_or((&turn.text, ""));
    let is = |other: &str| line.eq_ignore_ascii_case(other);
    let (title, plans): (_, &[(&str, &str)]) = match () {
        () if is(FORM[1]) => (
            "A weekend in Rome",
            &[
                ("Trastevere", "Arrive at noon, cross the river, and have dinner where it is loud."),
                ("Centro", "The Pantheon before nine, then coffee; the train leaves at four."),
            ],
        ),
        () if is(FORM[0]) || is(FORM[2]) || is("Never right") => (
            "Around the Øresund in four days",
            &[
                ("København", "Walk along the harbour to Nyhavn, and see the city from the Round Tower."),
                ("Helsingør", "Take the train along the coast, and look at “Hamlet's” castle."),
                ("Lund", "Cross by ferry; the cathedral's clock plays at noon and at three."),
                ("Malmö", "Swim at the bathhouse, then take the bridge home."),
            ],
        ),
        () => return object(&[("reply", json!(HONEST)), ("suggestions", json!(FORM))]),
    };
    let is_wrong = is("Never right") || is(FORM[2]) && errors.is_empty();
    let days: Vec<Value> = plans.iter().map(|(place, plan)| json!({"place": place, "plan": plan})).collect();
    object(&[
        ("title", json!(title)),
        ("start", json!(turn.today() + Days::new(14))),
        ("people", if is_wrong { json!("many") } else { json!(2) }),
        ("days", json!(days)),
    ])
}
