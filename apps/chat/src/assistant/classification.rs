//! The input of the shopping assistant's one forced call: its type, its schema, and what the schema can't say.

use std::sync::LazyLock;

use jsonspigot_llm::Payload;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::instructor::Schema;
use crate::provider::{Block, Message, Role};

/// The name of the forced tool.
pub(super) const TOOL: &str = "classify_and_assess";

/// The input, once it is complete. Unknown members are ignored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Classification {
    pub(super) reasoning: Option<String>,
    pub(super) route: Route,
    pub(super) data_strategy: DataStrategy,
    pub(super) is_follow_up: bool,
    pub(super) follow_up_confidence: Option<Confidence>,
    pub(super) domain: Option<String>,
    pub(super) category: Option<String>,
    #[serde(deserialize_with = "or_none")]
    pub(super) subcategories: Vec<String>,
    pub(super) product_intent: Option<String>,
    #[serde(deserialize_with = "or_none")]
    pub(super) ask_slots: Vec<AskSlot>,
    pub(super) simple_response: Option<SimpleResponse>,
}

/// The topic of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Route {
    Product,
    Support,
    #[default]
    General,
}

/// The source of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DataStrategy {
    /// The model.
    #[default]
    None,
    /// The catalogue, once enough is known.
    EsFetch,
    /// The stored conversation.
    MemoryOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Confidence {
    High,
    Medium,
    Low,
}

/// A question, and the slot for its answer.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AskSlot {
    /// `ASK_USER_…`.
    pub(super) slot_name: String,
    pub(super) message: String,
    #[serde(default, deserialize_with = "or_none")]
    pub(super) options: Vec<String>,
}

/// An answer that needs no data.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SimpleResponse {
    pub(super) message: String,
    #[serde(default, deserialize_with = "or_none")]
    pub(super) suggestions: Vec<String>,
    pub(super) response_type: Option<String>,
}

/// A call whose input is not valid, or none.
#[derive(Debug)]
pub(super) struct Rejected {
    /// The call's id, and its input as it can be sent back.
    pub(super) call: Option<(String, Value)>,
    pub(super) errors: Vec<String>,
}

impl Rejected {
    /// Returns the call and its errors as messages for the model, which is to call again.
    pub(super) fn into_messages(self) -> Vec<Message> {
        let content = format!("This input is not valid. Call {TOOL} again.\n- {}", self.errors.join("\n- "));
        let Some((id, input)) = self.call else { return vec![Message::user(content)] };
        let result = Block::ToolResult { tool_use_id: id.clone(), content, is_error: true };
        let call = Block::ToolUse { id, name: TOOL.to_owned(), input };
        vec![
            Message { role: Role::Assistant, content: vec![call] },
            Message { role: Role::User, content: vec![result] },
        ]
    }
}

/// Reads a list that may be null.
fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Classification {
    /// Reads the complete input of a call, strictly.
    pub(super) fn of_call(id: Option<&str>, input: &Payload<'_>) -> Result<Self, Rejected> {
        let marked = || json!({"INVALID_JSON": input.raw()});
        let rejected = |json, errors| Rejected { call: Some((id.unwrap_or("call_1").to_owned(), json)), errors };
        let broken =
            |reason: String| rejected(marked(), vec![format!("the input is {}: {reason}", input.status().name())]);
        let value = input.value().ok_or_else(|| broken(input.error().map(ToString::to_string).unwrap_or_default()))?;
        let value: Value = value.deserialize().map_err(|error| broken(error.to_string()))?;
        Self::read(&value).map_err(|errors| rejected(if value.is_object() { value.clone() } else { marked() }, errors))
    }

    /// Reads a complete input. Fails with everything that is not valid, in words for the model.
    pub(super) fn read(value: &Value) -> Result<Self, Vec<String>> {
        SCHEMA.check(value).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        let read = Self::deserialize(value).map_err(|error| vec![error.to_string()])?;
        read.check().map_err(|error| vec![error])?;
        Ok(read)
    }

    pub(super) fn is_product_related(&self) -> bool {
        self.route == Route::Product
    }

    /// Returns whether the message answers what was asked before. A guess does not count.
    pub(super) fn continues(&self) -> bool {
        self.is_follow_up && self.follow_up_confidence != Some(Confidence::Low)
    }

    fn check(&self) -> Result<(), String> {
        let Self { data_strategy, simple_response, ask_slots, .. } = self;
        if *data_strategy == DataStrategy::None && simple_response.is_none() {
            return Err("data_strategy is \"none\", so simple_response is needed".to_owned());
        }
        if *data_strategy == DataStrategy::MemoryOnly && !ask_slots.is_empty() {
            return Err("with data_strategy \"memory_only\" nothing can be asked".to_owned());
        }
        let repeats = |(at, slot): (usize, &AskSlot)| ask_slots[..at].iter().any(|it| it.slot_name == slot.slot_name);
        match ask_slots.iter().enumerate().find(|&slot| repeats(slot)) {
            Some((_, slot)) => Err(format!("{} is asked for twice", slot.slot_name)),
            None => Ok(()),
        }
    }
}

/// The tool's input as a JSON Schema. Fields that the person reads come first, so that they stream first.
pub(super) static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let text = json!({"type": "string", "pattern": "\\S"});
    let text_or_null = json!({"type": ["string", "null"]});
    let texts = json!({"type": ["array", "null"], "items": {"type": "string"}});
    Schema::new(&json!({
        "type": "object",
        "required": ["route", "data_strategy"],
        "properties": {
            "ask_slots": {"type": ["array", "null"], "items": {
                "type": "object",
                "required": ["slot_name", "message", "options"],
                "properties": {
                    "message": text,
                    "options": texts,
                    "slot_name": {"type": "string", "pattern": "^ASK_USER_[A-Z0-9_]+$"},
                },
            }},
            "simple_response": {
                "type": ["object", "null"],
                "required": ["message"],
                "properties": {"message": {"type": "string"}, "suggestions": texts, "response_type": text_or_null},
            },
            "reasoning": text_or_null,
            "route": {"enum": ["product", "support", "general"]},
            "data_strategy": {"enum": ["none", "es_fetch", "memory_only"]},
            "is_follow_up": {"type": "boolean"},
            "follow_up_confidence": {"enum": ["high", "medium", "low", null]},
            "domain": {"enum": ["f_and_b", "personal_care", "other", null]},
            "category": text_or_null,
            "subcategories": texts,
            "product_intent": {"enum": ["show_me_options", "is_this_good", "which_is_better", "show_me_alternate", null]},
            "fetch_functions": texts,
        },
    }))
    .expect("the schema is valid")
});
