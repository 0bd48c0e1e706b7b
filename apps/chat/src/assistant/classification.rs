//! What the shopping assistant's model has to say in its one forced call: the type, its schema, and what must hold.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::conversation::ContextualQuestion;

/// The name of the forced tool.
pub(super) const TOOL: &str = "classify_and_assess";

/// The call's input, read strictly once it is whole.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Classification {
    /// Why, in the model's words.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// Where it goes.
    pub route: Route,
    /// Where the answer comes from.
    pub data_strategy: DataStrategy,
    /// As in [`Session`](crate::conversation::Session).
    pub is_product_related: bool,
    /// As in [`Session`](crate::conversation::Session).
    pub domain: String,
    /// As in [`Session`](crate::conversation::Session).
    pub product_intent: String,
    /// As in [`Session`](crate::conversation::Session).
    pub intent_l1: String,
    /// As in [`Session`](crate::conversation::Session).
    pub intent_l2: String,
    /// As in [`Session`](crate::conversation::Session).
    pub intent_l3: String,
    /// The answer, if there is nothing to look up.
    #[serde(default)]
    pub simple_response: Option<SimpleResponse>,
    /// The questions, if something is missing.
    #[serde(default)]
    pub ask_slots: Vec<ContextualQuestion>,
    /// What to look for in the catalogue.
    #[serde(default)]
    pub search: Vec<String>,
    /// What is missing, and what has been answered.
    pub assessment: Assessed,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// It is answered at once.
    Answer,
    /// Something is asked.
    Ask,
    /// The catalogue is searched.
    Search,
    /// The conversation is looked through.
    Recall,
}

/// Where the answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataStrategy {
    /// From the model.
    None,
    /// From the stored conversation.
    MemoryOnly,
    /// From the catalogue, once enough is known.
    EsFetch,
}

/// An answer that needs nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimpleResponse {
    /// The answer.
    pub message: String,
}

/// What the model makes of the session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assessed {
    /// What the person asked for.
    pub original_query: String,
    /// What they want.
    pub intent: String,
    /// The slots without an answer.
    #[serde(default)]
    pub missing_data: Vec<String>,
    /// The same, the most important first.
    #[serde(default)]
    pub priority_order: Vec<String>,
    /// What this message has answered.
    #[serde(default)]
    pub answered: Vec<SlotAnswer>,
}

/// An answer to a slot's question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotAnswer {
    /// The slot.
    pub slot: String,
    /// The answer.
    pub value: String,
}

impl Classification {
    /// What the type can't say.
    ///
    /// # Errors
    ///
    /// What does not hold, in words.
    pub fn check(&self) -> Result<(), String> {
        let Self { data_strategy, simple_response, ask_slots, assessment, .. } = self;
        match data_strategy {
            DataStrategy::None if simple_response.is_none() => return Err("there is no answer in it".to_owned()),
            DataStrategy::None | DataStrategy::MemoryOnly if !ask_slots.is_empty() => {
                return Err("it asks, though there is nothing to look up".to_owned());
            }
            _ => {}
        }
        for (index, question) in ask_slots.iter().enumerate() {
            if question.message.trim().is_empty() {
                return Err(format!("question {index} is empty"));
            }
            if ask_slots[..index].iter().any(|other| other.slot == question.slot) {
                return Err(format!("slot {} is asked for twice", question.slot));
            }
            if !assessment.missing_data.contains(&question.slot) {
                return Err(format!("slot {} is asked for, but not missing", question.slot));
            }
        }
        match assessment.priority_order.iter().find(|slot| !assessment.missing_data.contains(slot)) {
            Some(slot) => Err(format!("slot {slot} has a priority, but is not missing")),
            None => Ok(()),
        }
    }
}

/// The tool's input as a JSON Schema.
#[must_use]
pub(super) fn schema() -> Value {
    let string = json!({"type": "string"});
    let strings = json!({"type": "array", "items": string});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["route", "data_strategy", "is_product_related", "domain", "product_intent", "intent_l1", "intent_l2",
            "intent_l3", "assessment"],
        "properties": {
            "reasoning": string,
            "route": {"enum": ["answer", "ask", "search", "recall"]},
            "data_strategy": {"enum": ["none", "memory_only", "es_fetch"]},
            "is_product_related": {"type": "boolean"},
            "domain": string, "product_intent": string, "intent_l1": string, "intent_l2": string, "intent_l3": string,
            "simple_response": {
                "type": ["object", "null"], "additionalProperties": false,
                "required": ["message"], "properties": {"message": string},
            },
            "ask_slots": {"type": "array", "items": {
                "type": "object", "additionalProperties": false,
                "required": ["slot", "message", "type", "options"],
                "properties": {
                    "slot": string, "message": string, "options": strings,
                    "type": {"enum": ["single_choice", "multiple_choice", "text"]},
                },
            }},
            "search": strings,
            "assessment": {
                "type": "object", "additionalProperties": false, "required": ["original_query", "intent"],
                "properties": {
                    "original_query": string, "intent": string, "missing_data": strings, "priority_order": strings,
                    "answered": {"type": "array", "items": {
                        "type": "object", "additionalProperties": false,
                        "required": ["slot", "value"], "properties": {"slot": string, "value": string},
                    }},
                },
            },
        },
    })
}
