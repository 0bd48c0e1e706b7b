//! DashScope's native format, for Qwen's models: the choices of a chat inside `output`, or only its text.
//!
//! Without `incremental_output`, each event has all of the text so far; with it, each has a piece. Both look the same
//! at first. So if an event begins with all of the text so far, only the rest of it is new; the text of any other event
//! is a piece. Once an event has extended the text so far, an event that does not begin with it is a contradiction.

use super::openai_chat::CHOICE;
use crate::formats::{Format, Owns, kind_of};
use crate::wire::*;

pub(crate) const FORMAT: Format =
    Format { wire: |_, _| &WIRE, message: Some(Shape::WithCalls { list: "", ids: Ids::Optional }), ..Format::NEW };

pub(crate) const OWNS: Owns = Owns { members: owns_members, ..Owns::NEW };

fn owns_members(event: Node<'_>) -> bool {
    event.member("output").is_object() && event.member("request_id").is_string() && kind_of(event).is_empty()
}

static WIRE: Wire = Wire {
    events: &[on(
        "",
        &[
            row(".", Means::BelongsById(&["request_id", ""])).when(has_output),
            row("output.choices[]", Means::Choice(CHOICE)),
            row("output.text", Means::Text).back(&Back::Own("content")),
            row("output.audio", Means::Media(&SOUND)),
            row("output.search_info.search_results[]", Means::Source(&PAGE)),
            row("usage", Means::Usage),
            row("output", Means::Stops(&["finish_reason", ""])).when(|event| !is_open(event)),
            row("output.finish_reason", Means::Silent).when(is_open),
            row(".", Means::Hook(fail)).when(has_failed),
        ],
    )],
    is_known: |event| has_output(event) || has_failed(event),
    form: Form::SoFar,
    ..Wire::NEW
};

fn has_output(event: Node<'_>) -> bool {
    event.get("output").is_object()
}

fn has_failed(event: Node<'_>) -> bool {
    event.get("code").text().is_some_and(|code| !code.is_empty())
}

fn fail(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    if has_output(event) {
        let (code, message) = (event.word_at("code"), event.word_at("message"));
        emit.fail(&Failure { message: message.into(), code, ..Failure::default() });
    } else {
        emit.fail(&Failure::new(event.as_failure()));
    }
}

/// Returns true if the answer is open: its stop reason is `"null"`, or not a string.
fn is_open(event: Node<'_>) -> bool {
    event.get("output.finish_reason").text().is_none_or(|reason| reason == "null")
}

const SOUND: Shown = Shown { name: "audio", data: "data", url: "url", ..Shown::NEW };

const PAGE: Cited = Cited { url: "url", title: "title", once: "url", ..Cited::NEW };
