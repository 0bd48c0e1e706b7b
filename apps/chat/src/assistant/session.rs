//! Updates the shopping assistant's session after a classification.

use super::classification::{AskSlot, Classification};
use crate::conversation::{Answers, Assessment, ContextualQuestion, Session, SlotType};

impl Session {
    /// Returns the session after a message: a new one, or the last one with the answers in the message.
    #[must_use]
    pub(super) fn after(before: Option<&Self>, said: &Classification, message: &str, chosen: &Answers) -> Self {
        let is_known = |before: &Self| chosen.keys().any(|slot| before.contextual_questions.contains_key(slot));
        let last = before.filter(|&before| is_known(before) || said.continues());
        let is_product_related = said.is_product_related();
        let intent_l3 = match (is_product_related, &said.product_intent, &said.simple_response) {
            (true, Some(intent), _) => intent.clone(),
            (false, _, Some(response)) => response.response_type.clone().unwrap_or_else(|| "general".to_owned()),
            _ => "general".to_owned(),
        };
        let mut session = Self {
            intent_l1: if is_product_related { "A" } else { "E" }.to_owned(),
            intent_l2: if is_product_related { "A1" } else { "E2" }.to_owned(),
            is_product_related,
            domain: said.domain.clone().or_else(|| last?.domain.clone()),
            product_intent: said.product_intent.clone().or_else(|| last?.product_intent.clone()),
            contextual_questions: last.map(|before| before.contextual_questions.clone()).unwrap_or_default(),
            assessment: last.map_or_else(
                || Assessment {
                    original_query: message.to_owned(),
                    intent: intent_l3.clone(),
                    ..Assessment::default()
                },
                |before| before.assessment.clone(),
            ),
            intent_l3,
        };
        if last.is_some() {
            session.answer(message, chosen);
        }
        session.ask(&said.ask_slots);
        session.assess();
        session
    }

    /// Stores the person's choices in their slots. A message without choices answers the question that has it as an option,
    /// or else the current question.
    fn answer(&mut self, message: &str, chosen: &Answers) {
        let questions = &mut self.contextual_questions;
        let mut is_placed = false;
        for (slot, answer) in chosen.iter().filter(|(_, answer)| !answer.is_empty()) {
            if let Some(question) = questions.get_mut(slot) {
                question.answer.clone_from(answer);
                is_placed = true;
            }
        }
        if is_placed {
            return;
        }
        let message = message.trim();
        let is_it = |option: &&String| option.to_lowercase() == message.to_lowercase();
        let has_it =
            |(_, question): &(&String, &ContextualQuestion)| question.options.iter().any(|option| is_it(&option));
        let slot = questions.iter().find(has_it).map(|(slot, _)| slot).or(self.assessment.currently_asking.as_ref());
        if let Some(question) = slot.cloned().and_then(|slot| questions.get_mut(&slot)) {
            let option = question.options.iter().find(is_it);
            question.answer = vec![option.map_or(message, String::as_str).to_owned()];
        }
    }

    /// Adds the questions of a classification. Earlier answers stay.
    fn ask(&mut self, slots: &[AskSlot]) {
        for AskSlot { slot_name, message, options } in slots {
            if !self.assessment.priority_order.contains(slot_name) {
                self.assessment.priority_order.push(slot_name.clone());
            }
            let answer = self.contextual_questions.remove(slot_name).map(|known| known.answer).unwrap_or_default();
            let (message, options) = (message.clone(), options.clone());
            let question = ContextualQuestion { message, kind: SlotType::MultiChoice, options, answer };
            self.contextual_questions.insert(slot_name.clone(), question);
        }
    }

    /// Updates the lists of fulfilled and missing slots.
    fn assess(&mut self) {
        let Self { contextual_questions: questions, assessment, .. } = self;
        let has_answer = |slot: &String| questions.get(slot).is_some_and(|it| !it.answer.is_empty());
        let slots = assessment.priority_order.iter().cloned();
        (assessment.fulfilled, assessment.missing_data) = slots.partition(has_answer);
        assessment.currently_asking = assessment.missing_data.first().cloned();
    }

    /// Returns the answers, in the order of the questions.
    pub(super) fn answers(&self) -> impl Iterator<Item = &[String]> {
        let order = self.assessment.priority_order.iter();
        let answers = order.filter_map(|slot| self.contextual_questions.get(slot)).map(|question| &question.answer[..]);
        answers.filter(|answer| !answer.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn said(more: &Value) -> Classification {
        let mut input = json!({"route": "product", "data_strategy": "es_fetch", "is_follow_up": false});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Classification::read(&input).unwrap()
    }

    #[test]
    fn a_follow_up_that_is_a_guess_begins_anew() {
        let slot = json!({"slot_name": "ASK_USER_SIZE", "message": "Which size?", "options": ["S", "M"]});
        let open = Session::after(None, &said(&json!({"ask_slots": [slot]})), "Mittens", &Answers::new());
        for (follow_up, confidence, is_answered) in [
            (true, json!("high"), true),
            (true, json!("medium"), true),
            (true, Value::Null, true),
            (true, json!("low"), false),
            (false, json!("high"), false),
        ] {
            let said = said(&json!({"is_follow_up": follow_up, "follow_up_confidence": confidence}));
            let next = Session::after(Some(&open), &said, "M", &Answers::new());
            let query = if is_answered { "Mittens" } else { "M" };
            assert_eq!(next.assessment.original_query, query, "{follow_up} {confidence}");
            assert_eq!(next.contextual_questions.contains_key("ASK_USER_SIZE"), is_answered, "{confidence}");
        }
    }
}
