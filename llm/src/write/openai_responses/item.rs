//! The items of a written response, and their parts: what is repeated when they are done.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Object, Tree, given, list, matches};

/// A text that is streamed: the type of its part or its call's item, the member with the whole text, and the events.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form(
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
);

macro_rules! form {
    ($kind:literal, $text:literal, $event:literal) => {
        &Form($kind, $text, concat!($event, ".delta"), concat!($event, ".done"))
    };
}

pub(super) const TEXT: &Form = form!("output_text", "text", "response.output_text");
pub(super) const REFUSAL: &Form = form!("refusal", "refusal", "response.refusal");
pub(super) const SUMMARY: &Form = form!("summary_text", "text", "response.reasoning_summary_text");
pub(super) const FUNCTION: &Form = form!("function_call", "arguments", "response.function_call_arguments");
pub(super) const CUSTOM: &Form = form!("custom_tool_call", "input", "response.custom_tool_call_input");
pub(super) const REMOTE: &Form = form!("mcp_call", "arguments", "response.mcp_call_arguments");
pub(super) const CODE: &Form = form!("code_interpreter_call", "code", "response.code_interpreter_call_code");

/// An item of the output.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) head: Object,
    /// The member with the parts; empty for a call, whose only part is its input.
    pub(super) list: &'static str,
    pub(super) parts: Vec<Part>,
    /// The result of a call, or encrypted reasoning.
    pub(super) rest: Option<(&'static str, String)>,
    /// The item as the source has sent it, in place of all members.
    pub(super) own: Option<String>,
    pub(super) status: &'static str,
}

/// A part of an item, or the input of a call.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) form: &'static Form,
    pub(super) text: String,
    pub(super) annotations: Vec<String>,
    pub(super) is_open: bool,
}

impl Part {
    pub(super) fn new(form: &'static Form) -> Self {
        Self { form, text: String::new(), annotations: Vec::new(), is_open: true }
    }

    pub(super) fn json(&self) -> String {
        let object = Object::new().text("type", self.form.0).text(self.form.1, &self.text);
        let has_annotations = self.form == TEXT;
        if has_annotations { object.json("annotations", list(self.annotations.clone())) } else { object }.into()
    }
}

impl Item {
    pub(super) fn new(id: String, head: Object, list: &'static str) -> Self {
        Self { id, head, list, parts: Vec::new(), rest: None, own: None, status: "in_progress" }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.parts.iter().any(|part| part.is_open)
    }

    pub(super) fn json(&self) -> String {
        let object = self.head.clone().text("status", self.status);
        let object = match &*self.parts {
            _ if self.own.is_some() => return self.own.clone().unwrap_or_default(),
            [input] if self.list.is_empty() => object.text(input.form.1, &input.text),
            parts => object.json(self.list, list(parts.iter().map(Part::json))),
        };
        self.rest.iter().fold(object, |object, (name, json)| object.json(name, &**json)).into()
    }
}

/// Returns the text if it is an object of one of these types.
pub(super) fn own(json: &str, types: &str) -> Option<String> {
    matches(types, Tree::new(json).root().get("type").peek()).then(|| given(json))
}
