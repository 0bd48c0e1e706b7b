//! The Vercel UI message stream: kebab-case types, calls by id, the whole input once more at the end.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Failure, Understood};
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::slots::{Place, Slot};
use crate::adapters::wire::{self, Payload, Text};

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

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let (id, name) = (event.tool_call_id.as_str(), event.tool_name.as_str());
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    match event.kind.as_str() {
        "tool-input-delta" => door.delta(slot, event.input_text_delta.as_str()),
        "tool-input-start" => door.start(slot, id, name, "", Nature::Json),
        "tool-input-available" => end(slot, id, name, event.input.map_or("", RawValue::get), door),
        "tool-input-error" => {
            // What could not be read as JSON comes as a string.
            end(slot, id, name, Payload::new(event.input).as_str(), door);
            door.report(&Failure { message: event.error_text.into_cow(), ..Failure::default() });
        }
        "text-delta" => door.text(0, event.delta.as_str()),
        "reasoning-delta" => door.reasoning(0, event.delta.as_str()),
        "start" => door.begin_message(),
        "finish" => door.end(event.finish_reason.as_str()),
        "abort" => door.end("abort"),
        "error" if !event.error_text.as_str().is_empty() => {
            door.provider_error(&Failure { message: event.error_text.into_cow(), ..Failure::default() });
        }
        "start-step" | "finish-step" | "message-metadata" | "file" => {}
        kind => return Ok(SILENT.iter().any(|family| kind.starts_with(family)).into()),
    }
    Ok(Understood::Yes)
}

/// The input is whole: used where no delta came, else compared with them.
fn end(slot: Slot<'_>, id: &str, name: &str, input: &str, door: &mut Door<'_>) {
    if door.find(slot).is_none() {
        if id.is_empty() && door.has_open() {
            return door.unplaced(slot);
        }
        door.start(slot, id, name, "", Nature::Json);
    }
    // The server may have filled in what the model left out, so what differs is told, and no more.
    door.derived(slot, input);
    door.stop(slot);
}
