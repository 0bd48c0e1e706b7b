//! Cohere v2 chat: kebab-case types, `tool_calls` an object.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::emitter::Emitter;
use super::failure::Failure;
use super::format::Understood;
use super::tool_call::ToolCall;
use super::wire::{self, Index, Object, Payload, Text};
use crate::tool_calls::{CallStart, Slot};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(default)]
    index: Index,
    #[serde(borrow, default)]
    delta: Object<Delta<'a>>,
}

#[derive(Default, Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    message: Object<Message<'a>>,
    #[serde(borrow, default)]
    finish_reason: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Object<Content<'a>>,
    #[serde(borrow, default)]
    tool_plan: Text<'a>,
    #[serde(borrow, default)]
    tool_calls: Object<ToolCall<'a>>,
}

#[derive(Default, Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
}

/// Whether nobody else sends events of this type.
pub(super) fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "message-start"
            | "message-end"
            | "content-start"
            | "content-delta"
            | "content-end"
            | "tool-plan-delta"
            | "tool-call-start"
            | "tool-call-delta"
            | "tool-call-end"
            | "citation-start"
    )
}

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let slot = Slot::at(event.index.0);
    let delta = event.delta.0.unwrap_or_default();
    let message = delta.message.0.unwrap_or_default();
    let call = message.tool_calls.0.unwrap_or_default();
    let function = call.function.0.unwrap_or_default();
    match event.kind.as_str() {
        "tool-call-delta" => emit.payload(slot, &Payload::new(function.arguments)),
        "tool-call-start" => {
            let input = Payload::new(function.arguments);
            emit.calls().start(slot, CallStart::new(function.name.as_str()).id(call.id.as_str()).input(input.as_str()));
        }
        "tool-call-end" => emit.calls().stop(slot),
        "tool-plan-delta" => emit.reasoning(0, message.tool_plan.as_str()),
        "content-start" | "content-delta" => {
            let content = message.content.0.unwrap_or_default();
            emit.text(0, content.text.as_str());
            emit.reasoning(0, content.thinking.as_str());
        }
        "message-start" => emit.calls().begin_message(),
        "message-end" => {
            emit.end_answer(delta.finish_reason.as_str());
            if let Some(usage) = delta.usage {
                emit.usage(usage.get());
            }
            if let Some(failure) = Failure::at(delta.error) {
                emit.fail(&failure);
            }
            emit.end_stream();
        }
        "content-end" | "citation-start" | "citation-end" | "debug" => {}
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}
