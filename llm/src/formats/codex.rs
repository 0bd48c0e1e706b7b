//! `codex exec --json`: the items of a thread, each as a whole, a JSON object a line.
//!
//! Codex executes what it calls, so that every call is the provider's and its result follows. A turn that was
//! interrupted has no end.

use alloc::string::String;

use crate::calls::{CallStart, Executor, Place, Slot};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::Part;
use crate::event::{BlockKind, MismatchKind};
use crate::formats::{Format, Speaker, Terminal, Understood};
use crate::json::{Id, Json, Piece, Spelt, Text, Unreadable, objects, push_member};

objects! {
    struct Event<'a> {
        kind: Text<'a> = "type",
        thread_id: Id<'a>,
        item: Option<Spelt<'a, Item<'a>>>,
        usage: Json<'a>,
        error: Json<'a>,
        message: Text<'a>,
    }

    struct Item<'a> {
        id: Id<'a>,
        /// In the first days of this form it had the other name.
        kind: Text<'a> = "type",
        item_type: Text<'a>,
        text: Piece<'a>,
        phase: Text<'a>,
        status: Text<'a>,
        exit_code: Json<'a>,
        tool: Text<'a>,
        arguments: Json<'a>,
        error: Json<'a>,
        // A call's input is made of these, and its result has them all.
        server: Json<'a>,
        command: Json<'a>,
        changes: Json<'a>,
        query: Json<'a>,
        action: Json<'a>,
        prompt: Json<'a>,
        receiver_thread_ids: Json<'a>,
        agents_states: Json<'a>,
        aggregated_output: Json<'a>,
    }
}

pub(crate) const FORMAT: Format = Format {
    name: "codex",
    read,
    owns_type,
    owns_members: |_| false,
    terminal: Some(Terminal { speaker: |_| Speaker::default(), results: |_, _| {}, is_program: true }),
};

fn owns_type(kind: &str) -> bool {
    ["thread.started", "turn.", "item."].iter().any(|family| kind.starts_with(family))
}

/// The key that is noted once a turn has begun; it is no id.
const TURN: &str = " turn";

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event: Event<'_> = json.object()?;
    emit.watch_inputs();
    match &*event.kind {
        "thread.started" => emit.begin_message(&event.thread_id, ""),
        "turn.started" => {
            // A thread's turns have no ids.
            if emit.is_unfinished(0) && emit.has_reported(TURN) {
                emit.begin_message("", "");
            }
            emit.begin_answer(0);
            emit.note_reported(TURN);
        }
        "item.started" | "item.updated" | "item.completed" => {
            let Spelt { json, object: item } = event.item.ok_or(Unreadable)?;
            emit.begin_answer(0);
            read_item(&event.kind, &item, json, emit);
        }
        "turn.completed" => {
            // The thread's, not the turn's.
            emit.usage(event.usage);
            emit.end_answer("");
            if let Some(failure) = Failure::at(event.error) {
                emit.fail(&failure);
            }
            emit.end_stream();
        }
        "turn.failed" => {
            emit.fail(&Failure::new(event.error));
            emit.end_stream();
        }
        // The turn goes on.
        "error" if event.message.starts_with("Reconnecting") => emit.data("error", json),
        "error" => emit.report_failure(&Failure::reported_by(json).unwrap_or_default()),
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}

fn read_item(event: &str, item: &Item<'_>, json: Json<'_>, emit: &mut Emitter<'_>) {
    let is_done = event == "item.completed";
    let kind = if item.kind.is_empty() { &*item.item_type } else { &*item.kind };
    let own: &[Json<'_>] = match kind {
        "command_execution" => &[item.command, item.aggregated_output],
        "file_change" => &[item.changes],
        "web_search" => &[item.query, item.action],
        "mcp_tool_call" => &[item.server],
        "collab_tool_call" => &[item.prompt, item.receiver_thread_ids, item.agents_states],
        _ => &[],
    };
    own.iter().for_each(|own| own.pass_over());
    match kind {
        "agent_message" | "assistant_message" => say(BlockKind::Text, item, is_done, emit),
        "reasoning" => say(BlockKind::Reasoning, item, is_done, emit),
        "command_execution" => call(item, kind, &object_of(json, &["command"]), is_done, json, emit),
        "file_change" => call(item, kind, &object_of(json, &["changes"]), is_done, json, emit),
        "web_search" => {
            call_at_its_end(item, kind, &object_of(json, &["query", "action"]), is_done, json, emit);
        }
        "mcp_tool_call" => {
            let input = if item.arguments.is_given() { item.arguments.spelt() } else { "{}" };
            call(item, &item.tool, input, is_done, json, emit);
        }
        "collab_tool_call" => {
            let input = object_of(json, &["receiver_thread_ids", "prompt"]);
            call_at_its_end(item, &item.tool, &input, is_done, json, emit);
        }
        // Warnings too: what ends the turn is no item.
        "todo_list" | "error" => emit.data(kind, json),
        kind => emit.unknown_part(kind, json),
    }
}

/// What is said: all of it so far, each time.
fn say(kind: BlockKind, item: &Item<'_>, is_done: bool, emit: &mut Emitter<'_>) {
    let at = At::from(item.id.as_str());
    if emit.find_block(0, at).is_none() {
        match kind {
            BlockKind::Text => emit.start_text(0, at, &item.id, &item.phase),
            BlockKind::Reasoning => drop(emit.start_block(0, at, kind, &item.id, "")),
        }
    }
    let said = if kind == BlockKind::Text { MismatchKind::Text } else { MismatchKind::Reasoning };
    let (_, news) = emit.news_of(Part { kind: said, choice: 0, at }, &item.text, crate::emitter::said::Scope::Place);
    match kind {
        BlockKind::Text => emit.text_at(0, at, news),
        BlockKind::Reasoning => emit.reasoning_at(0, at, news),
    }
    if is_done {
        emit.end_block(at);
        emit.end_structured(0);
    }
    if let Some(failure) = Failure::at(item.error) {
        emit.report_failure(&failure);
    }
}

/// A call of which all is known at its end only: what is searched, and which agents are new.
fn call_at_its_end(item: &Item<'_>, name: &str, input: &str, is_done: bool, json: Json<'_>, emit: &mut Emitter<'_>) {
    begin_call(item, name, emit);
    emit.calls().set_incomplete(Slot::new(0, Place::Id(&item.id)), !is_done);
    if is_done {
        call(item, name, input, is_done, json, emit);
    } else if json.member("agents_states").says_something() {
        emit.data("agents_states", json.member("agents_states"));
    }
}

/// A call begins, if it has not before.
fn begin_call(item: &Item<'_>, name: &str, emit: &mut Emitter<'_>) {
    if emit.known().find_id(0, &item.id).is_none() {
        let start = CallStart::new(name).id(item.id.as_str()).executor(Executor::Provider);
        emit.calls().start(Slot::new(0, Place::Id(&item.id)), start);
    }
}

/// A call, which comes whole, and at its end what came of it.
fn call(item: &Item<'_>, name: &str, input: &str, is_done: bool, json: Json<'_>, emit: &mut Emitter<'_>) {
    begin_call(item, name, emit);
    let (id, slot) = (item.id.as_str(), Slot::new(0, Place::Id(&item.id)));
    if emit.calls().find_open(slot).is_some() {
        emit.calls().whole(slot, input);
        emit.calls().stop(slot);
        emit.calls().settle();
    } else if let Some(number) = emit.known().find_id(0, id) {
        emit.repeat_call(number, name, input);
    }
    if !is_done {
        // What comes of it may be said while it runs, and its end may not come.
        let is_said = |name: &str| !matches!(json.member(name).spelt(), "" | "\"\"" | "{}" | "[]");
        if ["aggregated_output", "result", "error"].into_iter().any(is_said) {
            emit.data(&item.kind, json);
        }
    } else {
        let has_failed = ["failed", "declined"].contains(&item.status.as_str());
        let has_failed = has_failed || item.error.is_given() || !matches!(item.exit_code.spelt(), "" | "null" | "0");
        emit.tool_result(id, has_failed, json, json.spelt());
    }
}

/// An object of these members of an item, as they are spelt.
fn object_of(json: Json<'_>, names: &[&str]) -> String {
    let mut object = String::from("{");
    for (name, value) in json.members() {
        if names.contains(&&*name.word()) && value.spelt() != "null" {
            push_member(&mut object, name.spelt(), value.spelt());
        }
    }
    object + "}"
}
