//! The message as a whole: which of its parts go back, and how it is written.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{OLDER_CALL, Part, Shape, Turn, Value, accepted, ids, is_item_of_reasoning, push_element};
use crate::json::Json;

/// The calls of a message that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    All,
    None,
}

impl Turn {
    /// The message's JSON text, if nothing of it is missing and there is anything.
    pub(crate) fn to_json(&self) -> Option<String> {
        // Where a call was refused, nobody has said so.
        let message = self.joined(Calls::All).filter(|_| !self.has_bad_call)?;
        let message = match self.shape {
            // Its calls are written as they were reported.
            Shape::WithCalls { .. } => message,
            _ => accepted::with_reported_calls(Json::of(&message), &self.ended)?,
        };
        ids::are_accepted(Json::of(&message), self.shape).then_some(message)
    }

    /// The same without its calls and what came of them.
    pub(crate) fn to_json_without_calls(&self) -> Option<String> {
        self.joined(Calls::None)
    }

    /// The message as far as servers accept it.
    fn joined(&self, calls: Calls) -> Option<String> {
        // A call's input that is cut is no JSON.
        accepted::without_blanks(Json::new(&self.written(calls)?)?)
    }

    /// The parts that go back. Without calls, the reasoning that led to one stays away with it, as it does where what
    /// followed was lost: OpenAI refuses an item of reasoning without the next.
    fn kept(&self, calls: Calls) -> impl Iterator<Item = &Part> {
        let parts: Vec<_> = self.parts.iter().collect();
        let mut kept = Vec::new();
        let mut next = None;
        for (place, part) in parts.into_iter().rev() {
            let is_followed = next.is_none_or(|(next, is_kept)| is_kept && place + 1 == next);
            let is_kept =
                (calls == Calls::All || !part.is_of_a_call()) && (is_followed || !is_item_of_reasoning(part.base()));
            kept.extend(is_kept.then_some(part));
            next = Some((place, is_kept));
        }
        kept.into_iter().rev()
    }

    /// The only call, if it came in the form that chats had before there were lists of them, and has no id.
    fn older_call(&self) -> Option<&str> {
        let is_older = self.own.changed.iter().any(|(name, _)| *name == OLDER_CALL);
        // Alone in the list, it is an object.
        let call = Json::new(&self.calls).filter(|call| is_older && !call.member("id").is_given())?;
        Some(call.member("function").spelt()).filter(|function| !function.is_empty())
    }

    fn written(&self, calls: Calls) -> Option<String> {
        if self.is_spoilt || (self.pending.is_some() && calls == Calls::All) {
            return None;
        }
        let mut list = String::new();
        self.kept(calls).for_each(|part| push_element(&mut list, &part.to_json()));
        let mut own = self.own.clone();
        own.changed.retain(|(name, _)| calls == Calls::All || !["tool_calls", OLDER_CALL].contains(&&**name));
        let older = self.older_call();
        if older.is_none() {
            own.changed.retain(|(name, _)| *name != OLDER_CALL);
        }
        let has_calls = calls == Calls::All && !self.calls.is_empty();
        if list.is_empty() && own.changed.is_empty() && !has_calls {
            return None;
        }
        match self.shape {
            Shape::Items | Shape::Steps => Some(["[", &list, "]"].concat()),
            Shape::Object { .. } | Shape::WithCalls { .. } => {
                let (role, name) = match self.shape {
                    Shape::Object { role, list, .. } => (role, list),
                    Shape::WithCalls { list, .. } => ("assistant", list),
                    _ => return None,
                };
                if !list.is_empty() {
                    own.changed.push((name, Value::List(list)));
                }
                if let (true, Some(function)) = (has_calls, older) {
                    own.changed.retain(|(name, _)| *name != OLDER_CALL);
                    own.changed.push((OLDER_CALL, Value::Json(function.to_owned())));
                } else if has_calls {
                    own.changed.push(("tool_calls", Value::List(self.calls.clone())));
                }
                own.base = ["{\"role\":\"", role, "\"}"].concat();
                Some(own.to_json())
            }
        }
    }
}
