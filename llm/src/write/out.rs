//! The output of a writer, [`Out`], and the JSON objects that it consists of, [`Object`].

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};

use jsonspigot::Parser;
use jsonspigot::internal::on_one_line;

use super::{Loss, Written};
use crate::event::TokenUsage;
use crate::json::{push_member, quoted};

/// The receiver of what a writer reports, while it handles one event of the source.
pub(crate) struct Out<'o> {
    on_written: &'o mut dyn FnMut(Written<'_>),
    /// The time at which the answer was created, in seconds.
    pub(super) created: u64,
}

impl<'o> Out<'o> {
    pub(super) fn new(created: u64, on_written: &'o mut dyn FnMut(Written<'_>)) -> Self {
        Self { on_written, created }
    }

    /// Writes an event without a name.
    pub(super) fn data(&mut self, data: impl Into<String>) {
        self.event("", data);
    }

    /// Writes an event. If it has a name, this is on the line before the data.
    pub(super) fn event(&mut self, name: &'static str, data: impl Into<String>) {
        (self.on_written)(Written::Event { name, data: Cow::Owned(data.into()) });
    }

    /// Reports a loss.
    pub(super) fn lose(&mut self, loss: impl Into<Option<Loss>>) {
        if let Some(loss) = loss.into() {
            (self.on_written)(Written::Lost(loss));
        }
    }
}

/// The text of a JSON object to which members are added.
#[derive(Clone, Debug)]
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self("{".into())
    }

    /// Adds a member whose value is the text of a JSON value, or an object.
    pub(super) fn json(mut self, name: &str, value: impl Into<String>) -> Self {
        push_member(&mut self.0, &quoted(name), &value.into());
        self
    }

    pub(super) fn text(self, name: &str, text: &str) -> Self {
        self.json(name, quoted(text))
    }

    pub(super) fn number(self, name: &str, number: u64) -> Self {
        self.json(name, number.to_string())
    }

    /// Adds a member, unless it has no value.
    pub(super) fn some_text(self, name: &str, text: Option<&str>) -> Self {
        if let Some(text) = text { self.text(name, text) } else { self }
    }

    pub(super) fn some_number(self, name: &str, number: Option<u64>) -> Self {
        if let Some(number) = number { self.number(name, number) } else { self }
    }

    /// Adds a member whose value is a provider's JSON text. A text that is not strict JSON becomes a string, since it
    /// would make the whole event unreadable.
    pub(super) fn given(self, name: &str, json: &str) -> Self {
        self.json(name, given(json))
    }
}

impl From<Object> for String {
    fn from(object: Object) -> Self {
        object.0 + "}"
    }
}

/// Returns a provider's JSON text on one line, as a string if it is not strict JSON.
pub(super) fn given(json: &str) -> String {
    let mut parser = Parser::default();
    let is_strict = parser.feed(json).check().is_ok() && parser.finish().check().is_ok();
    if is_strict { on_one_line(json) } else { quoted(json) }
}

/// Returns the text of a JSON array.
pub(super) fn list(elements: impl IntoIterator<Item = String>) -> String {
    let mut list = String::from("[");
    for element in elements {
        list.extend([if list.len() > 1 { "," } else { "" }, &element]);
    }
    list + "]"
}

/// Returns token counts as OpenAI's wires have them, which differ only in their words for input and output.
pub(super) fn openai_usage(usage: &TokenUsage, input: &str, output: &str) -> Object {
    let counts = [usage.input.unwrap_or(0), usage.output.unwrap_or(0)];
    let mut object = Object::new();
    for (word, count) in [input, output].into_iter().zip(counts) {
        object = object.number(&format!("{word}_tokens"), count);
    }
    object = object.number("total_tokens", counts[0].saturating_add(counts[1]));
    for (word, part, count) in [(input, "cached_tokens", usage.cached), (output, "reasoning_tokens", usage.reasoning)] {
        if let Some(count) = count {
            object = object.json(&format!("{word}_tokens_details"), Object::new().number(part, count));
        }
    }
    object
}
