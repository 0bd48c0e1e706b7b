//! What there is to a conversation: who answers in it, its messages, context and session. Plain data, which the assistants
//! make and the store keeps.

mod session;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::provider::Message;
pub use session::{Answers, Assessment, ContextualQuestion, Session, SlotType};

/// Who answers in a conversation.
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

/// What a conversation has come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Who answers in it.
    pub assistant: Assistant,
    /// All messages.
    pub messages: Vec<Message>,
    /// The hidden context.
    pub context: Map<String, Value>,
    /// The shopping assistant's session.
    pub session: Option<Session>,
}

impl Conversation {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(assistant: Assistant) -> Self {
        Self { assistant, messages: Vec::new(), context: Map::new(), session: None }
    }
}

/// A conversation as it was when a turn began: so it is again if the turn is taken back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Before {
    /// How many messages it had.
    pub messages: usize,
    /// The hidden context.
    pub context: Map<String, Value>,
    /// The shopping assistant's session.
    pub session: Option<Session>,
}

impl From<&Conversation> for Before {
    fn from(conversation: &Conversation) -> Self {
        let Conversation { messages, context, session, .. } = conversation;
        Self { messages: messages.len(), context: context.clone(), session: session.clone() }
    }
}

/// What a person says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// In words.
    pub text: String,
    /// What of it answers the shopping assistant's questions, if that is known: chips were pressed.
    pub answers: Answers,
}

/// What a turn adds to a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Who answered.
    pub assistant: Assistant,
    /// The turn's messages, the person's first.
    pub messages: Vec<Message>,
    /// The hidden context as it is now, if it has changed.
    pub context: Option<Map<String, Value>>,
    /// The session as it is now, if there is one.
    pub session: Option<Session>,
}
