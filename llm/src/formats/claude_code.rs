//! Claude Code's `stream-json`: a session's lines, with Anthropic's events inside `stream_event` where partial messages
//! were asked for.
//!
//! What was streamed comes once more, block by block, in `assistant` lines; without partial messages these are all
//! there is. Claude Code executes its calls, and `user` lines have the results. Several agents may speak in turn, and
//! several sessions: each line names its session and, if it is a sub-agent's, the call that started it. A turn is over
//! with its `result`.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::{Place, Slot, digest_of, present};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::emitter::said::Part;
use crate::event::{MismatchKind, OpaqueKind};
use crate::formats::{Format, Look, OnId, Speaker, Terminal, Understood, anthropic};
use crate::json::{Id, Json, Silent, Spelt, Text, Unreadable, objects};

objects! {
    struct Line<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a>,
        parent_tool_use_id: Id<'a>,
        _session: Silent<'a> = "session_id",
        /// The line's own id.
        uuid: Text<'a>,
        event: Json<'a>,
        message: Json<'a>,
        /// The kind of an error that the message's text explains.
        error: Text<'a>,
        supersedes: Json<'a>,
        aborted: bool,
        tool_use_result: Json<'a>,
        // Of the call that started the agent, and of the clock.
        _subagent_type: Silent<'a> = "subagent_type",
        _task_description: Silent<'a> = "task_description",
        _timestamp: Silent<'a> = "timestamp",
        // Of a result.
        is_error: bool,
        result: Text<'a>,
        errors: Json<'a>,
        api_error_status: Json<'a>,
        stop_reason: Text<'a>,
        terminal_reason: Text<'a>,
        usage: Json<'a>,
    }

    struct Message<'a> {
        id: Id<'a>,
        model: Text<'a>,
        content: Json<'a>,
        stop_reason: Text<'a>,
        stop_sequence: Text<'a>,
        // Not final: the turn's result has the counts.
        _usage: Silent<'a> = "usage",
    }

    /// The start of a message that is streamed.
    struct Start<'a> {
        _kind: Silent<'a> = "type",
        message: Option<StartMessage<'a>>,
    }

    struct StartMessage<'a> {
        id: Id<'a>,
        model: Text<'a>,
        content: Vec<Spelt<'a, Block<'a>>>,
        usage: Json<'a>,
    }

    struct UserMessage<'a> {
        content: Json<'a>,
        _role: Silent<'a> = "role",
    }

    struct Block<'a> {
        kind: Text<'a> = "type",
        id: Id<'a>,
        name: Text<'a>,
        input: Json<'a>,
        text: Text<'a>,
        thinking: Text<'a>,
        // These were streamed too.
        signature: Json<'a>,
        content: Json<'a>,
        _caller: Silent<'a> = "caller",
        tool_use_id: Id<'a>,
        is_error: bool,
    }
}

pub(crate) const FORMAT: Format = Format {
    name: "claude-code",
    read,
    owns_type: |kind| {
        matches!(kind, "stream_event" | "rate_limit_event" | "tool_progress" | "tool_use_summary")
            || kind.starts_with("control_")
    },
    owns_members,
    terminal: Some(Terminal { speaker, results, is_program: true }),
};

/// Stands for the turn among the answers that have begun: it goes on behind each message.
const TURN: u64 = 1;

/// Cursor's lines have the same types, and none of the members that tell.
fn owns_members(look: &Look<'_>) -> bool {
    let telling = [look.uuid, look.tools, look.usage, look.message.member("id")];
    let tells = look.parent_tool_use_id.is_some() || telling.into_iter().any(Json::is_given);
    tells && look.session_id.is_given() && matches!(look.kind(), "system" | "assistant" | "user" | "result")
}

fn speaker(line: Json<'_>) -> Speaker<'_> {
    let id = |name| line.member(name).text().ok().flatten().unwrap_or_default();
    Speaker { session: id("session_id"), agent: id("parent_tool_use_id") }
}

fn results(line: Json<'_>, on_result: &mut OnId<'_>) {
    if &*line.member("type").word() == "user" {
        for block in line.member("message").member("content").elements() {
            on_result(&block.member("tool_use_id").word());
        }
    }
}

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let line: Line<'_> = json.object()?;
    // Nobody knows whose it is.
    for name in ["session_id", "parent_tool_use_id"] {
        if json.given(name).is_some_and(|id| !id.is_string() && id.spelt() != "null") {
            return Err(Unreadable);
        }
    }
    emit.watch_inputs();
    emit.calls_are_executed();
    match &*line.kind {
        "stream_event" if !line.event.is_object() => return Err(Unreadable),
        "stream_event" => {
            if read_event(&line, emit)? == Understood::No {
                match Failure::reported_by(line.event) {
                    Some(failure) => emit.fail(&failure),
                    None => emit.unknown_part(&line.event.member("type").word(), line.event),
                }
            }
        }
        "assistant" => read_message(&line, emit)?,
        "user" => read_user(&line, emit)?,
        "result" => {
            end_turn(&line, json, emit);
            return Ok(Understood::Yes);
        }
        "system" => emit.data(if line.subtype.is_empty() { "system" } else { &line.subtype }, json),
        kind @ ("rate_limit_event"
        | "tool_progress"
        | "tool_use_summary"
        | "auth_status"
        | "prompt_suggestion"
        | "conversation_reset"
        | "active_goal"
        | "command_lifecycle"
        | "control_request"
        | "control_response"
        | "control_cancel_request") => emit.data(kind, json),
        "keep_alive" => {}
        _ => return Ok(Understood::No),
    }
    // Lines about tasks and states may follow a turn.
    let opens_turn = matches!(&*line.kind, "stream_event" | "assistant" | "user") || line.subtype.as_str() == "init";
    if line.parent_tool_use_id.is_empty() && (opens_turn || !emit.has_ended()) && line.kind.as_str() != "keep_alive" {
        emit.begin_answer(TURN);
    }
    Ok(Understood::Yes)
}

/// One of Anthropic's events, whose words will be repeated.
fn read_event(line: &Line<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let event = line.event;
    let piece = match &*event.member("type").word() {
        "message_start" => {
            let Start { message, .. } = event.object()?;
            let message = message.unwrap_or_default();
            miss_first_words(emit);
            emit.begin_message(&message.id, &message.model);
            emit.note_reported(STREAMED);
            for Spelt { json, object: block } in &message.content {
                match &*block.kind {
                    // The first word, which comes again in a block.
                    "" | "text" | "thinking" => {
                        if ![&block.text, &block.thinking].iter().all(|text| text.is_empty()) {
                            emit.note_reported(FIRST_WORDS);
                        }
                    }
                    kind => emit.unknown_part(kind, *json),
                }
            }
            emit.usage(message.usage);
            return Ok(Understood::Yes);
        }
        // What repeats it may still come.
        "message_stop" => {
            let Start { .. } = event.object()?;
            emit.calls().finish(None);
            emit.end_blocks();
            emit.note_reported(WHOLE);
            return Ok(Understood::Yes);
        }
        "content_block_delta" => event.member("delta"),
        "content_block_start" => event.member("content_block"),
        _ => Json::default(),
    };
    if piece.is_given() {
        // Its start may have been missed.
        emit.note_reported(STREAMED);
        emit.note_reported(&block_key(piece));
    }
    let at = At::Index(event.member("index").index().unwrap_or(0), 0);
    // What is late, after the whole of it, says nothing.
    let is_delta = &*event.member("type").word() == "content_block_delta";
    let is_said = ["text_delta", "thinking_delta"].contains(&&*event.member("delta").member("type").word());
    if is_delta && is_said && emit.has_reported(&whole_key(at)) {
        return Ok(Understood::Yes);
    }
    let understood = anthropic::read(event, emit)?;
    if &*event.member("type").word() == "message_delta" {
        emit.note_stop(&event.member("delta").member("stop_reason").word());
    }
    for (kind, name) in [(MismatchKind::Text, "text"), (MismatchKind::Reasoning, "thinking")] {
        let said = piece.member(name).text()?.unwrap_or_default();
        if !said.is_empty() {
            emit.note_reported(SAID);
        }
        emit.note_said(Part { kind, choice: 0, at }, &said);
    }
    Ok(understood)
}

/// Under these keys a message is known to have words in its start, and elsewhere.
const FIRST_WORDS: &str = "first words";
const SAID: &str = "said";

/// The message is over. What its start has said should have come again.
fn miss_first_words(emit: &mut Emitter<'_>) {
    if emit.has_reported(FIRST_WORDS) && !emit.has_reported(SAID) {
        emit.break_off("message_start");
    }
}

/// Under this key a message is known to have been streamed.
const STREAMED: &str = "streamed";

/// And under this one to have come to its end, or as a whole.
const WHOLE: &str = "whole";

/// The key of a block of text or reasoning that has come as a whole.
fn whole_key(at: At<'_>) -> String {
    if let At::Index(index, _) = at { format!("{WHOLE}/{index}") } else { WHOLE.into() }
}

/// The key of a block or a piece of one that is neither text nor a call's: what it is, and whose.
fn block_key(block: Json<'_>) -> String {
    let kind = if block.member("signature").is_given() { "signature".into() } else { block.member("type").word() };
    let kind = kind.strip_suffix("_delta").unwrap_or(&kind);
    ["block/", kind, "/", &*block.member("tool_use_id").word()].concat()
}

/// One or more of a message's blocks, each as a whole: it may have been streamed.
fn read_message(line: &Line<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let message: Message<'_> = line.message.object()?;
    is_said(message.content)?;
    let is_known = emit.has_message_id(&message.id);
    let line_key = format!("line/{:x}/{}", digest_of(message.content.spelt()), &*line.uuid);
    if is_known && !line.uuid.is_empty() && emit.has_reported(&line_key) {
        line.message.hand_over();
        return Ok(());
    }
    if !is_known && emit.has_reported(STREAMED) && (!emit.has_message() || emit.has_message_id("")) {
        // It was picked up in the middle, or began without an id.
        emit.message(&message.id, &message.model);
        emit.note_message_id(&message.id);
    } else if !is_known {
        miss_first_words(emit);
        emit.begin_message(&message.id, &message.model);
    }
    let is_streamed = emit.has_reported(STREAMED);
    emit.note_reported(WHOLE);
    emit.note_reported(&line_key);
    if let Some(text) = message.content.text()? {
        emit.text(0, &text);
    }
    for block in message.content.elements() {
        if is_streamed {
            repeat(block, emit)?;
        } else {
            anthropic::read_whole_block(block, emit)?;
        }
    }
    if line.supersedes.is_given() {
        emit.data("supersedes", line.supersedes);
    }
    if line.aborted {
        emit.leave_out("aborted");
        emit.break_off("aborted");
    }
    if is_streamed {
        emit.stop_once(&message.stop_reason, &message.stop_sequence);
    } else {
        emit.end_answer_with(&message.stop_reason, &message.stop_sequence);
    }
    let errors = line.errors();
    if !line.error.is_empty() || !errors.is_empty() {
        let message = if errors.is_empty() { message.text() } else { errors };
        emit.fail(&Failure { message: message.into(), kind: line.error.as_str().into(), ..Failure::default() });
    }
    Ok(())
}

/// Nothing else than a text or a list can be what somebody says.
fn is_said(content: Json<'_>) -> Result<(), Unreadable> {
    let is_known = !content.is_given() || content.is_string() || content.inside('[').is_some();
    if is_known { Ok(()) } else { Err(Unreadable) }
}

impl Line<'_> {
    /// The errors that are listed, if there are any.
    fn errors(&self) -> String {
        let errors: Vec<_> = self.errors.elements().map(|error| error.text_or_json().into_cow()).collect();
        errors.join("; ")
    }
}

impl Message<'_> {
    /// The text of the first block, which explains an error.
    fn text(&self) -> String {
        let first = self.content.elements().find_map(|block| block.member("text").text().ok().flatten());
        first.map(Cow::into_owned).unwrap_or_default()
    }
}

/// A block that was streamed, as a whole.
fn repeat(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let block: Block<'_> = json.object()?;
    let kind = match &*block.kind {
        // Of a type that can't be read, it says the same.
        "" if !block.text.peek().is_empty() => "text",
        "" if !block.thinking.peek().is_empty() => "thinking",
        kind => kind,
    };
    if !(block.text.peek().is_empty() && block.thinking.peek().is_empty()) {
        emit.note_reported(SAID);
    }
    match kind {
        "text" => {
            let (at, rest) = emit.news_of_next(MismatchKind::Text, &block.text);
            emit.text_at(0, at, rest);
            emit.note_reported(&whole_key(at));
        }
        "thinking" => {
            let (at, rest) = emit.news_of_next(MismatchKind::Reasoning, &block.thinking);
            emit.reasoning_at(0, at, rest);
            emit.note_reported(&whole_key(at));
            if !emit.has_reported("block/signature/") {
                emit.opaque(OpaqueKind::Signature, 0, emit.find_block(0, at), block.signature);
            }
        }
        _ if !block.input.is_given() => {
            if !emit.has_reported(&block_key(json)) {
                anthropic::read_whole_block(json, emit)?;
            }
        }
        _ => match emit.known().find_id(0, &block.id) {
            Some(call) if emit.repeat_call(call, &block.name, block.input.spelt()) => {}
            Some(call) => {
                emit.calls().identify(call, "", &block.name);
                emit.calls().whole_of(call, block.input.spelt());
                emit.calls().seal(Slot::new(0, Place::Id(&block.id)));
            }
            // Its beginning was never seen.
            None => anthropic::read_whole_block(json, emit)?,
        },
    }
    Ok(())
}

/// Results of calls; and what a user or another program has said, which is no answer.
fn read_user(line: &Line<'_>, emit: &mut Emitter<'_>) -> Result<(), Unreadable> {
    let UserMessage { content, .. } = line.message.object()?;
    is_said(content)?;
    if content.is_string() {
        emit.data("user", line.message);
    }
    for json in content.elements() {
        let block: Block<'_> = json.object()?;
        if block.tool_use_id.is_empty() {
            emit.data("user", json);
        } else {
            emit.tool_result(&block.tool_use_id, block.is_error, json, block.content.spelt());
        }
    }
    if line.tool_use_result.is_given() {
        emit.data("tool_use_result", line.tool_use_result);
    }
    Ok(())
}

/// The turn is over: well, with an error, or because it was interrupted.
fn end_turn(line: &Line<'_>, json: Json<'_>, emit: &mut Emitter<'_>) {
    emit.data("result", json);
    miss_first_words(emit);
    emit.usage(line.usage);
    let is_cut = emit.has_reported(STREAMED) && emit.is_unfinished(0) && !emit.has_reported(WHOLE);
    let has_failed = line.is_error || line.subtype.starts_with("error");
    if line.terminal_reason.starts_with("aborted") && !has_failed {
        emit.break_off(&line.terminal_reason);
    } else if is_cut {
        emit.break_off("result");
    }
    if emit.has_reported(STREAMED) {
        emit.end_answer("");
    } else {
        emit.end_answer(&line.stop_reason);
    }
    // Either may say so, and the other not.
    if has_failed {
        let errors = line.errors();
        let message = if errors.is_empty() { Cow::Borrowed(line.result.as_str()) } else { errors.into() };
        let code = present(&line.terminal_reason).map_or_else(|| line.api_error_status.word(), Cow::Borrowed);
        let kind = Cow::Borrowed(if line.subtype.starts_with("error") { line.subtype.as_str() } else { "" });
        let message = if message.is_empty() { kind.clone() } else { message };
        emit.fail(&Failure { message, kind, code, ..Failure::default() });
    }
    emit.end_stream();
}
