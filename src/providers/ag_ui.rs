//! AG-UI: screaming types, calls by id.

use super::blocks::At;
use super::emitter::Emitter;
use super::event::{BlockKind, OpaqueKind};
use super::failure::Failure;
use super::format::{Format, Understood};
use super::json::{Json, Text, Unreadable, objects};
use crate::tool_calls::{CallStart, Place, Slot};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        tool_call_id: Text<'a> = "toolCallId",
        tool_call_name: Text<'a> = "toolCallName",
        delta: Text<'a>,
        run_id: Text<'a> = "runId",
        message_id: Text<'a> = "messageId",
        encrypted_value: Json<'a> = "encryptedValue",
        entity_id: Text<'a> = "entityId",
        message: Text<'a>,
        code: Json<'a>,
    }
}

/// What the types begin with, but for `RAW` and `CUSTOM`, which could be anybody's.
const FAMILIES: [&str; 9] =
    ["RUN_", "STEP_", "TEXT_MESSAGE_", "TOOL_CALL_", "STATE_", "MESSAGES_", "ACTIVITY_", "REASONING_", "THINKING_"];

pub(super) const FORMAT: Format = Format { name: "ag-ui", read, owns_type, owns_members: |_| false };

fn owns_type(kind: &str) -> bool {
    FAMILIES.iter().any(|family| kind.starts_with(family))
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let (id, name, delta) = (event.tool_call_id.as_str(), event.tool_call_name.as_str(), event.delta.as_str());
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    let message_id = event.message_id.as_str();
    let at = At::from(message_id);
    match &*event.kind {
        "TOOL_CALL_ARGS" => emit.calls().delta(slot, delta),
        "TOOL_CALL_START" => emit.calls().start(slot, CallStart::new(name).id(id)),
        "TOOL_CALL_END" => emit.calls().stop(slot),
        "TOOL_CALL_CHUNK" => {
            let is_known = id.is_empty() || emit.calls().find_in(slot).is_some();
            if !is_known {
                emit.calls().start(slot, CallStart::new(name).id(id));
            }
            // Without an id it goes on with the last call.
            emit.calls().delta(if id.is_empty() { Slot::new(0, Place::Latest) } else { slot }, delta);
        }
        "TEXT_MESSAGE_START" => emit.start_text(0, at, message_id, ""),
        "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => emit.text_at(0, at, delta),
        "THINKING_TEXT_MESSAGE_START" | "REASONING_MESSAGE_START" => {
            emit.start_block(0, at, BlockKind::Reasoning, message_id, "");
        }
        "THINKING_TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_CHUNK" => {
            emit.reasoning_at(0, at, delta);
        }
        "TEXT_MESSAGE_END" | "THINKING_TEXT_MESSAGE_END" | "REASONING_MESSAGE_END" => emit.end_block(at),
        "REASONING_ENCRYPTED_VALUE" => {
            // Of a message or of a call.
            let entity = event.entity_id.as_str();
            match emit.known().find_id(0, entity) {
                Some(call) => emit.opaque_of_call(OpaqueKind::Encrypted, 0, Some(call), event.encrypted_value),
                None => {
                    emit.opaque(OpaqueKind::Encrypted, 0, emit.find_block(0, At::from(entity)), event.encrypted_value);
                }
            }
        }
        "TOOL_CALL_RESULT" if !id.is_empty() => emit.tool_result(id, false, json),
        "RUN_STARTED" => emit.begin_message(&event.run_id, ""),
        "RUN_FINISHED" => emit.end_stream(),
        "RUN_ERROR" => {
            let message = if event.message.is_empty() { json.spelt() } else { &event.message };
            let (message, code) = (message.into(), event.code.word());
            emit.fail(&Failure { message, code, ..Failure::default() });
        }
        "RAW" | "CUSTOM" => {}
        kind => return Ok(FAMILIES.iter().any(|family| kind.starts_with(family)).into()),
    }
    Ok(Understood::Yes)
}
