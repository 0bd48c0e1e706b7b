//! The shopping assistant's session: what is known, what is missing, what is being asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// `A` for something to buy, `E` for everything else.
    pub intent_l1: String,
    /// `A1` or `E2`, likewise.
    pub intent_l2: String,
    /// What the person wants with the product; of everything else, what kind of answer it gets.
    pub intent_l3: String,
    /// Whether it is about something to buy at all.
    pub is_product_related: bool,
    /// The part of the catalogue.
    pub domain: Option<String>,
    /// What the person wants with the product.
    pub product_intent: Option<String>,
    /// The questions of this session, by their slots' names.
    pub contextual_questions: BTreeMap<String, ContextualQuestion>,
    /// How far the questions have come.
    pub assessment: Assessment,
}

/// A slot's question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextualQuestion {
    /// The question.
    pub message: String,
    /// What kind of answer it wants.
    #[serde(rename = "type")]
    pub kind: SlotType,
    /// The answers to choose from.
    pub options: Vec<String>,
    /// What was answered; empty as long as nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<String>,
}

/// What kind of answer a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotType {
    /// Some of the options, or anything else in the person's own words.
    MultiChoice,
}

/// How far the questions have come. Slots are meant by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// What the person asked for at first.
    pub original_query: String,
    /// What they want: the session's narrowest intent when they asked.
    pub intent: String,
    /// The slots without an answer.
    pub missing_data: Vec<String>,
    /// All slots, in the order in which they are asked for.
    pub priority_order: Vec<String>,
    /// The slots with an answer.
    pub fulfilled: Vec<String>,
    /// The slot that is being asked for.
    pub currently_asking: Option<String>,
}

/// What a person chose, by the slots' names: sent along with the message that says it.
pub type Answers = BTreeMap<String, Vec<String>>;

impl Session {
    /// The question that is being asked, with its slot's name.
    #[must_use]
    pub fn current_question(&self) -> Option<(&String, &ContextualQuestion)> {
        self.contextual_questions.get_key_value(self.assessment.currently_asking.as_deref()?)
    }
}
