//! Bedrock ConverseStream: events that were decoded from its binary framing, each wrapped in its name.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::slots::Slot;
use crate::adapters::wire::{self, Index, Object, Payload, Text, error_message};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(default)]
    message_start: Object<Empty>,
    #[serde(borrow, default)]
    content_block_start: Object<Block<'a>>,
    #[serde(borrow, default)]
    content_block_delta: Object<Block<'a>>,
    #[serde(borrow, default)]
    content_block_stop: Object<Block<'a>>,
    #[serde(borrow, default)]
    message_stop: Object<MessageStop<'a>>,
    #[serde(borrow, default)]
    metadata: Object<Metadata<'a>>,
    // The exceptions that may come as events.
    #[serde(borrow, default)]
    internal_server_exception: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model_stream_error_exception: Option<&'a RawValue>,
    #[serde(borrow, default)]
    service_unavailable_exception: Option<&'a RawValue>,
    #[serde(borrow, default)]
    throttling_exception: Option<&'a RawValue>,
    #[serde(borrow, default)]
    validation_exception: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Empty {}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    #[serde(default)]
    content_block_index: Index,
    #[serde(borrow, default)]
    start: Object<Part<'a>>,
    #[serde(borrow, default)]
    delta: Object<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    reasoning_content: Object<Reasoning<'a>>,
    #[serde(borrow, default)]
    tool_use: Object<ToolUse<'a>>,
}

#[derive(Deserialize)]
struct Reasoning<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse<'a> {
    #[serde(borrow, default)]
    tool_use_id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageStop<'a> {
    #[serde(borrow, default)]
    stop_reason: Text<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<(), serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    if event.message_start.0.is_some() {
        door.begin_message();
    }
    if let Some(block) = event.content_block_start.0 {
        let slot = Slot::at(block.content_block_index.0);
        if let Some(ToolUse { tool_use_id, name, input }) = block.start.0.and_then(|start| start.tool_use.0) {
            door.start(slot, tool_use_id.as_str(), name.as_str(), Payload::new(input).as_str(), Nature::Json);
        }
    }
    if let Some(block) = event.content_block_delta.0 {
        let slot = Slot::at(block.content_block_index.0);
        let Some(delta) = block.delta.0 else { return Ok(()) };
        door.text(0, delta.text.as_str());
        door.reasoning(0, delta.reasoning_content.0.as_ref().map_or("", |part| part.text.as_str()));
        if let Some(tool_use) = delta.tool_use.0 {
            door.payload(slot, &Payload::new(tool_use.input));
        }
    }
    if let Some(block) = event.content_block_stop.0 {
        door.stop(Slot::at(block.content_block_index.0));
    }
    if let Some(MessageStop { stop_reason }) = event.message_stop.0 {
        door.end(stop_reason.as_str());
        door.end_stream();
    }
    if let Some(usage) = event.metadata.0.and_then(|metadata| metadata.usage) {
        door.usage(usage.get());
    }
    let exceptions = [
        event.internal_server_exception,
        event.model_stream_error_exception,
        event.service_unavailable_exception,
        event.throttling_exception,
        event.validation_exception,
    ];
    for exception in exceptions.into_iter().flatten() {
        door.provider_error(&error_message(exception));
    }
    Ok(())
}
