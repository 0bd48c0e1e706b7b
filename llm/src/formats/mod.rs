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
use crate::json::{Json, Text, Unread, Unreadable, objects};
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
    pub(crate) owns_members: fn(&Look<'_>) -> bool,
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

/// Reads an event. What it says in members that the reader has no field for is reported as well.
pub(crate) fn watched(
    event: Json<'_>,
    emit: &mut Emitter<'_>,
    read: impl FnOnce(Json<'_>, &mut Emitter<'_>) -> Result<Understood, Unreadable>,
) -> Result<Understood, Unreadable> {
    let unread = Unread::new();
    let understood = read(event.watched(&unread), emit)?;
    if understood == Understood::Yes {
        emit.unread_members(&unread, event);
    }
    Ok(understood)
}

objects! {
    /// The members that tell providers apart.
    pub(crate) struct Look<'a> {
        kind: Text<'a> = "type",
        event_type: Text<'a>,
        pub(crate) object: Text<'a>,
        pub(crate) jsonrpc: Text<'a>,
        pub(crate) method: Text<'a>,
        pub(crate) params: Json<'a>,
        pub(crate) result: Json<'a>,
        pub(crate) choices: Json<'a>,
        pub(crate) candidates: Json<'a>,
        pub(crate) usage_metadata: Json<'a> = "usageMetadata",
        pub(crate) prompt_feedback: Json<'a> = "promptFeedback",
        pub(crate) message_start: Json<'a> = "messageStart",
        pub(crate) content_block_start: Json<'a> = "contentBlockStart",
        pub(crate) content_block_delta: Json<'a> = "contentBlockDelta",
        pub(crate) content_block_stop: Json<'a> = "contentBlockStop",
        pub(crate) message_stop: Json<'a> = "messageStop",
        pub(crate) converse_stop: Json<'a> = "stopReason",
        pub(crate) stop_reason: Json<'a>,
        pub(crate) finish_reason: Json<'a>,
        pub(crate) message: Json<'a>,
        pub(crate) output: Json<'a>,
        pub(crate) request_id: Json<'a>,
        pub(crate) session_id: Json<'a>,
        pub(crate) parent_tool_use_id: Option<Json<'a>>,
        pub(crate) uuid: Json<'a>,
        pub(crate) tools: Json<'a>,
        pub(crate) usage: Json<'a>,
        pub(crate) response: Json<'a>,
        pub(crate) done: Json<'a>,
        pub(crate) setup_complete: Json<'a> = "setupComplete",
        pub(crate) server_content: Json<'a> = "serverContent",
        pub(crate) tool_call: Json<'a> = "toolCall",
        pub(crate) tool_call_cancellation: Json<'a> = "toolCallCancellation",
        pub(crate) go_away: Json<'a> = "goAway",
        pub(crate) session_resumption: Json<'a> = "sessionResumptionUpdate",
        trace: Option<Trace<'a>>,
        pub(crate) return_control: Json<'a> = "returnControl",
        pub(crate) chunk: Option<Chunk<'a>>,
    }

    /// The words of a Bedrock agent about its work.
    pub(crate) struct Trace<'a> {
        trace: Json<'a>,
    }

    /// The wrapping of an event in the model's own format, at Bedrock.
    pub(crate) struct Chunk<'a> {
        pub(crate) bytes: Json<'a>,
    }
}

impl Look<'_> {
    /// Returns the words of a Bedrock agent about its work.
    pub(crate) fn agent_trace(&self) -> Json<'_> {
        self.trace.as_ref().map(|trace| trace.trace).unwrap_or_default()
    }

    /// The event's type, by either name; empty if it has none.
    pub(crate) fn kind(&self) -> &str {
        let kinds = [self.event_type.as_str(), self.kind.as_str()];
        kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default()
    }
}
