//! Bedrock's ConverseStream and `InvokeModelWithResponseStream`: events as decoded from the binary framing, each wrapped
//! in its name.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

use super::{Failure, Understood, anthropic};
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::slots::Slot;
use crate::adapters::wire::{self, Index, Object, Payload, Text};

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
    /// From `InvokeModelWithResponseStream`: an event in the model's own format, as base64.
    #[serde(borrow, default)]
    chunk: Object<Chunk<'a>>,
    #[serde(borrow, default)]
    bytes: Text<'a>,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    bytes: Text<'a>,
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

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let chunk = event.chunk.0.as_ref().map_or(&event.bytes, |chunk| &chunk.bytes);
    if !chunk.as_str().is_empty() {
        return read_chunk(chunk.as_str(), door);
    }
    Ok(event.read(door))
}

/// Reads an event in the model's own format: Claude's is Anthropic's, Nova's is that of ConverseStream.
fn read_chunk(base64: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let bytes = BASE64_STANDARD.decode(base64).map_err(|_| serde_json::Error::custom("expected base64"))?;
    let text = str::from_utf8(&bytes).map_err(serde_json::Error::custom)?;
    if anthropic::read(text, door)? == Understood::Yes {
        return Ok(Understood::Yes);
    }
    match Failure::told_by(text) {
        Some(failure) => door.provider_error(&failure),
        None => return Ok(wire::event::<Event<'_>>(text)?.read(door)),
    }
    Ok(Understood::Yes)
}

impl Event<'_> {
    fn read(self, door: &mut Door<'_>) -> Understood {
        let mut understood = Understood::No;
        if self.message_start.0.is_some() {
            understood = Understood::Yes;
            door.begin_message();
        }
        if let Some(block) = self.content_block_start.0 {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index.0);
            if let Some(ToolUse { tool_use_id, name, input }) = block.start.0.and_then(|start| start.tool_use.0) {
                door.start(slot, tool_use_id.as_str(), name.as_str(), Payload::new(input).as_str(), Nature::Json);
            }
        }
        if let Some(block) = self.content_block_delta.0 {
            understood = Understood::Yes;
            let slot = Slot::at(block.content_block_index.0);
            if let Some(delta) = block.delta.0 {
                door.text(0, delta.text.as_str());
                door.reasoning(0, delta.reasoning_content.0.as_ref().map_or("", |part| part.text.as_str()));
                if let Some(tool_use) = delta.tool_use.0 {
                    door.payload(slot, &Payload::new(tool_use.input));
                }
            }
        }
        if let Some(block) = self.content_block_stop.0 {
            understood = Understood::Yes;
            door.stop(Slot::at(block.content_block_index.0));
        }
        if let Some(MessageStop { stop_reason }) = self.message_stop.0 {
            understood = Understood::Yes;
            door.end(stop_reason.as_str());
            door.end_stream();
        }
        if let Some(metadata) = self.metadata.0 {
            understood = Understood::Yes;
            if let Some(usage) = metadata.usage {
                door.usage(usage.get());
            }
        }
        understood
    }
}
