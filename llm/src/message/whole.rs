//! Writes the message and selects the parts that it contains.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{ITEM_OF_REASONING, OLDER_CALL, Part, Shape, Turn, Value, accepted, push_element};
use crate::json::{Tree, checked};

/// The calls to include in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    All,
    None,
}

impl Turn {
    /// Returns the message's JSON text; `None` if it is empty or a part of it is missing.
    pub(crate) fn to_json(&self) -> Option<String> {
        // Servers refuse a message with an incomplete call.
        let message = self.joined(Calls::All).filter(|_| !self.has_bad_call)?;
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
        self.joined(Calls::None)
    }

    /// Returns the message without the parts that servers refuse.
    fn joined(&self, calls: Calls) -> Option<String> {
        // The text is not JSON if a call's input was truncated.
        accepted::without_blanks(checked(&self.written(calls)?)?)
    }

    /// Returns the parts to send back. Without calls, the reasoning before a call is left out, as is reasoning before a
    /// part that was lost: OpenAI refuses an item of reasoning without the next item.
    fn kept(&self, calls: Calls) -> impl Iterator<Item = &Part> {
        let parts: Vec<_> = self.parts.iter().collect();
        let mut kept = Vec::new();
        let mut next = None;
        for (place, part) in parts.into_iter().rev() {
            let is_followed = next.is_none_or(|(next, is_kept)| is_kept && place + 1 == next);
            let is_kept =
                (calls == Calls::All || !part.is_of_a_call()) && (is_followed || part.kind != ITEM_OF_REASONING);
            kept.extend(is_kept.then_some(part));
            next = Some((place, is_kept));
        }
        kept.into_iter().rev()
    }

    /// Returns the only call if it was sent in the deprecated form without a list and has no id.
    fn older_call(&self) -> Option<String> {
        let is_older = self.own.changed.iter().any(|(name, _)| *name == OLDER_CALL);
        // If the list has one call, its text is an object.
        let tree = Tree::new(checked(&self.calls).filter(|_| is_older)?);
        let function = tree.root().member("function").given();
        (!tree.root().member("id").is_given() && !function.is_empty()).then(|| function.to_owned())
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
                    own.changed.push((OLDER_CALL, Value::Json(function)));
                } else if has_calls {
                    own.changed.push(("tool_calls", Value::List(self.calls.clone())));
                }
                own.base = ["{\"role\":\"", role, "\"}"].concat();
                Some(own.to_json())
            }
        }
    }
}
