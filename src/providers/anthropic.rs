//! Anthropic Messages: blocks by index, between a `message_start` and a `message_stop`.

use alloc::vec::Vec;

use super::emitter::Emitter;
use super::format::{Format, Understood};
use super::json::{Json, Text, Unreadable, objects};
use crate::tool_calls::{CallStart, Slot};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        index: Option<u64>,
        delta: Option<Delta<'a>>,
        content_block: Option<Block<'a>>,
        message: Option<Message<'a>>,
        usage: Json<'a>,
    }

    struct Delta<'a> {
        partial_json: Text<'a>,
        text: Text<'a>,
        thinking: Text<'a>,
        stop_reason: Text<'a>,
        stop_details: Option<StopDetails<'a>>,
    }

    /// Why the answer was refused.
    struct StopDetails<'a> {
        explanation: Text<'a>,
    }

    struct Block<'a> {
        kind: Text<'a> = "type",
        id: Text<'a>,
        name: Text<'a>,
        input: Json<'a>,
        text: Text<'a>,
        thinking: Text<'a>,
    }

    struct Message<'a> {
        content: Vec<Block<'a>>,
        stop_reason: Text<'a>,
        stop_details: Option<StopDetails<'a>>,
        usage: Json<'a>,
    }
}

pub(super) const FORMAT: Format = Format { name: "anthropic", read, owns_type, owns_members: |_| false };

fn owns_type(kind: &str) -> bool {
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

pub(super) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let slot = Slot::at(event.index);
    match &*event.kind {
        "content_block_delta" => {
            let Some(delta) = event.delta else { return Ok(Understood::Yes) };
            emit.calls().delta(slot, &delta.partial_json);
            emit.text(0, &delta.text);
            emit.reasoning(0, &delta.thinking);
        }
        "content_block_start" => start(slot, event.content_block, emit),
        "content_block_stop" => emit.calls().stop(slot),
        "message_start" => {
            emit.calls().begin_message();
            let Some(message) = event.message else { return Ok(Understood::Yes) };
            for (index, block) in (0..).zip(message.content) {
                let slot = Slot::from(index);
                start(slot, Some(block), emit);
                emit.calls().stop(slot);
            }
            end(&message.stop_reason, message.stop_details.as_ref(), message.usage, emit);
        }
        "message_delta" => {
            let (reason, details) =
                event.delta.map(|delta| (delta.stop_reason, delta.stop_details)).unwrap_or_default();
            end(&reason, details.as_ref(), event.usage, emit);
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
    if !id.is_empty() && !name.is_empty() && (block.input.is_given() || block.kind.ends_with("tool_use")) {
        emit.calls().start(slot, CallStart::new(name).id(id).input(block.input.spelt()));
    } else {
        emit.text(0, &block.text);
        emit.reasoning(0, &block.thinking);
    }
}

fn end(reason: &str, details: Option<&StopDetails<'_>>, usage: Json<'_>, emit: &mut Emitter<'_>) {
    if let Some(details) = details {
        emit.refusal(0, &details.explanation);
    }
    if !reason.is_empty() {
        emit.end_answer(reason);
    }
    emit.usage(usage);
}
