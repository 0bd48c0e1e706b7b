//! AG-UI: screaming types, calls and messages by id. Several agents may speak in turn.

use alloc::string::String;

use crate::calls::{CallStart, Executor};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::event::stop::StopKind;
use crate::event::{BlockKind, OpaqueKind};
use crate::formats::{Format, OnId, Speaker, Terminal};
use crate::json::Json;
use crate::wire::{Called, Form, Here, Mark, Means, Node, Outcome, Owner, Row, Rows, Spot, Wire, matches, read, row};

pub(crate) const FORMAT: Format = Format {
    name: "ag-ui",
    read: |event, emit| read(if is_anothers(event, emit) { &ANOTHERS } else { &WIRE }, event, emit),
    owns_type: |kind| matches(OWN, kind),
    owns_members: |_| false,
    terminal: Some(Terminal { speaker, results, is_program: false }),
};

/// The types that no other wire has, whatever is added to them: `RAW` and `CUSTOM` could be anybody's.
const OWN: &str =
    "RUN_*|STEP_*|TEXT_MESSAGE_*|TOOL_CALL_*|STATE_*|MESSAGES_*|ACTIVITY_*|REASONING_*|THINKING_*|SUBAGENT_*";

const WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Id("toolCallId|messageId|entityId"),
    events: &[
        ("RUN_STARTED", &[row(".", Means::Begins { id: "runId", model: "" })]),
        ("RUN_FINISHED", &[OUTCOME, RESULT, row("usage", Means::Usage), row(".", Means::EndsStream)]),
        ("RUN_ERROR|SUBAGENT_ERROR", &[row(".", Means::Hook(fail))]),
        ("SUBAGENT_STARTED", &[row(".", Means::Begins { id: "subagentRunId", model: "" }), DATA[0]]),
        ("SUBAGENT_FINISHED", &[OUTCOME, RESULT, row(".", Means::Stops { reason: "", sequence: "", is_end: true })]),
        ("TEXT_MESSAGE_START", &[BEGUN, row(".", Means::Starts(BlockKind::Text, "messageId"))]),
        ("TEXT_MESSAGE_CONTENT", &[BEGUN, row("delta", Means::Text).required()]),
        ("TEXT_MESSAGE_CHUNK", &[NAMED, row("delta", Means::Text).form(Form::Chunk)]),
        ("*_MESSAGE_START", &[BEGUN, row(".", Means::Starts(BlockKind::Reasoning, "messageId"))]),
        ("*_MESSAGE_CONTENT", &[BEGUN, row("delta", Means::Reasoning).required()]),
        ("REASONING_MESSAGE_CHUNK", &[NAMED, row("delta", Means::Reasoning).form(Form::Chunk)]),
        ("*_MESSAGE_END", &[row(".", Means::Hook(end_message))]),
        // They say nothing that the messages between them do not say too.
        ("REASONING_START|REASONING_END|THINKING_START|THINKING_END", &[]),
        // Its subtype says whether it is a message's or a call's.
        (
            "REASONING_ENCRYPTED_VALUE",
            &[
                row("encryptedValue", Means::Opaque(OpaqueKind::Encrypted, Owner::Either)),
                row("subtype", Means::Silent),
            ],
        ),
        ("TOOL_CALL_START", &[row(".", Means::Call(&TOOL)), row("delta", Means::Fragment), NO_CHUNK]),
        ("TOOL_CALL_ARGS", &[row("delta", Means::Fragment).required(), NO_CHUNK]),
        ("TOOL_CALL_END", &[row(".", Means::Hook(|emit, _, here| emit.stop_call(here.slot()))), NO_CHUNK]),
        (
            "TOOL_CALL_CHUNK",
            &[
                row(".", Means::Hook(start_chunk)).when(is_named),
                row("delta", Means::Fragment).when(is_named),
                row("delta", Means::Hook(continue_call)).when(|event| !is_named(event)),
            ],
        ),
        ("TOOL_CALL_RESULT", &[row(".", Means::Result(&CALL_RESULT)), NO_CHUNK]),
        // The conversation, as the application has it.
        ("MESSAGES_SNAPSHOT", &[row("messages[].toolCalls[]", Means::Hook(fill)).at(Spot::Id("id")), DATA[0]]),
        ("STATE_*|ACTIVITY_*|STEP_*|CUSTOM*|RAW*", DATA),
    ],
    // Nobody knows whose it is.
    always: &[row("subagentRunId", Means::Unreadable).when(|event| event.word_at("subagentRunId").is_empty())],
    needed: &[("TOOL_CALL_RESULT", "toolCallId"), ("SUBAGENT_*", "subagentRunId")],
    is_message_by_id: true,
    ..Wire::NEW
};

/// Messages that are not the assistant's are the application's.
const ANOTHERS: Wire = Wire { kind: "type", events: &[("*", DATA)], ..Wire::NEW };

/// The application's own.
const DATA: Rows = &[row(".", Means::Data(""))];

/// The result of a run, which is the application's.
const RESULT: Row = row("result", Means::Data("result"));

/// How a run has ended. It may wait for decisions that the application has to make.
const OUTCOME: Row = row(
    "outcome",
    Means::Object(&[
        row("interrupts[]", Means::Approval { id: "id", call: "toolCallId" }),
        row("interruptIds", Means::Silent),
        row(".", Means::Hook(pause))
            .when(|outcome| outcome.get("interrupts").is_given() || outcome.word_at("type") == "suspended"),
    ]),
);

/// A message has begun, or goes on, otherwise than in chunks.
const BEGUN: Row = row(".", Means::Hook(begin_message));

/// A chunk that names its message does not continue the last one's.
const NAMED: Row = row("messageId", Means::Hook(|emit, _, _| emit.end_chunks()));

/// A chunk of a call that names none does not continue what came before this.
const NO_CHUNK: Row = row(".", Means::Hook(|emit, _, _| emit.set_last_chunk(None)));

const TOOL: Called = Called { id: "toolCallId", name: "toolCallName", input: "", executor: |_| Executor::Client };

const CALL_RESULT: Outcome = Outcome { of: "toolCallId", has_failed: |_| false, value: "content", shown: "" };

/// Returns the agent that an event is of; nothing for the main one.
fn speaker(event: Json<'_>) -> Speaker<'_> {
    Speaker { agent: event.member("subagentRunId").word(), ..Speaker::default() }
}

/// Names the call or message that an event goes on with.
fn results(event: Json<'_>, on_id: &mut OnId<'_>) {
    if !event.member("type").word().ends_with("_START") {
        let ids = ["toolCallId", "messageId"].map(|name| event.member(name).word());
        ids.iter().filter(|id| !id.is_empty()).for_each(|id| on_id(id));
    }
}

/// Returns true for an event of a message that is not the assistant's, as its first event says.
fn is_anothers(event: Json<'_>, emit: &mut Emitter<'_>) -> bool {
    if !event.member("type").word().starts_with("TEXT_MESSAGE_") {
        return false;
    }
    let id = event.member("messageId").word();
    let key = ["another's/", &id].concat();
    if event.member("role").text().is_ok_and(|role| role.is_some_and(|role| !role.is_empty() && role != "assistant")) {
        emit.note_reported(&key);
        return true;
    }
    !id.is_empty() && emit.has_reported(&key)
}

/// The key of a message that has begun.
fn begun(event: Node<'_>) -> String {
    ["begun/", &*event.word_at("messageId")].concat()
}

fn begin_message(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    emit.end_chunks();
    emit.note_reported(&begun(event));
}

fn end_message(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    emit.end_chunks();
    // Not all wires name their messages. If one that is named has not begun, its beginning was lost, and what it said.
    if !event.word_at("messageId").is_empty() && !emit.may_have_reported(&begun(event)) {
        emit.break_off("not-started");
    }
    emit.end_block(here.at());
    if event.word_at("type") == "TEXT_MESSAGE_END" {
        emit.end_structured(0);
    }
}

fn is_named(event: Node<'_>) -> bool {
    !event.word_at(TOOL.id).is_empty()
}

/// A piece of a call, which begins with the first one that names it.
fn start_chunk(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let (id, name) = (event.word_at(TOOL.id), event.word_at(TOOL.name));
    let call = emit.calls().find_in(here.slot());
    if call.is_none_or(|call| !name.is_empty() && !emit.is_said_again(call)) {
        emit.start_call(here.slot(), CallStart::new(&*name).id(&*id));
    }
    let call = emit.calls().find_in(here.slot());
    emit.set_last_chunk(call);
}

/// A piece of the call that the last chunk named.
fn continue_call(emit: &mut Emitter<'_>, delta: Node<'_>, here: &Here<'_>) {
    match (delta.text().as_deref(), emit.last_chunk()) {
        (None, _) => return delta.odd(Mark::Torn),
        (Some(""), _) => {}
        (Some(piece), Some(call)) => emit.calls().append(call, piece),
        (Some(_), None) => emit.calls().unplaced(here.slot()),
    }
    delta.read();
}

/// The conversation only says what the arguments are of a call that has got none: too late for one that has ended.
fn fill(emit: &mut Emitter<'_>, entry: Node<'_>, here: &Here<'_>) {
    let Some(call) = emit.calls().find_in(here.slot()) else { return };
    let arguments = entry.raw("function.arguments").json().text_or_json();
    if emit.known().open_call(call).is_some_and(|call| !call.has_input()) {
        emit.calls().whole_of(call, arguments.as_str());
    }
    // Its result may have come before.
    emit.fill_late(call, arguments.as_str());
}

/// A run stops until somebody has decided.
fn pause(emit: &mut Emitter<'_>, outcome: Node<'_>, _: &Here<'_>) {
    emit.end_blocks();
    emit.calls().finish(None);
    emit.stop(0, &outcome.word_at("type"), StopKind::Pause, "", "");
}

fn fail(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (message, code) = (event.word_at("message"), event.word_at("code"));
    let message = if message.is_empty() { event.read().spelt().into() } else { message };
    emit.fail(&Failure { message, code, ..Failure::default() });
}
