//! The model behind the shopping assistant: one forced call that classifies and asks.
//!
//! What must never reach the client begins with `internal-`, or is a word that stands for itself, so that it can be
//! looked for.

use serde_json::{Value, json};

use crate::scripted::turn::{Block, Turn, object, text, tool};

pub(in crate::scripted) fn classify(turn: &Turn<'_>) -> Vec<Block> {
    let session = line(turn.system, "Session: ");
    let is_asking = session["assessment"]["currently_asking"].is_string();
    let verdict = match () {
        () if turn.says(&["what did i", "remember"]) => Verdict { strategy: "memory_only", ..Verdict::usual() },
        // What is missing is known to whoever keeps the session.
        () if is_asking => Verdict { is_follow_up: true, ..Verdict::usual() },
        () if turn.says(&["chips"]) => Verdict {
            kind: ("f_and_b", "chips_and_crisps"),
            slots: vec![
                slot("BUDGET", "Great! What's your budget range for chips?", &["Under ₹50", "₹50–150", "Over ₹150"]),
                slot("PREFERENCES", "What flavor are you in the mood for?", &["Spicy", "Classic salted", "Tangy"]),
            ],
            ..Verdict::usual()
        },
        () if turn.says(&["twins"]) => Verdict {
            slots: vec![
                slot("FIRST_SIZE", "Which size?", &["S", "M"]),
                slot("SECOND_SIZE", "Which size?", &["L", "XL"]),
            ],
            ..Verdict::usual()
        },
        () if turn.says(&["ring"]) => Verdict {
            slots: vec![
                slot("METAL", "Great choice! Which metal should the ring be of?", &["gold", "silver", "“rosé”"]),
                slot("SIZE", "And which size does she wear? 💍", &["6", "7", "8"]),
            ],
            ..Verdict::usual()
        },
        () if turn.says(&["lamp", "show me"]) => Verdict::usual(),
        () => Verdict {
            strategy: "none",
            response: Some(format!("Hello! You said “{}”. I can help you find \"just the thing\". 🛍️", turn.text)),
            ..Verdict::usual()
        },
    };
    vec![tool("classify_and_assess", verdict.to_json(turn))]
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
    strategy: &'static str,
    is_follow_up: bool,
    /// Domain and category.
    kind: (&'static str, &'static str),
    response: Option<String>,
    slots: Vec<Value>,
}

impl Verdict {
    fn usual() -> Self {
        let kind = ("other", "gifts");
        Self { strategy: "es_fetch", is_follow_up: false, kind, response: None, slots: Vec::new() }
    }

    fn to_json(&self, turn: &Turn<'_>) -> String {
        let is_product = self.strategy != "none";
        // Wrong, or wrong until it is told so.
        let is_wrong = |words: &str| turn.says(&[words]) && (turn.round == 1 || !turn.says(&["at first"]));
        let is_follow_up = if is_wrong("wrong type") { json!("yes") } else { json!(self.is_follow_up) };
        let strategy = if is_wrong("unknown value") { "internal-guess" } else { self.strategy };
        let (domain, category) = self.kind;
        let fetch: &[&str] =
            if self.strategy == "es_fetch" && self.slots.is_empty() { &["search_products"] } else { &[] };
        let response = self.response.as_ref();
        object(&[
            ("reasoning", json!(format!("The user said “{}”, so the next step is clear.", turn.text))),
            ("route", json!(if is_product { "product" } else { "general" })),
            ("data_strategy", json!(strategy)),
            ("is_follow_up", is_follow_up),
            ("follow_up_confidence", json!("high")),
            ("domain", json!(domain)),
            ("category", json!(category)),
            ("subcategories", json!(["internal-subcategory"])),
            ("product_intent", if is_product { json!("show_me_options") } else { Value::Null }),
            ("ask_slots", json!(self.slots)),
            ("fetch_functions", json!(fetch)),
            (
                "simple_response",
                response.map_or(Value::Null, |message| json!({"message": message, "response_type": "bot_identity"})),
            ),
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
