//! The message envelope: the one shape of everything that is sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::DeltaAction;

/// One chunk of a conversation's stream: a whole message, or a change to one. Absent fields are omitted from the JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// The type of the message.
    #[serde(rename = "type")]
    pub message_type: MessageType,
    /// The content of a whole message, an object; or the operand of a delta, of any kind. If omitted, it is null.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub props: Value,
    /// The place in the conversation's stream: from 1, one more each time, never used twice. 0 until it is
    /// [numbered](Self::numbered).
    pub chunk_id: u64,
    /// The message, unique in its block. A whole message without an id can't be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The operation that the message belongs to, such as one answer of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// The part of the block that the message belongs to, where several parts run at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// True for a change to a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delta: bool,
    /// The place in the message's props that a delta changes, as an RFC 6901 pointer. If omitted, it is all of the props.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_path: Option<String>,
    /// The action of a delta. If omitted, the delta appends to a text: to the value at `delta_path`, or at `/content`; its
    /// operand may then be `{"content": …}` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_action: Option<DeltaAction>,
}

/// The types of messages, each with the props that a client can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    /// The person's words: `{"content"}`.
    User,
    /// The assistant's words: `{"content"}`.
    Text,
    /// The model's thoughts: `{"content"}`.
    Thinking,
    /// A tool call, in the block of the answer that makes it: `{"id", "name", "input", "status", "error", "raw"}`. `raw` is
    /// the input's text; `status` is `input` while the input streams, then `called`, or `failed` for a bad input.
    ToolCall,
    /// The result of a call, in the block of the run: `{"id", "name", "status", "result", "error"}`. `status` is `running`,
    /// then `done` or `failed`.
    ToolResult,
    /// A note that an answer is on its way: `{"message"}`. The next message of its block replaces it.
    Loading,
    /// The shopping assistant's questions and answer: `{"ask_slots": [{"slot_name", "message", "type", "options"}],
    /// "simple_response": {"message", "suggestions"}, "reasoning", "raw", "answers"}`. `slot_name`, `type` and `answers`
    /// (the answers so far, by slot) come with the decision; `raw` is the call's text, with a block for each hidden value.
    Ask,
    /// Products of the catalogue: `{"items": [{"name", "price", "cents", "currency"}]}`.
    Products,
    /// A hidden note: `{"preferences", "restaurants"}`, and in `suggestions` what the person may say next.
    Context,
    /// An attempt at a form: see `instructor::Attempts`.
    Form,
    /// Takes back every message from a chunk on: `{"from"}`. It is no message itself.
    Cut,
    /// The end of a turn: `{"stop_reason"}`.
    Done,
    /// The end of a turn that failed: `{"kind", "message"}`, the message in words for a person.
    Error,
}

impl Envelope {
    /// Creates a whole message.
    #[must_use]
    pub fn whole(message_type: MessageType, props: Value) -> Self {
        Self {
            message_type,
            props,
            chunk_id: 0,
            message_id: None,
            block_id: None,
            thread_id: None,
            delta: false,
            delta_path: None,
            delta_action: None,
        }
    }

    /// Sets the chunk id.
    #[must_use]
    pub fn numbered(self, chunk_id: u64) -> Self {
        Self { chunk_id, ..self }
    }
}
