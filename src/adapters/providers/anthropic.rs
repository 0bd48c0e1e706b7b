//! Anthropic Messages: blocks by index, between a `message_start` and a `message_stop`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Understood;
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::slots::Slot;
use crate::adapters::wire::{self, Index, List, Object, Text};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(default)]
    index: Index,
    #[serde(borrow, default)]
    delta: Object<Delta<'a>>,
    #[serde(borrow, default)]
    content_block: Object<Block<'a>>,
    #[serde(borrow, default)]
    message: Object<Message<'a>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    partial_json: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(borrow, default)]
    stop_reason: Text<'a>,
    #[serde(borrow, default)]
    stop_details: Object<StopDetails<'a>>,
}

/// Why the answer was refused.
#[derive(Deserialize)]
struct StopDetails<'a> {
    #[serde(borrow, default)]
    explanation: Text<'a>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: List<Block<'a>>,
    #[serde(borrow, default)]
    stop_reason: Text<'a>,
    #[serde(borrow, default)]
    stop_details: Object<StopDetails<'a>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let slot = Slot::at(event.index.0);
    match event.kind.as_str() {
        "content_block_delta" => {
            let Some(delta) = event.delta.0 else { return Ok(Understood::Yes) };
            door.delta(slot, delta.partial_json.as_str());
            door.text(0, delta.text.as_str());
            door.reasoning(0, delta.thinking.as_str());
        }
        "content_block_start" => start(slot, event.content_block.0, door),
        "content_block_stop" => door.stop(slot),
        "message_start" => {
            door.begin_message();
            let Some(message) = event.message.0 else { return Ok(Understood::Yes) };
            for (index, block) in (0..).zip(message.content.0) {
                let slot = Slot::from(index);
                start(slot, Some(block), door);
                door.stop(slot);
            }
            end(&message.stop_reason, &message.stop_details, message.usage, door);
        }
        "message_delta" => {
            let (reason, details) =
                event.delta.0.map(|delta| (delta.stop_reason, delta.stop_details)).unwrap_or_default();
            end(&reason, &details, event.usage, door);
        }
        "message_stop" => door.end_stream(),
        "ping" => {}
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}

/// A block starts. What has an id, a name and an input is a call, whatever its type is called.
fn start(slot: Slot<'_>, block: Option<Block<'_>>, door: &mut Door<'_>) {
    let Some(block) = block else { return };
    let (id, name) = (block.id.as_str(), block.name.as_str());
    if !id.is_empty() && !name.is_empty() && (block.input.is_some() || block.kind.as_str().ends_with("tool_use")) {
        door.start(slot, id, name, block.input.map_or("", RawValue::get), Nature::Json);
    } else {
        door.text(0, block.text.as_str());
        door.reasoning(0, block.thinking.as_str());
    }
}

fn end(reason: &Text<'_>, details: &Object<StopDetails<'_>>, usage: Option<&RawValue>, door: &mut Door<'_>) {
    if let Object(Some(details)) = details {
        door.refusal(0, details.explanation.as_str());
    }
    if !reason.as_str().is_empty() {
        door.end(reason.as_str());
    }
    if let Some(usage) = usage {
        door.usage(usage.get());
    }
}
