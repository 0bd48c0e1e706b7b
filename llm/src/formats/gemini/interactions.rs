//! Gemini's Interactions API: steps by index, much like Anthropic's blocks.

use alloc::string::String;

use super::calls::{arguments, name_of};
use crate::calls::{CallStart, Executor, present};
use crate::emitter::Emitter;
use crate::emitter::said::Scope;
use crate::event::{BlockKind, MismatchKind, OpaqueKind};
use crate::wire::{
    Back, ByType, Cited, Form, Here, Means, Node, Outcome, Owner, Placed, Row, Rows, Shown, Spot, Wire, row, say,
};

pub(super) const WIRE: Wire = Wire {
    kind: "event_type|type",
    place: Spot::Index("index"),
    events: &[
        (
            "interaction.created",
            &[row(".", Means::Begins { id: "interaction.id", model: "interaction.model" }), INTERACTION],
        ),
        ("interaction.in_progress|interaction.queued|interaction.requires_action|interaction.start", &[INTERACTION]),
        ("interaction.status_update", &[INTERACTION]),
        ("step.start", &[row("step", Means::ByType("type", STEPS)).back(Back::Start(&[]))]),
        ("step.delta", &[row("delta", Means::ByType("type", DELTAS)).required()]),
        ("step.stop", &[row(".", Means::Ends)]),
        (
            "interaction.completed|interaction.complete",
            &[
                row("interaction", Means::Object(WHOLE)),
                row(".", Means::Stops { reason: "interaction.status", sequence: "", is_end: true }),
                row("interaction.usage", Means::Usage),
            ],
        ),
    ],
    form: Form::Noted,
    ..Wire::NEW
};

const INTERACTION: Row = row("interaction", Means::Object(&[]));

const STEPS: ByType = &[
    ("thought", &[row(".", Means::Starts(BlockKind::Reasoning, "id")), row("summary[]", THOUGHT), SIGNATURE]),
    (
        "model_output",
        &[row(".", Means::Starts(BlockKind::Text, "id")), row("content[]", Means::ByType("type", CONTENT)), SIGNATURE],
    ),
    (
        "*_result",
        &[
            row(".", Means::Hook(|emit, step, here| emit.expect_result(index(here), &step.word_at("call_id")))),
            row(".", Means::Result(&RESULT)).when(|step| step.member("result").is_given()),
            SIGNATURE,
        ],
    ),
    (
        "*_call",
        &[
            row(".", Means::Hook(start_call)),
            // The server accepts arguments under one name only, and no text.
            row("args|parameters|input", Means::Kept).back(Back::Spoils),
            row(".", Means::Object(&[])).when(|step| step.member("arguments").is_string()).back(Back::Spoils),
            SIGNATURE,
        ],
    ),
    ("*", &[row(".", Means::Unknown("type", "step"))]),
];

const CONTENT: ByType = &[
    ("text", &[row("text", Means::Text), ANNOTATIONS]),
    (MEDIA, &[SHOW]),
    ("*", &[row(".", Means::Unknown("type", "content"))]),
];

const DELTAS: ByType = &[
    ("arguments*", &[SIGNED, ARGUMENTS.required()]),
    ("text", &[row("text", Means::Text).required(), SIGNED, ANNOTATIONS, OUTPUT]),
    ("thought_summary", &[row("content", THOUGHT).back(Back::Element("summary", "thought")), SIGNED]),
    ("thought_signature|text_annotation|text_annotation_delta", &[SIGNED, ANNOTATIONS]),
    (MEDIA, &[SIGNED, SHOW, OUTPUT]),
    (
        "*_result",
        &[
            SIGNED,
            row("result", Means::Silent).back(Back::Set("result", "_result")),
            row("is_error", Means::Silent).back(Back::Set("is_error", "_result")),
            row(".", Means::Hook(add_to_result)),
        ],
    ),
    (
        "",
        &[
            SIGNED,
            ARGUMENTS,
            row("text", Means::Text).back(Back::Spoils),
            ANNOTATIONS,
            UNKNOWN.when(|delta| !delta.get("text|arguments|signature").is_there()),
        ],
    ),
    (
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
    row(".", Means::Belongs { id: "id", model: "model" }),
    row(".", Means::Hook(|emit, _, _| emit.begin_list())),
    row("steps[]", Means::ByType("type", WHOLE_STEPS)).at(Spot::Position).form(Form::Whole(Scope::Anywhere)),
    row("outputs[]", Means::ByType("type", OUTPUTS)).at(Spot::Position).form(Form::Whole(Scope::Anywhere)),
];

const WHOLE_STEPS: ByType =
    &[("model_output|thought", &[row(".", Means::Hook(repeat))]), ("*", &[row(".", Means::Hook(repeat_call))])];

const OUTPUTS: ByType = &[("text", &[row("text", Means::Text)]), ("*", &[row(".", Means::Unknown("type", "output"))])];

const THOUGHT: Means = Means::Object(&[row("text", Means::Reasoning)]);
const ARGUMENTS: Row = row("arguments", Means::Input).back(Back::Json("arguments", "_call"));
const SIGNATURE: Row = row("signature", Means::Opaque(OpaqueKind::Signature, Owner::Either));
const SIGNED: Row = SIGNATURE.back(Back::Set("signature", ""));
const ANNOTATIONS: Row = row("annotations[]", Means::Source(&ANNOTATION));
const OUTPUT: Row = row(".", Means::Object(&[])).back(Back::Element("content", "_output"));
const UNKNOWN: Row = row(".", Means::UnknownPiece("type", "delta"));
const MEDIA: &str = "image|audio|video|document";
const SHOW: Row =
    row(".", Means::Media(&Shown { name: "", media_type: "mime_type", data: "data", url: "uri", is_in_block: true }));

const ANNOTATION: Cited = Cited {
    url: "url",
    title: "title",
    spans: &[("start_index", "end_index")],
    once: "",
    is_in_block: true,
    ..super::PAGE
};

const RESULT: Outcome =
    Outcome { of: "call_id", has_failed: |step| step.get("is_error").is_true(), value: "result", shown: "" };

fn index(here: &Here<'_>) -> u64 {
    if let Placed::Index(Some(index)) = here.place { index } else { 0 }
}

fn start_call(emit: &mut Emitter<'_>, step: Node<'_>, here: &Here<'_>) {
    let (kind, id, name) = (step.word_at("type"), step.word_at("id"), name_of(step, "name"));
    // Google's own tools have no name. Google runs these, and the tools of MCP servers.
    let (executor, tool) = match kind.strip_suffix("_call").unwrap_or_default() {
        "function" => (Executor::Client, ""),
        tool => (Executor::Provider, tool),
    };
    let input = arguments(step, "arguments").json().text_or_json();
    let start = CallStart::new(if name.is_empty() { tool } else { &*name }).id(&*id).executor(executor);
    emit.start_call(here.slot(), start.input(input.as_str()));
}

fn add_to_result(emit: &mut Emitter<'_>, delta: Node<'_>, here: &Here<'_>) {
    emit.tool_result_at(index(here), delta.get("is_error").is_true(), delta.read().json());
}

/// Reports what a whole step adds to its pieces.
fn repeat(emit: &mut Emitter<'_>, step: Node<'_>, here: &Here<'_>) {
    let (kind, list) = match &*step.get("type").word() {
        "thought" => (MismatchKind::Reasoning, step.member("summary")),
        _ => (MismatchKind::Text, step.member("content")),
    };
    let mut whole = String::new();
    list.each("[].text", &mut |text| whole.push_str(&text.said()));
    if list.is_object() && list.is_untouched() {
        list.torn();
    }
    say(kind, &whole, here, emit);
}

/// Compares a repeated call with the reported one. Reports a new call, and any other step that belongs to no known call
/// as an unknown part.
fn repeat_call(emit: &mut Emitter<'_>, step: Node<'_>, _: &Here<'_>) {
    let [kind, id, of] = ["type", "id", "call_id"].map(|member| step.word_at(member));
    let (name, input) = (name_of(step, "name"), arguments(step, "arguments").json().text_or_json());
    let find = |id: &str| present(id).and_then(|id| emit.known().find_id(0, id));
    match (find(&id), find(&of)) {
        (Some(call), _) => drop(emit.repeat_call(call, &name, input.as_str())),
        // A call that was not streamed.
        (None, _) if &*kind == "function_call" && !emit.known().has_forgotten() => {
            emit.calls().whole_call(0, CallStart::new(&*name).id(&*id).input(input.as_str()));
        }
        (None, Some(_)) if kind.ends_with("_result") => drop(step.read()),
        _ => emit.unknown_part(if kind.is_empty() { "step" } else { &kind }, step.shown().json()),
    }
}
