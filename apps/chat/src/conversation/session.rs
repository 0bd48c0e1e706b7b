//! The shopping assistant's session: its questions, and the answers so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// `A` for something to buy, `E` for everything else.
    pub intent_l1: String,
    /// `A1` or `E2`, likewise.
    pub intent_l2: String,
    /// The product intent, or the kind of response if there is no product.
    pub intent_l3: String,
    /// Set if the message is about a product.
    pub is_product_related: bool,
    /// The part of the catalogue.
    pub domain: Option<String>,
    /// The product intent.
    pub product_intent: Option<String>,
    /// The questions of this session, by their slots' names.
    pub contextual_questions: BTreeMap<String, ContextualQuestion>,
    /// The progress of the questions.
    pub assessment: Assessment,
}

/// A slot's question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextualQuestion {
    /// The question.
    pub message: String,
    /// The kind of answer that it expects.
    #[serde(rename = "type")]
    pub kind: SlotType,
    /// The answers to choose from.
    pub options: Vec<String>,
    /// The answer, empty before there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<String>,
}

/// The kind of answer that a question expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotType {
    /// Some of the options, or anything else in the person's own words.
    MultiChoice,
}

/// The progress of the questions. Slots are given by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// The person's first message.
    pub original_query: String,
    /// The session's `intent_l3` at that moment.
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

/// The chosen options by slot name, sent along with the message.
pub type Answers = BTreeMap<String, Vec<String>>;

impl Session {
    /// Returns the question that is being asked, with its slot's name.
    #[must_use]
    pub fn current_question(&self) -> Option<(&String, &ContextualQuestion)> {
        self.contextual_questions.get_key_value(self.assessment.currently_asking.as_deref()?)
    }
}
