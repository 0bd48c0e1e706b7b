//! Cohere v2 chat: kebab-case types, `tool_calls` an object.

use super::emitter::Emitter;
use super::failure::Failure;
use super::format::{Format, Understood};
use super::json::{Json, Text, Unreadable, objects};
use super::tool_call::ToolCall;
use crate::tool_calls::{CallStart, Slot};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        index: Option<u64>,
        delta: Option<Delta<'a>>,
    }

    struct Delta<'a> {
        message: Option<Message<'a>>,
        finish_reason: Text<'a>,
        usage: Json<'a>,
        error: Json<'a>,
    }

    struct Message<'a> {
        content: Option<Content<'a>>,
        tool_plan: Text<'a>,
        tool_calls: Option<ToolCall<'a>>,
    }

    struct Content<'a> {
        text: Text<'a>,
        thinking: Text<'a>,
    }
}

pub(super) const FORMAT: Format = Format { name: "cohere", read, owns_type, owns_members: |_| false };

fn owns_type(kind: &str) -> bool {
    matches!(
        kind,
        "message-start"
            | "message-end"
            | "content-start"
            | "content-delta"
            | "content-end"
            | "tool-plan-delta"
            | "tool-call-start"
            | "tool-call-delta"
            | "tool-call-end"
            | "citation-start"
    )
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let slot = Slot::at(event.index);
    let delta = event.delta.unwrap_or_default();
    let message = delta.message.unwrap_or_default();
    let call = message.tool_calls.unwrap_or_default();
    let function = call.function.unwrap_or_default();
    match &*event.kind {
        "tool-call-delta" => emit.payload(slot, &function.arguments.text_or_json()),
        "tool-call-start" => {
            let input = function.arguments.text_or_json();
            emit.calls().start(slot, CallStart::new(function.name.as_str()).id(call.id.as_str()).input(input.as_str()));
        }
        "tool-call-end" => emit.calls().stop(slot),
        "tool-plan-delta" => emit.reasoning(0, &message.tool_plan),
        "content-start" | "content-delta" => {
            let content = message.content.unwrap_or_default();
            emit.text(0, &content.text);
            emit.reasoning(0, &content.thinking);
        }
        "message-start" => emit.calls().begin_message(),
        "message-end" => {
            emit.end_answer(&delta.finish_reason);
            emit.usage(delta.usage);
            if let Some(failure) = Failure::at(delta.error) {
                emit.fail(&failure);
            }
            emit.end_stream();
        }
        "content-end" | "citation-start" | "citation-end" | "debug" => {}
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}
