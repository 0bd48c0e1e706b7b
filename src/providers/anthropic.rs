//! Anthropic Messages: blocks by index, between a `message_start` and a `message_stop`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::emitter::Emitter;
use super::format::Understood;
use super::wire::{self, Index, List, Object, Text};
use crate::tool_calls::{CallStart, Slot};

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

/// Whether nobody else sends events of this type.
pub(super) fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "message_start"
            | "message_delta"
            | "message_stop"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
    )
}

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let slot = Slot::at(event.index.0);
    match event.kind.as_str() {
        "content_block_delta" => {
            let Some(delta) = event.delta.0 else { return Ok(Understood::Yes) };
            emit.calls().delta(slot, delta.partial_json.as_str());
            emit.text(0, delta.text.as_str());
            emit.reasoning(0, delta.thinking.as_str());
        }
        "content_block_start" => start(slot, event.content_block.0, emit),
        "content_block_stop" => emit.calls().stop(slot),
        "message_start" => {
            emit.calls().begin_message();
            let Some(message) = event.message.0 else { return Ok(Understood::Yes) };
            for (index, block) in (0..).zip(message.content.0) {
                let slot = Slot::from(index);
                start(slot, Some(block), emit);
                emit.calls().stop(slot);
            }
            end(&message.stop_reason, &message.stop_details, message.usage, emit);
        }
        "message_delta" => {
            let (reason, details) =
                event.delta.0.map(|delta| (delta.stop_reason, delta.stop_details)).unwrap_or_default();
            end(&reason, &details, event.usage, emit);
        }
        "message_stop" => emit.end_stream(),
        "ping" => {}
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}

/// A block starts. What has an id, a name and an input is a call, whatever its type is called.
fn start(slot: Slot<'_>, block: Option<Block<'_>>, emit: &mut Emitter<'_>) {
    let Some(block) = block else { return };
    let (id, name) = (block.id.as_str(), block.name.as_str());
    if !id.is_empty() && !name.is_empty() && (block.input.is_some() || block.kind.as_str().ends_with("tool_use")) {
        emit.calls().start(slot, CallStart::new(name).id(id).input(block.input.map_or("", RawValue::get)));
    } else {
        emit.text(0, block.text.as_str());
        emit.reasoning(0, block.thinking.as_str());
    }
}

fn end(reason: &Text<'_>, details: &Object<StopDetails<'_>>, usage: Option<&RawValue>, emit: &mut Emitter<'_>) {
    if let Object(Some(details)) = details {
        emit.refusal(0, details.explanation.as_str());
    }
    if !reason.as_str().is_empty() {
        emit.end_answer(reason.as_str());
    }
    if let Some(usage) = usage {
        emit.usage(usage.get());
    }
}
