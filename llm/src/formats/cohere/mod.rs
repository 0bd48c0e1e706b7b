//! Cohere v2 chat: kebab-case types, and an object as `tool_calls`. The first version has a file of its own.

mod v1;

use crate::emitter::Emitter;
use crate::event::BlockKind;
use crate::formats::{Format, Understood, tool_call};
use crate::json::{Json, Unreadable};
use crate::message::{Composer, Ids, Shape};
use crate::wire::{self, Back, ByType, Cited, Means, Node, Rows, Spot, Wire, row};

pub(crate) const FORMAT: Format = Format {
    name: "cohere",
    read,
    owns_type,
    owns_members: |event| event.member("message").is_object() && event.member("finish_reason").is_given(),
    ..Format::NEW
};

/// The message for the next request. Its calls are added as they end.
pub(crate) const COMPOSER: Composer =
    Composer::new(Shape::WithCalls { list: "content", ids: Ids::Needed }, |event, turn| {
        if event.member("event_type").is_given() {
            turn.be(v1::SHAPE);
            // Another end adds nothing.
            if !turn.is_over() || event.member("event_type").word() != "stream-end" {
                wire::compose(&v1::WIRE, event, turn);
            }
        } else {
            wire::compose(&WIRE, event, turn);
        }
    });

fn owns_type(kind: &str) -> bool {
    let is_own =
        |(patterns, _): &(&str, Rows)| patterns.split('|').any(|own| own == kind && !matches!(own, "" | "debug"));
    WIRE.events.iter().chain(v1::WIRE.events).any(is_own)
}

fn read(event: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    wire::read(if event.member("event_type").is_given() { v1::wire_of(event, emit) } else { &WIRE }, event, emit)
}

const WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Index("index"),
    events: &[
        ("message-start", &[row(".", Means::Begins { id: "id", model: "" })]),
        ("content-start", &[row("delta.message.content", Means::ByType("type", CONTENT)).back(Back::Start(&[]))]),
        ("content-delta", &[row("delta.message.content", Means::Object(PIECES)).required()]),
        ("content-end|tool-call-end", &[row(".", Means::Ends)]),
        (
            "tool-plan-delta",
            &[row("delta.message.tool_plan", Means::Reasoning).required().at(Spot::Run).back(Back::Own("tool_plan"))],
        ),
        ("tool-call-start", &[row("delta.message.tool_calls", Means::Object(&[tool_call::CALL, tool_call::UNKNOWN]))]),
        ("tool-call-delta", &[row("delta.message.tool_calls.function.arguments", Means::Input).required()]),
        (
            "citation-start",
            &[row("delta.message.citations", Means::Source(&CITATION)).at(Spot::Index("content_index"))],
        ),
        ("citation-end|debug", &[]),
        (
            "message-end",
            &[
                row("delta", Means::Stops { reason: "finish_reason", sequence: "", is_end: true }),
                row("delta.usage", Means::Usage),
                row("delta.error", Means::Fails),
                row(".", Means::EndsStream),
            ],
        ),
        // A whole answer in place of a stream.
        (
            "",
            &[
                row(".", Means::Begins { id: "id", model: "" }),
                row("message.tool_plan", Means::Reasoning).at(Spot::Run).back(Back::Own("tool_plan")),
                row("message.content[]", Means::ByType("type", WHOLE)).at(Spot::Position).back(Back::Push),
                row("message.citations[]", Means::Source(&CITATION)).at(Spot::Index("content_index")),
                row("message.tool_calls[]", Means::Object(tool_call::WHOLE)),
                row(".", Means::Stops { reason: "finish_reason", sequence: "", is_end: true }),
                row("usage", Means::Usage),
                row(".", Means::EndsStream),
            ],
        ),
    ],
    is_known: |event| event.get("type").is_string() || is_body(event),
    // Members that any event may have.
    always: &[
        row("delta.message.role", Means::Silent),
        row("delta.message.tool_plan", Means::Reasoning).at(Spot::Run).when(|event| !is(event, "tool-plan-delta")),
        row("delta.error", Means::Reports).when(|event| !is(event, "message-end")),
    ],
    ..Wire::NEW
};

fn is(event: Node<'_>, kind: &str) -> bool {
    event.get("type").word() == kind
}

fn is_body(event: Node<'_>) -> bool {
    event.member("message").is_object() && event.get("finish_reason").is_given()
}

const CONTENT: ByType = &[
    ("text", &[row(".", Means::Starts(BlockKind::Text, "")), row("text", Means::Text)]),
    ("thinking", &[row(".", Means::Starts(BlockKind::Reasoning, "")), row("thinking", Means::Reasoning)]),
    // No server accepts a block without a type.
    ("", &[PIECES[0], PIECES[1], row(".", Means::Object(&[])).back(Back::Spoils)]),
    ("*", &[row(".", Means::Unknown("type", ""))]),
];

const WHOLE: ByType =
    &[CONTENT[0], CONTENT[1], ("*", &[row(".", Means::Unknown("type", "content")).back(Back::Spoils)])];

const PIECES: Rows = &[
    row("text", Means::Text).back(Back::Text("text", "text")),
    row("thinking", Means::Reasoning).back(Back::Text("thinking", "thinking")),
    row(".", Means::Unreadable)
        .when(|content| ["text", "thinking"].iter().all(|text| !content.member(text).is_given())),
];

/// A part of the answer's text and its sources.
const CITATION: Cited = Cited {
    url: "sources[].document.url",
    title: "sources[].document.title",
    quote: "text",
    spans: &[("start", "end")],
    once: "",
    is_in_block: true,
    is_source: |_| true,
};
