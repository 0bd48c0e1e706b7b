//! What the shopping assistant's model has to say in its one forced call: the type, its schema, and what must hold.
//!
//! The input is checked by the schema first, as only that names everything that does not fit; the type can't fail after it.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::provider::{Block, Message, Role};

/// The name of the forced tool.
pub(super) const TOOL: &str = "classify_and_assess";

/// How much of one error is told to the model: it may quote all of the value that it is about.
const MOST_WORDS: usize = 300;

/// The call's input, read strictly once it is whole. Members that are not known are passed over.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Classification {
    /// Why, in the model's words.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// What it is about.
    pub route: Route,
    /// Where the answer comes from.
    pub data_strategy: DataStrategy,
    /// Whether it goes on with what was asked before.
    #[serde(default)]
    pub is_follow_up: bool,
    /// How sure the model is of that.
    #[serde(default)]
    pub follow_up_confidence: Option<Confidence>,
    /// The part of the catalogue.
    #[serde(default)]
    pub domain: Option<String>,
    /// The kind of product.
    #[serde(default)]
    pub category: Option<String>,
    /// Narrower kinds.
    #[serde(default, deserialize_with = "or_none")]
    pub subcategories: Vec<String>,
    /// What the person wants with the product.
    #[serde(default)]
    pub product_intent: Option<String>,
    /// The questions, if something is missing.
    #[serde(default, deserialize_with = "or_none")]
    pub ask_slots: Vec<AskSlot>,
    /// What the backend is to do.
    #[serde(default, deserialize_with = "or_none")]
    pub fetch_functions: Vec<String>,
    /// The answer, if there is nothing to look up.
    #[serde(default)]
    pub simple_response: Option<SimpleResponse>,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Something to buy.
    Product,
    /// Help with what was bought.
    Support,
    /// Anything else.
    General,
}

/// Where the answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataStrategy {
    /// From the model.
    None,
    /// From the catalogue, once enough is known.
    EsFetch,
    /// From the stored conversation.
    MemoryOnly,
}

/// How sure the model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Sure.
    High,
    /// Fairly sure.
    Medium,
    /// It guesses.
    Low,
}

/// A question, and the slot that its answer belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct AskSlot {
    /// The slot: `ASK_USER_…`.
    pub slot_name: String,
    /// The question.
    pub message: String,
    /// The answers to choose from.
    #[serde(default, deserialize_with = "or_none")]
    pub options: Vec<String>,
}

/// An answer that needs nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SimpleResponse {
    /// The answer.
    pub message: String,
    /// What the person may say next.
    #[serde(default, deserialize_with = "or_none")]
    pub suggestions: Vec<String>,
    /// What kind of answer it is.
    #[serde(default)]
    pub response_type: Option<String>,
}

/// A call whose input does not hold.
#[derive(Debug)]
pub(super) struct Rejected {
    id: String,
    /// The input as it can be sent back.
    input: Value,
    errors: Vec<String>,
}

impl Rejected {
    pub(super) fn new(id: &str, input: Value, errors: Vec<String>) -> Self {
        Self { id: id.to_owned(), input, errors }
    }

    pub(super) fn never_called() -> Self {
        Self::new("", Value::Null, vec!["the message was not classified".to_owned()])
    }

    /// Returns the errors, for the log.
    pub(super) fn words(&self) -> String {
        self.errors.join("; ")
    }

    /// Returns the call and its errors as messages for the model, which is to call again.
    pub(super) fn as_messages(&self) -> Vec<Message> {
        let content = format!("This input is not valid. Call {TOOL} again.\n- {}", self.errors.join("\n- "));
        if self.id.is_empty() {
            return vec![Message::user(content)];
        }
        let (id, name, input) = (self.id.clone(), TOOL.to_owned(), self.input.clone());
        let result = Block::ToolResult { tool_use_id: id.clone(), content, is_error: true };
        vec![
            Message { role: Role::Assistant, content: vec![Block::ToolUse { id, name, input }] },
            Message { role: Role::User, content: vec![result] },
        ]
    }
}

/// A list that may be null.
fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Classification {
    /// The classification in a whole value.
    ///
    /// # Errors
    ///
    /// Everything that does not hold, in words for the model.
    pub(super) fn read(value: &Value) -> Result<Self, Vec<String>> {
        let errors: Vec<String> = SCHEMA.iter_errors(value).map(|error| words(&error)).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let read = Self::deserialize(value).map_err(|error| vec![error.to_string()])?;
        read.check().map_err(|error| vec![error])?;
        Ok(read)
    }

    /// Whether it is about something to buy.
    #[must_use]
    pub fn is_product_related(&self) -> bool {
        self.route == Route::Product
    }

    /// Whether the message goes on with what was asked before.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.is_follow_up && self.follow_up_confidence != Some(Confidence::Low)
    }

    /// What the schema can't say.
    fn check(&self) -> Result<(), String> {
        let Self { data_strategy, simple_response, ask_slots, .. } = self;
        match data_strategy {
            DataStrategy::None if simple_response.is_none() => {
                return Err("data_strategy is \"none\", so simple_response is needed".to_owned());
            }
            DataStrategy::MemoryOnly if !ask_slots.is_empty() => {
                return Err("with data_strategy \"memory_only\" nothing can be asked".to_owned());
            }
            _ => {}
        }
        for (index, question) in ask_slots.iter().enumerate() {
            if ask_slots[..index].iter().any(|other| other.slot_name == question.slot_name) {
                return Err(format!("{} is asked for twice", question.slot_name));
            }
        }
        Ok(())
    }
}

fn words(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let mut words = if place.is_empty() { error.to_string() } else { format!("at {place}: {error}") };
    if let Some((end, _)) = words.char_indices().nth(MOST_WORDS) {
        words.truncate(end);
        words.push('…');
    }
    words
}

static SCHEMA: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&schema()).expect("the schema is a schema"));

/// The tool's input as a JSON Schema.
#[must_use]
pub(super) fn schema() -> Value {
    let text = json!({"type": "string", "pattern": "\\S"});
    let texts = json!({"type": ["array", "null"], "items": {"type": "string"}});
    let one_of =
        |values: &[&str]| json!({"enum": values.iter().map(|it| json!(it)).chain([Value::Null]).collect::<Vec<_>>()});
    json!({
        "type": "object",
        "required": ["route", "data_strategy"],
        "properties": {
            "reasoning": {"type": ["string", "null"]},
            "route": {"enum": ["product", "support", "general"]},
            "data_strategy": {"enum": ["none", "es_fetch", "memory_only"]},
            "is_follow_up": {"type": "boolean"},
            "follow_up_confidence": one_of(&["high", "medium", "low"]),
            "domain": one_of(&["f_and_b", "personal_care", "other"]),
            "category": {"type": ["string", "null"]},
            "subcategories": texts,
            "product_intent": one_of(&["show_me_options", "is_this_good", "which_is_better", "show_me_alternate"]),
            "ask_slots": {"type": ["array", "null"], "items": {
                "type": "object",
                "required": ["slot_name", "message", "options"],
                "properties": {
                    "slot_name": {"type": "string", "pattern": "^ASK_USER_[A-Z0-9_]+$"},
                    "message": text,
                    "options": texts,
                },
            }},
            "fetch_functions": texts,
            "simple_response": {
                "type": ["object", "null"],
                "required": ["message"],
                "properties": {
                    "message": {"type": "string"},
                    "suggestions": texts,
                    "response_type": {"type": ["string", "null"]},
                },
            },
        },
    })
}
