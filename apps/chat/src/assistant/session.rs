//! How the shopping assistant's session moves on: what a classification, and what the person chose, make of it.

use super::classification::{AskSlot, Classification};
use crate::conversation::{Answers, Assessment, ContextualQuestion, Session, SlotType};
use crate::words;

impl Session {
    /// The session after a message: begun, or moved on by the answers in it.
    #[must_use]
    pub fn after(before: Option<&Self>, said: &Classification, message: &str, chosen: &Answers) -> Self {
        let is_known = |before: &Self| chosen.keys().any(|slot| before.contextual_questions.contains_key(slot));
        let going_on = before.filter(|&before| is_known(before) || said.goes_on());
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
            domain: said.domain.clone().or_else(|| going_on?.domain.clone()),
            product_intent: said.product_intent.clone().or_else(|| going_on?.product_intent.clone()),
            contextual_questions: going_on.map(|before| before.contextual_questions.clone()).unwrap_or_default(),
            assessment: going_on.map_or_else(
                || Assessment {
                    original_query: message.to_owned(),
                    intent: intent_l3.clone(),
                    ..Assessment::default()
                },
                |before| before.assessment.clone(),
            ),
            intent_l3,
        };
        if going_on.is_some() {
            session.answer(message, chosen);
        }
        session.ask(&said.ask_slots);
        session.assess();
        session
    }

    /// Puts what the person has chosen, or else what they have written, where it belongs.
    fn answer(&mut self, message: &str, chosen: &Answers) {
        let mut is_placed = false;
        for (slot, answer) in chosen {
            if let Some(question) = self.contextual_questions.get_mut(slot).filter(|_| !answer.is_empty()) {
                question.answer.clone_from(answer);
                is_placed = true;
            }
        }
        if is_placed {
            return;
        }
        // Whoever names an option of one question alone means that one, and has changed their mind if it was answered;
        // anything else is for the one that is asked.
        let message = message.trim();
        // Of a question of which something is ruled out, and nothing named, the others are meant.
        let named = |question: &ContextualQuestion| {
            let (denied, meant): (Vec<&String>, Vec<&String>) =
                question.options.iter().partition(|option| words::denies(message, option));
            let named = meant.iter().copied().filter(|option| words::has(message, option));
            let named: Vec<String> = named.cloned().collect();
            let others = if denied.is_empty() { Vec::new() } else { meant.into_iter().cloned().collect() };
            if named.is_empty() { others } else { named }
        };
        let asked = self.assessment.currently_asking.clone().unwrap_or_default();
        let mut taken = self.contextual_questions.get(&asked).map(named).unwrap_or_default();
        let is_of_the_asked = !taken.is_empty();
        for (slot, question) in &mut self.contextual_questions {
            let options = named(question);
            if *slot == asked && is_of_the_asked {
                question.answer = options;
            } else if !options.is_empty() && !options.iter().any(|option| taken.contains(option)) {
                taken.extend(options.iter().cloned());
                question.answer = options;
            }
        }
        if let Some(question) = self.contextual_questions.get_mut(&asked).filter(|_| taken.is_empty()) {
            question.answer = vec![message.to_owned()];
        }
    }

    /// Takes the questions of a classification in. What was answered before stays so.
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

    /// Works out what is fulfilled and what is missing.
    fn assess(&mut self) {
        let has_answer = |slot: &&String| self.contextual_questions.get(*slot).is_some_and(|it| !it.answer.is_empty());
        let (fulfilled, missing): (Vec<&String>, Vec<&String>) =
            self.assessment.priority_order.iter().partition(has_answer);
        let (fulfilled, missing_data) =
            (fulfilled.into_iter().cloned().collect(), missing.into_iter().cloned().collect::<Vec<String>>());
        self.assessment.fulfilled = fulfilled;
        self.assessment.currently_asking = missing_data.first().cloned();
        self.assessment.missing_data = missing_data;
    }

    /// What the person has answered, in the order of the questions.
    pub(super) fn answers(&self) -> impl Iterator<Item = &String> {
        let order = self.assessment.priority_order.iter();
        order.filter_map(|slot| self.contextual_questions.get(slot)).flat_map(|question| &question.answer)
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

    /// Only what follows up an open question, and not by a guess, answers it.
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
