//! Gemini's Interactions API: steps by index, much like Anthropic's blocks.

use alloc::string::String;

use super::calls::{arguments, name_of};
use crate::wire::*;

pub(super) static WIRE: Wire = Wire {
    kind: "event_type|type",
    place: Spot::Index("index"),
    events: &[
        on("interaction.created", &[row(".", Means::Begins(&["interaction.id", "interaction.model"])), INTERACTION]),
        on("interaction.in_progress|interaction.queued|interaction.requires_action|interaction.start", &[INTERACTION]),
        on("interaction.status_update", &[INTERACTION]),
        on("step.start", &[row("step", Means::ByType(STEPS)).back(&Back::Start(&[]))]),
        on("step.delta", &[row("delta", Means::ByType(DELTAS)).required()]),
        on("step.stop", &[row(".", Means::Ends)]),
        on(
            "interaction.completed|interaction.complete",
            &[
                row("interaction", Means::Object(WHOLE)),
                row(".", Means::EndsAnswer("interaction.status")),
                row("interaction.usage", Means::Usage),
            ],
        ),
    ],
    form: Form::Noted,
    shape: Some(Shape::Steps),
    ..Wire::NEW
};

const INTERACTION: Row = row("interaction", Means::Object(&[]));

const STEPS: ByType = &[
    on("thought", &[row(".", Means::Starts(BlockKind::Reasoning, "id")), row("summary[]", THOUGHT), SIGNATURE]),
    on(
        "model_output",
        &[row(".", Means::Starts(BlockKind::Text, "id")), row("content[]", Means::ByType(CONTENT)), SIGNATURE],
    ),
    on(
        "*_result",
        &[
            row(".", Means::AwaitsResult("call_id")),
            row(".", Means::Result(&RESULT)).when(|step| step.member("result").is_given()),
            SIGNATURE,
        ],
    ),
    on(
        "*_call",
        &[
            row(".", Means::Hook(start_call)),
            // The server accepts arguments under one name only, and no text.
            row("args|parameters|input", Means::Kept).back(&Back::Spoils),
            row(".", Means::Object(&[])).when(|step| step.member("arguments").is_string()).back(&Back::Spoils),
            SIGNATURE,
        ],
    ),
    on("*", &[row(".", Means::Unknown("step"))]),
];

const CONTENT: ByType = &[
    on("text", &[row("text", Means::Text), ANNOTATIONS]),
    on(MEDIA, &[SHOW]),
    on("*", &[row(".", Means::Unknown("content"))]),
];

const DELTAS: ByType = &[
    on("arguments*", &[SIGNED, ARGUMENTS.required()]),
    on("text", &[row("text", Means::Text).required(), SIGNED, ANNOTATIONS, OUTPUT]),
    on("thought_summary", &[row("content", THOUGHT).back(&Back::Element("summary", "thought")), SIGNED]),
    on("thought_signature|text_annotation|text_annotation_delta", &[SIGNED, ANNOTATIONS]),
    on(MEDIA, &[SIGNED, SHOW, OUTPUT]),
    on(
        "*_result",
        &[
            SIGNED,
            row("result", Means::Silent).back(&Back::Set("result", "_result")),
            row("is_error", Means::Silent).back(&Back::Set("is_error", "_result")),
            row(".", Means::PieceOfResult(RESULT.has_failed)),
        ],
    ),
    on(
        "",
        &[
            SIGNED,
            ARGUMENTS,
            row("text", Means::Text).back(&Back::Spoils),
            ANNOTATIONS,
            UNKNOWN.when(|delta| !delta.get("text|arguments|signature").is_there()),
        ],
    ),
    on(
        "*",
        &[
            SIGNED,
            ARGUMENTS,
            row("text", Means::Text),
            ANNOTATIONS,
            UNKNOWN.when(|delta| !delta.get("text|arguments").is_there()),
            OUTPUT.when(|delta| !delta.get("arguments").is_there()),
        ],
    ),
];

/// The whole interaction, which the server may repeat at the end.
const WHOLE: Rows = &[
    row(".", Means::Belongs(&["id", "model"])),
    row(".", Means::Hook(|emit, _, _| emit.state().said.begin_list())),
    row("steps[]", Means::ByType(WHOLE_STEPS)).at(&Spot::Position).form(Form::Whole(Scope::Anywhere)),
    row("outputs[]", Means::ByType(OUTPUTS)).at(&Spot::Position).form(Form::Whole(Scope::Anywhere)),
];

const WHOLE_STEPS: ByType =
    &[on("model_output|thought", &[row(".", Means::Hook(repeat))]), on("*", &[row(".", Means::Hook(repeat_call))])];

const OUTPUTS: ByType = &[on("text", &[row("text", Means::Text)]), on("*", &[row(".", Means::Unknown("output"))])];

const THOUGHT: Means = Means::Object(&[row("text", Means::Reasoning)]);
const ARGUMENTS: Row = row("arguments", Means::Input).back(&Back::Json("arguments", "_call"));
const SIGNATURE: Row = row("signature", Means::Opaque(OpaqueKind::Signature, Owner::Either));
const SIGNED: Row = SIGNATURE.back(&Back::Set("signature", ""));
const ANNOTATIONS: Row = row("annotations[]", Means::Source(&ANNOTATION));
const OUTPUT: Row = row(".", Means::Object(&[])).back(&Back::Element("content", "_output"));
const UNKNOWN: Row = row(".", Means::UnknownPiece("delta"));
const MEDIA: &str = "image|audio|video|document";
const SHOW: Row = row(
    ".",
    Means::Media(&Shown { media_type: "mime_type", data: "data", url: "uri", is_in_block: true, ..Shown::NEW }),
);

const ANNOTATION: Cited =
    Cited { url: "url", title: "title", spans: &[("start_index", "end_index")], is_in_block: true, ..Cited::NEW };

const RESULT: Outcome =
    Outcome { of: "call_id", has_failed: |step| step.get("is_error").is_true(), value: "result", ..Outcome::NEW };

fn start_call(emit: &mut Emitter<'_>, step: Node<'_>, here: &Here<'_>) {
    let (kind, id, name) = (step.word_at("type"), step.word_at("id"), name_of(step, "name"));
    // Google's own tools have no name. Google runs these, and the tools of MCP servers.
    let (executor, tool) = match kind.strip_suffix("_call").unwrap_or_default() {
        "function" => (Executor::Client, ""),
        tool => (Executor::Provider, tool),
    };
    let input = arguments(step, "arguments").text_or_json();
    let start = CallStart::new(if name.is_empty() { tool } else { name }).id(id).executor(executor);
    emit.start_call(here.slot(), start.input(input));
}

/// Reports what a whole step adds to its pieces.
fn repeat(emit: &mut Emitter<'_>, step: Node<'_>, here: &Here<'_>) {
    let (kind, list) = match step.get("type").word() {
        "thought" => (MismatchKind::Reasoning, step.member("summary")),
        _ => (MismatchKind::Text, step.member("content")),
    };
    let mut whole = String::new();
    list.each("[].text", &mut |text| whole.push_str(text.said()));
    if list.is_object() && list.is_untouched() {
        list.torn();
    }
    say(kind, &whole, here, emit);
}

/// Compares a repeated call with the reported one. Reports a new call, and any other step that belongs to no known call
/// as an unknown part.
fn repeat_call(emit: &mut Emitter<'_>, step: Node<'_>, _: &Here<'_>) {
    let [kind, id, of] = ["type", "id", "call_id"].map(|member| step.word_at(member));
    let (name, input) = (name_of(step, "name"), arguments(step, "arguments").text_or_json());
    let find = |id: &str| present(id).and_then(|id| emit.known().find_id(0, id));
    match (find(id), find(of)) {
        (Some(call), _) => drop(emit.repeat_call(call, name, input)),
        // A call that was not streamed.
        (None, _) if kind == "function_call" && !emit.known().has_forgotten() => {
            emit.calls().whole_call(0, CallStart::new(name).id(id).input(input));
        }
        (None, Some(_)) if kind.ends_with("_result") => drop(step.read()),
        _ => emit.unknown_part(if kind.is_empty() { "step" } else { kind }, step.shown()),
    }
}
