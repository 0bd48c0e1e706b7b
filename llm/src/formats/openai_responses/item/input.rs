//! The input of a call as a whole, of which each kind of item has its own form.

use alloc::borrow::Cow;
use alloc::string::String;

use super::Item;
use crate::json::{Json, Text, TextOrJson, push_member, quoted};

impl Item<'_> {
    /// The input of a call whose input is text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        let inputs = [&self.input, &self.code].map(Text::as_str);
        match inputs.into_iter().find(|input| !input.is_empty()) {
            Some(input) => Cow::Borrowed(input),
            None => match self.arguments.text_or_json() {
                TextOrJson::Text(text) => text,
                TextOrJson::Json(json) => json.into(),
            },
        }
    }

    /// The input of a call whose input is an object. If the item says that it was cut, the object is left open.
    pub(in super::super) fn whole_object(&self) -> Cow<'_, str> {
        let object = match &*self.kind {
            "computer_call" => object_of(&[
                ("action", self.action),
                ("actions", self.actions),
                ("pending_safety_checks", self.pending_safety_checks),
            ]),
            "file_search_call" => object_of(&[("queries", self.queries)]),
            "image_generation_call" => object_of(&[("revised_prompt", self.revised_prompt)]),
            // A search that failed may have no action.
            "web_search_call" if !self.action.is_object() => "{}".into(),
            "tool_search_call" => self.text(),
            _ => Cow::Borrowed(self.action.spelt()),
        };
        match object {
            object if self.is_built_in() => object,
            Cow::Owned(mut object) if self.is_incomplete() => {
                object.pop();
                Cow::Owned(object)
            }
            Cow::Borrowed(object) if self.is_incomplete() => object.strip_suffix('}').unwrap_or_default().into(),
            object => object,
        }
    }

    /// A patch with the id by which it is answered, as it is composed.
    pub(in super::super) fn patch(&self) -> String {
        let call_id = quoted(self.call_id());
        let operation = reordered(self.operation, &["type", "path", "diff"]);
        [r#"{"callId":"#, &call_id, r#","operation":"#, &operation, "}"].concat()
    }
}

/// An object with these of its members first.
pub(super) fn reordered(object: Json<'_>, first: &[&str]) -> String {
    let rank = |name: Json<'_>| first.iter().position(|first| *first == name.word()).unwrap_or(first.len());
    let mut text = String::from("{");
    // Not sorted: the code for that would be larger than this file's.
    for wanted in 0..=first.len() {
        for (name, value) in object.members().filter(|(name, _)| rank(*name) == wanted) {
            push_member(&mut text, name.spelt(), value.spelt());
        }
    }
    text + "}"
}

/// An object of those of these members that are there.
fn object_of(members: &[(&str, Json<'_>)]) -> Cow<'static, str> {
    let mut object = String::from("{");
    for (name, value) in members.iter().filter(|(_, value)| value.is_given()) {
        push_member(&mut object, &quoted(name), value.spelt());
    }
    Cow::Owned(object + "}")
}
