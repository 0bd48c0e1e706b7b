//! Ollama's own chat, and its completions: one JSON object a line, every call whole.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tool_call::{Function, ToolCall};
use super::{Failure, Understood};
use crate::adapters::door::Door;
use crate::adapters::wire::{self, Flag, List, Object, Payload, Text, present};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    message: Object<Message<'a>>,
    /// Text of a completion, which has no message; `thinking` is its reasoning.
    #[serde(borrow, default)]
    response: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(default, deserialize_with = "present")]
    done: Option<Flag>,
    #[serde(borrow, default)]
    done_reason: Text<'a>,
    #[serde(borrow, default)]
    eval_count: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(borrow, default)]
    tool_calls: List<ToolCall<'a>>,
}

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    if event.done.is_none() && event.message.0.is_none() {
        return Ok(Understood::No);
    }
    door.reasoning(0, event.thinking.as_str());
    door.text(0, event.response.as_str());
    if let Some(message) = event.message.0 {
        door.reasoning(0, message.thinking.as_str());
        door.text(0, message.content.as_str());
        for ToolCall { id, function, .. } in message.tool_calls.0 {
            let Some(Function { name, arguments }) = function.0 else { continue };
            // Whole, so that the index, which often is 0 for all, need not be trusted.
            door.whole_call(0, id.as_str(), name.as_str(), Payload::new(arguments).as_str());
        }
    }
    if let Some(failure) = Failure::at(event.error) {
        door.provider_error(&failure);
    }
    if let Some(Flag(true)) = event.done {
        door.end(event.done_reason.as_str());
        if event.eval_count.is_some() {
            // The counts stand in the event itself.
            door.usage(text);
        }
        door.end_stream();
        door.begin_message();
    }
    Ok(Understood::Yes)
}
