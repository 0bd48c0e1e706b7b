//! Wire formats, one file or folder each: what the events mean, the format's quirks, and how the format is detected.
//! This file defines their common interface.

pub(crate) mod ag_ui;
pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod claude_code;
pub(crate) mod cloudflare;
pub(crate) mod codex;
pub(crate) mod cohere;
pub(crate) mod dashscope;
pub(crate) mod gemini;
pub(crate) mod mcp;
pub(crate) mod mistral_conversations;
pub(crate) mod ollama;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
mod tool_call;
pub(crate) mod vercel_ui;

use crate::wire::{Emitter, Node, Shape, Wire};

/// A wire format. Each file or folder defines one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Returns the table that applies to an event.
    pub(crate) wire: fn(Node<'_>, &mut Emitter<'_>) -> &'static Wire,
    /// Set for formats in which several agents may take turns.
    pub(crate) terminal: Option<Terminal>,
    /// Returns true for events that this format shares with the one that owns them.
    pub(crate) owns_too: fn(Node<'_>) -> bool,
    /// The shape of the assistant's message in the next request; `None` if no message is sent back.
    pub(crate) message: Option<Shape>,
    /// True if an event of a message reads as if no message had come before.
    pub(crate) forgets_messages: bool,
    /// True if events have a `sequence_number`, by which those are known that a server sends again.
    pub(crate) has_numbers: bool,
}

impl Format {
    /// The defaults of a format.
    pub(crate) const NEW: Self = Self {
        wire: |_, _| &Wire::NEW,
        terminal: None,
        owns_too: |_| false,
        message: None,
        forgets_messages: true,
        has_numbers: false,
    };
}

/// The events that only one format has. Kept apart from the [`Format`], so that programs that name their provider link
/// no other format.
pub(crate) struct Owns {
    /// Patterns of the types.
    pub(crate) types: &'static [&'static str],
    /// Returns true for an event with members of the format. Called if no format owns the event's type.
    pub(crate) members: fn(Node<'_>) -> bool,
}

impl Owns {
    /// The defaults: no events.
    pub(crate) const NEW: Self = Self { types: &[], members: |_| false };
}

/// The rules that attribute lines or events to agents that take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    pub(crate) speaker: fn(Node<'_>) -> Speaker<'_>,
    /// Passes on the ids of the calls whose results a line has, and of anything else that the line continues. A line
    /// without a speaker belongs to the agent that began one of these.
    pub(crate) results: fn(Node<'_>, &mut OnId<'_>),
    /// True for lines that a program prints to its terminal. Unrelated lines between them are not damage, and an agent
    /// ends with the result of the call that started it.
    pub(crate) is_program: bool,
}

/// The session and agent that a line belongs to, as far as the line names them.
#[derive(Default)]
pub(crate) struct Speaker<'a> {
    pub(crate) session: &'a str,
    /// The id of the call that started the agent, or of the agent's run. Empty for the main agent.
    pub(crate) agent: &'a str,
}

impl Speaker<'_> {
    /// Returns true if the line names neither a session nor an agent.
    pub(crate) fn is_unknown(&self) -> bool {
        self.session.is_empty() && self.agent.is_empty()
    }
}

/// A callback that receives ids.
pub(crate) type OnId<'a> = dyn FnMut(&str) + 'a;

/// Returns an event's `event_type` or `type`; `""` if it has neither.
pub(crate) fn kind_of(event: Node<'_>) -> &str {
    event.get("event_type|type").text().unwrap_or_default()
}
