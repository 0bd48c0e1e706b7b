//! The message envelope: the one shape of all that is sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Change, DeltaAction};

/// One chunk of a conversation's stream: a whole message, or a change to one. Absent fields are left out of the JSON.
///
/// ```
/// use chat::wire::{Change, Envelope, MessageType};
/// use serde_json::json;
///
/// let whole = Envelope::whole(MessageType::Text, json!({"content": ""})).of("m1").in_block("b1").numbered(1);
/// let delta = Envelope::delta(MessageType::Text, "m1", Change::append("/content", "Hi")).in_block("b1").numbered(2);
/// assert_eq!(
///     serde_json::to_value(&delta)?,
///     json!({
///         "type": "text", "props": "Hi", "chunk_id": 2, "message_id": "m1", "block_id": "b1",
///         "delta": true, "delta_path": "/content", "delta_action": "append"
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// What kind of message this is, or is a part of.
    #[serde(rename = "type")]
    pub message_type: MessageType,
    /// Of a whole message its content, an object. Of a delta the operand: the value that `delta_action` puts at
    /// `delta_path`, of any kind. Left out, it is null.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub props: Value,
    /// The place in the conversation's stream: from 1, one more each time, never used twice. 0 until it is
    /// [numbered](Self::numbered).
    pub chunk_id: u64,
    /// The chunk before this one, if that is not the one before it in number. Those between, if they were told at all,
    /// are lost: whoever has come as far as `follows`, or has seen some of the lost ones, goes on here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<u64>,
    /// The message, unique in its block; every delta has one. A whole message without one stands for itself and can't
    /// be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The operation that the message belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<String>,
    /// The work in the block that the message belongs to, where several go on at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Whether this changes a message instead of being one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delta: bool,
    /// Where in the message's props a delta applies: an RFC 6901 pointer, as the library's paths print it
    /// (`Path::pointer`, `PatchOp::path`). Left out, it is all of the props.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_path: Option<String>,
    /// What a delta does there. Without one it appends to a text: to what stands at `delta_path`, or at `/content`; its
    /// operand may then be `{"content": …}` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_action: Option<DeltaAction>,
}

/// What kind of thing a message is. Each is listed with the props that a client can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    /// What the person wrote: `{"content"}`.
    User,
    /// What the assistant says: `{"content"}`.
    Text,
    /// What the model thinks aloud: `{"content"}`.
    Thinking,
    /// A call of the model, in the block of the answer that makes it: `{"id", "name", "input", "status", "error",
    /// "raw"}`; `raw` is the input's text as it comes, `status` is `input` while the input streams, then `called`, or `failed` if it is no input for a tool.
    ToolCall,
    /// What comes of a call, in the block of the run: `{"id", "name", "status", "result", "error"}`; `status` is
    /// `running`, then `done` or `failed`.
    ToolResult,
    /// Something is on its way: `{"message"}`. It gives way to the next message of its block.
    Loading,
    /// The shopping assistant's questions and answer: `{"ask_slots": [{"slot_name", "message", "type",
    /// "options"}], "simple_response": {"message"}, "reasoning", "raw", "answers"}`; `slot_name` and `type` once the decision
    /// is made, and then in `answers`, by slot, what has been answered so far; `raw` is the call's text as it comes, with
    /// dots for what is not shown.
    Ask,
    /// What the catalogue has: `{"items": [{"name", "price", "cents", "currency"}]}`.
    Products,
    /// The hidden context of the conversation: `{"preferences", "restaurants"}`, and in `suggestions` what the person may say
    /// next.
    Context,
    /// An attempt at a form: `{"attempt", "status", "value", "open", "raw", "errors"}`, as `instructor::Shown` tells it.
    Form,
    /// What was said from a chunk on is taken back, with all that has come of it: `{"from"}`. It is no message itself.
    Cut,
    /// The turn is over: `{"stop_reason"}`.
    Done,
    /// The turn failed: `{"kind", "message"}`, the message in words for a person.
    Error,
}

impl Envelope {
    /// A whole message.
    #[must_use]
    pub fn whole(message_type: MessageType, props: Value) -> Self {
        Self {
            message_type,
            props,
            chunk_id: 0,
            follows: None,
            message_id: None,
            block_id: None,
            thread_id: None,
            delta: false,
            delta_path: None,
            delta_action: None,
        }
    }

    /// A change to a message.
    #[must_use]
    pub fn delta(message_type: MessageType, message_id: impl Into<String>, change: Change) -> Self {
        Self {
            delta: true,
            delta_path: (!change.path.is_empty()).then_some(change.path),
            delta_action: Some(change.action),
            ..Self::whole(message_type, change.operand)
        }
        .of(message_id)
    }

    /// The same, of this message.
    #[must_use]
    pub fn of(self, message_id: impl Into<String>) -> Self {
        Self { message_id: Some(message_id.into()), ..self }
    }

    /// The same, in this block.
    #[must_use]
    pub fn in_block(self, block_id: impl Into<String>) -> Self {
        Self { block_id: Some(block_id.into()), ..self }
    }

    /// The same, in this thread.
    #[must_use]
    pub fn in_thread(self, thread_id: impl Into<String>) -> Self {
        Self { thread_id: Some(thread_id.into()), ..self }
    }

    /// The same, at this place of the stream.
    #[must_use]
    pub fn numbered(self, chunk_id: u64) -> Self {
        Self { chunk_id, ..self }
    }

    /// The same, after this chunk: what is between is lost.
    #[must_use]
    pub fn following(self, chunk_id: u64) -> Self {
        Self { follows: Some(chunk_id), ..self }
    }
}
