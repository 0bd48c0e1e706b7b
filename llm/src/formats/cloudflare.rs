//! The native format of Cloudflare Workers AI: pieces of the response, whole calls, then `[DONE]`. Some models send
//! chat completion chunks between such events.

use crate::formats::{Format, Owns, kind_of, openai_chat};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |event, _| wire_of(event),
    message: Some(Shape::WithCalls { list: "", ids: Ids::Optional }),
    owns_too: |event| event.member("choices").is_given(),
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns { members: owns_members, ..Owns::NEW };

fn owns_members(event: Node<'_>) -> bool {
    let response = event.member("response");
    let is_own = response.is_given() && !response.is_object();
    is_own && !event.member("done").is_given() && kind_of(event).is_empty()
}

fn wire_of(event: Node<'_>) -> &'static Wire {
    if event.member("choices").is_given() { &openai_chat::WIRE } else { &WIRE }
}

static WIRE: Wire = Wire {
    events: &[on(
        "",
        &[
            // An error alone is recognized for every provider.
            row("error", Means::Fails).when(|event| event.member("response").is_there()),
            row("errors[]", Means::Fails),
            row("success", Means::Silent),
            row(".", Means::BeginsAnswer).when(is_answer),
            row("response", Means::Hook(text)).back(&Back::Own("content")),
            row("tool_calls[]", Means::Object(TOOL_CALL)).at(&Spot::Index("index")),
            row("usage", Means::Usage),
            // Some models send several stop reasons; `[DONE]` is the end.
            row("finish_reason", Means::Reason),
        ],
    )],
    is_known: |event| {
        let has_errors = event.get("errors[]").is_given() && event.member("success").is_there();
        is_answer(event) || has_errors
    },
    form: Form::Noted,
    ..Wire::NEW
};

fn is_answer(event: Node<'_>) -> bool {
    event.member("response").is_there() || event.get("tool_calls|usage|finish_reason").is_given()
}

/// Reports a piece of the response: a string, or sometimes a number if the piece consists of digits.
fn text(emit: &mut Emitter<'_>, piece: Node<'_>, here: &Here<'_>) {
    if piece.is_object() || piece.is_list() || piece.is_true() {
        return piece.odd(Mark::Odd);
    }
    say(MismatchKind::Text, piece.word(), &Here { form: Form::Piece, ..*here }, emit);
}

/// A call in Cloudflare's own form, whose arguments are an object, or in that of chat completions.
const TOOL_CALL: Rows = &[
    row(".", Means::Call(&NATIVE)).form(Form::ALL).when(is_native),
    row(".", Means::Object(openai_chat::ENTRY)).when(|entry| !is_native(entry)),
];

const NATIVE: Called = Called { id: "id", name: "name", input: "arguments", ..Called::NEW };

fn is_native(entry: Node<'_>) -> bool {
    !entry.get("function").is_given() && entry.get("name|arguments").is_given()
}
