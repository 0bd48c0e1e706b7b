//! A conversation's data: its assistant, messages, context and session. The assistants produce it, and the store keeps it.

mod session;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::provider::Message;
pub use session::{Answers, Assessment, ContextualQuestion, Session, SlotType};

/// The assistant of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assistant {
    /// Classifies, asks, searches the catalogue.
    #[default]
    Shopping,
    /// Looks into accounts with tools.
    Finance,
    /// Finds tables with tools, and keeps a hidden context.
    Restaurant,
    /// Fills a form by a JSON Schema.
    Form,
}

/// A conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The assistant.
    pub assistant: Assistant,
    /// All messages.
    pub messages: Vec<Message>,
    /// The hidden context.
    pub context: Map<String, Value>,
    /// The shopping assistant's session.
    pub session: Option<Session>,
}

impl Conversation {
    /// Creates an empty conversation.
    #[must_use]
    pub fn new(assistant: Assistant) -> Self {
        Self { assistant, messages: Vec::new(), context: Map::new(), session: None }
    }

    /// Returns the conversation with more messages.
    #[must_use]
    pub fn with(&self, messages: &[Message]) -> Self {
        Self { messages: [&self.messages, messages].concat(), ..self.clone() }
    }
}

/// A person's message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The text.
    pub text: String,
    /// The options that were pressed to answer the shopping assistant's questions.
    pub answers: Answers,
}
