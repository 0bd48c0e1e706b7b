//! The Vercel UI message stream: kebab-case types, calls by id, the whole input once more at the end.

use super::emitter::Emitter;
use super::failure::Failure;
use super::format::{Format, Understood};
use super::json::{Json, Text, Unreadable, objects};
use crate::tool_calls::{CallStart, Place, Slot};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        tool_call_id: Text<'a> = "toolCallId",
        tool_name: Text<'a> = "toolName",
        input_text_delta: Text<'a> = "inputTextDelta",
        input: Json<'a>,
        delta: Text<'a>,
        error_text: Text<'a> = "errorText",
        finish_reason: Text<'a> = "finishReason",
    }
}

/// How the types begin of events that are known and say nothing about a call, text or reasoning.
const SILENT: [&str; 6] = ["text-", "reasoning-", "tool-output-", "tool-approval-", "source-", "data-"];

pub(super) const FORMAT: Format = Format { name: "vercel-ui", read, owns_type, owns_members: |_| false };

fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "start"
            | "start-step"
            | "text-start"
            | "text-delta"
            | "reasoning-start"
            | "reasoning-delta"
            | "tool-input-start"
            | "tool-input-delta"
            | "tool-input-available"
            | "tool-input-error"
    )
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let (id, name) = (event.tool_call_id.as_str(), event.tool_name.as_str());
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    match &*event.kind {
        "tool-input-delta" => emit.calls().delta(slot, &event.input_text_delta),
        "tool-input-start" => emit.calls().start(slot, CallStart::new(name).id(id)),
        "tool-input-available" => end(slot, id, name, event.input.spelt(), emit),
        "tool-input-error" => {
            // What could not be read as JSON comes as a string.
            end(slot, id, name, event.input.text_or_json().as_str(), emit);
            emit.report(&Failure { message: event.error_text.into_cow(), ..Failure::default() });
        }
        "text-delta" => emit.text(0, &event.delta),
        "reasoning-delta" => emit.reasoning(0, &event.delta),
        "start" => emit.calls().begin_message(),
        "finish" => emit.end_answer(&event.finish_reason),
        "abort" => emit.end_answer("abort"),
        "error" if !event.error_text.is_empty() => {
            emit.fail(&Failure { message: event.error_text.into_cow(), ..Failure::default() });
        }
        "start-step" | "finish-step" | "message-metadata" | "file" => {}
        kind => return Ok(SILENT.iter().any(|family| kind.starts_with(family)).into()),
    }
    Ok(Understood::Yes)
}

/// The input is whole: used where no delta came, else compared with them.
fn end(slot: Slot<'_>, id: &str, name: &str, input: &str, emit: &mut Emitter<'_>) {
    if emit.calls().find(slot).is_none() {
        if id.is_empty() && emit.calls().has_open() {
            return emit.calls().unplaced(slot);
        }
        emit.calls().start(slot, CallStart::new(name).id(id));
    }
    // The server may have filled in what the model left out, so what differs is told, and no more.
    emit.calls().derived(slot, input);
    emit.calls().stop(slot);
}
