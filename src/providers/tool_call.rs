//! A tool call as OpenAI's chat spells it, which Cohere and Ollama have taken over.

use super::json::{Json, Text, objects};

objects! {
    /// A piece of a call, or all of it.
    pub(super) struct ToolCall<'a> {
        pub(super) index: Option<u64>,
        pub(super) id: Text<'a>,
        pub(super) function: Option<Function<'a>>,
    }

    pub(super) struct Function<'a> {
        pub(super) name: Text<'a>,
        /// A string with the JSON text, or where a server knows no better, the JSON itself.
        pub(super) arguments: Json<'a>,
    }
}
