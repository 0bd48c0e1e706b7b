//! Writes the message and selects the parts that it contains.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{ITEM_OF_REASONING, OLDER_CALL, Part, Shape, Turn, Value, accepted, push_element};
use crate::json::{Tree, checked};

impl Turn {
    /// Returns the message's JSON text; `None` if it is empty or a part of it is missing.
    pub(crate) fn to_json(&self) -> Option<String> {
        // Servers refuse a message with an incomplete call.
        let message = self.joined(true).filter(|_| !self.has_bad_call)?;
        let message = match self.shape {
            // Its calls were written when they were reported.
            Shape::WithCalls { .. } => message,
            _ => accepted::with_reported_calls(&message, &self.ended)?,
        };
        let has_ids = accepted::has_ids(Tree::new(&message).root(), self.shape);
        has_ids.then_some(message)
    }

    /// Returns the message's JSON text without calls and their results.
    pub(crate) fn to_json_without_calls(&self) -> Option<String> {
        self.joined(false)
    }

    /// Returns the message without the parts that servers refuse.
    fn joined(&self, with_calls: bool) -> Option<String> {
        // The text is not JSON if a call's input was truncated.
        accepted::without_blanks(checked(&self.written(with_calls)?)?)
    }

    /// Returns the parts to send back, the last one first. Without calls, the reasoning before a call is left out, as
    /// is reasoning before a part that was lost: OpenAI refuses an item of reasoning without the next item.
    fn kept(&self, with_calls: bool) -> Vec<&Part> {
        let (mut kept, mut next) = (Vec::new(), None);
        for (place, part) in self.parts.iter().rev() {
            let is_followed = next.is_none_or(|(next, is_kept)| is_kept && place + 1 == next);
            let is_kept = (with_calls || !part.is_of_a_call()) && (is_followed || part.kind != ITEM_OF_REASONING);
            kept.extend(is_kept.then_some(part));
            next = Some((place, is_kept));
        }
        kept
    }

    /// Returns the only call if it was sent in the deprecated form without a list and has no id.
    fn older_call(&self) -> Option<String> {
        // If the list has one call, its text is an object.
        let tree = Tree::new(checked(&self.calls).filter(|_| self.has_older_call)?);
        let function = tree.root().member("function").given();
        (!tree.root().member("id").is_given() && !function.is_empty()).then(|| function.to_owned())
    }

    fn written(&self, with_calls: bool) -> Option<String> {
        if self.is_spoilt || (self.pending.is_some() && with_calls) {
            return None;
        }
        let mut list = String::new();
        self.kept(with_calls).iter().rev().for_each(|part| push_element(&mut list, &part.to_json()));
        let mut own = self.own.clone();
        own.changed.retain(|(name, _)| with_calls || *name != "tool_calls");
        let has_calls = with_calls && !self.calls.is_empty();
        if list.is_empty() && own.changed.is_empty() && !has_calls {
            return None;
        }
        let (role, name) = match self.shape {
            Shape::Items | Shape::Steps => return Some(["[", &list, "]"].concat()),
            Shape::Object { role, list, .. } => (role, list),
            Shape::WithCalls { list, .. } => ("assistant", list),
        };
        if !list.is_empty() {
            own.changed.push((name, Value::List(list)));
        }
        own.changed.extend(has_calls.then(|| match self.older_call() {
            Some(function) => (OLDER_CALL, Value::Json(function)),
            None => ("tool_calls", Value::List(self.calls.clone())),
        }));
        own.base = ["{\"role\":\"", role, "\"}"].concat();
        Some(own.to_json())
    }
}
