//! The model behind the shopping assistant: one forced call that classifies and asks.
//!
//! What must never reach the client begins with `internal-`, or is a word that stands for itself, so that it can be
//! looked for.

use serde_json::{Value, json};

use crate::scripted::turn::{Block, Turn, object, quoted, text, tool};
use crate::words::{self, NOT, denies, has, words};

/// What there is to buy, and the words for it.
const KINDS: [(&str, &[&str]); 4] = [
    ("ring", &["ring", "rings", "jewelry", "jewellery"]),
    ("chips", &["chips", "crisps", "snack", "snacks"]),
    ("lamp", &["lamp", "lamps", "lampe", "lampen"]),
    ("mittens", &["mitten", "mittens", "gloves", "twins"]),
];

/// The question of those who have not said what they look for.
const TOPIC: &str = "ASK_USER_TOPIC";

pub(in crate::scripted) fn classify(turn: &Turn<'_>) -> Vec<Block> {
    let session = line(turn.system, "Session: ");
    let chosen = line(turn.system, "Answers: ");
    let has_chosen = chosen.as_object().is_some_and(|slots| slots.keys().any(|slot| slot != TOPIC));
    let asking = session["assessment"]["currently_asking"].as_str();
    let follow_up = asking.and_then(|slot| follow_up(turn, &session, slot));
    let wanted = kind(&turn.text);
    let before = kind(&format!(
        "{} {}",
        session["assessment"]["original_query"], session["contextual_questions"][TOPIC]["answer"]
    ));
    // Another kind of thing is a change of mind; the same one belongs to an answer, as in “a gold ring”.
    let is_new = wanted.filter(|_| wanted != before || follow_up.is_none());
    let verdict = match () {
        () if turn.says(&["what did i", "you remember"]) => Verdict { strategy: "memory_only", ..Verdict::usual() },
        () if has_chosen => Verdict { follow_up: Some("high"), ..Verdict::usual() },
        () if is_new.is_some() => Verdict { slots: slots(wanted), ..Verdict::usual() },
        () if follow_up == Some("low") => Verdict {
            follow_up,
            ..Verdict::words(
                "unsure",
                format!("I am not sure whether {} is meant as an answer, so I ask again.", quoted(&turn.text)),
            )
        },
        () if follow_up.is_some() => Verdict { follow_up, ..Verdict::usual() },
        () if turn.has(&[
            "order",
            "orders",
            "refund",
            "return",
            "returns",
            "exchange",
            "delivery",
            "arrived",
            "complaint",
            "broken",
            "support",
        ]) =>
        {
            Verdict {
                route: "support",
                ..Verdict::words(
                    "support",
                    format!(
                        "I am a scripted model and see no orders, so I can't help with {}. I can find you something new.",
                        quoted(&turn.text)
                    ),
                )
            }
        }
        () if turn.has(&["hello", "hi", "hey", "good morning", "hallo", "hola", "bonjour"]) => Verdict::words(
            "bot_identity",
            format!("Hello! You said {}. I can help you find \"just the thing\". 🛍️", quoted(&turn.text)),
        ),
        () => Verdict::words(
            "off_topic",
            format!(
                "You said {}. I am a scripted model and know nothing but my shop: rings, chips, lamps and mittens.",
                quoted(&turn.text)
            ),
        ),
    };
    let is_elsewhere = verdict.response.is_some() && asking.is_none();
    let slots = if is_elsewhere { vec![what()] } else { verdict.slots.clone() };
    let domain = match (wanted, session["domain"].as_str()) {
        (Some("chips"), _) => "f_and_b",
        (None, Some(domain)) => domain,
        _ => "other",
    };
    vec![tool("classify_and_assess", Verdict { slots, ..verdict }.to_json(turn, domain, wanted))]
}

/// The last kind of thing that a text names, but for those that it rules out: “no ring, chips”.
fn kind(text: &str) -> Option<&'static str> {
    let said = words(text);
    let is_ruled_out = |name: &str| denies(text, name) || has(text, &format!("forget the {name}"));
    let named = |at: usize| {
        KINDS.iter().find(|(_, names)| names.iter().any(|name| words::names(&said[at], name))).map(|(kind, _)| *kind)
    };
    (0..said.len()).rev().filter(|&at| !is_ruled_out(&said[at])).find_map(named)
}

/// How sure it is that a text answers the open questions; `None` if it does not.
fn follow_up(turn: &Turn<'_>, session: &Value, asking: &str) -> Option<&'static str> {
    /// What may stand beside a number that is an answer.
    const BESIDE: [&str; 22] = [
        "about", "around", "under", "over", "up", "to", "at", "most", "max", "maybe", "size", "it's", "is", "a", "i",
        "think", "please", "and", "or", "half", "rupees", "euros",
    ];
    let missing = session["assessment"]["missing_data"].as_array()?;
    let questions =
        missing.iter().filter_map(|slot| session["contextual_questions"][slot.as_str()?]["options"].as_array());
    let named = questions.flatten().filter_map(Value::as_str).filter(|option| has(&turn.text, option));
    let named: Vec<&str> = named.collect();
    let (is_named, is_denied) = (!named.is_empty(), named.iter().any(|option| denies(&turn.text, option)));
    let said = words(&turn.text);
    // A “not” that rules out an option says which are left; any other leaves it open what is meant.
    let is_doubtful = turn.text.contains('?') || !is_denied && said.iter().any(|word| NOT.contains(&word.as_str()));
    let is_number = |word: &String| word.parse::<u32>().is_ok();
    let is_amount = ["BUDGET", "SIZE"].iter().any(|of| asking.contains(of))
        && said.iter().any(is_number)
        && said.iter().all(|word| is_number(word) || BESIDE.contains(&word.as_str()));
    let is_any = asking != TOPIC
        && turn.has(&["surprise me", "whatever", "don't care", "doesn't matter", "no preference", "you choose"]);
    match () {
        () if is_any => Some("medium"),
        () if is_named && is_doubtful => Some("low"),
        () if is_named => Some("high"),
        () if is_amount && !is_doubtful => Some("medium"),
        () => None,
    }
}

/// What is to be known before the search.
fn slots(kind: Option<&str>) -> Vec<Value> {
    match kind {
        Some("chips") => vec![
            slot("BUDGET", "Great! What's your budget range for chips?", &["Under ₹50", "₹50–150", "Over ₹150"]),
            slot("PREFERENCES", "What flavor are you in the mood for?", &["Spicy", "Classic salted", "Tangy"]),
        ],
        Some("mittens") => {
            vec![slot("FIRST_SIZE", "Which size?", &["S", "M"]), slot("SECOND_SIZE", "Which size?", &["L", "XL"])]
        }
        Some("ring") => vec![
            slot("METAL", "Great choice! Which metal should the ring be of?", &["gold", "silver", "“rosé”"]),
            slot("SIZE", "And which size does she wear? 💍", &["6", "7", "8"]),
        ],
        _ => Vec::new(),
    }
}

fn what() -> Value {
    slot("TOPIC", "What are you looking for?", &["A ring", "Chips for a party", "A lamp"])
}

/// The second call of `memory_only`: it is asked over the stored conversation.
pub(in crate::scripted) fn recall(turn: &Turn<'_>) -> Vec<Block> {
    let said: Vec<String> = turn.earlier.iter().map(|text| format!("“{text}”")).collect();
    vec![text(match said.as_slice() {
        [] => "You have not told me anything before this.".to_owned(),
        said => format!("Before this you told me: {}.", said.join(", then ")),
    })]
}

struct Verdict {
    route: &'static str,
    strategy: &'static str,
    /// How sure it is that this follows up what was asked.
    follow_up: Option<&'static str>,
    /// Its kind, and the words.
    response: Option<(&'static str, String)>,
    slots: Vec<Value>,
}

impl Verdict {
    fn usual() -> Self {
        Self { route: "product", strategy: "es_fetch", follow_up: None, response: None, slots: Vec::new() }
    }

    /// An answer in words alone.
    fn words(kind: &'static str, words: String) -> Self {
        Self { route: "general", strategy: "none", response: Some((kind, words)), ..Self::usual() }
    }

    fn to_json(&self, turn: &Turn<'_>, domain: &str, kind: Option<&str>) -> String {
        let is_product = self.route == "product";
        // Wrong, or wrong until it is told so.
        let is_wrong = |words: &str| turn.says(&[words]) && (turn.round == 1 || !turn.says(&["at first"]));
        let is_follow_up = if is_wrong("wrong type") { json!("yes") } else { json!(self.follow_up.is_some()) };
        let strategy = if is_wrong("unknown value") { "internal-guess" } else { self.strategy };
        let category = match kind {
            Some("chips") => "chips_and_crisps",
            Some("lamp") => "lamp",
            _ => "gifts",
        };
        let fetch: &[&str] =
            if self.strategy == "es_fetch" && self.slots.is_empty() { &["search_products"] } else { &[] };
        let response = self.response.as_ref();
        object(&[
            ("reasoning", json!(format!("The user said {}, so the next step is clear.", quoted(&turn.text)))),
            ("route", json!(self.route)),
            ("data_strategy", json!(strategy)),
            ("is_follow_up", is_follow_up),
            ("follow_up_confidence", json!(self.follow_up.unwrap_or("high"))),
            ("domain", json!(domain)),
            ("category", json!(category)),
            ("subcategories", json!(["internal-subcategory"])),
            ("product_intent", if is_product { json!("show_me_options") } else { Value::Null }),
            // Above the questions, and so before them.
            (
                "simple_response",
                response.map_or(Value::Null, |(kind, words)| json!({"message": words, "response_type": kind})),
            ),
            ("ask_slots", json!(self.slots)),
            ("fetch_functions", json!(fetch)),
        ])
    }
}

fn slot(name: &str, message: &str, options: &[&str]) -> Value {
    json!({"slot_name": format!("ASK_USER_{name}"), "message": message, "options": options})
}

/// The JSON that the prompt has on a line of its own.
fn line(system: &str, name: &str) -> Value {
    let line = system.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}
