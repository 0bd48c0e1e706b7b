//! Ollama's own chat, and its completions: one JSON object a line, every call whole.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::emitter::Emitter;
use super::failure::Failure;
use super::format::{Look, Understood};
use super::tool_call::{Function, ToolCall};
use super::wire::{self, Flag, List, Object, Payload, Text, present};
use crate::tool_calls::CallStart;

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

/// Whether nobody else's events have these members.
pub(super) fn owns_members(look: &Look<'_>) -> bool {
    (look.message.is_some() || look.response.is_some()) && look.done.is_some()
}

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    if event.done.is_none() && event.message.0.is_none() {
        return Ok(Understood::No);
    }
    emit.reasoning(0, event.thinking.as_str());
    emit.text(0, event.response.as_str());
    if let Some(message) = event.message.0 {
        emit.reasoning(0, message.thinking.as_str());
        emit.text(0, message.content.as_str());
        for ToolCall { id, function, .. } in message.tool_calls.0 {
            let Some(Function { name, arguments }) = function.0 else { continue };
            // Whole, so that the index, which often is 0 for all, need not be trusted.
            emit.calls()
                .whole_call(0, CallStart::new(name.as_str()).id(id.as_str()).input(Payload::new(arguments).as_str()));
        }
    }
    if let Some(failure) = Failure::at(event.error) {
        emit.fail(&failure);
    }
    if let Some(Flag(true)) = event.done {
        emit.end_answer(event.done_reason.as_str());
        if event.eval_count.is_some() {
            // The counts stand in the event itself.
            emit.usage(text);
        }
        emit.end_stream();
        emit.calls().begin_message();
    }
    Ok(Understood::Yes)
}
