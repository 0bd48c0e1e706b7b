//! Claude Code's `stream-json`: the lines of a session, with Anthropic's events inside `stream_event` if partial
//! messages were requested.
//!
//! `assistant` lines repeat what was streamed, block by block. Without partial messages, they have the only content.
//! Claude Code executes its own calls, and `user` lines have the results. Several agents and several sessions may take
//! turns: each line names its session and, for a sub-agent, the call that started it. A `result` line ends a turn.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use crate::formats::{Format, OnId, Owns, Speaker, Terminal, anthropic, kind_of};
use crate::wire::*;

pub(crate) const FORMAT: Format =
    Format { wire: |_, _| &WIRE, terminal: Some(Terminal { speaker, results, is_program: true }), ..Format::NEW };

pub(crate) const OWNS: Owns =
    Owns { types: &["stream_event|rate_limit_event|tool_progress|tool_use_summary|control_*"], members: owns_members };

/// Returns true for lines with members that only Claude Code sends. Cursor's lines have the same types without these.
fn owns_members(event: Node<'_>) -> bool {
    let tells = event.member("parent_tool_use_id").is_there()
        || ["uuid", "tools", "usage"].iter().any(|name| event.member(name).is_given())
        || event.member("message").member("id").is_given();
    let is_own = matches!(kind_of(event), "system" | "assistant" | "user" | "result");
    tells && is_own && event.member("session_id").is_given()
}

fn speaker(line: Node<'_>) -> Speaker<'_> {
    let id = |name| line.member(name).text().unwrap_or_default();
    Speaker { session: id("session_id"), agent: id("parent_tool_use_id") }
}

fn results(line: Node<'_>, on_result: &mut OnId<'_>) {
    if line.member("type").peek() == "user" {
        for block in line.member("message").member("content").elements() {
            let id = block.member("tool_use_id").peek();
            if !id.is_empty() {
                on_result(id);
            }
        }
    }
}

static WIRE: Wire = Wire {
    kind: "type",
    form: Form::Noted,
    executes_calls: true,
    events: &[
        on(
            "stream_event",
            &[
                // If the line does not name an agent, it could belong to any.
                row("event", Means::Unreadable).when(|line| !line.member("event").is_object()),
                row("event", Means::Chosen(&EVENT, choose_event)).at(&Spot::Index("index")).required(),
            ],
        ),
        on(
            "assistant",
            &[row("message", Means::Object(&[])).required(), row(".", Means::Chosen(&MESSAGE, choose_message))],
        ),
        on(
            "user",
            &[
                // Text from a user or another program is not part of the answer.
                row("message", Means::Data("user")).when(|line| line.member("message").member("content").is_string()),
                row("message", Means::Object(&[row("content[]", Means::Object(RESULTS))])).required(),
                row("tool_use_result", Means::Data("tool_use_result")),
            ],
        ),
        on(
            "result",
            &[
                row(".", Means::Data("result")),
                row("result", Means::Silent),
                row(".", Means::Hook(|emit, _, _| miss_first_words(emit))),
                row("usage", Means::Usage),
                row(".", Means::Hook(end_turn)),
            ],
        ),
        on("system", &[row(".", Means::Hook(|emit, line, _| emit.data(line.word_at("subtype|type"), line.shown())))]),
        on(
            "rate_limit_event|tool_progress|tool_use_summary|auth_status|prompt_suggestion|conversation_reset|active_goal|\
            command_lifecycle|control_request|control_response|control_cancel_request",
            &[row(".", Means::Data(""))],
        ),
        on("keep_alive", &[]),
    ],
    always: &[
        // The line could belong to any agent.
        row("session_id", Means::Unreadable).when(|line| !line.member("session_id").is_string()),
        row("parent_tool_use_id", Means::Unreadable).when(|line| !line.member("parent_tool_use_id").is_string()),
        row(".", Means::Hook(begin_turn)),
        // Details of the call that started the agent, and the time.
        row("subagent_type|task_description", Means::PartOfInput),
        row("timestamp", Means::Silent),
    ],
    ..Wire::NEW
};

/// The number under which the turn counts as an open answer. It stays open after each of its messages.
const TURN: u64 = 1;

fn begin_turn(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) {
    let [kind, subtype] = ["type", "subtype"].map(|name| line.member(name).peek());
    // Lines about tasks and states may follow a turn.
    let opens_turn = matches!(kind, "stream_event" | "assistant" | "user") || subtype == "init";
    let is_main = !line.get("parent_tool_use_id").is_given();
    if is_main && (opens_turn || !emit.has_ended()) && kind != "keep_alive" {
        emit.state().begin(TURN);
    }
}

const RESULTS: Rows = &[
    row(".", Means::Result(&RESULT)).when(|block| block.get("tool_use_id").is_given()),
    row(".", Means::Data("user")).when(|block| !block.get("tool_use_id").is_given()),
];

const RESULT: Outcome = Outcome {
    of: "tool_use_id",
    has_failed: |block| block.get("is_error").is_true(),
    value: "content",
    ..Outcome::NEW
};

/// One of Anthropic's events, whose text a later line repeats.
const EVENT: Rows = &[row(".", Means::ByType(anthropic::WIRE.events))];

const START: Rows = &[row("message.content[]", Means::ByType(FIRST)), row("message.usage", Means::Usage)];

/// The initial text of a message, which a block repeats.
const FIRST: ByType = &[
    on("|text|thinking", &[row("text|thinking", Means::Hook(note_first_words))]),
    on("*", &[row(".", Means::Unknown(""))]),
];

/// The words in a message's start that no block has repeated yet, in the order of [`WORDS`].
type FirstWords = [String; 2];

/// The members of blocks with words.
const WORDS: [(&str, MismatchKind); 2] = [("text", MismatchKind::Text), ("thinking", MismatchKind::Reasoning)];

/// The key that is noted if a message was streamed.
const STREAMED: &str = "streamed";

/// The key that is noted if a message has ended, or was sent whole.
const WHOLE: &str = "whole";

fn choose_event(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) -> Rows {
    let kind = event.word_at("type");
    let piece = match kind {
        "message_start" => {
            miss_first_words(emit);
            emit.begin_message(event.word_at("message.id"), event.word_at("message.model"));
            emit.note_reported(STREAMED);
            return START;
        }
        // The lines that repeat the message may still follow.
        "message_stop" => {
            emit.calls().finish(None);
            emit.end_blocks(Which::All);
            emit.note_reported(WHOLE);
            return &[];
        }
        "content_block_delta" => event.member("delta"),
        "content_block_start" => event.member("content_block"),
        _ if by_type(anthropic::WIRE.events, kind).is_some() => return EVENT,
        _ => {
            match Failure::reported_by(event) {
                Some(failure) => {
                    event.get("error|.").as_failure();
                    emit.fail(&failure);
                }
                None => emit.unknown_part(kind, event.shown()),
            }
            return &[];
        }
    };
    // The start of the message may have been missed.
    emit.note_reported(STREAMED);
    emit.note_reported(&block_key(piece));
    note_said(emit, piece);
    // A delta after the whole block adds nothing.
    let at = At::Index(event.get("index").index().unwrap_or(0), 0);
    let is_said = kind == "content_block_delta" && piece.get("text|thinking").is_string();
    if is_said && emit.has_reported(&whole_key(at)) {
        event.read();
        return &[];
    }
    EVENT
}

fn note_first_words(emit: &mut Emitter<'_>, words: Node<'_>, _: &Here<'_>) {
    let Some(text) = words.text() else { return words.odd(Mark::Torn) };
    let [first_text, first_thinking]: &mut FirstWords = emit.memory();
    if words.key() == "text" { first_text } else { first_thinking }.push_str(text);
    words.read();
}

/// Compares a piece of a block with what the message's start said of it.
fn note_said(emit: &mut Emitter<'_>, piece: Node<'_>) {
    for (place, (name, kind)) in WORDS.into_iter().enumerate() {
        let Some(said) = piece.get(name).text() else { continue };
        let left = &mut emit.memory::<FirstWords>()[place];
        if let Some(rest) = left.strip_prefix(said) {
            *left = rest.to_owned();
        } else {
            let left = mem::take(left);
            if !said.starts_with(&*left) {
                emit.contradict(Part { kind, choice: 0, at: At::Run }, &left);
            }
        }
    }
}

/// Reports a message that is over as incomplete if no block has repeated the words of its start.
fn miss_first_words(emit: &mut Emitter<'_>) {
    if mem::take::<FirstWords>(emit.memory()).iter().any(|left| !left.is_empty()) {
        emit.break_off("message_start");
    }
}

/// Returns the key of a block of text or reasoning that was sent whole.
fn whole_key(at: At<'_>) -> String {
    if let At::Index(index, _) = at { format!("{WHOLE}/{index}") } else { WHOLE.into() }
}

/// Returns the key of any other block, or a piece of one: its type and its tool-use id.
fn block_key(block: Node<'_>) -> String {
    let kind = if block.raw("signature").is_given() { "signature" } else { block.word_at("type") };
    let kind = kind.strip_suffix("_delta").unwrap_or(kind);
    ["block/", kind, "/", block.word_at("tool_use_id")].concat()
}

/// One or more whole blocks of a message, which may have been streamed before.
const MESSAGE: Rows = &[
    row("message.content", Means::Text)
        .form(Form::Piece)
        .when(|line| line.member("message").member("content").is_string()),
    row("message.content[]", Means::Chosen(&anthropic::ALONE, choose_block)).at(&Spot::Id("id")).form(Form::Piece),
    // Not final: the `result` line has the counts.
    row("message.usage", Means::Silent),
    row("supersedes", Means::Data("supersedes")),
    row(".", Means::Hook(end_message)),
];

fn choose_message(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) -> Rows {
    let (id, model, uuid) = (line.word_at("message.id"), line.word_at("message.model"), line.word_at("uuid"));
    let is_known = emit.has_message_id(id);
    let digest = digest_of(line.raw("message.content").spelt());
    let line_key = format!("line/{digest:x}/{uuid}");
    if is_known && !uuid.is_empty() && emit.has_reported(&line_key) {
        line.shown();
        return &[];
    }
    if !is_known && emit.has_reported(STREAMED) && (!emit.state().has_message || emit.has_message_id("")) {
        // The stream began in the middle of the message, or the message began without an id.
        emit.message(id, model);
        emit.note_message_id(id);
    } else if !is_known {
        miss_first_words(emit);
        emit.begin_message(id, model);
    }
    emit.note_reported(WHOLE);
    emit.note_reported(&line_key);
    MESSAGE
}

/// Reports what a whole block adds to its pieces, if it was streamed. Returns the rows for a block that was not.
fn choose_block(emit: &mut Emitter<'_>, block: Node<'_>, _: &Here<'_>) -> Rows {
    if !emit.has_reported(STREAMED) {
        return anthropic::ALONE;
    }
    note_said(emit, block);
    let kind = block.get("type").text().unwrap_or_default();
    let mut words = WORDS.into_iter();
    // If the type is unreadable, the members identify the block.
    let Some((name, kind)) = words.find(|(name, _)| kind == *name || kind.is_empty() && block.get(name).is_given())
    else {
        return repeat(emit, block);
    };
    let text = block.text_at(name);
    let (at, rest) = emit.news_of_next(kind, text);
    say(kind, rest, &Here { place: at, ..Here::default() }, emit);
    emit.note_reported(&whole_key(at));
    let signature = block.raw("signature").read();
    if !emit.has_reported("block/signature/") {
        emit.opaque(OpaqueKind::Signature, 0, (emit.find_block(Which::At(0, at)), None), signature);
    }
    &[]
}

/// Compares a block other than text with what was streamed of it. Its start may have been missed.
fn repeat(emit: &mut Emitter<'_>, block: Node<'_>) -> Rows {
    let input = block.member("input");
    if !input.is_given() {
        return if emit.has_reported(&block_key(block)) { &[] } else { anthropic::ALONE };
    }
    let (id, name) = (block.word_at("id"), block.text_at("name"));
    let Some(call) = emit.known().find_id(0, id) else { return anthropic::ALONE };
    let input = input.as_input().spelt();
    if !emit.repeat_call(call, name, input) {
        emit.calls().identify(call, "", name);
        emit.calls().whole_of(call, input);
        emit.calls().seal(Slot::new(0, Place::Id(id)));
    }
    &[]
}

fn end_message(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) {
    if line.get("aborted").is_true() {
        emit.leave_out("aborted");
        emit.break_off("aborted");
    }
    let stop_sequence = line.text_at("message.stop_sequence");
    let may_repeat = emit.has_reported(STREAMED);
    let stop = Stop { stop_sequence, may_repeat, ..line.text_at("message.stop_reason").into() };
    if may_repeat {
        emit.stop(0, stop);
    } else {
        emit.end_answer(None, stop);
    }
    let (kind, errors) = (line.text_at("error"), errors(line));
    if !kind.is_empty() || !errors.is_empty() {
        // The text of the first block explains the error.
        let message = if errors.is_empty() { line.get("message.content[].text").word().into() } else { errors.into() };
        emit.fail(&Failure { message, kind, ..Failure::default() });
    }
}

/// Returns the errors that a line lists.
fn errors(line: Node<'_>) -> String {
    let errors = line.member("errors").read();
    let errors: Vec<_> = errors.children().map(Node::text_or_json).collect();
    errors.join("; ")
}

/// Ends the turn: normally, with an error, or because it was interrupted.
fn end_turn(emit: &mut Emitter<'_>, line: Node<'_>, _: &Here<'_>) {
    let [terminal, subtype] = ["terminal_reason", "subtype"].map(|name| line.text_at(name));
    let has_failed = line.get("is_error").is_true() || subtype.starts_with("error");
    if terminal.starts_with("aborted") && !has_failed {
        emit.break_off(terminal);
    } else if emit.has_reported(STREAMED) && emit.state().unfinished.contains(&0) && !emit.has_reported(WHOLE) {
        emit.break_off("result");
    }
    let reason = if emit.has_reported(STREAMED) { "" } else { line.text_at("stop_reason") };
    emit.end_answer(None, reason);
    // Either member may report the error without the other.
    if has_failed {
        let kind = if subtype.starts_with("error") { subtype } else { "" };
        let messages: [Cow<'_, str>; 3] = [errors(line).into(), line.text_at("result").into(), kind.into()];
        let message = messages.into_iter().find(|message| !message.is_empty()).unwrap_or_default();
        let code = if terminal.is_empty() { line.word_at("api_error_status") } else { terminal };
        emit.fail(&Failure { message, kind, code, ..Failure::default() });
    }
    emit.end_stream();
}
