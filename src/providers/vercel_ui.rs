//! The Vercel UI message stream: kebab-case types, calls by id, the whole input once more at the end.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::emitter::Emitter;
use super::failure::Failure;
use super::format::Understood;
use super::wire::{self, Payload, Text};
use crate::tool_calls::{CallStart, Place, Slot};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    input_text_delta: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Text<'a>,
    #[serde(borrow, default)]
    error_text: Text<'a>,
    #[serde(borrow, default)]
    finish_reason: Text<'a>,
}

/// How the types begin of events that are known and say nothing about a call, text or reasoning.
const SILENT: [&str; 6] = ["text-", "reasoning-", "tool-output-", "tool-approval-", "source-", "data-"];

/// Whether nobody else sends events of this type.
pub(super) fn owns_type(kind: &str) -> bool {
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

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let (id, name) = (event.tool_call_id.as_str(), event.tool_name.as_str());
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    match event.kind.as_str() {
        "tool-input-delta" => emit.calls().delta(slot, event.input_text_delta.as_str()),
        "tool-input-start" => emit.calls().start(slot, CallStart::new(name).id(id)),
        "tool-input-available" => end(slot, id, name, event.input.map_or("", RawValue::get), emit),
        "tool-input-error" => {
            // What could not be read as JSON comes as a string.
            end(slot, id, name, Payload::new(event.input).as_str(), emit);
            emit.report(&Failure { message: event.error_text.into_cow(), ..Failure::default() });
        }
        "text-delta" => emit.text(0, event.delta.as_str()),
        "reasoning-delta" => emit.reasoning(0, event.delta.as_str()),
        "start" => emit.calls().begin_message(),
        "finish" => emit.end_answer(event.finish_reason.as_str()),
        "abort" => emit.end_answer("abort"),
        "error" if !event.error_text.as_str().is_empty() => {
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
