//! Cohere v2 chat: kebab-case types, `tool_calls` an object.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tool_call::ToolCall;
use super::{Failure, Understood};
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::slots::Slot;
use crate::adapters::wire::{self, Index, Object, Payload, Text};

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

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let slot = Slot::at(event.index.0);
    let delta = event.delta.0.unwrap_or_default();
    let message = delta.message.0.unwrap_or_default();
    let call = message.tool_calls.0.unwrap_or_default();
    let function = call.function.0.unwrap_or_default();
    match event.kind.as_str() {
        "tool-call-delta" => door.payload(slot, &Payload::new(function.arguments)),
        "tool-call-start" => {
            let input = Payload::new(function.arguments);
            door.start(slot, call.id.as_str(), function.name.as_str(), input.as_str(), Nature::Json);
        }
        "tool-call-end" => door.stop(slot),
        "tool-plan-delta" => door.reasoning(0, message.tool_plan.as_str()),
        "content-start" | "content-delta" => {
            let content = message.content.0.unwrap_or_default();
            door.text(0, content.text.as_str());
            door.reasoning(0, content.thinking.as_str());
        }
        "message-start" => door.begin_message(),
        "message-end" => {
            door.end(delta.finish_reason.as_str());
            if let Some(usage) = delta.usage {
                door.usage(usage.get());
            }
            if let Some(failure) = Failure::at(delta.error) {
                door.provider_error(&failure);
            }
            door.end_stream();
        }
        "content-end" | "citation-start" | "citation-end" | "debug" => {}
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}
