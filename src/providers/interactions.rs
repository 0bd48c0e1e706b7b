//! Gemini's Interactions API: steps by index, much as Anthropic's blocks.

use super::emitter::Emitter;
use super::format::Understood;
use super::json::{Json, Text, Unreadable, objects};
use crate::tool_calls::{CallStart, Slot};

objects! {
    struct Event<'a> {
        event_type: Text<'a>,
        kind: Text<'a> = "type",
        index: Option<u64>,
        step: Option<Step<'a>>,
        delta: Option<Delta<'a>>,
        interaction: Option<Interaction<'a>>,
    }

    struct Step<'a> {
        kind: Text<'a> = "type",
        id: Text<'a>,
        name: Text<'a>,
        arguments: Json<'a>,
    }

    struct Delta<'a> {
        kind: Text<'a> = "type",
        text: Text<'a>,
        arguments: Json<'a>,
        content: Option<Summary<'a>>,
    }

    struct Summary<'a> {
        text: Text<'a>,
    }

    struct Interaction<'a> {
        status: Text<'a>,
        usage: Json<'a>,
    }
}

pub(super) fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let slot = Slot::at(event.index);
    let kinds = [event.event_type.as_str(), event.kind.as_str()];
    match kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default() {
        "step.delta" => {
            let Some(delta) = event.delta else { return Ok(Understood::Yes) };
            let kind = delta.kind.as_str();
            let may_be_built_in = kind.ends_with("_call") && kind != "function_call";
            if !may_be_built_in || emit.calls().find_in(slot).is_some() {
                emit.payload(slot, &delta.arguments.text_or_json());
            }
            emit.text(0, &delta.text);
            emit.reasoning(0, delta.content.as_ref().map_or("", |summary| summary.text.as_str()));
        }
        "step.start" => {
            if let Some(Step { kind, id, name, arguments }) = event.step
                // Google's own tools have no name; Google runs them.
                && (kind.as_str() == "function_call" || (kind.ends_with("_call") && !name.is_empty()))
            {
                emit.calls().start(
                    slot,
                    CallStart::new(name.as_str()).id(id.as_str()).input(arguments.text_or_json().as_str()),
                );
            }
        }
        "step.stop" => emit.calls().stop(slot),
        "interaction.created" => emit.calls().begin_message(),
        "interaction.completed" | "interaction.complete" => {
            let Some(Interaction { status, usage }) = event.interaction else { return Ok(Understood::Yes) };
            emit.end_answer(&status);
            emit.usage(usage);
        }
        kind => return Ok(kind.starts_with("interaction.").into()),
    }
    Ok(Understood::Yes)
}
