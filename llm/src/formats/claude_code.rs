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

use crate::calls::{Place, Slot, digest_of};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::failure::Failure;
use crate::event::{MismatchKind, OpaqueKind};
use crate::formats::{Format, OnId, Speaker, Terminal, anthropic, kind_of};
use crate::json::Json;
use crate::wire::{ByType, Form, Here, Means, Node, Outcome, Rows, Spot, Wire, by_type, read, row};

pub(crate) const FORMAT: Format = Format {
    name: "claude-code",
    read: |line, emit| read(&WIRE, line, emit),
    owns_type: |kind| {
        matches!(kind, "stream_event" | "rate_limit_event" | "tool_progress" | "tool_use_summary")
            || kind.starts_with("control_")
    },
    owns_members,
    terminal: Some(Terminal { speaker, results, is_program: true }),
};

/// Cursor's lines have the same types, and none of the members that tell.
fn owns_members(event: Node<'_>) -> bool {
    let tells = event.member("parent_tool_use_id").is_there()
        || ["uuid", "tools", "usage"].iter().any(|name| event.member(name).is_given())
        || event.member("message").member("id").is_given();
    let is_own = matches!(&*kind_of(event), "system" | "assistant" | "user" | "result");
    tells && is_own && event.member("session_id").is_given()
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

const WIRE: Wire = Wire {
    kind: "type",
    form: Form::Noted,
    before: |_, emit| {
        emit.calls_are_executed();
        Ok(())
    },
    events: &[
        (
            "stream_event",
            &[
                // Of any agent, if the line does not name one.
                row("event", Means::Unreadable).when(|line| !line.member("event").is_object()),
                row("event", Means::Chosen(EVENT, choose_event)).at(Spot::Index("index")).required(),
            ],
        ),
        (
            "assistant",
            &[row("message", Means::Object(&[])).required(), row(".", Means::Chosen(MESSAGE, choose_message))],
        ),
        (
            "user",
            &[
                // What a user or another program has said is no answer.
                row("message", Means::Data("user")).when(|line| line.member("message").member("content").is_string()),
                row("message", Means::Object(&[row("content[]", Means::Object(RESULTS))])).required(),
                row("tool_use_result", Means::Data("tool_use_result")),
            ],
        ),
        (
            "result",
            &[
                row(".", Means::Data("result")),
                row(".", Means::Hook(|emit, _, _| miss_first_words(emit))),
                row("usage", Means::Usage),
                row(".", Means::Hook(end_turn)),
            ],
        ),
        (
            "system",
            &[row(".", Means::Hook(|emit, line, _| emit.data(&line.word_at("subtype|type"), line.read().json())))],
        ),
        (
            "rate_limit_event|tool_progress|tool_use_summary|auth_status|prompt_suggestion|conversation_reset|active_goal|\
            command_lifecycle|control_request|control_response|control_cancel_request",
            &[row(".", Means::Data(""))],
        ),
        ("keep_alive", &[]),
    ],
    always: &[
        // Nobody knows whose it is.
        row("session_id", Means::Unreadable).when(|line| !line.member("session_id").is_string()),
        row("parent_tool_use_id", Means::Unreadable).when(|line| !line.member("parent_tool_use_id").is_string()),
        row(".", Means::Hook(begin_turn)),
        // Of the call that started the agent, and of the clock.
        row("subagent_type", Means::Silent),
        row("task_description", Means::Silent),
        row("timestamp", Means::Silent),
    ],
    ..Wire::NEW
};

/// Stands for the turn among the answers that have begun: it goes on behind each message.
const TURN: u64 = 1;

fn begin_turn(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) {
    let [kind, subtype] = ["type", "subtype"].map(|name| line.member(name).json().word());
    // Lines about tasks and states may follow a turn.
    let opens_turn = matches!(&*kind, "stream_event" | "assistant" | "user") || subtype == "init";
    let is_main = !line.get("parent_tool_use_id").is_given();
    if is_main && (opens_turn || !emit.has_ended()) && kind != "keep_alive" {
        emit.begin_answer(TURN);
    }
}

const RESULTS: Rows = &[
    row(".", Means::Result(&RESULT)).when(|block| block.get("tool_use_id").is_given()),
    row(".", Means::Data("user")).when(|block| !block.get("tool_use_id").is_given()),
];

const RESULT: Outcome =
    Outcome { of: "tool_use_id", has_failed: |block| block.get("is_error").is_true(), value: "content", shown: "" };

/// One of Anthropic's events, whose words will be repeated.
const EVENT: Rows = &[
    row(".", Means::ByType("type", anthropic::WIRE.events)),
    row("delta.stop_reason", Means::Hook(|emit, reason, _| emit.note_stop(&reason.word())))
        .when(|event| event.get("type").word() == "message_delta"),
];

const START: Rows = &[row("message.content[]", Means::ByType("type", FIRST)), row("message.usage", Means::Usage)];

/// A message's first word, which comes again in a block.
const FIRST: ByType = &[
    ("|text|thinking", &[row("text|thinking", Means::Hook(note_first_words))]),
    ("*", &[row(".", Means::Unknown("type", ""))]),
];

/// Under these keys a message is known to have words in its start, and elsewhere.
const FIRST_WORDS: &str = "first words";
const SAID: &str = "said";

/// Under this key a message is known to have been streamed.
const STREAMED: &str = "streamed";

/// And under this one to have come to its end, or as a whole.
const WHOLE: &str = "whole";

fn choose_event(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) -> Rows {
    let kind = event.word_at("type");
    let piece = match &*kind {
        "message_start" => {
            miss_first_words(emit);
            emit.begin_message(&event.word_at("message.id"), &event.word_at("message.model"));
            emit.note_reported(STREAMED);
            return START;
        }
        // What repeats the message may still come.
        "message_stop" => {
            emit.calls().finish(None);
            emit.end_blocks();
            emit.note_reported(WHOLE);
            return &[];
        }
        "content_block_delta" => event.member("delta"),
        "content_block_start" => event.member("content_block"),
        _ if by_type(anthropic::WIRE.events, &kind).is_some() => return EVENT,
        _ => {
            match Failure::reported_by(event.read().json()) {
                Some(failure) => emit.fail(&failure),
                None => emit.unknown_part(&kind, event.json()),
            }
            return &[];
        }
    };
    // Its start may have been missed.
    emit.note_reported(STREAMED);
    emit.note_reported(&block_key(piece));
    note_said(emit, piece);
    // What is late, after the whole of it, says nothing.
    let at = At::Index(event.get("index").index().unwrap_or(0), 0);
    let is_said = ["text_delta", "thinking_delta"].contains(&&*piece.get("type").word());
    if is_said && emit.has_reported(&whole_key(at)) {
        event.read();
        return &[];
    }
    EVENT
}

fn note_first_words(emit: &mut Emitter<'_>, words: Node<'_>, _: &Here<'_>) {
    words.read();
    emit.note_reported(FIRST_WORDS);
}

fn note_said(emit: &mut Emitter<'_>, piece: Node<'_>) {
    if piece.get("text|thinking").is_string() {
        emit.note_reported(SAID);
    }
}

/// The message is over. What its start has said should have come again.
fn miss_first_words(emit: &mut Emitter<'_>) {
    if emit.has_reported(FIRST_WORDS) && !emit.has_reported(SAID) {
        emit.break_off("message_start");
    }
}

/// The key of a block of text or reasoning that has come as a whole.
fn whole_key(at: At<'_>) -> String {
    if let At::Index(index, _) = at { format!("{WHOLE}/{index}") } else { WHOLE.into() }
}

/// The key of a block or a piece of one that is neither text nor a call's: what it is, and whose.
fn block_key(block: Node<'_>) -> String {
    let kind = if block.raw("signature").is_given() { "signature".into() } else { block.word_at("type") };
    let kind = kind.strip_suffix("_delta").unwrap_or(&kind);
    ["block/", kind, "/", &*block.word_at("tool_use_id")].concat()
}

/// One or more of a message's blocks, each as a whole: it may have been streamed.
const MESSAGE: Rows = &[
    row("message.content", Means::Text)
        .form(Form::Piece)
        .when(|line| line.member("message").member("content").is_string()),
    row("message.content[]", Means::Chosen(anthropic::ALONE, choose_block)).at(Spot::Id("id")).form(Form::Piece),
    // Not final: the turn's result has the counts.
    row("message.usage", Means::Silent),
    row("supersedes", Means::Data("supersedes")),
    row(".", Means::Hook(end_message)),
];

fn choose_message(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) -> Rows {
    let (id, model, uuid) = (line.word_at("message.id"), line.word_at("message.model"), line.word_at("uuid"));
    let is_known = emit.has_message_id(&id);
    let digest = digest_of(line.raw("message.content").spelt());
    let line_key = format!("line/{digest:x}/{uuid}");
    if is_known && !uuid.is_empty() && emit.has_reported(&line_key) {
        line.read();
        return &[];
    }
    if !is_known && emit.has_reported(STREAMED) && (!emit.has_message() || emit.has_message_id("")) {
        // It was picked up in the middle, or began without an id.
        emit.message(&id, &model);
        emit.note_message_id(&id);
    } else if !is_known {
        miss_first_words(emit);
        emit.begin_message(&id, &model);
    }
    emit.note_reported(WHOLE);
    emit.note_reported(&line_key);
    MESSAGE
}

/// Reports what a block says beyond its pieces, if it was streamed.
fn choose_block(emit: &mut Emitter<'_>, block: Node<'_>, _: &Here<'_>) -> Rows {
    if !emit.has_reported(STREAMED) {
        return anthropic::ALONE;
    }
    note_said(emit, block);
    let kind = block.get("type").text().unwrap_or_default();
    let mut words = [("text", MismatchKind::Text), ("thinking", MismatchKind::Reasoning)].into_iter();
    // Of a type that can't be read, it says the same.
    let Some((name, kind)) = words.find(|(name, _)| kind == *name || kind.is_empty() && block.get(name).is_given())
    else {
        return repeat(emit, block);
    };
    let text = block.word_at(name);
    let (at, rest) = emit.news_of_next(kind, &text);
    match kind {
        MismatchKind::Text => emit.text_at(0, at, rest),
        _ => emit.reasoning_at(0, at, rest),
    }
    emit.note_reported(&whole_key(at));
    let signature = block.raw("signature").read().json();
    if !emit.has_reported("block/signature/") {
        emit.opaque(OpaqueKind::Signature, 0, emit.find_block(0, at), signature);
    }
    &[]
}

/// Compares a block that is no text with what was streamed of it. Its beginning may never have been seen.
fn repeat(emit: &mut Emitter<'_>, block: Node<'_>) -> Rows {
    let input = block.member("input");
    if !input.is_given() {
        return if emit.has_reported(&block_key(block)) { &[] } else { anthropic::ALONE };
    }
    let (id, name) = (block.word_at("id"), block.text_at("name"));
    let Some(call) = emit.known().find_id(0, &id) else { return anthropic::ALONE };
    let input = input.read().spelt();
    if !emit.repeat_call(call, &name, input) {
        emit.calls().identify(call, "", &name);
        emit.calls().whole_of(call, input);
        emit.calls().seal(Slot::new(0, Place::Id(&id)));
    }
    &[]
}

fn end_message(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) {
    if line.get("aborted").is_true() {
        emit.leave_out("aborted");
        emit.break_off("aborted");
    }
    let (reason, sequence) = (line.text_at("message.stop_reason"), line.text_at("message.stop_sequence"));
    if emit.has_reported(STREAMED) {
        emit.stop_once(&reason, &sequence);
    } else {
        emit.end_answer_with(&reason, &sequence);
    }
    let (kind, errors) = (line.text_at("error"), errors(line));
    if !kind.is_empty() || !errors.is_empty() {
        // The text of the first block explains it.
        let message = if errors.is_empty() { line.get("message.content[].text").word() } else { errors.into() };
        emit.fail(&Failure { message, kind, ..Failure::default() });
    }
}

/// Returns the errors that a line lists.
fn errors(line: Node<'_>) -> String {
    let errors = line.member("errors").read();
    let errors: Vec<_> = errors.children().map(|error| error.json().text_or_json().into_cow()).collect();
    errors.join("; ")
}

/// Ends the turn: well, with an error, or because it was interrupted.
fn end_turn(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) {
    let [terminal, subtype] = ["terminal_reason", "subtype"].map(|name| line.text_at(name));
    let has_failed = line.get("is_error").is_true() || subtype.starts_with("error");
    if terminal.starts_with("aborted") && !has_failed {
        emit.break_off(&terminal);
    } else if emit.has_reported(STREAMED) && emit.is_unfinished(0) && !emit.has_reported(WHOLE) {
        emit.break_off("result");
    }
    let reason = if emit.has_reported(STREAMED) { Cow::Borrowed("") } else { line.text_at("stop_reason") };
    emit.end_answer(&reason);
    // Either may say so, and the other not.
    if has_failed {
        let kind = if subtype.starts_with("error") { subtype } else { Cow::Borrowed("") };
        let messages = [errors(line).into(), line.text_at("result"), kind.clone()];
        let message = messages.into_iter().find(|message| !message.is_empty()).unwrap_or_default();
        let code = if terminal.is_empty() { line.word_at("api_error_status") } else { terminal };
        emit.fail(&Failure { message, kind, code, ..Failure::default() });
    }
    emit.end_stream();
}
