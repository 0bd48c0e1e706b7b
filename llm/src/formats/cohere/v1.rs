//! Cohere v1 chat: types in `event_type`, and calls without ids, sent in fragments by index and then repeated as a
//! whole.

use crate::wire::*;

pub(super) static WIRE: Wire = Wire {
    kind: "event_type",
    events: &[
        on("stream-start", &[row(".", Means::Begins(&["generation_id", ""]))]),
        on(
            "text-generation",
            &[
                row("text", Means::Text).required(),
                row(
                    "text",
                    Means::Hook(|emit, _, _| {
                        emit.note_reported(HAS_TEXT);
                    }),
                ),
            ],
        ),
        on(
            "tool-calls-chunk",
            &[
                // The plan, which the event with the whole calls repeats.
                row("text", Means::Reasoning),
                row("tool_call_delta.text", Means::Reasoning),
                row("tool_call_delta", Means::Object(CALL)).at(&Spot::Index("index")),
            ],
        ),
        on("tool-calls-generation", &[row("text", Means::Reasoning).form(Form::Whole(Scope::Item)), CALLS]),
        on("search-queries-generation", &[row(".", Means::Data(""))]),
        on("search-results", &[DOCUMENTS]),
        on("citation-generation", &[CITATIONS]),
        on(
            "stream-end",
            &[
                row("response", Means::Object(RESPONSE)),
                row(".", Means::EndsAnswer("finish_reason|response.finish_reason")),
                row(".", Means::Stops(&["response.finish_reason", ""])).when(has_two_reasons),
                row("response.meta", Means::Usage),
                row(".", Means::EndsStream),
            ],
        ),
        on("debug", &[]),
    ],
    form: Form::Noted,
    // The last event has the whole message.
    shape: Some(Shape::Object { role: "CHATBOT", list: "", ids: Ids::Optional }),
    ..Wire::NEW
};

/// The table for another end. The content that an end repeats is no longer remembered, so it is reported unchanged.
static AGAIN: Wire = Wire { events: &[on("", &[row(".", Means::Hook(end_again))])], ..Wire::NEW };

fn end_again(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let event = event.shown();
    match StopKind::of(event.word_at("finish_reason|response.finish_reason")) {
        StopKind::Error => emit.unknown_part("stream-end", event),
        _ => emit.report(StreamEvent::UnknownPart { kind: "stream-end".into(), json: event.spelt().into() }),
    }
}

/// Returns the table that applies to an event.
pub(super) fn wire_of(event: Node<'_>, emit: &mut Emitter<'_>) -> &'static Wire {
    let is_over = emit.has_ended() && emit.state().unfinished.is_empty();
    if is_over && event.member("event_type").peek() == "stream-end" { &AGAIN } else { &WIRE }
}

/// The start of a call, or a fragment of its arguments' JSON text.
const CALL: Rows = &[
    row(".", Means::Call(&Called { name: "name", ..Called::NEW })).when(|delta| delta.get("name").is_given()),
    row("parameters", Means::Fragment),
];

const RESPONSE: Rows = &[
    row(".", Means::Hook(say_rest)),
    row("text", Means::Kept).back(&Back::Own("message")),
    CITATIONS,
    DOCUMENTS,
    CALLS.back(&Back::Own("tool_calls")),
];

const CALLS: Row = row("tool_calls", Means::Hook(end_calls));

/// The parts of the answer's text that are based on sources.
const CITATIONS: Row = row("citations[]", Means::Source(&CITATION));
const CITATION: Cited = Cited { quote: "text", spans: &[("start", "end")], once: ".", is_in_block: true, ..Cited::NEW };

/// The findings of a search, which belong to no part of the text.
const DOCUMENTS: Row = row("documents[]", Means::Source(&DOCUMENT));
const DOCUMENT: Cited = Cited { url: "url", title: "title", quote: "snippet", once: ".", ..Cited::NEW };

/// The key that is noted once a message has text.
const HAS_TEXT: &str = "text-generation";

fn has_two_reasons(event: Node<'_>) -> bool {
    let [own, inner] = ["finish_reason", "response.finish_reason"].map(|path| event.word_at(path));
    !own.is_empty() && own != inner
}

/// Reports the part of the response's text that was not streamed. If the response has calls and no text was streamed,
/// the text is the plan.
fn say_rest(emit: &mut Emitter<'_>, response: Node<'_>, here: &Here<'_>) {
    let node = response.member("text");
    let Some(text) = node.text() else { return node.odd(Mark::Odd) };
    node.read();
    let is_plan = response.get("tool_calls").is_given() && !emit.has_reported(HAS_TEXT);
    let kind = if is_plan { MismatchKind::Reasoning } else { MismatchKind::Text };
    say(kind, text, &Here { form: Form::Whole(Scope::Item), ..*here }, emit);
}

/// Ends the calls with their whole input, by their index in the list. The server sends the list up to twice, with
/// arguments that it has parsed and serialized again.
fn end_calls(emit: &mut Emitter<'_>, calls: Node<'_>, _: &Here<'_>) {
    let has_forgotten = emit.known().has_forgotten();
    let mut index = 0;
    calls.each("[]", &mut |call| {
        if !call.is_object() {
            call.torn();
            return;
        }
        let (slot, name, input) = (Slot::from(index), call.text_at("name"), call.raw("parameters").as_input().spelt());
        index += 1;
        if emit.known_mut().find_in(slot).is_none() {
            if has_forgotten {
                return;
            }
            emit.calls().start(slot, CallStart::new(name));
        }
        if let Some(number) = emit.calls().find_open(slot) {
            emit.calls().identify(number, "", name);
            emit.calls().whole(slot, input);
            emit.calls().stop(slot);
        } else if let Some(number) = emit.known_mut().find_in(slot) {
            emit.repeat_call(number, name, input);
        }
    });
}
