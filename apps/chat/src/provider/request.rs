//! A request to a model: the conversation, the tools and the system prompt, independent of the protocol.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One request for an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The system prompt.
    pub system: String,
    /// The conversation; the user has the last word.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Arc<[ToolSpec]>,
    /// The tool that the model has to call.
    pub forced_tool: Option<String>,
    /// At most this many tokens.
    pub max_tokens: u32,
    /// How freely it chooses its words; the provider's own choice if it is left out.
    pub temperature: Option<f64>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Whose.
    pub role: Role,
    /// Its blocks, in order.
    pub content: Vec<Block>,
}

/// Whose a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person's, or a tool's result.
    User,
    /// The model's.
    Assistant,
}

/// A part of a message. Spelt as Anthropic Messages does; so it is stored, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Something said.
    Text {
        /// The text, never empty.
        text: String,
    },
    /// A tool that the model calls.
    ToolUse {
        /// Unique in the conversation.
        id: String,
        /// The tool.
        name: String,
        /// Its whole input, an object.
        input: Value,
    },
    /// The result of a call.
    ToolResult {
        /// The call's id.
        tool_use_id: String,
        /// The result, or what went wrong.
        content: String,
        /// Set if the call failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// A tool's description for the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
}

impl Message {
    /// Creates a message of the person.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: vec![Block::Text { text: text.into() }] }
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: vec![Block::Text { text: text.into() }] }
    }

    /// Returns its texts, joined.
    #[must_use]
    pub fn text(&self) -> String {
        let text = |block: &Block| if let Block::Text { text } = block { Some(text.clone()) } else { None };
        self.content.iter().filter_map(text).collect()
    }
}
