//! The events of the stream: a name for the client to listen for, and the envelope that it carries.

use serde::{Deserialize, Serialize};

use serde_json::Value;

use super::{Change, Envelope, MessageType};

/// One server-sent event. Its `id:` is the envelope's chunk id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The SSE field `event:`.
    pub event: EventName,
    /// The SSE field `data:`.
    pub data: Envelope,
}

impl Event {
    /// Creates an event.
    #[must_use]
    pub fn new(event: EventName, data: Envelope) -> Self {
        Self { event, data }
    }
}

/// The address of a message: creates the events that begin it and change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRef {
    /// The name of its events.
    pub event: EventName,
    /// Its type.
    pub message_type: MessageType,
    /// Its id, unique in its block.
    pub id: String,
    /// Its block.
    pub block: String,
    /// Its thread, if it has one.
    pub thread: Option<String>,
}

impl MessageRef {
    /// Creates the address of a message outside of any thread.
    pub fn new(event: EventName, message_type: MessageType, id: impl Into<String>, block: &str) -> Self {
        Self { event, message_type, id: id.into(), block: block.to_owned(), thread: None }
    }

    /// Returns the address with another name for its events.
    #[must_use]
    pub fn named(&self, event: EventName) -> Self {
        Self { event, ..self.clone() }
    }

    /// Creates the event of the whole message.
    #[must_use]
    pub fn whole(&self, props: Value) -> Event {
        let (block_id, thread_id) = (Some(self.block.clone()), self.thread.clone());
        let envelope = Envelope::whole(self.message_type, props);
        Event::new(self.event, Envelope { message_id: Some(self.id.clone()), block_id, thread_id, ..envelope })
    }

    /// Creates the event of a change to the message.
    #[must_use]
    pub fn change(&self, Change { path, action, operand }: Change) -> Event {
        let whole = self.whole(operand);
        let delta_path = (!path.is_empty()).then_some(path);
        Event { data: Envelope { delta: true, delta_path, delta_action: Some(action), ..whole.data }, ..whole }
    }
}

macro_rules! event_names {
    ($($(#[$doc:meta])+ $variant:ident = $name:literal,)+) => {
        /// The name of an event. A client that merges needs only the envelopes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum EventName {
            $($(#[$doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl EventName {
            /// All names, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the name as it is in the stream.
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
    /// The person's message.
    UserMessage = "user_message",
    /// Messages are taken back, from a chunk on.
    Cut = "cut",
    /// An answer is on its way.
    Loading = "loading",
    /// The shopping assistant has begun to decide.
    ClassificationStart = "classification_start",
    /// A question grows; `delta_path` has its index (`/ask_slots/0/message`).
    AskMessageDelta = "ask_message_delta",
    /// A question's options, sent when their array has closed.
    AskOptions = "ask_options",
    /// The direct answer grows.
    SimpleResponseDelta = "simple_response_delta",
    /// The text of the decision grows, with a block for each hidden value.
    ClassificationRaw = "classification_raw",
    /// The stated reasons grow.
    ReasoningDelta = "reasoning_delta",
    /// The decision is final; this is all of it that a client may see.
    ClassificationComplete = "classification_complete",
    /// Products of the catalogue.
    Products = "products",
    /// The assistant's text begins or grows.
    Text = "text",
    /// The model's thoughts begin or grow.
    Thinking = "thinking",
    /// The model has begun a tool call.
    ToolStart = "tool_start",
    /// The call's input grows: its values, or its text.
    ToolInput = "tool_input",
    /// The tool has answered, or failed.
    ToolResult = "tool_result",
    /// A hidden note grows.
    Context = "context",
    /// An attempt at the form begins.
    AttemptStarted = "attempt_started",
    /// The model's text for the form grows.
    RawChunk = "raw_chunk",
    /// The form grows.
    Snapshot = "snapshot",
    /// An attempt at the form has failed.
    AttemptFailed = "attempt_failed",
    /// The end of all attempts, with the form or the last errors.
    FinalResult = "final_result",
    /// The turn is complete and stored; the stream's last event.
    Done = "done",
    /// The turn failed; the stream's last event.
    Error = "error",
}

impl EventName {
    /// Returns whether the stream ends with this event.
    #[must_use]
    pub fn ends_stream(self) -> bool {
        matches!(self, Self::Done | Self::Error)
    }
}
