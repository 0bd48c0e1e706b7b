//! `codex exec --json`: the items of a thread, each sent whole, one JSON object per line.
//!
//! Codex executes its own calls, so every call is the provider's and is followed by its result. An interrupted turn has
//! no end.

use alloc::borrow::ToOwned as _;

use crate::formats::{Format, Owns, Speaker, Terminal};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format {
    wire: |_, _| &WIRE,
    terminal: Some(Terminal { speaker: |_| Speaker::default(), results: |_, _| {}, is_program: true }),
    ..Format::NEW
};

pub(crate) const OWNS: Owns = Owns { types: &["thread.started*|turn.*|item.*"], ..Owns::NEW };

/// The member that names a type. The first versions of this format named an item's type `item_type`.
const KIND: &str = "type|item_type";

static WIRE: Wire = Wire {
    kind: KIND,
    events: &[
        on("thread.started", &[row(".", Means::Begins(&["thread_id", ""]))]),
        on("turn.started", &[row(".", Means::Hook(begin_turn))]),
        on("item.started|item.updated", &[BEGINS, ITEM, row("item", Means::ByType(SO_FAR))]),
        on("item.completed", &[BEGINS, ITEM, row("item", Means::ByType(ENDS)).at(&Spot::Id("id"))]),
        on(
            "turn.completed",
            &[
                // The counts of the thread, not of the turn.
                row("usage", Means::Usage),
                row(".", Means::EndsAnswer("")),
                row("error", Means::Fails),
                row(".", Means::EndsStream),
            ],
        ),
        on(
            "turn.failed",
            &[
                row("error", Means::Fails),
                row(".", Means::Fails).when(|event| !event.get("error").is_anything()),
                row(".", Means::EndsStream),
            ],
        ),
        on(
            "error",
            &[
                // The turn continues.
                row(".", Means::Data("")).when(is_reconnecting),
                row(".", Means::Hook(report)).when(|event| !is_reconnecting(event)),
            ],
        ),
    ],
    ..Wire::NEW
};

const BEGINS: Row = row(".", Means::BeginsAnswer);
const ITEM: Row = row("item", Means::ByType(ITEMS)).at(&Spot::Id("id")).required();

/// The rows of an item in any event. Its text is always all of the text so far.
const ITEMS: ByType = &[
    on(
        "agent_message|assistant_message",
        &[
            row(".", Means::Starts(BlockKind::Text, "id")).form(Form::SoFar),
            row("text", Means::Text).form(Form::ALL),
            row("error", Means::Reports),
        ],
    ),
    on(
        "reasoning",
        &[
            row(".", Means::Starts(BlockKind::Reasoning, "id")).form(Form::SoFar),
            row("text", Means::Reasoning).form(Form::ALL),
            row("error", Means::Reports),
        ],
    ),
    on(AT_ONCE, &[row(".", Means::Hook(call)), row("server|aggregated_output|result|status|exit_code", Means::Silent)]),
    on(AT_THE_END, LATE),
    // An `error` item is a warning: an error that ends the turn is not an item.
    on("todo_list|error", &[row(".", Means::Data(""))]),
    on("*", &[row(".", Means::Unknown(""))]),
];

/// Additional rows of an unfinished item, whose end may never arrive.
const SO_FAR: ByType = &[
    on(AT_ONCE, &[row(".", Means::Data("")).when(has_output)]),
    on(AT_THE_END, &[row("agents_states", Means::Data("agents_states")).when(has_agents)]),
];

/// Additional rows of a finished item.
const ENDS: ByType = &[
    on("agent_message|assistant_message|reasoning", &[row(".", Means::EndsBlock), row(".", Means::EndsStructured)]),
    on(AT_ONCE, &[row(".", Means::Result(&RESULT))]),
    on(AT_THE_END, &[row(".", Means::Hook(call)), row(".", Means::Result(&RESULT))]),
];

/// The calls whose input is known at their start, and those whose query or new agents are known only at their end.
const AT_ONCE: &str = "command_execution|file_change|mcp_tool_call";
const AT_THE_END: &str = "web_search|collab_tool_call";

const LATE: Rows =
    &[row(".", Means::Hook(begin_call)), row("query|action|prompt|receiver_thread_ids", Means::PartOfInput)];

const RESULT: Outcome = Outcome {
    of: "id",
    has_failed: |item| {
        let has_failed = ["failed", "declined"].contains(&item.get("status").word()) || item.raw("error").is_given();
        has_failed || !matches!(item.raw("exit_code").spelt(), "" | "0")
    },
    value: ".",
    ..Outcome::NEW
};

fn has_output(item: Node<'_>) -> bool {
    let is_said = |name: &&str| !matches!(item.raw(name).spelt(), "" | "\"\"" | "{}" | "[]");
    ["aggregated_output", "result", "error"].iter().any(is_said)
}

fn has_agents(item: Node<'_>) -> bool {
    item.member("agents_states").says_something()
}

fn is_reconnecting(event: Node<'_>) -> bool {
    event.get("message").word().starts_with("Reconnecting")
}

/// The key that is noted once a turn has begun. It cannot be an id.
const TURN: &str = " turn";

fn begin_turn(emit: &mut Emitter<'_>, _: Node<'_>, _: &Here<'_>) {
    // A thread's turns have no ids.
    if emit.state().unfinished.contains(&0) && emit.has_reported(TURN) {
        emit.begin_message("", "");
    }
    emit.state().begin(0);
    emit.note_reported(TURN);
}

fn report(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    emit.report_failure(&Failure::reported_by(event.as_failure()).unwrap_or_default());
}

/// Returns a call's name and the members that form its input; no members if `arguments` is the input.
fn called(item: Node<'_>) -> (&str, &'static [&'static str]) {
    let kind = item.word_at(KIND);
    match kind {
        "mcp_tool_call" => (item.text_at("tool"), &[]),
        "collab_tool_call" => (item.text_at("tool"), &["receiver_thread_ids", "prompt"]),
        "web_search" => (kind, &["query", "action"]),
        "file_change" => (kind, &["changes"]),
        _ => (kind, &["command"]),
    }
}

/// Starts a call, unless it has started, and marks its input as incomplete.
fn begin_call(emit: &mut Emitter<'_>, item: Node<'_>, _: &Here<'_>) {
    let (id, name) = (item.word_at("id"), called(item).0);
    let slot = Slot::new(0, Place::Id(id));
    if emit.known().find_id(0, id).is_none() {
        emit.calls().start(slot, CallStart::new(name).id(id).executor(Executor::Provider));
    }
    emit.calls().set_incomplete(slot, true);
}

/// Reports a whole call. If it has ended, compares it with the ended one.
fn call(emit: &mut Emitter<'_>, item: Node<'_>, here: &Here<'_>) {
    begin_call(emit, item, here);
    let (id, (name, members)) = (item.word_at("id"), called(item));
    let mut input = item.object_of(members);
    let arguments = item.raw("arguments");
    if members.is_empty() && arguments.is_given() {
        input = arguments.as_input().spelt().to_owned();
    }
    let slot = Slot::new(0, Place::Id(id));
    if emit.calls().find_open(slot).is_some() {
        emit.calls().set_incomplete(slot, false);
        emit.calls().whole(slot, &input);
        emit.calls().stop(slot);
        emit.calls().settle();
    } else if let Some(number) = emit.known().find_id(0, id) {
        emit.repeat_call(number, name, &input);
    }
}
