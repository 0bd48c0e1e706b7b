//! Ollama's native chat, and its completions: one JSON object per line, every call whole.

use crate::formats::{Format, Owns, tool_call};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |_, _| &WIRE,
    message: Some(Shape::Object { role: "assistant", list: "", ids: Ids::Optional }),
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns { members: owns_members, ..Owns::NEW };

fn owns_members(event: Node<'_>) -> bool {
    ["message", "response"].iter().any(|name| event.member(name).is_given()) && event.member("done").is_given()
}

static WIRE: Wire = Wire {
    events: &[on(
        "",
        &[
            row(".", Means::Belongs(&["", "model"])),
            // A completion has no message.
            row("thinking", Means::Reasoning),
            row("response", Means::Text),
            row(
                "message",
                Means::Object(&[
                    row("thinking", Means::Reasoning).back(&Back::Own("thinking")),
                    row("content", Means::Text).back(&Back::Own("content")),
                    row("images[]", Means::Media(&IMAGE)),
                    row("tool_calls", Means::Kept).back(&Back::Own("tool_calls")),
                    row("tool_calls[]", Means::Object(tool_call::WHOLE)),
                ]),
            ),
            row("error", Means::Fails),
            row("done", Means::Switch),
            row("context", Means::Opaque(OpaqueKind::Compaction, Owner::Nothing)).when(is_done),
            row(".", Means::EndsAnswer("done_reason")).when(is_done),
            row(".", Means::Hook(report_usage)).when(|event| is_done(event) && event.get("eval_count").is_given()),
            row(".", Means::EndsStream).when(is_done),
            row(".", Means::Hook(|emit, _, _| emit.forget_calls())).when(is_done),
        ],
    )],
    // The body of an error has a message too, but it is a string.
    is_known: |event| event.raw("done").is_there() || event.member("message").is_object(),
    ..Wire::NEW
};

fn is_done(event: Node<'_>) -> bool {
    event.get("done").is_true()
}

/// Reports the counts and times, which are members of the event itself.
fn report_usage(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    emit.usage(event);
    for member in event.children().filter(|member| matches("*_count|*_duration", member.key())) {
        member.word();
    }
}

const IMAGE: Shown = Shown { name: "images", data: ".", ..Shown::NEW };
