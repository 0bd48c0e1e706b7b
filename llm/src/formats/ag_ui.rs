//! AG-UI: types in upper case, calls and messages by id. Several agents may take turns.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::mem::take;

use crate::formats::{Format, OnId, Owns, Speaker, Terminal};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |event, emit| if is_anothers(event, emit) { &ANOTHERS } else { &WIRE },
    terminal: Some(Terminal { speaker, results, is_program: false }),
    ..Format::NEW
};

/// Includes future types of these families. `RAW` and `CUSTOM` are too generic.
pub(crate) const OWNS: Owns = Owns {
    types: &["RUN_*|STEP_*|TEXT_MESSAGE_*|TOOL_CALL_*|STATE_*|MESSAGES_*|ACTIVITY_*|REASONING_*|THINKING_*|SUBAGENT_*"],
    ..Owns::NEW
};

/// The ids of the message or call that an event is about.
const PLACE: &str = "toolCallId|messageId|entityId";

static WIRE: Wire = Wire {
    kind: "type",
    place: Spot::Id(PLACE),
    events: &[
        on("RUN_STARTED", &[row(".", Means::Begins(&["runId", ""]))]),
        on("RUN_FINISHED", &[OUTCOME, RESULT, row("usage[]", Means::Usage), REASON, row(".", Means::EndsStream)]),
        on("RUN_ERROR|SUBAGENT_ERROR", &[row(".", Means::Hook(fail))]),
        on("SUBAGENT_STARTED", &[row(".", Means::Begins(&["subagentRunId", ""])), ALL]),
        on("SUBAGENT_FINISHED", &[OUTCOME, RESULT, row(".", Means::EndsAnswer(""))]),
        on("TEXT_MESSAGE_START", &[BEGUN, ROLE, row(".", Means::Starts(BlockKind::Text, "messageId"))]),
        on("TEXT_MESSAGE_CONTENT", &[BEGUN, row("delta", Means::Text).required()]),
        on("TEXT_MESSAGE_CHUNK", &[NAMED, ROLE, row("delta", Means::Text).when(has_place), DELTA, MORE]),
        on("*_MESSAGE_START", &[BEGUN, row(".", Means::Starts(BlockKind::Reasoning, "messageId"))]),
        on("*_MESSAGE_CONTENT", &[BEGUN, row("delta", Means::Reasoning).required()]),
        on("REASONING_MESSAGE_CHUNK", &[NAMED, row("delta", Means::Reasoning).when(has_place), DELTA, MORE]),
        on("TEXT_MESSAGE_END", &[ENDED, row(".", Means::EndsBlock), row(".", Means::EndsStructured)]),
        on("*_MESSAGE_END", &[ENDED, row(".", Means::EndsBlock)]),
        // These add nothing to the messages between them.
        on("REASONING_START|REASONING_END|THINKING_START|THINKING_END", &[]),
        // Its subtype shows whether it belongs to a message or a call.
        on(
            "REASONING_ENCRYPTED_VALUE",
            &[
                row("encryptedValue", Means::Opaque(OpaqueKind::Encrypted, Owner::Either)),
                row("subtype", Means::Silent),
            ],
        ),
        on("TOOL_CALL_START", &[row(".", Means::Call(&TOOL)), row("delta", Means::Fragment), NO_CHUNK]),
        on("TOOL_CALL_ARGS", &[row("delta", Means::Fragment).required(), NO_CHUNK]),
        on("TOOL_CALL_END", &[row(".", Means::Hook(|emit, _, here| emit.stop_call(here.slot()))), NO_CHUNK]),
        on(
            "TOOL_CALL_CHUNK",
            &[
                row(".", Means::Hook(start_chunk)).when(is_named),
                row("delta", Means::Fragment).when(is_named),
                row("delta", Means::Hook(continue_call)).when(|event| !is_named(event)),
            ],
        ),
        on("TOOL_CALL_RESULT", &[row(".", Means::Result(&CALL_RESULT)), NO_CHUNK]),
        // The application's copy of the conversation.
        on("MESSAGES_SNAPSHOT", &[row("messages[].toolCalls[]", Means::Hook(fill)).at(&Spot::Id("id")), ALL]),
        on("STATE_*|ACTIVITY_*|STEP_*|CUSTOM*|RAW*", DATA),
    ],
    // The event could belong to any agent.
    always: &[row("subagentRunId", Means::Unreadable).when(|event| event.word_at("subagentRunId").is_empty())],
    needed: &[("TOOL_CALL_RESULT", "toolCallId"), ("SUBAGENT_*", "subagentRunId")],
    is_message_by_id: true,
    ..Wire::NEW
};

/// The table for messages that are not the assistant's, which are the application's data.
static ANOTHERS: Wire = Wire { kind: "type", events: &[on("*", DATA)], ..Wire::NEW };

/// The application's own data.
const DATA: Rows = &[ALL];
const ALL: Row = row(".", Means::Data(""));

/// The result of a run, which is the application's.
const RESULT: Row = row("result", Means::Data("result"));

/// The outcome of a run, which may wait for decisions of the application.
const OUTCOME: Row = row(
    "outcome",
    Means::Object(&[
        row("interrupts[]", Means::Approval(&["id", "toolCallId"])),
        row("interruptIds", Means::Silent),
        row(".", Means::Hook(pause))
            .when(|outcome| outcome.get("interrupts").is_given() || outcome.word_at("type") == "suspended"),
    ]),
);

/// The reason why the model stopped, which the wire has no member of its own for.
const REASON: Row = row("metadata", Means::Stops(&["finishReason", "stopSequence"]));

/// Begins or continues a message that is not sent in chunks.
const BEGUN: Row = row(".", Means::Hook(begin_message));

/// Ends a message, before its block.
const ENDED: Row = row(".", Means::Hook(end_message));

/// The role of a message, which is the assistant's if it is missing.
const ROLE: Row = row("role", Means::Hook(|_, role, _| role.odd_unless_string()));

/// The message and the call of the last chunks, which chunks without an id continue. Empty if there is none.
#[derive(Clone, Debug, Default)]
struct Last {
    message: String,
    call: String,
}

/// Names the message of this chunk and of those that follow.
const NAMED: Row = row(PLACE, Means::Hook(|emit, id, _| last(emit).message = emit.short(id.peek()).to_owned()));

const DELTA: Row = row("delta", Means::Kept);

/// Continues the message of the last chunk.
const MORE: Row = row(".", Means::Hook(continue_message)).when(|event| !has_place(event));

/// Ends the call of the last chunk: a later chunk that names no call does not continue it.
const NO_CHUNK: Row = row(".", Means::Hook(|emit, _, _| last(emit).call.clear()));

const TOOL: Called = Called { id: "toolCallId", name: "toolCallName", ..Called::NEW };

const CALL_RESULT: Outcome = Outcome { of: "toolCallId", value: "content", ..Outcome::NEW };

/// Returns the agent that an event belongs to, with an empty name for the main agent.
fn speaker(event: Node<'_>) -> Speaker<'_> {
    Speaker { agent: event.member("subagentRunId").peek(), ..Speaker::default() }
}

/// Passes the ids of the call and the message that an event continues to `on_id`.
fn results(event: Node<'_>, on_id: &mut OnId<'_>) {
    if !event.member("type").peek().ends_with("_START") {
        let ids = ["toolCallId", "messageId"].map(|name| event.member(name).peek());
        ids.iter().filter(|id| !id.is_empty()).for_each(|id| on_id(id));
    }
}

/// Returns true for an event of a message that is not the assistant's, according to the role in the message's first
/// event.
fn is_anothers(event: Node<'_>, emit: &mut Emitter<'_>) -> bool {
    if !event.member("type").peek().starts_with("TEXT_MESSAGE_") {
        return false;
    }
    let id = event.member("messageId").peek();
    let key = ["another's/", id].concat();
    if event.member("role").text().is_some_and(|role| !matches!(role, "" | "assistant")) {
        emit.note_reported(&key);
        return true;
    }
    !id.is_empty() && emit.has_reported(&key)
}

/// Returns the key of a message that has begun.
fn begun(event: Node<'_>) -> String {
    ["begun/", event.word_at("messageId")].concat()
}

fn last<'a>(emit: &'a mut Emitter<'_>) -> &'a mut Last {
    emit.message_memory()
}

fn has_message(event: Node<'_>) -> bool {
    !event.word_at("messageId").is_empty()
}

fn has_place(event: Node<'_>) -> bool {
    !event.word_at(PLACE).is_empty()
}

fn continue_message(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (kind, block) = match event.word_at("type") {
        "TEXT_MESSAGE_CHUNK" => (MismatchKind::Text, BlockKind::Text),
        _ => (MismatchKind::Reasoning, BlockKind::Reasoning),
    };
    let id = take(&mut last(emit).message);
    let here = Here { place: At::Id(&id), ..Here::default() };
    let is_open = emit.open_block(here.block()).is_some_and(|(_, open)| open == block);
    say(kind, event.member("delta").said(), &if is_open { here } else { Here::default() }, emit);
    if is_open {
        last(emit).message = id;
    }
}

fn begin_message(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    last(emit).message.clear();
    emit.note_reported(&begun(event));
}

fn end_message(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    last(emit).message.clear();
    // Not all servers name their messages. If a named message has not begun, its beginning was lost, including its
    // text.
    if has_message(event) && !emit.may_have_reported(&begun(event)) {
        emit.break_off("not-started");
    }
}

fn is_named(event: Node<'_>) -> bool {
    !event.word_at(TOOL.id).is_empty()
}

/// Reads a chunk that names its call. The first such chunk starts the call.
fn start_chunk(emit: &mut Emitter<'_>, event: Node<'_>, here: &Here<'_>) {
    let (id, name) = (event.word_at(TOOL.id), event.text_at(TOOL.name));
    let call = emit.known_mut().find_in(here.slot());
    let start = CallStart::new(name).id(id);
    if call.is_none_or(|call| !name.is_empty() && !emit.state().said.is_again(call)) {
        emit.start_call(here.slot(), start);
    } else {
        emit.start_another(here.slot(), start);
    }
    last(emit).call = emit.short(id).to_owned();
}

/// Appends a fragment to the call that the last chunk named.
fn continue_call(emit: &mut Emitter<'_>, delta: Node<'_>, here: &Here<'_>) {
    let id = take(&mut last(emit).call);
    match delta.text() {
        None => delta.odd(Mark::Torn),
        Some("") => drop(delta.as_input()),
        Some(_) if !id.is_empty() => emit.payload(Slot::from(&*id), delta),
        Some(_) => {
            emit.note_piece_in(here.slot(), delta.as_input());
            emit.calls().unplaced(here.slot());
        }
    }
    last(emit).call = id;
}

/// Takes the arguments of a call from the conversation if the call has received none. For a call that has ended without
/// arguments, this is a mismatch.
fn fill(emit: &mut Emitter<'_>, entry: Node<'_>, here: &Here<'_>) {
    let arguments = entry.raw("function.arguments").as_input().text_or_json();
    let Some(call) = emit.known_mut().find_in(here.slot()) else { return };
    if emit.known().open_call(call).is_some_and(|call| !call.has_input()) {
        emit.calls().whole_of(call, arguments);
    }
    // The call's result may have ended it.
    if emit.state().said.had_input(call, "") {
        emit.repeat_call(call, "", arguments);
    }
}

/// Stops a run until the application has decided.
fn pause(emit: &mut Emitter<'_>, outcome: Node<'_>, _: &Here<'_>) {
    emit.end_blocks(Which::All);
    emit.calls().finish(None);
    emit.stop(0, Stop { kind: Some(StopKind::Pause), ..outcome.word_at("type").into() });
}

fn fail(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (message, code) = (event.word_at("message"), event.word_at("code"));
    let message = if message.is_empty() { event.as_failure().spelt() } else { message }.into();
    emit.fail(&Failure { message, code, ..Failure::default() });
}
