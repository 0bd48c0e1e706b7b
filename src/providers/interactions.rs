//! Gemini's Interactions API: steps by index, much as Anthropic's blocks.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::emitter::Emitter;
use super::format::Understood;
use super::wire::{self, Index, Object, Payload, Text};
use crate::tool_calls::{CallStart, Slot};

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    event_type: Text<'a>,
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(default)]
    index: Index,
    #[serde(borrow, default)]
    step: Object<Step<'a>>,
    #[serde(borrow, default)]
    delta: Object<Delta<'a>>,
    #[serde(borrow, default)]
    interaction: Object<Interaction<'a>>,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Object<Summary<'a>>,
}

#[derive(Deserialize)]
struct Summary<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
}

#[derive(Deserialize)]
struct Interaction<'a> {
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

pub(super) fn read(text: &str, emit: &mut Emitter<'_>) -> Result<Understood, serde_json::Error> {
    let event: Event<'_> = wire::event(text)?;
    let slot = Slot::at(event.index.0);
    let kinds = [event.event_type.as_str(), event.kind.as_str()];
    match kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default() {
        "step.delta" => {
            let Some(delta) = event.delta.0 else { return Ok(Understood::Yes) };
            let kind = delta.kind.as_str();
            let may_be_built_in = kind.ends_with("_call") && kind != "function_call";
            if !may_be_built_in || emit.calls().is_known(slot) {
                emit.payload(slot, &Payload::new(delta.arguments));
            }
            emit.text(0, delta.text.as_str());
            emit.reasoning(0, delta.content.0.as_ref().map_or("", |summary| summary.text.as_str()));
        }
        "step.start" => {
            if let Some(Step { kind, id, name, arguments }) = event.step.0
                // Google's own tools have no name; Google runs them.
                && (kind.as_str() == "function_call" || (kind.as_str().ends_with("_call") && !name.as_str().is_empty()))
            {
                emit.calls()
                    .start(slot, CallStart::new(name.as_str()).id(id.as_str()).input(Payload::new(arguments).as_str()));
            }
        }
        "step.stop" => emit.calls().stop(slot),
        "interaction.created" => emit.calls().begin_message(),
        "interaction.completed" | "interaction.complete" => {
            let Some(Interaction { status, usage }) = event.interaction.0 else { return Ok(Understood::Yes) };
            emit.end_answer(status.as_str());
            if let Some(usage) = usage {
                emit.usage(usage.get());
            }
        }
        kind => return Ok(kind.starts_with("interaction.").into()),
    }
    Ok(Understood::Yes)
}
