//! The Vercel UI message stream: kebab-case types, calls by id, and the whole input repeated at the end.

use crate::formats::{Format, Owns};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format { wire: |_, _| &WIRE, ..Format::NEW };

pub(crate) const OWNS: Owns = Owns {
    types: &["start|start-step|text-start|text-delta|reasoning-start|reasoning-delta|tool-input-start|\
        tool-input-delta|tool-input-available|tool-input-error"],
    ..Owns::NEW
};

static WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Id("toolCallId|id"),
    events: &[
        on("start", &[row(".", Means::Hook(begin)), METADATA]),
        on("start-step|finish-step", &[row(".", Means::EndsStructured)]),
        on("text-start", &[row(".", Means::Starts(BlockKind::Text, "id"))]),
        on("text-delta", &[row("delta", Means::Text).required()]),
        on("reasoning-start", &[row(".", Means::Starts(BlockKind::Reasoning, "id"))]),
        on("reasoning-delta", &[row("delta", Means::Reasoning).required()]),
        on("text-end|reasoning-end", &[]),
        on("tool-input-start", &[row(".", Means::Call(&TOOL))]),
        on("tool-input-delta", &[row("inputTextDelta", Means::Fragment).required()]),
        on("tool-input-available|tool-input-error", &[row(".", Means::Hook(end_call))]),
        on(
            "tool-output-available|tool-output-error|tool-output-denied",
            &[
                row(".", Means::Result(&RESULT)).when(|event| !event.get("preliminary").is_true()),
                // Another result follows, which may differ.
                row(".", Means::Result(&Outcome { of: "", ..RESULT })).when(|event| event.get("preliminary").is_true()),
            ],
        ),
        on("tool-approval-request", &[row(".", Means::Approval(&["approvalId", "toolCallId"]))]),
        on("source-url|source-document", &[row(".", Means::Source(&SOURCE))]),
        on("file|reasoning-file", &[row(".", Means::Media(&FILE))]),
        on("message-metadata|data-*", &[row(".", Means::Data(""))]),
        on("finish", &[METADATA, row(".", Means::EndsAnswer("finishReason"))]),
        on(
            "abort",
            &[row("reason", Means::Data("reason")), row(".", Means::Hook(|emit, _, _| emit.end_answer(None, "abort")))],
        ),
        on("error", &[row("errorText", Means::Fails)]),
    ],
    always: &[
        // Values to be sent back, under the provider's name. They include signatures.
        row("providerMetadata", Means::Opaque(OpaqueKind::Signature, Owner::Call)).when(|event| is(event, "tool-*")),
        row("providerMetadata", Means::Opaque(OpaqueKind::Signature, Owner::Block)).when(|event| !is(event, "tool-*")),
        row(".", Means::EndsBlock).when(|event| is(event, "text-end|reasoning-end")),
    ],
    needed: &[
        ("tool-output-*", "toolCallId"),
        ("tool-approval-request", "approvalId"),
        ("source-*", "url|title|filename"),
        ("file|reasoning-file", "url"),
        ("error", "errorText"),
    ],
    ..Wire::NEW
};

fn is(event: Node<'_>, kinds: &str) -> bool {
    matches(kinds, event.get("type").word())
}

/// The application's metadata, at the start and at the end.
const METADATA: Row = row("messageMetadata", Means::Data("messageMetadata"));

const TOOL: Called = Called {
    id: "toolCallId",
    name: "toolName",
    input: "input",
    executor: |event| match event.get("providerExecuted").read().is_true() {
        true => Executor::Provider,
        false => Executor::Client,
    },
};

const RESULT: Outcome = Outcome {
    of: "toolCallId",
    has_failed: |event| !is(event, "tool-output-available"),
    value: "output|errorText",
    ..Outcome::NEW
};

const SOURCE: Cited = Cited { url: "url", title: "title|filename", ..Cited::NEW };

const FILE: Shown = Shown { media_type: "mediaType", url: "url", ..Shown::NEW };

/// Begins a message. An event without an id begins one only if none is open, because each stream that an application
/// merges may have a `start`.
fn begin(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let id = event.word_at("messageId");
    if !id.is_empty() || emit.state().unfinished.is_empty() {
        emit.begin_message(id, "");
    }
}

/// Ends a call with its whole input, which is malformed in a `tool-input-error`.
fn end_call(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let (id, name, input) = (event.word_at(TOOL.id), event.word_at(TOOL.name), event.raw(TOOL.input).as_input());
    let start = CallStart::new(name).id(id).executor((TOOL.executor)(event));
    if is(event, "tool-input-error") {
        // Input that is not JSON is sent as a string.
        end_with(emit, here.slot(), start, input.text_or_json());
        return emit.report_failure(&Failure { message: event.word_at("errorText").into(), ..Failure::default() });
    }
    let call = emit.calls().find(here.slot());
    match call.filter(|call| emit.calls().is_validated_as(*call, input.given())) {
        // The application's schema has changed the input. The input remains as the model wrote it.
        Some(call) => {
            emit.data("tool-input-available", event.shown());
            end_with(emit, here.slot(), start, "");
            emit.state().said.is_input(call, input.given());
        }
        None => end_with(emit, here.slot(), start, input.given()),
    }
}

/// Ends a call with its whole input, which is compared with the deltas, or used as the input if there were none.
fn end_with(emit: &mut Emitter<'_>, slot: Slot<'_>, start: CallStart<'_>, input: &str) {
    match emit.calls().find(slot) {
        None if slot.place == Place::Nowhere && emit.known().open_count() > 0 => return emit.calls().unplaced(slot),
        None => emit.calls().start(slot, start),
        Some(_) => drop(emit.start_another(slot, start)),
    }
    if start.executor == Executor::Provider {
        emit.calls().set_executor(slot, Executor::Provider);
    }
    if let Some(number) = emit.calls().find(slot) {
        if emit.repeat_call(number, start.name, input) {
            return emit.stop_call(slot);
        }
        emit.calls().identify(number, "", start.name);
    }
    emit.calls().whole(slot, input);
    emit.calls().stop(slot);
}
