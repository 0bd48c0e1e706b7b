//! The common interface of wire formats: what it is asked about an event, and what it answers.

use super::emitter::Emitter;
use super::json::{Json, Text, Unread, Unreadable, objects};

/// A wire format; each file has one.
pub(super) struct Format {
    /// The provider's name in kebab case.
    pub(super) name: &'static str,
    /// Sends what an event says to the emitter. If it can't be read, nothing has been sent.
    ///
    /// An event is understood by itself. The one format whose events are not, Responses, is read with its state by the
    /// [`Dispatch`](super::dispatch::Dispatch), which asks this for all others.
    pub(super) read: fn(Json<'_>, &mut Emitter<'_>) -> Result<Understood, Unreadable>,
    /// True if nobody else sends events of this type. Where events have no type, nobody owns one.
    pub(super) owns_type: fn(&str) -> bool,
    /// True if nobody else's events have these members. It is asked after the type.
    pub(super) owns_members: fn(&Look<'_>) -> bool,
}

/// The answer of a provider's reader to an event: known, even if there is nothing to report of it, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Understood {
    Yes,
    No,
}

impl From<bool> for Understood {
    fn from(is_understood: bool) -> Self {
        if is_understood { Self::Yes } else { Self::No }
    }
}

/// Reads an event. What it says in members that the reader has no field for is reported as well.
pub(super) fn watched(
    event: Json<'_>,
    emit: &mut Emitter<'_>,
    read: impl FnOnce(Json<'_>, &mut Emitter<'_>) -> Result<Understood, Unreadable>,
) -> Result<Understood, Unreadable> {
    let unread = Unread::default();
    let understood = read(event.watched(&unread), emit)?;
    if understood == Understood::Yes {
        emit.unread_members(&unread, event);
    }
    Ok(understood)
}

objects! {
    /// The members that tell providers apart.
    pub(super) struct Look<'a> {
        kind: Text<'a> = "type",
        event_type: Text<'a>,
        pub(super) object: Text<'a>,
        pub(super) jsonrpc: Text<'a>,
        /// The name of an event that is wrapped with it.
        pub(super) event: Text<'a>,
        pub(super) choices: Json<'a>,
        pub(super) candidates: Json<'a>,
        pub(super) usage_metadata: Json<'a> = "usageMetadata",
        pub(super) prompt_feedback: Json<'a> = "promptFeedback",
        pub(super) message_start: Json<'a> = "messageStart",
        pub(super) content_block_start: Json<'a> = "contentBlockStart",
        pub(super) content_block_delta: Json<'a> = "contentBlockDelta",
        pub(super) content_block_stop: Json<'a> = "contentBlockStop",
        pub(super) message_stop: Json<'a> = "messageStop",
        pub(super) message: Json<'a>,
        pub(super) response: Json<'a>,
        pub(super) done: Json<'a>,
        pub(super) setup_complete: Json<'a> = "setupComplete",
        pub(super) server_content: Json<'a> = "serverContent",
        pub(super) tool_call: Json<'a> = "toolCall",
        pub(super) tool_call_cancellation: Json<'a> = "toolCallCancellation",
        pub(super) go_away: Json<'a> = "goAway",
        pub(super) session_resumption: Json<'a> = "sessionResumptionUpdate",
        trace: Option<Trace<'a>>,
        pub(super) return_control: Json<'a> = "returnControl",
        pub(super) chunk: Option<Chunk<'a>>,
    }

    /// The words of a Bedrock agent about its work.
    pub(super) struct Trace<'a> {
        trace: Json<'a>,
    }

    /// The wrapping of an event in the model's own format, at Bedrock.
    pub(super) struct Chunk<'a> {
        pub(super) bytes: Json<'a>,
    }
}

impl Look<'_> {
    /// Returns the words of a Bedrock agent about its work.
    pub(super) fn agent_trace(&self) -> Json<'_> {
        self.trace.as_ref().map(|trace| trace.trace).unwrap_or_default()
    }

    /// The event's type, by either name; empty if it has none.
    pub(super) fn kind(&self) -> &str {
        let kinds = [self.event_type.as_str(), self.kind.as_str()];
        kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default()
    }
}
