//! A part of the message that is being composed: its members and its JSON text.

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::{Part, Value, push_element};
use crate::json::Json;

impl Part {
    /// Returns a member of the object that the part started with.
    pub(super) fn member(&self, name: &str) -> Json<'_> {
        Json::of(&self.base).member(name)
    }

    /// Returns the object that the part started with.
    pub(super) fn base(&self) -> Json<'_> {
        Json::of(&self.base)
    }

    /// Returns true if the part is a call or the result of one.
    pub(super) fn is_of_a_call(&self) -> bool {
        let kind = self.member("type").word();
        self.wrapped.iter().any(|name| name.starts_with("tool"))
            || [
                "toolUse",
                "toolResult",
                "functionCall",
                "executableCode",
                "codeExecutionResult",
                "toolCall",
                "toolResponse",
            ]
            .iter()
            .any(|name| self.member(name).is_given() || self.changed.iter().any(|(changed, _)| changed == name))
            || ["tool_use", "_call", "_result", "_output", "_request"].iter().any(|end| kind.ends_with(end))
    }

    /// Returns a changed member to add to. It starts with the value in the object that the part started with.
    pub(super) fn value(&mut self, name: &'static str, bracket: char, new: fn(String) -> Value) -> &mut Value {
        let place = self.changed.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            let begun = Json::of(&self.base).member(name).inside(bracket).unwrap_or_default();
            let begun = if bracket == '[' { begun.trim() } else { begun };
            self.changed.push((name, new(begun.to_owned())));
            self.changed.len() - 1
        });
        &mut self.changed[place].1
    }

    pub(super) fn to_json(&self) -> String {
        let mut members = String::new();
        for (name, value) in Json::of(&self.base).members() {
            let is_changed = self.changed.iter().any(|(changed, _)| *name.word() == **changed);
            if !is_changed {
                push_element(&mut members, &[name.spelt(), ":", value.spelt()].concat());
            }
        }
        for (name, value) in &self.changed {
            let [open, value, close] = match value {
                Value::Text(text) => ["\"", text, "\""],
                Value::List(list) => ["[", list, "]"],
                Value::Json(json) => ["", json, ""],
            };
            push_element(&mut members, &["\"", name, "\":", open, value, close].concat());
        }
        let mut json = ["{", &members, "}"].concat();
        for name in self.wrapped.iter().rev() {
            json = ["{\"", name, "\":", &json, "}"].concat();
        }
        json
    }
}
