//! A tool call as OpenAI's chat spells it, which Cohere and Ollama have taken over.

use super::json::{Json, Spelt, Text, objects};

objects! {
    /// A piece of a call, or all of it.
    pub(super) struct ToolCall<'a> {
        pub(super) index: Option<u64>,
        pub(super) id: Text<'a>,
        /// `function`, or at xAI what the provider executes itself: `web_search_call`.
        pub(super) kind: Text<'a> = "type",
        pub(super) function: Option<Function<'a>>,
        pub(super) extra_content: Option<Spelt<'a, Extra<'a>>>,
    }

    /// What Google adds to calls in the form of OpenAI's.
    pub(super) struct Extra<'a> {
        pub(super) google: Option<Google<'a>>,
    }

    pub(super) struct Google<'a> {
        pub(super) thought_signature: Json<'a>,
    }

    pub(super) struct Function<'a> {
        pub(super) name: Text<'a>,
        /// A string with the JSON text, or where a server knows no better, the JSON itself.
        pub(super) arguments: Json<'a>,
    }
}
