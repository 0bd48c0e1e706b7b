//! A tool call as OpenAI's chat spells it, which Cohere and Ollama have taken over.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{Index, Object, Text};

/// A piece of a call, or all of it.
#[derive(Default, Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(default)]
    pub(super) index: Index,
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) function: Object<Function<'a>>,
}

#[derive(Default, Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) name: Text<'a>,
    /// A string with the JSON text, or where a server knows no better, the JSON itself.
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
}
