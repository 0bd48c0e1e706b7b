//! AG-UI: screaming types, calls by id.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Failure, Understood};
use crate::adapters::call::Nature;
use crate::adapters::door::Door;
use crate::adapters::provider::AG_UI;
use crate::adapters::slots::{Place, Slot};
use crate::adapters::wire::{self, Text, word};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    tool_call_name: Text<'a>,
    #[serde(borrow, default)]
    delta: Text<'a>,
    #[serde(borrow, default)]
    message: Text<'a>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
}

pub(super) fn read(text: &str, door: &mut Door<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let (id, name, delta) = (event.tool_call_id.as_str(), event.tool_call_name.as_str(), event.delta.as_str());
    let slot = Slot::new(0, if id.is_empty() { Place::Nowhere } else { Place::Id(id) });
    match event.kind.as_str() {
        "TOOL_CALL_ARGS" => door.delta(slot, delta),
        "TOOL_CALL_START" => door.start(slot, id, name, "", Nature::Json),
        "TOOL_CALL_END" => door.stop(slot),
        "TOOL_CALL_CHUNK" => {
            let is_known = id.is_empty() || door.calls.slots.find(slot).is_some();
            if !is_known {
                door.start(slot, id, name, "", Nature::Json);
            }
            // Without an id it goes on with the last call.
            door.delta(if id.is_empty() { Slot::new(0, Place::Latest) } else { slot }, delta);
        }
        "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => door.text(0, delta),
        "THINKING_TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_CHUNK" => {
            door.reasoning(0, delta);
        }
        "RUN_STARTED" => door.begin_message(),
        "RUN_FINISHED" => door.end_stream(),
        "RUN_ERROR" => {
            let message = if event.message.as_str().is_empty() { text } else { event.message.as_str() };
            let (message, code) = (message.into(), word(event.code));
            door.provider_error(&Failure { message, code, ..Failure::default() });
        }
        "RAW" | "CUSTOM" => {}
        kind => return Ok(AG_UI.iter().any(|family| kind.starts_with(family)).into()),
    }
    Ok(Understood::Yes)
}
