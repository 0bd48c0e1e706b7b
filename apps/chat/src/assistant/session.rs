//! The shopping assistant's session: what is known, what is missing, what is being asked. Plain data and its moves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::classification::{Classification, SlotAnswer};

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
    /// The session after a classification: begun, or moved on by the answers in it.
    #[must_use]
    pub fn after(before: Option<&Self>, said: &Classification) -> Self {
        let going_on = before.filter(|before| before.assessment.currently_asking.is_some());
        let mut questions = going_on.map(|before| before.contextual_questions.clone()).unwrap_or_default();
        for question in &said.ask_slots {
            questions.retain(|known| known.slot != question.slot);
            questions.push(question.clone());
        }
        Self {
            intent_l1: said.intent_l1.clone(),
            intent_l2: said.intent_l2.clone(),
            intent_l3: said.intent_l3.clone(),
            is_product_related: said.is_product_related,
            domain: said.domain.clone(),
            product_intent: said.product_intent.clone(),
            contextual_questions: questions,
            assessment: Assessment::after(going_on.map(|before| &before.assessment), said),
        }
    }

    /// The question that is being asked.
    #[must_use]
    pub fn current_question(&self) -> Option<&ContextualQuestion> {
        let asking = self.assessment.currently_asking.as_deref()?;
        self.contextual_questions.iter().find(|question| question.slot == asking)
    }
}

impl Assessment {
    fn after(before: Option<&Self>, said: &Classification) -> Self {
        let new = &said.assessment;
        let mut fulfilled = before.map(|before| before.fulfilled.clone()).unwrap_or_default();
        fulfilled.extend(new.answered.iter().map(|SlotAnswer { slot, value }| (slot.clone(), value.clone())));
        let mut priority_order = before.map(|before| before.priority_order.clone()).unwrap_or_default();
        for slot in new.priority_order.iter().chain(&new.missing_data) {
            if !priority_order.contains(slot) {
                priority_order.push(slot.clone());
            }
        }
        let missing_data: Vec<String> =
            priority_order.iter().filter(|&slot| !fulfilled.contains_key(slot)).cloned().collect();
        Self {
            original_query: before.map_or(&new.original_query, |before| &before.original_query).clone(),
            intent: new.intent.clone(),
            currently_asking: missing_data.first().cloned(),
            missing_data,
            priority_order,
            fulfilled,
        }
    }
}
