//! The shopping assistant's session: what is known, what is missing, what is being asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The broad intent.
    pub intent_l1: String,
    /// The narrower one.
    pub intent_l2: String,
    /// The narrowest.
    pub intent_l3: String,
    /// Whether it is about something to buy at all.
    pub is_product_related: bool,
    /// The part of the catalogue.
    pub domain: String,
    /// What the product is for.
    pub product_intent: String,
    /// The questions of this session's slots.
    pub contextual_questions: Vec<ContextualQuestion>,
    /// How far the questions have come.
    pub assessment: Assessment,
}

/// A slot's question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextualQuestion {
    /// The slot.
    pub slot: String,
    /// The question.
    pub message: String,
    /// What kind of answer it wants.
    #[serde(rename = "type")]
    pub kind: SlotType,
    /// The answers to choose from.
    pub options: Vec<String>,
}

/// What kind of answer a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotType {
    /// One of the options.
    SingleChoice,
    /// Some of the options.
    MultipleChoice,
    /// Anything.
    Text,
}

/// How far the questions have come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// What the person asked for at first.
    pub original_query: String,
    /// What they want, in the model's words.
    pub intent: String,
    /// The slots without an answer.
    pub missing_data: Vec<String>,
    /// All slots, the most important first.
    pub priority_order: Vec<String>,
    /// The answers.
    pub fulfilled: BTreeMap<String, String>,
    /// The slot that is being asked for.
    pub currently_asking: Option<String>,
}

impl Session {
    /// The question that is being asked.
    #[must_use]
    pub fn current_question(&self) -> Option<&ContextualQuestion> {
        let asking = self.assessment.currently_asking.as_deref()?;
        self.contextual_questions.iter().find(|question| question.slot == asking)
    }
}
