//! The events of the stream: a name for the client to listen for, and the envelope that it carries.

use serde::{Deserialize, Serialize};

use super::Envelope;

/// One server-sent event. Its `id:` is the envelope's chunk id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The SSE field `event:`.
    pub event: EventName,
    /// The SSE field `data:`.
    pub data: Envelope,
}

impl Event {
    /// An event of this name.
    #[must_use]
    pub fn new(event: EventName, data: Envelope) -> Self {
        Self { event, data }
    }
}

macro_rules! event_names {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal,)+) => {
        /// What happened, for those who listen for it. A client that merges needs only the envelopes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum EventName {
            $($(#[$doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl EventName {
            /// Every name, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name as the stream spells it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

event_names! {
    /// What the person wrote, as the stream's record has it.
    UserMessage = "user_message",
    /// What was said before is taken back, from a chunk on.
    Cut = "cut",
    /// Something is on its way.
    Loading = "loading",
    /// The shopping assistant has begun to decide.
    ClassificationStart = "classification_start",
    /// A question grows; its slot's index stands in `delta_path` (`/ask_slots/0/message`).
    AskMessageDelta = "ask_message_delta",
    /// A question's options, all of them: told as their array closes.
    AskOptions = "ask_options",
    /// The direct answer grows.
    SimpleResponseDelta = "simple_response_delta",
    /// The text of the decision grows, with dots for what is not shown.
    ClassificationRaw = "classification_raw",
    /// The stated reasons grow.
    ReasoningDelta = "reasoning_delta",
    /// The decision is made and final, without its internal fields; it is stored with the turn.
    ClassificationComplete = "classification_complete",
    /// What the catalogue has.
    Products = "products",
    /// The assistant's text begins or grows.
    Text = "text",
    /// The model's thoughts begin or grow.
    Thinking = "thinking",
    /// The model has begun to call a tool.
    ToolStart = "tool_start",
    /// The call's input grows: what is known of it, or its text as it comes.
    ToolInput = "tool_input",
    /// The tool has answered, or failed.
    ToolResult = "tool_result",
    /// The hidden context grows.
    Context = "context",
    /// The form: an attempt has been asked for.
    AttemptStarted = "attempt_started",
    /// The form: text of the model, as it came.
    RawChunk = "raw_chunk",
    /// The form: what is known has grown.
    Snapshot = "snapshot",
    /// The form: an attempt has failed, and why.
    AttemptFailed = "attempt_failed",
    /// The form: the end of all attempts, with the value or the last errors.
    FinalResult = "final_result",
    /// The stream's last event: the turn is over and stored.
    Done = "done",
    /// The stream's last event: the turn failed.
    Error = "error",
}

impl EventName {
    /// Whether the stream ends with it.
    #[must_use]
    pub fn ends_stream(self) -> bool {
        matches!(self, Self::Done | Self::Error)
    }
}
