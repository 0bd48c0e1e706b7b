//! The kinds of information that a target may be unable to express, [`Loss`], and the verdict of a writer,
//! [`Unwritten`].

use core::fmt;

use jsonspigot::internal::names;

use crate::calls::{CallEvent, Executor};
use crate::event::verdict::Unfinished;
use crate::event::{OpaqueKind, StreamEvent};

/// A kind of information that a stream has and a target's wire format cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Loss {
    /// A signature of reasoning, text or a call.
    Signature,
    /// A citation: a source of a block of text.
    Citation,
    /// A source of the answer, such as a page that a search found.
    Source,
    /// Reasoning.
    Reasoning,
    /// An image, sound or document.
    Media,
    /// A call that the provider executes, or a request to approve one. It is never written as a call of the client.
    ServerTool,
    /// The result of a tool.
    ToolResult,
    /// A refusal: its text, or that the answer stopped because of it.
    Refusal,
    /// A token count, or usage as such.
    Usage,
    /// Data of the application.
    Data,
    /// An event, or a part of one, of an unknown type.
    UnknownPart,
    /// Encrypted reasoning, a container, or a summary of the conversation.
    Opaque,
    /// The result of a filter, or that the answer stopped because of it.
    ContentFilter,
    /// A block: the boundary between two blocks, a block's phase, or the part of a sub-agent.
    Block,
    /// An answer beyond the first.
    Choice,
}

names!(Loss {
    Signature => "signature",
    Citation => "citation",
    Source => "source",
    Reasoning => "reasoning",
    Media => "media",
    ServerTool => "server-tool",
    ToolResult => "tool-result",
    Refusal => "refusal",
    Usage => "usage",
    Data => "data",
    UnknownPart => "unknown-part",
    Opaque => "opaque",
    ContentFilter => "content-filter",
    Block => "block",
    Choice => "choice",
});

impl Loss {
    /// Returns the loss of an event that is not written; `None` if nothing is lost without it.
    pub(super) fn of(event: &StreamEvent<'_>) -> Option<Self> {
        Some(match event {
            StreamEvent::Reasoning { .. } => Self::Reasoning,
            StreamEvent::Refusal { .. } => Self::Refusal,
            StreamEvent::Media(_) => Self::Media,
            StreamEvent::Source(source) if source.block.is_some() => Self::Citation,
            StreamEvent::Source(_) => Self::Source,
            StreamEvent::Opaque(opaque) if opaque.kind == OpaqueKind::Signature => Self::Signature,
            StreamEvent::Opaque(_) => Self::Opaque,
            StreamEvent::ToolResult(_) => Self::ToolResult,
            StreamEvent::ApprovalRequest { .. } => Self::ServerTool,
            StreamEvent::Call(CallEvent::Start { call }) if call.executor == Executor::Provider => Self::ServerTool,
            StreamEvent::ContentFilter { .. } => Self::ContentFilter,
            StreamEvent::Usage { .. } => Self::Usage,
            StreamEvent::Data { .. } => Self::Data,
            #[cfg(feature = "envelope")]
            StreamEvent::Payload { .. } => Self::Data,
            StreamEvent::UnknownPart { .. } | StreamEvent::Unknown { .. } => Self::UnknownPart,
            StreamEvent::Text { .. } | StreamEvent::Agent { .. } => Self::Block,
            StreamEvent::BlockStart(block) if block.phase.is_some() => Self::Block,
            _ => return None,
        })
    }
}

/// The reason why a written stream is not the whole of the source, returned by
/// [`StreamWriter::verdict`](super::StreamWriter::verdict).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unwritten {
    /// The source is incomplete or invalid.
    Source(Unfinished),
    /// A loss that the caller did not allow: the first one.
    Lost(Loss),
    /// A call cannot be expressed in the target, so the target's stream ends with an error.
    Call,
    /// [`finish`](super::StreamWriter::finish) was not called.
    Unfinished,
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(unfinished) => unfinished.fmt(f),
            Self::Lost(loss) => write!(f, "the target cannot express a part of the stream ({loss})"),
            Self::Call => f.write_str("the target cannot express a call"),
            Self::Unfinished => f.write_str("the written stream was not finished"),
        }
    }
}

impl core::error::Error for Unwritten {}
