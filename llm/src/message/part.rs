//! A part of the message that is being composed: its members and its JSON text.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Part, Value, push_element};
use crate::json::{Tree, inside};

impl Part {
    /// Creates a part that starts with this object.
    pub(super) fn new(wrapped: &'static [&'static str], base: &str) -> Self {
        let tree = Tree::new(base);
        let [kind, id] = ["type", "id"].map(|name| tree.root().member(name).peek().to_owned());
        Self { wrapped, base: base.to_owned(), kind, id, changed: Vec::new() }
    }

    /// Returns true if the part is a call or the result of one.
    pub(super) fn is_of_a_call(&self) -> bool {
        let tree = Tree::new(&self.base);
        self.wrapped.iter().any(|name| name.starts_with("tool"))
            || "toolUse|toolResult|functionCall|executableCode|codeExecutionResult|toolCall|toolResponse"
                .split('|')
                .any(|name| {
                    tree.root().member(name).is_given() || self.changed.iter().any(|(changed, _)| *changed == name)
                })
            || ["tool_use", "_call", "_result", "_output", "_request"].iter().any(|end| self.kind.ends_with(end))
    }

    /// Returns a changed member to add to. It starts with the value in the object that the part started with.
    pub(super) fn value(&mut self, name: &'static str, bracket: char, new: fn(String) -> Value) -> &mut Value {
        let place = self.changed.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            let tree = Tree::new(&self.base);
            let begun = inside(tree.root().member(name).spelt(), bracket).unwrap_or_default();
            let begun = if bracket == '[' { begun.trim() } else { begun };
            self.changed.push((name, new(begun.to_owned())));
            self.changed.len() - 1
        });
        &mut self.changed[place].1
    }

    pub(super) fn to_json(&self) -> String {
        let mut members = String::new();
        for member in Tree::new(&self.base).root().members() {
            if self.changed.iter().all(|(changed, _)| member.key() != *changed) {
                push_element(&mut members, &[&*member.quoted_key(), ":", member.spelt()].concat());
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
