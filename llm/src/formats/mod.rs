//! Wire formats, a file each: what its events mean, its quirks, and what tells it from others. Here, their common
//! interface: what each is asked about an event, and what it answers.

#[cfg(feature = "ag-ui")]
pub(crate) mod ag_ui;
#[cfg(feature = "anthropic")]
pub(crate) mod anthropic;
#[cfg(feature = "bedrock")]
pub(crate) mod bedrock;
#[cfg(feature = "claude-code")]
pub(crate) mod claude_code;
#[cfg(feature = "cloudflare")]
pub(crate) mod cloudflare;
#[cfg(feature = "codex")]
pub(crate) mod codex;
#[cfg(feature = "cohere")]
pub(crate) mod cohere;
#[cfg(feature = "dashscope")]
pub(crate) mod dashscope;
#[cfg(feature = "gemini")]
pub(crate) mod gemini;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
#[cfg(feature = "mistral-conversations")]
pub(crate) mod mistral_conversations;
#[cfg(feature = "ollama")]
pub(crate) mod ollama;
#[cfg(feature = "openai-chat")]
pub(crate) mod openai_chat;
#[cfg(feature = "openai-responses")]
pub(crate) mod openai_responses;
#[cfg(any(feature = "openai-chat", feature = "cohere", feature = "ollama"))]
mod tool_call;
#[cfg(feature = "vercel-ui")]
pub(crate) mod vercel_ui;

use alloc::borrow::Cow;

use crate::emitter::Emitter;
use crate::json::{Json, Node, Unreadable};
pub(crate) use crate::wire::Understood;

/// A wire format; each file has one.
pub(crate) struct Format {
    /// The provider's name in kebab case.
    pub(crate) name: &'static str,
    /// Sends what an event says to the emitter. If it can't be read, nothing has been sent.
    pub(crate) read: fn(Json<'_>, &mut Emitter<'_>) -> Result<Understood, Unreadable>,
    /// True if nobody else sends events of this type. Where events have no type, nobody owns one.
    pub(crate) owns_type: fn(&str) -> bool,
    /// True if nobody else's events have these members. It is asked after the type.
    pub(crate) owns_members: fn(Node<'_>) -> bool,
    /// What is asked besides where several agents may speak in turn.
    pub(crate) terminal: Option<Terminal>,
}

/// The lines or events of several agents that may speak in turn.
#[derive(Clone, Copy)]
pub(crate) struct Terminal {
    pub(crate) speaker: fn(Json<'_>) -> Speaker<'_>,
    /// Names the calls whose results a line has, and whatever else it goes on with: without a speaker, it is the agent's
    /// that began that.
    pub(crate) results: fn(Json<'_>, &mut OnId<'_>),
    /// True for lines that a program prints to its terminal: between them there may be any others, which are no damage,
    /// and agents are over with the results of the calls that started them.
    pub(crate) is_program: bool,
}

/// Whose a line is. The line need not say so.
#[derive(Default)]
pub(crate) struct Speaker<'a> {
    pub(crate) session: Cow<'a, str>,
    /// The call that started the agent, or its own run; nothing for the main one.
    pub(crate) agent: Cow<'a, str>,
}

impl Speaker<'_> {
    /// Returns true if the line says nothing of whose it is.
    pub(crate) fn is_unknown(&self) -> bool {
        self.session.is_empty() && self.agent.is_empty()
    }
}

/// True if there is a wire format with such lines. Otherwise what reads them is not linked.
pub(crate) const HAS_TERMINALS: bool = cfg!(any(feature = "claude-code", feature = "codex", feature = "ag-ui"));

/// The receiver of ids.
pub(crate) type OnId<'a> = dyn FnMut(&str) + 'a;

/// Returns an event's type, by either name; `""` if it has none.
pub(crate) fn kind_of(event: Node<'_>) -> Cow<'_, str> {
    event.get("event_type|type").text().unwrap_or_default()
}
