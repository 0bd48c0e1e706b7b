//! How the shopping assistant's session moves on: what a classification makes of it.

use super::classification::{Classification, SlotAnswer};
use crate::conversation::{Assessment, Session};

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
