//! Ollama's own chat, and its completions: one JSON object a line, every call whole.

use crate::calls::{CallStart, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::event::OpaqueKind;
use crate::event::media::Media;
use crate::formats::tool_call::{Function, ToolCall};
use crate::formats::{Format, Look, Understood};
use crate::json::{Around, Field, Json, Lazy, Others, Piece, Pieces, Spelt, Text, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        message: Lazy<Around<Message<'a>>>,
        /// Text of a completion, which has no message; `thinking` is its reasoning.
        response: Piece<'a>,
        thinking: Piece<'a>,
        done: Option<Json<'a>>,
        done_reason: Text<'a>,
        eval_count: Json<'a>,
        model: Text<'a>,
        /// The context with which a completion is to go on.
        context: Json<'a>,
        error: Json<'a>,
    }

    struct Message<'a> {
        content: Piece<'a>,
        thinking: Piece<'a>,
        images: Json<'a>,
        tool_calls: Pieces<Spelt<'a, ToolCall<'a>>>,
        others: Others<'a> = "*",
    }
}

pub(crate) const FORMAT: Format = Format { name: "ollama", read, owns_type: |_| false, owns_members, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer =
    Composer::new(Shape::Object { role: "assistant", list: "", ids: Ids::Optional }, compose);

fn owns_members(look: &Look<'_>) -> bool {
    (look.message.is_given() || look.response.is_given()) && look.done.is_given()
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    let message = event.message.get();
    // A body of an error has one too.
    if event.done.is_none() && !matches!(message, Ok(Around(Some(_)))) {
        return Ok(Understood::No);
    }
    let message = message?;
    let mut is_done = false;
    is_done.read(event.done.unwrap_or_default().or_null())?;
    emit.message("", &event.model);
    emit.reasoning(0, &event.thinking);
    emit.text(0, &event.response);
    if let Some(message) = message.0 {
        emit.reasoning(0, &message.thinking);
        emit.text(0, &message.content);
        emit.unknown_members(&message.others, &["role"]);
        for image in message.images.elements() {
            let data = image.word();
            emit.media_or_unknown(Media { data: present(&data), ..Media::default() }, "images", image);
        }
        for Spelt { json, object: call } in message.tool_calls.0 {
            call.is_unknown(Slot::new(0, Place::Nowhere), json, emit);
            let ToolCall { id, function, .. } = call;
            let Some(Function { name, arguments }) = function.0 else { continue };
            // Whole, so that the index, which often is 0 for all, need not be trusted.
            emit.calls()
                .whole_call(0, CallStart::new(name.as_str()).id(id.as_str()).input(arguments.text_or_json().as_str()));
        }
    }
    if let Some(failure) = Failure::at(event.error) {
        emit.fail(&failure);
    }
    if is_done {
        emit.opaque(OpaqueKind::Compaction, 0, None, event.context);
        emit.end_answer(&event.done_reason);
        if event.eval_count.is_given() {
            // The counts stand in the event itself.
            emit.usage(json);
        }
        emit.end_stream();
        emit.calls().begin_message();
    }
    Ok(Understood::Yes)
}

/// Adds what an event says to the message that goes back.
fn compose(event: Json<'_>, turn: &mut Turn) {
    let said = event.member("message");
    turn.text(None, "content", said.member("content"));
    turn.text(None, "thinking", said.member("thinking"));
    for call in said.member("tool_calls").elements() {
        turn.element(None, "tool_calls", call);
    }
}
