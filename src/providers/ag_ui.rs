//! AG-UI: screaming types, calls by id.

use super::emitter::Emitter;
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
        "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => emit.text(0, delta),
        "THINKING_TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_CHUNK" => {
            emit.reasoning(0, delta);
        }
        "RUN_STARTED" => emit.calls().begin_message(),
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
