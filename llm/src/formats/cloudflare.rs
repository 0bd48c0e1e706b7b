//! Cloudflare Workers AI, natively: pieces of the response, calls whole, then `[DONE]`. Models that speak chat
//! completions do so between such lines.

use crate::calls::{CallStart, Place, Slot};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::event::StreamEvent;
use crate::formats::tool_call::ToolCall;
use crate::formats::{Format, Look, Understood, openai_chat};
use crate::json::{Field, Id, Json, Pieces, Silent, Spelt, Text, TextOrJson, Unreadable, objects};
use crate::message::{Composer, Ids, Shape, Turn};

objects! {
    struct Event<'a> {
        /// A text; where it is digits alone, at times a number.
        response: Option<Json<'a>>,
        tool_calls: Json<'a>,
        usage: Json<'a>,
        finish_reason: Text<'a>,
        choices: Json<'a>,
        error: Json<'a>,
        errors: Json<'a>,
        success: Json<'a>,
        // Beside errors.
        _messages: Silent<'a> = "messages",
        _result: Silent<'a> = "result",
    }

    /// A call of Cloudflare's own form, with the arguments themselves.
    struct Native<'a> {
        id: Id<'a>,
        name: Text<'a>,
        arguments: Json<'a>,
        function: Json<'a>,
    }
}

pub(crate) const FORMAT: Format =
    Format { name: "cloudflare", read, owns_type: |_| false, owns_members, terminal: None };

/// The message that goes back.
pub(crate) const COMPOSER: Composer = Composer::new(Shape::WithCalls { list: "", ids: Ids::Optional }, compose);

fn owns_members(look: &Look<'_>) -> bool {
    look.response.is_given() && !look.response.is_object() && !look.done.is_given() && look.kind().is_empty()
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    if event.choices.is_given() {
        // Such a chunk is this provider's too, be it readable or not.
        return (openai_chat::FORMAT.read)(json.hand_over(), emit).or_else(|Unreadable| {
            emit.leave_out("bad-frame");
            emit.report(StreamEvent::BadFrame { text: json.spelt() });
            Ok(Understood::Yes)
        });
    }
    // Beside a response, and as Cloudflare's interface has them; errors alone are known whoever sends them.
    let error = if event.response.is_some() { event.error } else { Json::default() };
    let is_a_body = event.success.is_given() || event.response.is_some();
    let errors = if is_a_body { event.errors } else { Json::default() };
    let failure = Failure::at(error).or_else(|| errors.elements().find_map(Failure::at));
    if let Some(failure) = &failure {
        emit.fail(failure);
    }
    let is_known = event.response.is_some() || event.tool_calls.is_given() || event.usage.is_given();
    if !is_known && event.finish_reason.is_empty() {
        return Ok(failure.is_some().into());
    }
    let mut calls = Pieces::<Spelt<'_, Native<'_>>>::default();
    calls.read(event.tool_calls.or_null())?;
    let mut entries = Pieces::<Spelt<'_, ToolCall<'_>>>::default();
    entries.read(event.tool_calls.or_null())?;
    let text = match event.response.unwrap_or_default().text_or_json() {
        TextOrJson::Text(text) => text,
        TextOrJson::Json("" | "null") => "".into(),
        TextOrJson::Json(number) if is_number(number) => number.into(),
        TextOrJson::Json(_) => return Err(Unreadable),
    };
    emit.begin_answer(0);
    emit.text(0, &text);
    for (Spelt { object: call, .. }, Spelt { json, object: entry }) in calls.0.iter().zip(entries.0) {
        if !call.function.is_given() && (!call.name.is_empty() || call.arguments.is_given()) {
            // Whole, without a place.
            let input = call.arguments.text_or_json();
            emit.calls().whole_call(0, CallStart::new(call.name.as_str()).id(call.id.as_str()).input(input.as_str()));
            continue;
        }
        call.function.pass_over();
        let slot = Slot::new(0, entry.index.map_or(Place::Nowhere, Place::Index));
        if !entry.is_unknown(slot, json, emit) {
            openai_chat::read_piece_of_call(entry, emit);
        }
    }
    emit.usage(event.usage);
    // Some models end more than once; `[DONE]` is the end.
    emit.stop_reason(0, &event.finish_reason);
    Ok(Understood::Yes)
}

/// Returns true if this JSON value is a number.
fn is_number(json: &str) -> bool {
    json.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// Adds what an event says to the message that goes back. Its calls are added as they end.
fn compose(event: Json<'_>, turn: &mut Turn) {
    if event.member("choices").is_given() {
        return openai_chat::compose(event, turn);
    }
    let response = event.member("response");
    match response.text_or_json() {
        TextOrJson::Json(number) if is_number(number) => {
            turn.text(None, "content", Json::of(&["\"", number, "\""].concat()));
        }
        _ => turn.text(None, "content", response),
    }
}
