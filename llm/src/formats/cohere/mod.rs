//! Cohere v2 chat: kebab-case types, and an object as `tool_calls`. The first version has a file of its own.

mod v1;

use crate::formats::{Format, Owns, tool_call};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |event, emit| if event.member("event_type").is_given() { v1::wire_of(event, emit) } else { &WIRE },
    message: Some(Shape::WithCalls { list: "content", ids: Ids::Needed }),
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns {
    types: &[
        "message-start|content-start|content-delta|content-end|tool-plan-delta|tool-call-start|tool-call-delta|\
        tool-call-end|citation-start|citation-end|message-end",
        "stream-start|text-generation|tool-calls-chunk|tool-calls-generation|search-queries-generation|search-results|\
        citation-generation|stream-end",
    ],
    members: |event| event.member("message").is_object() && event.member("finish_reason").is_given(),
};

static WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Index("index"),
    events: &[
        on("message-start", &[row(".", Means::Begins(&["id", ""]))]),
        on("content-start", &[row("delta.message.content", Means::ByType(CONTENT)).back(&Back::Start(&[]))]),
        on("content-delta", &[row("delta.message.content", Means::Object(PIECES)).required()]),
        on("content-end|tool-call-end", &[row(".", Means::Ends)]),
        on(
            "tool-plan-delta",
            &[row("delta.message.tool_plan", Means::Reasoning).required().at(&Spot::Run).back(&Back::Own("tool_plan"))],
        ),
        on(
            "tool-call-start",
            &[row("delta.message.tool_calls", Means::Object(&[tool_call::CALL, tool_call::UNKNOWN]))],
        ),
        on("tool-call-delta", &[row("delta.message.tool_calls.function.arguments", Means::Input).required()]),
        on(
            "citation-start",
            &[row("delta.message.citations", Means::Source(&CITATION)).at(&Spot::Index("content_index"))],
        ),
        on("citation-end|debug", &[]),
        on(
            "message-end",
            &[
                row("delta", Means::EndsAnswer("finish_reason")),
                row("delta.usage", Means::Usage),
                row("delta.error", Means::Fails),
                row(".", Means::EndsStream),
            ],
        ),
        // A whole answer in place of a stream.
        on(
            "",
            &[
                row(".", Means::Begins(&["id", ""])),
                row("message.tool_plan", Means::Reasoning).at(&Spot::Run).back(&Back::Own("tool_plan")),
                row("message.content[]", Means::ByType(WHOLE)).at(&Spot::Position).back(&Back::Push),
                row("message.citations[]", Means::Source(&CITATION)).at(&Spot::Index("content_index")),
                row("message.tool_calls[]", Means::Object(tool_call::WHOLE)),
                row(".", Means::EndsAnswer("finish_reason")),
                row("usage", Means::Usage),
                row(".", Means::EndsStream),
            ],
        ),
    ],
    is_known: |event| event.get("type").is_string() || is_body(event),
    // Members that any event may have.
    always: &[
        row("delta.message.role", Means::Silent),
        row("delta.message.tool_plan", Means::Reasoning).at(&Spot::Run).when(|event| !is(event, "tool-plan-delta")),
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
    on("text", &[row(".", Means::Starts(BlockKind::Text, "")), row("text", Means::Text)]),
    on("thinking", &[row(".", Means::Starts(BlockKind::Reasoning, "")), row("thinking", Means::Reasoning)]),
    // No server accepts a block without a type.
    on("", &[TEXT, THINKING, row(".", Means::Object(&[])).back(&Back::Spoils)]),
    on("*", &[row(".", Means::Unknown(""))]),
];

const WHOLE: ByType = &[CONTENT[0], CONTENT[1], on("*", &[row(".", Means::Unknown("content")).back(&Back::Spoils)])];

const TEXT: Row = row("text", Means::Text).back(&Back::Text("text", "text"));
const THINKING: Row = row("thinking", Means::Reasoning).back(&Back::Text("thinking", "thinking"));

const PIECES: Rows = &[
    TEXT,
    THINKING,
    row(".", Means::Unreadable)
        .when(|content| ["text", "thinking"].iter().all(|text| !content.member(text).is_given())),
];

/// A part of the answer's text and its sources.
const CITATION: Cited = Cited {
    url: "sources[].document.url",
    title: "sources[].document.title",
    quote: "text",
    spans: &[("start", "end")],
    is_in_block: true,
    ..Cited::NEW
};
