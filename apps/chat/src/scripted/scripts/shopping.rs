//! The model behind the shopping assistant: one forced call that classifies and asks.
//!
//! What must never reach the client begins with `internal-`, or is a word that stands for itself, so that it can be
//! looked for.

use serde_json::{Value, json};

use crate::scripted::turn::{Block, Turn, object, text, tool};

pub(in crate::scripted) fn classify(turn: &Turn<'_>) -> Vec<Block> {
    let session = session(turn.system);
    let asking = session["assessment"]["currently_asking"].as_str();
    let verdict = match () {
        () if turn.says(&["what did i", "remember"]) => Verdict { strategy: "memory_only", ..Verdict::of(turn) },
        () if asking.is_some() => answered(turn, &session, asking.unwrap_or_default()),
        () if turn.says(&["twins"]) => Verdict {
            slots: vec![slot("first", "Which size?", &["S", "M"]), slot("second", "Which size?", &["L", "XL"])],
            ..Verdict::of(turn)
        },
        () if turn.says(&["ring"]) => Verdict {
            slots: vec![
                slot("metal", "Great choice! Which metal should the ring be of?", &["gold", "silver", "“rosé”"]),
                slot("size", "And which size does she wear? 💍", &["6", "7", "8"]),
            ],
            ..Verdict::of(turn)
        },
        () if turn.says(&["lamp", "show me"]) => Verdict { search: vec!["lamp".to_owned()], ..Verdict::of(turn) },
        () => Verdict {
            strategy: "none",
            response: Some(format!("Hello! You said “{}”. I can help you find \"just the thing\". 🛍️", turn.text)),
            ..Verdict::of(turn)
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
    response: Option<String>,
    slots: Vec<Value>,
    missing: Option<Vec<Value>>,
    answered: Vec<Value>,
    search: Vec<String>,
    original_query: String,
}

impl Verdict {
    fn of(turn: &Turn<'_>) -> Self {
        let (response, slots, missing, answered, search) = Default::default();
        Self { strategy: "es_fetch", response, slots, missing, answered, search, original_query: turn.text.clone() }
    }

    fn to_json(&self, turn: &Turn<'_>) -> String {
        let route = match self.strategy {
            "none" => "answer",
            "memory_only" => "recall",
            _ if self.slots.is_empty() => "search",
            _ => "ask",
        };
        let names: Vec<Value> = self.slots.iter().map(|slot| slot["slot"].clone()).collect();
        let missing = self.missing.clone().unwrap_or(names);
        let is_related = if turn.says(&["wrong type"]) { json!("yes") } else { json!(self.strategy != "none") };
        let strategy = if turn.says(&["unknown value"]) { "internal-guess" } else { self.strategy };
        object(&[
            ("reasoning", json!(format!("The user said “{}”, so the next step is clear.", turn.text))),
            ("route", json!(route)),
            ("data_strategy", json!(strategy)),
            ("is_product_related", is_related),
            ("domain", json!("internal-domain-jewellery")),
            ("product_intent", json!("internal-intent-gift")),
            ("intent_l1", json!("internal-l1-buy")),
            ("intent_l2", json!("internal-l2-accessories")),
            ("intent_l3", json!("internal-l3-rings")),
            ("simple_response", self.response.as_ref().map_or(Value::Null, |message| json!({"message": message}))),
            ("ask_slots", json!(self.slots)),
            ("search", json!(self.search)),
            (
                "assessment",
                json!({
                    "original_query": self.original_query,
                    "intent": "internal-assessed-intent",
                    "missing_data": missing,
                    "priority_order": missing,
                    "answered": self.answered,
                }),
            ),
        ])
    }
}

/// The slot that was asked for has its answer; the next one is asked for, or the search begins.
fn answered(turn: &Turn<'_>, session: &Value, asking: &str) -> Verdict {
    let assessment = &session["assessment"];
    let is_open =
        |name: &&Value| **name != json!(asking) && assessment["fulfilled"][name.as_str().unwrap_or("")].is_null();
    let missing: Vec<Value> =
        assessment["priority_order"].as_array().into_iter().flatten().filter(is_open).cloned().collect();
    let query = assessment["original_query"].as_str().unwrap_or_default().to_owned();
    let search = if missing.is_empty() { vec!["ring".to_owned(), turn.text.clone()] } else { Vec::new() };
    Verdict {
        missing: Some(missing),
        answered: vec![json!({"slot": asking, "value": turn.text})],
        search,
        original_query: query,
        ..Verdict::of(turn)
    }
}

fn slot(name: &str, message: &str, options: &[&str]) -> Value {
    json!({"slot": name, "type": "single_choice", "message": message, "options": options})
}

/// The session as the prompt tells it, on a line of its own.
fn session(system: &str) -> Value {
    let line = system.lines().find_map(|line| line.strip_prefix("Session: "));
    line.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}
